#include "tools/heddle/storage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <thread>
#include <vector>

#include "ir/types.h"
#include "target/storage_report.h"

namespace heddle::tools {

int thread_count() {
    const char* set = std::getenv("OMP_NUM_THREADS");
    const int asked = set ? std::atoi(set) : 0;
    return asked > 0 ? asked : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string storage_text(const Program& program, const Env& parameters) {
    const std::vector<TemporaryReport> all = report_storage(program);
    if (all.empty()) return {};
    std::vector<std::vector<std::string>> rows;
    std::string registers;
    for (const TemporaryReport& t : all)
        if (t.space == "register")
            registers += (registers.empty() ? "" : ", ") + t.name.str();
        else
            rows.push_back({t.name.str(), std::string(name_of(t.type)) + t.extent, t.space, t.bytes + " bytes",
                        t.first == t.last ? t.first : t.first + " to " + t.last, t.reason});
    std::vector<std::size_t> widths(rows.empty() ? 0 : rows[0].size());
    for (const auto& row : rows)
        for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], row[k].size());
    std::string out = "temporaries\n";
    for (const auto& row : rows) {
        std::string line = " ";
        for (std::size_t k = 0; k + 1 < row.size(); ++k) line += fmt::format(" {:<{}}", row[k], widths[k]);
        out += line + "  " + row.back() + "\n";
    }
    if (!registers.empty()) out += "  in registers, as they are scalars: " + registers + "\n";
    if (program.memory.empty()) return out;
    out += "memory of a call: " + workspace_formula(program) + "\n";
    if (parameters.empty()) return out;
    const int threads = thread_count();
    const auto bytes = workspace_bytes(program, parameters, threads);
    return out +
           (bytes ? fmt::format("  = {} bytes with {} threads; {} if none shared\n", bytes->planned, threads, bytes->separate)
                  : "  = more than 64 bits hold\n");
}

}  // namespace heddle::tools
