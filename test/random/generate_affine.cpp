#include <fmt/format.h>

#include "test/random/generate.h"

namespace heddle::random_test {
namespace {

/// Arrays of every kernel: name, type, rank. All extents are 32, all subscripts near the middle, so that accesses meet.
struct Declared {
    const char* name;
    const char* type;
    int rank;
    bool written;
};
constexpr Declared arrays[] = {
    {"A", "f64", 1, true}, {"B", "f64", 2, true}, {"C", "f64", 1, true}, {"D", "i64", 1, true}, {"x", "f64", 1, false}};

class Generator {
public:
    explicit Generator(Rng& rng) : rng_(rng) {}

    std::string kernel(const std::string& name) {
        std::string text = fmt::format("kernel {}(n, m : index", name);
        for (const Declared& a : arrays)
            text += fmt::format("; {} : {} {}[32{}]", a.name, a.written ? "inout" : "in", a.type, a.rank == 2 ? ", 32" : "");
        text += ")\n  where 1 <= n <= 6 and 1 <= m <= 6\n{\n";
        const int nests = 1 + pick(rng_, 2);
        for (int k = 0; k < nests; ++k) text += loop("  ");
        return text + "}\n";
    }

private:
    Rng& rng_;
    std::vector<std::string> loops_, scalars_;
    std::vector<std::string> tables_;  ///< temporaries of rank 1 and extent 32
    int next_loop_ = 0, next_name_ = 0, next_label_ = 0;

    const std::string& any(const std::vector<std::string>& names) {
        return names[static_cast<std::size_t>(pick(rng_, static_cast<int>(names.size())))];
    }

    /// Loops run from -2 to 8 at most.
    std::string subscript() {
        if (loops_.empty()) return fmt::format("{}", 12 + pick(rng_, 3));
        const std::string& i = chance(rng_, 60) ? loops_.back() : any(loops_);
        switch (pick(rng_, 16)) {
            case 0:
                return fmt::format("{} + {} + 10", i, any(loops_));
            case 1:
                return fmt::format("{} - {} + 12", i, any(loops_));
            case 2:
                return fmt::format("2*{} + 10", i);
            case 3:
                return fmt::format("{} // 2 + 12", i);
            case 4:
                return fmt::format("{} mod 3 + 12", i);
            case 5:
                return fmt::format("n - {} + 12", i);
            case 6:
                return "12";
            default:
                return fmt::format("{} + {}", i, 11 + pick(rng_, 3));
        }
    }
    std::string element(const Declared& a) {
        if (a.rank == 1) return fmt::format("{}[{}]", a.name, subscript());
        return fmt::format("{}[{}, {}]", a.name, subscript(), subscript());
    }
    const Declared& array(bool written, const std::string& type) {
        for (;;) {
            const Declared& a = arrays[pick(rng_, std::size(arrays))];
            if ((!written || a.written) && (type.empty() || type == a.type)) return a;
        }
    }
    std::string leaf(const std::string& type) {
        if (type == "f64" && !scalars_.empty() && chance(rng_, 35)) return any(scalars_);
        if (type == "f64" && !tables_.empty() && chance(rng_, 35)) return fmt::format("{}[{}]", any(tables_), subscript());
        return element(array(false, type));
    }
    std::string expression(const std::string& type) {
        if (chance(rng_, 40)) return leaf(type);
        return fmt::format("{} {} {}", leaf(type), chance(rng_, 70) ? "+" : "*", chance(rng_, 70) ? leaf(type) : "2");
    }
    std::string label() { return fmt::format("s{}", next_label_++); }

