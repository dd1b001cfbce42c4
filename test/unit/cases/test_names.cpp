// Names that mean something to C, C++, CUDA or a header are fine outside and renamed inside.
#include <catch2/catch.hpp>

#include "test/support/run.h"

using namespace heddle;
using namespace heddle::test;

TEST_CASE("words of C and CUDA, macros and library functions as names") {
    const std::string text =
        "kernel main(class : index; for_ : in f64[class], `for` : in f64[class], I : in f64[class], complex : in f64[class],\n"
        "            linux : in f64[class], unix : in f64[class], y1 : in f64[class], j0 : in f64[class], threadIdx : in "
        "f64[class],\n"
        "            warpSize : in f64[class], printf : in f64[class], NULL : in f64[class], EOF : out f64[class])\n{\n"
        "  for [int] : 0 <= int < class {\n    temp __shared__ : f64\n    __shared__ = for_[int] + `for`[int]\n"
        "    register: EOF[int] = __shared__ + I[int] + complex[int] + linux[int] + unix[int] + y1[int] + j0[int]\n"
        "      + threadIdx[int] + warpSize[int] + printf[int] + NULL[int]\n  }\n}\n";
    Arguments given;
    double right = 0;
    for (const char* name :
         {"for_", "for", "I", "complex", "linux", "unix", "y1", "j0", "threadIdx", "warpSize", "printf", "NULL"}) {
        right += 1 << given.arrays.size();
        given.arrays.emplace(name, values<double>({static_cast<double>(1 << given.arrays.size()), 0.0}));
    }
    for (const char* steps : {"", "split int by 2", "rename int to while"})
        CHECK(doubles(run(text, steps, given).arrays.at("EOF")) == std::vector<double>{right, 0});
}

TEST_CASE("an array named like a loop that a split makes") {
    const std::string text = "kernel k(n : index; i_o : inout f64[n])\n{\n  for [i] : 0 <= i < n { i_o[i] = 1.0 }\n}\n";
    const Arguments given{{}, {{"i_o", values<double>({0, 0, 0})}}};
    CHECK(doubles(run(text, "split i by 2", given).arrays.at("i_o")) == std::vector<double>{1, 1, 1});
}

TEST_CASE("a name of 300 characters") {
    const std::string name(300, 'x'), other = name + "y";
    const std::string text = "kernel k(n : index; " + name + " : in f64[n], " + other +
                             " : out f64[n])\n{\n  for [i] : 0 <= i < n { " + other + "[i] = " + name + "[i] }\n}\n";
    Arguments given;
    given.arrays.emplace(name, values<double>({1, 2}));
    CHECK(doubles(run(text, "", given).arrays.at(other)) == std::vector<double>{1, 2});
}

TEST_CASE("a name given twice is refused, naming both places") {
    const std::string error = refusal("kernel k(n : index; a : in f64[n],\n  a : out f64[n])\n{\n}\n", "");
    CHECK_THAT(error, Catch::Contains("test.heddle:2:3") && Catch::Contains("test.heddle:1:"));
}
