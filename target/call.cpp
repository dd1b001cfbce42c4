// Calls of kernels in emitted code.
#include <algorithm>

#include "ir/error.h"
#include "ir/interpret_machine.h"
#include "target/device.h"
#include "target/place_storage.h"
#include "target/workspace.h"

namespace heddle {

/// This thread's instance of an allocated temporary; each starts a line of the cache. Nothing where all are empty.
std::string DeviceEmitter::thread_pointer(const Array& a) {
    const std::int64_t line = block_alignment / static_cast<std::int64_t>(size_of(a.type));
    const Expr lines = make(Op::BitAnd, index_type,
                            {index_add(memory_elements(a), int_literal(line - 1, index_type)), int_literal(-line, index_type)});
    const auto constant = interp::index_value(lines, {});
    const std::string name = names_(a.name);
    const std::string own = name + " + " + helpers_.use("thread") + "() * " +
                            writer_.value(constant ? int_literal(*constant, index_type) : lines, index_type, unary_precedence);
    return constant && *constant > 0 ? own : name + " ? " + own + " : " + name;
}

/// The address of an array's first element.
std::string DeviceEmitter::pointer_to(Name array) {
    const Name memory = writer_.memory_of(array);
    written_.insert(memory);
    writer_.used.insert(memory);
    const AccessPath& path = writer_.paths.at(memory);
    if (path.kind == AccessPath::Kind::Pointer) return path.text;
    std::string out = "&" + path.text;
    if (path.kind == AccessPath::Kind::Matrix)
        for (std::size_t k = 0; k < kernel_.find_array(memory)->shape.size(); ++k) out += "[0]";
    return out;
}

std::string DeviceEmitter::argument(const Statement& s, const CallPlan& plan, const DeviceParameter& parameter) {
    const Name formal = parameter.name;
    if (formal.empty()) return writer_.failure;
    for (const auto& [theirs, ours] : plan.borrowed) {
        if (theirs != formal) continue;
        written_.insert(ours);
        const Array& a = *kernel_.find_array(ours);
        return plan.concurrent ? thread_pointer(a) : names_(ours);
    }
    const KernelData& callee = *plan.callee->kernel;
    for (const auto& [name, value] : s.call->bindings) {
        if (name != formal) continue;
        const Array* wanted = callee.find_array(formal);
        if (wanted && parameter.part >= 0) {
            writer_.parts.emplace(value.name(), static_cast<std::size_t>(parameter.part));
            return names_.part(value.name(), static_cast<std::size_t>(parameter.part));
        }
        if (wanted && !wanted->by_value()) return pointer_to(value.name());
        return writer_.value(writer_.folded(value), wanted ? wanted->type : index_type);
    }
    throw Error(ErrorKind::Internal, "internal", "a call of '" + callee.name.str() + "' does not bind '" + formal.str() + "'");
}

void DeviceEmitter::call(std::size_t statement, Lines& out) {
    const CallPlan& plan = program_.calls.at(statement);
    const auto [it, is_new] = callee_texts_.try_emplace(plan.callee.get());
    DeviceText& text = it->second;
    if (is_new) {
        const NameTable names(*plan.callee->kernel);
        text = emit_device(*plan.callee, names, helpers_);
        callees_ += text.callees + (text.tables.empty() ? "" : text.tables + "\n") + "static " + text.signature() + " " +
                    text.body + "\n";
    }
    std::string line = text.name + "(";
    for (std::size_t k = 0; k < text.parameters.size(); ++k)
        line += (k ? ", " : "") + argument(*kernel_.statements[statement], plan, text.parameters[k]);
    out.line(line + ");");
}

}  // namespace heddle
