// The pieces of printed kernels. Internal to `ir`.
#pragma once

#include <string>
#include <vector>

#include "ir/kernel_data.h"

namespace heddle {

/// What "print" does to literals whose type is not Untyped: nothing, or a cast around each.
enum class LiteralStyle { Bare, Cast };
void append_expr(std::string& out, const Expr& e, LiteralStyle style = LiteralStyle::Bare);
/// A value of an element type, exact: "0.1", "-inf", "5".
std::string literal_text(double value, DType type);
std::string literal_text(std::int64_t value, DType type);

/// Formulas say `i = j`, conditions of `if` say `i == j`.
enum class FormulaStyle { Formula, Condition };
/// `loops`, outermost first, are named in the middle of chains; the others stand at their ends.
std::string formula(const Domain& d, const std::vector<Name>& loops, FormulaStyle style = FormulaStyle::Formula);

/// An expression of a kernel with the style in which its literals are read back with the same types.
struct Printable {
    Expr e;
    LiteralStyle style = LiteralStyle::Bare;
};
/// `wanted`: the type literals take when nothing else decides, as for `infer`.
Printable printable(const KernelData& kernel, const Expr& e, DType wanted);
Printable printable_index(const KernelData& kernel, const Expr& e);
/// Bodies of rules and operators have no types; `parameters` stand in them as variables.
Printable printable_body(const Expr& e);
/// The body without types, for comparison.
Expr untyped(const Expr& e);
void append(std::string& out, const Printable& p);
void append_index_list(std::string& out, const KernelData& kernel, const std::vector<Expr>& list);

/// "gemm(n, m : index; A : in f64[n, m])" and the lines of `where`.
void append_signature(std::string& out, const KernelData& kernel);
/// "t : f64[n] layout(1, 0) in heap": a declaration without its first word.
void append_array(std::string& out, const KernelData& kernel, const Array& array);
/// A table's declaration with its values, on as many lines as it takes.
void append_table(std::string& out, const KernelData& kernel, const Array& array, const std::string& indent);
/// Operators and externs, a line each; those in `done` are left out and added to it.
void append_file_level(std::string& out, const KernelData& kernel, std::set<Name>& done);
/// Assertions, views, rules: lines at the top of the kernel.
void append_head(std::string& out, const KernelData& kernel);
/// The loop tree.
void append_body(std::string& out, const KernelData& kernel);
void append_statement(std::string& out, const KernelData& kernel, const Statement& s);

}  // namespace heddle
