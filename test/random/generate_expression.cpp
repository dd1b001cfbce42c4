#include <fmt/format.h>

#include <iterator>

#include "test/random/generator.h"

namespace heddle::random_test {
namespace {

constexpr Declared arrays[] = {{"A", "f64", 1, true},  {"B", "f64", 2, true},  {"C", "f64", 1, true},  {"D", "i64", 1, true},
                               {"E", "i32", 2, true},  {"F", "f32", 1, true},  {"G", "u8", 1, true},   {"H", "i16", 1, true},
                               {"x", "f64", 1, false}, {"y", "f64", 2, false}, {"p", "i64", 1, false}, {"g", "i64", 1, false}};

}  // namespace

const Declared& Generator::array(bool written, const char* type) {
    for (;;) {
        const Declared& a = arrays[pick(rng_, std::size(arrays))];
        if ((!written || a.written) && (!type || std::string(type) == a.type)) return a;
    }
}

/// From -40 to 28.
std::string Generator::index() {
    if (loops_.empty()) return fmt::format("{}", pick(rng_, 9) - 4);
    const std::string e = any_of(loops_);
    switch (pick(rng_, 9)) {
        case 0:
            return fmt::format("({} + {})", e, any_of(loops_));
        case 1:
            return fmt::format("({} - {})", e, any_of(loops_));
        case 2:
            return "2*" + e;
        case 3:
            return e + " // 2";
        case 4:
            return e + " mod 3";
        default:
            return e;
    }
}

/// Inside 0..95.
std::string Generator::subscript() { return fmt::format("{} + {}", index(), 46 + pick(rng_, 5)); }

std::string Generator::element(const Declared& a) {
    const auto one = [&] { return chance(rng_, 5) ? "g[" + subscript() + "]" : subscript(); };
    return a.rank == 1 ? fmt::format("{}[{}]", a.name, one()) : fmt::format("{}[{}, {}]", a.name, one(), one());
}

/// Lets, rules, tables, views, scalars.
std::string Generator::special(const std::string& type) {
    if (type != "f64") return type == "i64" && !loops_.empty() ? any_of(loops_) : element(array(false, type.c_str()));
    switch (pick(rng_, 6)) {
        case 0:
            return "alpha";
        case 1:
            return fmt::format("w[{} mod 4]", index());
        case 2:
            return fmt::format("flat[96*({}) + {}]", subscript(), subscript());
        case 3:
            return rules_.empty() ? "alpha" : fmt::format("{}({})", any_of(rules_), subscript());
        default:
            return lets_.empty() ? "alpha" : any_of(lets_);
    }
}

std::string Generator::leaf(const std::string& type) {
    if (chance(rng_, 20)) return special(type);
    if (chance(rng_, 15)) return type[0] == 'f' ? fmt::format("{}.5", pick(rng_, 4)) : fmt::format("{}", pick(rng_, 5));
    if (!loops_.empty() && chance(rng_, 10)) return fmt::format("{}({})", type, any_of(loops_));
    return element(array(false, type.c_str()));
}

std::string Generator::expression(const std::string& type, int depth) {
    if (depth == 0 || chance(rng_, 25)) return leaf(type);
    const std::string a = expression(type, depth - 1), b = expression(type, depth - 1);
    const bool real = type[0] == 'f';
    switch (pick(rng_, 11)) {
        case 0:
            return fmt::format("({} - {})", a, b);
        case 1:
            return fmt::format("({} * {})", a, b);
        case 2:
            return fmt::format("min({}, {})", a, b);
        case 3:
            return fmt::format("max({}, {})", a, b);
        case 4:
            return fmt::format("({} < {} ? {} : {})", a, b, leaf(type), leaf(type));
        case 5:
            return real ? fmt::format("({} / 3.0)", a) : fmt::format("({} // {})", a, b);
        case 6:
            return real ? fmt::format("abs({})", a) : fmt::format("({} % {})", a, b);
        default:
            return fmt::format("({} + {})", a, b);
    }
}

std::string Generator::data_condition() {
    switch (pick(rng_, 4)) {
        case 0:
            return fmt::format("{} > {}", element(array(false, "f64")), "0.0");
        case 1:
            return fmt::format("{} < {}", leaf("i64"), element(array(false, "i64")));
        case 2:
            return fmt::format("{} != 0", element(array(false, "i32")));
        default:
            return fmt::format("({} < {} or {} > {})", leaf("f64"), leaf("f64"), leaf("f64"), leaf("f64"));
    }
}

std::string Generator::condition() {
    const std::string i = any_of(loops_);
    switch (pick(rng_, 7)) {
        case 0:
            return fmt::format("{} mod 2 = {}", i, pick(rng_, 2));
        case 1:
            return fmt::format("{} < {}", i, any_of(loops_));
        case 2:
            return fmt::format("{0} <= {1} or {0} >= {2}", i, pick(rng_, 3), 3 + pick(rng_, 3));
        case 3:
            return fmt::format("({0} != {1} and {2})", i, pick(rng_, 4), data_condition());
        case 4:
            return fmt::format("{} // 3 <= {} // 2", i, any_of(loops_));
        default:
            return data_condition();
    }
}

}  // namespace heddle::random_test
