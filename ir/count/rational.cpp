#include "ir/count/rational.h"

#include <algorithm>

#include "ir/error.h"

namespace heddle {

namespace {

[[noreturn]] void overflow() {
    throw user_error("overflow", "a count needs a number of more than 128 bits").hint("ask for smaller parameter values");
}

Wide absolute(Wide a) { return a < 0 ? checked_sub(0, a) : a; }

}  // namespace

Wide checked_add(Wide a, Wide b) {
    Wide result = 0;
    if (__builtin_add_overflow(a, b, &result)) overflow();
    return result;
}

Wide checked_sub(Wide a, Wide b) {
    Wide result = 0;
    if (__builtin_sub_overflow(a, b, &result)) overflow();
    return result;
}

Wide checked_mul(Wide a, Wide b) {
    Wide result = 0;
    if (__builtin_mul_overflow(a, b, &result)) overflow();
    return result;
}

Wide greatest_common_divisor(Wide a, Wide b) {
    a = absolute(a);
    b = absolute(b);
    while (b != 0) {
        const Wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

Wide least_common_multiple(Wide a, Wide b) { return checked_mul(a / greatest_common_divisor(a, b), b); }

Wide floor_divide(Wide a, Wide b) {
    const Wide quotient = a / b;
    return a % b < 0 ? quotient - 1 : quotient;
}

std::string to_text(Wide value) {
    if (value == 0) return "0";
    std::string digits;
    const bool negative = value < 0;
    for (; value != 0; value /= 10) {
        const int digit = static_cast<int>(value % 10);
        digits += static_cast<char>('0' + (digit < 0 ? -digit : digit));
    }
    if (negative) digits += '-';
    std::reverse(digits.begin(), digits.end());
    return digits;
}

Rational Rational::of(Wide numerator, Wide denominator) {
    require(denominator != 0, "a fraction's denominator is not zero");
    const Wide common = greatest_common_divisor(numerator, denominator);
    Rational result;
    result.numerator_ = numerator / common;
    result.denominator_ = denominator / common;
    if (result.denominator_ < 0) {
        result.numerator_ = checked_sub(0, result.numerator_);
        result.denominator_ = checked_sub(0, result.denominator_);
    }
    return result;
}

std::string Rational::str() const {
    return is_integer() ? to_text(numerator_) : to_text(numerator_) + "/" + to_text(denominator_);
}

Rational operator+(const Rational& a, const Rational& b) {
    if (a.is_integer() && b.is_integer()) return Rational::of(checked_add(a.numerator_, b.numerator_));
    const Wide common = least_common_multiple(a.denominator_, b.denominator_);
    const Wide left = checked_mul(a.numerator_, common / a.denominator_);
    const Wide right = checked_mul(b.numerator_, common / b.denominator_);
    return Rational::of(checked_add(left, right), common);
}

Rational operator-(const Rational& a) {
    Rational result = a;
    result.numerator_ = checked_sub(0, a.numerator_);
    return result;
}

Rational operator-(const Rational& a, const Rational& b) { return a + (-b); }

Rational operator*(const Rational& a, const Rational& b) {
    const Rational left = Rational::of(a.numerator_, b.denominator_);
    const Rational right = Rational::of(b.numerator_, a.denominator_);
    return Rational::of(checked_mul(left.numerator_, right.numerator_), checked_mul(left.denominator_, right.denominator_));
}

Rational operator/(const Rational& a, const Rational& b) {
    require(!b.is_zero(), "no division by zero");
    return a * Rational::of(b.denominator_, b.numerator_);
}

}  // namespace heddle
