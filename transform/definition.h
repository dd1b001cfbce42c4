// The one statement that gives a temporary its values, and which of its instances a read gets.
#pragma once

#include <optional>
#include <vector>

#include "ir/kernel_data.h"
#include "ir/tree.h"
#include "transform/occurrence.h"
#include "transform/rewrite.h"

namespace heddle {

/// `array[subscripts] = value`, once for each instance of the statement `writer`.
struct Definition {
    Name array;
    std::size_t writer = 0;
    Expr value;
    std::vector<Affine> subscripts;
    Path path;
    std::size_t scope = 0;  ///< so many of the outermost loops around it have instances of the temporary apart
};

/// The definition of a temporary. Errors (User, "definition") say what stands in the way: several statements that write it, an
/// update, a run-time condition, subscripts that are not affine, a value that reads the temporary itself, views, calls.
Definition definition_of(const KernelData& kernel, Name temporary);

/// The instance of the writer whose value a read gets, if it is one of these: its loops as forms in the reader's symbols; loops
/// of the same value included. Which is a guess where several instances write the element: the reader's own iteration. Errors
/// (User, "definition"): none can be given, or an instance of the reader gets a value that is never written (with a point).
Forms instance_read(const KernelData& kernel, const Definition& definition, std::size_t reader, const Path& path,
                    const Occurrence& read);

/// The instance that writes the element with these subscripts, in the writer's own iteration of loops that they do not tell.
Forms instance_writing(const KernelData& kernel, const Definition& definition, const std::vector<Expr>& subscripts);

/// The value a read gets, over the reader's symbols.
Expr value_read(const KernelData& kernel, const Definition& definition, const Forms& instance);

}  // namespace heddle
