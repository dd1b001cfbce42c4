// Statements as C text.
#include <algorithm>

#include "ir/error.h"
#include "ir/infer.h"
#include "target/device.h"

namespace heddle {

std::string DeviceEmitter::place_text(const Place& p) {
    const Name memory = writer_.memory_of(p.array);
    written_.insert(memory);
    return writer_.element(p.array, p.subscripts);
}

/// Is it one element that one of the language's own operators updates?
static bool is_one_update(const Statement& s) {
    return s.places.size() == 1 && s.update != Update::Custom && s.update != Update::ArgMin && s.update != Update::ArgMax;
}

/// Do threads update such an element by an atomic operation? Anything else takes a lock.
static bool is_atomic_operation(Update update, DType type) {
    return (update == Update::Add || update == Update::Mul) && !is_complex(type);
}

/// Is there an update inside that takes a lock, which lanes of a vector cannot? Loops inside that accumulate update an element
/// after their last iteration.
bool DeviceEmitter::takes_lock(const Code& c) const {
    const auto locks = [&](Update update, Name array) { return !is_atomic_operation(update, kernel_.find_array(array)->type); };
    if (c.kind == Code::Kind::Run) {
        const Statement& s = *kernel_.statements[c.statement];
        return c.atomic && (!is_one_update(s) || locks(s.update, s.places[0].array));
    }
    const auto accumulates = [&](const Reduction& r) { return r.atomic && !r.element.empty() && locks(r.update, r.array); };
    const auto in = [&](const CodePtr& child) {
        return takes_lock(*child) || std::any_of(child->reductions.begin(), child->reductions.end(), accumulates);
    };
    return std::any_of(c.body.begin(), c.body.end(), in) || std::any_of(c.otherwise.begin(), c.otherwise.end(), in);
}

void DeviceEmitter::run_statement(const Code& c, Lines& out) {
    const Statement& s = *kernel_.statements[c.statement];
    writer_.constants = &c.constants;
    const auto tests = program_.tests.find(c.statement);
    writer_.tests = tests == program_.tests.end() ? nullptr : &tests->second;
    writer_.tested = s.label.str();
    std::string condition;
    for (const Expr& p : s.predicates)
        condition += (condition.empty() ? "" : " && ") +
                     writer_.value(p, DType::Bool, s.predicates.size() > 1 ? and_precedence + 1 : any_precedence);
    if (!condition.empty()) out.open("if (" + condition + ") {");
    std::string prefix, inside;
    for (const Place& p : s.places)
        if (const std::string one = writer_.inside(p.array, p.subscripts); !one.empty())
            inside += (inside.empty() ? "" : " && ") + one;
    if (!inside.empty()) out.open("if (" + inside + ") {");
    if (c.atomic && !is_one_update(s)) {
        if (launch_) refuse_atomic(s);
        out.line("HEDDLE_OMP(critical(heddle_update))");
    }
    if (s.call) {
        call(c.statement, out);
    } else if (declared_by(c, prefix)) {
        const Array& a = *kernel_.find_array(s.places[0].array);
        const DType type = prefix.find("int64_t") != std::string::npos && is_integer(a.type) ? index_type : a.type;
        const std::string value = writer_.value(s.values[0], type == index_type ? s.values[0].type() : type);
        out.line(prefix + names_(a.name) + " = " + value + ";");
    } else if (c.atomic && is_one_update(s)) {
        assign_atomic(s, out);
    } else if (s.update == Update::ArgMin || s.update == Update::ArgMax) {
        select_extreme(s, out);
    } else if (s.update == Update::Custom) {
        custom(s, out);
    } else if (s.places.size() > 1) {
        tuple(s, out);
    } else if (const auto part = accumulators_.find(c.statement); part != accumulators_.end()) {
        accumulate(s, part->second, out);
    } else if (!s.places.empty()) {
        assign(s, out);
    }
    if (!inside.empty()) out.close();
    if (!condition.empty()) out.close();
    writer_.tests = nullptr;
    writer_.constants = nullptr;
}

/// The right side of "place = …" for an update that C has no operator for.
std::string DeviceEmitter::updated(const Statement& s, const Expr& old, const Expr& value, const Array& a) {
    return writer_.value(make(operation_of(s.update), a.type, {old, value}), a.type);
}

void DeviceEmitter::assign(const Statement& s, Lines& out) {
    const Place& p = s.places[0];
    const Array& a = *kernel_.find_array(p.array);
    const std::string place = place_text(p);
    const bool plain = is_float(a.type) || a.type == DType::U32 || a.type == DType::U64;
    if (s.update == Update::Assign)
        out.line(place + " = " + writer_.value(s.values[0], a.type) + ";");
    else if (plain && s.update == Update::Add && s.values[0].op() == Op::Neg && s.values[0].type() == a.type)
        out.line(place + " -= " + writer_.value(s.values[0].arg(0), a.type, sum_precedence + 1) + ";");
    else if (plain && (s.update == Update::Add || s.update == Update::Mul))
        out.line(place + (s.update == Update::Add ? " += " : " *= ") + writer_.value(s.values[0], a.type) + ";");
    else
        out.line(place + " = " + updated(s, read(p.array, p.subscripts, a.type), s.values[0], a) + ";");
}

/// An update of an accumulator in place of the element that it stands for.
void DeviceEmitter::accumulate(const Statement& s, const std::string& accumulator, Lines& out) {
    static const Name held("the accumulator");
    const Array& a = *kernel_.find_array(s.places[0].array);
    writer_.operands[held] = accumulator;
    const bool adds = s.update == Update::Add && (is_float(a.type) || a.type == DType::U32 || a.type == DType::U64);
    if (adds)
        out.line(accumulator + " += " + writer_.value(s.values[0], a.type) + ";");
    else
        out.line(accumulator + " = " + updated(s, make(Op::Var, a.type, {}, held), s.values[0], a) + ";");
    writer_.operands.erase(held);
}

/// An update that other threads may make at the same time. Signed sums are made in the unsigned type of that width, as they
/// wrap.
void DeviceEmitter::assign_atomic(const Statement& s, Lines& out) {
    const Array& a = *kernel_.find_array(s.places[0].array);
    if (launch_) return assign_atomic_on_device(s, a, out);
    if (!is_atomic_operation(s.update, a.type)) {
        out.line("HEDDLE_OMP(critical(heddle_update))");
        return assign(s, out);
    }
    out.line("HEDDLE_OMP(atomic)");
    std::string place = place_text(s.places[0]), value = writer_.value(s.values[0], a.type);
    if (is_signed(a.type) && size_of(a.type) >= 4) {
        place = "*(" + c_unsigned(a.type) + " *)&" + place;
        value = "(" + c_unsigned(a.type) + ")" + writer_.value(s.values[0], a.type, unary_precedence);
    }
    out.line(place + (s.update == Update::Add ? " += " : " *= ") + value + ";");
}

void DeviceEmitter::refuse_atomic(const Statement& s) {
    throw user_error("atomic",
                     "'" + s.label.str() + "' updates '" + s.places[0].array.str() +
                         "' from several lanes or blocks, which a device can't do atomically for this operator and type",
                     s.loc)
        .hint("reduce in steps: rfactor, then combine the partial results in one lane");
}

void DeviceEmitter::assign_atomic_on_device(const Statement& s, const Array& a, Lines& out) {
    const char* operation = s.update == Update::Add   ? "add"
                            : s.update == Update::Mul ? "mul"
                            : s.update == Update::Min ? "min"
                            : s.update == Update::Max ? "max"
                                                      : nullptr;
    if (!operation || size_of(a.type) < 4 || is_complex(a.type)) refuse_atomic(s);
    std::string family = std::string("atomic_") + (is_float(a.type) ? "f" : "") + operation;
    const Storage* storage = storage_of(writer_.memory_of(a.name));
    const bool shared = storage && storage->kind == Storage::Kind::Shared;
    if (helpers_.device == Device::OpenCl) family += shared ? "_local" : "_global";
    const std::string place = place_text(s.places[0]);
    out.line(helpers_.use(family, a.type) + "(&" + place + ", " + writer_.value(s.values[0], a.type) + ");");
}

/// All values are taken before any place changes.
void DeviceEmitter::tuple(const Statement& s, Lines& out) {
    out.open("{");
    std::vector<std::string> next;
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        const Array& a = *kernel_.find_array(s.places[k].array);
        next.push_back(names_.fresh("next_" + std::to_string(k)));
        const std::string value = s.update == Update::Assign
                                      ? writer_.value(s.values[k], a.type)
                                      : updated(s, read(a.name, s.places[k].subscripts, a.type), s.values[k], a);
        out.line("const " + c_type(a.type) + " " + next.back() + " = " + value + ";");
    }
    for (std::size_t k = 0; k < s.places.size(); ++k) out.line(place_text(s.places[k]) + " = " + next[k] + ";");
    out.close();
}

