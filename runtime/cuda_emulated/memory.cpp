#include "runtime/cuda_emulated/memory.h"

#include <fmt/format.h>
#include <link.h>

namespace heddle::runtime {
namespace {

/// The calling thread's .tbss of the module that holds an address of its thread-local memory.
struct Search {
    std::uintptr_t holds, begin = 0, end = 0;
};

int look_at(dl_phdr_info* info, std::size_t, void* user) {
    auto& search = *static_cast<Search*>(user);
    const auto base = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
    for (int i = 0; base != 0 && i < info->dlpi_phnum; i++) {
        const auto& part = info->dlpi_phdr[i];
        if (part.p_type != PT_TLS || search.holds < base || search.holds >= base + part.p_memsz) continue;
        search.begin = base + part.p_filesz, search.end = base + part.p_memsz;
        return 1;
    }
    return 0;
}

char* pointer(std::uintptr_t address) { return reinterpret_cast<char*>(address); }

const char* verb(heddle_cuda_access kind) {
    return kind == heddle_cuda_read ? "reads" : kind == heddle_cuda_write ? "writes" : "updates atomically";
}

/// What is poisoned of an area with dynamic memory: the static variables, the bytes of the launch, and the guards around these.
void with_dynamic(SharedMemory& memory) {
    const std::uintptr_t area = memory.dynamic - heddle_cuda_guard_bytes;
    const std::uintptr_t area_end = memory.dynamic + heddle_cuda_dynamic_bytes + heddle_cuda_guard_bytes;
    const std::uintptr_t end = memory.begin + memory.bytes, used_end = memory.dynamic + memory.dynamic_bytes;
    memory.poisoned = {{pointer(memory.begin), area - memory.begin},
                       {pointer(area), used_end + heddle_cuda_guard_bytes - area},
                       {pointer(area_end), end - area_end}};
    memory.guards = {{pointer(area), heddle_cuda_guard_bytes}, {pointer(used_end), heddle_cuda_guard_bytes}};
}

}  // namespace

SharedMemory find_shared_memory(const CudaLaunch& launch) {
    heddle_cuda_place place{};
    launch.attach(&place);
    Search search{reinterpret_cast<std::uintptr_t>(place.slot)};
    ::dl_iterate_phdr(look_at, &search);
    SharedMemory memory;
    memory.slot = place.slot;
    memory.begin = search.begin, memory.bytes = search.end - search.begin;
    memory.dynamic = reinterpret_cast<std::uintptr_t>(place.dynamic);
    memory.dynamic_bytes = launch.shared_bytes;
    memory.poisoned = {{pointer(memory.begin), memory.bytes}};
    if (memory.dynamic != 0) with_dynamic(memory);
    return memory;
}

std::optional<CudaFailure> memory_failure(const SharedMemory& memory, const SharedAccess& access) {
    const std::uintptr_t area = memory.dynamic - heddle_cuda_guard_bytes, end = memory.dynamic + memory.dynamic_bytes;
    const std::uintptr_t area_end = memory.dynamic + heddle_cuda_dynamic_bytes + heddle_cuda_guard_bytes;
    if (memory.dynamic == 0 || access.address + access.bytes <= area || access.address >= area_end) return std::nullopt;
    if (access.address >= memory.dynamic && access.address + access.bytes <= end) return std::nullopt;
    const auto at = static_cast<long long>(access.address) - static_cast<long long>(memory.dynamic);
    return CudaFailure{fmt::format("{} {} bytes at byte {} of dynamic shared memory, which has {} bytes, in %1",
                                   verb(access.kind), access.bytes, at, memory.dynamic_bytes),
                       access.pc};
}

CudaFailure conflict_failure(const SharedAccess& access, const SharedConflict& conflict, uint3 other) {
    if (conflict.unwritten) return {"reads shared memory that no thread of the block has written, in %1", access.pc};
    return {fmt::format("race on shared memory: {} in %1 what thread {} {} in %2, and no barrier is between them",
                        verb(access.kind), cuda_index_text(other), verb(conflict.other_kind)),
            access.pc, conflict.other_pc};
}

}  // namespace heddle::runtime
