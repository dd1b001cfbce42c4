// Pragmas, reduction clauses and accumulators in emitted code.
#include "ir/error.h"
#include "ir/infer.h"
#include "target/device.h"

namespace heddle {

/// That the loop has at least so many iterations.
std::string DeviceEmitter::at_least_text(const Code& c, std::int64_t iterations) {
    const auto simple = [](const Limit& l) {
        return l.is_single() && l.alternatives[0].size() == 1 && l.alternatives[0][0].divisor == 1;
    };
    if (simple(c.lower) && simple(c.upper) && c.step == 1) {
        const Affine count = c.upper.alternatives[0][0].form - c.lower.alternatives[0][0].form + Affine(1);
        return writer_.constraint(at_least(count, Affine(iterations)));
    }
    return upper_text(c, true) + " - " + lower_text(c) + " >= " + std::to_string(iterations);
}

/// Accumulators for elements that all iterations update. They are written back only where the loop runs at all: the element
/// need not exist otherwise. Tells whether an `if` was opened for that.
bool DeviceEmitter::open_accumulators(const Code& c, Lines& out) {
    bool guarded = false;
    for (const Reduction& r : c.reductions) {
        const Array& a = *kernel_.find_array(r.array);
        if (a.shape.empty()) continue;
        if (!guarded && !surely_runs(c)) {
            out.open("if (" + at_least_text(c, 1) + ") {");
            guarded = true;
        }
        const std::string name = names_.fresh(names_(r.array) + "_part");
        out.line(c_type(a.type) + " " + name + " = " + writer_.value(identity_of(r.update, a.type), a.type) + ";");
        for (const std::size_t s : r.statements) accumulators_[s] = name;
    }
    return guarded;
}

bool DeviceEmitter::surely_runs(const Code& c) const {
    if (!c.lower.is_single() || !c.upper.is_single()) return false;
    for (const Ratio& low : c.lower.alternatives[0])
        for (const Ratio& high : c.upper.alternatives[0])
            if (low.divisor != 1 || high.divisor != 1 || !writer_.known.proves_nonnegative(high.form - low.form)) return false;
    return true;
}

void DeviceEmitter::close_accumulators(const Code& c, bool guarded, Lines& out) {
    static const Name part("the accumulated part");
    for (const Reduction& r : c.reductions) {
        const auto it = accumulators_.find(r.statements[0]);
        if (it == accumulators_.end()) continue;
        Statement s;
        s.update = r.update;
        s.places = {Place{r.array, r.element}};
        s.values = {make(Op::Var, kernel_.find_array(r.array)->type, {}, part)};
        writer_.operands[part] = it->second;
        for (const std::size_t k : r.statements) accumulators_.erase(k);
        r.atomic ? assign_atomic(s, out) : assign(s, out);
        writer_.operands.erase(part);
    }
    if (guarded) out.close();
}

/// "reduction(+ : s)" for each scalar that the iterations update.
std::string DeviceEmitter::reduction_text(const Code& c) {
    std::string out;
    for (const Reduction& r : c.reductions) {
        const Array& a = *kernel_.find_array(r.array);
        const bool adds = r.update == Update::Add;
        std::string op;
        if (is_complex(a.type))
            op = helpers_.use(adds ? "ompcadd" : "ompcmul", a.type);
        else if (r.update == Update::Min || r.update == Update::Max)
            op = is_float(a.type) ? helpers_.use(r.update == Update::Min ? "ompmin" : "ompmax", a.type)
                                  : (r.update == Update::Min ? "min" : "max");
        else
            op = adds ? "+" : r.update == Update::Mul ? "*" : r.update == Update::And ? "&&" : "||";
        const auto accumulator = accumulators_.find(r.statements[0]);
        const AccessPath& path = writer_.paths.at(r.array);
        const bool pointer = path.kind == AccessPath::Kind::Pointer;
        out += " reduction(" + op + " : " +
               (accumulator != accumulators_.end() ? accumulator->second : path.text + (pointer ? "[:1]" : "")) + ")";
        written_.insert(r.array);
    }
    return out;
}

void DeviceEmitter::pragmas(const Code& c, Lines& out) {
    const LoopTag& tag = c.tag;
    const bool parallel = tag.kind == LoopTag::Kind::Parallel, vector = tag.kind == LoopTag::Kind::Vector;
    if (!program_.options.openmp || (!parallel && !vector)) return;
    if (vector && program_.options.checked) return;  // a failed test takes a lock
    if (vector && takes_lock(c)) return;
    if (in_vector_ && (parallel || vector)) return;  // lanes of a vector hold no threads, nor lanes of their own
    std::string text = parallel ? "parallel for" : "simd";
    if (parallel && tag.collapse > 1) text += " collapse(" + std::to_string(tag.collapse) + ")";
    if (parallel && (tag.dynamic || tag.chunk > 0))
        text += std::string(" schedule(") + (tag.dynamic ? "dynamic" : "static") +
                (tag.chunk > 0 ? ", " + std::to_string(tag.chunk) : "") + ")";
    if (parallel && tag.threshold > 0) text += " if(" + at_least_text(c, tag.threshold) + ")";
    out.line("HEDDLE_OMP(" + text + reduction_text(c) + ")");
}

}  // namespace heddle
