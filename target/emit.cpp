#include "target/emit.h"

#include <algorithm>
#include <cstring>

#include "ir/error.h"
#include "target/device.h"
#include "target/dialect.h"
#include "target/tables.h"

namespace heddle {

namespace {

constexpr std::size_t widest = 120;

/// How badly a line may break at this space: the looser the operator, the better; 0 where it may not.
int break_cost(const std::string& text, std::size_t k) {
    const auto next = [&](const char* word, std::size_t size) {
        return text.compare(k + 1, size, word) == 0 && k + 1 + size < text.size() && text[k + 1 + size] == ' ';
    };
    if (text[k - 1] == ';' || text[k - 1] == ',') return 1;
    if (text[k - 1] == '=' && k >= 2 && text[k - 2] != '=' && text[k - 2] != '<' && text[k - 2] != '>') return 2;
    if (next("?", 1) || next(":", 1)) return 3;
    if (next("||", 2)) return 4;
    if (next("&&", 2)) return 5;
    if (next("+", 1) || next("-", 1)) return 6;
    return next("*", 1) || next("/", 1) || next("%", 1) ? 7 : 0;
}

/// Where a line that is too long breaks: in as few brackets as can be, at the loosest operator there, as far right as can be.
/// 0: nowhere.
std::size_t break_position(const std::string& text, std::size_t from, std::size_t room) {
    std::size_t best = 0;
    int depth = 0, best_cost = 1 << 20;
    bool quoted = false;
    for (std::size_t k = from; k < text.size() && k - from < room; ++k) {
        if (text[k] == '"' && (k == 0 || text[k - 1] != '\\')) quoted = !quoted;
        if (quoted) continue;
        if (text[k] == '(' || text[k] == '[') ++depth;
        if (text[k] == ')' || text[k] == ']') --depth;
        if (text[k] != ' ' || k <= from + room / 4) continue;
        const int cost = break_cost(text, k);
        if (cost != 0 && 10 * depth + cost <= best_cost) best = k, best_cost = 10 * depth + cost;
    }
    return best;
}

}  // namespace

void Lines::line(const std::string& text) {
    std::size_t indent = static_cast<std::size_t>(depth_) * 4, from = 0;
    while (indent + (text.size() - from) > widest) {
        const std::size_t at = break_position(text, from, widest > indent + 40 ? widest - indent : 40);
        if (at == 0) break;
        text_.append(indent, ' ');
        text_.append(text, from, at - from);
        text_ += '\n';
        from = at + 1;
        indent = static_cast<std::size_t>(depth_) * 4 + 8;
    }
    text_.append(indent, ' ');
    text_.append(text, from);
    text_ += '\n';
}

std::string DeviceText::signature() const {
    std::string out = start + name + "(";
    if (parameters.empty()) return out + "void)";
    std::size_t width = out.size();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const std::string& d = parameters[k].declaration;
        if (k && width + d.size() + 2 > 110) {
            out += ",\n        ";
            width = 8;
        } else if (k) {
            out += ", ";
            width += 2;
        }
        out += d;
        width += d.size();
    }
    return out + ")";
}

namespace {

bool restrict_allowed(const KernelData& k) {
    return std::none_of(k.arrays.begin(), k.arrays.end(),
                        [](const Array& a) { return a.is_argument() && a.may_alias && a.role != Role::In; });
}

std::string declaration_of(const Array& a, const std::string& name, bool can_restrict, Device device) {
    const Dialect& dialect = dialect_of(device);
    if (a.by_value()) return memory_type(a.type, device) + " " + name;
    std::string out = dialect.global + std::string(a.role == Role::In ? "const " : "") + memory_type(a.type, device);
    return out + " *" + (can_restrict ? dialect.no_alias : "") + name;
}

}  // namespace

std::vector<Expr> occupied_extents(const Array& a) {
    std::vector<Expr> out;
    for (std::size_t k = 0; k < a.shape.size(); ++k) {
        if (a.layout.separate_axis == static_cast<int>(k) && a.is_argument()) continue;
        const std::int64_t extra = a.layout.padding.empty() ? 0 : a.layout.padding[k];
        out.push_back(extra == 0 ? a.shape[k] : index_add(a.shape[k], int_literal(extra, index_type)));
    }
    return out;
}

namespace {

/// The function that the emitter writes, with all that it mentions as parameters.
DeviceText function_of(const Program& program, DeviceEmitter& emitter, const NameTable& names, HelperSet& helpers,
                       const std::string& name, const std::vector<Name>& host_loops) {
    const KernelData& kernel = *program.kernel;
    const Device device = helpers.device;
    DeviceText out;
    out.start = dialect_of(device).function;
    out.name = helpers.global(name);
    out.body = emitter.run();
    out.callees = emitter.callees();
    const bool can_restrict = restrict_allowed(kernel);
    for (Name name : kernel.argument_order) {
        const Array* a = kernel.find_array(name);
        for (std::size_t k = 0; k < names.parts(name); ++k)
            if (emitter.mentions_part(name, k))
                out.parameters.push_back({name, declaration_of(*a, names.part(name, k), can_restrict, device), static_cast<int>(k)});
        if (names.parts(name) != 0 || !emitter.mentions(name)) continue;
        out.parameters.push_back({name, a ? declaration_of(*a, names(name), can_restrict, device) : "int64_t " + names(name)});
    }
    for (Name name : host_loops)
        if (emitter.mentions(name)) out.parameters.push_back({name, "int64_t " + names(name)});
    for (const Slot& slot : program.memory) {
        const bool shares = slot.shares || program.storage.at(slot.name).for_each_thread;
        if (emitter.mentions(slot.name))
            out.parameters.push_back({slot.name, dialect_of(device).global +
                                                     memory_type(kernel.find_array(slot.name)->type, device) + " *" +
                                                     (shares ? "" : dialect_of(device).no_alias) + names(slot.name)});
    }
    if (!emitter.failure().empty()) out.parameters.push_back({{}, "heddle_failure *" + emitter.failure()});
    for (const Array& a : kernel.arrays)
        if (a.role == Role::Table && emitter.mentions(a.name))
            out.tables += table_declaration(a, emitter.text_of(a.name), helpers);
    return out;
}

}  // namespace

DeviceText emit_device(const Program& program, const NameTable& names, HelperSet& helpers) {
    DeviceEmitter emitter(program, program.code, names, helpers);
    return function_of(program, emitter, names, helpers, c_identifier(program.kernel->name.str()) + "_device", {});
}

std::string launch_name(const Program& program, std::size_t launch) {
    return c_identifier(program.kernel->name.str() + "_" + program.launches[launch].label);
}

DeviceText emit_launch(const Program& program, std::size_t launch, const NameTable& names, HelperSet& helpers) {
    const Launch& of = program.launches[launch];
    DeviceEmitter emitter(program, of.code, names, helpers, &of);
    const std::string name = launch_name(program, launch);
    return function_of(program, emitter, names, helpers, name, of.host_loops);
}

}  // namespace heddle
