// A cache in a folder of its own, and kernels to put into it.
#pragma once

#include <string>

#include "runtime/cache.h"
#include "runtime/cache/folder.h"
#include "runtime/compile.h"
#include "runtime/temporary.h"

/// The text of a function `f` that gives a number.
inline std::string text_of(int value) { return "int f(void) { return " + std::to_string(value) + "; }\n"; }
inline int value_of(const heddle::runtime::Module& module) { return reinterpret_cast<int (*)()>(module.symbol("f"))(); }

/// A folder, and caches on it as one process after another would have them.
class CachePlace {
public:
    std::string path() const { return folder_.path() + "/cache"; }
    const heddle::runtime::TemporaryFolder& around() const { return folder_; }
    heddle::runtime::CacheFolder disk(std::uint64_t limit = 1 << 30) const { return {path(), limit}; }
    heddle::runtime::CacheOptions options() const {
        heddle::runtime::CacheOptions out;
        out.folder = path();
        return out;
    }
    /// Compiles as a new process would; gives what its cache did.
    heddle::runtime::CacheStatistics compile(const std::string& text, int expected,
                                             heddle::runtime::CompileOptions how = fast()) const {
        heddle::runtime::Cache cache(options());
        how.cache = &cache;
        if (value_of(heddle::runtime::compile_c(text, how)) != expected) throw std::logic_error("a wrong value");
        return cache.statistics();
    }
    static heddle::runtime::CompileOptions fast() {
        heddle::runtime::CompileOptions out;
        out.flags = {"-O0"};
        return out;
    }
    std::string file(const std::string& id) const { return path() + "/" + id.substr(0, 2) + "/" + id; }

private:
    heddle::runtime::TemporaryFolder folder_;
};
