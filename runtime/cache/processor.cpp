// What -march=native asks about.
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#else
#include <sys/auxv.h>
#endif

#include <cstdio>

#include "runtime/cache/identity.h"

namespace heddle::runtime {
namespace {

#if defined(__x86_64__) || defined(__i386__)

struct Leaf {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

Leaf leaf(unsigned number, unsigned part = 0) {
    Leaf out;
    __get_cpuid_count(number, part, &out.eax, &out.ebx, &out.ecx, &out.edx);
    return out;
}

std::string line(const char* name, std::initializer_list<unsigned> values) {
    std::string out = name;
    char digits[16];
    for (const unsigned v : values) {
        std::snprintf(digits, sizeof digits, " %08x", v);
        out += digits;
    }
    return out + "\n";
}

/// The extended registers that the system saves: AVX and AVX-512 need it.
unsigned saved_registers(const Leaf& features) {
    if ((features.ecx & bit_OSXSAVE) == 0) return 0;
    unsigned low = 0, high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

std::string describe() {
    const Leaf vendor = leaf(0), base = leaf(1), wide = leaf(7), wider = leaf(7, 1), saving = leaf(13, 1),
               more = leaf(0x80000001u);
    return line("vendor", {vendor.ebx, vendor.edx, vendor.ecx}) + line("model", {base.eax}) +
           line("features", {base.ecx, base.edx, wide.ebx, wide.ecx, wide.edx, wider.eax, wider.edx, saving.eax}) +
           line("more features", {more.ecx, more.edx, leaf(0x80000008u).ebx, leaf(0x19).ebx, leaf(0x14).ebx}) +
           line("saved registers", {saved_registers(base)});
}

#else

std::string describe() {
    const auto* platform = reinterpret_cast<const char*>(::getauxval(AT_PLATFORM));
    return "platform " + std::string(platform == nullptr ? "" : platform) + "\nfeatures " +
           std::to_string(::getauxval(AT_HWCAP)) + " " + std::to_string(::getauxval(AT_HWCAP2)) + "\n";
}

#endif

}  // namespace

const std::string& processor_identity() {
    static const std::string text = describe();
    return text;
}

}  // namespace heddle::runtime
