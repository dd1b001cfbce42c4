// Assignments and updates with their labels, flags and origins.
#include <fmt/core.h>

#include <algorithm>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {
namespace {

bool is_flag(const Token& t) { return t.is_word("reassociate") || t.is_word("atomic"); }

}  // namespace

/// The position behind "[reassociate, atomic]" that starts at `k` tokens from here, or `k` when no flags stand there.
std::size_t KernelReader::flags_end(std::size_t k) const {
    const std::size_t start = k;
    if (!cursor_.peek(k).is("[")) return start;
    do {
        if (!is_flag(cursor_.peek(k + 1))) return start;
        k += 2;
    } while (cursor_.peek(k).is(","));
    return cursor_.peek(k).is("]") ? k + 1 : start;
}

/// "name:", "name [flags]:", "name {origin}:"
bool KernelReader::at_label() const {
    const Token& t = cursor_.peek();
    if (!t.is_name() || (t.kind == TokenKind::Word && is_reserved(t.text))) return false;
    const Token& after = cursor_.peek(flags_end(1));
    return after.is(":") || after.is("{");
}

void KernelReader::flags() {
    if (!cursor_.accept("[")) return;
    do {
        const Token& t = cursor_.next();
        (t.text == "atomic" ? now_.atomic : now_.reassociate) = true;
    } while (cursor_.accept(","));
    cursor_.expect("]", "behind the flags");
}

/// "{i = 32*io + ii, j = jo}": the loops the user wrote, in today's.
void KernelReader::origin() {
    const Token& open = cursor_.next();
    do {
        const Token& t = cursor_.expect_name("a loop's name");
        cursor_.expect("=", "between a loop and what it is today");
        now_.origin.emplace_back(Name(t.text), exprs_.value());
    } while (cursor_.accept(","));
    cursor_.expect_close("}", open);
}

void KernelReader::label() {
    const Token& t = cursor_.expect_name("a label");
    now_.label = Name(t.text);
    names_.label(now_.label, now_.loc);
    flags();
    if (cursor_.at("{")) origin();
    cursor_.expect(":", "behind the label");
}

/// A statement proper: let, call, assignment or update.
void KernelReader::labelled() {
    now_ = Statement{};
    now_.loc = cursor_.here();
    wanted_ = DType::Untyped;
    if (at_label()) label();
    if (cursor_.at_word("let")) return let();
    if (now_.label.empty()) now_.label = names_.next_label();
    if (cursor_.at_word("call")) return call();
    assignment();
}

Place KernelReader::place() {
    const Token& t = cursor_.peek();
    if (!t.is_name()) throw cursor_.unexpected("a statement").hint("statements are for, if, let, temp, call, or place = value");
    cursor_.expect_name("a statement");
    const Name text(t.text);
    const Symbol* s = names_.find(text);
    if (!s && cursor_.at("("))
        throw user_error("syntax", fmt::format("'{}(…)' is no statement", t.text), cursor_.loc(t))
            .hint(fmt::format("another kernel is run by: call {}(…)", t.text));
    if (!s) throw names_.unknown("array", text, cursor_.loc(t));
    if (s->kind != Symbol::Kind::Array)
        throw user_error("name", fmt::format("'{}' is {}: it cannot be written", t.text, kind_text(s->kind)), cursor_.loc(t))
            .note("declared here", s->loc);
    refuse_write(*s, t);
    Place out{s->name, {}};
    if (cursor_.at("[") && !cursor_.peek().new_line) out.subscripts = exprs_.subscripts();
    return out;
}

void KernelReader::refuse_write(const Symbol& s, const Token& t) {
    const Array& a = kernel_.arrays[s.index];
    if (pending_lets_.erase(a.name)) return;
    if (a.role != Role::In && !s.read_only) return;
    const std::string_view why = a.role == Role::Table ? "a table, which is read only"
                                 : !a.view_of.empty()  ? "a view, which is read only"
                                 : a.role == Role::In  ? "an 'in' argument"
                                                       : "a 'let', which is written once";
    Error error = user_error("name", fmt::format("'{}' is {}: it cannot be written", t.text, why), cursor_.loc(t));
    error.note("declared here", s.loc);
    if (!a.view_of.empty()) error.hint(fmt::format("write to '{}' itself", a.view_of.str()));
    if (a.role == Role::In && a.view_of.empty())
        error.hint("declare it 'inout', or 'out' where it is written before it is read");
    if (s.read_only && a.role == Role::Temp && a.view_of.empty()) error.hint("declare a variable: temp x : f64");
    throw error;
}

/// One place, or several in parentheses.
std::vector<Place> KernelReader::places() {
    if (!cursor_.at("(")) return {place()};
    const Token& open = cursor_.next();
    std::vector<Place> out;
    do out.push_back(place());
    while (cursor_.accept(","));
    cursor_.expect_close(")", open);
    return out;
}

