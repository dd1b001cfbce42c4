#include "ir/depend/time.h"

#include "ir/poly.h"

namespace heddle::depend {

std::vector<Affine> time_of(const StatementModel& s, const std::vector<Affine>& forms) {
    std::vector<Affine> out;
    std::size_t loop = 0;
    for (std::size_t k = 0; k < s.nodes.size(); ++k) {
        if (s.nodes[k]->kind == Node::Kind::Loop) {
            out.push_back(s.nodes[k]->descending ? -forms[loop] : forms[loop]);
            ++loop;
        }
        if (k < s.positions.size()) out.push_back(Affine(static_cast<std::int64_t>(s.positions[k])));
    }
    return out;
}

std::vector<Affine> own_loops(const StatementModel& s) {
    std::vector<Affine> out;
    for (Name loop : s.loop_names()) out.push_back(Affine::symbol(loop));
    return out;
}

isl::map time_map(const std::vector<Name>& loops, Name tuple, const std::vector<Affine>& time, std::size_t depth) {
    std::vector<Name> out;
    Conjunct c;
    for (std::size_t k = 0; k < depth; ++k) {
        out.push_back(Name("#" + std::to_string(k)));
        c.push_back(equal(Affine::symbol(out.back()), k < time.size() ? time[k] : Affine(0)));
    }
    return poly::to_map(Domain{{c}}, loops, tuple, out, {});
}

}  // namespace heddle::depend
