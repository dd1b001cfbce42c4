// Declarations of temporaries in emitted code.
#include <algorithm>
#include <functional>

#include "ir/error.h"
#include "ir/uses.h"
#include "target/device.h"

namespace heddle {
namespace {

/// The temporary that this piece of code, if it is one unconditional scalar assignment, gives its first value.
Name first_value(const KernelData& kernel, const Code& c) {
    if (c.kind != Code::Kind::Run) return {};
    const Statement& s = *kernel.statements[c.statement];
    const bool simple =
        s.update == Update::Assign && s.places.size() == 1 && s.places[0].subscripts.empty() && s.predicates.empty() && !s.call;
    return simple && !mentions(s.values[0], s.places[0].array) ? s.places[0].array : Name();
}

void names_in(const KernelData& kernel, const Code& c, const std::function<void(Name)>& see) {
    if (c.kind == Code::Kind::Run) return visit_names(*kernel.statements[c.statement], see);
    for (const CodePtr& child : c.body) names_in(kernel, *child, see);
    for (const CodePtr& child : c.otherwise) names_in(kernel, *child, see);
}

}  // namespace

std::string DeviceEmitter::local_declaration(const Array& a) {
    std::string out =
        c_type(symbols_.count(a.name) && a.shape.empty() && is_integer(a.type) ? index_type : a.type) + " " + names_(a.name);
    if (a.layout.is_default()) {
        const std::vector<bool>& by_lane = writer_.paths.at(a.name).by_lane;
        for (std::size_t k = 0; k < a.shape.size(); ++k)
            if (k >= by_lane.size() || !by_lane[k])
                out += "[" + std::to_string(std::max<std::int64_t>(1, affine_of(a.shape[k])->constant)) + "]";
        return out;
    }
    std::int64_t count = 1;
    for (const Expr& e : occupied_extents(a)) count *= std::max<std::int64_t>(1, affine_of(e)->constant);
    return out + "[" + std::to_string(count) + "]";
}

/// Declares what the body's own first assignment does not. A scalar gets a value, so that no compiler wonders.
void DeviceEmitter::declare(const std::vector<CodePtr>& codes, const std::vector<Name>& temporaries, Lines& out) {
    const std::unordered_set<Name> ours(temporaries.begin(), temporaries.end());
    std::unordered_map<Name, const Code*> mentioned;  // by its first piece of code
    for (const CodePtr& c : codes)
        names_in(kernel_, *c, [&](Name n) {
            if (ours.count(n)) mentioned.emplace(n, c.get());
        });
    for (Name t : temporaries) {
        const Array* a = kernel_.find_array(t);
        const auto storage = program_.storage.find(t);
        if (!a || a->role != Role::Temp || storage == program_.storage.end()) continue;
        const auto first = mentioned.find(t);
        if (first == mentioned.end()) continue;
        if (first_value(kernel_, *first->second) == t) {
            declaring_[first->second] = t;
            continue;
        }
        if (storage->second.kind == Storage::Kind::Shared) continue;
        if (storage->second.kind == Storage::Kind::Allocated) {
            if (!storage->second.for_each_thread) continue;
            const std::string own = names_.fresh(names_(t) + "_own");
            out.line(c_type(a->type) + " *const " + own + " = " + thread_pointer(*a) + ";");
            writer_.paths[t].text = own;
            writer_.used.insert(t);
            continue;
        }
        std::string start;
        if (a->shape.empty()) start = is_complex(a->type) ? " = {0, 0}" : a->type == DType::Bool ? " = false" : " = 0";
        out.line(local_declaration(*a) + start + ";");
    }
}

bool DeviceEmitter::declared_by(const Code& run, std::string& prefix) {
    const auto it = declaring_.find(&run);
    if (it == declaring_.end()) return false;
    const Array& a = *kernel_.find_array(it->second);
    const bool wide = symbols_.count(a.name) && is_integer(a.type);
    prefix = (a.is_let ? "const " : "") + c_type(wide ? index_type : a.type) + " ";
    written_.insert(a.name);
    declaring_.erase(it);
    return true;
}

/// Values that nobody reads are said to be so.
void DeviceEmitter::finish(const std::vector<Name>& temporaries, Lines& out) {
    for (Name t : temporaries) {
        const auto storage = program_.storage.find(t);
        const bool local = storage != program_.storage.end() && storage->second.kind == Storage::Kind::Local;
        if (local && written_.erase(t) > 0 && !writer_.used.count(t)) out.line("(void)" + names_(t) + ";");
    }
}

}  // namespace heddle
