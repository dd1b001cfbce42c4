// Refusals because of meaning: every step that would change what a kernel computes, or let loops race, is refused through here.
#pragma once

#include <vector>

#include "ir/error.h"

namespace heddle {

/// Throws the error: the step changes the kernel's meaning. Refusals of other kinds (a name, a nest, an argument) are thrown
/// where they are found.
void refuse(Error error);

/// For tests of the proofs: while one lives, `refuse` on this thread notes the error and returns, so that a step is applied
/// although it may change the meaning, and what it does can be looked at. The kernel that comes out is well formed, no more.
class WithoutProofs {
public:
    WithoutProofs();
    ~WithoutProofs();
    WithoutProofs(const WithoutProofs&) = delete;
    WithoutProofs& operator=(const WithoutProofs&) = delete;
    const std::vector<Error>& refused() const { return refused_; }

private:
    friend void refuse(Error error);
    std::vector<Error> refused_;
    WithoutProofs* outer_;
};

}  // namespace heddle
