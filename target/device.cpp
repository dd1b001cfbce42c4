#include "target/device.h"

#include <algorithm>
#include <utility>

#include "ir/error.h"
#include "target/dialect.h"
#include "target/mapping.h"
#include "target/tables.h"

namespace heddle {
namespace {

Affine successor(const Affine& a) { return a + Affine(1); }

/// Is "variable < form + 1" the more natural way to write "variable <= form / divisor"?
bool prefers_exclusive(const Limit& upper) {
    for (const auto& alternative : upper.alternatives)
        for (const Ratio& r : alternative)
            if (r.divisor > 1 || r.form.constant < 0 || r.form.is_constant()) return true;
    return false;
}

}  // namespace

DeviceEmitter::DeviceEmitter(const Program& program, CodePtr code, const NameTable& names, HelperSet& helpers,
                             const Launch* launch)
    : program_(program),
      kernel_(*program.kernel),
      code_(std::move(code)),
      launch_(launch),
      names_(names),
      helpers_(helpers),
      writer_(kernel_, names_, helpers) {
    if (needs_failure_note(program)) writer_.failure = names_.fresh("failure");
    if (launch) {
        for (int axis = 0; axis < 3; ++axis)
            for (const Name symbol : {lane_symbol(axis), block_symbol(axis)}) names_.introduce(symbol, c_identifier(symbol.str()));
        know_launch(*launch, writer_.known);
    }
    for (const Array& a : kernel_.arrays) {
        if (!a.view_of.empty()) continue;
        writer_.paths[a.name] = path_of(a);
    }
    for (const auto& s : kernel_.statements) {
        std::vector<Name> in_domain;
        s->domain.symbols(in_domain);
        symbols_.insert(in_domain.begin(), in_domain.end());
        const auto note = [&](const Expr& e) {
            visit(e, [&](const Expr& node) {
                if (node.op() == Op::Var) symbols_.insert(node.name());
            });
        };
        for (const Place& p : s->places) std::for_each(p.subscripts.begin(), p.subscripts.end(), note);
        std::for_each(s->values.begin(), s->values.end(), note);
        std::for_each(s->predicates.begin(), s->predicates.end(), note);
    }
}

const Storage* DeviceEmitter::storage_of(Name array) const {
    const auto it = program_.storage.find(array);
    return it == program_.storage.end() ? nullptr : &it->second;
}

AccessPath DeviceEmitter::path_of(const Array& a) {
    using Kind = AccessPath::Kind;
    if (names_.parts(a.name) != 0) return {Kind::Parts, names_.fresh(names_(a.name) + "_parts"), {}};
    if (a.role == Role::Table) return {Kind::Matrix, table_name(a), {}};
    const Storage* storage = storage_of(a.name);
    const bool local = storage && storage->kind != Storage::Kind::Allocated;
    Kind kind = Kind::Pointer;
    if (a.by_value() || (local && a.shape.empty())) kind = Kind::Value;
    if (local && !a.shape.empty() && a.layout.is_default()) kind = Kind::Matrix;
    return {kind, names_(a.name), local ? storage->by_lane : std::vector<bool>{}};
}

/// A static array needs a name of its own in the file; a large table one that no other file has.
std::string DeviceEmitter::table_name(const Array& a) const {
    return helpers_.global(is_large_table(a) ? helpers_.owner + "_table_" + names_(a.name) : names_(a.name));
}

/// Pointers to the arrays of a separate axis.
std::string DeviceEmitter::part_table(const Array& a, const std::string& name) const {
    const std::string element = (a.role == Role::In ? "const " : "") + c_type(a.type);
    std::string out = element + " *const " + name + "[" + std::to_string(names_.parts(a.name)) + "] = {";
    for (std::size_t k = 0; k < names_.parts(a.name); ++k) out += (k ? ", " : "") + names_.part(a.name, k);
    return out + "};";
}

bool needs_failure_note(const Program& program) {
    return !program.tests.empty() || std::any_of(program.calls.begin(), program.calls.end(),
                                                 [](const auto& call) { return needs_failure_note(*call.second.callee); });
}

std::string DeviceEmitter::run() {
    Lines out, all;
    out.open("");
    body({code_}, {}, out);
    all.open("{");
    declare_launch(all);
    for (const auto& [name, table] : writer_.part_tables) all.line(part_table(*kernel_.find_array(name), table));
    all.raw(out.text().substr(1));  // without the empty first line
    all.close();
    return all.text();
}

/// What a launch declares at its start: memory of the block, and where this lane is.
void DeviceEmitter::declare_launch(Lines& out) {
    if (!launch_) return;
    const Dialect& dialect = dialect_of(helpers_.device);
    for (Name t : launch_->shared) {
        const Array& a = *kernel_.find_array(t);
        if (mentions(t)) out.line(dialect.shared + local_declaration(a) + ";");
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Name block = block_symbol(static_cast<int>(axis)), lane = lane_symbol(static_cast<int>(axis));
        if (mentions(block)) out.line("const int64_t " + names_(block) + " = " + dialect.block[axis] + ";");
        if (mentions(lane)) out.line("const int64_t " + names_(lane) + " = " + dialect.lane[axis] + ";");
    }
}

void DeviceEmitter::body(const std::vector<CodePtr>& codes, const std::vector<Name>& temporaries, Lines& out) {
    if (temporaries.empty()) {
        for (const CodePtr& c : codes) code(*c, out, codes.size() == 1);
        return;
    }
    for (Name t : temporaries) writer_.used.erase(t);
    declare(codes, temporaries, out);
    for (const CodePtr& c : codes) code(*c, out, false);
    finish(temporaries, out);
}

void DeviceEmitter::code(const Code& c, Lines& out, bool alone) {
    switch (c.kind) {
        case Code::Kind::Block:
            return block(c, out, alone);
        case Code::Kind::For:
            return loop(c, out);
        case Code::Kind::Fix:
            return fix(c, out, alone);
        case Code::Kind::If:
            return branch(c, out);
        case Code::Kind::Run:
            return run_statement(c, out);
        case Code::Kind::Launch:
            return on_launch(*this, c, out);
        case Code::Kind::Barrier:
            return out.line(dialect_of(helpers_.device).barrier);
    }
}

void DeviceEmitter::block(const Code& c, Lines& out, bool alone) {
    if (alone || c.temporaries.empty()) return body(c.body, c.temporaries, out);
    out.open("{");
    body(c.body, c.temporaries, out);
    out.close();
}

/// "variable = value" as a constant, unless nothing in the body reads it.
void DeviceEmitter::fix(const Code& c, Lines& out, bool alone) {
    const auto mark = writer_.known.mark();
    writer_.known.enter(c.variable);
    writer_.known.add(equal(Affine::symbol(c.variable), c.value));
    const bool before = writer_.used.count(c.variable) != 0;
    writer_.used.erase(c.variable);
    Lines inner(out.depth() + (alone ? 0 : 1)), flat(out.depth());
    body(c.body, c.temporaries, inner);
    const bool read = writer_.used.count(c.variable) != 0;
    if (before) writer_.used.insert(c.variable);
    writer_.known.release(mark);
    if (!alone) out.open("{");
    if (read) out.line("const int64_t " + names_(c.variable) + " = " + writer_.affine(c.value) + ";");
    out.raw(inner.text());
    if (!alone) out.close();
}

void DeviceEmitter::branch(const Code& c, Lines& out) {
    const auto mark = writer_.known.mark();
    out.open("if (" + writer_.condition(c.condition) + ") {");
    if (c.condition.convex()) writer_.known.add(c.condition.pieces[0]);
    body(c.body, {}, out);
    writer_.known.release(mark);
    if (!c.otherwise.empty()) {
        out.close("} else {", true);
        body(c.otherwise, {}, out);
    }
    out.close();
}

std::string DeviceEmitter::lower_text(const Code& c) {
    std::string whole;
    for (const auto& alternative : c.lower.alternatives) {
        std::string text;
        for (const Ratio& r : alternative) {
            const std::string one = writer_.quotient(r.form, r.divisor, true, false, any_precedence);
            text = text.empty() ? one : helpers_.use("max", index_type) + "(" + text + ", " + one + ")";
        }
        whole = whole.empty() ? text : helpers_.use("min", index_type) + "(" + whole + ", " + text + ")";
    }
    return whole;
}

/// The upper bound, or one more. A quotient may round towards zero where the loop starts at 0 or later: a negative bound then
/// runs nothing either way.
std::string DeviceEmitter::upper_text(const Code& c, bool exclusive) {
    const bool from_zero = exclusive && writer_.known.proves_nonnegative(Affine::symbol(c.variable));
    std::string whole;
    for (const auto& alternative : c.upper.alternatives) {
        std::string text;
        for (const Ratio& r : alternative) {
            const Affine form = !exclusive ? r.form : r.divisor == 1 ? successor(r.form) : r.form + Affine(r.divisor);
            const std::string one = writer_.quotient(form, r.divisor, false, from_zero, any_precedence);
            text = text.empty() ? one : helpers_.use("min", index_type) + "(" + text + ", " + one + ")";
        }
        whole = whole.empty() ? text : helpers_.use("max", index_type) + "(" + whole + ", " + text + ")";
    }
    return whole;
}

std::string DeviceEmitter::header(const Code& c) {
    const std::string v = names_(c.variable);
    const std::string by = c.step == 1 ? "" : " " + std::to_string(c.step);
    if (c.descending) {
        const std::string step = c.step == 1 ? v + "--" : v + " -=" + by;
        return "for (int64_t " + v + " = " + upper_text(c, false) + "; " + v + " >= " + lower_text(c) + "; " + step + ") {";
    }
    const bool exclusive = prefers_exclusive(c.upper);
    const std::string step = c.step == 1 ? v + "++" : v + " +=" + by;
    return "for (int64_t " + v + " = " + lower_text(c) + "; " + v + (exclusive ? " < " : " <= ") + upper_text(c, exclusive) +
           "; " + step + ") {";
}

void DeviceEmitter::loop(const Code& c, Lines& out) {
    const auto mark = writer_.known.mark();
    const bool guarded = open_accumulators(c, out);
    pragmas(c, out);
    const bool in_vector = std::exchange(in_vector_, in_vector_ || c.tag.kind == LoopTag::Kind::Vector);
    writer_.known.enter(c.variable);
    writer_.known.add(enforced_below(c.variable, c.lower));
    out.open(header(c));
    writer_.known.add(enforced_above(c.variable, c.upper));
    body(c.body, c.temporaries, out);
    out.close();
    in_vector_ = in_vector;
    writer_.known.release(mark);
    close_accumulators(c, guarded, out);
}

}  // namespace heddle
