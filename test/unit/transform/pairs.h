// Pairs: test/steps/<step>/<case>/ holds kernel.heddle, script, and result.heddle or refused.txt.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/kernel.h"
#include "transform/script.h"

namespace heddle::test {

struct Pair {
    std::string name, folder;
    ScheduleText script;
    Kernel kernel;
    bool comparable = true;  ///< false where a file `not_compared` says why results on random data may differ
};
/// What the script does to the kernel: a kernel, or the rendered error.
struct Outcome {
    std::optional<Kernel> result;
    std::string refusal;
};

std::vector<Pair> all_pairs();
Outcome outcome_of(const Pair& pair);
/// Text of a file, or nothing.
std::optional<std::string> text_of(const std::string& path);
ScheduleText schedule_of(const std::string& text, const std::string& name);

}  // namespace heddle::test
