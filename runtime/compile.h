// The system's C compiler -> a loaded module.
#pragma once

#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/module.h"

namespace heddle::runtime {

class Cache;

struct CompileOptions {
    std::string compiler;  ///< path or name; empty: $HEDDLE_CC, then $CC, then cc, gcc, clang
    std::vector<std::string>
        flags;  ///< replaces the defaults when not empty: -std=c11 -O3 -march=native -ffp-contract=off -fopenmp
    std::vector<std::string> extra;  ///< appended: user libraries and flags
    int time_limit_s = 300;
    std::vector<std::pair<std::string, std::string>> objects;  ///< object files to link with, each a name and its bytes
    bool cached = true;                                        ///< false: the compiler runs, and the module is nobody else's
    Cache* cache = nullptr;                                    ///< null: `default_cache()`
};

/// Compiles C text (spawned without a shell, in a private temporary folder that is removed) and loads it, or takes it from the
/// cache: then the module, its variables included, may be shared with earlier calls. What a compile reads has to be known for
/// that; docs/runtime.md says what is not cached. Throws RuntimeError: CompilerMissing with what was tried, CompileFailed with
/// the compiler's text, LoadFailed, Io (full disk …).
Module compile_c(const std::string& text, const CompileOptions& options = {});
/// The bytes of the shared object, likewise: for who needs more of them than `load_module` leaves.
std::shared_ptr<const std::string> compile_c_object(const std::string& text, const CompileOptions& options = {});
/// The same in a thread of its own. The future's destructor waits.
std::future<Module> compile_c_async(std::string text, CompileOptions options = {});

/// One of many texts.
struct CompileJob {
    std::string text;
    CompileOptions options;
};
/// What became of it.
struct CompileResult {
    std::optional<Module> module;  ///< none: it failed
    std::exception_ptr error;
    /// The module; throws what compiling it threw.
    const Module& get() const;
};
struct CompileProgress {
    std::size_t done, total;
    std::size_t job;  ///< the one that has just ended
    const CompileResult& result;
};
struct CompileManyOptions {
    unsigned threads = 0;  ///< compilers that run at once; 0: one for each processor
    /// Called after each job, by one thread at a time, not always the same. An exception stops what has not begun, and is
    /// thrown when what runs has ended.
    std::function<void(const CompileProgress&)> progress;
};

/// Compiles in parallel; results are in the order of jobs. A job that fails does not stop the others.
std::vector<CompileResult> compile_many(const std::vector<CompileJob>& jobs, const CompileManyOptions& options = {});
/// The same off the calling thread. The future's destructor waits.
std::future<std::vector<CompileResult>> compile_many_async(std::vector<CompileJob> jobs, CompileManyOptions options = {});

/// The first of these commands ("g++", "ccache g++") whose program is there, as words with its full path. Throws
/// RuntimeError(CompilerMissing): no `language` compiler, what was tried, `advice`.
std::vector<std::string> find_compiler(const std::vector<std::string>& candidates, const std::string& language,
                                       const std::string& advice);

}  // namespace heddle::runtime
