// Short ways to run kernels in tests: text and schedule in, arrays out.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "ir/interpret.h"
#include "ir/kernel.h"

namespace heddle::test {

/// A buffer of the values; without a shape it is one-dimensional.
template <class T>
Buffer values(std::initializer_list<T> list, std::vector<std::int64_t> shape = {});
Buffer values_of(const std::vector<double>& list, DType type, std::vector<std::int64_t> shape = {});
/// A scalar argument.
template <class T>
Buffer scalar(T value);
/// Any real or integer buffer as doubles; complex ones as re, im pairs.
std::vector<double> doubles(const Buffer& b);

/// The file's kernel (or the named one) after the lines of a schedule, one step a line.
Kernel scheduled(const std::string& text, const std::string& steps = {}, const std::string& kernel = {});
/// The arguments after a run: by the interpreter on the kernel as written, and on the scheduled one, and as compiled C; all
/// three are required to agree bit for bit. Outputs and sizes that are left out are filled in.
Arguments run(const std::string& text, const std::string& steps, const Arguments& given, const std::string& kernel = {});
/// The rendered error of a schedule that has to be refused.
std::string refusal(const std::string& text, const std::string& steps, const std::string& kernel = {});

}  // namespace heddle::test
