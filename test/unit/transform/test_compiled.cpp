// The result of every pair as compiled C: computes what the original does on the interpreter. One call of the compiler for all.
#include <catch2/catch.hpp>

#include "ir/error.h"
#include "pairs.h"
#include "runtime/compile.h"
#include "sample_data.h"
#include "target/target.h"

using namespace heddle;
using namespace heddle::test;

namespace {

struct Compiled {
    const Pair* pair;
    Kernel result;
    std::string name, text;
};

/// Emitted text with names of its own, so that many fit into one file.
Compiled emitted(const Pair& pair, const Kernel& result, std::size_t number) {
    const std::string name = "pair" + std::to_string(number);
    auto renamed = std::make_shared<KernelData>(result.data());
    renamed->name = Name(name);
    TargetOptions options;
    options.entry = true;
    options.allocation = Allocation::Malloc;  // nothing that only one of them may define
    std::string text = emit_c_single(*lower(Kernel(std::move(renamed)), options));
    for (std::size_t at = 0; (at = text.find("heddle_", at)) != std::string::npos; at += name.size() + 7)
        text.insert(at, name + "_");
    return {&pair, result, name, text};
}

void call(const runtime::Module& module, const Compiled& c, Arguments& arguments) {
    std::vector<void*> pointers;
    for (Name n : c.result.data().argument_order) {
        const auto size = arguments.sizes.find(n.str());
        pointers.push_back(size != arguments.sizes.end() ? static_cast<void*>(&size->second)
                                                         : arguments.arrays.at(n.str()).bytes.data());
    }
    const auto entry = reinterpret_cast<std::int32_t (*)(void* const*, const void*)>(module.symbol(c.name + "_entry"));
    CHECK(entry(pointers.data(), nullptr) == 0);
}

}  // namespace

TEST_CASE("results of pairs compute the same as compiled C") {
    const std::vector<Pair> pairs = all_pairs();
    std::vector<Compiled> all;
    std::string text;
    for (const Pair& pair : pairs)
        if (const Outcome outcome = outcome_of(pair); outcome.result && pair.comparable) {
            INFO(pair.name);
            REQUIRE_NOTHROW(all.push_back(emitted(pair, *outcome.result, all.size())));
            text += all.back().text + "\n";
        }
    runtime::CompileOptions options;
    options.flags = {"-std=c11", "-O1", "-ffp-contract=off", "-fopenmp"};
    const runtime::Module module = runtime::compile_c(text, options);
    for (const Compiled& c : all)
        for (const Env& sizes : sample_sizes(c.result.data(), 4)) {
            INFO(c.pair->name);
            const auto data = sample_arguments(c.pair->kernel.data(), sizes);
            if (!data) continue;
            Arguments expected = *data, found = *data;
            interpret(c.pair->kernel, expected);
            call(module, c, found);
            CHECK(difference(c.pair->kernel.data(), expected, found) == std::nullopt);
        }
}
