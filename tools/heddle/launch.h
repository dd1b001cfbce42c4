// A kernel as compiled code that takes arguments by name.
#pragma once

#include <memory>
#include <string>

#include "ir/interpret.h"
#include "runtime/compile.h"
#include "runtime/device.h"
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

/// The same with device functions, on a device that this machine has or imitates.
class OnDevice {
public:
    /// `device`: opencl, cuda or cuda-emulated. `text`: in place of the emitted one, for tests. Errors as those of `lower`, and
    /// RuntimeError of the device.
    OnDevice(Kernel kernel, TargetOptions options, const std::string& device, const runtime::CompileOptions& compiler,
             const std::string& text = {});

    /// Copies arguments to the device, runs, and copies back what was written. Gives the seconds from the first launch to the end
    /// of the last. Errors: RuntimeError with the kernel's own message, or the device's.
    double run(Arguments& arguments) const;

private:
    Kernel kernel_;
    runtime::Device device_;
    std::string device_text_;
    runtime::DeviceProgram program_;
    runtime::Module host_;
    std::string entry_;
};

}  // namespace heddle::tools
