// Atomic updates in the languages of devices.
#include "ir/error.h"
#include "target/helper_table.h"

namespace heddle {
namespace {

struct Operation {
    const char *name, *value, *needs;
};
/// The new value from `was` and `value`; signed integers wrap in their unsigned type.
constexpr Operation operations[] = {
    {"fadd", "was.value + value", ""},
    {"add", "($T)(($U)was.value + ($U)value)", ""},
    {"fmul", "was.value * value", ""},
    {"mul", "($T)(($U)was.value * ($U)value)", ""},
    {"fmin", "heddle_fmin_$S(was.value, value)", "fmin"},
    {"min", "heddle_min_$S(was.value, value)", "min"},
    {"fmax", "heddle_fmax_$S(was.value, value)", "fmax"},
    {"max", "heddle_max_$S(was.value, value)", "max"},
};

}  // namespace

Family atomic_family(const std::string& name, Device device) {
    const std::size_t first = name.find('_'), last = name.find('_', first + 1);
    const std::string operation = name.substr(first + 1, last - first - 1);
    const std::string space = last == std::string::npos ? "" : "__" + name.substr(last + 1) + " ";
    for (const Operation& o : operations) {
        if (operation != o.name) continue;
        const bool cuda = device == Device::Cuda;
        if (cuda && operation == "fadd")
            return {"static inline void $N($T *place, $T value) {\n    atomicAdd(place, value);\n}\n", {}};
        if (cuda && operation == "add")
            return {"static inline void $N($T *place, $T value) {\n    atomicAdd(($A *)place, ($A)value);\n}\n", {}};
        const std::string exchange =
            cuda ? "atomicCAS(($A *)place, was.bits, now.bits)" : "$C((volatile " + space + "$U *)place, was.bits, now.bits)";
        const std::string pointer = cuda ? "$T *" : "volatile " + space + "$T *";
        return {"static inline void $N(" + pointer + "place, $T value) {\n    union {\n        " + (cuda ? "$A" : "$U") +
                    " bits;\n        $T value;\n    } was, now;\n    do {\n        was.value = *(" +
                    (cuda ? "volatile $T *" : pointer) + ")place;\n        now.value = " + o.value + ";\n    } while (" +
                    exchange + " != was.bits);\n}\n",
                o.needs[0] ? std::vector<const char*>{o.needs} : std::vector<const char*>{}};
    }
    throw Error(ErrorKind::Internal, "internal", "there is no atomic operation '" + operation + "'");
}

}  // namespace heddle
