#include "target/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <unordered_set>

#include "ir/error.h"
#include "ir/tree.h"
#include "target/externs.h"

namespace heddle {
namespace {

/// Words of C, C++ and CUDA, macros and functions of the headers that emitted text includes, and macros that compilers
/// predefine. Sorted.
constexpr auto reserved = std::to_array<std::string_view>({"EDOM",         "EILSEQ",
                                                           "EOF",          "ERANGE",
                                                           "FILE",         "FLT_MAX",
                                                           "HUGE_VAL",     "I",
                                                           "INFINITY",     "INT_MAX",
                                                           "INT_MIN",      "NAN",
                                                           "NULL",         "OVERFLOW",
                                                           "RAND_MAX",     "UNDERFLOW",
                                                           "abort",        "abs",
                                                           "acos",         "acosf",
                                                           "acosh",        "aligned_alloc",
                                                           "alignas",      "alignof",
                                                           "and",          "and_eq",
                                                           "asin",         "asinf",
                                                           "asinh",        "asm",
                                                           "assert",       "atan",
                                                           "atan2",        "atan2f",
                                                           "atanf",        "atanh",
                                                           "atexit",       "atof",
                                                           "atoi",         "atol",
                                                           "auto",         "bitand",
                                                           "bitor",        "blockDim",
                                                           "blockIdx",     "bool",
                                                           "break",        "bsearch",
                                                           "calloc",       "case",
                                                           "catch",        "cbrt",
                                                           "cbrtf",        "ceil",
                                                           "ceilf",        "char",
                                                           "class",        "clog",
                                                           "co_await",     "co_return",
                                                           "co_yield",     "compl",
                                                           "complex",      "concept",
                                                           "const",        "const_cast",
                                                           "consteval",    "constexpr",
                                                           "constinit",    "continue",
                                                           "copysign",     "cos",
                                                           "cosf",         "cosh",
                                                           "coshf",        "cpow",
                                                           "csqrt",        "decltype",
                                                           "default",      "delete",
                                                           "div",          "do",
                                                           "double",       "drem",
                                                           "dynamic_cast", "else",
                                                           "enum",         "erf",
                                                           "erfc",         "erff",
                                                           "errno",        "exit",
                                                           "exp",          "exp10",
                                                           "exp2",         "exp2f",
                                                           "expf",         "explicit",
                                                           "expm1",        "export",
                                                           "extern",       "fabs",
                                                           "fabsf",        "false",
                                                           "fdim",         "final",
                                                           "finite",       "float",
                                                           "floor",        "floorf",
                                                           "fma",          "fmaf",
                                                           "fmax",         "fmin",
                                                           "fmod",         "fopen",
                                                           "for",          "fpclassify",
                                                           "fprintf",      "free",
                                                           "frexp",        "friend",
                                                           "gamma",        "getenv",
                                                           "goto",         "gridDim",
                                                           "half",         "hypot",
                                                           "hypotf",       "i386",
                                                           "if",           "ilogb",
                                                           "imaginary",    "import",
                                                           "inline",       "int",
                                                           "int16_t",      "int32_t",
                                                           "int64_t",      "int8_t",
                                                           "intmax_t",     "isfinite",
                                                           "isgreater",    "isinf",
                                                           "isless",       "isnan",
                                                           "isnormal",     "j0",
                                                           "j1",           "jn",
                                                           "labs",         "ldexp",
                                                           "ldiv",         "lgamma",
                                                           "linux",        "llabs",
                                                           "llrint",       "log",
                                                           "log10",        "log10f",
                                                           "log1p",        "log2",
                                                           "log2f",        "logb",
                                                           "logf",         "long",
                                                           "lrint",        "lround",
                                                           "main",         "malloc",
                                                           "max",          "max_align_t",
                                                           "memcpy",       "memset",
                                                           "min",          "modf",
                                                           "module",       "mutable",
                                                           "namespace",    "nan",
                                                           "nearbyint",    "new",
                                                           "nextafter",    "noexcept",
                                                           "noreturn",     "not",
                                                           "not_eq",       "nullptr",
                                                           "offsetof",     "operator",
                                                           "or",           "or_eq",
                                                           "override",     "pow",
                                                           "powf",         "pow10",
                                                           "printf",       "private",
                                                           "protected",    "ptrdiff_t",
                                                           "public",       "puts",
                                                           "qsort",        "rand",
                                                           "random",       "realloc",
                                                           "register",     "reinterpret_cast",
                                                           "remainder",    "remquo",
                                                           "requires",     "restrict",
                                                           "return",       "rint",
                                                           "round",        "roundf",
                                                           "scalb",        "scalbn",
                                                           "short",        "signbit",
                                                           "signed",       "significand",
                                                           "signgam",      "sin",
                                                           "sincos",       "sinf",
                                                           "sinh",         "sinhf",
                                                           "size_t",       "sizeof",
                                                           "snprintf",     "sqrt",
                                                           "sqrtf",        "srand",
                                                           "static",       "static_assert",
                                                           "static_cast",  "stderr",
                                                           "stdin",        "stdout",
                                                           "strcmp",       "strlen",
                                                           "strtod",       "struct",
                                                           "switch",       "system",
                                                           "tan",          "tanf",
                                                           "tanh",         "tanhf",
                                                           "template",     "tgamma",
                                                           "this",         "threadIdx",
                                                           "thread_local", "throw",
                                                           "true",         "trunc",
                                                           "truncf",       "try",
                                                           "typedef",      "typeid",
                                                           "typename",     "typeof",
                                                           "uint16_t",     "uint32_t",
                                                           "uint64_t",     "uint8_t",
                                                           "uintptr_t",    "union",
                                                           "unix",         "unsigned",
                                                           "using",        "va_arg",
                                                           "va_list",      "virtual",
                                                           "void",         "volatile",
                                                           "warpSize",     "wchar_t",
                                                           "while",        "xor",
                                                           "xor_eq",       "y0",
                                                           "y1",           "yn"});

bool is_reserved(const std::string& text) {
    if (text.rfind("heddle_", 0) == 0 || text.rfind("HEDDLE_", 0) == 0 || text.rfind("omp_", 0) == 0) return true;
    static const std::unordered_set<std::string_view> words(reserved.begin(), reserved.end());
    return words.count(text) != 0;
}

std::string hash_text(const std::string& text) {
    std::uint64_t h = 1469598103934665603ULL;  // FNV-1a
    for (const unsigned char c : text) h = (h ^ c) * 1099511628211ULL;
    std::string out;
    for (int k = 0; k < 8; ++k, h >>= 4) out += "0123456789abcdef"[h & 15];
    return out;
}

}  // namespace

std::string c_identifier(const std::string& text) {
    constexpr std::size_t longest = 48;
    std::string out;
    for (const unsigned char c : text) {
        const char next = std::isalnum(c) && c < 128 ? static_cast<char>(c) : '_';
        if (next == '_' && !out.empty() && out.back() == '_') continue;  // "__" is the implementation's
        out += next;
    }
    if (out.empty() || out[0] == '_' || std::isdigit(static_cast<unsigned char>(out[0]))) out = "v" + out;
    if (out.size() > longest) out = out.substr(0, longest) + (out[longest - 1] == '_' ? "" : "_") + hash_text(text);
    if (is_reserved(out)) out += out.back() == '_' ? "1" : "_";
    return out;
}

NameTable::NameTable(const KernelData& kernel) {
    for (const ExternDef& e : kernel.externs) {
        check_callable(e);
        taken_.insert(e.name.str());
        given_.emplace(e.name, e.name.str());
    }
    const std::string function = c_identifier(kernel.name.str());
    for (const char* suffix : {"", "_device", "_entry", "_error", "_fail", "_message", "_outside", "_plan", "_plan_for",
                               "_check", "_run", "_no_memory", "_overlap", "_workspace_size", "_with_allocator", "_with_workspace"})
        taken_.insert(function + suffix);
    for (Name name : kernel.argument_order) give(name);
    for (const Parameter& p : kernel.parameters) give(p.name);
    for (const Array& a : kernel.arrays) give(a.name);
    for (const Array& a : kernel.arrays) give_parts(a);
    for (const auto& s : kernel.statements)
        if (s->call) taken_.insert(c_identifier(s->call->callee->name.str()) + "_device");
    if (!kernel.root) return;
    walk(kernel.root, [&](const NodePtr& node) {
        if (node->kind == Node::Kind::Loop) give(node->loop);
    });
}

void NameTable::give(Name name) {
    if (given_.count(name)) return;
    given_.emplace(name, fresh(c_identifier(name.str())));
}

void NameTable::give_parts(const Array& a) {
    if (a.layout.separate_axis < 0 || !a.is_argument()) return;
    const auto extent = affine_of(a.shape[static_cast<std::size_t>(a.layout.separate_axis)]);
    if (!extent || !extent->is_constant())
        throw user_error("layout",
                         "axis " + std::to_string(a.layout.separate_axis) + " of '" + a.name.str() +
                             "' is to be separate arrays, but its extent is no constant",
                         a.loc)
            .hint("only an axis of constant extent can be separate");
    for (std::int64_t k = 0; k < extent->constant; ++k)
        parts_[a.name].push_back(fresh(given_.at(a.name) + "_" + std::to_string(k)));
}

std::string NameTable::fresh(const std::string& base) {
    std::string candidate = base;
    const std::string stem = base.back() == '_' ? base : base + "_";
    for (int k = 1; !taken_.insert(candidate).second; ++k) candidate = stem + std::to_string(k);
    return candidate;
}

const std::string& NameTable::operator()(Name name) const {
    const auto it = given_.find(name);
    if (it == given_.end()) throw Error(ErrorKind::Internal, "internal", "the name '" + name.str() + "' has no identifier");
    return it->second;
}

}  // namespace heddle
