#include "runtime/module.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include "runtime/descriptor.h"
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

/// The files of loaded OpenMP runtimes. Asking the loader by name would search the file system.
std::vector<std::string> loaded_openmp() {
    std::vector<std::string> found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* to) {
            const std::string_view path = info->dlpi_name;
            const std::string_view file = path.substr(path.rfind('/') + 1);
            if (file.substr(0, 10) == "libgomp.so" || file.substr(0, 9) == "libomp.so")
                static_cast<std::vector<std::string>*>(to)->emplace_back(path);
            return 0;
        },
        &found);
    return found;
}

/// An OpenMP runtime keeps its threads after a parallel region: its code must stay when the module that brought it goes.
void pin_openmp() {
    static std::mutex mutex;
    static std::set<std::string> pinned;
    const auto loaded = loaded_openmp();
    const std::lock_guard lock(mutex);
    for (const std::string& path : loaded)
        if (pinned.count(path) == 0)
            if (void* handle = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) {
                ::dlclose(handle);
                pinned.insert(path);
            }
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

/// The path of a descriptor, spelled in a way that is never used twice: the loader takes a known name for a known object, and
/// numbers of descriptors return. The bits of a counter are written as "/" and "/.".
std::string fresh_path(int fd) {
    static std::atomic<std::uint64_t> counter{1};
    std::string path = "/proc/self/fd";
    for (std::uint64_t n = counter++; n != 0; n >>= 1) path += (n & 1) != 0 ? "/." : "/";
    return path + "/" + std::to_string(fd);
}

}  // namespace

void* Module::symbol(const std::string& name) const {
    void* found = ::dlsym(state_->handle, name.c_str());
    if (found == nullptr) throw RuntimeError(Code::LoadFailed, "the compiled code has no function " + name);
    return found;
}

Module load_module(const std::string& bytes) {
    if (const Descriptor memory(::memfd_create("heddle", MFD_CLOEXEC)); memory && write_all(memory.get(), bytes))
        return Module(load(fresh_path(memory.get())));
    const TemporaryFolder folder;  // the system refuses executable memory files
    write_text(folder.path() + "/kernel.so", bytes);
    return Module(load(folder.path() + "/kernel.so"));
}

}  // namespace heddle::runtime
