// extern fn and operator: at the top of a file or in a kernel.
#include <fmt/core.h>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// extern fn bessel(i32, f64) -> f64
ExternDef read_extern(Cursor& cursor) {
    cursor.expect_word("extern", "to begin an extern function");
    cursor.expect_word("fn", "after 'extern'");
    const Token& name = cursor.expect_name("the function's name");
    ExternDef def{Name(name.text), {}, DType::F64, cursor.loc(name)};
    if (find_builtin(def.name)) throw user_error("name", fmt::format("'{}' is a function of the language", name.text), def.loc);
    const Token& open = cursor.expect("(", "before the types of the arguments");
    while (!cursor.at(")")) {
        if (cursor.peek().is_name() && cursor.peek(1).is(":")) cursor.next(), cursor.next();
        def.arguments.push_back(read_type(cursor));
        if (!cursor.accept(",")) break;
    }
    cursor.expect_close(")", open);
    cursor.expect("->", "before the type of the result");
    def.result = read_type(cursor);
    return def;
}

namespace {

/// "(m1, z1)", or "m1" for an operator on single values.
std::vector<Name> operand(Cursor& cursor, Names& names) {
    std::vector<Name> out;
    const bool tuple = cursor.at("(");
    const Token& open = cursor.peek();
    if (tuple) cursor.next();
    do {
        const Token& t = cursor.expect_name("a name for a part of the operand");
        names.declare(Name(t.text), {Symbol::Kind::Operand, Name(t.text), cursor.loc(t)});
        out.emplace_back(t.text);
    } while (tuple && cursor.accept(","));
    if (tuple) cursor.expect_close(")", open);
    return out;
}

/// "(a, b)" for tuples, "a" for single values.
std::vector<Expr> parts(Cursor& cursor, ExprReader& exprs, std::size_t count, std::string_view what) {
    const Loc loc = cursor.here();
    std::vector<Expr> out;
    if (count == 1)
        out.push_back(exprs.value());
    else if (cursor.at("("))
        out = exprs.arguments("a value");
    else
        cursor.fail(fmt::format("'(' before the {} of the operator", what));
    if (out.size() == count) return out;
    throw user_error("type", fmt::format("the operator joins tuples of {}, but its {} has {}", count, what, out.size()), loc);
}

}  // namespace

/// operator online((m1, z1), (m2, z2)) = (…, …) identity (-inf, 0.0) commutative
OperatorDef read_operator(Cursor& cursor) {
    cursor.expect_word("operator", "to begin an operator");
    const Token& name = cursor.expect_name("the operator's name");
    OperatorDef def;
    def.name = Name(name.text);
    def.loc = cursor.loc(name);
    const KernelData nothing;
    Names names(cursor.tokens(), 0, 0);
    ExprReader exprs(cursor, names, nothing);
    const Token& open = cursor.expect("(", "before the operands");
    def.left = operand(cursor, names);
    cursor.expect(",", "between the operands");
    def.right = operand(cursor, names);
    cursor.expect_close(")", open);
    if (def.left.size() != def.right.size())
        throw user_error("type",
                         fmt::format("the operands of '{}' have {} and {} parts", name.text, def.left.size(), def.right.size()),
                         def.loc);
    cursor.expect("=", "before the result");
    def.results = parts(cursor, exprs, def.left.size(), "result");
    if (!cursor.at_word("identity"))
        throw cursor.unexpected("'identity' behind the result")
            .hint("a reduction over nothing gives the identity: … identity (-inf, 0.0)");
    cursor.next();
    def.identity = parts(cursor, exprs, def.left.size(), "identity");
    if (cursor.at_word("commutative") && !cursor.peek().new_line) cursor.next(), def.commutative = true;
    return def;
}

}  // namespace heddle