/// min= max= and= or= argmin= argmax=, or an operator of the user's and '='.
bool KernelReader::word_update(Statement& s) {
    const Token& t = cursor_.peek();
    if (!t.is_name() || !cursor_.peek(1).is("=")) return false;
    static const std::vector<std::pair<std::string_view, Update>> words{{"min", Update::Min},       {"max", Update::Max},
                                                                        {"and", Update::And},       {"or", Update::Or},
                                                                        {"argmin", Update::ArgMin}, {"argmax", Update::ArgMax}};
    for (const auto& [word, update] : words)
        if (t.is_word(word)) s.update = update;
    if (s.update == Update::Assign) {
        const Symbol* op = names_.find(Name(t.text));
        if (!op || op->kind != Symbol::Kind::Operator) return false;
        s.update = Update::Custom;
        s.op = op->name;
    }
    cursor_.next(), cursor_.next();
    return true;
}

void KernelReader::update_operator(Statement& s) {
    if (cursor_.accept("=") || word_update(s)) return;
    const Token& t = cursor_.peek();
    if (t.is("+=") || t.is("-="))
        s.update = Update::Add;
    else if (t.is("*="))
        s.update = Update::Mul;
    else if (t.is("/="))
        throw cursor_.unexpected("'=' or an update such as '+='").hint("spell it out: x = x / y, or multiply: x *= 1.0 / y");
    else
        cursor_.fail("'=' or an update such as '+=' after the place");
    cursor_.next();
}

namespace {

/// Values in parentheses for several places; a single value otherwise.
bool is_selection(Update u) { return u == Update::ArgMin || u == Update::ArgMax || u == Update::Custom; }

}  // namespace

void KernelReader::assignment() {
    Statement s = now_;
    s.places = places();
    wanted_ = kernel_.find_array(s.places[0].array)->type;
    const bool minus = cursor_.at("-=");
    const Loc operator_loc = cursor_.here();
    update_operator(s);
    if (s.places.size() > 1 && exprs_.at_reduction() && s.update == Update::Assign)
        s.values = reduce({});
    else if (s.places.size() > 1) {
        if (!cursor_.at("(")) cursor_.fail(fmt::format("'(' and {} values", s.places.size()));
        s.values = exprs_.arguments("a value");
    } else {
        s.values = {exprs_.value()};
    }
    if (s.values.size() != s.places.size())
        throw user_error("type", fmt::format("{} places get {} values", s.places.size(), s.values.size()), operator_loc);
    if (s.places.size() > 1 && s.update != Update::Assign && !is_selection(s.update))
        throw user_error("type", fmt::format("'{}' has one place, not {}", symbol_of(s.update), s.places.size()), operator_loc);
    if (minus) s.values[0] = make(Op::Neg, DType::Untyped, {s.values[0]}, {}, operator_loc);
    if (s.update != Update::Assign) spell_out(s);
    emit(std::move(s));
    end_of_statement();
}

/// An update whose right side or subscripts read the array it updates is no reduction: it becomes an assignment.
void KernelReader::spell_out(Statement& s) {
    const auto reads_place = [&](const Expr& e) {
        const std::vector<Name> reads = memory_read(e);
        return std::any_of(s.places.begin(), s.places.end(),
                           [&](const Place& p) { return std::binary_search(reads.begin(), reads.end(), p.array); });
    };
    bool own = std::any_of(s.values.begin(), s.values.end(), reads_place);
    for (const Place& p : s.places) own |= std::any_of(p.subscripts.begin(), p.subscripts.end(), reads_place);
    if (!own) return;
    if (is_selection(s.update))
        throw user_error("type", "the right side of this update reads what it updates", s.loc)
            .hint("read it into a 'let' before, or spell the operation out with '='");
    const Array& a = *kernel_.find_array(s.places[0].array);
    Expr old = heddle::read(a.name, s.places[0].subscripts, a.type, s.loc);
    const bool minus = s.values[0].op() == Op::Neg && s.update == Update::Add;
    s.values[0] = minus ? make(Op::Sub, DType::Untyped, {std::move(old), s.values[0].arg(0)}, {}, s.loc)
                        : make(operation_of(s.update), DType::Untyped, {std::move(old), s.values[0]}, {}, s.loc);
    s.update = Update::Assign;
}

void KernelReader::end_of_statement() {
    const Token& t = cursor_.peek();
    if (cursor_.accept(";") || t.new_line || t.is("}") || cursor_.at_end()) return;
    Error error = cursor_.unexpected("an operator or the end of the line");
    if (t.is_name()) error.hint("statements on one line are divided by ';'");
    throw error;
}

/// Adds a statement at the place being read; gives its index.
std::size_t KernelReader::emit(Statement s) {
    s.domain = domain_;
    s.predicates = predicates_;
    s = infer(kernel_, s);
    check_bounded(s.domain);
    for (const Place& p : s.places) writes_.push_back(p.array);
    auto leaf = std::make_shared<Node>();
    leaf->kind = Node::Kind::Leaf;
    leaf->statement = statements_.size();
    leaf->loc = s.loc;
    leaves_.push_back(leaf);
    body_->children.push_back(std::move(leaf));
    statements_.push_back(std::move(s));
    return statements_.size() - 1;
}

}  // namespace heddle
