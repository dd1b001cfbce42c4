// Functions that run on arrays: C functions, and functions of devices. A call runs them, and is noted where one is recording.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/array.h"
#include "runtime/compile.h"
#include "runtime/memo.h"

namespace heddle::runtime {

/// C text and how to compile it; never changes. Compiled at most once, without looking at the text again.
class CSource {
public:
    explicit CSource(std::string text, CompileOptions options = {});
    const std::string& text() const { return data_->text; }
    const CompileOptions& options() const { return data_->options; }
    Module module() const;

private:
    struct Data {
        std::string text;
        CompileOptions options;
    };
    std::shared_ptr<const Data> data_;
};

/// A function of C, with the call of its signature. `values` hold one argument each, as C passes it.
struct CFunction {
    using Call = int (*)(void* address, const Value* values);
    std::string name;
    void* address = nullptr;
    Call call = nullptr;
    std::string signature;             ///< types of result and parameters in C, with commas; pointers are "void*"
    std::optional<CSource> source;     ///< none: code that is only in this process
    std::shared_ptr<const void> keep;  ///< what is loaded
};

/// A function of a device's program.
struct DeviceFunction {
    DeviceProgram program;
    LoadedFunction* function;
    std::string name;
};

/// An array with strides, for kernels that take them. Without this word an array has to be contiguous.
struct Strided {
    const Array& array;
};
inline Strided strided(const Array& array) { return {array}; }

namespace recording {

/// An argument as it was given: an array, or a number.
struct Given {
    const Array* array = nullptr;
    Operand number{};
    std::uint32_t bytes = 0;  ///< of a number
};
void call(const std::shared_ptr<const CFunction>& function, const Given* given, std::size_t count);
/// Throws RuntimeError(Check …) naming the function.
[[noreturn]] void failed(const CFunction& function, int status);
/// Throws RuntimeError(BadArgument) unless a kernel on the host may have it.
void check_host(const CFunction& function, const Array& array, bool any_stride);
void check_element(const CFunction& function, const Array& array, Element wanted);

template <class P>
const char* c_type() {
    if constexpr (std::is_pointer_v<P>)
        return "void*";
    else
        return name_of(element_of<P>());
}

/// How a parameter of type P takes what is given.
template <class P>
struct Parameter {
    static_assert(std::is_pointer_v<P> || std::is_arithmetic_v<P>, "parameters are numbers and pointers");
    static P plain(const CFunction& f, const Array& a) { return array(f, a, false); }
    static P plain(const CFunction& f, const Strided& a) { return array(f, a.array, true); }
    template <class T>
    static P plain(const CFunction&, const Scalar<T>& s) {
        static_assert(!std::is_pointer_v<P>, "an array is needed here");
        if constexpr (std::is_same_v<P, T>)
            return s.operand().value.template as<T>();
        else
            return s.template as<P>().operand().value.template as<P>();
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    static P plain(const CFunction&, T v) { return static_cast<P>(v); }
    static Given noted(const Array& a) { return {&a, {}, 0}; }
    static Given noted(const Strided& a) { return {&a.array, {}, 0}; }
    template <class T>
    static Given noted(const Scalar<T>& s) {
        if constexpr (std::is_same_v<P, T>)
            return {nullptr, s.operand(), sizeof(P)};
        else
            return {nullptr, s.template as<P>().operand(), sizeof(P)};
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    static Given noted(T v) { return noted(Scalar<P>(static_cast<P>(v))); }

private:
    static P array(const CFunction& f, const Array& a, bool any_stride) {
        static_assert(std::is_pointer_v<P>, "a number is needed here");
        if (a.device() != nullptr || (!any_stride && !a.contiguous())) check_host(f, a, any_stride);
        using Pointed = std::remove_cv_t<std::remove_pointer_t<P>>;
        if constexpr (!std::is_void_v<Pointed>)
            if (a.element() != element_of<Pointed>()) check_element(f, a, element_of<Pointed>());
        return reinterpret_cast<P>(a.pointer());
    }
};

}  // namespace recording

template <class Signature>
class CKernel;

/// A C function that can be called with arrays for its pointers, and numbers. A result of int other than 0 is an error.
template <class R, class... P>
class CKernel<R(P...)> {
    static_assert(std::is_void_v<R> || std::is_same_v<R, int>, "kernels give nothing, or an int that is 0 when all is well");

public:
    /// From text, compiled once. Throws what compiling throws.
    CKernel(const CSource& source, const std::string& name) : CKernel(source.module(), name, source) {}
    /// From a function of this program, which cannot be saved.
    CKernel(R (*function)(P...), const std::string& name) : function_(make(name, reinterpret_cast<void*>(function))) {}

