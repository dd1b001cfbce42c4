// A sequence as text.
#include <fmt/format.h>

#include "runtime/freeze/sequence.h"

namespace heddle::runtime {
namespace {

const char* sign(Op op) {
    switch (op) {
        case Op::Add:
            return " + ";
        case Op::Subtract:
            return " - ";
        case Op::Multiply:
            return " * ";
        case Op::Divide:
            return " / ";
        case Op::Remainder:
            return " % ";
        case Op::Less:
            return " < ";
        case Op::LessEqual:
            return " <= ";
        case Op::Equal:
            return " == ";
        default:
            return ", ";
    }
}

std::string number_text(Element type, Value v) {
    if (type == Element::F64) return fmt::format("{}", v.as<double>());
    if (type == Element::F32) return fmt::format("{}", v.as<float>());
    if (type == Element::U64) return fmt::format("{}", v.as<std::uint64_t>());
    if (bytes_of(type) == 4) return fmt::format("{}", v.as<std::int32_t>());
    return fmt::format("{}", v.as<std::int64_t>());
}

std::string formula_text(const Sequence& s, std::uint32_t k, int depth = 0) {
    const Formula& f = s.formulas[k];
    if (f.op == Op::Input) return fmt::format("n{}", k);
    if (f.op == Op::Constant) return number_text(f.type, f.value);
    if (f.op == Op::Fetched) return fmt::format("read{}", k);
    if (depth > 16) return "…";  // formulas share parts: as text they may be as large as you like
    const std::string a = formula_text(s, f.a, depth + 1);
    if (f.op == Op::Convert) return fmt::format("{}({})", name_of(f.type), a);
    const std::string b = formula_text(s, f.b, depth + 1);
    if (f.op == Op::Least || f.op == Op::Greatest) return fmt::format("{}({}, {})", f.op == Op::Least ? "min" : "max", a, b);
    return fmt::format("({}{}{})", a, sign(f.op), b);
}

std::string slot_name(const Sequence& s, std::uint32_t k) {
    const Slot& slot = s.slots[k];
    switch (slot.kind) {
        case Slot::Kind::Input:
            return fmt::format("argument{}", slot.leaf + 1);
        case Slot::Kind::Captured:
            return fmt::format("kept{}", k);
        case Slot::Kind::Output:
            return fmt::format("result{}", k);
        default:
            return fmt::format("temporary{}", k);
    }
}

std::string argument_text(const Sequence& s, const StepArgument& a) {
    if (!a.memory) return formula_text(s, a.formula);
    const std::string offset = formula_text(s, a.formula);
    return slot_name(s, a.slot) + (offset == "0" ? "" : " + " + offset + " bytes");
}

std::string arguments_text(const Sequence& s, const std::vector<StepArgument>& list) {
    std::string out;
    for (const StepArgument& a : list) out += (out.empty() ? "" : ", ") + argument_text(s, a);
    return out;
}

std::string text(const Sequence& s, const CallStep& c) {
    return fmt::format("{}({})", c.function->name, arguments_text(s, c.arguments));
}
std::string text(const Sequence& s, const LaunchStep& l) {
    return fmt::format("{}[{} x {} x {} blocks of {} x {} x {}]({})", l.function->name, formula_text(s, l.blocks[0]),
                       formula_text(s, l.blocks[1]), formula_text(s, l.blocks[2]), l.lanes[0], l.lanes[1], l.lanes[2],
                       arguments_text(s, l.arguments));
}
std::string text(const Sequence& s, const CopyStep& c) {
    return fmt::format("copy {} <- {}, {} bytes", argument_text(s, c.to), argument_text(s, c.from), formula_text(s, c.bytes));
}
std::string text(const Sequence& s, const FetchStep& f) {
    return fmt::format("{} = a number at {}", formula_text(s, f.formula), argument_text(s, f.from));
}
std::string text(const Sequence& s, const AllocateStep& a) {
    return fmt::format("allocate {}, {} bytes", slot_name(s, a.slot), formula_text(s, s.slots[a.slot].bytes));
}
std::string text(const Sequence& s, const ReleaseStep& r) { return "release " + slot_name(s, r.slot); }

}  // namespace

std::string describe(const Sequence& s) {
    std::string out;
    for (const auto& [a, b] : s.equal_sizes) out += fmt::format("  needs n{} == n{}\n", a, b);
    for (const Guard& g : s.guards)
        out += fmt::format("  needs {} to be {}\n", formula_text(s, g.formula), number_text(Element::I64, g.expected));
    for (const std::uint32_t k : s.late_checks) out += fmt::format("  checks {} when it is known\n", formula_text(s, k));
    for (const Overlap& o : s.overlaps)
        out += fmt::format("  needs arrays {} and {} to share memory as recorded\n", o.a + 1, o.b + 1);
    for (const Planned& p : s.plan)
        out += fmt::format("  {}: {} bytes, steps {} to {}\n", slot_name(s, p.slot), formula_text(s, s.slots[p.slot].bytes),
                           s.slots[p.slot].first + 1, s.slots[p.slot].last + 1);
    std::size_t number = 0;
    for (const Step& step : s.steps)
        out += fmt::format("  {}. {}\n", ++number, std::visit([&](const auto& at) { return text(s, at); }, step));
    return out;
}

}  // namespace heddle::runtime
