// The example of every row of the table is true: the kernel before, the line, the kernel after.
#include <catch2/catch.hpp>
#include <sstream>

#include "ir/error.h"
#include "ir/kernel.h"
#include "transform/step.h"

using namespace heddle;

namespace {

const std::string head =
    "kernel example(n, m : index; g : in i32[n], x : in f64[n], y, z : inout f64[n], A : in f64[n, m], B : inout f64[n, m], C "
    ": inout f64[n, 5])\n";

/// The lines inside a printed kernel, moved to the left.
std::string body_of(const Kernel& kernel) {
    std::istringstream lines(kernel.str());
    std::string line, out;
    bool inside = false;
    while (std::getline(lines, line)) {
        if (line == "}") break;
        if (inside || line.rfind("  where", 0) == 0)
            out += (out.empty() ? "" : "\n") + line.substr(std::min<std::size_t>(2, line.size()));
        inside = inside || line == "{" || (!line.empty() && line.back() == '{');
    }
    return out;
}

}  // namespace

TEST_CASE("examples are true") {
    for (const StepInfo& s : step_table()) {
        INFO(s.verb);
        const Kernel before = parse(head + "{\n" + s.before + "\n}\n").kernel();
        CHECK(body_of(before) == s.before);
        try {
            CHECK(body_of(before | read_step({s.example, {}})) == s.after);
        } catch (const Error& e) {
            FAIL_CHECK(e.render());
        }
    }
}
