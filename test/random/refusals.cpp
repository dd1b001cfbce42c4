#include "test/random/refusals.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "test/random/generate.h"
#include "test/random/provenance.h"
#include "transform/refuse.h"
#include "transform/step.h"

namespace heddle::random_test {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

struct Count {
    int illegal = 0, legal = 0, open = 0;
};
struct Tally {
    std::map<std::string, Count> refused;  ///< by verb and code
    std::map<std::string, int> accepted, others;
    int wrong = 0;
};

/// All sizes that the generated kernels allow, some that differ much first.
std::vector<Sizes> sizes_of(const Kernel& kernel) {
    std::vector<Sizes> out;
    for (int k = 0; k < 9; ++k)
        for (const int n : {5, 2, 6, 1, 9, 4, 3, 7, 8}) {
            const int m = 1 + (4 * n + k) % 9;
            if (contains(kernel.data().assumptions, {{"n", n}, {"m", m}})) out.push_back({{"n", n}, {"m", m}});
        }
    return out;
}

/// Steps that only change which instance runs when: each must see the same instances before it, not only the same values.
bool keeps_statements(const std::string& verb) {
    constexpr const char* verbs[] = {"split",     "tile",     "join", "reorder",    "reverse",   "shift",
                                     "skew",      "affine",   "cut",  "peel",       "rename",    "jam",
                                     "vectorize", "parallel", "fuse", "distribute", "duplicate", "unroll"};
    return std::find(std::begin(verbs), std::end(verbs), verb) != std::end(verbs);
}

/// Does every instance that both have compute the same?
bool same_on_the_way(const Provenance& a, const Provenance& b) {
    return std::all_of(a.instances.begin(), a.instances.end(), [&](const auto& instance) {
        const auto there = b.instances.find(instance.first);
        return there == b.instances.end() || there->second == instance.second;
    });
}

/// What a step changes, or nothing at the first `most` sizes.
std::optional<std::string> change(const Kernel& before, const Kernel& after, std::size_t most, bool instances) {
    std::vector<Sizes> all = sizes_of(after);
    if (all.size() > most) all.resize(most);
    unsigned seed = 1;
    for (const Sizes& sizes : all) {
        const Provenance a = provenance(before, sizes, seed, instances), b = provenance(after, sizes, seed, instances);
        ++seed;
        if (a.fault) continue;
        const std::string at = fmt::format("n = {}, m = {}: ", sizes.at("n"), sizes.at("m"));
        if (b.fault) return at + *b.fault;
        if (a.elements != b.elements) return at + "other values";
        if (!same_on_the_way(a, b)) return at + "other values on the way";
        if (b.race && !a.race) return at + "a race of loop " + *b.race;
    }
    return std::nullopt;
}

class Trial {
public:
    Trial(unsigned seed, Tally& tally) : rng_(seed), seed_(seed), tally_(tally) {
        text_ = seed % 4 == 0 ? random_kernel(rng_, "work") : random_affine_kernel(rng_, "work");
    }

    void run(int steps) {
        Kernel kernel = marked(parse(text_, "random").kernel("work"));
        for (int k = 0; k < steps; ++k) {
            line_ = random_step(rng_, kernel);
            kernel = step(kernel);
        }
    }

private:
    std::string verb() const { return line_.substr(0, line_.find(' ')); }

    Kernel step(const Kernel& kernel) {
        try {
            const Kernel next = heddle::apply(kernel, read_step({line_, {}}));
            accepted(kernel, next);
            script_ += "  " + line_ + "\n";
            return next;
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::User) throw;
            refused(kernel, e);
            return kernel;
        }
    }
    void accepted(const Kernel& kernel, const Kernel& next) {
        if (verb() == "allow" || !is_affine(kernel.data()) || !is_affine(next.data())) return;
        ++tally_.accepted[verb()];
        if (const auto what = change(kernel, next, 3, keeps_statements(verb())))
            report("ILLEGAL BUT ACCEPTED", kernel, "changes at " + *what);
    }
    void refused(const Kernel& kernel, const Error& error) {
        const std::string key = verb() + " " + error.code();
        if (!is_affine(kernel.data())) return;
        const WithoutProofs free;
        try {
            const Kernel next = heddle::apply(kernel, read_step({line_, {}}));
            if (!is_affine(next.data())) return void(++tally_.refused[key].open);
            const bool legal = !change(kernel, next, 81, keeps_statements(verb()));
            ++(legal ? tally_.refused[key].legal : tally_.refused[key].illegal);
            if (legal) report("LEGAL BUT REFUSED (" + key + ")", kernel, error.render());
        } catch (const Error& e) {
            if (e.kind() != ErrorKind::User) throw;
            ++(free.refused().empty() ? tally_.others[key] : tally_.refused[key].open);
        }
    }
    void report(const std::string& title, const Kernel& kernel, const std::string& what) {
        ++tally_.wrong;
        fmt::print("{}, seed {}: {}\n{}\n{}schedule for it {{\n{}}}\n# the kernel before this step:\n{}\n", title, seed_, line_,
                   what, text_, script_, kernel.str());
    }

    Rng rng_;
    unsigned seed_;
    Tally& tally_;
    std::string text_, line_, script_;
};

void print(const Tally& tally) {
    fmt::print("accepted and the same:");
    for (const auto& [verb, count] : tally.accepted) fmt::print(" {} {}", verb, count);
    fmt::print("\nrefused because of meaning:        illegal  legal   open\n");
    for (const auto& [key, c] : tally.refused) fmt::print("  {:32s} {:7d} {:6d} {:6d}\n", key, c.illegal, c.legal, c.open);
    fmt::print("refused for other reasons:\n");
    for (const auto& [key, count] : tally.others) fmt::print("  {:32s} {:7d}\n", key, count);
    fmt::print("{} steps are decided wrongly\n", tally.wrong);
}

}  // namespace

int check_refusals(const RefusalOptions& options) {
    Tally tally;
    for (int k = 0; k < options.count; ++k) Trial(options.seed + static_cast<unsigned>(k), tally).run(options.steps);
    print(tally);
    return tally.wrong;
}

}  // namespace heddle::random_test
