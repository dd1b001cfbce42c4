#include "runtime/cache/identity.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "runtime/cache/hash.h"
#include "runtime/descriptor.h"
#include "runtime/spawn.h"

#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

namespace heddle::runtime {
namespace {

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

bool starts(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

/// Which file a path leads to, and whether it was changed: enough within one process.
std::string file_state(const std::string& path) {
    struct stat s {};
    if (::stat(path.c_str(), &s) != 0) return {};
    std::ostringstream out;
    out << s.st_dev << ' ' << s.st_ino << ' ' << s.st_size << ' ' << s.st_mtim.tv_sec << ' ' << s.st_mtim.tv_nsec << ' '
        << s.st_ctim.tv_sec << ' ' << s.st_ctim.tv_nsec;
    return out.str();
}

/// The answer to `-v` without lines that say only where the compiler was found.
std::string without_places(const std::string& answer) {
    std::istringstream in(answer);
    std::string out;
    for (std::string line; std::getline(in, line);)
        if (!starts(line, "COLLECT_") && !starts(line, "InstalledDir:")) out += line + "\n";
    return out;
}

std::optional<std::string> ask(const std::vector<std::string>& words, int time_limit_s) {
    const auto program = read_file(words[0]);
    if (!program) return std::nullopt;
    std::vector<std::string> question = words;
    question.push_back("-v");
    const Outcome answer = run_program(question, std::min(time_limit_s, 10));
    if (answer.timed_out) return std::nullopt;
    std::string out = without_places(answer.errors) + "program " + hash_text(*program) + "\n";
#ifdef __GLIBC__
    out += std::string("C library ") + ::gnu_get_libc_version() + "\n";
#endif
    return out;
}

/// Options that bring in no file, as far as their beginning tells.
bool is_plain_option(const std::string& word) {
    static const std::vector<std::string> plain{"-O", "-std=", "-m", "-f",        "-W",      "-w",
                                                "-g", "-D",    "-U", "-pedantic", "-pthread"};
    static const std::vector<std::string> whole{"-shared", "-lm",   "-lpthread", "-ldl",           "-lgomp",
                                                "-lc",     "-lgcc", "-xc++",     "-nodefaultlibs", "-Wl,-Bsymbolic"};
    static const std::vector<std::string> passed_on{"-Wl,", "-Wa,", "-Wp,", "-gsplit"};
    static const std::vector<std::string> suspect{"plugin", "profile", "coverage", "file", "list", "module", "dump", "/"};
    const auto begins = [&](const std::string& with) { return starts(word, with); };
    const auto contains = [&](const std::string& part) { return word.find(part) != std::string::npos; };
    if (std::find(whole.begin(), whole.end(), word) != whole.end()) return true;
    if (word == "-D" || word == "-U" || std::any_of(passed_on.begin(), passed_on.end(), begins)) return false;
    if (starts(word, "-f") && std::any_of(suspect.begin(), suspect.end(), contains)) return false;
    return std::any_of(plain.begin(), plain.end(), begins);
}

bool is_standard_header(std::string_view name) {
    static const std::vector<std::string_view> known{
        "assert.h", "complex.h",   "ctype.h",   "errno.h",  "fenv.h",   "float.h",  "immintrin.h", "inttypes.h",
        "iso646.h", "limits.h",    "locale.h",  "math.h",   "omp.h",    "setjmp.h", "signal.h",    "stdalign.h",
        "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",  "stdlib.h",    "stdnoreturn.h",
        "string.h", "tgmath.h",    "threads.h", "time.h",   "uchar.h",  "utility",  "wchar.h",     "wctype.h"};
    return std::find(known.begin(), known.end(), name) != known.end();
}

/// Whether the word "include" at `at` is prose, or `#include <…>` of a standard header. What may be a directive written in an
/// unusual way is neither: a comment before it, digraphs, `__has_include`, `#include MACRO`.
bool harmless_include(std::string_view text, std::size_t at) {
    const std::size_t before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", at - 1);
    if (before == std::string_view::npos || std::string_view("#:=/_").find(text[before]) == std::string_view::npos) return true;
    std::string_view rest = text.substr(at + std::string_view("include").size());
    if (text[before] != '#' || !starts(rest, " <")) return false;
    rest.remove_prefix(2);
    return is_standard_header(rest.substr(0, std::min(rest.find('>'), rest.size())));
}

/// The text as a preprocessor sees it: a backslash at the end of a line joins it to the next.
std::string joined_lines(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("\\\n", at), text.size());
        out += text.substr(at, end - at);
        at = end + 2;
    }
    return out;
}

}  // namespace

std::optional<std::string> compiler_identity(const std::vector<std::string>& words, int time_limit_s) {
    static std::mutex mutex;
    static std::map<std::string, std::string> known;
    const std::string question = lines_of(words) + setting("PATH") + "\n" + file_state(words[0]);
    {
        const std::lock_guard lock(mutex);
        if (const auto found = known.find(question); found != known.end()) return found->second;
    }
    const auto answer = ask(words, time_limit_s);
    const std::lock_guard lock(mutex);
    if (answer) known[question] = *answer;
    return answer;
}

std::string lines_of(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        for (const char c : word) out += c == '\n' ? "\\n" : c == '\\' ? "\\\\" : std::string(1, c);
        out += '\n';
    }
    return out;
}

std::string compiler_environment() {
    std::string out;
    for (const char* name : {"CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                             "CCC_OVERRIDE_OPTIONS", "LD_RUN_PATH", "SYSROOT", "SDKROOT"})
        if (const std::string value = setting(name); !value.empty()) out += lines_of({std::string(name) + "=" + value});
    return out;
}

std::optional<std::string> files_of(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) {
        if (is_plain_option(word)) continue;
        if (word.empty() || word[0] == '-' || word[0] == '@') return std::nullopt;
        auto bytes = read_file(word);
        if (!bytes) bytes = read_file(find_program(word));  // "ccache gcc"
        if (!bytes) return std::nullopt;
        out += lines_of({hash_text(*bytes) + " " + word});
    }
    return out;
}

bool self_contained(std::string_view text) {
    if (text.find("\\\n") != std::string_view::npos) return self_contained(joined_lines(text));
    for (const char* word : {"incbin", "embed", "__DATE__", "__TIME", "__FILE__", "??"})
        if (text.find(word) != std::string_view::npos) return false;
    for (std::size_t at = text.find("include"); at != std::string_view::npos; at = text.find("include", at + 1))
        if (!harmless_include(text, at)) return false;
    return true;
}

}  // namespace heddle::runtime
