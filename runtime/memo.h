// Compiled code by the identity of immutable values, in front of the cache: no text is made or hashed.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "runtime/module.h"

namespace heddle::runtime {

/// Values that never change, by their addresses: a kernel, a schedule, options. The same values are the same code.
using Identity = std::vector<std::shared_ptr<const void>>;

/// From identities to modules. Entries go when a value of theirs is gone. May be used from several threads.
class ModuleMemo {
public:
    /// The module made before for these values, else what `make` gives; two threads may both make it, and one module stays.
    Module get(const Identity& values, const std::function<Module()>& make);
    std::size_t size() const;

private:
    struct Entry {
        std::vector<std::weak_ptr<const void>> values;
        Module module;
    };
    static std::size_t hash(const Identity& values);
    static bool same(const Entry& entry, const Identity& values);
    void sweep();

    mutable std::mutex mutex_;
    std::unordered_multimap<std::size_t, Entry> entries_;
    std::size_t sweep_at_ = 64;
};

/// The one of this process.
ModuleMemo& module_memo();

}  // namespace heddle::runtime
