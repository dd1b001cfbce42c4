#include "ir/print.h"

#include <set>

#include "ir/kernel.h"
#include "ir/print/parts.h"

namespace heddle {
namespace {

/// Callees before callers, each name once.
void collect(const KernelData& kernel, std::set<Name>& seen, std::vector<const KernelData*>& out) {
    if (!seen.insert(kernel.name).second) return;
    for (const auto& s : kernel.statements)
        if (s->call) collect(*s->call->callee, seen, out);
    out.push_back(&kernel);
}

void append_kernel(std::string& out, const KernelData& kernel) {
    append_signature(out, kernel);
    out += "{\n";
    append_head(out, kernel);
    append_body(out, kernel);
    out += "}\n";
}

}  // namespace

std::string print(const KernelData& kernel) {
    std::set<Name> seen, done;
    std::vector<const KernelData*> kernels;
    collect(kernel, seen, kernels);
    std::string out;
    for (const auto* k : kernels) append_file_level(out, *k, done);
    for (const auto* k : kernels) {
        if (!out.empty()) out += "\n";
        append_kernel(out, *k);
    }
    return out;
}

std::string print_statement(const KernelData& kernel, const Statement& s) {
    std::string out;
    append_statement(out, kernel, s);
    return out;
}

std::string Kernel::name() const { return data().name.str(); }
std::string Kernel::str() const { return print(data()); }
bool operator==(const Kernel& a, const Kernel& b) { return a.data_ == b.data_ || equal(a.data(), b.data()); }

}  // namespace heddle
