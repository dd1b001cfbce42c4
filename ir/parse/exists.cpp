// `exists` in formulas, by isl's exact projection.
#include "ir/parse/expr.h"
#include "ir/poly.h"

namespace heddle {

Domain project_out(const Domain& d, const std::vector<Name>& gone, const Loc& loc) {
    try {
        return poly::project(d, gone);
    } catch (Error& e) {
        e.locate(loc);
        throw;
    }
}

Expr ExprReader::exists() {
    const Cursor::Nested nested(cursor_);
    const Token& start = cursor_.next();
    const bool closed = cursor_.at("(");
    const Token& open = cursor_.peek();
    if (closed) cursor_.next();
    const NameBlock block(names_);
    std::vector<Name> bound;
    std::vector<Expr> definitions;
    do {
        const Token& t = cursor_.expect_name("a name that exists");
        const Name name = names_.fresh(std::string(t.text));
        names_.declare(Name(t.text), {Symbol::Kind::Loop, name, cursor_.loc(t), 0, true});
        bound.push_back(name);
        if (cursor_.accept("=")) {
            const Restore<bool> no_lists(lists_, false);
            Expr value = binary(9);
            definitions.push_back(make(Op::Eq, DType::Untyped, {variable(name), std::move(value)}, {}, cursor_.loc(t)));
        }
    } while (cursor_.accept(","));
    cursor_.expect(":", "after the names of 'exists'");
    const Restore<bool> lists(lists_, true);
    Expr body = binary(2);
    if (closed) cursor_.expect_close(")", open);
    for (const Expr& d : definitions) body = make(Op::And, DType::Untyped, {body, d}, {}, d.loc());
    exists_.push_back(project_out(domain_or_error(body, "the formula of 'exists'"), bound, cursor_.loc(start)));
    return exists_mark(exists_.size() - 1, cursor_.loc(start));
}

}  // namespace heddle
