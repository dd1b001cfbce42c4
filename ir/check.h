// The numbered invariants of a kernel.
#pragma once

#include "ir/kernel_data.h"

namespace heddle {

/// Checks the invariants; throws Error (User when the kernel came from the user, code "invalid") naming the number.
///  1 names: parameters, arrays, rules, operators, externs are distinct, loops differ from these and from the loops around
///  them; the
///    call interface lists every parameter and argument once
///  2 every statement stands at exactly one leaf; labels are unique and not empty
///  3 a domain uses only the loops around it, parameters, and integer lets that are in scope and written before
///  4 expressions are typed and use only what is in scope (a rule: its parameters and names of the kernel); every Read names an
///  array and has its rank; every place is writable (not In, not Table) 5 every use of a temporary is under the block that
///  declares it; every temporary is declared in exactly one block 6 shapes, assumptions use only parameters; tables have their
///  data 7 tags fit: a collapse has its loops, perfectly nested; an Unroll loop has a constant bound on its number of
///  iterations 8 an Update other than Assign reads no element of the array it updates on its right side (else it is written as
///  Assign)
void check(const KernelData& kernel);

}  // namespace heddle
