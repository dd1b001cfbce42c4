#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdint>

#include "runtime/cuda_emulated/launch.h"
#include "runtime/spawn.h"
#include "runtime/temporary.h"

namespace heddle::runtime {
namespace {

/// The place in the text that an address of code comes from, as binutils' addr2line finds it in the object: "line 12".
std::string line_of(const void* pc, const std::string& object) {
    Dl_info info{};
    if (::dladdr(pc, &info) == 0) return "an unknown line";
    const auto offset = reinterpret_cast<std::uintptr_t>(pc) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1;
    const std::string tool = find_program("addr2line");
    if (!tool.empty()) {
        const std::string said = run_program({tool, "-e", object, fmt::format("{:#x}", offset)}, 30).errors;
        const std::size_t colon = said.rfind(':'), digits = colon == std::string::npos ? colon : colon + 1;
        const std::size_t end = digits == std::string::npos ? digits : said.find_first_not_of("0123456789", digits);
        if (end != std::string::npos && end > digits && said[digits] != '0') return "line " + said.substr(digits, end - digits);
    }
    return fmt::format("code at {:#x}", offset);
}

void replace(std::string& text, const std::string& what, const void* pc, const std::string& object) {
    if (const std::size_t at = text.find(what); pc != nullptr && at != std::string::npos)
        text.replace(at, what.size(), line_of(pc, object));
}

}  // namespace

std::string failure_text(const CudaFailure& failure, const std::string& object) {
    std::string text = failure.text;
    if (failure.first == nullptr) return text;
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/kernel.so";
    write_text(path, object);
    replace(text, "%1", failure.first, path);
    replace(text, "%2", failure.second, path);
    return text;
}

std::string cuda_index_text(uint3 i) { return fmt::format("({}, {}, {})", i.x, i.y, i.z); }

}  // namespace heddle::runtime
