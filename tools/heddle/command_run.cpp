// heddle run
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ir/error.h"
#include "ir/kernel_data.h"
#include "tools/heddle/commands.h"
#include "tools/heddle/compare.h"
#include "tools/heddle/externs.h"
#include "tools/heddle/files.h"
#include "tools/heddle/input.h"
#include "tools/heddle/launch.h"
#include "tools/heddle/npy.h"
#include "tools/heddle/values.h"

namespace heddle::tools {
namespace {

using Json = nlohmann::ordered_json;
using Files = std::vector<std::pair<std::string, std::string>>;

const Array& argument(const KernelData& kernel, const std::string& name, const char* option) {
    const Array* array = kernel.find_array(name);
    if (array != nullptr && is_passed(*array)) return *array;
    std::vector<std::string> all;
    for (const Array& a : kernel.arrays)
        if (is_passed(a)) all.push_back(a.name.str());
    throw user_error("name", fmt::format("{} {}: {} has no argument of that name", option, name, kernel.name.str()))
        .hint(fmt::format("it has: {}", fmt::join(all, ", ")));
}

Arguments read_arguments(const KernelData& kernel, const RunOptions& options) {
    Arguments out;
    for (const std::string& text : options.sets) set_value(kernel, text, out);
    for (const std::string& text : options.inputs) {
        const auto [name, path] = name_and_value(text, "--in");
        const Array& array = argument(kernel, name, "--in");
        if (array.role == Role::Out)
            throw user_error("argument", fmt::format("--in {}: {} is only written", name, name))
                .hint("declare it inout to start from values");
        if (!out.arrays.emplace(name, Buffer{}).second)
            throw Error(ErrorKind::Usage, "usage", fmt::format("{} is given twice", name));
        out.arrays[name] = read_npy(path);
    }
    return out;
}

Files output_files(const KernelData& kernel, const RunOptions& options) {
    Files out;
    for (const std::string& text : options.outputs) {
        auto target = name_and_value(text, "--out");
        if (argument(kernel, target.first, "--out").role == Role::In)
            throw user_error("argument", fmt::format("--out {0}: {0} is only read", target.first));
        out.push_back(std::move(target));
    }
    const auto standard = std::count_if(out.begin(), out.end(), [](const auto& f) { return f.second == "-"; });
    if (standard > 1) throw Error(ErrorKind::Usage, "usage", "only one array can go to the standard output");
    if (standard == 1 && options.json)
        throw Error(ErrorKind::Usage, "usage", "--json and an array cannot share the standard output");
    return out;
}

/// The standard input is read once, and two arrays do not go into one file.
void check_paths(const RunOptions& options, const Files& outputs) {
    int standard = options.file == "-" ? 1 : 0;
    for (const std::string& text : options.inputs) standard += name_and_value(text, "--in").second == "-" ? 1 : 0;
    if (standard > 1) throw Error(ErrorKind::Usage, "usage", "only one input can come from the standard input");
    std::set<std::string> seen;
    for (const auto& [name, path] : outputs)
        if (path != "-" && path != "/dev/null" && !seen.insert(path).second)
            throw Error(ErrorKind::Usage, "usage", fmt::format("two arrays cannot both go to {}", path));
}

/// Runs `repeat` times from the same start; gives the seconds of each.
std::vector<double> repeated(const KernelData& kernel, int repeat, Arguments& arguments,
                             const std::function<double(Arguments&)>& once) {
    std::map<std::string, Buffer> start;
    for (const Array& a : kernel.arrays)
        if (repeat > 1 && is_passed(a) && a.role != Role::In) start[a.name.str()] = arguments.arrays.at(a.name.str());
    std::vector<double> seconds;
    for (int k = 0; k < repeat; ++k) {
        if (k > 0)
            for (const auto& [name, buffer] : start) arguments.arrays[name] = buffer;
        seconds.push_back(once(arguments));
    }
    return seconds;
}

runtime::CompileOptions compiler_of(const RunOptions& options) {
    runtime::CompileOptions out;
    out.compiler = options.compiler;
    out.extra = options.flags;
    return out;
}

double interpreted(const Kernel& kernel, const ExternTable& externs, Arguments& arguments) {
    const auto start = std::chrono::steady_clock::now();
    interpret(kernel, arguments, {}, externs);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<double> execute(const Kernel& kernel, const RunOptions& options, Arguments& arguments) {
    if (options.interpret) {
        const ExternTable externs = extern_functions(kernel, compiler_of(options));
        return repeated(kernel.data(), options.repeat, arguments,
                        [&](Arguments& a) { return interpreted(kernel, externs, a); });
    }
    if (options.device != "c") {
        const OnDevice code(kernel, target_options(options), options.device, compiler_of(options));
        return repeated(kernel.data(), options.repeat, arguments, [&](Arguments& a) { return code.run(a); });
    }
    const Compiled code(kernel, target_options(options), compiler_of(options));
    return repeated(kernel.data(), options.repeat, arguments, [&](Arguments& a) { return code.run(a); });
}

/// Compares every written array with what the kernel as written gives on the interpreter; a difference is a fault of ours.
double verify(const Kernel& written, const RunOptions& options, const Arguments& start, const Arguments& got) {
    Arguments reference = start;
    interpret(written, reference, {}, extern_functions(written, compiler_of(options)));
    double largest = 0;
    for (const Array& a : written.data().arrays) {
        if (!is_passed(a) || a.role == Role::In) continue;
        const Buffer &x = got.arrays.at(a.name.str()), &y = reference.arrays.at(a.name.str());
        const Difference d = difference(x, y);
        largest = std::max(largest, d.largest);
        if (!d.within)
            throw Error(ErrorKind::Internal, "verify",
                        fmt::format("{}{} differs from the interpreter's by {:.3g} of the largest value", a.name.str(),
                                    subscripts_text(x, d.element), d.largest));
    }
    return largest;
}

Json shapes(const KernelData& kernel, const Arguments& arguments, const Files& files) {
    Json out = Json::object();
    for (const Array& a : kernel.arrays) {
        if (!is_passed(a) || a.role == Role::In) continue;
        const Buffer& b = arguments.arrays.at(a.name.str());
        Json row{{"type", name_of(b.type)}, {"shape", b.shape}};
        for (const auto& [name, path] : files)
            if (name == a.name.str()) row["file"] = path;
        out[a.name.str()] = std::move(row);
    }
    return out;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

struct Outcome {
    std::vector<double> seconds;
    std::optional<double> difference;
};

std::string as_json(const Kernel& kernel, const Arguments& arguments, const Files& files, const Outcome& outcome) {
    const auto [low, high] = std::minmax_element(outcome.seconds.begin(), outcome.seconds.end());
    Json out{{"kernel", kernel.name()}, {"sizes", arguments.sizes}};
    out["seconds"] = {{"median", median(outcome.seconds)}, {"min", *low}, {"max", *high}, {"all", outcome.seconds}};
    out["outputs"] = shapes(kernel.data(), arguments, files);
    if (outcome.difference) out["difference"] = *outcome.difference;
    return out.dump(2) + "\n";
}

std::string as_text(const Kernel& kernel, const Arguments& arguments, const Outcome& outcome) {
    std::vector<std::string> sizes;
    for (const auto& [name, value] : arguments.sizes) sizes.push_back(fmt::format("{}={}", name, value));
    std::string out = fmt::format("{}({}): {:.6g} s", kernel.name(), fmt::join(sizes, ", "), median(outcome.seconds));
    if (outcome.seconds.size() > 1) {
        const auto [low, high] = std::minmax_element(outcome.seconds.begin(), outcome.seconds.end());
        out += fmt::format(" (median of {}, {:.6g} to {:.6g})", outcome.seconds.size(), *low, *high);
    }
    if (outcome.difference) out += fmt::format(", equal to the interpreter's result (difference {:.2g})", *outcome.difference);
    return out + "\n";
}

}  // namespace

void run_command(const RunOptions& options, Report& report) {
    const Loaded loaded = load(options);
    const Kernel kernel = loaded.schedule ? apply_schedule(loaded.written, *loaded.schedule) : loaded.written;
    const Files files = output_files(kernel.data(), options);
    check_paths(options, files);
    Arguments arguments = complete(kernel, read_arguments(kernel.data(), options));
    const Arguments start = options.verify ? arguments : Arguments{};
    Outcome outcome;
    outcome.seconds = execute(kernel, options, arguments);
    if (options.verify) outcome.difference = verify(loaded.written, options, start, arguments);
    Outputs outputs;
    bool to_standard = false;
    for (const auto& [name, path] : files) {
        outputs.add(path, npy_bytes(arguments.arrays.at(name)));
        to_standard |= path == "-";
    }
    outputs.commit();
    if (options.json)
        report.out = as_json(kernel, arguments, files, outcome);
    else
        (to_standard ? report.err : report.out) = as_text(kernel, arguments, outcome);
}

}  // namespace heddle::tools
