// The head of a kernel: parameters, arguments, their types and layouts, `where`.
#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {
namespace {

std::optional<Role> role_of(const Token& t) {
    if (t.is_word("in")) return Role::In;
    if (t.is_word("out")) return Role::Out;
    return t.is_word("inout") ? std::optional(Role::InOut) : std::nullopt;
}

}  // namespace

DType read_type(Cursor& cursor) {
    const Token& t = cursor.peek();
    const auto type = t.kind == TokenKind::Word ? dtype_from(t.text) : std::nullopt;
    if (type) return cursor.next(), *type;
    Error error = cursor.unexpected("a type");
    const std::string near = near_matches(
        t.text, {"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool", "c64", "c128", "index"});
    throw error.hint(near.empty() ? "types are f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool c64 c128" : near);
}

void KernelReader::head() {
    kernel_.loc = cursor_.here();
    cursor_.expect_word("kernel", "to begin a kernel");
    kernel_.name = Name(cursor_.expect_name("the kernel's name").text);
    parameter_list();
    if (cursor_.accept_word("where")) where();
}

/// "(n, m : index; alpha : f64; A : in f64[n, m])": groups are divided by ';' or ','.
void KernelReader::parameter_list() {
    const Token& open = cursor_.expect("(", "before the kernel's parameters");
    while (!cursor_.at(")")) {
        parameter_group();
        if (!cursor_.accept(";") && !cursor_.accept(",")) break;
    }
    cursor_.expect_close(")", open);
}

void KernelReader::parameter_group() {
    std::vector<Token> names;
    do names.push_back(cursor_.expect_name("a parameter's name"));
    while (cursor_.accept(","));
    cursor_.expect(":", "between the names of parameters and their type");
    if (cursor_.accept_word("index")) {
        for (const Token& name : names) index_parameter(name);
        return;
    }
    const Array like = array_type(true);
    for (const Token& name : names) argument(name, like);
}

void KernelReader::index_parameter(const Token& name) {
    const Name text(name.text);
    names_.declare(text, {Symbol::Kind::Parameter, text, cursor_.loc(name)});
    kernel_.parameters.push_back({text, cursor_.loc(name)});
    kernel_.argument_order.push_back(text);
}

void KernelReader::argument(const Token& name, Array like) {
    like.loc = cursor_.loc(name);
    declare_array(Name(name.text), std::move(like));
    kernel_.argument_order.push_back(kernel_.arrays.back().name);
}

void KernelReader::where() {
    const Expr formula = exprs_.condition();
    kernel_.assumptions = exprs_.domain_or_error(formula, "'where'");
}

/// "in f64[n, m] layout(1, 0) may alias": what stands behind the ':' of an argument, temporary or table.
Array KernelReader::array_type(bool argument) {
    Array a;
    a.role = argument ? Role::In : Role::Temp;
    if (argument)
        if (const auto role = role_of(cursor_.peek())) a.role = *role, cursor_.next();
    a.type = read_type(cursor_);
    const Loc loc = cursor_.here();
    if (cursor_.at("[") && !cursor_.peek().new_line) a.shape = shape();
    attributes(a, argument);
    check_layout(a, loc);
    return a;
}

/// Shape entries are integers made of index parameters.
std::vector<Expr> KernelReader::shape() {
    std::vector<Expr> out;
    for (const Expr& e : exprs_.subscripts()) {
        visit(e, [&](const Expr& node) {
            const bool data = node.op() == Op::Read || node.op() == Op::Call || node.op() == Op::Rule;
            if (data && node.name() != Name("floor") && node.name() != Name("ceil"))
                throw user_error("type", fmt::format("a shape uses only index parameters, but '{}' is none", node.name().str()),
                                 node.loc());
            if (node.op() == Op::Var && !kernel_.is_parameter(node.name()))
                throw user_error("type",
                                 fmt::format("a shape uses only index parameters, but '{}' is a loop", node.name().str()),
                                 node.loc())
                    .hint("declare the temporary outside the loop, or with the loop's largest extent");
        });
        out.push_back(infer_size(kernel_, e));
    }
    return out;
}