/// (value, index…) tuples: the first extreme value in loop order stays and NaN wins. An equal value is taken while all indices
/// are -1.
void DeviceEmitter::select_extreme(const Statement& s, Lines& out) {
    const Array& best = *kernel_.find_array(s.places[0].array);
    const bool floating = is_float(best.type);
    std::string candidate, held;
    out.open("{");
    const auto hold = [&](const char* name, const std::string& value) {
        const std::string n = names_.fresh(name);
        out.line("const " + c_type(best.type) + " " + n + " = " + value + ";");
        return n;
    };
    candidate = hold("candidate", writer_.value(s.values[0], best.type));
    held = hold("held", writer_.value(read(best.name, s.places[0].subscripts, best.type), best.type));
    std::string none;
    for (std::size_t k = 1; k < s.places.size(); ++k) {
        const Array& a = *kernel_.find_array(s.places[k].array);
        none += " && " + writer_.value(read(a.name, s.places[k].subscripts, a.type), a.type, relation_precedence) + " == -1";
    }
    std::string better = candidate + (s.update == Update::ArgMin ? " < " : " > ") + held;
    if (floating) better += " || (" + candidate + " != " + candidate + " && " + held + " == " + held + ")";
    better += " || (" + candidate + " == " + held + none + ")";
    out.open("if (" + better + ") {");
    std::vector<std::string> values{candidate};
    for (std::size_t k = 1; k < s.places.size(); ++k)
        values.push_back(writer_.value(s.values[k], kernel_.find_array(s.places[k].array)->type));
    for (std::size_t k = 0; k < s.places.size(); ++k) out.line(place_text(s.places[k]) + " = " + values[k] + ";");
    out.close();
    out.close();
}

