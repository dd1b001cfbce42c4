// The CUDA text of the examples is CUDA: NVRTC, where it is installed, makes machine code of it for every architecture.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "runtime/device.h"
#include "runtime/status.h"
#include "target/target.h"
#include "test/unit/device/examples.h"

using namespace heddle;
using namespace heddle::test;

namespace {

std::string cuda_text(const Example& e) {
    TargetOptions options;
    options.device = Device::Cuda;
    return emit_device_text(*lower(tools::load_kernel(selected(e)), options));
}

/// Those from sm_75 on; empty, with a warning, without NVRTC.
std::vector<std::string> architectures() {
    try {
        std::vector<std::string> out;
        for (const std::string& a : runtime::cuda_architectures())
            if (std::stoi(a.substr(3)) >= 75) out.push_back(a);
        return out;
    } catch (const runtime::RuntimeError& e) {
        WARN("skipped: " << e.what());
        return {};
    }
}

/// What a command prints on its outputs.
std::string output_of(const std::string& command) {
    std::string out;
    FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
    REQUIRE(pipe);
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
    ::pclose(pipe);
    return out;
}

}  // namespace

TEST_CASE("NVRTC takes the CUDA text of the examples for every architecture") {
    const std::vector<std::string> all = architectures();
    for (const Example& e : device_examples()) {
        const std::string text = all.empty() ? std::string() : cuda_text(e);
        for (const std::string& architecture : all) {
            INFO(e.file << ", " << e.kernel << ", " << e.schedule << ", " << architecture);
            CHECK(runtime::compile_cuda(text, architecture)->substr(1, 3) == "ELF");
        }
    }
}

TEST_CASE("no lane of the examples with tiles spills registers") {
    const std::string nvcc = "PATH=\"$PATH:/usr/local/cuda/bin\" nvcc ";
    if (output_of(nvcc + "--version").find("release") == std::string::npos) {
        WARN("skipped: there is no nvcc");
        return;
    }
    const std::string file = fmt::format("{}/heddle_spills_{}.cu", std::filesystem::temp_directory_path().string(), ::getpid());
    for (const Example& e : device_examples()) {
        if (cuda_text(e).find("__shared__") == std::string::npos) continue;
        std::ofstream(file) << cuda_text(e);
        const std::string said = output_of(nvcc + "-arch=sm_80 -Xptxas -v -cubin -o /dev/null " + file);
        INFO(e.kernel << "\n" << said);
        CHECK(said.find("registers") != std::string::npos);
        CHECK(said.find("0 bytes spill stores") != std::string::npos);
        CHECK(said.find("warning") == std::string::npos);
    }
    std::filesystem::remove(file);
}
