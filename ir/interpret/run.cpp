// Walking the loop tree.
#include "ir/interpret/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/interpret/ops.h"

namespace heddle::interp {

void Run::execute(const Trace& trace) {
    trace_ = trace ? &trace : nullptr;
    for (Unit& unit : units_) {
        const auto fails = [&](const Test& t) { return !holds(t, machine_); };
        unit.dead_at = std::any_of(unit.fixed.begin(), unit.fixed.end(), fails) ? 0 : Unit::alive;
    }
    run(*root_);
}

void Run::run(Step& step) {
    if (step.kind == Node::Kind::Leaf) return run_leaf(step);
    if (step.kind == Node::Kind::Loop) return run_loop(step);
    run_children(step);
}

void Run::run_children(Step& step) {
    for (const auto& store : step.temporaries) store->renew();
    for (const auto& child : step.children) run(*child);
}

void Run::run_loop(Step& step) {
    std::vector<Range> parts = spans(step);
    if (step.descending) {
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            for (std::int64_t v = part->high; v >= part->low; --v)
                if (enter(step, v)) run_children(step);
        return;
    }
    for (const Range& part : parts)
        for (std::int64_t v = part.low; v <= part.high; ++v)
            if (enter(step, v)) run_children(step);
}

/// The values at which some unit may run: disjoint ranges in rising order.
std::vector<Range> Run::spans(Step& step) {
    std::vector<Range> parts;
    for (std::size_t k = 0; k < step.units.size(); ++k) {
        Unit& unit = units_[step.units[k]];
        if (unit.dead_at < step.depth) continue;
        const Level& level = unit.levels[step.depth - 1];
        step.ranges[k] = Range{1, 0};
        if (!level.data.empty() && !refresh(level.data, unit, step.depth)) continue;
        step.ranges[k] = range_of(level, machine_);
        if (step.ranges[k].empty()) continue;
        if (!step.ranges[k].bounded()) unbounded(step, unit);
        parts.push_back(step.ranges[k]);
    }
    if (parts.size() < 2) return parts;
    std::sort(parts.begin(), parts.end(), [](const Range& a, const Range& b) { return a.low < b.low; });
    std::vector<Range> merged{parts[0]};
    for (const Range& part : parts) {
        if (part.low > merged.back().high + 1)
            merged.push_back(part);
        else
            merged.back().high = std::max(merged.back().high, part.high);
    }
    return merged;
}

/// Takes the loop to a value; tells whether any unit is left to run there.
bool Run::enter(const Step& step, std::int64_t value) {
    put(machine_.reg(step.reg), value);
    bool any = false;
    for (std::size_t k = 0; k < step.units.size(); ++k) {
        Unit& unit = units_[step.units[k]];
        if (unit.dead_at < step.depth) continue;
        bool in = step.ranges[k].low <= value && value <= step.ranges[k].high;
        for (const Test& t : unit.levels[step.depth - 1].tests) in = in && holds(t, machine_);
        unit.dead_at = in ? Unit::alive : step.depth;
        any |= in;
    }
    return any;
}

void Run::run_leaf(const Step& step) {
    const auto fails = [&](const Test& t) { return !holds(t, machine_); };
    for (const std::uint32_t u : step.units) {
        const Unit& unit = units_[u];
        if (unit.dead_at != Unit::alive) continue;
        if (!unit.late.empty()) {
            if (!refresh(unit.data, unit, loops_[unit.statement].size() + 1)) continue;
            if (std::any_of(unit.late.begin(), unit.late.end(), fails)) continue;
        }
        return run_statement(step.statement);
    }
}

void Run::run_statement(std::size_t index) {
    const StatementCode& code = statements_[index];
    machine_.current = &code;
    if (!machine_.run(code.begin, code.body)) return;
    if (trace_ != nullptr) {
        std::vector<std::int64_t> values;
        for (const auto& [name, reg] : code.loops) values.push_back(get<std::int64_t>(machine_.reg(reg)));
        (*trace_)(index, values);
    }
    if (kernel_.statements[index]->call)
        run_call(index);
    else
        machine_.run(code.body, code.end);
}

/// Reads data symbols into their registers. Where one is undefined, a statement whose predicates fail does not run (false); any
/// other is at fault.
bool Run::refresh(const std::vector<DataSymbol>& data, const Unit& unit, std::size_t depth) {
    for (const DataSymbol& d : data) {
        const View& view = machine_.views[d.view];
        if (!view.store->defined(0)) {
            if (!may_run(unit.statement, depth)) return false;
            machine_.current = &statements_[unit.statement];
            machine_.undefined(view, 0);
        }
        Value raw;
        std::memcpy(raw.raw, view.store->data, static_cast<std::size_t>(size_of(view.type)));
        Machine& m = machine_;
        m.reg(d.reg) = raw;
        if (view.type != DType::I64) {
            const Instr convert{cast_action(view.type, DType::I64), d.reg, d.reg};
            convert.run(m, convert);
        }
    }
    return true;
}

/// Do the predicates hold that mention no loop from `depth` on? Coded at the first question.
bool Run::may_run(std::size_t statement, std::size_t depth) {
    const auto [it, is_new] = probes_.emplace(std::pair(statement, depth), StatementCode{});
    if (is_new) {
        auto reduced = std::make_shared<Statement>(*kernel_.statements[statement]);
        const auto& loops = loops_[statement];
        std::erase_if(reduced->predicates, [&](const Expr& p) {
            for (std::size_t k = depth - 1; k < loops.size(); ++k)
                if (mentions(p, loops[k])) return true;
            return false;
        });
        it->second = coder_->predicates(*reduced, statements_[statement].loops);
        it->second.source = kernel_.statements[statement].get();
    }
    machine_.current = &statements_[statement];
    return machine_.run(it->second.begin, it->second.body);
}

void Run::unbounded(const Step& step, const Unit& unit) const {
    const Statement& s = *kernel_.statements[unit.statement];
    throw user_error("unbounded",
                     fmt::format("the loop {} around {} has no bound: its domain is infinite", step.loop.str(), s.label.str()),
                     s.loc);
}

void Run::run_call(std::size_t index) {
    CallSite& site = calls_.at(index);
    const Statement& s = *kernel_.statements[index];
    Env sizes;
    Stores stores;
    for (CallSite::Binding& b : site.bindings) {
        if (b.size || b.by_value) machine_.run(b.begin, b.end);
        if (b.size) sizes[b.callee_name] = get<std::int64_t>(machine_.reg(b.value.reg));
        if (b.by_value) std::memcpy(b.memory->data, machine_.reg(b.value.reg).raw, sizeof(Value));
        if (!b.size) stores[b.callee_name] = b.memory;
    }
    if (!site.run || site.sizes != sizes) {
        if (!contains(s.call->callee->assumptions, sizes))
            throw Error(ErrorKind::Runtime, "where",
                        fmt::format("{} calls {} with sizes that its 'where' excludes", machine_.instance(),
                                    s.call->callee->name.str()),
                        s.loc);
        site.run = std::make_shared<Run>(*s.call->callee, sizes, stores, externs_);
        site.sizes = sizes;
        for (const CallSite::Binding& b : site.bindings) {
            if (b.size || b.by_value) continue;
            const View &inner = site.run->view(b.callee_name), &outer = view(b.caller_array);
            if (inner.shape != outer.shape || inner.type != outer.type)
                throw Error(ErrorKind::Runtime, "shape",
                            fmt::format("{} passes {} of another shape or type than {} of {}", machine_.instance(),
                                        outer.name.str(), inner.name.str(), s.call->callee->name.str()),
                            s.loc);
        }
    }
    site.run->execute({});
}

}  // namespace heddle::interp
