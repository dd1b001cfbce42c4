#include <fmt/format.h>

#include "test/random/generate.h"

namespace heddle::random_test {
namespace {

/// Arrays of every generated kernel: name, type, rank. All extents are 96; `g` holds numbers in 0..95.
struct Declared {
    const char* name;
    const char* type;
    int rank;
    bool written;
};
constexpr Declared arrays[] = {{"A", "f64", 1, true},  {"B", "f64", 2, true}, {"C", "f64", 1, true},  {"D", "i64", 1, true},
                               {"E", "i32", 2, true},  {"F", "f32", 1, true}, {"x", "f64", 1, false}, {"y", "f64", 2, false},
                               {"p", "i64", 1, false}, {"g", "i64", 1, false}};

class Generator {
public:
    explicit Generator(Rng& rng) : rng_(rng) {}

    std::string kernel(const std::string& name) {
        std::string text = fmt::format("kernel {}(n, m : index", name);
        for (const Declared& a : arrays)
            text += fmt::format("; {} : {} {}[96{}]", a.name, a.written ? "inout" : "in", a.type, a.rank == 2 ? ", 96" : "");
        text += ")\n  where 1 <= n <= 9 and 1 <= m <= 9\n{\n";
        const int nests = 1 + pick(rng_, 3);
        for (int k = 0; k < nests; ++k) text += loop(1, "  ");
        return text + "}\n";
    }

private:
    Rng& rng_;
    std::vector<std::string> loops_;
    std::vector<std::string> lets_;  // names of f64 scalars in scope
    int next_loop_ = 0, next_name_ = 0, next_label_ = 0;

    std::string any_loop() { return loops_[static_cast<std::size_t>(pick(rng_, static_cast<int>(loops_.size())))]; }

    /// At most 12 + 2*12 + 6 in size, so that 48 + it is inside 0..95.
    std::string subscript() {
        if (loops_.empty()) return fmt::format("{}", 40 + pick(rng_, 16));
        std::string e = any_loop();
        switch (pick(rng_, 8)) {
            case 0:
                e += " + " + any_loop();
                break;
            case 1:
                e += " - " + any_loop();
                break;
            case 2:
                e = "2*" + e;
                break;
            case 3:
                e = e + " // 2";
                break;
            case 4:
                e = e + " mod 3";
                break;
            default:
                break;
        }
        return fmt::format("{} + {}", e, 46 + pick(rng_, 5));
    }

    std::string element(const Declared& a) {
        const auto one = [&] { return chance(rng_, 5) ? "g[" + subscript() + "]" : subscript(); };
        return a.rank == 1 ? fmt::format("{}[{}]", a.name, one()) : fmt::format("{}[{}, {}]", a.name, one(), one());
    }

    const Declared& array(bool written, const char* type) {
        for (;;) {
            const Declared& a = arrays[pick(rng_, std::size(arrays))];
            if ((!written || a.written) && (!type || std::string(type) == a.type)) return a;
        }
    }

    std::string leaf(const std::string& type) {
        if (type == "f64" && !lets_.empty() && chance(rng_, 30)) return lets_[pick(rng_, static_cast<int>(lets_.size()))];
        if (chance(rng_, 15)) return type[0] == 'f' ? fmt::format("{}.5", pick(rng_, 4)) : fmt::format("{}", pick(rng_, 5));
        if (!loops_.empty() && chance(rng_, 10)) return fmt::format("{}({})", type, any_loop());
        return element(array(false, type.c_str()));
    }

    std::string expression(const std::string& type, int depth) {
        if (depth == 0 || chance(rng_, 25)) return leaf(type);
        const std::string a = expression(type, depth - 1), b = expression(type, depth - 1);
        switch (pick(rng_, 9)) {
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
                return type[0] == 'f' ? fmt::format("({} / 3.0)", a) : fmt::format("({} // 3)", a);
            default:
                return fmt::format("({} + {})", a, b);
        }
    }

    std::string label() { return fmt::format("s{}: ", next_label_++); }

    std::string plain_statement(const std::string& indent) {
        const Declared& target = array(true, nullptr);
        const std::string place = element(target);
        constexpr const char* updates[] = {"=", "=", "=", "+=", "+=", "max=", "min="};
        return fmt::format("{}{}{} {} {}\n", indent, label(), place, updates[pick(rng_, 7)], expression(target.type, 2));
    }

    std::string let_statement(const std::string& indent) {
        const std::string name = fmt::format("v{}", next_name_++);
        const std::string value = expression("f64", 1);
        lets_.push_back(name);
        return fmt::format("{}let {} = {}\n", indent, name, value);
    }

