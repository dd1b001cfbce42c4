// The text of every helper of emitted C.
#include "target/helper_table.h"

namespace heddle {

const std::map<std::string, Family> helper_families{
    {"floordiv",
     {"static inline int64_t heddle_floordiv(int64_t a, int64_t b) {\n"
      "    if (b == 0) return 0;\n"
      "    if (b == -1) return (int64_t)(0 - (uint64_t)a);\n"
      "    return a / b - (a % b != 0 && (a < 0) != (b < 0));\n}\n",
      {}}},
    {"ceildiv",
     {"static inline int64_t heddle_ceildiv(int64_t a, int64_t b) {\n"
      "    return a / b + (a % b > 0);\n}\n",
      {}}},
    {"mod",
     {"static inline int64_t heddle_mod(int64_t a, int64_t b) {\n"
      "    if (b == 0 || b == -1) return 0;\n"
      "    const int64_t r = a % b;\n"
      "    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}\n",
      {}}},
    {"udiv", {"static inline $T $N($T a, $T b) {\n    return b ? ($T)(a / b) : 0;\n}\n", {}}},
    {"umod", {"static inline $T $N($T a, $T b) {\n    return b ? ($T)(a % b) : 0;\n}\n", {}}},
    {"add", {"static inline $T $N($T a, $T b) {\n    return ($T)(($U)a + ($U)b);\n}\n", {}}},
    {"sub", {"static inline $T $N($T a, $T b) {\n    return ($T)(($U)a - ($U)b);\n}\n", {}}},
    {"mul", {"static inline $T $N($T a, $T b) {\n    return ($T)(1u * ($U)a * ($U)b);\n}\n", {}}},
    {"neg", {"static inline $T $N($T a) {\n    return ($T)(0u - ($U)a);\n}\n", {}}},
    {"abs", {"static inline $T $N($T a) {\n    return a < 0 ? ($T)(0u - ($U)a) : a;\n}\n", {}}},
    {"sign", {"static inline $T $N($T a) {\n    return a > 0 ? 1 : a < 0 ? -1 : a;\n}\n", {}}},
    {"shl", {"static inline $T $N($T a, int64_t n) {\n    return n < 0 || n >= $B ? 0 : ($T)(1u * ($U)a << n);\n}\n", {}}},
    {"shr", {"static inline $T $N($T a, int64_t n) {\n    return ($T)(a >> (n < 0 || n >= $B ? $B - 1 : n));\n}\n", {}}},
    {"ushr", {"static inline $T $N($T a, int64_t n) {\n    return n < 0 || n >= $B ? 0 : ($T)(a >> n);\n}\n", {}}},
    {"min", {"static inline $T $N($T a, $T b) {\n    return a <= b ? a : b;\n}\n", {}}},
    {"max", {"static inline $T $N($T a, $T b) {\n    return a >= b ? a : b;\n}\n", {}}},
    {"fmin", {"static inline $T $N($T a, $T b) {\n    return a != a || a <= b ? a : b;\n}\n", {}}},
    {"fmax", {"static inline $T $N($T a, $T b) {\n    return a != a || a >= b ? a : b;\n}\n", {}}},
    {"clamp",
     {"static inline $T $N(double x) {\n"
      "    if (!(x > $L)) return x != x ? 0 : $M;\n"
      "    return x >= $H ? $X : ($T)x;\n}\n",
      {}}},
    {"make", {"static inline $T $N($R re, $R im) {\n    $T z;\n    z.re = re;\n    z.im = im;\n    return z;\n}\n", {}}},
    {"cadd", {"static inline $T $N($T a, $T b) {\n    return heddle_make_$S(a.re + b.re, a.im + b.im);\n}\n", {"make"}}},
    {"csub", {"static inline $T $N($T a, $T b) {\n    return heddle_make_$S(a.re - b.re, a.im - b.im);\n}\n", {"make"}}},
    {"cmul",
     {"static inline $T $N($T a, $T b) {\n"
      "    return heddle_make_$S(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);\n}\n",
      {"make"}}},
    {"cdiv",
     {"static inline $T $N($T a, $T b) {\n"
      "    $R r, d;\n"
      "    if (fabs$F(b.re) >= fabs$F(b.im)) {\n"
      "        r = b.im / b.re;\n"
      "        d = b.re + r * b.im;\n"
      "        return heddle_make_$S((a.re + a.im * r) / d, (a.im - a.re * r) / d);\n"
      "    }\n"
      "    r = b.re / b.im;\n"
      "    d = b.im + r * b.re;\n"
      "    return heddle_make_$S((a.re * r + a.im) / d, (a.im * r - a.re) / d);\n}\n",
      {"make"}}},
    {"cneg", {"static inline $T $N($T a) {\n    return heddle_make_$S(-a.re, -a.im);\n}\n", {"make"}}},
    {"conj", {"static inline $T $N($T a) {\n    return heddle_make_$S(a.re, -a.im);\n}\n", {"make"}}},
    {"ceq", {"static inline bool $N($T a, $T b) {\n    return a.re == b.re && a.im == b.im;\n}\n", {}}},
    {"carg", {"static inline $R $N($T a) {\n    return atan2$F(a.im, a.re);\n}\n", {}}},
    {"cabs", {"static inline $R $N($T a) {\n    return hypot$F(a.re, a.im);\n}\n", {}}},
    {"cexp",
     {"static inline $T $N($T a) {\n"
      "    const $R e = exp$F(a.re);\n"
      "    return heddle_make_$S(e * cos$F(a.im), e * sin$F(a.im));\n}\n",
      {"make"}}},
    {"csqrt",
     {"static inline $T $N($T a) {\n"
      "    const $R m = hypot$F(a.re, a.im);\n"
      "    if (m == 0) return heddle_make_$S(0, a.im);\n"
      "    const $R t = sqrt$F((m + fabs$F(a.re)) / 2);\n"
      "    if (a.re >= 0) return heddle_make_$S(t, a.im / (2 * t));\n"
      "    return heddle_make_$S(fabs$F(a.im) / (2 * t), copysign$F(t, a.im));\n}\n",
      {"make"}}},
    {"clog",
     {"static inline $T $N($T a) {\n    return heddle_make_$S(log$F(hypot$F(a.re, a.im)), atan2$F(a.im, a.re));\n}\n",
      {"make"}}},
    {"ccos",
     {"static inline $T $N($T a) {\n"
      "    return heddle_make_$S(cos$F(a.re) * cosh$F(a.im), -sin$F(a.re) * sinh$F(a.im));\n}\n",
      {"make"}}},
    {"csin",
     {"static inline $T $N($T a) {\n"
      "    return heddle_make_$S(sin$F(a.re) * cosh$F(a.im), cos$F(a.re) * sinh$F(a.im));\n}\n",
      {"make"}}},
    {"ompmin",
     {"HEDDLE_OMP(declare reduction($N : $T : omp_out = heddle_fmin_$S(omp_out, omp_in))\n        initializer(omp_priv = "
      "INFINITY))\n",
      {"fmin"}}},
    {"ompmax",
     {"HEDDLE_OMP(declare reduction($N : $T : omp_out = heddle_fmax_$S(omp_out, omp_in))\n        initializer(omp_priv = "
      "-INFINITY))\n",
      {"fmax"}}},
    {"ompcadd",
     {"HEDDLE_OMP(declare reduction($N : $T : omp_out = heddle_cadd_$S(omp_out, omp_in))\n        "
      "initializer(omp_priv = heddle_make_$S(0, 0)))\n",
      {"cadd"}}},
    {"ompcmul",
     {"HEDDLE_OMP(declare reduction($N : $T : omp_out = heddle_cmul_$S(omp_out, omp_in))\n        "
      "initializer(omp_priv = heddle_make_$S(1, 0)))\n",
      {"cmul"}}},
    {"inside",
     {"static inline bool heddle_inside(heddle_failure *failure, const char *where, int64_t index, int64_t extent) {\n"
      "    if (index >= 0 && index < extent) return true;\n"
      "    HEDDLE_OMP(critical(heddle_check))\n"
      "    if (!failure->where) {\n"
      "        failure->where = where;\n        failure->index = index;\n        failure->extent = extent;\n    }\n"
      "    return false;\n}\n",
      {}}},
    {"thread",
     {"static inline int64_t heddle_thread(void) {\n#ifdef _OPENMP\n    return omp_get_thread_num();\n#else\n    return "
      "0;\n"
      "#endif\n}\n",
      {}}},
    {"cisnan", {"static inline bool $N($T a) {\n    return isnan(a.re) || isnan(a.im);\n}\n", {}}},
    {"cisinf", {"static inline bool $N($T a) {\n    return isinf(a.re) || isinf(a.im);\n}\n", {}}},
    {"cwiden",
     {"static inline heddle_c128 heddle_cwiden_c64(heddle_c64 a) {\n"
      "    heddle_c128 z;\n    z.re = a.re;\n    z.im = a.im;\n    return z;\n}\n",
      {}}},
    {"cnarrow",
     {"static inline heddle_c64 heddle_cnarrow_c128(heddle_c128 a) {\n"
      "    heddle_c64 z;\n    z.re = (float)a.re;\n    z.im = (float)a.im;\n    return z;\n}\n",
      {}}},
};

}  // namespace heddle
