// Blocks, loops and conditions.
#include <fmt/core.h>

#include <algorithm>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// "{ … }": statements up to the closing brace, in a block of names of their own.
void KernelReader::block() {
    const Cursor::Nested nested(cursor_);
    const NameBlock names(names_);
    const Token& open = cursor_.expect("{", "to begin a block");
    while (!cursor_.at("}")) {
        const bool next_item = cursor_.at_word("kernel") || cursor_.at_word("schedule");
        if (cursor_.at_end() || (next_item && cursor_.peek(1).is_name())) cursor_.expect_close("}", open);
        statement();
    }
    cursor_.next();
}

void KernelReader::statement() {
    const Token& t = cursor_.peek();
    if (t.is_word("for")) return loop();
    if (t.is_word("if")) return conditional();
    if (t.is("{")) return nested_block();
    if (t.is(";")) return void(cursor_.next());
    if (t.is_word("else")) throw cursor_.unexpected("a statement").hint("'else' follows the '}' of an 'if'");
    if (declaration()) return;
    labelled();
}

/// A block of its own: its temporaries end with it.
void KernelReader::nested_block() {
    Body body;
    const Loc loc = cursor_.here();
    {
        const Restore<Body*> inner(body_, &body);
        block();
    }
    if (body.children.empty()) return;
    auto node = std::make_shared<Node>();
    node->children = std::move(body.children);
    node->temporaries = std::move(body.temporaries);
    node->loc = loc;
    body_->children.push_back(std::move(node));
}

/// "[i, -j]"; a '-' runs the loop downwards.
std::vector<KernelReader::LoopName> KernelReader::loop_names(bool descending) {
    std::vector<LoopName> out;
    do {
        const bool down = descending && cursor_.accept("-");
        const Token& t = cursor_.expect_name("a loop's name");
        out.push_back({Name(t.text), down, cursor_.loc(t)});
    } while (cursor_.accept(","));
    return out;
}

void KernelReader::declare_loops(std::vector<LoopName>& loops) {
    for (const LoopName& l : loops) names_.declare(l.name, {Symbol::Kind::Loop, l.name, l.loc});
}

void KernelReader::narrow(const Domain& d) {
    domain_ = intersect(domain_, d);
    tidy_pieces(domain_);
}

namespace {

Error unbounded(const Unbounded& u, const Loc& loc) {
    const std::string name = u.loop.str();
    return user_error("unbounded",
                      fmt::format("loop '{}' has no {} bound: it would never end", name, u.below ? "lower" : "upper"), loc)
        .hint(u.below ? fmt::format("add a bound such as '0 <= {}'", name) : fmt::format("add a bound such as '{} < n'", name));
}

}  // namespace

/// The loops begin here with this formula: narrows the domain, notes loops that the formula leaves unbounded.
void KernelReader::enter_loops(const std::vector<LoopName>& loops, const Domain& d) {
    std::vector<Name> names;
    for (const LoopName& l : loops) names.push_back(l.name);
    loops_.insert(loops_.end(), names.begin(), names.end());
    narrow(d);
    const auto found = find_unbounded(d, names);
    if (!found) return;
    const auto at = std::find_if(loops.begin(), loops.end(), [&](const LoopName& l) { return l.name == found->loop; });
    suspects_.push_back({*found, at->loc});
}

void KernelReader::leave_loops(std::size_t count, std::size_t first_statement) {
    loops_.resize(loops_.size() - count);
    while (!suspects_.empty()) {
        const Suspect& s = suspects_.back();
        if (std::find(loops_.begin(), loops_.end(), s.what.loop) != loops_.end()) return;
        if (statements_.size() == first_statement) throw unbounded(s.what, s.loc);
        suspects_.pop_back();
    }
}

/// A statement inside suspect loops must bound them itself.
void KernelReader::check_bounded(const Domain& d) const {
    if (suspects_.empty()) return;
    const auto found = find_unbounded(d, loops_);
    if (!found) return;
    for (const Suspect& s : suspects_)
        if (s.what.loop == found->loop) throw unbounded(*found, s.loc);
    throw unbounded(*found, suspects_.front().loc);
}

/// ": 0 <= i < n"; without one the statements below have to bound the loop.
Domain KernelReader::loop_formula() {
    if (cursor_.at("{")) return Domain::everything();
    cursor_.expect(":", "and the loop's formula, or a tag");
    return exprs_.domain_or_error(exprs_.condition(), "the loop's formula");
}

/// for [i, -j] parallel : 0 <= i < n and … { … }
void KernelReader::loop() {
    cursor_.next();
    const Token& open = cursor_.expect("[", "before the loop names");
    std::vector<LoopName> loops = loop_names(true);
    cursor_.expect_close("]", open);
    bool separate = false;
    const LoopTag tag = tags(separate);
    if (loops.size() > 1 && (tag.kind == LoopTag::Kind::Vector || tag.kind == LoopTag::Kind::Unroll || tag.is_mapped() || separate))
        throw user_error("syntax", "this tag belongs to one loop", loops[0].loc).hint("give the loop a 'for' of its own");
    const NameBlock block_names(names_);
    declare_loops(loops);
    const Domain d = loop_formula();
    const Restore<Domain> outer(domain_);
    const std::size_t first = statements_.size();
    enter_loops(loops, d);
    Body body;
    {
        const Restore<Body*> inner(body_, &body);
        block();
    }
    leave_loops(loops.size(), first);
    add_loops(loops, std::move(body), tag, separate);
}

