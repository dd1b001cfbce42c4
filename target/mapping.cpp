#include "target/mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/print.h"
#include "ir/tree.h"
#include "target/code.h"

namespace heddle {

Name lane_symbol(int axis) {
    static const std::array<Name, 3> names{Name("lane.x"), Name("lane.y"), Name("lane.z")};
    return names[static_cast<std::size_t>(axis)];
}

Name block_symbol(int axis) {
    static const std::array<Name, 3> names{Name("block.x"), Name("block.y"), Name("block.z")};
    return names[static_cast<std::size_t>(axis)];
}

namespace {

using Kind = LoopTag::Kind;

bool is_block_loop(const Node& n) { return n.kind == Node::Kind::Loop && n.tag.kind == Kind::Block; }

/// How many loops over blocks stand directly inside each other from here on.
int band_of(const Node& n) {
    const bool more = n.children.size() == 1 && n.temporaries.empty() && is_block_loop(*n.children[0]);
    return more ? 1 + band_of(*n.children[0]) : 1;
}

}  // namespace

std::shared_ptr<const KernelData> with_block_bands(const std::shared_ptr<const KernelData>& kernel) {
    auto out = std::make_shared<KernelData>(*kernel);
    out->root = rebuild(kernel->root, [](const NodePtr& n) {
        const bool cpu = n->tag.kind == Kind::Parallel || n->tag.kind == Kind::Vector;
        if (!cpu && !is_block_loop(*n)) return n;
        auto changed = std::make_shared<Node>(*n);
        if (cpu)
            changed->tag = {};
        else
            changed->tag.collapse = band_of(*n);
        return NodePtr(changed);
    });
    return out;
}

namespace {

bool is_mapped(const Code& c, Kind kind) { return c.loop && c.loop->tag.kind == kind && c.kind == Code::Kind::For; }

bool contains(const Code& c, Kind kind) {
    const auto in = [&](const CodePtr& child) { return is_mapped(*child, kind) || contains(*child, kind); };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

/// The values that a loop takes as start + step * number, for numbers from 0 to extent / step; some may lie outside its range.
struct LaneRange {
    Affine start, extent;
};

/// Those ratios of a side that are forms.
std::vector<Affine> forms_of(const Limit& limit, bool smallest) {
    std::vector<Affine> out;
    if (limit.is_single()) {
        for (const Ratio& r : limit.alternatives[0])
            if (r.divisor == 1) out.push_back(r.form);
    } else if (const auto number = number_in_all(limit, smallest)) {
        out.emplace_back(*number);
    }
    return out;
}

/// The smallest constant extent, else the first.
std::optional<LaneRange> lane_range(const Code& loop) {
    std::optional<LaneRange> best;
    for (const Affine& low : forms_of(loop.lower, true))
        for (const Affine& high : forms_of(loop.upper, false)) {
            const Affine extent = high - low;
            const bool better =
                best && extent.is_constant() && (!best->extent.is_constant() || extent.constant < best->extent.constant);
            if (!best || better) best = LaneRange{low, extent};
        }
    return best;
}

/// The smallest bound on a form that is known, if there is one below the limit.
std::optional<std::int64_t> largest_value(const Affine& form, const Known& known, std::int64_t limit) {
    if (form.is_constant()) return form.constant;
    if (!known.proves_nonnegative(Affine(limit) - form)) return std::nullopt;
    std::int64_t low = -1, high = limit;
    while (low + 1 < high) {
        const std::int64_t middle = low + (high - low) / 2;
        (known.proves_nonnegative(Affine(middle) - form) ? high : low) = middle;
    }
    return high;
}

Error map_error(const Code& loop, const std::string& what) {
    return user_error(
        "map", fmt::format("loop '{}' cannot be mapped to {}: {}", loop.variable.str(), mapping_text(loop.loop->tag), what),
        loop.loop->loc);
}

/// Takes the code of a kernel apart.
class Splitter {
public:
    Splitter(const KernelData& kernel, const TargetOptions& options)
        : kernel_(kernel), options_(options), known_(kernel.assumptions) {}

    CodePtr host(const CodePtr& c) {
        if (is_mapped(*c, Kind::Block) || !contains(*c, Kind::Block)) return launch(c);
        if (is_mapped(*c, Kind::Lane)) throw map_error(*c, "a loop over blocks stands inside");
        auto out = std::make_shared<Code>(*c);
        const bool loop = c->kind == Code::Kind::For || c->kind == Code::Kind::Fix;
        const auto mark = enter(*c);
        if (loop) host_loops_.push_back(c->variable);
        for (CodePtr& child : out->body) child = host(child);
        for (CodePtr& child : out->otherwise) child = host(child);
        if (loop) host_loops_.pop_back();
        known_.release(mark);
        return out;
    }

    std::vector<Launch> launches;

private:
    CodePtr launch(const CodePtr& code) {
        Launch out;
        const auto mark = known_.mark();
        out.host_loops = host_loops_;
        out.code = code;
        while (is_mapped(*out.code, Kind::Block)) {
            out.blocks.push_back(blocks(out.code, out.blocks));
            enter(*out.code);
            const bool next = out.code->body.size() == 1 && is_mapped(*out.code->body[0], Kind::Block);
            if (!next) break;
            out.code = out.code->body[0];
        }
        if (!out.blocks.empty()) out.code = body_of(*out.code);
        note_lanes(*out.code, {}, out);
        known_.release(mark);
        const std::int64_t lanes = out.lanes[0] * out.lanes[1] * out.lanes[2];
        if (lanes > options_.lane_limit)
            throw user_error("map",
                             fmt::format("{} x {} x {} lanes of a block are more than the {} that a device has", out.lanes[0],
                                         out.lanes[1], out.lanes[2], options_.lane_limit),
                             kernel_.statements[out.statements[0].statement]->loc)
                .hint("split a loop over lanes, or raise the limit for a device that has more");
        for (Placed& p : out.statements)
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (out.lanes[axis] == 1) p.lanes[axis] = Affine(0);
        out.label = kernel_.statements[out.statements[0].statement]->label.str();
        auto leaf = std::make_shared<Code>();
        leaf->kind = Code::Kind::Launch;
        leaf->statement = launches.size();
        launches.push_back(std::move(out));
        return leaf;
    }

    /// The body of the innermost loop over blocks, with what is declared in it.
    static CodePtr body_of(const Code& loop) {
        auto out = std::make_shared<Code>();
        out->temporaries = loop.temporaries;
        out->body = loop.body;
        return out;
    }

    static Launch::Blocks blocks(const CodePtr& loop, const std::vector<Launch::Blocks>& outer) {
        const int axis = loop->loop->tag.axis;
        if (std::any_of(outer.begin(), outer.end(), [&](const Launch::Blocks& b) { return b.axis == axis; }))
            throw map_error(*loop, "a loop around it has that axis");
        const auto ends = [&](const Limit& limit, bool up) {
            std::vector<Affine> out = forms_of(limit, up);
            if (out.empty() && limit.is_single()) {
                const Ratio& r = limit.alternatives[0][0];
                out.push_back(Affine::floor_div(up ? r.form + Affine(r.divisor - 1) : r.form, r.divisor));
            }
            if (out.empty())
                throw map_error(*loop, "the statements under it have different ranges").hint("distribute it first");
            return out[0];
        };
        return {axis, loop, ends(loop->lower, true), ends(loop->upper, false), loop->step};
    }

    /// Inside a loop, its range is known.
    Known::Mark enter(const Code& c) {
        const auto mark = known_.mark();
        if (c.kind != Code::Kind::For && c.kind != Code::Kind::Fix) return mark;
        known_.enter(c.variable);
        know_range(known_, c);
        return mark;
    }

    void note_lanes(const Code& c, LaneCoordinates at, Launch& out) {
        if (is_mapped(c, Kind::Block)) throw map_error(c, "it does not stand directly inside another loop over blocks");
        const bool lane = c.loop && c.loop->tag.kind == Kind::Lane;
        if (lane) {
            const auto axis = static_cast<std::size_t>(c.loop->tag.axis);
            if (at[axis]) throw map_error(c, "a loop around it has that axis");
            at[axis] = c.kind == Code::Kind::Fix ? Affine(0) : coordinate(c, out.lanes[axis]);
        }
        if (c.kind == Code::Kind::Run) out.statements.push_back({c.statement, at, c.atomic});
        const auto mark = enter(c);
        for (const CodePtr& child : c.body) note_lanes(*child, at, out);
        for (const CodePtr& child : c.otherwise) note_lanes(*child, at, out);
        known_.release(mark);
    }

    Affine coordinate(const Code& c, std::int64_t& lanes) const {
        const auto range = lane_range(c);
        const auto extent = range ? largest_value(range->extent, known_, 4096 * c.step) : std::nullopt;
        if (!extent)
            throw map_error(c, "the number of its iterations is not bounded by a constant")
                .hint(fmt::format("split {} by 128 first, and map the inner loop", c.variable.str()));
        if (*extent >= 0) lanes = std::max(lanes, *extent / c.step + 1);
        return Affine::floor_div(Affine::symbol(c.variable) - range->start, c.step);
    }

    const KernelData& kernel_;
    const TargetOptions& options_;
    std::vector<Name> host_loops_;
    Known known_;
};

}  // namespace

HostCode split_launches(const CodePtr& code, const KernelData& kernel, const TargetOptions& options) {
    Splitter splitter(kernel, options);
    HostCode out;
    if (code->body.empty() && code->kind == Code::Kind::Block) {
        out.code = code;
        return out;
    }
    out.code = splitter.host(code);
    out.launches = std::move(splitter.launches);
    return out;
}

void know_launch(const Launch& launch, Known& known) {
    for (int axis = 0; axis < 3; ++axis) {
        const Affine lane = Affine::symbol(lane_symbol(axis));
        known.enter(lane_symbol(axis));
        known.add(at_least(lane, Affine(0)));
        known.add(less(lane, Affine(launch.lanes[static_cast<std::size_t>(axis)])));
        known.enter(block_symbol(axis));
        known.add(at_least(Affine::symbol(block_symbol(axis)), Affine(0)));
    }
}

namespace {

/// All values from the loop's range, as constraints on its variable.
Domain range_domain(const Code& loop) {
    const auto side = [&](const Limit& limit, bool lower) {
        Domain out = Domain::nothing();
        for (const auto& alternative : limit.alternatives) {
            const Limit one{{alternative}};
            out.pieces.push_back(lower ? enforced_below(loop.variable, one) : enforced_above(loop.variable, one));
        }
        return out;
    };
    return intersect(side(loop.lower, true), side(loop.upper, false));
}

CodePtr fixed(const Code& loop, Affine value, std::vector<CodePtr> body) {
    auto out = std::make_shared<Code>();
    out->kind = Code::Kind::Fix;
    out->variable = loop.variable;
    out->value = std::move(value);
    out->loop = loop.loop;
    out->body = {make_if(range_domain(loop), std::move(body))};
    return out;
}

class Realiser {
public:
    explicit Realiser(const Launch& launch) {
        for (const Placed& p : launch.statements) placed_.emplace(p.statement, &p);
    }

