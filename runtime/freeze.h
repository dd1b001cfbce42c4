// Frozen functions: the first call records which kernels run on what, later calls replay them. docs/freezing.md
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "runtime/array.h"
#include "runtime/freeze/recorder.h"
#include "runtime/freeze/structure.h"
#include "runtime/kernel.h"

namespace heddle::runtime {

struct FreezeOptions {
    std::size_t limit = 16;  ///< recordings kept; the least recently used goes first
};

/// What a frozen function has done.
struct FreezeStatistics {
    std::uint64_t recordings = 0;  ///< made, those that went too
    std::uint64_t replays = 0, evicted = 0;
    std::size_t kept = 0;
    std::string reason;  ///< why the last call that recorded could not be replayed; of the first call nothing
};

/// False: every frozen function runs as a plain one until it is true again. At the start: unless $HEDDLE_FREEZE is "off".
void set_freezing(bool on);
bool freezing();

/// Recordings of one function. All may be called from several threads.
class FrozenCore {
public:
    explicit FrozenCore(FreezeOptions options) : options_(options) {}
    /// Runs the recording that fits; false: there is none.
    bool replay(const Bound& bound, ResultSink& sink);
    void add(std::shared_ptr<const Sequence> sequence);
    FreezeStatistics statistics() const;
    std::string inspect() const;
    void clear();
    /// Held while recording, so that threads do not record the same thing.
    std::mutex& recording() { return recording_; }
    using List = std::vector<std::shared_ptr<const Sequence>>;
    std::shared_ptr<const List> list() const;

private:
    FreezeOptions options_;
    std::mutex recording_;
    mutable std::mutex mutex_;
    std::shared_ptr<const List> list_ = std::make_shared<List>();  ///< the last used first, about
    FreezeStatistics statistics_;
    std::atomic<std::uint64_t> clock_{0}, replays_{0};
};

/// Writes recordings to a file, with the code of their kernels, and reads them. Throws RuntimeError: Io; BadArgument for
/// recordings that hold arrays or code of this process alone; LoadFailed for files that are damaged, of another version, or for
/// another device or processor.
void save_sequences(const FrozenCore::List& list, const std::string& path, const std::string& signature);
FrozenCore::List load_sequences(const std::string& path, const std::vector<Device>& devices, const std::string& signature);

/// Scratch for flattened arguments, one call of a thread at a time.
class BoundScratch {
public:
    BoundScratch();
    ~BoundScratch();
    BoundScratch(const BoundScratch&) = delete;
    Bound& get() { return *bound_; }

private:
    Bound own_;
    Bound* bound_;
};

template <class Signature>
class Frozen;

/// A function that records its first call and replays it. Copies share recordings.
template <class R, class... P>
class Frozen<R(P...)> {
    static_assert(
        (... && (!std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>)),
        "arguments are taken by value or constant reference: what a function changes has to be in its result or in arrays");

public:
    using Function = std::function<R(const P&...)>;
    explicit Frozen(Function f, FreezeOptions options = {})
        : function_(std::move(f)), core_(std::make_shared<FrozenCore>(options)) {}

    /// Replays, or records where no recording fits. Throws RuntimeError(BadArgument) saying why when it cannot be frozen.
    R operator()(const P&... arguments) const {
        if (recording::current != nullptr || !freezing()) return plain(arguments...);
        BoundScratch scratch;
        structure::Flatten flatten{scratch.get()};
        (structure::walk(arguments, flatten), ...);
        Sink sink;
        if (core_->replay(scratch.get(), sink)) return std::move(sink).result();
        const std::lock_guard lock(core_->recording());
        if (core_->replay(scratch.get(), sink)) return std::move(sink).result();
        return record(scratch.get().structure, arguments...);
    }

