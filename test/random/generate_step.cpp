#include <fmt/format.h>

#include "ir/tree.h"
#include "test/random/generate.h"

namespace heddle::random_test {
namespace {

struct Names {
    std::vector<std::string> loops;  ///< "i" or "label.i", in tree order
    std::vector<std::string> labels;
    std::vector<std::vector<std::string>> nests;  ///< the loops around each statement
    std::vector<std::string> arrays, temporaries;
};

Names names_of(const KernelData& kernel, Rng& rng) {
    Names out;
    const std::vector<Path> paths = paths_of(kernel);
    for (std::size_t s = 0; s < kernel.statements.size(); ++s) {
        const std::string label = kernel.statements[s]->label.str();
        out.labels.push_back(label);
        std::vector<std::string> nest;
        for (Name loop : paths[s].loop_names()) {
            nest.push_back(loop.str());
            out.loops.push_back(chance(rng, 50) ? loop.str() : label + "." + loop.str());
        }
        if (!nest.empty()) out.nests.push_back(std::move(nest));
    }
    for (const Array& a : kernel.arrays) {
        out.arrays.push_back(a.name.str());
        if (a.role == Role::Temp) out.temporaries.push_back(a.name.str());
    }
    return out;
}

template <class T>
const T& any(Rng& rng, const std::vector<T>& items) {
    return items[static_cast<std::size_t>(pick(rng, static_cast<int>(items.size())))];
}

std::string two_loop_step(Rng& rng, const Names& names) {
    const std::vector<std::string>& nest = any(rng, names.nests);
    const std::string a = any(rng, nest), b = any(rng, nest);
    const int f = 2 + pick(rng, 3), g = 2 + pick(rng, 4);
    switch (pick(rng, 6)) {
        case 0:
            return fmt::format("tile {}, {} by {}, {}", a, b, f, g);
        case 1:
            return fmt::format("reorder {}, {}", a, b);
        case 2:
            return fmt::format("skew {} by {}", a, b);
        case 3:
            return fmt::format("affine ({}, {}) -> ({}, {} + {}*{})", a, b, a, b, f, a);
        case 4:
            return fmt::format("fuse {}, {} into {}", any(rng, names.loops), any(rng, names.loops), a);
        default:
            return fmt::format("reorder {}", fmt::join(nest.rbegin(), nest.rend(), ", "));
    }
}

/// A step on storage or expressions.
std::string storage_step(Rng& rng, const Names& names) {
    const std::string i = any(rng, names.loops), s = any(rng, names.labels), bare = i.substr(i.find('.') + 1);
    const std::string a = any(rng, names.arrays), t = names.temporaries.empty() ? a : any(rng, names.temporaries);
    const std::string at = chance(rng, 70) ? " at " + i : "";
    switch (pick(rng, 17)) {
        case 0:
            return fmt::format("inline {}", t);
        case 1:
            return fmt::format("rule {}", t);
        case 2:
            return fmt::format("precompute {}{}", t, at);
        case 3:
        case 4:
            return fmt::format("stage {}{}", a, at);
        case 5:
        case 6:
            return fmt::format("buffer {}{}", a, at);
        case 7:
            return fmt::format("contract {}", t);
        case 8:
            return fmt::format("expand {} over {}", t, bare);
        case 9:
            return fmt::format("privatise {} at {}", t, i);
        case 10:
            return fmt::format("split_axis {} 0 by {}", t, 2 + pick(rng, 3));
        case 11:
            return fmt::format("transpose {} 1, 0", t);
        case 12:
            return fmt::format("layout {} order 1, 0 pad 0, 3", t);
        case 13:
            return fmt::format("fold {} axis {}", t, pick(rng, 2));
        case 14:
            return fmt::format("fold {} axis {} modulo {}", t, pick(rng, 2), 1 + pick(rng, 3));
        case 15:
            return fmt::format("alias {} {}", t, names.temporaries.empty() ? a : any(rng, names.temporaries));
        default:
            return fmt::format("rfactor {} over {}", s, bare);
    }
}

}  // namespace

std::string random_step(Rng& rng, const Kernel& kernel) {
    const Names names = names_of(kernel.data(), rng);
    if (names.loops.empty()) return "fix n = 5";
    if (chance(rng, 25)) return storage_step(rng, names);
    if (chance(rng, 35)) return two_loop_step(rng, names);
    const std::string i = any(rng, names.loops), s = any(rng, names.labels);
    const int f = 2 + pick(rng, 4);
    switch (pick(rng, 19)) {
        case 0:
            return fmt::format("split {} by {}", i, f);
        case 1:
            return fmt::format("split {} by {} separate", i, f);
        case 2:
            return fmt::format("split {} by {} peeled", i, f);
        case 3:
            return fmt::format("reverse {}", i);
        case 4:
            return fmt::format("shift {} by {}", i, f - 3);
        case 5:
            return fmt::format("unroll {} by {}", i, f);
        case 6:
            return fmt::format("unroll {}", i);
        case 7:
            return fmt::format("jam {} by {}", i, f);
        case 8:
            return fmt::format("vectorize {} by 4", i);
        case 9:
            return fmt::format("parallel {}", i);
        case 10:
            return fmt::format("peel {} {} {}", i, chance(rng, 50) ? "first" : "last", f - 1);
        case 11:
            return fmt::format("cut {} at {}", i, f);
        case 12:
            return fmt::format("distribute {}", i);
        case 13:
            return fmt::format("hoist {} from {}", s, i.substr(i.find('.') + 1));
        case 14:
            return fmt::format("allow reassociate {}", s);
        case 15:
            return fmt::format("fix {} = {}", chance(rng, 50) ? "n" : "m", 1 + pick(rng, 9));
        case 16:
            return fmt::format("rename {} to z", i);
        case 17:
            return fmt::format("expand {} over {}", "v0", i);
        default:
            return fmt::format("join {}, {}", i, any(rng, names.loops));
    }
}

}  // namespace heddle::random_test
