// The system's C compiler -> a loaded module.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace heddle::runtime {

struct CompileOptions {
    std::string compiler;  ///< path or name; empty: $HEDDLE_CC, then $CC, then cc, gcc, clang
    std::vector<std::string>
        flags;  ///< replaces the defaults when not empty: -std=c11 -O3 -march=native -ffp-contract=off -fopenmp
    std::vector<std::string> extra;  ///< appended: user libraries and flags
    int time_limit_s = 300;
    std::vector<std::pair<std::string, std::string>> objects;  ///< object files to link with, each a name and its bytes
};

/// Compiled code, unloaded with the last handle.
class Module {
public:
    struct State;
    explicit Module(std::shared_ptr<State> state) : state_(std::move(state)) {}
    void* symbol(const std::string& name) const;  ///< throws RuntimeError(LoadFailed) naming it

private:
    std::shared_ptr<State> state_;
};

/// Compiles C text (spawned without a shell, in a private temporary folder that is removed) and loads it. Throws RuntimeError:
/// CompilerMissing with what was tried, CompileFailed with the compiler's text, Io (full disk …).
Module compile_c(const std::string& text, const CompileOptions& options = {});

}  // namespace heddle::runtime
