#include "runtime/compile.h"

#include <cstdlib>
#include <sstream>

#include "runtime/cache.h"
#include "runtime/cache/hash.h"
#include "runtime/cache/identity.h"
#include "runtime/descriptor.h"
#include "runtime/spawn.h"
#include "runtime/status.h"
#include "runtime/temporary.h"

namespace heddle::runtime {

namespace {

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string w; in >> w;) out.push_back(w);
    return out;
}

/// What to try, most wanted first. A compiler that was asked for by name is the only one.
std::vector<std::string> candidates(const CompileOptions& options) {
    if (!options.compiler.empty()) return {options.compiler};
    for (const char* variable : {"HEDDLE_CC", "CC"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != 0) return {value};
    return {"cc", "gcc", "clang"};
}

using Words = std::vector<std::string>;

Words c_compiler(const CompileOptions& options) {
    return find_compiler(candidates(options), "C", "install gcc or clang, or name one in HEDDLE_CC");
}

void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

/// What stands before the files on the command line, behind the compiler's own words.
Words flags_of(const CompileOptions& options) {
    static const Words usual{"-std=c11", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-w"};
    Words words = options.flags.empty() ? usual : options.flags;
    append(words, {"-fPIC", "-shared"});
    return words;
}

/// What stands behind them.
Words libraries_of(const CompileOptions& options) {
    Words words = options.extra;
    words.push_back("-lm");
    return words;
}

void run_compiler(const Words& words, int time_limit_s) {
    const Outcome outcome = run_program(words, time_limit_s);
    if (outcome.timed_out)
        throw RuntimeError(Code::CompileFailed, "the C compiler " + words[0] + " was stopped after " +
                                                    std::to_string(time_limit_s) + " s, the time limit");
    if (outcome.status != 0)
        throw RuntimeError(Code::CompileFailed, "the C compiler " + words[0] + " failed with status " +
                                                    std::to_string(outcome.status) + ":\n" + outcome.errors);
}

/// Runs the compiler; gives the bytes of the shared object.
std::string compiled_object(const std::string& text, const CompileOptions& options, Words words) {
    const TemporaryFolder folder;
    const std::string source = folder.path() + "/kernel.c", object = folder.path() + "/kernel.so";
    append(words, flags_of(options));
    append(words, {"-o", object, source});
    write_text(source, text);
    for (const auto& [name, bytes] : options.objects) {
        write_text(folder.path() + "/" + name, bytes);
        words.push_back(folder.path() + "/" + name);
    }
    append(words, libraries_of(options));
    run_compiler(words, options.time_limit_s);
    const auto bytes = read_file(object);
    if (!bytes) throw RuntimeError(Code::LoadFailed, "the C compiler " + words[0] + " ended well but wrote no code");
    return *bytes;
}

std::string objects_part(const CompileOptions& options) {
    std::string out;
    for (const auto& [name, bytes] : options.objects) out += lines_of({hash_text(bytes) + " " + name});
    return out;
}

/// Everything that the code depends on; none when that is not known.
std::optional<CacheKey> key_of(const std::string& text, const CompileOptions& options, const Words& compiler) {
    Words words(compiler.begin() + 1, compiler.end());
    append(words, flags_of(options));
    append(words, libraries_of(options));
    const auto files = files_of(words);
    if (!files || !self_contained(text)) return std::nullopt;
    const auto identity = compiler_identity(compiler, options.time_limit_s);
    if (!identity) return std::nullopt;
    return CacheKey({{"tool", "heddle " HEDDLE_VERSION},
                     {"compiler", *identity},
                     {"processor", processor_identity()},
                     {"environment", compiler_environment()},
                     {"options", lines_of(words)},
                     {"files", *files},
                     {"objects", objects_part(options)},
                     {"text", text}});
}

Cache* cache_of(const CompileOptions& options) {
    if (!options.cached) return nullptr;
    return options.cache != nullptr ? options.cache : default_cache();
}

/// What a compile needs; `key` is empty when the compiler has to run.
struct Compile {
    Compile(const std::string& text, const CompileOptions& options)
        : compiler(c_compiler(options)),
          cache(cache_of(options)),
          key(cache != nullptr ? key_of(text, options, compiler) : std::nullopt),
          make([&text, &options, this] { return compiled_object(text, options, compiler); }) {}
    Words compiler;
    Cache* cache;
    std::optional<CacheKey> key;
    std::function<std::string()> make;
};

}  // namespace

Module compile_c(const std::string& text, const CompileOptions& options) {
    const Compile compile(text, options);
    return compile.key ? compile.cache->get(*compile.key, compile.make) : load_module(compile.make());
}

std::shared_ptr<const std::string> compile_c_object(const std::string& text, const CompileOptions& options) {
    const Compile compile(text, options);
    if (compile.key) return compile.cache->bytes(*compile.key, compile.make);
    return std::make_shared<const std::string>(compile.make());
}

std::vector<std::string> find_compiler(const std::vector<std::string>& candidates, const std::string& language,
                                       const std::string& advice) {
    std::string tried;
    for (const std::string& candidate : candidates) {
        std::vector<std::string> words = words_of(candidate);
        const std::string path = words.empty() ? std::string() : find_program(words[0]);
        if (!path.empty()) {
            words[0] = path;
            return words;
        }
        tried += (tried.empty() ? "" : ", ") + candidate;
    }
    throw RuntimeError(Code::CompilerMissing, "no " + language + " compiler: tried " + tried + "; " + advice);
}

}  // namespace heddle::runtime
