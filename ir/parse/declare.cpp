// Declarations in a kernel's body: temp, const, view, def, extern, operator, assert.
#include <fmt/core.h>

#include <algorithm>

#include "ir/check/names.h"
#include "ir/infer.h"
#include "ir/parse/kernel.h"

namespace heddle {

/// Adds an array to the kernel and makes its name visible. `array.name` is what the kernel calls it; when it is empty, a name
/// is found.
const Symbol& KernelReader::declare_array(Name text, Array array, bool read_only) {
    names_.require_free(text, array.loc);
    if (array.name.empty()) array.name = names_.array_name(text);
    names_.declare(text, {Symbol::Kind::Array, array.name, array.loc, kernel_.arrays.size(), read_only});
    kernel_.arrays.push_back(std::move(array));
    return *names_.find(text);
}

/// Reads a declaration if one stands here.
bool KernelReader::declaration() {
    const Token& t = cursor_.peek();
    if (t.is_word("temp")) return temporary(), true;
    if (t.is_word("const")) return constant(), true;
    if (t.is_word("view")) return view(), true;
    if (t.is_word("def")) return rule(), true;
    if (t.is_word("assert")) return assertion(), true;
    if (t.is_word("extern")) return external(), true;
    if (t.is_word("operator")) return user_operator(), true;
    return false;
}

/// temp t, u : f64[n, 3] in heap
void KernelReader::temporary() {
    cursor_.next();
    std::vector<Token> names;
    do names.push_back(cursor_.expect_name("a temporary's name"));
    while (cursor_.accept(","));
    cursor_.expect(":", "between the name and the type");
    const Array like = array_type(false);
    for (const Token& name : names) {
        Array a = like;
        a.loc = cursor_.loc(name);
        body_->temporaries.push_back(declare_array(Name(name.text), std::move(a)).name);
    }
    end_of_statement();
}

/// const w : f64[2, 2] = {{1.0, 0.5}, {0.5, 0.25}}
void KernelReader::constant() {
    cursor_.next();
    const Token& name = cursor_.expect_name("a table's name");
    cursor_.expect(":", "between the name and the type");
    const Loc loc = cursor_.here();
    Array a = array_type(false);
    a.role = Role::Table;
    a.loc = cursor_.loc(name);
    std::vector<std::int64_t> extents;
    for (const Expr& e : a.shape) {
        const auto extent = affine_of(e);
        if (!extent || !extent->is_constant() || extent->constant < 0)
            throw user_error("type", fmt::format("the shape of the table '{}' must be constant", name.text), loc);
        extents.push_back(extent->constant);
    }
    cursor_.expect("=", "before the values of the table");
    a.table = std::make_shared<const TableData>(read_table(cursor_, a.type, extents));
    declare_array(Name(name.text), std::move(a), true);
    end_of_statement();
}

/// view B : f64[l, 2, m] = A
void KernelReader::view() {
    cursor_.next();
    const Token& name = cursor_.expect_name("a view's name");
    cursor_.expect(":", "between the name and the type");
    Array a = array_type(false);
    a.loc = cursor_.loc(name);
    cursor_.expect("=", "before the array that is viewed");
    const Token& of = cursor_.expect_name("the array that is viewed");
    const Symbol* base = names_.find(Name(of.text));
    if (!base) throw names_.unknown("array", Name(of.text), cursor_.loc(of));
    if (base->kind != Symbol::Kind::Array)
        throw user_error("name", fmt::format("'{}' is {}, no array", of.text, kind_text(base->kind)), cursor_.loc(of))
            .note("declared here", base->loc);
    const Array& viewed = kernel_.arrays[base->index];
    if (viewed.type != a.type)
        throw user_error("type", fmt::format("the view is {}, but '{}' is {}", name_of(a.type), of.text, name_of(viewed.type)),
                         a.loc)
            .note("declared here", viewed.loc);
    a.role = viewed.role;
    a.view_of = viewed.name;
    declare_array(Name(name.text), std::move(a), true);
    end_of_statement();
}

/// The memory an expression reads, by rules too: arrays, each once and sorted; views count as what they view.
std::vector<Name> KernelReader::memory_read(const Expr& e) const {
    std::vector<Name> out = arrays_read(kernel_, e);
    for (Name& n : out) n = memory_of(kernel_, n);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

/// def u(i, j) = a[i, j] + a[i, j+1]
void KernelReader::rule() {
    cursor_.next();
    const Token& name = cursor_.expect_name("a rule's name");
    const Loc loc = cursor_.loc(name);
    names_.require_free(Name(name.text), loc);
    if (find_builtin(Name(name.text)))
        throw user_error("name", fmt::format("'{}' is a function of the language", name.text), loc);
    const Token& open = cursor_.expect("(", "before the rule's parameters");
    auto block = std::make_unique<NameBlock>(names_);
    RuleDef def{Name(name.text), {}, {}, loc};
    while (!cursor_.at(")")) {
        const Token& p = cursor_.expect_name("a parameter of the rule");
        names_.declare(Name(p.text), {Symbol::Kind::Operand, Name(p.text), cursor_.loc(p)});
        def.parameters.emplace_back(p.text);
        if (!cursor_.accept(",")) break;
    }
    cursor_.expect_close(")", open);
    cursor_.expect("=", "before the rule's body");
    std::vector<ExprReader::Later> later;
    def.body = exprs_.rule_body(later);
    if (!later.empty()) later_.emplace_back(def.name, std::move(later));
    block.reset();
    names_.declare(def.name, {Symbol::Kind::Rule, def.name, loc});
    kernel_.rules.push_back(std::move(def));
    end_of_statement();
}

/// What rules named before its declaration has to exist by the end.
void KernelReader::check_rules() const {
    for (const auto& [rule, names] : later_) check_rule(rule);
}

/// The same for one rule, where it is used.
void KernelReader::check_rule(Name rule) const {
    for (const auto& [name, later] : later_) {
        if (name != rule) continue;
        for (const ExprReader::Later& l : later) {
            if (kernel_.find_array(l.name)) continue;
            std::vector<std::string> known;
            for (const Array& a : kernel_.arrays) known.push_back(a.name.str());
            throw names_.unknown("name", l.name, l.loc, std::move(known));
        }
    }
}

/// assert injective g, assert nonaliasing a, b
void KernelReader::assertion() {
    Assertion a;
    a.loc = cursor_.here();
    cursor_.next();
    const Token& kind = cursor_.peek();
    if (!kind.is_word("injective") && !kind.is_word("nonaliasing")) cursor_.fail("'injective' or 'nonaliasing' after 'assert'");
    cursor_.next();
    if (kind.text == "nonaliasing") a.kind = Assertion::Kind::NonAliasing;
    do {
        const Token& t = cursor_.expect_name("an array");
        const Symbol* s = names_.find(Name(t.text));
        if (!s || s->kind != Symbol::Kind::Array) throw names_.unknown("array", Name(t.text), cursor_.loc(t));
        a.arrays.push_back(s->name);
    } while (cursor_.accept(","));
    if (a.kind == Assertion::Kind::Injective && a.arrays.size() != 1)
        throw user_error("syntax", "'assert injective' names one array", a.loc).hint("write a line for each");
    if (a.kind == Assertion::Kind::NonAliasing && a.arrays.size() < 2)
        throw user_error("syntax", "'assert nonaliasing' names two arrays or more", a.loc);
    kernel_.assertions.push_back(std::move(a));
    end_of_statement();
}

void KernelReader::external() {
    ExternDef def = read_extern(cursor_);
    names_.declare(def.name, {Symbol::Kind::Extern, def.name, def.loc});
    kernel_.externs.push_back(std::move(def));
    end_of_statement();
}

void KernelReader::user_operator() {
    OperatorDef def = read_operator(cursor_);
    names_.declare(def.name, {Symbol::Kind::Operator, def.name, def.loc});
    kernel_.operators.push_back(std::move(def));
    end_of_statement();
}

}  // namespace heddle
