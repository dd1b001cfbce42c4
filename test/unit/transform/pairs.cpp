#include "pairs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/error.h"

namespace heddle::test {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const std::string& path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    std::ostringstream out;
    out << file.rdbuf();
    return out.str();
}

ScheduleText schedule_of(const std::string& text, const std::string& name) {
    ScheduleText out;
    const auto source = std::make_shared<const Source>(Source{name, text});
    std::istringstream lines(text);
    std::string line;
    for (std::uint32_t number = 1; std::getline(lines, line); ++number)
        if (!line.empty()) out.lines.push_back({line, Loc{source, number, 1}});
    return out;
}

std::vector<Pair> all_pairs() {
    std::vector<Pair> out;
    const fs::path root = fs::path(HEDDLE_SOURCE_DIR) / "test" / "steps";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().filename() != "kernel.heddle") continue;
        const std::string folder = entry.path().parent_path().string();
        const Unit unit = parse(*text_of(entry.path().string()), "kernel.heddle");
        out.push_back({folder.substr(root.string().size() + 1), folder,
                       schedule_of(text_of(folder + "/script").value(), "script"), unit.kernels.back(),
                       !fs::exists(folder + "/not_compared")});
    }
    std::sort(out.begin(), out.end(), [](const Pair& a, const Pair& b) { return a.name < b.name; });
    return out;
}

Outcome outcome_of(const Pair& pair) {
    try {
        return {run(read_script(pair.script), pair.kernel), ""};
    } catch (const Error& e) {
        if (e.kind() == ErrorKind::Internal) throw;
        return {std::nullopt, "[" + e.code() + "] " + e.render()};
    }
}

}  // namespace heddle::test
