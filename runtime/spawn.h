// Running another program without a shell.
#pragma once

#include <string>
#include <vector>

namespace heddle::runtime {

/// How a program ended.
struct Outcome {
    int status = 0;          ///< exit status, or 128 + signal
    bool timed_out = false;  ///< killed at the time limit, with everything it had started
    std::string errors;      ///< the first part of what it wrote to its standard error
};

/// Full path of a program: itself when it has a slash, else the first executable of that name in $PATH; empty when there is
/// none.
std::string find_program(const std::string& name);
/// Runs `words[0]` with the arguments `words[1…]`, standard input empty, standard output and error captured. Throws
/// RuntimeError(Io) when the system cannot start it.
Outcome run_program(const std::vector<std::string>& words, int time_limit_s);

}  // namespace heddle::runtime