    std::string reduction_statement(const std::string& indent) {
        const std::string j = fmt::format("r{}", next_loop_++);
        const Declared& target = array(true, "f64");
        const std::string place = element(target);
        loops_.push_back(j);
        const std::string body = expression("f64", 1);
        loops_.pop_back();
        constexpr const char* kinds[] = {"sum", "max", "min"};
        return fmt::format("{}{}{} = {}[{} : 0 <= {} < {}]({})\n", indent, label(), place, kinds[pick(rng_, 3)], j, j,
                           chance(rng_, 50) ? "n" : "3", body);
    }

    std::string temporary_block(const std::string& indent) {
        const std::string t = fmt::format("t{}", next_name_++), j = fmt::format("q{}", next_loop_++);
        std::string text = fmt::format("{}temp {} : f64[16]\n", indent, t);
        loops_.push_back(j);
        text +=
            fmt::format("{0}for [{1}] : 0 <= {1} < 8 {{ {2}{3}[{1}] = {4} }}\n", indent, j, label(), t, expression("f64", 1));
        loops_.pop_back();
        const std::string k = fmt::format("q{}", next_loop_++);
        loops_.push_back(k);
        text += fmt::format("{0}for [{1}] : 0 <= {1} < 7 {{ {2}{3} += {4}[{1} + 1] * {5} }}\n", indent, k, label(),
                            element(array(true, "f64")), t, expression("f64", 1));
        loops_.pop_back();
        return text;
    }

    std::string condition() {
        const std::string i = any_loop();
        switch (pick(rng_, 4)) {
            case 0:
                return fmt::format("{} mod 2 = {}", i, pick(rng_, 2));
            case 1:
                return fmt::format("{} < {}", i, any_loop());
            case 2:
                return fmt::format("{} <= {} or {} >= {}", i, pick(rng_, 3), i, 3 + pick(rng_, 3));
            default:
                return fmt::format("{} > {}", element(array(false, "f64")), "0.0");
        }
    }

    std::string conditional(int depth, const std::string& indent) {
        std::string text = fmt::format("{}if {} {{\n", indent, condition());
        text += block(depth, indent + "  ", 1);
        if (chance(rng_, 30)) text += fmt::format("{}}} else {{\n{}", indent, block(depth, indent + "  ", 1));
        return text + indent + "}\n";
    }

    std::string item(int depth, const std::string& indent) {
        const int what = pick(rng_, 100);
        if (what < 30 && depth < 3) return loop(depth + 1, indent);
        if (what < 38) return let_statement(indent);
        if (what < 44) return reduction_statement(indent);
        if (what < 50) return temporary_block(indent);
        if (what < 58) return conditional(3, indent);
        return plain_statement(indent);
    }

    std::string block(int depth, const std::string& indent, int least) {
        const std::size_t lets = lets_.size();
        std::string text;
        const int count = least + pick(rng_, 2);
        for (int k = 0; k < count; ++k) text += item(depth, indent);
        lets_.resize(lets);
        return text + plain_statement(indent);
    }

    std::string bounds(const std::string& i) {
        const char* size = chance(rng_, 50) ? "n" : "m";
        switch (loops_.empty() ? pick(rng_, 4) : pick(rng_, 7)) {
            case 0:
                return fmt::format("-2 <= {} <= {}", i, size);
            case 1:
                return fmt::format("0 <= {} < 6", i);
            case 2:
                return fmt::format("0 <= {} < {} + 2 and {} mod 2 = 1", i, size, i);
            case 4:
                return fmt::format("0 <= {} <= {}", i, any_loop());
            case 5:
                return fmt::format("{} <= {} < {}", any_loop(), i, size);
            default:
                return fmt::format("0 <= {} < {}", i, size);
        }
    }

    std::string loop(int depth, const std::string& indent) {
        const std::string i = chance(rng_, 25) && loops_.empty() ? "i" : fmt::format("l{}", next_loop_++);
        const std::string range = bounds(i);
        std::string text = fmt::format("{}for [{}{}] : {} {{\n", indent, chance(rng_, 8) ? "-" : "", i, range);
        loops_.push_back(i);
        text += depth < 3 && chance(rng_, 40) ? loop(depth + 1, indent + "  ") : block(depth, indent + "  ", 0);
        loops_.pop_back();
        return text + indent + "}\n";
    }
};

}  // namespace

std::string random_kernel(Rng& rng, const std::string& name) { return Generator(rng).kernel(name); }

}  // namespace heddle::random_test
