#include "runtime/freeze/structure.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/device/driver.h"
#include "runtime/freeze/recorder.h"

namespace heddle::runtime {
namespace structure {

void flatten_array(const Array& a, Bound& bound) {
    const auto& sizes = ArrayAccess::sizes(a);
    bound.structure.push_back(word(Tag::Array, static_cast<std::uint64_t>(a.element()) << 16 |
                                                   static_cast<std::uint64_t>(a.rank()) << 8 | (a.contiguous() ? 1 : 0)));
    const void* device = a.device() == nullptr ? nullptr : &a.device()->driver();
    bound.structure.push_back(word(Tag::Device, reinterpret_cast<std::uint64_t>(device)));
    if (!a.contiguous())
        for (int k = 0; k < a.rank(); ++k)
            bound.structure.push_back(
                word(Tag::Stride, static_cast<std::uint64_t>(ArrayAccess::strides(a)[static_cast<std::size_t>(k)])));
    bound.arrays.push_back(&a);
    for (int k = 0; k < a.rank(); ++k) bound.numbers.push_back(sizes[static_cast<std::size_t>(k)].operand().value);
}

Node bind_number(Recorder& recorder, Element type, Value value) { return recorder.bind_number(type, value); }
void bind_array(Recorder& recorder, Array& array) { recorder.bind_array(array); }
void result_array(Recorder& recorder, Array& a) { recorder.result_array(a); }
void result_number(Recorder& recorder, const recording::Operand& n) { recorder.result_number(n); }

namespace {

std::string array_text(std::uint64_t payload) {
    return fmt::format("{} in {} axes{}", name_of(static_cast<Element>(payload >> 16 & 0xff)), payload >> 8 & 0xff,
                       (payload & 1) != 0 ? "" : ", with strides");
}

/// What the word at `at` says, for the array or number before it.
std::string word_text(const std::vector<std::uint64_t>& words, std::size_t at) {
    if (at >= words.size()) return "nothing";
    const std::uint64_t payload = payload_of(words[at]);
    switch (tag_of(words[at])) {
        case Tag::Array:
            return "elements of " + array_text(payload);
        case Tag::Device:
            return payload == 0 ? "host memory" : "memory of a device";
        case Tag::Stride:
            return fmt::format("a stride of {}", static_cast<std::int64_t>(payload << 8) >> 8);
        case Tag::Number:
            return fmt::format("a number of type {}", name_of(static_cast<Element>(payload)));
        case Tag::Count:
            return fmt::format("{} elements in a vector", payload);
        case Tag::Present:
            return payload != 0 ? "an optional with a value" : "an optional without value";
        default:
            return "another value of a Static";
    }
}

}  // namespace
}  // namespace structure

std::string structure_difference(const std::vector<std::uint64_t>& recorded, const std::vector<std::uint64_t>& given,
                                 std::size_t at) {
    using namespace structure;
    const auto end = given.begin() + static_cast<std::ptrdiff_t>(std::min(at + 1, given.size()));
    const auto arrays = std::count_if(given.begin(), end, [](std::uint64_t w) { return tag_of(w) == Tag::Array; });
    const std::string old = word_text(recorded, at), now = word_text(given, at);
    if (old == now)
        return fmt::format("the arguments have {}, at array {}", now == "memory of a device" ? "another device" : now, arrays);
    return fmt::format("the arguments have {}, at array {}; it was recorded with {}", now, arrays, old);
}

}  // namespace heddle::runtime
