#include <stdlib.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "runtime/compile.h"
#include "runtime/heddle_runtime.h"

using namespace heddle::runtime;

namespace {

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

void* give(void* user, std::size_t bytes, std::size_t, int, void*) {
    *static_cast<int*>(user) += 1;
    return ::malloc(bytes + 1);
}
void take(void* user, void* block, std::size_t, std::size_t, int, void*) {
    *static_cast<int*>(user) -= block != nullptr;
    ::free(block);
}

}  // namespace

TEST_CASE("C code that carries the interface's text works with an allocator made here") {
    const std::string header = text_of(std::string(HEDDLE_SOURCE_DIR) + "/runtime/heddle_runtime.h");
    const std::string user = R"(
int use(const heddle_allocator *a, size_t bytes) {
    if (a->size < sizeof *a) return heddle_bad_argument;
    unsigned char *block = (unsigned char *)a->allocate(a->user, bytes, 64, heddle_space_host, NULL);
    if (!block) return heddle_out_of_memory;
    for (size_t k = 0; k < bytes; ++k) block[k] = (unsigned char)k;
    a->release(a->user, block, bytes, 64, heddle_space_host, NULL);
    return heddle_ok;
})";
    int live = 0;
    const heddle_allocator allocator = {sizeof(heddle_allocator), &live, give, take, nullptr};
    for (const char* standard : {"-std=c11", "-xc++"}) {
        CompileOptions options;
        options.flags = {standard, "-Wall", "-Wextra", "-Wpedantic", "-Werror"};
        const std::string text = standard[1] == 'x' ? header + "extern \"C\"" + user : header + header + user;
        const Module module = compile_c(text, options);
        auto* use = reinterpret_cast<int (*)(const heddle_allocator*, std::size_t)>(module.symbol("use"));
        CHECK(use(&allocator, 100) == heddle_ok);
        CHECK(live == 0);
        heddle_allocator older = allocator;
        older.size = 8;
        CHECK(use(&older, 100) == heddle_bad_argument);
    }
}
