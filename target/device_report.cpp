// A device program in words.
#include <fmt/format.h>

#include "ir/print.h"
#include "target/emit.h"

namespace heddle {
namespace {

std::string reason(const KernelData& kernel, const Crossing& c) {
    const std::string first = kernel.statements[c.source]->label.str(), second = kernel.statements[c.sink]->label.str();
    const char* what = c.kind == DependenceKind::Flow     ? "reads what other lanes wrote"
                       : c.kind == DependenceKind::Anti   ? "overwrites what other lanes read"
                       : c.kind == DependenceKind::Output ? "overwrites what other lanes wrote"
                                                          : "updates what other lanes update";
    const std::string when = c.carrier ? fmt::format(", from one iteration of '{}' to a later one", c.carrier->loop.str()) : "";
    return fmt::format("between '{}' and '{}'{}: '{}' {} in '{}'", first, second, when, second, what, c.array.str());
}

}  // namespace

std::vector<LaunchReport> launch_reports(const Program& program) {
    std::vector<LaunchReport> out;
    for (std::size_t k = 0; k < program.launches.size(); ++k) {
        const Launch& launch = program.launches[k];
        LaunchReport r{launch_name(program, k), {}, launch.lanes, {}};
        for (const Launch::Blocks& b : launch.blocks)
            r.blocks += fmt::format("{}{} on {}", r.blocks.empty() ? "" : ", ", b.loop->variable.str(),
                                    mapping_text(b.loop->loop->tag));
        for (const Crossing& c : launch.barriers) r.barriers.push_back(reason(*program.kernel, c));
        out.push_back(std::move(r));
    }
    return out;
}

}  // namespace heddle
