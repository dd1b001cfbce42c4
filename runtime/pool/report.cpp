#include <algorithm>
#include <exception>

#include "runtime/pool/state.h"

namespace heddle::runtime {

std::size_t PoolState::largest_free() const {
    std::size_t most = 0;
    for (const Block* b = last_; b != nullptr; b = b->lower)
        if (b->free) most = std::max(most, b->bytes);
    return most;
}

PoolStatistics PoolState::statistics() const {
    const Lock held = lock();
    PoolStatistics out = counts_;
    out.cached_bytes = cached();
    out.largest_free = largest_free();
    return out;
}

std::size_t PoolState::trim(std::size_t keep) {
    const Lock held = lock();
    return trim_locked(keep);
}

/// Sets the message for a request that nothing could serve.
void PoolState::refuse(const Need& need) const {
    const std::string limit = options_.limit != 0 ? std::to_string(options_.limit) + " bytes" : "none";
    const std::string below = below_text_[0] != '\0' ? std::string("; below it: ") + below_text_ : "";
    set_message("out of memory: %s was asked for %zu bytes; in use %zu, cached %zu, limit %s, largest free block %zu%s",
                options_.name.c_str(), need.wanted, static_cast<std::size_t>(counts_.live_bytes + counts_.padding_bytes),
                cached(), limit.c_str(), largest_free(), below.c_str());
}

/// What is wrong with a release: `live` is the live block at this address, if any, whose size is another one.
std::string PoolState::misuse_text(const void* address, const Block* live, std::size_t bytes) const {
    if (live != nullptr)
        return "a block of " + std::to_string(live->wanted) + " bytes was released to " + options_.name + " as one of " +
               std::to_string(bytes);
    const char* at = static_cast<const char*>(address);
    for (const auto& [start, chunk] : chunks_)
        if (at >= start && at < start + chunk.first)
            return "a block was released to " + options_.name + " twice, or not by its start";
    return "a block was released to " + options_.name + " that it did not give";
}

std::string PoolState::leak_text() const {
    if (counts_.live_blocks == 0) return {};
    return options_.name + " ends with " + std::to_string(counts_.live_blocks) + " live blocks of " +
           std::to_string(counts_.live_bytes) + " bytes together";
}

std::string PoolState::live_text() const {
    const Lock held = lock();
    return leak_text();
}

void PoolState::release(void* block, const Request& request) {
    try {
        const std::string wrong = take_back(block, request.bytes, request.stream);
        if (wrong.empty()) return;
        set_message("%s", wrong.c_str());
        if (options_.report) options_.report(Code::Check, wrong);
    } catch (const std::exception& e) {  // of the report, or no memory for the sentence
        set_message("%s", e.what());
    }
}

}  // namespace heddle::runtime
