// CUDA text on the CPU: compiled with g++, run block by block with the threads of a block as fibers. For tests of CUDA text
// where there is no GPU (docs/cuda-emulated.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace heddle::runtime {

class Cache;

/// The size of a grid or of a block.
struct CudaShape {
    unsigned x = 1, y = 1, z = 1;
};

/// How text is compiled. Checked text reports races, unwritten reads and out-of-bounds accesses of shared memory, and runs
/// slower.
struct CudaTextOptions {
    std::string name = "kernel.cu";  ///< of the text, in messages
    bool checked = false;
    std::vector<std::string>
        kernels;           ///< beside those that the text shows: instances of templates, as expressions ("scale<float>")
    std::string compiler;  ///< path or name of a g++; empty: $HEDDLE_CXX, $CXX, g++, c++
    std::vector<std::string> extra;  ///< more flags
    int time_limit_s = 300;
    bool cached = true;      ///< false: the compiler runs. The variables of a module are its own in any case
    Cache* cache = nullptr;  ///< null: `default_cache()`
};

enum class CudaOrder : std::uint8_t { Ascending, Descending, Random };

/// How a launch runs. Right text gives the same in every order.
struct CudaOptions {
    CudaOrder threads = CudaOrder::Ascending;  ///< of a block, between two barriers; Random: another order each time
    CudaOrder blocks = CudaOrder::Ascending;
    std::uint64_t seed = 0;               ///< of random orders
    unsigned os_threads = 1;              ///< that take blocks
    std::size_t stack_bytes = 64 * 1024;  ///< of each thread of a block: has to hold its private arrays
};

/// One argument: where its value lies, as the kernel's parameter type.
struct CudaArgument {
    const void* value;
    std::size_t bytes;
    template <class T, class = std::enable_if_t<std::is_trivially_copyable_v<T>>>
    CudaArgument(const T& v) : value(&v), bytes(sizeof v) {}
    CudaArgument(const void* v, std::size_t n) : value(v), bytes(n) {}
};

/// A kernel of a module, which it keeps loaded.
class CudaKernel {
public:
    struct State;
    explicit CudaKernel(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    /// Runs it to its end. The values' types have to have the sizes of the parameters. Throws RuntimeError: BadArgument for a
    /// launch that CUDA would refuse too, Check when something is wrong in the kernel: which, where, who, and the lines of the
    /// text.
    void launch(CudaShape grid, CudaShape block, std::size_t shared_bytes, const std::vector<CudaArgument>& arguments,
                const CudaOptions& options = {}) const;
    /// Bytes of each parameter.
    std::vector<std::size_t> parameters() const;

private:
    std::shared_ptr<const State> state_;
};

/// Compiled CUDA text, unloaded with the last handle to it or to a kernel.
class CudaModule {
public:
    struct State;
    explicit CudaModule(std::shared_ptr<const State> state) : state_(std::move(state)) {}
    /// Throws RuntimeError(LoadFailed) with the names that there are.
    CudaKernel kernel(const std::string& name) const;
    /// Of a __constant__ or __device__ variable. Throws RuntimeError(LoadFailed).
    void* symbol(const std::string& name) const;
    /// The code, for `load_cuda_emulated`.
    const std::string& object() const;

private:
    std::shared_ptr<const State> state_;
};

/// Loads what `CudaModule::object` gave, in another process too; `checked` as it was compiled. Throws RuntimeError(LoadFailed).
CudaModule load_cuda_emulated(std::shared_ptr<const std::string> object, bool checked);

/// Compiles CUDA device text, or takes it from the cache. Throws RuntimeError as compile_c does; CompilerMissing names the
/// compilers that were tried.
CudaModule compile_cuda_emulated(const std::string& text, const CudaTextOptions& options = {});

}  // namespace heddle::runtime
