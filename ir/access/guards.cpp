#include "ir/access/guards.h"

#include "ir/access.h"

namespace heddle {

std::size_t Guards::narrowed(std::size_t outer, const Expr& condition, bool negated) {
    Guard g = guards_[outer];
    const auto d = domain_of(condition);
    if (d && d->pieces.size() <= 4)
        g.when = intersect(g.when, negated ? complement(*d) : *d);
    else
        g.conditional = true;
    for (std::size_t k = 0; k < guards_.size(); ++k)
        if (guards_[k].conditional == g.conditional && guards_[k].when == g.when) return k;
    guards_.push_back(std::move(g));
    return guards_.size() - 1;
}

}  // namespace heddle