    FreezeStatistics statistics() const { return core_->statistics(); }
    /// All recordings as text: arguments, formulas, memory, steps.
    std::string inspect() const { return core_->inspect(); }
    /// Forgets all recordings.
    void clear() const { core_->clear(); }
    /// Writes the recordings with the code of their kernels; `load_frozen` reads them.
    void save(const std::string& path) const { save_sequences(*core_->list(), path, signature()); }
    void load(const std::string& path, const std::vector<Device>& devices = {}) const {
        for (auto& s : load_sequences(path, devices, signature())) core_->add(std::move(s));
    }
    static std::string signature() {
        std::string out = typeid(R).name();
        ((out += std::string(" ") + typeid(P).name()), ...);
        return out;
    }

private:
    R plain(const P&... arguments) const {
        if (!function_)
            throw RuntimeError(Code::BadArgument,
                               "no saved recording fits, and there is no function to record: " + statistics().reason);
        return function_(arguments...);
    }
    /// Builds the result of a replay.
    class Sink final : public ResultSink {
    public:
        void take(Results& results) override {
            structure::Build build{results};
            structure::walk(out_, build);
        }
        R result() && {
            if constexpr (!std::is_void_v<R>) return std::move(out_);
        }

    private:
        std::conditional_t<std::is_void_v<R>, std::tuple<>, R> out_{};
    };
    R record(const std::vector<std::uint64_t>& structure, const P&... arguments) const {
        Recorder recorder;
        std::tuple<P...> own(arguments...);
        structure::Tagged tagged{recorder};
        structure::walk(own, tagged);
        structure::Collect collect{recorder};
        const auto run = [&](const auto&... a) { return plain(a...); };
        if constexpr (std::is_void_v<R>) {
            std::apply(run, own);
            core_->add(recorder.finish(structure, {}));
        } else {
            R out = std::apply(run, own);
            structure::walk(out, collect);
            core_->add(recorder.finish(structure, std::move(collect.structure)));
            return out;
        }
    }
    Function function_;
    std::shared_ptr<FrozenCore> core_;
};

namespace structure {

template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... A>
struct Callable<R (*)(A...)> {
    using Result = R;
    using Arguments = std::tuple<A...>;
};
template <class C, class R, class... A>
struct Callable<R (C::*)(A...) const> : Callable<R (*)(A...)> {};
template <class R, class Arguments, class Rest>
struct After;
template <class R, class Arguments, std::size_t... I>
struct After<R, Arguments, std::index_sequence<I...>> {
    template <class T>
    static constexpr bool kept = !std::is_lvalue_reference_v<T> || std::is_const_v<std::remove_reference_t<T>>;
    template <std::size_t Skip>
    static constexpr bool unchanged = (... && kept<std::tuple_element_t<I + Skip, Arguments>>);
    template <std::size_t Skip>
    using Type = R(std::remove_cvref_t<std::tuple_element_t<I + Skip, Arguments>>...);
};

}  // namespace structure

/// Freezes a function. It has no captures, since changes of those could not be seen; what is the same in all calls, such as
/// kernels, goes into `context`: copies of it are the function's first arguments.
template <class F, class... Context>
auto freeze(F f, Context... context) {
    static_assert(std::is_empty_v<F> || std::is_pointer_v<F>,
                  "a lambda with captures: a replay would not see them change. Pass them as arguments, or as context: "
                  "freeze(f, kernels)");
    using C = structure::Callable<F>;
    constexpr std::size_t skip = sizeof...(Context), count = std::tuple_size_v<typename C::Arguments> - skip;
    using Rest = structure::After<typename C::Result, typename C::Arguments, std::make_index_sequence<count>>;
    using Signature = typename Rest::template Type<skip>;
    static_assert(
        Rest::template unchanged<skip>,
        "arguments are taken by value or constant reference: what a function changes has to be in its result or in arrays");
    return Frozen<Signature>([f, context...](const auto&... a) { return f(context..., a...); });
}

/// Recordings of an earlier process, for a function of this signature. Calls that fit none of them are errors.
template <class Signature>
Frozen<Signature> load_frozen(const std::string& path, const std::vector<Device>& devices = {}) {
    Frozen<Signature> out(nullptr);
    out.load(path, devices);
    return out;
}

}  // namespace heddle::runtime
