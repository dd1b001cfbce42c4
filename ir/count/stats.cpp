#include "ir/stats.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "ir/count/footprint.h"
#include "ir/count/runs.h"
#include "ir/error.h"

namespace heddle {

namespace {

/// A scalar temporary that nothing forces into memory.
bool in_register(const Array& a) {
    if (!a.shape.empty()) return false;
    const bool local = a.space == AddressSpace::Auto || a.space == AddressSpace::Private;
    return a.by_value() || (a.role == Role::Temp && local) || a.role == Role::Table;
}

class Statistician {
public:
    explicit Statistician(const KernelData& kernel) : kernel_(kernel), counter_(kernel), runs_(runs_of(kernel)) {}
    Stats run();

private:
    struct AccessKey {
        std::size_t array;  ///< in order of first use
        bool store;
        std::string stride;
        auto operator<=>(const AccessKey&) const = default;
    };
    struct AccessTally {
        Stride stride;
        Tally tally;
    };
    struct ArrayTally {
        const Array* array;
        Footprint footprint;
    };

    void statement(const Run& r);
    void operations(const Run& r);
    void access(const Run& r, const Access& a);
    std::size_t array_number(const Array& array);
    Stride stride(const Run& r, const Array& array, const Access& a) const;
    bool varies(Name symbol, const Run& r) const;
    void totals(Stats& out) const;
    std::vector<Name> symbols(const Stats& out) const;
    void note(Stats& out) const;

    const KernelData& kernel_;
    Counter counter_;
    Runs runs_;
    std::map<const KernelData*, RuleExpander> rules_;
    std::vector<InstanceCount> instances_;
    std::map<std::tuple<OperationKind, DType, std::string>, Tally> operations_;
    std::map<AccessKey, AccessTally> accesses_;
    std::map<Name, std::size_t> array_numbers_;
    std::vector<ArrayTally> arrays_;
    Tally flops_;
};

bool is_flop(const Operation& op) {
    if (op.kind != OperationKind::Arithmetic || !is_float(op.type)) return false;
    return op.name == "add" || op.name == "sub" || op.name == "mul" || op.name == "div" || op.name == "neg";
}

void Statistician::operations(const Run& r) {
    RuleExpander& rules = rules_.try_emplace(r.kernel, *r.kernel).first->second;
    for (const Operation& op : operations_of(*r.kernel, rules, *r.statement)) {
        const bool everywhere = op.when.is_everything() || r.kernel != &kernel_;
        const std::size_t number = counter_.count(everywhere ? r.domain : intersect(r.domain, op.when), r.loops);
        const bool at_most = op.conditional || (everywhere && !op.when.is_everything());
        operations_[{op.kind, op.type, op.name}].add(number, 1, at_most);
        if (is_flop(op)) flops_.add(number, 1, at_most);
    }
}

std::size_t Statistician::array_number(const Array& array) {
    const auto [it, fresh] = array_numbers_.emplace(array.name, arrays_.size());
    if (fresh) arrays_.push_back({&array, Footprint(array)});
    return it->second;
}

/// May a scalar's value, or an array's elements, change between iterations of the innermost loop?
bool Statistician::varies(Name symbol, const Run& r) const {
    const Array* a = runs_.find_array(kernel_, symbol);
    if (!a || a->role == Role::In || a->role == Role::Table) return false;
    if (!a->is_let) return true;
    const std::vector<Name>& scope = counter_.scope_of(symbol);
    return runs_.locals.count(symbol) != 0 || std::find(scope.begin(), scope.end(), r.loops.back()) != scope.end();
}

Stride Statistician::stride(const Run& r, const Array& array, const Access& a) const {
    if (r.loops.empty()) return {Polynomial(0)};
    const std::int64_t step = step_of(r.domain, r.loops.back());
    return stride_of(array, a, r.loops.back(), r.descending ? -step : step, [&](Name n) { return varies(n, r); });
}

void Statistician::access(const Run& r, const Access& a) {
    const Array* array = runs_.find_array(kernel_, a.array);
    if (!array || in_register(*array)) return;
    const std::size_t number = counter_.count(intersect(r.domain, a.when), r.loops);
    const std::size_t position = array_number(*array);
    arrays_[position].footprint.add(a, r.domain, r.loops, counter_);
    const Stride s = stride(r, *array, a);
    for (const bool store : {false, true}) {
        if (store ? !a.write : !a.reads()) continue;
        AccessTally& tally = accesses_[{position, store, s.str()}];
        tally.stride = s;
        tally.tally.add(number, 1, a.conditional || a.whole);
    }
}

void Statistician::statement(const Run& r) {
    Tally tally;
    tally.add(counter_.count(r.domain, r.loops), 1, !r.statement->predicates.empty());
    instances_.push_back({r.label, r.loops, tally.total(counter_)});
    operations(r);
    for (const Access& a : r.accesses) access(r, a);
}

void Statistician::totals(Stats& out) const {
    std::vector<Quantity> loaded, stored, touched;
    for (const AccessCount& a : out.accesses) (a.store ? stored : loaded).push_back(Wide(size_of(a.type)) * a.count);
    for (const FootprintCount& f : out.footprints) touched.push_back(f.bytes);
    out.loaded_bytes = sum_of(loaded, counter_.context());
    out.stored_bytes = sum_of(stored, counter_.context());
    out.touched_bytes = sum_of(touched, counter_.context());
    out.flops = flops_.total(counter_);
}

/// The parameters, and scalar arguments that stand in bounds.
std::vector<Name> Statistician::symbols(const Stats& out) const {
    std::vector<Name> names;
    for (const Parameter& p : kernel_.parameters) names.push_back(p.name);
    for (const InstanceCount& i : out.instances)
        for (const PolynomialPiece& piece : i.count.formula.pieces) {
            piece.value.symbols(names);
            for (const Conjunct& c : piece.where.pieces)
                for (const Constraint& k : c) k.form.symbols(names);
        }
    return names;
}

void Statistician::note(Stats& out) const {
    for (const InstanceCount& i : out.instances) {
        for (const DataPart& part : i.count.data)
            out.notes.push_back(fmt::format("how often '{}' runs depends on what is read at run time: {}", i.statement.str(),
                                            text_of(part.data)));
        if (i.count.at_most)
            out.notes.push_back(
                fmt::format("'{}' runs under a condition on data: counted as if it always held", i.statement.str()));
    }
    for (const FootprintCount& f : out.footprints)
        if (f.elements.at_most)
            out.notes.push_back(
                fmt::format("which elements of '{}' are touched is not known exactly: an upper bound", f.array.str()));
}

Stats Statistician::run() {
    for (const Run& r : runs_.statements) statement(r);
    Stats out;
    out.kernel = kernel_.name.str();
    out.assumptions = kernel_.assumptions;
    out.context = counter_.context();
    out.instances = std::move(instances_);
    out.parameters = symbols(out);
    for (const auto& [key, tally] : operations_)
        out.operations.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), tally.total(counter_)});
    for (const auto& [key, entry] : accesses_) {
        const Array& a = *arrays_[key.array].array;
        out.accesses.push_back({a.name, a.type, key.store, entry.stride, entry.tally.total(counter_)});
    }
    for (const ArrayTally& a : arrays_) {
        const Quantity elements = a.footprint.elements(counter_);
        out.footprints.push_back({a.array->name, a.array->type, elements, Wide(size_of(a.array->type)) * elements});
    }
    totals(out);
    note(out);
    return out;
}

}  // namespace

Stats stats(const KernelData& kernel) { return Statistician(kernel).run(); }

}  // namespace heddle
