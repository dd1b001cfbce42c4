#include "runtime/cache.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "runtime/cache/folder.h"
#include "runtime/status.h"

namespace heddle::runtime {

namespace {

/// What a key leads to: a module, or bytes.
struct Loaded {
    std::optional<Module> module;
    std::shared_ptr<const std::string> bytes;
};

Loaded code_of(bool loaded, std::string bytes) {
    if (loaded) return {load_module(bytes), nullptr};
    return {std::nullopt, std::make_shared<const std::string>(std::move(bytes))};
}

}  // namespace

/// Code by key, and what some thread is making now. Maps are guarded by `mutex_`, which is never held while compiling,
/// loading, reading or writing. `loaded` says whether a module is wanted; one key may lead to both.
class CacheState {
public:
    explicit CacheState(CacheOptions options)
        : folder_(options.folder.empty() ? std::nullopt : std::optional<CacheFolder>({options.folder, options.limit})),
          options_(std::move(options)) {}

    Loaded get(const CacheKey& key, bool loaded, const std::function<std::string()>& make);
    void forget() {
        const std::lock_guard lock(mutex_);
        order_.clear();
        kept_.clear();
    }
    CacheStatistics statistics() const {
        const std::lock_guard lock(mutex_);
        return statistics_;
    }
    void on_warning(std::function<void(const std::string&)> warn) {
        const std::lock_guard lock(mutex_);
        options_.warn = std::move(warn);
    }

private:
    using Order = std::list<const std::string*>;  ///< keys of `kept_`, the last used first
    struct Kept {
        Loaded code;
        Order::iterator place;
    };
    struct Question {
        const CacheKey& key;
        bool loaded;
        std::string name;  ///< in the maps
    };

    std::optional<Loaded> kept(const std::string& name);
    void keep(const std::string& name, const Loaded& code);
    Loaded finish(const Question& question, std::promise<Loaded>& promise, const std::function<std::string()>& make);
    Loaded produce(const Question& question, const std::function<std::string()>& make);
    std::optional<Loaded> from_disk(const Question& question);
    void publish(const CacheKey& key, const std::string& object);
    bool safe();
    void add(std::uint64_t CacheStatistics::*counter) {
        const std::lock_guard lock(mutex_);
        ++(statistics_.*counter);
    }

