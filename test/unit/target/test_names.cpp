// Names that C, C++ or their headers use.
#include "target/names.h"
#include "test/unit/ir/kernels.h"
#include "test/unit/target/compiled.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("identifiers that C leaves free stay, others are changed") {
    CHECK(c_identifier("alpha") == "alpha");
    CHECK(c_identifier("for") == "for_");
    CHECK(c_identifier("class") == "class_");
    CHECK(c_identifier("y1") == "y1_");
    CHECK(c_identifier("linux") == "linux_");
    CHECK(c_identifier("__shared__") == "v_shared_");
    CHECK(c_identifier("3d") == "v3d");
    CHECK(c_identifier("heddle_add_i32") == "heddle_add_i32_");
    CHECK(c_identifier(std::string(300, 'x')).size() < 63);
    CHECK(c_identifier(std::string(300, 'x')) != c_identifier(std::string(301, 'x')));
}

TEST_CASE("names that differ only in what C has no letters for stay apart") {
    Maker m({"größe", "grüße"});
    m.array("gr_e", {num(1)});
    m.kernel.argument_order = {"größe", "grüße", "gr_e"};
    const KernelData k = m.done({});
    const NameTable names(k);
    CHECK(std::set<std::string>{names("größe"), names("grüße"), names("gr_e")}.size() == 3);
}

TEST_CASE("a kernel of such names compiles and runs") {
    const char* text = R"(kernel strange(class, n : index; `for` : inout f64[n], I : in f64[n], complex : in f64[n],
        linux : inout f64[n], y1 : in f64[n], threadIdx : out f64[n], NULL : out f64, strange_device : f64, for_ : f64)
    {
      temp __shared__ : f64[4]
      NULL = 0.0
      for [int] : 0 <= int < 4 { __shared__[int] = strange_device * for_ }
      for [int] : 0 <= int < n {
        `for`[int] += I[int] * complex[int] + y1[int] + class
        linux[int] -= exp(strange_device)
        threadIdx[int] = __shared__[int % 4]
        NULL += 1.0
      }
    })";
    check_equal_runs(text, {{{"class", 4}, {"n", 6}}});
    const std::string once = emit_c_single(*lower(parse(text).kernel()));
    CHECK(once == emit_c_single(*lower(parse(text).kernel())));
    CHECK(once.find("in the kernel: for\n") != std::string::npos);
}
