#include "target/program.h"

#include <tuple>

namespace heddle {

bool operator==(const Ratio& a, const Ratio& b) { return a.divisor == b.divisor && a.form == b.form; }
bool operator<(const Ratio& a, const Ratio& b) { return std::tie(a.divisor, a.form) < std::tie(b.divisor, b.form); }

std::optional<std::int64_t> Limit::constant() const {
    if (!is_single() || alternatives[0].size() != 1) return std::nullopt;
    const Ratio& r = alternatives[0][0];
    if (r.divisor != 1 || !r.form.is_constant()) return std::nullopt;
    return r.form.constant;
}

Conjunct enforced_below(Name variable, const Limit& lower) {
    Conjunct out;
    if (lower.is_single())
        for (const Ratio& r : lower.alternatives[0]) out.push_back(at_least(Affine::symbol(variable, r.divisor), r.form));
    return out;
}

Conjunct enforced_above(Name variable, const Limit& upper) {
    Conjunct out;
    if (upper.is_single())
        for (const Ratio& r : upper.alternatives[0]) out.push_back(at_least(r.form, Affine::symbol(variable, r.divisor)));
    return out;
}

}  // namespace heddle
