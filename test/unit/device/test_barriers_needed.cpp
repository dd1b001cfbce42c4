// Each barrier of the examples is needed: without any single one, the emulator finds a race or the result is wrong.
#include <catch2/catch.hpp>

#include "runtime/status.h"
#include "test/unit/device/examples.h"
#include "tools/heddle/launch.h"

using namespace heddle;
using namespace heddle::test;

namespace {

const std::string barrier = "__syncthreads();";

std::vector<std::size_t> places_of(const std::string& word, const std::string& text) {
    std::vector<std::size_t> out;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) out.push_back(at);
    return out;
}

/// Does the text, run in place of the emitted one, give the results that the interpreter gives, without a complaint?
bool passes(const Kernel& kernel, const TargetOptions& options, const std::string& text, const Arguments& given,
            const Arguments& expected) {
    Arguments got = given;
    try {
        tools::OnDevice(kernel, options, "cuda-emulated", {}, text).run(got);
    } catch (const runtime::RuntimeError& e) {
        if (e.code() != runtime::Code::Check) throw;
        return false;
    }
    return !difference(got, expected, 1e-9);
}

}  // namespace

TEST_CASE("no barrier of the examples can be left out") {
    int barriers = 0;
    for (const Example& e : device_examples()) {
        const Kernel kernel = tools::load_kernel(selected(e));
        TargetOptions options;
        options.device = Device::Cuda;
        const std::string text = emit_device_text(*lower(kernel, options));
        const auto places = places_of(barrier, text);
        if (places.empty()) continue;
        INFO(e.file << ", " << e.kernel << ", " << e.schedule);
        const Arguments given = arguments_of(e);
        Arguments expected = given;
        interpret(tools::load(selected(e)).written, expected);
        CHECK(passes(kernel, options, text, given, expected));
        for (std::size_t k = 0; k < places.size(); ++k) {
            INFO("without barrier " << k + 1 << " of " << places.size() << " in\n" << text);
            std::string without = text;
            without.replace(places[k], barrier.size(), std::string(barrier.size(), ' '));
            CHECK_FALSE(passes(kernel, options, without, given, expected));
            ++barriers;
        }
    }
    CHECK(barriers >= 14);
}
