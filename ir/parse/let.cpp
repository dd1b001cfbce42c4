// let: named values.
#include <fmt/core.h>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// let s = x[i]*2.0, let s : f32 = …, let (v, i) = argmax[…](…)
void KernelReader::let() {
    cursor_.next();
    if (cursor_.at("("))
        let_tuple();
    else
        let_scalar();
    end_of_statement();
}

/// The parts of a reduction on tuples become variables of those names.
void KernelReader::let_tuple() {
    const Token& open = cursor_.next();
    std::vector<Target> targets;
    do targets.push_back(target(cursor_.expect_name("a name for a part")));
    while (cursor_.accept(","));
    cursor_.expect_close(")", open);
    cursor_.expect("=", "between the names and the reduction");
    if (!exprs_.at_reduction())
        throw cursor_.unexpected("a reduction on tuples")
            .hint("argmin[…](…), argmax[…](…) or an operator of your own; single values: let v = …");
    if (now_.label.empty()) now_.label = names_.label_of(targets[0].name);
    const Name label = now_.label;
    const std::vector<Expr> values = reduce(targets);
    for (std::size_t k = 0; k < targets.size(); ++k)
        if (values[k]) add_let(targets[k], DType::Untyped, values[k], k == 0 ? label : names_.label_of(targets[k].name));
}

/// The name of a value: free here, and found a name in the kernel.
KernelReader::Target KernelReader::target(const Token& name) {
    names_.require_free(Name(name.text), cursor_.loc(name));
    return {name, names_.array_name(Name(name.text))};
}

namespace {

/// Can the token begin a statement or end a block, so that no value goes on?
bool ends_value(const Token& t) {
    if (t.kind == TokenKind::End || t.is("}") || t.is(";")) return true;
    if (!t.new_line) return false;
    if (t.is("{") || t.is("(")) return true;
    return t.is_name() && !t.is_word("and") && !t.is_word("or") && !t.is_word("mod");
}

}  // namespace

/// Is the value at the cursor one reduction and nothing else? Looks ahead over its brackets.
bool KernelReader::whole_reduction() {
    if (!exprs_.at_reduction()) return false;
    std::size_t k = 1;
    for (const auto& [open, close] : {std::pair("[", "]"), std::pair("(", ")")}) {
        if (!cursor_.peek(k).is(open)) return false;
        std::size_t depth = 0;
        do {
            const Token& t = cursor_.peek(k++);
            if (t.kind == TokenKind::End) return false;
            depth += t.is(open) ? 1 : 0;
            depth -= t.is(close) ? 1 : 0;
        } while (depth > 0);
    }
    return ends_value(cursor_.peek(k));
}

void KernelReader::let_scalar() {
    const Target to = target(cursor_.expect_name("a name for the value"));
    if (cursor_.accept(":")) wanted_ = read_type(cursor_);
    const DType declared = wanted_;
    if (declared != DType::Untyped && !cursor_.at("=")) return declare_let(to, declared);
    cursor_.expect("=", "before the value");
    if (now_.label.empty()) now_.label = names_.label_of(to.name);
    const Expr value = whole_reduction() ? reduce({to})[0] : exprs_.value();
    if (value) add_let(to, declared, value, now_.label);  // otherwise the variable of the reduction has the name
}

/// let s : f32 in private, which a statement below writes once.
void KernelReader::declare_let(const Target& to, DType type) {
    Array a;
    a.type = type;
    attributes(a, false);
    if (!now_.label.empty())
        throw cursor_.unexpected("'=' and the value").hint("without a value a 'let' is no statement and has no label");
    let_variable(to, std::move(a));
    pending_lets_.insert(to.name);
}

void KernelReader::let_variable(const Target& to, Array a) {
    a.name = to.name;
    a.role = Role::Temp;
    a.is_let = true;
    a.loc = cursor_.loc(to.token);
    declare_array(Name(to.token.text), std::move(a), true);
    body_->temporaries.push_back(to.name);
}

/// The variable of a `let` and its statement. `type` Untyped: that of the value.
void KernelReader::add_let(const Target& to, DType type, const Expr& value, Name label) {
    const Expr typed = infer(kernel_, value, type);
    Array a;
    a.type = type == DType::Untyped ? typed.type() : type;
    let_variable(to, std::move(a));
    Statement s = now_;
    s.label = label;
    s.values = {typed};
    s.places = {{to.name, {}}};
    emit(std::move(s));
}

}  // namespace heddle
