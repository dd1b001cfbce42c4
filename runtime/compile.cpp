#include "runtime/compile.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "runtime/spawn.h"
#include "runtime/status.h"
#include "runtime/temporary.h"

namespace heddle::runtime {

struct Module::State {
    void* handle = nullptr;
    ~State() {
        if (handle != nullptr) ::dlclose(handle);
    }
};

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

/// The compiler as words of a command line: a path, and the arguments that $CC may carry ("ccache gcc").
std::vector<std::string> find_compiler(const CompileOptions& options) {
    std::string tried;
    for (const std::string& candidate : candidates(options)) {
        std::vector<std::string> words = words_of(candidate);
        const std::string path = words.empty() ? std::string() : find_program(words[0]);
        if (!path.empty()) {
            words[0] = path;
            return words;
        }
        tried += (tried.empty() ? "" : ", ") + candidate;
    }
    throw RuntimeError(Code::CompilerMissing,
                       "no C compiler: tried " + tried + "; install gcc or clang, or name one in HEDDLE_CC");
}

std::vector<std::string> command(const CompileOptions& options, const std::string& source, const std::string& object) {
    static const std::vector<std::string> usual{"-std=c11", "-O3", "-march=native", "-ffp-contract=off", "-fopenmp", "-w"};
    std::vector<std::string> words = find_compiler(options);
    const auto& flags = options.flags.empty() ? usual : options.flags;
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-fPIC", "-shared", "-o", object, source});
    words.insert(words.end(), options.extra.begin(), options.extra.end());
    words.push_back("-lm");
    return words;
}

void run_compiler(const std::vector<std::string>& words, int time_limit_s) {
    const Outcome outcome = run_program(words, time_limit_s);
    if (outcome.timed_out)
        throw RuntimeError(Code::CompileFailed, "the C compiler " + words[0] + " was stopped after " +
                                                    std::to_string(time_limit_s) + " s, the time limit");
    if (outcome.status != 0)
        throw RuntimeError(Code::CompileFailed, "the C compiler " + words[0] + " failed with status " +
                                                    std::to_string(outcome.status) + ":\n" + outcome.errors);
}

/// An OpenMP runtime keeps its threads after a parallel region: its code must stay when the module that brought it goes.
void pin_openmp() {
    for (const char* library : {"libgomp.so.1", "libomp.so.5", "libomp.so"})
        if (void* handle = ::dlopen(library, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) ::dlclose(handle);
}

/// What the loader says, as a sentence: a function that nothing defines is the usual reason.
std::string load_failure(const std::string& said) {
    const std::string word = "undefined symbol: ";
    const std::size_t at = said.find(word);
    if (at == std::string::npos) return "cannot load the compiled code: " + said;
    const std::string name = said.substr(at + word.size());
    return "the compiled code calls '" + name + "', which no library or object file that it was linked with defines";
}

std::shared_ptr<Module::State> load(const std::string& path) {
    auto state = std::make_shared<Module::State>();
    state->handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (state->handle == nullptr) throw RuntimeError(Code::LoadFailed, load_failure(::dlerror()));
    pin_openmp();
    return state;
}

}  // namespace

void* Module::symbol(const std::string& name) const {
    void* found = ::dlsym(state_->handle, name.c_str());
    if (found == nullptr) throw RuntimeError(Code::LoadFailed, "the compiled code has no function " + name);
    return found;
}

Module compile_c(const std::string& text, const CompileOptions& options) {
    const TemporaryFolder folder;
    const std::string source = folder.path() + "/kernel.c", object = folder.path() + "/kernel.so";
    std::vector<std::string> words = command(options, source, object);
    write_text(source, text);
    for (const auto& [name, bytes] : options.objects) {
        write_text(folder.path() + "/" + name, bytes);
        words.insert(std::find(words.begin(), words.end(), source) + 1, folder.path() + "/" + name);
    }
    run_compiler(words, options.time_limit_s);
    return Module(load(object));
}

}  // namespace heddle::runtime
