// Writes the body of one device function.
#pragma once

#include <functional>
#include <string>
#include <unordered_set>

#include "target/emit.h"

namespace heddle {

class DeviceEmitter {
public:
    /// `launch`: the code is that of one lane of it; null: a function of the host's language.
    DeviceEmitter(const Program& program, CodePtr code, const NameTable& names, HelperSet& helpers,
                  const Launch* launch = nullptr);
    /// The function's body, with braces.
    std::string run();
    /// How launches are written, where the code has any.
    std::function<void(DeviceEmitter&, const Code&, Lines&)> on_launch;
    /// For what `on_launch` writes.
    void note(Name used) { writer_.used.insert(used); }
    std::string affine(const Affine& a) { return writer_.affine(a); }
    bool proves_nonnegative(const Affine& a) const { return writer_.known.proves_nonnegative(a); }
    /// The parameter that takes note of a failed test; empty without tests.
    const std::string& failure() const { return writer_.failure; }
    bool mentions_part(Name name, std::size_t k) const { return writer_.parts.count({name, k}) != 0; }
    /// How the function names a table.
    const std::string& text_of(Name array) const { return writer_.paths.at(array).text; }
    /// Functions of the kernels that were called.
    const std::string& callees() const { return callees_; }
    /// Was this parameter, argument, table or temporary read or written in what was emitted?
    bool mentions(Name name) const { return writer_.used.count(name) != 0 || written_.count(name) != 0; }

private:
    // loops and guards (device.cpp)
    AccessPath path_of(const Array& a);
    void declare_launch(Lines& out);
    void body(const std::vector<CodePtr>& codes, const std::vector<Name>& temporaries, Lines& out);
    void code(const Code& c, Lines& out, bool alone);
    void block(const Code& c, Lines& out, bool alone);
    void loop(const Code& c, Lines& out);
    void fix(const Code& c, Lines& out, bool alone);
    void branch(const Code& c, Lines& out);
    std::string table_name(const Array& a) const;
    std::string part_table(const Array& a, const std::string& name) const;
    std::string header(const Code& c);
    std::string lower_text(const Code& c);
    std::string upper_text(const Code& c, bool exclusive);
    void pragmas(const Code& c, Lines& out);
    bool open_accumulators(const Code& c, Lines& out);
    void close_accumulators(const Code& c, bool guarded, Lines& out);
    bool surely_runs(const Code& c) const;
    std::string at_least_text(const Code& c, std::int64_t iterations);
    std::string reduction_text(const Code& c);
    // statements (statement.cpp)
    void run_statement(const Code& c, Lines& out);
    void assign(const Statement& s, Lines& out);
    void assign_atomic(const Statement& s, Lines& out);
    bool takes_lock(const Code& c) const;
    [[noreturn]] static void refuse_atomic(const Statement& s);
    void assign_atomic_on_device(const Statement& s, const Array& a, Lines& out);
    void tuple(const Statement& s, Lines& out);
    void select_extreme(const Statement& s, Lines& out);
    void custom(const Statement& s, Lines& out);
    void accumulate(const Statement& s, const std::string& accumulator, Lines& out);
    std::string updated(const Statement& s, const Expr& old, const Expr& value, const Array& a);
    std::string place_text(const Place& p);
    // calls (call.cpp)
    void call(std::size_t statement, Lines& out);
    std::string argument(const Statement& s, const CallPlan& plan, const DeviceParameter& parameter);
    std::string pointer_to(Name array);
    std::string thread_pointer(const Array& a);
    // temporaries (storage.cpp)
    void declare(const std::vector<CodePtr>& codes, const std::vector<Name>& temporaries, Lines& out);
    bool declared_by(const Code& run, std::string& prefix);
    void finish(const std::vector<Name>& temporaries, Lines& out);
    std::string local_declaration(const Array& a);
    const Storage* storage_of(Name array) const;

    const Program& program_;
    const KernelData& kernel_;
    CodePtr code_;
    const Launch* launch_;
    NameTable names_;
    HelperSet& helpers_;
    ExpressionWriter writer_;
    std::unordered_set<Name> written_;
    std::map<const Program*, DeviceText> callee_texts_;
    std::string callees_;
    std::unordered_set<Name> symbols_;                 ///< lets that stand in bounds or subscripts: held in 64 bits
    std::map<std::size_t, std::string> accumulators_;  ///< by statement: what it updates instead of its place
    bool in_vector_ = false;                           ///< inside a loop whose iterations are lanes of a vector
    std::unordered_map<const Code*, Name> declaring_;  ///< the Run whose assignment is the declaration of this temporary
};

}  // namespace heddle