    template <class... Given>
    void operator()(const Given&... given) const {
        static_assert(sizeof...(Given) == sizeof...(P), "as many arguments as parameters");
        const int status = invoke(recording::Parameter<P>::plain(*function_, given)...);
        if (status != 0) recording::failed(*function_, status);
        if (recording::current != nullptr) note(recording::Parameter<P>::noted(given)...);
    }
    const std::string& name() const { return function_->name; }

private:
    CKernel(const Module& module, const std::string& name, const CSource& source) {
        auto made = make(name, module.symbol(name));
        made->source = source;
        made->keep = std::make_shared<Module>(module);
        function_ = std::move(made);
    }
    static std::shared_ptr<CFunction> make(const std::string& name, void* address) {
        auto out = std::make_shared<CFunction>();
        out->name = name;
        out->address = address;
        out->call = [](void* f, const Value* v) { return call(f, v, std::index_sequence_for<P...>()); };
        out->signature = std::is_void_v<R> ? "void" : "int";
        ((out->signature += std::string(",") + recording::c_type<P>()), ...);
        return out;
    }
    template <std::size_t... I>
    static int call(void* f, [[maybe_unused]] const Value* v, std::index_sequence<I...>) {
        return invoke_at(f, v[I].template as<P>()...);
    }
    static int invoke_at(void* f, P... values) {
        const auto function = reinterpret_cast<R (*)(P...)>(f);
        if constexpr (std::is_void_v<R>)
            return function(values...), 0;
        else
            return function(values...);
    }
    int invoke(P... values) const { return invoke_at(function_->address, values...); }
    template <class... G>
    void note(const G&... given) const {
        const recording::Given list[sizeof...(G) + 1] = {given...};
        recording::call(function_, list, sizeof...(G));
    }
    std::shared_ptr<const CFunction> function_;
};

/// The shape of a launch; sizes may be formulas.
struct Grid {
    std::array<Size, 3> blocks{1, 1, 1};
    std::array<std::int32_t, 3> lanes{1, 1, 1};
    Size shared_bytes = 0;
};

/// A function of a device, called with a grid, arrays of that device and numbers. Numbers have the types of the parameters.
class DeviceKernel {
public:
    /// Throws RuntimeError(LoadFailed) when there is no such function.
    DeviceKernel(const DeviceProgram& program, const std::string& name);

    template <class... Given>
    void operator()(const Grid& grid, const Given&... given) const {
        const recording::Given list[sizeof...(Given) + 1] = {given_of(given)...};
        run(grid, list, sizeof...(Given));
    }
    const std::string& name() const { return function_->name; }

private:
    static recording::Given given_of(const Array& a) { return {&a, {}, 0}; }
    static recording::Given given_of(const Strided& a) { return {&a.array, {}, 1}; }
    template <class T>
    static recording::Given given_of(const Scalar<T>& s) {
        return {nullptr, s.operand(), sizeof(T)};
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    static recording::Given given_of(T v) { return given_of(Scalar<T>(v)); }
    void run(const Grid& grid, const recording::Given* given, std::size_t count) const;
    std::shared_ptr<const DeviceFunction> function_;
};

/// One run of a kernel.
struct KernelRun {
    std::string name, place;
    std::array<std::int64_t, 3> blocks{};  ///< 0: a C function
    bool replayed = false;
};
/// Writes runs down from now on, in plain calls and replays, until `off`; what was written before goes. Not part of any
/// recording.
void kernel_history(bool on);
std::vector<KernelRun> kernel_history();

}  // namespace heddle::runtime
