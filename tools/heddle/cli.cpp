#include "tools/heddle/cli.h"

#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <functional>
#include <sstream>

#include "ir/error.h"
#include "runtime/cache.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/failure.h"
#include "tools/heddle/files.h"

namespace heddle::tools {
namespace {

constexpr const char* about =
    "Heddle: loop kernels, transformed with proof, as C with OpenMP.\n\n"
    "FILE is a kernel file; '-' reads the standard input.";
constexpr const char* statuses =
    "Exit status: 0 done, 1 refused or wrong input, 2 wrong usage, 3 failure at run time (memory, compiler, device,\n"
    "file system), 4 a fault of Heddle's own. Errors go to the standard error; nothing ever asks a question.";

/// All options of one call, and what to do with them.
struct Call {
    CheckOptions check;
    EmitOptions emit;
    RunOptions run;
    ShowOptions show;
    StepsOptions steps;
    ExplainOptions explain;
    StatsOptions stats;
    CacheOptions cache;
    std::function<void(Report&)> command;
    const bool* json = nullptr;
};

void add_selection(CLI::App& app, Selection& s) {
    app.add_option("FILE", s.file, "kernel file, or - for the standard input")->required();
    app.add_option("--kernel,-k", s.kernel, "name of the kernel; may be left out where the file has one")->type_name("NAME");
    app.add_option_function<std::string>(
           "--schedule,-s",
           [&s](const std::string& name) {
               s.schedule = name;
               s.scheduled = true;
           },
           "schedule to apply; without it the kernel runs as written")
        ->type_name("NAME");
    app.add_flag("--scheduled,-S", s.scheduled, "apply the file's only schedule");
    app.add_flag("--json", s.json, "machine-readable output on the standard output, errors included");
}

template <class Options>
CLI::App& add_command(CLI::App& app, Call& call, const char* name, const char* help, Options& options,
                      void (*command)(const Options&, Report&)) {
    CLI::App& sub = *app.add_subcommand(name, help);
    sub.callback([&call, &options, command] {
        call.command = [&options, command](Report& report) { command(options, report); };
        call.json = &options.json;
    });
    return sub;
}

void add_code(CLI::App& sub, CodeOptions& o) {
    sub.add_flag("--checked", o.checked, "test at run time every access that is not proved inside its array");
    sub.add_flag("--no-openmp", o.no_openmp, "leave OpenMP pragmas out");
    sub.add_option("--allocator", o.allocator,
                   "how big temporaries get memory: interface (a heddle_allocator, else malloc) or malloc")
        ->check(CLI::IsMember({"interface", "malloc"}))
        ->type_name("HOW")
        ->capture_default_str();
    sub.add_option("--device", o.device,
                   "what runs the device functions: c (the processor), opencl, cuda, or cuda-emulated (CUDA text on the processor)")
        ->check(CLI::IsMember({"c", "opencl", "cuda", "cuda-emulated"}))
        ->type_name("DEVICE")
        ->capture_default_str();
    sub.add_option("--shared-limit", o.shared_limit, "bytes of shared memory that a block of a device may have")
        ->check(CLI::Range(std::int64_t(0), std::int64_t(1) << 30))
        ->type_name("BYTES")
        ->capture_default_str();
    sub.add_option("--stack-limit", o.stack_limit, "bytes of temporaries that one thread's stack may hold")
        ->check(CLI::Range(std::int64_t(0), std::int64_t(1) << 40))
        ->type_name("BYTES")
        ->capture_default_str();
}

void add_check(CLI::App& app, Call& call) {
    CLI::App& sub =
        add_command(app, call, "check",
                    "Prove every access inside its array and every parallel loop free of races, or give a counterexample",
                    call.check, check_command);
    add_selection(sub, call.check);
    sub.footer("Without --schedule: every kernel as written, and after each of its schedules.");
}

void add_emit(CLI::App& app, Call& call) {
    CLI::App& sub =
        add_command(app, call, "emit", "Write C: header, host part and device part into a folder", call.emit, emit_command);
    add_selection(sub, call.emit);
    sub.add_option("--out,-o", call.emit.folder, "folder, made when missing; - writes one file to the standard output")
        ->type_name("DIR")
        ->capture_default_str();
    sub.add_flag("--single", call.emit.single, "one file NAME.c instead of three");
    add_code(sub, call.emit);
    sub.footer("Nothing is written unless everything can be.");
}

void add_run(CLI::App& app, Call& call) {
    CLI::App& sub = add_command(app, call, "run", "Compile a kernel and run it on data", call.run, run_command);
    RunOptions& o = call.run;
    add_selection(sub, o);
    const auto many = [&](const char* flags, std::vector<std::string>& to, const char* help, const char* type) {
        sub.add_option(flags, to, help)->type_name(type)->allow_extra_args(false);
    };
    many("--set", o.sets, "a size or a scalar: --set n=512 --set alpha=2.5 --set z=1+2j", "NAME=VALUE");
    many("--in,-i", o.inputs, "an array from a .npy file (- for the standard input)", "NAME=FILE");
    many("--out,-o", o.outputs, "where an array goes (- for the standard output); others are computed and dropped",
         "NAME=FILE");
    sub.add_option("--repeat", o.repeat, "run this many times on the same inputs and time each")
        ->type_name("N")
        ->check(CLI::Range(1, 1000000));
    sub.add_flag("--interpret", o.interpret, "run the reference interpreter instead of compiled code");
    sub.add_flag("--verify", o.verify, "compare the result with the interpreter's");
    add_code(sub, o);
    sub.add_option("--cc", o.compiler, "C compiler (default: $HEDDLE_CC, $CC, cc, gcc, clang)")->type_name("PROGRAM");
    many("--cflag", o.flags, "one more word for the compiler: --cflag=-lblas --cflag=bessel.o", "FLAG");
    sub.footer(
        "Sizes follow from the shapes of inputs where they can; missing outputs are allocated; an inout array is given with "
        "--in\n"
        "and fetched with --out. Compiled code keeps the scalar arithmetic of the interpreter.");
}

void add_show(CLI::App& app, Call& call) {
    CLI::App& sub = add_command(app, call, "show", "Show a kernel, its loop tree, its code, its dependences or its schedule",
                                call.show, show_command);
    add_selection(sub, call.show);
    sub.add_option("--what,-w", call.show.what, "kernel, tree, code, dependences or script")
        ->check(CLI::IsMember({"kernel", "tree", "code", "dependences", "script"}))
        ->type_name("WHAT")
        ->capture_default_str();
    sub.add_option("--format,-f", call.show.format, "text; tree and dependences also dot and svg")
        ->check(CLI::IsMember({"text", "dot", "svg"}))
        ->type_name("FORMAT")
        ->capture_default_str();
    sub.add_option("--out,-o", call.show.output, "file to write")->type_name("FILE")->capture_default_str();
    add_code(sub, call.show);
}

void add_steps(CLI::App& app, Call& call) {
    CLI::App& sub = add_command(app, call, "steps", "List the steps of schedules, or explain one", call.steps, steps_command);
    sub.add_option("STEP", call.steps.verb, "a step, for example tile");
    sub.add_flag("--json", call.steps.json, "machine-readable output");
    sub.add_flag("--markdown", call.steps.markdown, "the documentation page of all steps");
}

void add_explain(CLI::App& app, Call& call) {
    CLI::App& sub = add_command(
        app, call, "explain",
        "Walk through a schedule and say why a step is refused; without one, which dependences hold and which loops "
        "may run in parallel",
        call.explain, explain_command);
    add_selection(sub, call.explain);
    add_code(sub, call.explain);
}

void add_stats(CLI::App& app, Call& call) {
    CLI::App& sub = add_command(app, call, "stats", "Count operations, accesses and footprints exactly, as formulas or numbers",
                                call.stats, stats_command);
    add_selection(sub, call.stats);
    add_code(sub, call.stats);
    sub.add_option("--set", call.stats.sets, "a size: numbers instead of formulas")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
}

void add_cache(CLI::App& app, Call& call) {
    CLI::App& cache = *app.add_subcommand("cache", "Look after compiled code that is kept between runs");
    cache.require_subcommand(1);
    cache.footer(
        "The folder is $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle; HEDDLE_CACHE=off turns it off.");
    const auto add = [&](const char* name, const char* help, void (*command)(const CacheOptions&, Report&)) -> CLI::App& {
        CLI::App& sub = add_command(cache, call, name, help, call.cache, command);
        sub.add_flag("--json", call.cache.json, "machine-readable output on the standard output, errors included");
        return sub;
    };
    add("list", "List the entries, the last used first", cache_list_command);
    CLI::App& explain = add("explain", "Say in what two entries differ, or what one depends on", cache_explain_command);
    explain.add_option("FIRST", call.cache.first, "an entry: the first digits of its name")->required();
    explain.add_option("SECOND", call.cache.second, "another entry");
    add("verify", "Check every entry and remove damaged ones", cache_verify_command);
    add("clear", "Remove all entries", cache_clear_command);
}

void describe(CLI::App& app, Call& call) {
    app.require_subcommand(1);
    app.set_version_flag("--version", "heddle 0.1.0");
    app.footer(statuses);
    add_check(app, call);
    add_emit(app, call);
    add_run(app, call);
    add_show(app, call);
    add_steps(app, call);
    add_explain(app, call);
    add_stats(app, call);
    add_cache(app, call);
}

/// Help and version go to the standard output, anything else is wrong usage.
void report_parsing(CLI::App& app, const CLI::ParseError& e, Report& report) {
    if (e.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
        std::ostringstream out, err;
        app.exit(e, out, err);
        report.out = out.str();
        return;
    }
    std::string where = "heddle";
    for (const CLI::App* sub : app.get_subcommands()) where += " " + sub->get_name();
    report.err = "error: " + std::string(e.what()) + "\nhint: '" + where + " --help' lists what there is\n";
    report.status = 2;
}

Report run_words(int argc, const char* const* argv) {
    Report report;
    Call call;
    CLI::App app{about, "heddle"};
    describe(app, call);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        report_parsing(app, e, report);
        return report;
    }
    runtime::Cache* cache = runtime::default_cache();
    if (cache != nullptr) cache->on_warning([&](const std::string& text) { report.err += "warning: " + text + "\n"; });
    try {
        call.command(report);
    } catch (...) {
        report_failure(std::current_exception(), *call.json, report);
    }
    if (cache != nullptr) cache->on_warning({});
    return report;
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
    Report report = run_words(argc, argv);
    try {
        write_all(2, report.err, "the standard error");
        write_all(1, report.out, "the standard output");
    } catch (...) {
        report.err.clear();
        report_failure(std::current_exception(), false, report);
        if (::write(2, report.err.data(), report.err.size()) < 0) return report.status;
    }
    return report.status;
}

}  // namespace heddle::tools
