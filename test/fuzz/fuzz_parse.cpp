// libFuzzer on the kernel reader: any text is read or refused by a user's error; what is read prints as text that reads back
// equal.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/print.h"

namespace {

[[noreturn]] void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
    std::abort();
}

/// Prints, reads again, compares.
void check_round_trip(const heddle::Kernel& kernel) {
    const std::string text = heddle::print(kernel.data());
    try {
        const heddle::Unit again = heddle::parse(text);
        if (!heddle::equal(again.kernel(kernel.data().name.str()).data(), kernel.data()))
            fail("reads back as another kernel", text);
    } catch (const heddle::Error& e) {
        if (e.code() != "limit" && e.code() != "budget") fail(e.render().c_str(), text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const heddle::Unit unit = heddle::parse({reinterpret_cast<const char*>(data), size});
        for (const heddle::Kernel& k : unit.kernels) check_round_trip(k);
    } catch (const heddle::Error& e) {
        if (e.kind() != heddle::ErrorKind::User) fail("not a user's error", e.render());
        e.render();
    }
    return 0;
}
