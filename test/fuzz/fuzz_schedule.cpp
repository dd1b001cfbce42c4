// libFuzzer on schedules: any text is read as steps or refused by a user's error; steps print as text and JSON that read back
// as equal steps, and applied to a kernel they give a kernel or a user's error.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "ir/error.h"
#include "ir/kernel.h"
#include "ir/kernel_data.h"
#include "transform/script.h"
#include "transform/step.h"

namespace {

const char* const kernel_text = R"(
kernel k(n, m : index; a : f64; A : in f64[n, m], B : inout f64[n, m], x : in f64[m], y : inout f64[n]) where n >= 1 {
  temp t : f64[m]
  def r(i, j) = A[i, j] * 2.0
  for [i] : 0 <= i < n {
    first: y[i] = 0.0
    for [j] : 0 <= j < m {
      second [reassociate]: y[i] += r(i, j) * x[j]
      third: t[j] = A[i, j]
    }
    for [l] : 1 <= l < m { fourth: B[i, l] = t[l] + B[i, l-1] }
  }
}
)";

[[noreturn]] void fail(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
    std::abort();
}

void must_be_users(const heddle::Error& e) {
    if (e.kind() != heddle::ErrorKind::User) fail("not a user's error", e.render());
}

/// Prints, reads again, compares the texts.
void check_round_trip(const heddle::Step& step) {
    const std::string text = heddle::print(step);
    try {
        for (const heddle::Step& read : {heddle::read_step({text, {}}), heddle::step_from_json(heddle::to_json(step))})
            if (heddle::print(read) != text) fail(("reads back as another step: " + heddle::print(read)).c_str(), text);
    } catch (const heddle::Error& e) {
        fail(e.render().c_str(), text);
    }
}

/// Applies the steps that can be applied; at most a few, and no kernel that has grown large.
void apply_all(const heddle::Script& script) {
    heddle::Kernel kernel = heddle::parse(kernel_text).kernel();
    std::size_t left = 4;
    for (const heddle::ScriptStep& s : script.steps) {
        check_round_trip(s.step);
        if (left == 0 || kernel.data().statements.size() > 200) continue;
        --left;
        try {
            kernel = heddle::apply(kernel, s.step);
        } catch (const heddle::Error& e) {
            must_be_users(e);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text = "kernel k() { }\nschedule s for k {\n";
    text.append(reinterpret_cast<const char*>(data), size);
    text += "\n}\n";
    try {
        const heddle::Unit unit = heddle::parse(text);
        for (const heddle::ScheduleText& s : unit.schedules) apply_all(heddle::read_script(s));
    } catch (const heddle::Error& e) {
        must_be_users(e);
        e.render();
    }
    return 0;
}
