// Every file of emitted text compiles alone without a warning, in C and in C++.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "ir/kernel_data.h"
#include "runtime/temporary.h"
#include "target/target.h"

using namespace heddle;

namespace {

const char* const zoo = R"(
kernel mixed(n, m : index; alpha : f32; z : in c128[n], w : inout c64[n], g : in i32[n], u : inout u8[n, 3], A : inout f64[n, m],
             s : out f64, t : out c128, low : inout f32, unused : in i64[m], ok : out bool[n])
  where n mod 4 = 0
{
  assert injective g
  const table : f64[2, 2] = {{0.5, inf}, {nan, -0.0}}
  temp big : f64[n, m]
  temp never : f64[4]
  s = 0.0
  t = 0.0
  for [i] parallel schedule(dynamic, 4) if(1000) : 0 <= i < n {
    temp own : f64[m]
    for [j] vector : 0 <= j < m { own[j] = A[i, j] * table[1, 1] }
    for [j] : 0 <= j < m { big[i, j] = own[j] > 0.0 ? 1.0 : min(own[j], f64(alpha)) }
    w[g[i]] = c64(f32(real(z[i] * conj(z[i]))), alpha) / w[g[i]]
    ok[i] = i % 3 - 1 > 0 and not isnan(low)
  }
  for [i] parallel : 0 <= i < n {
    a [reassociate]: s += big[i, 0]
    b [reassociate]: t += z[i]
    c: low min= f32(big[i, 1])
    let at = (i - n) // 5
    d: u[i, 1] += u8(at)
  }
}
)";

}  // namespace

TEST_CASE("emitted files compile clean in every standard") {
    namespace fs = std::filesystem;
    const runtime::TemporaryFolder place;
    const fs::path folder = place.path();
    for (const bool checked : {false, true}) {
        TargetOptions options;
        options.checked = checked;
        options.entry = true;
        for (const SourceFile& f : emit_c(*lower(parse(zoo).kernel(), options))) std::ofstream(folder / f.name) << f.text;
        for (const std::string how : {"gcc -std=c11", "gcc -std=gnu11 -fopenmp", "g++ -x c++ -std=c++17 -fopenmp",
                                      "clang-19 -std=c11", "clang-19 -x c++ -std=c++17"}) {
            if (std::system(("command -v " + how.substr(0, how.find(' ')) + " >/dev/null").c_str()) != 0) continue;
            for (const char* name : {"mixed_host.c", "mixed_device.c"}) {
                INFO(how << " " << name);
                const std::string command =
                    how + " -O2 -Wall -Wextra -Werror -pedantic -c " + (folder / name).string() + " -o /dev/null";
                CHECK(std::system(command.c_str()) == 0);
            }
        }
        std::ifstream header(folder / "mixed.h");
        const std::string text{std::istreambuf_iterator<char>(header), {}};
        CHECK(text.find("asserted by the user, not proved: g is injective") != std::string::npos);
    }
}
