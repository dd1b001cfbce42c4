// The commands: a struct of options and a function for each. None prints: what they say collects in a Report.
#pragma once

#include <string>
#include <vector>

#include "target/target.h"

namespace heddle::tools {

/// What a command has to say, and how it ended.
struct Report {
    std::string out;  ///< for the standard output
    std::string err;  ///< for the standard error
    int status = 0;
};

/// What most commands work on.
struct Selection {
    std::string file;
    std::string kernel;      ///< empty: the only one, or the one the schedule is for
    std::string schedule;    ///< empty: as written, unless `scheduled`
    bool scheduled = false;  ///< a schedule is wanted
    bool json = false;
};

/// How code is generated.
struct CodeOptions {
    bool checked = false, no_openmp = false;
    std::string allocator = "interface";
    std::int64_t stack_limit = TargetOptions().stack_limit;
    std::string device = "c";  ///< c, opencl, cuda; cuda-emulated where code runs
    std::int64_t shared_limit = TargetOptions().shared_limit;
};
TargetOptions target_options(const CodeOptions& options);

struct CheckOptions : Selection {};
struct EmitOptions : Selection, CodeOptions {
    std::string folder = "-";
    bool single = false;
};
struct RunOptions : Selection, CodeOptions {
    std::vector<std::string> sets, inputs, outputs, flags;
    std::string compiler;
    int repeat = 1;
    bool interpret = false, verify = false;
};
struct ShowOptions : Selection, CodeOptions {
    std::string what = "kernel", format = "text", output = "-";
};
struct StepsOptions {
    std::string verb;
    bool json = false, markdown = false;
};
struct ExplainOptions : Selection, CodeOptions {};
struct CacheOptions {
    std::string first, second;  ///< entries to explain, by the beginning of their names
    bool json = false;
};
struct StatsOptions : Selection, CodeOptions {
    std::vector<std::string> sets;
};

void check_command(const CheckOptions& options, Report& report);
void emit_command(const EmitOptions& options, Report& report);
void run_command(const RunOptions& options, Report& report);
void show_command(const ShowOptions& options, Report& report);
void steps_command(const StepsOptions& options, Report& report);
void explain_command(const ExplainOptions& options, Report& report);
void cache_list_command(const CacheOptions& options, Report& report);
void cache_explain_command(const CacheOptions& options, Report& report);
void cache_verify_command(const CacheOptions& options, Report& report);
void cache_clear_command(const CacheOptions& options, Report& report);
void stats_command(const StatsOptions& options, Report& report);

}  // namespace heddle::tools
