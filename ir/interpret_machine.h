// The interpreter's registers and memory, and the place it is at.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ir/interpret/value.h"
#include "ir/kernel_data.h"

namespace heddle::interp {

/// The memory of an array. `stamps` tell which elements are defined: those that carry the store's present `epoch`; without
/// stamps all are.
struct Store {
    std::byte* data = nullptr;
    std::vector<std::byte> own;
    std::vector<std::uint32_t> stamps;
    std::uint32_t epoch = 1;

    void track(std::size_t elements) { stamps.assign(elements, 0); }
    /// Makes every element undefined again: a new instance of a temporary.
    void renew();
    bool defined(std::int64_t element) const { return stamps.empty() || stamps[static_cast<std::size_t>(element)] == epoch; }
    void define(std::int64_t element) {
        if (!stamps.empty()) stamps[static_cast<std::size_t>(element)] = epoch;
    }
};

/// An array as a kernel sees it.
struct View {
    Name name;
    DType type = DType::F64;
    std::vector<std::int64_t> shape;
    std::shared_ptr<Store> store;
};

/// A statement as the machine runs it.
struct StatementCode {
    const Statement* source = nullptr;
    std::vector<std::pair<Name, std::uint32_t>> loops;  ///< outermost first, with their registers
    std::uint32_t begin = 0, body = 0, end = 0;         ///< predicates, then values and stores
};

/// A call of a function from outside.
struct ExternCall {
    std::function<void(const void* const* arguments, void* result)> function;
    std::vector<std::uint32_t> arguments;
};

/// Registers, code and memory. Registers are never shared between two uses: first the parameters, then loops, constants,
/// results.
class Machine {
public:
    std::vector<Value> regs;
    std::vector<Instr> code;
    std::vector<std::uint32_t> operands;  ///< subscript registers, one group for each access
    std::vector<View> views;
    std::vector<ExternCall> externs;
    std::uint32_t next = 0;
    const StatementCode* current = nullptr;

    Value& reg(std::uint32_t k) { return regs[k]; }
    /// Runs from `begin`; true when it arrives exactly at `end`, false when a jump leaves the part.
    bool run(std::uint32_t begin, std::uint32_t end) {
        next = begin;
        while (next < end) {
            const Instr& in = code[next++];
            in.run(*this, in);
        }
        return next == end;
    }
    /// The position of an element; throws when a subscript is out of bounds.
    std::int64_t locate(const View& view, std::uint32_t first) {
        std::int64_t at = 0;
        for (std::size_t k = 0; k < view.shape.size(); ++k) {
            const auto index = get<std::int64_t>(regs[operands[first + k]]);
            if (static_cast<std::uint64_t>(index) >= static_cast<std::uint64_t>(view.shape[k])) out_of_bounds(view, first, k);
            at = at * view.shape[k] + index;
        }
        return at;
    }
    /// Where the machine is: "update(i=3, j=5)" in the user's own loops.
    std::string instance() const;
    [[noreturn]] void out_of_bounds(const View& view, std::uint32_t first, std::size_t dimension) const;
    [[noreturn]] void undefined(const View& view, std::uint32_t first) const;

private:
    std::string element(const View& view, std::uint32_t first) const;
};

/// dst = element of view a at the subscripts from operand b on.
Action load_action(DType type);
/// Element of view a at the subscripts from operand b on = register c.
Action store_action(DType type);

/// dst = result of extern call a.
Action extern_action();

/// The value of a shape or index expression over parameters and loops; nothing when it uses anything else or overflows.
std::optional<std::int64_t> index_value(const Expr& e, const Env& env);

}  // namespace heddle::interp