/// A user's operator on tuples: operands are named, results computed from them, then stored.
void DeviceEmitter::custom(const Statement& s, Lines& out) {
    const OperatorDef* op = kernel_.find_operator(s.op);
    require(op && op->results.size() == s.places.size(), "a custom update names an operator of its width");
    out.open("{");
    const auto saved = writer_.operands;
    std::vector<std::pair<Name, std::string>> bound;
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        const Array& a = *kernel_.find_array(s.places[k].array);
        const std::string left = names_.fresh(c_identifier(op->left[k].str())),
                          right = names_.fresh(c_identifier(op->right[k].str()));
        out.line("const " + c_type(a.type) + " " + left + " = " +
                 writer_.value(read(a.name, s.places[k].subscripts, a.type), a.type) + ";");
        out.line("const " + c_type(a.type) + " " + right + " = " + writer_.value(s.values[k], a.type) + ";");
        bound.emplace_back(op->left[k], left);
        bound.emplace_back(op->right[k], right);
    }
    std::map<Name, DType> types;
    for (std::size_t k = 0; k < s.places.size(); ++k)
        types[op->left[k]] = types[op->right[k]] = kernel_.find_array(s.places[k].array)->type;
    for (auto& [name, text] : bound) writer_.operands[name] = text;
    for (std::size_t k = 0; k < s.places.size(); ++k) {
        const Array& a = *kernel_.find_array(s.places[k].array);
        const std::string result = writer_.value(infer(kernel_, op->results[k], a.type, types), a.type);
        const auto operands = std::exchange(writer_.operands, saved);
        out.line(place_text(s.places[k]) + " = " + result + ";");
        writer_.operands = operands;
    }
    writer_.operands = saved;
    out.close();
}

}  // namespace heddle
