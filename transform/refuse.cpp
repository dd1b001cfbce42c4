#include "transform/refuse.h"

#include <utility>

namespace heddle {

namespace {

thread_local WithoutProofs* listener = nullptr;

}  // namespace

WithoutProofs::WithoutProofs() : outer_(std::exchange(listener, this)) {}
WithoutProofs::~WithoutProofs() { listener = outer_; }

void refuse(Error error) {
    if (!listener) throw error;
    listener->refused_.push_back(std::move(error));
}

}  // namespace heddle
