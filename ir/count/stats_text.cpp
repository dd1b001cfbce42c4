// Stats as tables.
#include <fmt/format.h>

#include <algorithm>

#include "ir/error.h"
#include "ir/print.h"
#include "ir/stats.h"

namespace heddle {

namespace {

using Row = std::vector<std::string>;

/// Lines with aligned columns, two blanks between them.
std::string aligned(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    }
    std::string out;
    for (const Row& row : rows) {
        std::string line = " ";
        for (std::size_t k = 0; k < row.size(); ++k) line += fmt::format(" {:<{}} ", row[k], widths[k]);
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return out;
}

/// Writes quantities: as formulas, with numbers before them where there are values.
class Writer {
public:
    explicit Writer(const Env* values) : values_(values) {}

    void section(const std::string& title, const std::vector<std::pair<Row, const Quantity*>>& lines) {
        if (lines.empty()) return;
        std::vector<Row> rows;
        for (const auto& [cells, quantity] : lines) {
            Row row = cells;
            if (values_) row.push_back(number(*quantity));
            row.push_back(quantity->str());
            rows.push_back(std::move(row));
        }
        text += title + "\n" + aligned(rows);
    }

    std::string text;

private:
    std::string number(const Quantity& q) const {
        const auto value = q.at(*values_);
        return value ? (q.at_most ? "<= " : "") + to_text(*value) : "?";
    }

    const Env* values_;
};

std::string kind_text(const OperationCount& op) {
    return (op.kind == OperationKind::Index ? "index" : std::string(name_of(op.type)));
}

std::string operation_text(const OperationCount& op) { return op.kind == OperationKind::Call ? op.name + "()" : op.name; }

std::string written(const Stats& s, const Env* values) {
    using Lines = std::vector<std::pair<Row, const Quantity*>>;
    Lines instances, operations, accesses, footprints;
    for (const InstanceCount& i : s.instances)
        instances.push_back({{i.statement.str(), "[" + text_of(i.loops) + "]"}, &i.count});
    for (const OperationCount& op : s.operations) operations.push_back({{kind_text(op), operation_text(op)}, &op.count});
    for (const AccessCount& a : s.accesses)
        accesses.push_back({{a.array.str(), a.store ? "store" : "load", "stride " + a.stride.str()}, &a.count});
    for (const FootprintCount& f : s.footprints)
        footprints.push_back({{f.array.str(), std::string(name_of(f.type))}, &f.elements});
    Writer writer(values);
    writer.text = "kernel " + s.kernel + (s.assumptions.is_everything() ? "" : " where " + print(s.assumptions)) + "\n";
    writer.section("statement instances", instances);
    writer.section("operations", operations);
    writer.section("accesses", accesses);
    writer.section("distinct elements", footprints);
    writer.section("totals", {{{"floating-point operations"}, &s.flops},
                              {{"bytes loaded"}, &s.loaded_bytes},
                              {{"bytes stored"}, &s.stored_bytes},
                              {{"bytes touched"}, &s.touched_bytes}});
    for (const std::string& note : s.notes) writer.text += "note: " + note + "\n";
    return writer.text;
}

}  // namespace

void Stats::require_values(const Env& values) const {
    for (const Name n : parameters)
        if (values.count(n) == 0)
            throw user_error("parameter", fmt::format("no value for the parameter '{}' of kernel '{}'", n.str(), kernel))
                .hint(fmt::format("give one: {}=512", n.str()));
    if (!contains(assumptions, values))
        throw user_error("parameter", fmt::format("these values break the kernel's condition: where {}", print(assumptions)));
    if (!contains(context, values))
        throw user_error("parameter", fmt::format("these values give an array of kernel '{}' a negative extent", kernel));
}

std::string Stats::str() const { return written(*this, nullptr); }

std::string Stats::str(const Env& values) const {
    require_values(values);
    return written(*this, &values);
}

}  // namespace heddle
