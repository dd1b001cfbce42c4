// One run of a kernel: its memory, its code, and the walk over the loop tree.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/interpret.h"
#include "ir/interpret/bounds.h"
#include "ir/interpret/code.h"
#include "ir/interpret_machine.h"

namespace heddle::interp {

/// Memory of the arguments, by name.
using Stores = std::map<Name, std::shared_ptr<Store>>;

class Run {
public:
    /// Prepares everything that depends on the sizes; `kernel` and `externs` must outlive the run.
    Run(const KernelData& kernel, Env sizes, Stores arguments, const ExternTable& externs);
    /// Runs the kernel from its start; may be repeated.
    void execute(const Trace& trace);
    const View& view(Name name) const { return machine_.views[coder_->view(name)]; }

private:
    struct Step;
    struct CallSite;

    void make_views(Stores arguments);
    std::vector<std::int64_t> extents(const Array& array) const;
    std::shared_ptr<Store> temporary(const Array& array, const std::vector<std::int64_t>& shape) const;
    SymbolTable symbol_table();
    void make_statements();
    CallSite call_site(const Statement& s);
    std::unique_ptr<Step> plan(const Node& node, std::size_t depth);

    void run(Step& step);
    void run_loop(Step& step);
    void run_children(Step& step);
    void run_leaf(const Step& step);
    void run_statement(std::size_t index);
    void run_call(std::size_t index);
    std::vector<Range> spans(Step& step);
    bool enter(const Step& step, std::int64_t value);
    bool refresh(const std::vector<DataSymbol>& data, const Unit& unit, std::size_t depth);
    bool may_run(std::size_t statement, std::size_t depth);
    [[noreturn]] void unbounded(const Step& step, const Unit& unit) const;

    const KernelData& kernel_;
    Env sizes_;
    const ExternTable& externs_;
    Machine machine_;
    std::unique_ptr<Coder> coder_;
    std::map<Name, std::vector<Name>> scopes_;
    std::vector<std::vector<Name>> loops_;  ///< of each statement
    std::vector<StatementCode> statements_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces_;  ///< units of each statement: first and one past the last
    std::vector<Unit> units_;
    std::map<std::pair<std::size_t, std::size_t>, StatementCode> probes_;
    std::map<std::size_t, CallSite> calls_;
    std::map<Name, std::uint32_t> data_regs_;  ///< of the scalars that stand in domains
    std::shared_ptr<Step> root_;
    const Trace* trace_ = nullptr;
};

/// A kernel call: the code of its bindings, and the callee's run while its sizes stay the same.
struct Run::CallSite {
    struct Binding {
        Name callee_name;
        std::uint32_t begin = 0, end = 0;
        Typed value;                    ///< an index or a scalar
        std::shared_ptr<Store> memory;  ///< of an array of the caller, or of a scalar passed by value
        bool by_value = false, size = false;
        Name caller_array;
    };
    std::vector<Binding> bindings;
    Env sizes;
    std::shared_ptr<Run> run;
};

/// A node of the loop tree, ready to run.
struct Run::Step {
    Node::Kind kind = Node::Kind::Block;
    std::vector<std::unique_ptr<Step>> children;
    std::vector<std::shared_ptr<Store>> temporaries;
    std::size_t statement = 0;  ///< Leaf
    Name loop;                  ///< Loop, and so are the rest
    std::size_t depth = 0;
    std::uint32_t reg = 0;
    bool descending = false;
    std::vector<std::uint32_t> units;
    std::vector<Range> ranges;
};

}  // namespace heddle::interp
