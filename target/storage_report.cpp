#include "target/storage_report.h"

#include <algorithm>

#include "ir/interpret_machine.h"
#include "ir/print.h"
#include "ir/tree.h"
#include "target/emit.h"
#include "target/expression.h"
#include "target/place_storage.h"
#include "target/workspace.h"

namespace heddle {
namespace {

std::string extent_text(const Array& a) {
    std::string out;
    for (const Expr& e : a.shape) out += (out.empty() ? "[" : ", ") + print(e);
    return out.empty() ? out : out + "]";
}

std::string bytes_formula(const Array& a, bool for_each_thread) {
    if (const auto constant = constant_bytes(a); constant && !for_each_thread) return std::to_string(*constant);
    const std::string count = print(index_mul(int_literal(size_of(a.type), index_type), memory_elements(a)));
    return for_each_thread ? "threads*(" + count + ")" : count;
}

/// Bytes of one block of the memory of a call; nothing where it does not fit.
std::optional<std::int64_t> block_bytes(const Array& a, const Env& parameters, std::int64_t instances, std::int64_t alignment) {
    for (const Expr& e : occupied_extents(a))
        if (interp::index_value(e, parameters).value_or(1) <= 0) return 0;
    const auto count = interp::index_value(memory_elements(a), parameters);
    std::int64_t bytes = 0;
    if (!count || __builtin_mul_overflow(std::max<std::int64_t>(*count, 0), std::int64_t(size_of(a.type)), &bytes) ||
        __builtin_add_overflow(bytes, alignment - 1, &bytes) ||
        __builtin_mul_overflow(bytes / alignment * alignment, instances, &bytes))
        return std::nullopt;
    return bytes;
}

/// "a", or "max(a, b)".
std::string largest(const std::vector<std::string>& texts) {
    std::vector<std::string> different;
    for (const std::string& t : texts)
        if (std::find(different.begin(), different.end(), t) == different.end()) different.push_back(t);
    if (different.size() == 1) return different[0];
    std::string out = "max(";
    for (const std::string& t : different) out += (out.size() == 4 ? "" : ", ") + t;
    return out + ")";
}

}  // namespace

namespace {

std::string space_text(const Program& program, const Array& a, const Storage& storage) {
    const bool local = storage.kind == Storage::Kind::Local;
    if (program.options.device == Device::C) return !local ? "heap" : a.shape.empty() ? "register" : "stack";
    return local ? "lane" : storage.kind == Storage::Kind::Shared ? "shared" : "device";
}

}  // namespace

std::vector<TemporaryReport> report_storage(const Program& program) {
    const KernelData& kernel = *program.kernel;
    const std::map<Name, LiveRange> live = live_ranges(kernel);
    const std::vector<std::size_t> order = statements_under(kernel.root);
    std::vector<TemporaryReport> out;
    for (const Array& a : kernel.arrays) {
        const auto place = program.storage.find(a.name);
        if (place == program.storage.end()) continue;
        TemporaryReport r;
        r.name = a.name;
        r.type = a.type;
        r.extent = extent_text(a);
        r.space = space_text(program, a, place->second);
        r.for_each_thread = place->second.for_each_thread;
        const bool on_device = program.options.device != Device::C && place->second.kind != Storage::Kind::Allocated;
        r.bytes = on_device ? std::to_string(place->second.bytes) : bytes_formula(a, r.for_each_thread);
        r.reason = place->second.reason;
        if (const auto range = live.find(a.name); range != live.end()) {
            r.first = kernel.statements[order[range->second.first]]->label.str();
            r.last = kernel.statements[order[range->second.last]]->label.str();
        }
        out.push_back(std::move(r));
    }
    return out;
}

std::string workspace_formula(const Program& program) {
    std::vector<std::string> ends, tops;
    std::vector<char> covered(program.memory.size());
    std::map<std::pair<std::string, std::string>, std::string> known;  // by start and size: blocks of one size need one name
    for (const Slot& slot : program.memory) {
        std::vector<std::string> below;
        for (const std::size_t m : slot.above) below.push_back(ends[m]), covered[m] = 1;
        const std::string start = below.empty() ? "" : largest(below) + " + ";
        const std::string size =
            bytes_formula(*program.kernel->find_array(slot.name), program.storage.at(slot.name).for_each_thread);
        ends.push_back(known.try_emplace({start, size}, start + slot.name.str()).first->second);
    }
    for (std::size_t k = 0; k < ends.size(); ++k)
        if (!covered[k]) tops.push_back(ends[k]);
    return tops.empty() ? "0" : largest(tops);
}

std::optional<WorkspaceBytes> workspace_bytes(const Program& program, const Env& parameters, std::int64_t threads) {
    WorkspaceBytes out;
    std::vector<std::int64_t> sizes;
    const std::int64_t alignment = program.options.device == Device::C ? block_alignment : device_alignment;
    for (const Slot& slot : program.memory) {
        const std::int64_t instances = program.storage.at(slot.name).for_each_thread ? threads : 1;
        const auto bytes = block_bytes(*program.kernel->find_array(slot.name), parameters, instances, alignment);
        if (!bytes || __builtin_add_overflow(out.separate, *bytes, &out.separate)) return std::nullopt;
        sizes.push_back(*bytes);
    }
    const auto places = lay_out(program.memory, sizes);
    if (!places) return std::nullopt;
    for (const auto& [start, end] : *places) out.planned = std::max(out.planned, end);
    return out;
}

}  // namespace heddle
