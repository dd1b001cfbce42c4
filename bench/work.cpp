#include "bench/work.h"

#include <fmt/format.h>

namespace heddle::bench {
namespace {

std::string header(const std::string& arrays) { return "kernel work(n, m : index" + arrays + ")\n  where n, m >= 1\n{\n"; }

std::string numbered_arrays(int count) {
    std::string text;
    for (int k = 0; k < count; ++k) text += fmt::format("; a{} : inout f64[n, m]", k);
    return text;
}

}  // namespace

std::string chain(int count) {
    std::string text = header(numbered_arrays(count + 1));
    for (int k = 0; k < count; ++k)
        text += fmt::format("  for [i, j] : 0 <= i < n and 0 <= j < m {{ s{0}: a{1}[i, j] = a{0}[i, j] + 1.0 }}\n", k, k + 1);
    return text + "}\n";
}

std::string rows(int count) {
    std::string text = header(fmt::format("; a : inout f64[{}, m, n]", count + 1));
    text += "  for [i, j] : 0 <= i < n and 0 <= j < m {\n";
    for (int k = 0; k < count; ++k) text += fmt::format("    s{0}: a[{1}, j, i] = a[{0}, j, i] + 1.0\n", k, k + 1);
    return text + "  }\n}\n";
}

std::string separate_nests(int count) {
    std::string text = header(numbered_arrays(count));
    for (int k = 0; k < count; ++k)
        text += fmt::format("  for [i, j] : 0 <= i < n and 0 <= j < m {{ s{0}: a{0}[i, j] = 2.0 * a{0}[i, j] }}\n", k);
    return text + "}\n";
}

std::string square(int size) {
    return fmt::format(
        "kernel work(a : in f64[{0}, {0}], x : in f64[{0}], y : inout f64[{0}])\n{{\n"
        "  for [i, j] : 0 <= i, j < {0} {{ s: y[i] += a[i, j] * x[j] }}\n}}\n",
        size);
}

std::string nested_rules(int depth) {
    std::string text = header("; a : in f64[n, m], b : out f64[n, m]");
    text += "  def rule0(i, j) = a[i, j]\n";
    for (int k = 1; k <= depth; ++k) text += fmt::format("  def rule{0}(i, j) = rule{1}(i, j) * 0.5 + {0}.0\n", k, k - 1);
    return text + fmt::format("  for [i, j] : 0 <= i < n and 0 <= j < m {{ s: b[i, j] = rule{}(i, j) }}\n}}\n", depth);
}

}  // namespace heddle::bench
