// A fuzz target without libFuzzer: runs it on files and on mutations of them, the same ones in every run.
//   replay_parse [--rounds N] FILE-OR-FOLDER…
// Each input has a limit of processor time; a crash, an abort or an input beyond the limit leaves it in `<program>.input` and
// fails.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr double most_seconds = 5;  // a second, with room for slow builds
constexpr std::size_t most_bytes = 1500;

std::vector<std::string> read_inputs(const std::vector<std::string>& paths) {
    std::vector<std::string> files, out;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) files.push_back(path);
        if (std::filesystem::is_directory(path))
            for (const auto& entry : std::filesystem::directory_iterator(path))
                if (entry.is_regular_file()) files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
        std::ifstream in(file, std::ios::binary);
        out.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return out;
}

/// A few changes: bytes flipped, pieces removed, repeated, or taken from another input.
std::string mutated(std::string text, const std::string& other, std::mt19937& rng) {
    const auto at = [&](const std::string& s) { return s.empty() ? std::size_t{0} : rng() % s.size(); };
    for (std::uint32_t n = 1 + rng() % 4; n > 0; --n) {
        const std::size_t place = at(text), length = 1 + rng() % 20;
        switch (rng() % 4) {
            case 0:
                if (!text.empty()) text[place] = static_cast<char>(rng() % 3 ? 32 + rng() % 95 : rng());
                break;
            case 1:
                text.erase(place, length);
                break;
            case 2:
                text.insert(place, std::string(text.substr(at(text), length)));
                break;
            default:
                text.insert(place, other.substr(at(other), length));
        }
    }
    return text;
}

void run(const std::string& input, const std::string& note) {
    std::ofstream(note, std::ios::binary) << input;
    const std::clock_t start = std::clock();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (seconds < most_seconds) return;
    std::fprintf(stderr, "%.1f s for the %zu bytes of %s\n", seconds, input.size(), note.c_str());
    std::exit(1);
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> paths(argv + 1, argv + argc);
    std::size_t rounds = 0;
    if (paths.size() > 1 && paths[0] == "--rounds") {
        rounds = std::strtoul(paths[1].c_str(), nullptr, 10);
        paths.erase(paths.begin(), paths.begin() + 2);
    }
    const std::vector<std::string> inputs = read_inputs(paths);
    if (inputs.empty()) {
        std::fprintf(stderr, "no inputs\n");
        return 2;
    }
    const std::string note = std::filesystem::path(argv[0]).filename().string() + ".input";
    std::mt19937 rng(1);
    for (const std::string& input : inputs) run(input, note);
    for (std::size_t n = 0; n < rounds; ++n) {
        const std::string &input = inputs[rng() % inputs.size()], &other = inputs[rng() % inputs.size()];
        if (input.size() <= most_bytes) run(mutated(input, other, rng), note);
    }
    std::filesystem::remove(note);
    std::printf("%zu inputs, %zu mutations\n", inputs.size(), rounds);
}
