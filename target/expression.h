// Expressions as C text.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "target/helpers.h"
#include "target/known.h"
#include "target/names.h"
#include "target/program.h"

namespace heddle {

/// How tightly C's operators bind; a text of lower precedence than its place needs parentheses.
enum Precedence : int {
    any_precedence = 0,
    conditional_precedence = 3,
    or_precedence = 4,
    and_precedence = 5,
    bit_precedence = 8,
    equality_precedence = 9,
    relation_precedence = 10,
    shift_precedence = 11,
    sum_precedence = 12,
    product_precedence = 13,
    unary_precedence = 14,
    primary_precedence = 15,
};

/// How an array or scalar is reached in the function being written.
struct AccessPath {
    /// x; *x or x[linear]; x[i][j]; x_k[linear] with k the entry of a separate axis.
    enum class Kind : std::uint8_t { Value, Pointer, Matrix, Parts } kind = Kind::Value;
    std::string text;
    std::vector<bool> by_lane;  ///< axes whose subscript is that of the lane, which are not stored
};

/// Writes expressions of one device function. Keeps what is known at the place (for signs of divisions) and notes which names
/// were used.
class ExpressionWriter {
public:
    ExpressionWriter(const KernelData& kernel, const NameTable& names, HelperSet& helpers)
        : kernel(kernel), names(names), helpers(helpers), known(kernel.assumptions) {}

    /// Converted to `want` where C's implicit conversion would not do the same.
    std::string value(const Expr& e, DType want, int precedence = any_precedence);
    std::string affine(const Affine& a, int precedence = any_precedence);
    std::string constraint(const Constraint& c, int precedence = any_precedence);
    std::string broken(const Constraint& c);  ///< that it does not hold
    std::string condition(const Domain& d, int precedence = any_precedence);
    /// The array whose memory a view reads; other arrays are their own.
    Name memory_of(Name array) const;
    /// An element as something that can be read and assigned.
    std::string element(Name array, const std::vector<Expr>& subscripts, int precedence = any_precedence);
    /// Substitutes values of unrolled loops and folds what follows.
    Expr folded(const Expr& subscript) const;
    std::string quotient(const Affine& numerator, std::int64_t divisor, bool up, bool empty_if_negative, int precedence);

    const KernelData& kernel;
    const NameTable& names;
    HelperSet& helpers;
    Known known;
    const Env* constants = nullptr;
    std::unordered_map<Name, AccessPath> paths;    ///< arrays that are not reached by their own identifier
    std::map<Name, std::string> operands;          ///< operands of a user's operator
    std::set<std::pair<Name, std::size_t>> parts;  ///< arrays of separate axes used by number
    std::map<Name, std::string> part_tables;       ///< and tables of those used by a computed number
    const Tests* tests = nullptr;                  ///< of the statement being written
    std::string tested;                            ///< its label
    std::string failure;                           ///< where a failed test is noted
    /// That the tested subscripts are inside the array; empty when none is tested.
    std::string inside(Name array, const std::vector<Expr>& subscripts);
    std::unordered_set<Name> used;  ///< variables and arrays read so far

private:
    std::string relation(Affine left, Affine right, std::int64_t constant, bool swapped, bool equality);
    void write(const Expr& e, int precedence, std::string& out);
    void write_as(const Expr& e, DType want, int precedence, std::string& out);
    void literal(const Expr& e, DType type, int precedence, std::string& out);
    void pair(const Expr& e, DType first, DType second, std::string& out);
    void binary(const Expr& e, const char* symbol, int own, int precedence, std::string& out);
    void arithmetic(const Expr& e, int precedence, std::string& out);
    void wrapping(const Expr& e, int precedence, std::string& out);
    void index_arithmetic(const Expr& e, const char* symbol, int own, int precedence, std::string& out);
    Expr plain_division(const Expr& e, const Expr& divisor) const;
    void division(const Expr& e, int precedence, std::string& out);
    void comparison(const Expr& e, int precedence, std::string& out);
    void logical(const Expr& e, int precedence, std::string& out);
    void bits(const Expr& e, int precedence, std::string& out);
    void unary(const Expr& e, int precedence, std::string& out);
    void select(const Expr& e, int precedence, std::string& out);
    void minmax(const Expr& e, std::string& out);
    void cast(const Expr& e, int precedence, std::string& out);
    void call(const Expr& e, int precedence, std::string& out);
    void builtin(const Expr& e, int precedence, std::string& out);
    void complex_builtin(const Expr& e, std::string& out);
    void helper_call(const std::string& helper, const Expr& e, DType type, std::string& out);
    void element_read(const Expr& e, int precedence, std::string& out);
    void variable(Name name, int precedence, std::string& out);
    bool is_index(const Expr& e) const;
    Expr linear(const Array& a, const std::vector<Expr>& subscripts) const;
    std::string subscript(const Expr& e);
    std::string part_text(const Array& a, const AccessPath& path, const Expr& entry);

    bool in_subscript_ = false;
};

/// sum of sub-expressions with literals folded: index arithmetic.
Expr index_add(const Expr& a, const Expr& b);
Expr index_mul(const Expr& a, const Expr& b);
/// The form with mod where floors allow it: i - 4*floor(i/4) is i % 4.
Expr natural_expr(const Affine& a);
/// A number as a literal of C: "0.1", "2.0f", "INFINITY", hexadecimal never needed as the digits are exact.
std::string float_text(double value, DType type);
std::string integer_text(std::int64_t value, DType type);

}  // namespace heddle
