#include "target/externs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/error.h"
#include "target/host.h"
#include "target/names.h"

namespace heddle {
namespace {

/// Functions of math.h that the language does not have, with the number of their arguments: doubles to a double, and under
/// their name with an 'f' floats to a float.
const std::unordered_map<std::string_view, std::size_t>& math_functions() {
    static const std::unordered_map<std::string_view, std::size_t> table{
        {"acosh", 1},  {"asinh", 1},  {"atanh", 1},     {"erfc", 1},     {"expm1", 1},     {"j0", 1},
        {"j1", 1},     {"lgamma", 1}, {"log1p", 1},     {"logb", 1},     {"nearbyint", 1}, {"rint", 1},
        {"tgamma", 1}, {"y0", 1},     {"y1", 1},        {"copysign", 2}, {"fdim", 2},      {"fmax", 2},
        {"fmin", 2},   {"fmod", 2},   {"nextafter", 2}, {"remainder", 2}};
    return table;
}

bool is_math_function(const ExternDef& e) {
    std::string name = e.name.str();
    if (e.result == DType::F32 && name.back() == 'f') name.pop_back();
    const auto it = math_functions().find(name);
    if (it == math_functions().end() || it->second != e.arguments.size()) return false;
    const DType type = name.size() == e.name.str().size() ? DType::F64 : DType::F32;
    return e.result == type && std::all_of(e.arguments.begin(), e.arguments.end(), [&](DType t) { return t == type; });
}

/// Gathers the functions of a kernel and of its callees, each callee once.
struct Collector {
    std::map<std::string, ExternDef> all;
    std::unordered_set<const KernelData*> seen;

    void visit(const KernelData& kernel) {
        if (!seen.insert(&kernel).second) return;
        for (const ExternDef& e : kernel.externs) add(e);
        for (const auto& s : kernel.statements)
            if (s->call) visit(*s->call->callee);
    }
    void add(const ExternDef& e) {
        check_callable(e);
        const auto [it, is_new] = all.emplace(e.name.str(), e);
        if (is_new || (it->second.result == e.result && it->second.arguments == e.arguments)) return;
        throw user_error("type",
                         fmt::format("the extern function '{}' has two declarations with different types", e.name.str()), e.loc)
            .note("the other one is here", it->second.loc)
            .hint("a C function has one type: declare it once, at the top of the file");
    }
};

std::string declaration(const ExternDef& e) {
    std::string out = c_type(e.result) + " " + e.name.str() + "(";
    for (std::size_t k = 0; k < e.arguments.size(); ++k) out += (k ? ", " : "") + c_type(e.arguments[k]);
    return out + (e.arguments.empty() ? "void);\n" : ");\n");
}

std::string face(const ExternDef& e) {
    std::string out = fmt::format("void {}(const void *const *arguments, void *result) {{\n", extern_face(e.name));
    if (e.arguments.empty()) out += "    (void)arguments;\n";
    out += fmt::format("    *({} *)result = {}(", c_type(e.result), e.name.str());
    for (std::size_t k = 0; k < e.arguments.size(); ++k)
        out += fmt::format("{}*(const {} *)arguments[{}]", k ? ", " : "", c_type(e.arguments[k]), k);
    return out + ");\n}\n";
}

}  // namespace

void check_callable(const ExternDef& function) {
    const std::string name = function.name.str();
    if (c_identifier(name) == name || is_math_function(function)) return;
    throw user_error("name", "the extern function '" + name + "' cannot be called by that name from C", function.loc)
        .hint(
            "export it under an identifier that neither C nor its headers use; functions of math.h are declared with their own "
            "types");
}

std::vector<ExternDef> all_externs(const KernelData& kernel) {
    Collector found;
    found.visit(kernel);
    std::vector<ExternDef> out;
    for (auto& [name, e] : found.all) out.push_back(std::move(e));
    return out;
}

std::string extern_text(const KernelData& kernel) {
    std::string out;
    for (const ExternDef& e : all_externs(kernel)) out += declaration(e);
    if (out.empty()) return out;
    return "#ifdef __cplusplus\nextern \"C\" {\n#endif\n" + out + "#ifdef __cplusplus\n}\n#endif\n\n";
}

std::string extern_face(Name function) { return "heddle_call_" + function.str(); }

std::string emit_extern_faces(const KernelData& kernel) {
    std::string out = extern_text(kernel);
    for (const ExternDef& e : all_externs(kernel)) out += face(e);
    return prelude(false, out) + out;
}

}  // namespace heddle
