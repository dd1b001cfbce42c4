// Element types, address spaces and the other small enumerations.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle {

/// Element types. `Untyped` is a literal that takes the type of what it meets.
enum class DType : std::uint8_t { Untyped, Bool, I8, I16, I32, I64, U8, U16, U32, U64, F32, F64, C64, C128 };

/// The type of index parameters, loop variables and subscripts.
inline constexpr DType index_type = DType::I64;

std::string_view name_of(DType type);                    ///< "f64", …
std::optional<DType> dtype_from(std::string_view name);  ///< the inverse of name_of
int size_of(DType type);                                 ///< bytes of an element
bool is_integer(DType type);                             ///< i8..u64; bool is not one
bool is_signed(DType type);                              ///< i8..i64
bool is_unsigned(DType type);                            ///< u8..u64
bool is_float(DType type);                               ///< f32, f64
bool is_complex(DType type);                             ///< c64, c128
DType real_of(DType type);                               ///< c64 -> f32, c128 -> f64, others unchanged
DType complex_of(DType type);                            ///< f32 -> c64, f64 and integers -> c128
/// The type in which two operands meet: the wider of one kind; integer with float gives the float; real with complex the
/// complex of the wider part. Signed with unsigned of one width gives the next wider signed type (i64 with u64: i64). Untyped
/// gives way.
DType common_type(DType a, DType b);
/// May a value of type `from` be stored as `to` without a cast? Widening within a kind, integer to float, real to complex.
bool converts_silently(DType from, DType to);

/// Where an array lives. `Auto` is decided by placement.
enum class AddressSpace : std::uint8_t { Auto, Private, Shared, Global, Heap };
std::string_view name_of(AddressSpace space);
std::optional<AddressSpace> space_from(std::string_view name);

/// What an array is to its kernel.
enum class Role : std::uint8_t { In, Out, InOut, Temp, Table };

/// How a statement combines its value with what is there. Select* are argmin and argmax over (value, index…) tuples.
enum class Update : std::uint8_t { Assign, Add, Mul, Min, Max, And, Or, ArgMin, ArgMax, Custom };
std::string_view symbol_of(Update update);  ///< "=", "+=", "*=", "min=", …

}  // namespace heddle
