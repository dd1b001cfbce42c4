#include "test/support/recording_cuda.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "runtime/cuda_emulated.h"
#include "runtime/status.h"

namespace heddle::test {
namespace {

using runtime::CuKernelNode;
using runtime::CuPointer;

constexpr int invalid_value = 1, out_of_memory = 2, invalid_context = 201, not_found = 500, invalid_handle = 400,
              launch_failed = 719, compilation_error = 6;
constexpr std::size_t device_bytes = std::size_t{2} << 30;

struct Function {
    std::string name;
    runtime::CudaKernel kernel;
    std::vector<std::size_t> parameters;
    int dynamic_limit = 48 * 1024;
};

/// A kernel node, with its arguments copied as the driver does.
struct Node {
    const Function* function;
    CuKernelNode shape;
    std::vector<std::vector<char>> values;
    bool enabled = true;
};

struct Module {
    runtime::CudaModule module;
    std::map<std::string, std::unique_ptr<Function>> functions;
};

struct Graph {
    std::vector<std::unique_ptr<Node>> nodes;
};

struct Executable {
    std::map<const Node*, Node> nodes;
    std::vector<const Node*> order;
};

struct Program {
    std::string text, log;
    bool compiled = false;
};

struct State {
    std::recursive_mutex mutex;
    std::vector<CudaCall> calls;
    std::vector<std::string> misuses;
    std::map<std::string, std::pair<int, int>> failures;  // name: calls until then, status
    std::map<std::string, std::set<void*>> live;
    std::map<void*, std::size_t> memory;
    std::size_t bytes = 0;
    std::map<std::string, runtime::CudaModule> compiled;
    static State& get() {
        static State* state = new State;  // outlives objects that tests keep in static variables
        return *state;
    }
};

thread_local std::vector<void*> contexts;
int device_context = 0;

/// Writes the call down; runs it unless it is to fail.
template <class Work>
int call(const char* name, const std::string& text, Work work) {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    s.calls.push_back({name, text});
    if (const auto f = s.failures.find(name); f != s.failures.end() && --f->second.first == 0) {
        const int status = f->second.second;
        s.failures.erase(f);
        return status;
    }
    return work(s);
}

int misuse(State& s, const char* name, const char* what, int status) {
    s.misuses.push_back(fmt::format("{}: {}", name, what));
    return status;
}

/// As `call`, for what needs a context.
template <class Work>
int in_context(const char* name, const std::string& text, Work work) {
    return call(name, text, [&](State& s) {
        return contexts.empty() ? misuse(s, name, "no context is current", invalid_context) : work(s);
    });
}

bool is_live(const State& s, const char* kind, void* handle) {
    const auto found = s.live.find(kind);
    return found != s.live.end() && found->second.count(handle) != 0;
}

template <class T>
int make(State& s, const char* kind, void** out, T* object) {
    *out = object;
    s.live[kind].insert(object);
    return 0;
}

template <class T>
int destroy(const char* name, const char* kind, void* handle) {
    return in_context(name, "", [&](State& s) {
        if (s.live[kind].erase(handle) == 0) return misuse(s, name, "the handle is not live", invalid_handle);
        delete static_cast<T*>(handle);
        return 0;
    });
}

/// As `in_context`, for work on a stream.
template <class Work>
int on_stream(const char* name, void* stream, const std::string& text, Work work) {
    return in_context(name, text, [&](State& s) {
        return is_live(s, "streams", stream) ? work(s) : misuse(s, name, "the stream is not live", invalid_handle);
    });
}

/// Whether bytes lie inside a live block.
bool inside(const State& s, CuPointer address, std::size_t bytes) {
    auto* p = reinterpret_cast<char*>(address);
    auto next = s.memory.upper_bound(p);
    if (next == s.memory.begin()) return false;
    const auto& [base, size] = *--next;
    return p + bytes <= static_cast<char*>(base) + size;
}

int run(State& s, const Function& f, const CuKernelNode& shape, const std::vector<runtime::CudaArgument>& arguments) {
    try {
        f.kernel.launch({shape.grid[0], shape.grid[1], shape.grid[2]}, {shape.block[0], shape.block[1], shape.block[2]},
                        shape.shared_bytes, arguments);
        return 0;
    } catch (const runtime::RuntimeError& e) {
        s.misuses.push_back(f.name + ": " + e.what());
        return e.code() == runtime::Code::BadArgument ? invalid_value : launch_failed;
    }
}

std::string shape_text(const Function& f, const CuKernelNode& n) {
    return fmt::format("{} grid {} {} {} block {} {} {} shared {}", f.name, n.grid[0], n.grid[1], n.grid[2], n.block[0],
                       n.block[1], n.block[2], n.shared_bytes);
}

std::vector<runtime::CudaArgument> arguments_of(const Function& f, void** values) {
    std::vector<runtime::CudaArgument> out;
    for (std::size_t k = 0; k < f.parameters.size(); ++k) out.emplace_back(values[k], f.parameters[k]);
    return out;
}

Node copied(const CuKernelNode& from) {
    const auto* function = static_cast<const Function*>(from.function);
    Node out{function, from, {}, true};
    for (std::size_t k = 0; k < function->parameters.size(); ++k) {
        const auto* value = static_cast<const char*>(from.arguments[k]);
        out.values.emplace_back(value, value + function->parameters[k]);
    }
    return out;
}

int attribute_value(int which) {
    static const std::map<int, int> values{{1, 1024},  {2, 1024},  {3, 1024}, {4, 64}, {5, 0x7fffffff}, {6, 65535},
                                           {7, 65535}, {8, 49152}, {75, 9},   {76, 0}, {97, 232448}};
    const auto found = values.find(which);
    return found == values.end() ? 0 : found->second;
}

const char* status_name(int status) {
    switch (status) {
        case invalid_value:
            return "CUDA_ERROR_INVALID_VALUE";
        case out_of_memory:
            return "CUDA_ERROR_OUT_OF_MEMORY";
        case invalid_handle:
            return "CUDA_ERROR_INVALID_HANDLE";
        case not_found:
            return "CUDA_ERROR_NOT_FOUND";
        case launch_failed:
            return "CUDA_ERROR_LAUNCH_FAILED";
        default:
            return nullptr;
    }
}

void fill_devices(runtime::CudaApi& a) {
    a.init = [](unsigned) { return call("cuInit", "", [](State&) { return 0; }); };
    a.driver_version = [](int* v) { return *v = 13000, 0; };
    a.error_name = [](int status, const char** text) {
        *text = status_name(status);
        return *text == nullptr ? invalid_value : 0;
    };
    a.error_string = [](int, const char** text) { return *text = "as the test asked", 0; };
    a.device_count = [](int* n) { return *n = 1, 0; };
    a.device_get = [](int* device, int) { return *device = 0, 0; };
    a.device_name = [](char* text, int size, int) {
        return std::snprintf(text, static_cast<std::size_t>(size), "recorded"), 0;
    };
    a.device_attribute = [](int* value, int which, int) { return *value = attribute_value(which), 0; };
    a.primary_retain = [](void** context, int) {
        return call("cuDevicePrimaryCtxRetain", "", [&](State&) { return *context = &device_context, 0; });
    };
    a.primary_release = [](int) { return call("cuDevicePrimaryCtxRelease", "", [](State&) { return 0; }); };
    a.context_push = [](void* context) { return contexts.push_back(context), 0; };
    a.context_pop = [](void** context) { return *context = contexts.back(), contexts.pop_back(), 0; };
}

void fill_memory(runtime::CudaApi& a) {
    a.memory_allocate = [](CuPointer* out, std::size_t bytes) {
        return in_context("cuMemAlloc", std::to_string(bytes), [&](State& s) {
            if (bytes == 0) return invalid_value;
            if (s.bytes + bytes > device_bytes) return out_of_memory;
            void* block = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
            s.memory[block] = bytes, s.bytes += bytes;
            s.live["memory"].insert(block);
            return *out = reinterpret_cast<CuPointer>(block), 0;
        });
    };
    a.memory_free = [](CuPointer address) {
        return in_context("cuMemFree", "", [&](State& s) {
            void* block = reinterpret_cast<void*>(address);
            if (s.live["memory"].erase(block) == 0) return misuse(s, "cuMemFree", "the block is not live", invalid_value);
            s.bytes -= s.memory[block];
            s.memory.erase(block);
            return std::free(block), 0;
        });
    };
    a.copy_to_device = [](CuPointer to, const void* from, std::size_t bytes, void* stream) {
        return on_stream("cuMemcpyHtoDAsync", stream, std::to_string(bytes), [&](State& s) {
            return inside(s, to, bytes) ? (std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0) : invalid_value;
        });
    };
    a.copy_from_device = [](void* to, CuPointer from, std::size_t bytes, void* stream) {
        return on_stream("cuMemcpyDtoHAsync", stream, std::to_string(bytes), [&](State& s) {
            return inside(s, from, bytes) ? (std::memcpy(to, reinterpret_cast<void*>(from), bytes), 0) : invalid_value;
        });
    };
    a.copy_within = [](CuPointer to, CuPointer from, std::size_t bytes, void* stream) {
        return on_stream("cuMemcpyDtoDAsync", stream, std::to_string(bytes), [&](State& s) {
            if (!inside(s, from, bytes) || !inside(s, to, bytes)) return invalid_value;
            return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes), 0;
        });
    };
}

void fill_streams(runtime::CudaApi& a) {
    a.stream_create = [](void** out, unsigned) {
        return in_context("cuStreamCreate", "", [&](State& s) { return make(s, "streams", out, new char); });
    };
    a.stream_destroy = [](void* stream) { return destroy<char>("cuStreamDestroy", "streams", stream); };
    a.stream_synchronize = [](void* stream) { return on_stream("cuStreamSynchronize", stream, "", [](State&) { return 0; }); };
    a.stream_wait = [](void* stream, void* event, unsigned) {
        return on_stream("cuStreamWaitEvent", stream, "",
                         [&](State& s) { return is_live(s, "events", event) ? 0 : invalid_handle; });
    };
    a.event_create = [](void** out, unsigned) {
        return in_context("cuEventCreate", "", [&](State& s) { return make(s, "events", out, new char); });
    };
    a.event_destroy = [](void* event) { return destroy<char>("cuEventDestroy", "events", event); };
    a.event_record = [](void* event, void* stream) {
        return on_stream("cuEventRecord", stream, "",
                         [&](State& s) { return is_live(s, "events", event) ? 0 : invalid_handle; });
    };
    a.event_query = [](void* event) {
        return in_context("cuEventQuery", "", [&](State& s) { return is_live(s, "events", event) ? 0 : invalid_handle; });
    };
    a.event_synchronize = [](void* event) {
        return in_context("cuEventSynchronize", "", [&](State& s) { return is_live(s, "events", event) ? 0 : invalid_handle; });
    };
}

runtime::CudaModule compiled(State& s, const std::string& text) {
    const auto found = s.compiled.find(text);
    if (found != s.compiled.end()) return found->second;
    return s.compiled.emplace(text, runtime::compile_cuda_emulated(text)).first->second;
}

void fill_modules(runtime::CudaApi& a) {
    a.module_load = [](void** out, const void* image) {
        return in_context("cuModuleLoadData", "", [&](State& s) {
            return make(s, "modules", out, new Module{compiled(s, static_cast<const char*>(image)), {}});
        });
    };
    a.module_unload = [](void* module) { return destroy<Module>("cuModuleUnload", "modules", module); };
    a.module_function = [](void** out, void* module, const char* name) {
        return in_context("cuModuleGetFunction", name, [&](State& s) {
            if (!is_live(s, "modules", module))
                return misuse(s, "cuModuleGetFunction", "the module is not live", invalid_handle);
            auto& m = *static_cast<Module*>(module);
            try {
                auto kernel = m.module.kernel(name);
                auto sizes = kernel.parameters();
                auto& slot = m.functions[name];
                if (!slot) slot = std::make_unique<Function>(Function{name, kernel, sizes});
                return *out = slot.get(), 0;
            } catch (const runtime::RuntimeError&) {
                return not_found;
            }
        });
    };
    a.function_attribute = [](int* value, int which, void*) { return *value = which == 0 ? 1024 : 0, 0; };
    a.set_function_attribute = [](void* function, int, int value) {
        return in_context("cuFuncSetAttribute", std::to_string(value),
                          [&](State&) { return static_cast<Function*>(function)->dynamic_limit = value, 0; });
    };
    a.parameter_info = [](void* function, std::size_t k, std::size_t* offset, std::size_t* bytes) {
        const auto& sizes = static_cast<const Function*>(function)->parameters;
        return k < sizes.size() ? (*offset = 0, *bytes = sizes[k], 0) : invalid_value;
    };
    a.launch_kernel = [](void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void* stream, void** values, void**) {
        const auto& f = *static_cast<const Function*>(function);
        const CuKernelNode shape{function, {gx, gy, gz}, {bx, by, bz}, shared, nullptr, nullptr, nullptr, nullptr};
        return on_stream("cuLaunchKernel", stream, shape_text(f, shape), [&](State& s) {
            if (static_cast<int>(shared) > f.dynamic_limit)
                return misuse(s, "cuLaunchKernel", "shared memory was not asked for", invalid_value);
            return run(s, f, shape, arguments_of(f, values));
        });
    };
}

int launch_graph(State& s, const Executable& e) {
    for (const Node* at : e.order) {
        const Node& n = e.nodes.at(at);
        if (!n.enabled) continue;
        std::vector<runtime::CudaArgument> arguments;
        for (const auto& v : n.values) arguments.emplace_back(v.data(), v.size());
        if (const int status = run(s, *n.function, n.shape, arguments); status != 0) return status;
    }
    return 0;
}

void fill_graphs(runtime::CudaApi& a) {
    a.graph_create = [](void** out, unsigned) {
        return in_context("cuGraphCreate", "", [&](State& s) { return make(s, "graphs", out, new Graph); });
    };
    a.graph_destroy = [](void* graph) { return destroy<Graph>("cuGraphDestroy", "graphs", graph); };
    a.graph_add_kernel = [](void** out, void* graph, void* const*, std::size_t edges, const CuKernelNode* node) {
        const auto& f = *static_cast<const Function*>(node->function);
        return in_context("cuGraphAddKernelNode", fmt::format("{} after {}", shape_text(f, *node), edges), [&](State& s) {
            if (!is_live(s, "graphs", graph)) return misuse(s, "cuGraphAddKernelNode", "the graph is not live", invalid_handle);
            auto& nodes = static_cast<Graph*>(graph)->nodes;
            nodes.push_back(std::make_unique<Node>(copied(*node)));
            return *out = nodes.back().get(), 0;
        });
    };
    a.graph_instantiate = [](void** out, void* graph, unsigned long long) {
        return in_context("cuGraphInstantiate", "", [&](State& s) {
            auto* made = new Executable;
            for (const auto& n : static_cast<Graph*>(graph)->nodes) {
                made->nodes.emplace(n.get(), *n);
                made->order.push_back(n.get());
            }
            return make(s, "executable graphs", out, made);
        });
    };
    a.graph_exec_destroy = [](void* e) { return destroy<Executable>("cuGraphExecDestroy", "executable graphs", e); };
    a.graph_set_kernel = [](void* e, void* node, const CuKernelNode* shape) {
        const auto& f = *static_cast<const Function*>(shape->function);
        return in_context("cuGraphExecKernelNodeSetParams", shape_text(f, *shape), [&](State& s) {
            if (shape->grid[0] == 0 || shape->grid[1] == 0 || shape->grid[2] == 0)
                return misuse(s, "graph", "no blocks", invalid_value);
            Node& at = static_cast<Executable*>(e)->nodes.at(static_cast<const Node*>(node));
            const bool enabled = at.enabled;
            at = copied(*shape);
            return at.enabled = enabled, 0;
        });
    };
    a.graph_set_enabled = [](void* e, void* node, unsigned on) {
        return in_context("cuGraphNodeSetEnabled", std::to_string(on), [&](State&) {
            return static_cast<Executable*>(e)->nodes.at(static_cast<const Node*>(node)).enabled = on != 0, 0;
        });
    };
    a.graph_launch = [](void* e, void* stream) {
        return on_stream("cuGraphLaunch", stream, "", [&](State& s) { return launch_graph(s, *static_cast<Executable*>(e)); });
    };
}

void fill_compiler(runtime::CudaApi& a) {
    a.compiler_version = [](int* major, int* minor) { return *major = 13, *minor = 0, 0; };
    a.architecture_count = [](int* n) { return *n = 1, 0; };
    a.architectures = [](int* list) { return list[0] = 90, 0; };
    a.program_create = [](void** out, const char* text, const char*, int, const char* const*, const char* const*) {
        return call("nvrtcCreateProgram", "", [&](State&) { return *out = new Program{text, "", false}, 0; });
    };
    a.program_compile = [](void* program, int, const char* const* words) {
        return call("nvrtcCompileProgram", words[0], [&](State& s) {
            auto& p = *static_cast<Program*>(program);
            try {
                compiled(s, p.text);
                return p.compiled = true, 0;
            } catch (const runtime::RuntimeError& e) {
                return p.log = e.what(), compilation_error;
            }
        });
    };
    a.program_log_size = [](void* p, std::size_t* n) { return *n = static_cast<Program*>(p)->log.size() + 1, 0; };
    a.program_log = [](void* p, char* out) { return std::strcpy(out, static_cast<Program*>(p)->log.c_str()), 0; };
    a.program_cubin_size = [](void* p, std::size_t* n) { return *n = static_cast<Program*>(p)->text.size() + 1, 0; };
    a.program_cubin = [](void* p, char* out) { return std::strcpy(out, static_cast<Program*>(p)->text.c_str()), 0; };
    a.program_destroy = [](void** p) { return delete static_cast<Program*>(*p), *p = nullptr, 0; };
}

}  // namespace

