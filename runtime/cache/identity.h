// What the code that a compiler makes depends on, besides the text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/cache.h"

namespace heddle::runtime {

/// What a compiler is: a hash of the program, its answer to `-v` without the places where things lie, and the version of the C
/// library. `words` are its path and first arguments. Asked once in a process for each program, anew when its file changes.
/// None when it gives no answer within ten seconds or the time limit.
std::optional<std::string> compiler_identity(const std::vector<std::string>& words, int time_limit_s);

/// The processor's model and instruction sets, for -march=native.
const std::string& processor_identity();

/// Words of a command line as a text: one in each line.
std::string lines_of(const std::vector<std::string>& words);

/// The values of environment variables that compilers obey.
std::string compiler_environment();

/// Files that are words of a command line of their own (bessel.o): a line for each with the hash of its content. None when a
/// word may bring in files that are not known from the words alone: -l, -L, -I, -include, @FILE, -fprofile-use, -B ….
std::optional<std::string> files_of(const std::vector<std::string>& words);

/// Whether all that the text includes belongs to the compiler: headers of C and OpenMP. False also when the time of day or the
/// place of a file gets into the code.
bool self_contained(std::string_view text);

}  // namespace heddle::runtime
