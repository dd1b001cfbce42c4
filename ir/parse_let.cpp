// let: named values.
#include <fmt/core.h>

#include "ir/infer.h"
#include "ir/parse_kernel.h"

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
    std::vector<Token> targets;
    do targets.push_back(cursor_.expect_name("a name for a part"));
    while (cursor_.accept(","));
    cursor_.expect_close(")", open);
    cursor_.expect("=", "between the names and the reduction");
    if (!exprs_.at_reduction())
        throw cursor_.unexpected("a reduction on tuples")
            .hint("argmin[…](…), argmax[…](…) or an operator of your own; single values: let v = …");
    for (const Token& t : targets) names_.require_free(Name(t.text), cursor_.loc(t));
    if (now_.label.empty()) now_.label = names_.label_of(Name(targets[0].text));
    const Name label = now_.label;
    const std::vector<Expr> values = reduce(targets);
    for (std::size_t k = 0; k < targets.size(); ++k)
        if (values[k]) add_let(targets[k], DType::Untyped, values[k], k == 0 ? label : names_.label_of(Name(targets[k].text)));
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
    const Token& name = cursor_.expect_name("a name for the value");
    const Name text(name.text);
    names_.require_free(text, cursor_.loc(name));
    if (cursor_.accept(":")) wanted_ = read_type(cursor_);
    const DType declared = wanted_;
    if (declared != DType::Untyped && !cursor_.at("=")) return declare_let(name, declared);
    cursor_.expect("=", "before the value");
    if (now_.label.empty()) now_.label = names_.label_of(text);
    Expr value;
    if (whole_reduction()) {
        value = reduce({name})[0];
        if (!value) return;  // the variable of the reduction has the name
    } else {
        value = exprs_.value();
    }
    add_let(name, declared, value, now_.label);
}

/// let s : f32 in private, which a statement below writes once.
void KernelReader::declare_let(const Token& name, DType type) {
    Array a;
    a.type = type;
    attributes(a, false);
    if (!now_.label.empty())
        throw cursor_.unexpected("'=' and the value").hint("without a value a 'let' is no statement and has no label");
    pending_lets_.insert(let_variable(name, std::move(a)));
}

Name KernelReader::let_variable(const Token& name, Array a) {
    a.role = Role::Temp;
    a.is_let = true;
    a.loc = cursor_.loc(name);
    const Name made = declare_array(Name(name.text), std::move(a), true).name;
    body_->temporaries.push_back(made);
    return made;
}

/// The variable of a `let` and its statement. `type` Untyped: that of the value.
void KernelReader::add_let(const Token& name, DType type, const Expr& value, Name label) {
    const Expr typed = infer(kernel_, value, type);
    Statement s = now_;
    s.label = label;
    s.values = {typed};
    Array a;
    a.type = type == DType::Untyped ? typed.type() : type;
    s.places = {{let_variable(name, std::move(a)), {}}};
    emit(std::move(s));
}

}  // namespace heddle