    std::string plain_statement(const std::string& indent) {
        const Declared& target = array(true, "");
        constexpr const char* updates[] = {"=", "=", "=", "+=", "+=", "max="};
        const bool free = chance(rng_, 40);
        const char* update = updates[pick(rng_, 6)];
        const bool flag = free && std::string(update) == "+=";
        return fmt::format("{}{}{}: {} {} {}\n", indent, label(), flag ? " [reassociate]" : "", element(target), update,
                           expression(target.type));
    }
    /// Uses the temporaries of the block, from these on.
    std::string last_statement(const std::string& indent, std::size_t scalars, std::size_t tables) {
        std::string text = plain_statement(indent);
        if (scalars == scalars_.size() && tables == tables_.size()) return text;
        const Declared& target = array(true, "f64");
        text += fmt::format("{}{}: {} = {}", indent, label(), element(target), leaf("f64"));
        for (std::size_t k = scalars; k < scalars_.size(); ++k) text += " + " + scalars_[k];
        for (std::size_t k = tables; k < tables_.size(); ++k) text += fmt::format(" + {}[{}]", tables_[k], subscript());
        return text + "\n";
    }
    std::string table_statement(const std::string& indent) {
        return fmt::format("{}{}: {}[{}] = {}\n", indent, label(), any(tables_), subscript(), expression("f64"));
    }
    std::string declaration(const std::string& indent) {
        const std::string name = fmt::format("t{}", next_name_++);
        if (chance(rng_, 30)) {
            const std::string value = expression("f64");
            scalars_.push_back(name);
            return fmt::format("{}let {} = {}\n", indent, name, value);
        }
        if (chance(rng_, 60)) {
            const std::string value = expression("f64");
            scalars_.push_back(name);
            return fmt::format("{0}temp {1} : f64\n{0}{2}: {1} = {3}\n", indent, name, label(), value);
        }
        const std::string k = fmt::format("k{}", next_loop_++), value = expression("f64");
        tables_.push_back(name);
        return fmt::format("{0}temp {1} : f64[32]\n{0}for [{2}] : 0 <= {2} < 32 {{ {3}: {1}[{2}] = {4} }}\n", indent, name, k,
                           label(), value);
    }
    std::string conditional(int depth, const std::string& indent) {
        const std::string i = any(loops_);
        const std::string when = chance(rng_, 50)   ? fmt::format("{} mod 2 = {}", i, pick(rng_, 2))
                                 : chance(rng_, 50) ? fmt::format("{} < {}", i, any(loops_))
                                                    : fmt::format("{} >= {}", i, pick(rng_, 3));
        return fmt::format("{0}if {1} {{\n{2}{0}}}\n", indent, when, block(depth, indent + "  "));
    }
    std::string item(int depth, const std::string& indent) {
        const int what = pick(rng_, 100);
        if (what < 25 && depth < 3) return loop(indent);
        if (what < 45) return declaration(indent);
        if (what < 52) return conditional(3, indent);
        if (what < 65 && !tables_.empty()) return table_statement(indent);
        return plain_statement(indent);
    }
    std::string block(int depth, const std::string& indent) {
        const std::size_t scalars = scalars_.size(), tables = tables_.size();
        std::string text;
        for (int k = pick(rng_, 3); k > 0; --k) text += item(depth, indent);
        text += last_statement(indent, scalars, tables);
        scalars_.resize(scalars);
        tables_.resize(tables);
        return text;
    }
    std::string bounds(const std::string& i) {
        const char* size = chance(rng_, 50) ? "n" : "m";
        switch (loops_.empty() ? pick(rng_, 3) : pick(rng_, 6)) {
            case 0:
                return fmt::format("-1 <= {} <= {}", i, size);
            case 1:
                return fmt::format("0 <= {} < 4", i);
            case 3:
                return fmt::format("0 <= {} <= {}", i, any(loops_));
            case 4:
                return fmt::format("{} <= {} < {}", any(loops_), i, size);
            default:
                return fmt::format("0 <= {} < {}", i, size);
        }
    }
    std::string loop(const std::string& indent) {
        const std::string i = chance(rng_, 40) && loops_.empty() ? "i" : fmt::format("l{}", next_loop_++);
        const std::string range = bounds(i);
        std::string text = fmt::format("{}for [{}{}] : {} {{\n", indent, chance(rng_, 8) ? "-" : "", i, range);
        loops_.push_back(i);
        const int depth = static_cast<int>(loops_.size());
        text += depth < 3 && chance(rng_, 50) ? loop(indent + "  ") : block(depth, indent + "  ");
        loops_.pop_back();
        return text + indent + "}\n";
    }
};

}  // namespace

std::string random_affine_kernel(Rng& rng, const std::string& name) { return Generator(rng).kernel(name); }

}  // namespace heddle::random_test
