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
    {"times",
     {"static inline int64_t heddle_times(int64_t a, int64_t b) {\n"
      "    if (a <= 0 || b <= 0) return 0;\n    return a > INT64_MAX / b ? INT64_MAX : a * b;\n}\n",
      {}}},
    {"plus",
     {"static inline int64_t heddle_plus(int64_t a, int64_t b) {\n"
      "    return a > INT64_MAX - b ? INT64_MAX : a + b;\n}\n",
      {}}},
    // Sums, differences and products that note where they leave 64 bits.
    {"sum",
     {"static inline int64_t heddle_sum(int64_t a, int64_t b, bool *fits) {\n"
      "    if (b > 0 ? a <= INT64_MAX - b : a >= INT64_MIN - b) return a + b;\n"
      "    *fits = false;\n    return 0;\n}\n",
      {}}},
    {"difference",
     {"static inline int64_t heddle_difference(int64_t a, int64_t b, bool *fits) {\n"
      "    if (b > 0 ? a >= INT64_MIN + b : a <= INT64_MAX + b) return a - b;\n"
      "    *fits = false;\n    return 0;\n}\n",
      {}}},
    {"product",
     {"static inline int64_t heddle_product(int64_t a, int64_t b, bool *fits) {\n"
      "    if (a == 0 || b == 0) return 0;\n"
      "    const bool up = (a > 0) == (b > 0);\n"
      "    if (up ? (a > 0 ? a <= INT64_MAX / b : a >= INT64_MAX / b) : (a > 0 ? b >= INT64_MIN / a : a >= INT64_MIN / b))\n"
      "        return a * b;\n"
      "    *fits = false;\n    return 0;\n}\n",
      {}}},
    {"larger", {"static inline int64_t heddle_larger(int64_t a, int64_t b) {\n    return a > b ? a : b;\n}\n", {}}},
    {"lines",
     {"static inline int64_t heddle_lines(int64_t bytes) {\n"
      "    return bytes > INT64_MAX - 63 ? INT64_MAX : (bytes + 63) / 64 * 64;\n}\n",
      {}}},
    {"rounded",
     {"static inline int64_t heddle_rounded(int64_t bytes, int64_t to) {\n"
      "    return bytes > INT64_MAX - to ? INT64_MAX : (bytes + to - 1) / to * to;\n}\n",
      {}}},
    {"at",
     {"static inline void *heddle_at(void *memory, int64_t offset) {\n"
      "    return memory ? (char *)memory + offset : NULL;\n}\n",
      {}}},
    {"threads",
     {"static inline int64_t heddle_threads(void) {\n#ifdef _OPENMP\n    return omp_get_max_threads();\n#else\n"
      "    return 1;\n#endif\n}\n",
      {}}},
    // Elements from an array's first to its last place, those between included; stops at INT64_MAX.
    {"span",
     {"static inline int64_t heddle_span(int rank, const int64_t *extents, const int64_t *strides) {\n"
      "    int64_t last = 0;\n"
      "    for (int k = 0; k < rank; k++) {\n"
      "        if (extents[k] <= 0) return 0;\n"
      "        const int64_t reach = heddle_times(extents[k] - 1, strides[k]);\n"
      "        last = last > INT64_MAX - 1 - reach ? INT64_MAX - 1 : last + reach;\n"
      "    }\n"
      "    return last + 1;\n}\n",
      {"times"}}},
    // No stride is negative, and with `apart` each is larger than all that the axes with smaller ones reach together.
    {"strides_fit",
     {"static inline bool heddle_strides_fit(int rank, const int64_t *extents, const int64_t *strides, bool apart) {\n"
      "    for (int k = 0; k < rank; k++)\n"
      "        if (extents[k] <= 0) return true;\n"
      "    for (int k = 0; k < rank; k++) {\n"
      "        int64_t below = 0;\n"
      "        for (int j = 0; j < rank; j++) {\n"
      "            if (strides[j] > strides[k] || (strides[j] == strides[k] && j >= k)) continue;\n"
      "            const int64_t reach = heddle_times(extents[j] - 1, strides[j]);\n"
      "            below = below > INT64_MAX - reach ? INT64_MAX : below + reach;\n"
      "        }\n"
      "        if (strides[k] < 0 || (apart && extents[k] > 1 && strides[k] <= below)) return false;\n"
      "    }\n"
      "    return true;\n}\n",
      {"times"}}},
    {"overlap",
     {"static inline bool heddle_overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {\n"
      "    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;\n"
      "    return a_bytes > 0 && b_bytes > 0 && (x <= y ? y - x < (uint64_t)a_bytes : x - y < (uint64_t)b_bytes);\n}\n",
      {}}},
    // Names two ranges of which one is written and that share bytes, after sorting by address.
    {"overlapping",
     {"typedef struct {\n    const char *name;\n    uintptr_t first, last;\n    bool written;\n} heddle_range;\n\n"
      "static inline void heddle_note(heddle_range *ranges, size_t *count, const char *name, const void *memory, int64_t "
      "bytes,\n"
      "        bool written) {\n"
      "    if (bytes <= 0) return;\n"
      "    heddle_range *const range = ranges + (*count)++;\n"
      "    range->name = name;\n    range->first = (uintptr_t)memory;\n"
      "    range->last = bytes - 1 > (int64_t)(UINTPTR_MAX / 2) - 1 ? UINTPTR_MAX : range->first + (uintptr_t)(bytes - 1);\n"
      "    if (range->last < range->first) range->last = UINTPTR_MAX;\n    range->written = written;\n}\n\n"
      "static int heddle_by_address(const void *a, const void *b) {\n"
      "    const uintptr_t x = ((const heddle_range *)a)->first, y = ((const heddle_range *)b)->first;\n"
      "    return x < y ? -1 : x > y;\n}\n\n"
      "static const char *heddle_overlapping(heddle_range *ranges, size_t count, const char **other) {\n"
      "    const heddle_range *any = NULL, *written = NULL; /* those that reach furthest so far */\n"
      "    qsort(ranges, count, sizeof *ranges, heddle_by_address);\n"
      "    for (size_t k = 0; k < count; k++) {\n"
      "        const heddle_range *const now = ranges + k, *const before = now->written ? any : written;\n"
      "        if (before && now->first <= before->last) {\n            *other = before->name;\n            return "
      "now->name;\n  "
      "      }\n"
      "        if (!any || now->last > any->last) any = now;\n"
      "        if (now->written && (!written || now->last > written->last)) written = now;\n    }\n"
      "    return NULL;\n}\n",
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
