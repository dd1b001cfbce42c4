// libFuzzer on the .npy reader: any bytes are an array or are refused by a user's error; an array is written as bytes that read
// back equal.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ir/error.h"
#include "tools/heddle/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const heddle::Buffer read = heddle::tools::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz.npy");
        const heddle::Buffer again = heddle::tools::parse_npy(heddle::tools::npy_bytes(read), "again.npy");
        if (again.type != read.type || again.shape != read.shape || again.bytes != read.bytes) {
            std::fprintf(stderr, "reads back as another array\n");
            std::abort();
        }
    } catch (const heddle::Error& e) {
        if (e.kind() != heddle::ErrorKind::User) {
            std::fprintf(stderr, "not a user's error: %s\n", e.render().c_str());
            std::abort();
        }
    }
    return 0;
}