/// Wraps a body into its loops and appends it; an empty one is dropped with its temporaries.
void KernelReader::add_loops(const std::vector<LoopName>& loops, Body body, const LoopTag& tag, bool separate) {
    if (body.children.empty()) return;
    NodePtr node;
    for (std::size_t k = loops.size(); k-- > 0;) {
        auto made = std::make_shared<Node>();
        made->kind = Node::Kind::Loop;
        made->loop = loops[k].name;
        made->descending = loops[k].descending;
        made->loc = loops[k].loc;
        if (node)
            made->children.push_back(std::move(node));
        else
            made->children = std::move(body.children), made->temporaries = std::move(body.temporaries);
        if (k == 0) made->tag = tag, made->separate = separate;
        node = std::move(made);
    }
    body_->children.push_back(std::move(node));
}

/// Tags between the names of a loop and its ':'. Errors: two kinds of one loop.
LoopTag KernelReader::tags(bool& separate) {
    LoopTag tag;
    while (cursor_.peek().kind == TokenKind::Word) {
        const Token& t = cursor_.peek();
        if (t.text == "separate") {
            cursor_.next();
            separate = true;
            continue;
        }
        const auto kind = t.text == "parallel" ? LoopTag::Kind::Parallel
                          : t.text == "vector" ? LoopTag::Kind::Vector
                          : t.text == "unroll" ? LoopTag::Kind::Unroll
                          : t.text == "block"  ? LoopTag::Kind::Block
                          : t.text == "lane"   ? LoopTag::Kind::Lane
                                               : LoopTag::Kind::Sequential;
        if (kind == LoopTag::Kind::Sequential) {
            const std::string near = near_matches(t.text, {"parallel", "vector", "unroll", "block", "lane", "separate"});
            throw cursor_.unexpected("':' or a tag")
                .hint(near.empty() ? "tags are parallel, vector, unroll, block.x, lane.x and separate" : near);
        }
        if (tag.kind != LoopTag::Kind::Sequential)
            throw user_error("syntax", "a loop is tagged twice", cursor_.here()).hint("a loop runs in one way: leave one tag");
        tag.kind = kind;
        cursor_.next();
        if (kind == LoopTag::Kind::Parallel) parallel_tag(tag);
        if (tag.is_mapped()) tag.axis = tag_axis();
    }
    return tag;
}

/// ".x": an axis of the grid, or of the lanes of a block.
int KernelReader::tag_axis() {
    if (cursor_.accept(".") && cursor_.peek().kind == TokenKind::Word) {
        const std::size_t axis = std::string_view("xyz").find(cursor_.peek().text);
        if (cursor_.peek().text.size() == 1 && axis != std::string_view::npos) return cursor_.next(), static_cast<int>(axis);
    }
    throw cursor_.unexpected("an axis").hint("block.x, block.y, block.z; lane.x, lane.y, lane.z");
}

/// schedule(dynamic, 4) collapse(2) if(1000)
void KernelReader::parallel_tag(LoopTag& tag) {
    while (cursor_.peek().kind == TokenKind::Word && cursor_.peek(1).is("(")) {
        const Token& t = cursor_.next();
        const Token& open = cursor_.next();
        if (t.text == "schedule") {
            const Token& kind = cursor_.peek();
            if (!kind.is_word("dynamic") && !kind.is_word("static")) cursor_.fail("'static' or 'dynamic'");
            cursor_.next();
            tag.dynamic = kind.text == "dynamic";
            if (cursor_.accept(",")) tag.chunk = tag_number("the chunk", 1);
        } else if (t.text == "collapse") {
            tag.collapse = static_cast<int>(std::min<std::int64_t>(tag_number("collapse", 1), deepest_nesting));
        } else if (t.text == "if") {
            tag.threshold = tag_number("the threshold", 0);
        } else {
            throw user_error("syntax", fmt::format("expected ':' or schedule(…), collapse(…), if(…), found '{}'", t.text),
                             cursor_.loc(t));
        }
        cursor_.expect_close(")", open);
    }
}

std::int64_t KernelReader::tag_number(std::string_view what, std::int64_t least) {
    const Token& t = cursor_.peek();
    if (t.kind != TokenKind::Integer) cursor_.fail(fmt::format("an integer for {}", what));
    const std::uint64_t value = integer_value(cursor_, t);
    if (value > INT64_MAX || static_cast<std::int64_t>(value) < least)
        throw user_error("syntax", fmt::format("{} must be at least {} and fit 63 bits, not {}", what, least, t.text),
                         cursor_.here());
    cursor_.next();
    return static_cast<std::int64_t>(value);
}

}  // namespace heddle