    CodePtr run(const CodePtr& c) {
        if (c->kind == Code::Kind::Run) return guarded(c);
        if (c->loop && c->loop->tag.kind == Kind::Lane) return lane_loop(*c);
        auto out = std::make_shared<Code>(*c);
        out->body = all(c->body);
        out->otherwise = all(c->otherwise);
        return out;
    }

private:
    std::vector<CodePtr> all(const std::vector<CodePtr>& codes) {
        std::vector<CodePtr> out;
        for (const CodePtr& c : codes) append(out, run(c));
        return out;
    }
    CodePtr lane_loop(const Code& c) {
        const auto axis = c.loop->tag.axis;
        inside_[static_cast<std::size_t>(axis)] = true;
        std::vector<CodePtr> body = all(c.body);
        inside_[static_cast<std::size_t>(axis)] = false;
        if (!c.temporaries.empty()) {
            auto scope = std::make_shared<Code>();
            scope->temporaries = c.temporaries;
            scope->body = std::move(body);
            body = {scope};
        }
        const Affine lane = Affine::symbol(lane_symbol(axis));
        if (c.kind == Code::Kind::For) return fixed(c, lane_range(c)->start + c.step * lane, std::move(body));
        auto out = std::make_shared<Code>(c);
        out->temporaries.clear();
        out->body = std::move(body);
        return make_if(domain_of(equal(lane, Affine(0))), {out});
    }
    /// What stands in no loop over lanes of an axis: one lane's, unless all do it for themselves.
    CodePtr guarded(const CodePtr& run) {
        Conjunct first;
        for (int axis = 0; axis < 3; ++axis) {
            const auto& lane = placed_.at(run->statement)->lanes[static_cast<std::size_t>(axis)];
            if (!inside_[static_cast<std::size_t>(axis)] && lane)
                first.push_back(equal(Affine::symbol(lane_symbol(axis)), Affine(0)));
        }
        return first.empty() ? run : make_if(Domain{{first}}, {run});
    }

    std::map<std::size_t, const Placed*> placed_;
    std::array<bool, 3> inside_{};
};

}  // namespace

CodePtr realise_lanes(const Launch& launch, const KernelData& kernel) {
    CodePtr code = Realiser(launch).run(launch.code);
    for (std::size_t k = launch.blocks.size(); k-- > 0;) {
        const Launch::Blocks& b = launch.blocks[k];
        code = fixed(*b.loop, b.start + b.step * Affine::symbol(block_symbol(b.axis)), {code});
    }
    Known known(kernel.assumptions);
    know_launch(launch, known);
    for (const Launch::Blocks& b : launch.blocks)
        known.add(at_least(b.last, b.start + b.step * Affine::symbol(block_symbol(b.axis))));
    return simplify(code, known);
}

}  // namespace heddle
