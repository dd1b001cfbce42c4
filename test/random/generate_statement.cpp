#include <fmt/format.h>

#include "test/random/generator.h"

namespace heddle::random_test {

std::string Generator::plain_statement(const std::string& indent) {
    const Declared& target = array(true, nullptr);
    const std::string place = element(target);
    constexpr const char* updates[] = {"=", "=", "=", "+=", "+=", "max=", "min=", "-=", "*="};
    return fmt::format("{}{}{} {} {}\n", indent, label(), place, updates[pick(rng_, 9)], expression(target.type, 2));
}

std::string Generator::scalar_update(const std::string& indent) {
    constexpr const char* updates[] = {"+=", "max=", "min=", "*="};
    const bool real = chance(rng_, 40);
    return fmt::format("{}{}{} {} {}\n", indent, label(), real ? "R" : "S", updates[pick(rng_, 4)],
                       expression(real ? "f64" : "i64", 1));
}

std::string Generator::tuple_statement(const std::string& indent) {
    const std::string a = element(array(true, "f64")), b = element(array(true, "i64"));
    return fmt::format("{}{}({}, {}) = ({}, {})\n", indent, label(), a, b, expression("f64", 1), expression("i64", 1));
}

std::string Generator::let_statement(const std::string& indent) {
    const std::string name = fresh("v"), value = expression("f64", 1);
    lets_.push_back(name);
    return fmt::format("{}let {} = {}\n", indent, name, value);
}

/// Bounds that are data.
std::string Generator::data_loop(const std::string& indent) {
    const std::string low = fresh("low"), high = fresh("high"), q = fresh("q");
    std::string text = fmt::format("{}let {} = p[{}]\n{}let {} = {}\n", indent, low, subscript(), indent, high,
                                   chance(rng_, 50) ? low + " + 4" : fmt::format("p[{}]", subscript()));
    text += fmt::format("{0}for [{1}] : {2} <= {1} < {3} {{\n", indent, q, low, high);
    loops_.push_back(q);
    text += plain_statement(indent + "  ") + plain_statement(indent + "  ");
    loops_.pop_back();
    if (chance(rng_, 30)) loops_.push_back(low);
    return text + indent + "}\n";
}

std::string Generator::reduction_range(const std::string& j) {
    std::string range = fmt::format("{} <= {} < {}", pick(rng_, 2) - 1, j, chance(rng_, 50) ? "n" : "3");
    loops_.push_back(j);
    if (chance(rng_, 20)) range += fmt::format(" and {} mod 2 = 0", j);
    if (chance(rng_, 25)) range += " if " + data_condition();
    return range;
}

std::string Generator::reduction_statement(const std::string& indent) {
    const std::string j = fresh("r");
    const bool real = chance(rng_, 60), truth = chance(rng_, 15);
    const Declared& target = array(true, real ? "f64" : "i64");
    const std::string place = element(target), range = reduction_range(j);
    const std::string body = truth ? data_condition() : expression(target.type, 1);
    loops_.pop_back();
    constexpr const char* kinds[] = {"sum", "max", "min", "product"};
    if (truth)
        return fmt::format("{}{}{} = {}({}[{} : {}]({}) ? 1 : 2)\n", indent, label(), place, target.type,
                           chance(rng_, 50) ? "any" : "all", j, range, body);
    return fmt::format("{}{}{} = {}[{} : {}]({}) + {}\n", indent, label(), place, kinds[pick(rng_, 4)], j, range, body,
                       leaf(target.type));
}

/// argmin and argmax; the index found may stand in subscripts and bounds.
std::string Generator::selection(const std::string& indent) {
    const std::string j = fresh("r"), v = fresh("v"), at = fresh("at");
    const std::string range = reduction_range(j), body = chance(rng_, 20) ? "-inf" : expression("f64", 1);
    loops_.pop_back();
    loops_.push_back(at);
    lets_.push_back(v);
    return fmt::format("{}let ({}, {}) = {}[{} : {}]({})\n", indent, v, at, chance(rng_, 50) ? "argmin" : "argmax", j, range,
                       body);
}

std::string Generator::operator_statement(const std::string& indent) {
    const std::string j = fresh("r"), a = fresh("v"), b = fresh("v");
    const std::string range = reduction_range(j), body = expression("f64", 1), other = leaf("f64");
    loops_.pop_back();
    if (chance(rng_, 50))
        return fmt::format("{}{}{} = larger[{} : {}]({})\n", indent, label(), element(array(true, "f64")), j, range, body);
    lets_.insert(lets_.end(), {a, b});
    return fmt::format("{}let ({}, {}) = {}[{} : {}]({}, {})\n", indent, a, b, chance(rng_, 50) ? "both" : "chain", j, range,
                       body, other);
}

std::string Generator::temporary_block(const std::string& indent) {
    const std::string t = fresh("t"), j = fresh("q"), k = fresh("q");
    const bool wide = chance(rng_, 40);
    const char* layouts[] = {"", "", " layout(1, 0)", " pad(0, 3)", " in heap"};
    const std::string inner = wide ? ", 2" : "";
    std::string text = fmt::format("{}temp {} : f64[16{}]{}\n", indent, t, inner, wide ? layouts[pick(rng_, 5)] : "");
    loops_.push_back(j);
    text += fmt::format("{0}for [{1}] : 0 <= {1} < 8 {{ {2}{3}[{1}{4}] = {5} }}\n", indent, j, label(), t, wide ? ", 1" : "",
                        expression("f64", 1));
    loops_.back() = k;
    text += fmt::format("{0}for [{1}] : 0 <= {1} < 7 {{ {2}{3} += {4}[{1} + 1{6}] * {5} }}\n", indent, k, label(),
                        element(array(true, "f64")), t, expression("f64", 1), wide ? ", 1" : "");
    loops_.pop_back();
    return text;
}

/// Writes and reads a temporary of the whole kernel.
std::string Generator::scratch_use(const std::string& indent) {
    const int at = pick(rng_, 2);
    std::string text = fmt::format("{}{}{}[{}] = {}\n", indent, label(), scratch_, at, expression("f64", 1));
    if (chance(rng_, 30)) text += plain_statement(indent);
    return text +
           fmt::format("{}{}{} += {}[{}] * {}\n", indent, label(), element(array(true, "f64")), scratch_, at, leaf("f64"));
}

std::string Generator::rule(const std::string& indent) {
    const std::string u = fresh("rule_");
    rules_.push_back(u);
    return fmt::format("{}def {}(k) = x[k] * {}.5 + {}[k]\n", indent, u, pick(rng_, 3), chance(rng_, 50) ? "C" : "x");
}

std::string Generator::call(const std::string& indent) {
    const std::string size = loops_.empty() || chance(rng_, 50) ? "n" : any_of(loops_);
    return fmt::format("{}{}call inner({}, {}, {})\n", indent, label(), size, chance(rng_, 50) ? "A" : "C", "x");
}

std::string Generator::conditional(int depth, const std::string& indent) {
    std::string text = fmt::format("{}if {} {{\n", indent, condition());
    text += block(depth, indent + "  ", chance(rng_, 20) ? 0 : 1);
    if (chance(rng_, 20)) text += fmt::format("{}}} else if {} {{\n{}", indent, condition(), block(depth, indent + "  ", 0));
    if (chance(rng_, 30)) text += fmt::format("{}}} else {{\n{}", indent, block(depth, indent + "  ", 1));
    return text + indent + "}\n";
}

}  // namespace heddle::random_test
