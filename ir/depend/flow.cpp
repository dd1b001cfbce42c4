#include "ir/depend/flow.h"

#include <algorithm>

#include "ir/access/map.h"
#include "ir/depend/time.h"
#include "ir/error.h"
#include "ir/poly.h"

namespace heddle::depend {
namespace {

/// Is everything about the statement's accesses of the array known at every instance?
bool is_known(const StatementModel& s, Name array) {
    if (!s.data.empty() || !s.statement->predicates.empty()) return false;
    return std::all_of(s.accesses.begin(), s.accesses.end(), [&](const AccessModel& a) {
        return a.access.array != array || (a.exact && !a.access.whole && !(a.access.write && a.access.conditional));
    });
}

class Flow {
public:
    Flow(const KernelData& kernel, Name array, const std::vector<Placed>& placed)
        : kernel_(kernel), array_(array), placed_(placed), reads_(empty()), writes_(empty()), then_(empty()), now_(empty()) {
        for (const Placed& p : placed) depth_ = std::max({depth_, 2 * p.old->nodes.size(), 2 * p.now.nodes.size()});
        const auto scopes = scope_loops(kernel);
        if (const auto it = scopes.find(array); it != scopes.end()) scope_ = it->second;
    }

    bool same() {
        for (std::size_t k = 0; k < placed_.size(); ++k) add(placed_[k], Name("#s" + std::to_string(k)));
        if (kernel_.find_array(array_)->is_argument()) add_end();
        return sources(then_).is_equal(sources(now_));
    }

private:
    static isl::union_map empty() { return isl::union_map(poly::context(), "{ }"); }

    void add(const Placed& p, Name tuple) {
        const std::vector<Name> loops = p.old->loop_names();
        const Domain points = intersect(intersect(p.old->domain, p.where), kernel_.assumptions);
        const isl::set domain = poly::to_set(points, loops, tuple);
        for (const AccessModel& a : p.old->accesses) {
            if (a.access.array != array_) continue;
            const isl::map elements = access_map(kernel_, a.access, loops, scope_, tuple).intersect_domain(domain);
            if (a.access.write) writes_ = writes_.unite(elements);
            if (a.access.reads()) reads_ = reads_.unite(elements);
        }
        then_ = then_.unite(time_map(loops, tuple, time_of(*p.old, own_loops(*p.old)), depth_));
        now_ = now_.unite(time_map(loops, tuple, time_of(p.now, p.forms), depth_));
    }
    /// Every element of an argument is read when the kernel ends.
    void add_end() {
        std::vector<Name> dimensions;
        Domain all = Domain::everything();
        for (std::size_t k = 0; k < kernel_.find_array(array_)->shape.size(); ++k)
            dimensions.push_back(Name("@" + std::to_string(k)));
        const Name end("#end");
        std::vector<Name> elements;
        for (std::size_t k = 0; k < dimensions.size(); ++k) {
            elements.push_back(Name("@e" + std::to_string(k)));
            all = intersect(all, domain_of(equal(Affine::symbol(elements[k]), Affine::symbol(dimensions[k]))));
        }
        reads_ = reads_.unite(poly::to_map(all, dimensions, end, elements, array_));
        const std::vector<Affine> last{Affine(static_cast<std::int64_t>(kernel_.root->children.size()) + 1'000'000)};
        then_ = then_.unite(time_map(dimensions, end, last, depth_));
        now_ = now_.unite(time_map(dimensions, end, last, depth_));
    }
    isl::union_map sources(const isl::union_map& order) const {
        return isl::union_access_info(reads_)
            .set_must_source(writes_)
            .set_schedule_map(order)
            .compute_flow()
            .full_must_dependence();
    }

    const KernelData& kernel_;
    Name array_;
    const std::vector<Placed>& placed_;
    std::vector<Name> scope_;
    std::size_t depth_ = 1;
    isl::union_map reads_, writes_, then_, now_;
};

}  // namespace

bool same_flow(const KernelData& kernel, Name array, const std::vector<Placed>& placed) {
    constexpr std::size_t many = 40;
    if (placed.size() > many) return false;
    if (!std::all_of(placed.begin(), placed.end(), [&](const Placed& p) { return is_known(*p.old, array); })) return false;
    const poly::Budget budget("the values of '" + array.str() + "' in two orders", 2'000'000);
    try {
        return poly::guarded("", [&] { return Flow(kernel, array, placed).same(); });
    } catch (const Error& e) {
        if (e.code() == "budget") return false;
        throw;
    }
}

}  // namespace heddle::depend
