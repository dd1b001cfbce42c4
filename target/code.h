// Making and simplifying pieces of device code.
#pragma once

#include "target/known.h"
#include "target/program.h"

namespace heddle {

CodePtr make_run(std::size_t statement);
/// An If; one directly inside another without an else becomes part of it.
CodePtr make_if(Domain condition, std::vector<CodePtr> body);
/// Appends a piece of code to others; two neighbours under one condition become one, blocks without temporaries dissolve.
void append(std::vector<CodePtr>& to, CodePtr code);

/// The range's bounds and, for Fix, the value become facts.
void know_range(Known& known, const Code& loop);
/// The smallest (or largest) number that every alternative has among its ratios, if each has one.
std::optional<std::int64_t> number_in_all(const Limit& limit, bool smallest);

/// The code without the guards and bounds that what is known implies.
CodePtr simplify(const CodePtr& code, Known& known);

}  // namespace heddle
