// Declarations of temporaries in emitted code.
#include <algorithm>

#include "ir/error.h"
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

bool statement_mentions(const Statement& s, Name name) {
    const auto in = [&](const Expr& e) { return mentions(e, name); };
    for (const Place& p : s.places)
        if (p.array == name || std::any_of(p.subscripts.begin(), p.subscripts.end(), in)) return true;
    if (std::any_of(s.values.begin(), s.values.end(), in) || std::any_of(s.predicates.begin(), s.predicates.end(), in))
        return true;
    if (s.call)
        for (const auto& [target, value] : s.call->bindings)
            if (in(value)) return true;
    return s.domain.mentions(name);
}

bool code_mentions(const KernelData& kernel, const Code& c, Name name) {
    if (c.kind == Code::Kind::Run) return statement_mentions(*kernel.statements[c.statement], name);
    const auto in = [&](const CodePtr& child) { return code_mentions(kernel, *child, name); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

}  // namespace

std::string DeviceEmitter::local_declaration(const Array& a) {
    std::string out =
        c_type(symbols_.count(a.name) && a.shape.empty() && is_integer(a.type) ? index_type : a.type) + " " + names_(a.name);
    if (a.layout.is_default()) {
        for (const Expr& e : a.shape) out += "[" + std::to_string(std::max<std::int64_t>(1, affine_of(e)->constant)) + "]";
        return out;
    }
    std::int64_t count = 1;
    for (const Expr& e : occupied_extents(a)) count *= std::max<std::int64_t>(1, affine_of(e)->constant);
    return out + "[" + std::to_string(count) + "]";
}

/// Declares what the body's own first assignment does not. A scalar gets a value, so that no compiler wonders.
void DeviceEmitter::declare(const std::vector<CodePtr>& codes, const std::vector<Name>& temporaries, Lines& out) {
    std::unordered_map<Name, const Code*> first;
    for (Name t : temporaries) {
        for (const CodePtr& c : codes) {
            if (first_value(kernel_, *c) == t) first.emplace(t, c.get());
            if (code_mentions(kernel_, *c, t)) break;
        }
    }
    for (Name t : temporaries) {
        const Array* a = kernel_.find_array(t);
        const auto storage = program_.storage.find(t);
        if (!a || a->role != Role::Temp || storage == program_.storage.end()) continue;
        if (const auto it = first.find(t); it != first.end()) {
            declaring_[it->second] = t;
            continue;
        }
        if (storage->second.kind != Storage::Kind::Local) continue;
        const bool used =
            std::any_of(codes.begin(), codes.end(), [&](const CodePtr& c) { return code_mentions(kernel_, *c, t); });
        if (!used) continue;
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
    return true;
}

/// Values that nobody reads are said to be so.
void DeviceEmitter::finish(const std::vector<Name>& temporaries, Lines& out) {
    for (Name t : temporaries) {
        const auto storage = program_.storage.find(t);
        const bool local = storage != program_.storage.end() && storage->second.kind == Storage::Kind::Local;
        if (local && written_.count(t) && !writer_.used.count(t)) out.line("(void)" + names_(t) + ";");
    }
}

}  // namespace heddle
