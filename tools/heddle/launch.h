// A kernel as compiled code that takes arguments by name.
#pragma once

#include <memory>
#include <string>

#include "ir/interpret.h"
#include "runtime/compile.h"
#include "runtime/pool.h"
#include "target/target.h"

namespace heddle::tools {

class Compiled {
public:
    /// Emits, compiles and loads. Errors as those of `lower` and `compile_c`.
    Compiled(Kernel kernel, TargetOptions options, const runtime::CompileOptions& compiler);

    /// Runs on completed arguments; outputs are changed in place. Gives the seconds that the call took. Errors: RuntimeError
    /// with the kernel's own message.
    double run(Arguments& arguments) const;

private:
    Kernel kernel_;
    runtime::Module module_;
    std::shared_ptr<runtime::Pool> pool_;  ///< memory of temporaries, kept from run to run
    std::string entry_;
};

}  // namespace heddle::tools