RecordingCuda& RecordingCuda::get() {
    static RecordingCuda one;
    return one;
}

std::shared_ptr<const runtime::CudaApi> RecordingCuda::api() const {
    auto out = std::make_shared<runtime::CudaApi>();
    fill_devices(*out);
    fill_memory(*out);
    fill_streams(*out);
    fill_modules(*out);
    fill_graphs(*out);
    fill_compiler(*out);
    return out;
}

void RecordingCuda::clear() {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    s.calls.clear();
    s.misuses.clear();
    s.failures.clear();
}

std::vector<CudaCall> RecordingCuda::calls() const {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    return s.calls;
}

std::vector<std::string> RecordingCuda::calls(const std::string& name) const {
    std::vector<std::string> out;
    for (const CudaCall& c : calls())
        if (c.name == name) out.push_back(c.text);
    return out;
}

void RecordingCuda::fail(const std::string& name, int n, int status) {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    s.failures[name] = {n, status};
}

std::size_t RecordingCuda::live(const std::string& kind) const {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    return s.live[kind].size();
}

std::vector<std::string> RecordingCuda::misuses() const {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    return s.misuses;
}

std::size_t RecordingCuda::live_bytes() const {
    State& s = State::get();
    const std::lock_guard lock(s.mutex);
    return s.bytes;
}

}  // namespace heddle::test
