// Exact rational numbers of 128-bit parts: the coefficients of counting formulas.
#pragma once

#include <cstdint>
#include <string>

namespace heddle {

/// Counts may pass 64 bits (a nest of six loops of 4096 does).
__extension__ typedef __int128 Wide;

std::string to_text(Wide value);
/// Sums, differences and products; throw Error(User, "overflow") beyond 128 bits.
Wide checked_add(Wide a, Wide b);
Wide checked_sub(Wide a, Wide b);
Wide checked_mul(Wide a, Wide b);
Wide greatest_common_divisor(Wide a, Wide b);  ///< not negative; of 0 and 0 it is 0
Wide least_common_multiple(Wide a, Wide b);    ///< both positive
Wide floor_divide(Wide a, Wide b);             ///< b > 0; rounded down

/// A fraction in lowest terms, denominator > 0.
class Rational {
public:
    Rational(std::int64_t value = 0) : numerator_(value) {}
    /// denominator != 0
    static Rational of(Wide numerator, Wide denominator = 1);

    Wide numerator() const { return numerator_; }
    Wide denominator() const { return denominator_; }
    bool is_zero() const { return numerator_ == 0; }
    bool is_integer() const { return denominator_ == 1; }
    int sign() const { return numerator_ < 0 ? -1 : numerator_ > 0 ? 1 : 0; }
    std::string str() const;  ///< "3", "-1/2"

    friend bool operator==(const Rational& a, const Rational& b) {
        return a.numerator_ == b.numerator_ && a.denominator_ == b.denominator_;
    }
    friend Rational operator+(const Rational& a, const Rational& b);
    friend Rational operator-(const Rational& a, const Rational& b);
    friend Rational operator-(const Rational& a);
    friend Rational operator*(const Rational& a, const Rational& b);
    friend Rational operator/(const Rational& a, const Rational& b);  ///< b != 0

private:
    Wide numerator_ = 0;
    Wide denominator_ = 1;
};

}  // namespace heddle