    std::optional<CacheFolder> folder_;
    CacheOptions options_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, Kept> kept_;
    Order order_;
    std::unordered_map<std::string, std::shared_future<Loaded>> making_;
    CacheStatistics statistics_;
    bool warned_ = false;
};

std::optional<Loaded> CacheState::kept(const std::string& name) {
    const auto found = kept_.find(name);
    if (found == kept_.end()) return std::nullopt;
    order_.splice(order_.begin(), order_, found->second.place);
    ++statistics_.memory_hits;
    return found->second.code;
}

void CacheState::keep(const std::string& name, const Loaded& code) {
    if (options_.modules == 0) return;
    if (kept_.size() >= options_.modules) {
        kept_.erase(*order_.back());
        order_.pop_back();
    }
    const auto place = kept_.try_emplace(name, Kept{code, {}}).first;
    order_.push_front(&place->first);
    place->second.place = order_.begin();
}

Loaded CacheState::get(const CacheKey& key, bool loaded, const std::function<std::string()>& make) {
    const Question question{key, loaded, (loaded ? "module" : "bytes ") + key.encoded()};
    std::promise<Loaded> promise;
    std::shared_future<Loaded> others;
    {
        const std::lock_guard lock(mutex_);
        if (auto code = kept(question.name)) return *code;
        const auto [place, mine] = making_.try_emplace(question.name);
        if (mine)
            place->second = promise.get_future().share();
        else
            others = place->second, ++statistics_.waits;
    }
    if (!others.valid()) return finish(question, promise, make);
    Loaded code = others.get();
    add(&CacheStatistics::memory_hits);
    return code;
}

/// Makes the code for this thread and for those that wait.
Loaded CacheState::finish(const Question& question, std::promise<Loaded>& promise, const std::function<std::string()>& make) {
    try {
        Loaded code = produce(question, make);
        const std::lock_guard lock(mutex_);
        keep(question.name, code);
        making_.erase(question.name);
        promise.set_value(code);
        return code;
    } catch (...) {
        const std::lock_guard lock(mutex_);
        making_.erase(question.name);
        ++statistics_.failures;
        promise.set_exception(std::current_exception());
        throw;
    }
}

Loaded CacheState::produce(const Question& question, const std::function<std::string()>& make) {
    if (auto code = from_disk(question)) return *code;
    add(&CacheStatistics::compiles);
    const std::string bytes = make();
    Loaded code = code_of(question.loaded, bytes);  // what cannot be loaded is not published
    publish(question.key, bytes);
    return code;
}

std::optional<Loaded> CacheState::from_disk(const Question& question) {
    auto bytes = safe() ? folder_->find(question.key) : std::nullopt;
    if (!bytes) return std::nullopt;
    try {
        Loaded code = code_of(question.loaded, std::move(*bytes));
        add(&CacheStatistics::disk_hits);
        return code;
    } catch (const RuntimeError&) {
        return std::nullopt;  // a library that it needs is gone; the compiler will say so
    }
}

void CacheState::publish(const CacheKey& key, const std::string& object) {
    add(safe() && folder_->publish(key, object) ? &CacheStatistics::published : &CacheStatistics::unpublished);
}

/// Whether there is a folder that may be used; says once why not.
bool CacheState::safe() {
    if (!folder_) return false;
    const std::string danger = folder_->danger();
    if (danger.empty()) return true;
    std::function<void(const std::string&)> warn;
    {
        const std::lock_guard lock(mutex_);
        if (!warned_ && options_.warn) {
            warned_ = true;
            warn = options_.warn;
        }
    }
    if (warn) warn("compiled code is not kept on disk: " + folder_->path() + " " + danger);
    return false;
}

Cache::Cache(CacheOptions options) : state_(std::make_unique<CacheState>(std::move(options))) {}
Cache::~Cache() = default;
Module Cache::get(const CacheKey& key, const std::function<std::string()>& make) {
    return *state_->get(key, true, make).module;
}
std::shared_ptr<const std::string> Cache::bytes(const CacheKey& key, const std::function<std::string()>& make) {
    return state_->get(key, false, make).bytes;
}
void Cache::forget() { state_->forget(); }
CacheStatistics Cache::statistics() const { return state_->statistics(); }
void Cache::on_warning(std::function<void(const std::string&)> warn) { state_->on_warning(std::move(warn)); }

namespace {

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

/// Folders named by XDG variables and $HOME count only when they are absolute.
std::string below(const std::string& base, const std::string& rest) {
    return base.empty() || base[0] != '/' ? std::string() : base + rest;
}

std::string folder_of_environment() {
    if (const std::string chosen = setting("HEDDLE_CACHE_DIR"); !chosen.empty()) return chosen;
    if (const std::string xdg = below(setting("XDG_CACHE_HOME"), "/heddle"); !xdg.empty()) return xdg;
    return below(setting("HOME"), "/.cache/heddle");
}

}  // namespace

CacheOptions cache_options_of_environment() {
    CacheOptions out;
    out.folder = folder_of_environment();
    const std::string limit = setting("HEDDLE_CACHE_LIMIT");
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(limit.data(), limit.data() + limit.size(), bytes);
    if (!limit.empty() && error == std::errc() && end == limit.data() + limit.size()) out.limit = bytes;
    return out;
}

Cache* default_cache() {
    static const std::unique_ptr<Cache> cache =
        setting("HEDDLE_CACHE") == "off" ? nullptr : std::make_unique<Cache>(cache_options_of_environment());
    return cache.get();
}

}  // namespace heddle::runtime