void KernelReader::attributes(Array& a, bool argument) {
    while (argument || !cursor_.peek().new_line) {
        if (layout_attribute(a)) continue;
        const Token& t = cursor_.peek();
        if (t.is_word("in")) {
            cursor_.next();
            address_space(a);
        } else if (argument && t.is_word("may")) {
            cursor_.next();
            cursor_.expect_word("alias", "after 'may'");
            a.may_alias = true;
        } else {
            return;
        }
    }
}

void KernelReader::address_space(Array& a) {
    const Token& t = cursor_.peek();
    const auto space = space_from(t.text);
    if (!space) {
        const std::string near = near_matches(t.text, {"private", "shared", "global", "heap"});
        throw cursor_.unexpected("an address space").hint(near.empty() ? "spaces are private, shared, global and heap" : near);
    }
    cursor_.next();
    a.space = *space;
}

/// layout(1, 0), pad(0, 8), strides(1, n), separate(1). False when none stands here.
bool KernelReader::layout_attribute(Array& a) {
    const Token& t = cursor_.peek();
    if (t.kind != TokenKind::Word || !cursor_.peek(1).is("(")) return false;
    if (t.text == "layout") {
        cursor_.next();
        for (const std::int64_t axis : integers()) a.layout.order.push_back(static_cast<int>(axis));
    } else if (t.text == "pad") {
        cursor_.next();
        a.layout.padding = integers();
    } else if (t.text == "separate") {
        cursor_.next();
        const auto axis = integers();
        if (axis.size() != 1) throw user_error("type", "separate(axis) takes one axis", cursor_.loc(t));
        a.layout.separate_axis = static_cast<int>(axis[0]);
    } else if (t.text == "strides") {
        cursor_.next();
        for (const Expr& e : exprs_.arguments("a stride")) a.layout.strides.push_back(infer_size(kernel_, e));
    } else {
        return false;
    }
    return true;
}

/// "(1, 0)": small integers, none negative.
std::vector<std::int64_t> KernelReader::integers() {
    const Token& open = cursor_.expect("(", "before the numbers");
    std::vector<std::int64_t> out;
    do {
        const Token& t = cursor_.peek();
        if (t.kind != TokenKind::Integer) cursor_.fail("an integer");
        const std::uint64_t value = integer_value(cursor_, t);
        if (value > std::numeric_limits<std::int32_t>::max())
            throw user_error("limit", fmt::format("{} is too large here", value), cursor_.here());
        out.push_back(static_cast<std::int64_t>(value));
        cursor_.next();
    } while (cursor_.accept(","));
    cursor_.expect_close(")", open);
    return out;
}

void KernelReader::check_layout(const Array& a, const Loc& loc) const {
    const std::size_t rank = a.shape.size();
    const auto refuse = [&](const std::string& why) { throw user_error("layout", why, loc); };
    const auto check_count = [&](std::string_view what, std::size_t count) {
        if (count != 0 && count != rank) refuse(fmt::format("{} has {} entries, but the array has {} axes", what, count, rank));
    };
    check_count("layout", a.layout.order.size());
    check_count("pad", a.layout.padding.size());
    check_count("strides", a.layout.strides.size());
    std::vector<int> sorted = a.layout.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t k = 0; k < sorted.size(); ++k)
        if (sorted[k] != static_cast<int>(k))
            refuse("layout names every axis once: 0, 1, … in the order from slowest to fastest");
    const bool others = !a.layout.order.empty() || !a.layout.padding.empty() || a.layout.separate_axis >= 0;
    if (!a.layout.strides.empty() && others)
        refuse("strides say everything: 'layout', 'pad' and 'separate' cannot stand beside them");
    if (a.layout.separate_axis >= static_cast<int>(rank))
        refuse(fmt::format("separate({}) names no axis of an array with {}", a.layout.separate_axis, rank));
}

}  // namespace heddle
