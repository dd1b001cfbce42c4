// What differs between the languages of device code, as data.
#pragma once

#include <array>
#include <string>

#include "target/target.h"

namespace heddle {

/// A language that device functions are written in. To add one: a row in dialect.cpp.
struct Dialect {
    const char* helper;                      ///< starts a function that only this file calls
    const char* function;                    ///< starts a function that the host launches or calls
    const char* global;                      ///< qualifies pointers to the device's memory
    const char* shared;                      ///< starts the declaration of an array of a block
    const char* table;                       ///< starts the declaration of a constant table
    const char* no_alias;                    ///< `restrict`
    const char* barrier;                     ///< a statement
    bool float_suffix;                       ///< sinf for float; else one name for all types
    bool bool_in_memory;                     ///< may arrays and arguments be of type bool? else they are bytes
    std::array<const char*, 3> lane, block;  ///< numbers along the axes
};
const Dialect& dialect_of(Device device);

/// What starts a file of device code that uses these words: types, limits and macros that the language lacks.
std::string device_prelude(Device device, const std::string& body);

}  // namespace heddle
