// Kernel and emitted text side by side: test/emit/c/<case>.heddle and .c. HEDDLE_UPDATE=1 rewrites the texts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/kernel_data.h"
#include "target/target.h"

using namespace heddle;

namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream in(path);
    std::stringstream out;
    out << in.rdbuf();
    return out.str();
}

/// The device function alone.
std::string device_function(const Kernel& kernel) {
    const std::string text = emit_c(*lower(kernel)).at(2).text;
    return text.substr(text.rfind("\nvoid ") + 1);
}

}  // namespace

TEST_CASE("kernels and their C") {
    std::vector<std::filesystem::path> cases;
    for (const auto& entry : std::filesystem::directory_iterator(HEDDLE_SOURCE_DIR "/test/emit/c"))
        if (entry.path().extension() == ".heddle") cases.push_back(entry.path());
    REQUIRE(cases.size() > 5);
    std::sort(cases.begin(), cases.end());
    for (auto path : cases) {
        INFO(path.string());
        std::string text;
        for (const Kernel& kernel : parse_file(path).kernels) text += device_function(kernel);
        path.replace_extension(".c");
        if (std::getenv("HEDDLE_UPDATE")) std::ofstream(path) << text;
        CHECK(contents(path) == text);
        CHECK(std::count(text.begin(), text.end(), '\n') < 60);
    }
}
