// Compiled code that was made before: in memory, and on disk between processes. Nothing that goes wrong here is an error of a
// compile: it only means that the compiler runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/module.h"

namespace heddle::runtime {

/// One thing that compiled code depends on.
struct KeyPart {
    std::string name, value;
};

/// Everything that compiled code depends on. Equal keys give equal code.
class CacheKey {
public:
    explicit CacheKey(std::vector<KeyPart> parts);
    const std::vector<KeyPart>& parts() const { return parts_; }
    /// The parts as bytes, each with its length: keys are equal when these are.
    const std::string& encoded() const { return encoded_; }
    /// 32 hexadecimal digits, the XXH3 hash of `encoded`: the name of the entry.
    const std::string& id() const { return id_; }

private:
    std::vector<KeyPart> parts_;
    std::string encoded_, id_;
};

/// How two keys differ, a sentence about the first part in which they do; empty when they are equal.
std::string difference(const CacheKey& a, const CacheKey& b);

struct CacheOptions {
    std::string folder;             ///< empty: memory only
    std::uint64_t limit = 1 << 30;  ///< bytes on disk; what was not used for longest goes first
    std::size_t modules = 256;  ///< loaded modules and programs that are kept for the next call, least recently used first out
    std::function<void(const std::string&)>
        warn;  ///< told once when the folder is not safe to use; may be called by any thread
};

/// $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else $HOME/.cache/heddle, else none; and $HEDDLE_CACHE_LIMIT bytes.
CacheOptions cache_options_of_environment();

struct CacheStatistics {
    std::uint64_t memory_hits = 0, disk_hits = 0;
    std::uint64_t waits = 0;  ///< calls that waited for another thread's, also counted as memory hits when it succeeded
    std::uint64_t compiles = 0, failures = 0;
    std::uint64_t published = 0, unpublished = 0;  ///< entries written to disk, and not: full, read-only, unsafe, too big
};

/// All functions may be called from several threads, and several processes may use a folder.
class Cache {
public:
    explicit Cache(CacheOptions options);
    ~Cache();
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;

    /// The module of this key: from memory, from disk, or from `make`, which gives the bytes of a shared object. `make` runs
    /// once however many threads ask at the same time; its exception reaches all of them, and the next call tries again.
    Module get(const CacheKey& key, const std::function<std::string()>& make);
    /// The bytes alone, for code that is not loaded as a shared object: device programs.
    std::shared_ptr<const std::string> bytes(const CacheKey& key, const std::function<std::string()>& make);
    /// Forgets the modules in memory; those in use stay loaded.
    void forget();
    CacheStatistics statistics() const;
    /// Replaces the handler of warnings.
    void on_warning(std::function<void(const std::string&)> warn);

private:
    std::unique_ptr<class CacheState> state_;
};

/// The cache of this process, with the options that the environment had at the first call. Null: $HEDDLE_CACHE was "off" then.
Cache* default_cache();

}  // namespace heddle::runtime
