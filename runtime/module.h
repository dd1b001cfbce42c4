// Loaded code.
#pragma once

#include <memory>
#include <string>

namespace heddle::runtime {

/// Compiled code, unloaded with the last handle.
class Module {
public:
    struct State;
    explicit Module(std::shared_ptr<State> state) : state_(std::move(state)) {}
    void* symbol(const std::string& name) const;  ///< throws RuntimeError(LoadFailed) naming it
    /// Whether both are the same loaded code, its variables included.
    friend bool operator==(const Module& a, const Module& b) { return a.state_ == b.state_; }

private:
    std::shared_ptr<State> state_;
};

/// Loads a shared object from its bytes. They are copied into memory that only this process has, so that no change of a file
/// can reach loaded code. Each call loads anew. Throws RuntimeError(LoadFailed) with the loader's reason.
Module load_module(const std::string& bytes);

}  // namespace heddle::runtime
