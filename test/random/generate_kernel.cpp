#include <fmt/format.h>

#include "test/random/generator.h"

namespace heddle::random_test {
namespace {

constexpr const char* head =
    "operator larger(a, b) = max(a, b) identity -inf commutative\n"
    "operator both((a, b), (c, d)) = (max(a, c), min(b, d)) identity (-inf, inf) commutative\n"
    "operator chain((a, b), (c, d)) = (a*c, b*c + d) identity (1.0, 0.0)\n"
    "kernel inner(k : index; a : inout f64[96]; b : in f64[96])\n"
    "{\n  for [i] : 0 <= i < k and i < 9 { c: a[i + 50] = a[i + 49] + b[i + 48] }\n}\n";
constexpr const char* arguments =
    "(n, m : index; alpha : f64; A : inout f64[96]; B : inout f64[96, 96]; C : inout f64[96]; D : inout i64[96]; "
    "E : inout i32[96, 96]; F : inout f32[96]; G : inout u8[96]; H : inout i16[96]; R : inout f64; S : inout i64; "
    "x : in f64[96]; y : in f64[96, 96]; p : in i64[96]; g : in i64[96])\n"
    "  where 1 <= n <= 9 and 1 <= m <= 9\n{\n"
    "  const w : f64[4] = {0.5, -1.25, 3.0, 1.0/3}\n  view flat : f64[9216] = y\n";

}  // namespace

std::string Generator::kernel(const std::string& name) {
    std::string text = std::string(head) + "kernel " + name + arguments;
    const int nests = 1 + pick(rng_, 3);
    if (chance(rng_, 20)) text += rule("  ");
    if (chance(rng_, 30)) scratch_ = fresh("t");
    if (!scratch_.empty()) text += "  temp " + scratch_ + " : f64[2]\n";
    for (int k = 0; k < nests; ++k) text += loop(1, "  ");
    return text + "}\n";
}

std::string Generator::item(int depth, const std::string& indent) {
    const int what = pick(rng_, 100);
    if (what < 28 && depth < 3) return loop(depth + 1, indent);
    if (what < 35) return let_statement(indent);
    if (what < 41) return reduction_statement(indent);
    if (what < 44) return selection(indent);
    if (what < 47) return operator_statement(indent);
    if (what < 53) return temporary_block(indent);
    if (what < 61) return conditional(3, indent);
    if (what < 64) return data_loop(indent);
    if (what < 68) return scalar_update(indent);
    if (what < 70) return tuple_statement(indent);
    if (what < 72) return rule(indent);
    if (what < 74) return call(indent);
    if (what < 80 && !scratch_.empty()) return scratch_use(indent);
    return plain_statement(indent);
}

std::string Generator::block(int depth, const std::string& indent, int least) {
    const std::size_t lets = lets_.size(), loops = loops_.size(), rules = rules_.size();
    std::string text;
    const int count = least + pick(rng_, 2);
    for (int k = 0; k < count; ++k) text += item(depth, indent);
    text += plain_statement(indent);
    lets_.resize(lets);
    loops_.resize(loops);
    rules_.resize(rules);
    return text;
}

/// Between -2 and 10 at most, where the loops around are.
std::string Generator::bounds(const std::string& i) {
    const char* size = chance(rng_, 50) ? "n" : "m";
    switch (loops_.empty() ? pick(rng_, 8) : pick(rng_, 12)) {
        case 0:
            return fmt::format("-2 <= {} <= {}", i, size);
        case 1:
            return fmt::format("0 <= {} < 6", i);
        case 2:
            return fmt::format("0 <= {0} < {1} + 2 and {0} mod 2 = 1", i, size);
        case 3:
            return fmt::format("0 <= {} < min(n, m)", i);
        case 4:
            return fmt::format("(0 <= {0} < 3 or 5 <= {0} < {1})", i, size);
        case 5:
            return fmt::format("0 <= {0} < {1} and exists e : {0} = 3*e + 1", i, size);
        case 8:
            return fmt::format("0 <= {} <= {} and {} < 10", i, any_of(loops_), i);
        case 9:
            return fmt::format("{} <= {} < {} and {} >= -2", any_of(loops_), i, size, i);
        case 10:
            return fmt::format("-1 <= {0} and 2*{0} <= {1} + 3 and {0} < 8", i, any_of(loops_));
        default:
            return fmt::format("0 <= {} < {}", i, size);
    }
}

std::string Generator::loop(int depth, const std::string& indent) {
    const std::string i = chance(rng_, 25) && loops_.empty() ? "i" : fresh("l");
    std::string text = fmt::format("{}for [{}{}] : {} {{\n", indent, chance(rng_, 8) ? "-" : "", i, bounds(i));
    loops_.push_back(i);
    text += depth < 3 && chance(rng_, 40) ? loop(depth + 1, indent + "  ") : block(depth, indent + "  ", 0);
    loops_.pop_back();
    return text + indent + "}\n";
}

std::string random_kernel(Rng& rng, const std::string& name) { return Generator(rng).kernel(name); }

}  // namespace heddle::random_test
