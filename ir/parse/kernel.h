// One kernel: tokens -> KernelData. Internal to the reader.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel_data.h"
#include "ir/parse/bounded.h"
#include "ir/parse/expr.h"

namespace heddle {

/// What a kernel sees of its file: operators and externs declared before it, and the kernels it may call.
struct FileScope {
    std::vector<OperatorDef> operators;
    std::vector<ExternDef> externs;
    std::unordered_map<Name, std::shared_ptr<const KernelData>> kernels;
    std::vector<std::string> kernel_names;
};

/// `extern fn f(i32, f64) -> f64` and `operator f((a, b), (c, d)) = (…) identity (…) commutative`, at the cursor.
ExternDef read_extern(Cursor& cursor);
OperatorDef read_operator(Cursor& cursor);
/// An element type at the cursor.
DType read_type(Cursor& cursor);
/// `{{1, 2}, {3, 4}}` at the cursor: the values of a table of that type and shape, row-major.
TableData read_table(Cursor& cursor, DType type, const std::vector<std::int64_t>& shape);

class KernelReader {
public:
    /// The cursor is at the word `kernel`; `end` is the position of the token behind the kernel.
    KernelReader(Cursor& cursor, std::size_t end, const FileScope& file);
    std::shared_ptr<const KernelData> run();

private:
    /// What a loop or block collects.
    struct Body {
        std::vector<NodePtr> children;
        std::vector<Name> temporaries;
    };
    struct LoopName {
        Name name;
        bool descending = false;
        Loc loc;
    };
    /// A loop whose own formula leaves it without a bound: the statements in it have to bring one.
    struct Suspect {
        Unbounded what;
        Loc loc;
    };
    /// A name that a `let` gives: its token, and what the kernel calls it.
    struct Target {
        Token token;
        Name name;
    };
    /// A reduction while it is read.
    struct Reduction {
        Update update = Update::Add;
        Name word, op, label;
        std::string base;  ///< of names made for it
        Name reserved;     ///< the first variable's, so that outer reductions are named before inner ones
        const Token* brackets = nullptr;
        std::vector<LoopName> loops;
        std::vector<Expr> values;
        std::vector<DType> types;
        std::vector<Name> variables;
        bool even = false;  ///< the first index is kept as twice the index
        Loc loc;
    };

    // The head (parse_head.cpp)
    void head();
    void parameter_list();
    void parameter_group();
    void index_parameter(const Token& name);
    void argument(const Token& name, Array like);
    void where();
    Array array_type(bool argument);
    void attributes(Array& a, bool argument);
    bool layout_attribute(Array& a);
    void address_space(Array& a);
    std::vector<Expr> shape();
    std::vector<std::int64_t> integers();
    void check_layout(const Array& a, const Loc& loc) const;

    // Declarations in a body (parse_declare.cpp)
    bool declaration();
    void temporary();
    void constant();
    void view();
    void rule();
    void check_rules() const;
    void check_rule(Name rule) const;
    std::vector<Name> memory_read(const Expr& e) const;
    void assertion();
    void external();
    void user_operator();
    const Symbol& declare_array(Name text, Array array, bool read_only = false);

    // Blocks and loops (parse_control.cpp), conditions (parse_if.cpp)
    void block();
    void statement();
    void nested_block();
    void loop();
    Domain loop_formula();
    void conditional();
    struct Conditional;
    Conditional condition_and_branch();
    void split_condition(Conditional& c);
    Expr checked_condition(const Expr& e) const;
    void enter_else(Conditional& c);
    bool guards_one(const Conditional& c) const;
    void settle(const Conditional& c);
    void keep_condition(const Conditional& c, Name name);
    LoopTag tags(bool& separate);
    void parallel_tag(LoopTag& tag);
    int tag_axis();
    std::int64_t tag_number(std::string_view what, std::int64_t least);
    std::vector<LoopName> loop_names(bool descending);
    void declare_loops(std::vector<LoopName>& loops);
    void narrow(const Domain& d);
    void enter_loops(const std::vector<LoopName>& loops, const Domain& d);
    void leave_loops(std::size_t count, std::size_t first_statement);
    void check_bounded(const Domain& d) const;
    void add_loops(const std::vector<LoopName>& loops, Body body, const LoopTag& tag, bool separate);

    // Statements (parse_statement.cpp)
    void labelled();
    bool at_label() const;
    std::size_t flags_end(std::size_t k) const;
    void label();
    void flags();
    void origin();
    void assignment();
    std::vector<Place> places();
    Place place();
    void refuse_write(const Symbol& s, const Token& t);
    void update_operator(Statement& s);
    bool word_update(Statement& s);
    void spell_out(Statement& s);
    void end_of_statement();
    std::size_t emit(Statement s);

    // let (parse_let.cpp)
    void let();
    void let_tuple();
    void let_scalar();
    void declare_let(const Target& to, DType type);
    void let_variable(const Target& to, Array a);
    Target target(const Token& name);
    void add_let(const Target& to, DType type, const Expr& value, Name label);
    bool whole_reduction();

    // Reductions (parse_reduce.cpp)
    Expr reduction();
    std::vector<Expr> reduce(const std::vector<Target>& targets);
    void reduction_head(Reduction& r, bool named);
    void reduction_condition();
    void reduction_values(Reduction& r);
    void selected_indices(Reduction& r) const;
    std::vector<DType> single_types(Reduction& r);
    std::vector<DType> tuple_types(Reduction& r);
    std::vector<Expr> initial_values(const Reduction& r) const;
    void reduction_variables(Reduction& r, const std::vector<Target>& targets);
    void check_targets(const Reduction& r, const std::vector<Target>& targets) const;
    Statement reduction_statement(const Reduction& r, Name label, std::vector<Expr> values) const;
    std::vector<Expr> reduction_results(const Reduction& r, const std::vector<Target>& targets);

    // Calls (parse_call.cpp)
    void call();
    Error unknown_kernel(const Token& name) const;
    void bind(KernelCall& call, bool by_name);
    void check_bindings(KernelCall& call);
    void check_binding(const KernelData& callee, Name formal, const Expr& value);
    void check_overlap(const KernelCall& call) const;

    // The end (parse_finish.cpp)
    void number_statements();
    void order_arrays();
    void keep_used_definitions();

    Cursor& cursor_;
    const FileScope& file_;
    KernelData kernel_;
    Names names_;
    ExprReader exprs_;
    Body* body_ = nullptr;
    Domain domain_;
    std::vector<Expr> predicates_;
    std::vector<Name> loops_;        ///< around the place being read, outermost first
    std::vector<Suspect> suspects_;  ///< loops around it without a bound of their own
    std::vector<Name> writes_;       ///< arrays written so far, in order
    std::vector<Statement> statements_;
    std::vector<std::shared_ptr<Node>> leaves_;                           ///< of each statement
    std::unordered_set<Name> pending_lets_;                               ///< declared without a value and not written yet
    std::size_t file_operators_ = 0, file_externs_ = 0;                   ///< how many of the kernel's are the file's
    std::vector<std::pair<Name, std::vector<ExprReader::Later>>> later_;  ///< for rules: names that were not declared there
    Statement now_;                  ///< label, flags and origin of the statement being read
    DType wanted_ = DType::Untyped;  ///< the type literals take in the statement being read
};

}  // namespace heddle
