// THE list of steps. (Fields and documentation of each step live with its struct; everything else derives from them.)
#pragma once

#include <string>
#include <vector>

#include "ir/kernel.h"
#include "ir/kernel_data.h"

namespace heddle {

/// Names loops of a kernel: "i" is every loop of that name, "label.i" the one around that statement.
struct LoopRef {
    Name statement;  ///< empty: all
    Name loop;
};

}  // namespace heddle
