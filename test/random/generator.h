// The writer of random kernels: text with the names that are visible where it is.
#pragma once

#include <string>
#include <vector>

#include "test/random/generate.h"

namespace heddle::random_test {

/// Arrays of every generated kernel: name, type, rank. All extents are 96; `g` holds numbers in 0..95.
struct Declared {
    const char* name;
    const char* type;
    int rank;
    bool written;
};

class Generator {
public:
    explicit Generator(Rng& rng) : rng_(rng), reassociates_(chance(rng, 15)) {}
    std::string kernel(const std::string& name);

private:
    const std::string& any_of(const std::vector<std::string>& names) {
        return names[static_cast<std::size_t>(pick(rng_, static_cast<int>(names.size())))];
    }
    std::string fresh(const char* stem) { return std::string(stem) + std::to_string(next_name_++); }
    std::string label() {
        return "s" + std::to_string(next_label_++) + (reassociates_ && chance(rng_, 30) ? " [reassociate]: " : ": ");
    }
    const Declared& array(bool written, const char* type);

    std::string index();
    std::string subscript();
    std::string element(const Declared& a);
    std::string leaf(const std::string& type);
    std::string special(const std::string& type);
    std::string expression(const std::string& type, int depth);
    std::string condition();
    std::string data_condition();

    std::string item(int depth, const std::string& indent);
    std::string block(int depth, const std::string& indent, int least);
    std::string loop(int depth, const std::string& indent);
    std::string bounds(const std::string& i);
    std::string plain_statement(const std::string& indent);
    std::string scalar_update(const std::string& indent);
    std::string tuple_statement(const std::string& indent);
    std::string let_statement(const std::string& indent);
    std::string data_loop(const std::string& indent);
    std::string reduction_statement(const std::string& indent);
    std::string reduction_range(const std::string& j);
    std::string selection(const std::string& indent);
    std::string operator_statement(const std::string& indent);
    std::string temporary_block(const std::string& indent);
    std::string scratch_use(const std::string& indent);
    std::string rule(const std::string& indent);
    std::string call(const std::string& indent);
    std::string conditional(int depth, const std::string& indent);

    Rng& rng_;
    bool reassociates_;
    std::vector<std::string> loops_;  ///< loops and integer lets in scope: from -20 to 14
    std::vector<std::string> lets_;   ///< f64 scalars in scope
    std::string scratch_;             ///< a temporary at the top, where there is one
    std::vector<std::string> rules_;  ///< of one parameter, f64
    int next_name_ = 0, next_label_ = 0;
};

}  // namespace heddle::random_test
