#include "target/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ir/error.h"

namespace heddle {
namespace {

bool is_barrier(const Code& c) { return c.kind == Code::Kind::Barrier; }
/// Lanes do not wait inside.
bool is_closed(const Code& c) { return c.kind == Code::Kind::Run || (c.loop && c.loop->tag.kind == LoopTag::Kind::Lane); }

bool holds(const Code& c, std::size_t statement) {
    if (c.kind == Code::Kind::Run) return c.statement == statement;
    const auto in = [&](const CodePtr& child) { return holds(*child, statement); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

bool has_loop(const Code& c, const Node* loop) {
    const auto in = [&](const CodePtr& child) { return has_loop(*child, loop); };
    return c.loop == loop || std::any_of(c.body.begin(), c.body.end(), in) ||
           std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

/// The list of the code's that has the statement, and the position there.
std::pair<const std::vector<CodePtr>*, std::size_t> find(const Code& c, std::size_t statement) {
    for (const auto* list : {&c.body, &c.otherwise})
        for (std::size_t k = 0; k < list->size(); ++k)
            if (holds(*(*list)[k], statement)) return {list, k};
    return {nullptr, 0};
}

/// Does every way from the statement to the end of the code pass a barrier (or, `entering`, from the start to the statement)?
bool waits(const Code& c, std::size_t statement, bool entering) {
    if (is_closed(c)) return false;
    const auto [list, at] = find(c, statement);
    if (!list) return false;
    const auto middle = list->begin() + static_cast<std::ptrdiff_t>(at);
    const auto barrier = [](const CodePtr& child) { return is_barrier(*child); };
    const bool found = entering ? std::any_of(list->begin(), middle, barrier) : std::any_of(middle, list->end(), barrier);
    return found || waits(**middle, statement, entering);
}

class Inserter {
public:
    Inserter(const std::vector<Crossing>& crossings, const KernelData& kernel) : crossings_(crossings), kernel_(kernel) {}

    std::vector<Crossing> reasons;

    CodePtr run(const CodePtr& c) {
        if (is_closed(*c)) return c;
        auto out = std::make_shared<Code>(*c);
        const Node* loop = c->kind == Code::Kind::For ? c->loop : nullptr;
        out->body = list(c->body, loop);
        out->otherwise = list(c->otherwise, nullptr);
        return out;
    }

private:
    /// A crossing between two pieces of a list: the gaps before pieces from + 1 … to.
    struct Gap {
        std::size_t from, to;
        const Crossing* why;
    };

    static CodePtr barrier() {
        auto out = std::make_shared<Code>();
        out->kind = Code::Kind::Barrier;
        return out;
    }

    std::vector<CodePtr> list(const std::vector<CodePtr>& codes, const Node* loop) {
        std::vector<CodePtr> pieces;
        for (const CodePtr& c : codes) pieces.push_back(run(c));
        std::vector<Gap> within, around;
        for (const Crossing& c : crossings_) {
            const std::size_t a = position(pieces, c.source), b = position(pieces, c.sink);
            if (a == pieces.size() || b == pieces.size()) continue;
            if (a == b && is_closed(*pieces[a]) && (!c.carrier || has_loop(*pieces[a], c.carrier))) refuse(c, *pieces[a]);
            if (waits(*pieces[a], c.source, false) || waits(*pieces[b], c.sink, true)) continue;
            if (!c.carrier && a < b) within.push_back({a, b, &c});
            if (c.carrier && c.carrier == loop) around.push_back({a, b, &c});
        }
        const std::set<std::size_t> chosen = choose(within);
        const auto at_end = std::find_if(around.begin(), around.end(), [&](const Gap& g) {
            return std::none_of(chosen.begin(), chosen.end(), [&](std::size_t k) { return k > g.from || k <= g.to; });
        });
        std::vector<CodePtr> out;
        for (std::size_t k = 0; k < pieces.size(); ++k) {
            if (chosen.count(k)) out.push_back(barrier());
            out.push_back(pieces[k]);
        }
        if (at_end != around.end()) {
            reasons.push_back(*at_end->why);
            out.push_back(barrier());
        }
        return out;
    }

    [[noreturn]] void refuse(const Crossing& c, const Code& loop) const {
        const Statement &p = *kernel_.statements[c.source], &q = *kernel_.statements[c.sink];
        const std::string variable = loop.kind == Code::Kind::Run ? std::string() : loop.variable.str();
        throw user_error(
            "barrier",
            fmt::format("lanes have to wait between '{}' and '{}', which meet at '{}', inside the loop '{}' over lanes",
                        p.label.str(), q.label.str(), c.array.str(), variable),
            q.loc)
            .hint(fmt::format("distribute {} first: each statement gets its own loop over lanes, and a barrier stands between",
                              variable));
    }

    static std::size_t position(const std::vector<CodePtr>& pieces, std::size_t statement) {
        return static_cast<std::size_t>(
            std::find_if(pieces.begin(), pieces.end(), [&](const CodePtr& c) { return holds(*c, statement); }) -
            pieces.begin());
    }

    std::set<std::size_t> choose(std::vector<Gap> gaps) {
        std::sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) { return a.to < b.to; });
        std::set<std::size_t> out;
        for (const Gap& g : gaps)
            if (out.empty() || *out.rbegin() <= g.from) {
                out.insert(g.to);
                reasons.push_back(*g.why);
            }
        return out;
    }

    const std::vector<Crossing>& crossings_;
    const KernelData& kernel_;
};

}  // namespace

Synchronised insert_barriers(const CodePtr& code, const std::vector<Crossing>& crossings, const KernelData& kernel) {
    Inserter inserter(crossings, kernel);
    CodePtr out = inserter.run(code);
    return {std::move(out), std::move(inserter.reasons)};
}

}  // namespace heddle
