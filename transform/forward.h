// Replacing the reads of a temporary by the value that its one statement gives it.
#pragma once

#include <functional>

#include "ir/kernel.h"
#include "transform/definition.h"
#include "transform/draft.h"

namespace heddle {

/// What takes the place of a read: gets the read and the writer's instance in the reader's symbols.
using ForwardedValue = std::function<Expr(const Expr& read, const Forms& instance)>;

/// The kernel without the temporary and its statement: every read is replaced. Errors (User): "definition", "scope" as those of
/// `definition_of` and `instance_read`; "illegal-order" when something that the value reads is written between the assignment
/// and a use. The draft is that of `kernel`.
Kernel forward(const Kernel& kernel, Draft draft, const Definition& definition, const ForwardedValue& value);

/// The expression without the types that inference gave it, as rules keep their bodies; casts stay.
Expr without_types(const Expr& e);

}  // namespace heddle
