// CUDA's vector types and the functions that C's <math.h> lacks.
#pragma once

#define HEDDLE_CUDA_VECTOR(T, name, a2, a4)                           \
    struct name##1 {                                                  \
        T x;                                                          \
    };                                                                \
    struct __attribute__((aligned(a2))) name##2 {                     \
        T x, y;                                                       \
    };                                                                \
    struct __attribute__((aligned(a4))) name##4 {                     \
        T x, y, z, w;                                                 \
    };                                                                \
    static inline name##1 make_##name##1(T x) { return {x}; }         \
    static inline name##2 make_##name##2(T x, T y) { return {x, y}; } \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
#define HEDDLE_CUDA_VECTOR3(T, name) \
    struct name##3 {                 \
        T x, y, z;                   \
    };                               \
    static inline name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; }
#define HEDDLE_CUDA_VECTORS(T, name, a2, a4) HEDDLE_CUDA_VECTOR(T, name, a2, a4) HEDDLE_CUDA_VECTOR3(T, name)
HEDDLE_CUDA_VECTORS(signed char, char, 2, 4)
HEDDLE_CUDA_VECTORS(unsigned char, uchar, 2, 4)
HEDDLE_CUDA_VECTORS(short, short, 4, 8)
HEDDLE_CUDA_VECTORS(unsigned short, ushort, 4, 8)
HEDDLE_CUDA_VECTORS(int, int, 8, 16)
HEDDLE_CUDA_VECTOR(unsigned, uint, 8, 16)
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return {x, y, z}; }
HEDDLE_CUDA_VECTORS(long long, longlong, 16, 16)
HEDDLE_CUDA_VECTORS(unsigned long long, ulonglong, 16, 16)
HEDDLE_CUDA_VECTORS(float, float, 8, 16)
HEDDLE_CUDA_VECTORS(double, double, 16, 16)
#undef HEDDLE_CUDA_VECTORS
#undef HEDDLE_CUDA_VECTOR3
#undef HEDDLE_CUDA_VECTOR

template <class T>
static inline T __ldg(const T* p) {
    return *p;
}
template <class T>
static inline T __ldcg(const T* p) {
    return *p;
}

// min and max: of the wider type, as CUDA's overloads; a NaN gives way to a number.
#define HEDDLE_CUDA_MINMAX(T)                               \
    static inline T min(T a, T b) { return b < a ? b : a; } \
    static inline T max(T a, T b) { return a < b ? b : a; }
HEDDLE_CUDA_MINMAX(int)
HEDDLE_CUDA_MINMAX(unsigned)
HEDDLE_CUDA_MINMAX(long)
HEDDLE_CUDA_MINMAX(unsigned long)
HEDDLE_CUDA_MINMAX(long long)
HEDDLE_CUDA_MINMAX(unsigned long long)
#undef HEDDLE_CUDA_MINMAX
#define HEDDLE_CUDA_MINMAX(T, A, B, suffix)                                \
    static inline T min(A a, B b) { return __builtin_fmin##suffix(a, b); } \
    static inline T max(A a, B b) { return __builtin_fmax##suffix(a, b); }
HEDDLE_CUDA_MINMAX(float, float, float, f)
HEDDLE_CUDA_MINMAX(double, double, double, )
HEDDLE_CUDA_MINMAX(double, float, double, )
HEDDLE_CUDA_MINMAX(double, double, float, )
#undef HEDDLE_CUDA_MINMAX
#define HEDDLE_CUDA_MINMAX(T, A, B)                                     \
    static inline T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; } \
    static inline T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
HEDDLE_CUDA_MINMAX(unsigned, int, unsigned)
HEDDLE_CUDA_MINMAX(unsigned, unsigned, int)
HEDDLE_CUDA_MINMAX(long long, long long, int)
HEDDLE_CUDA_MINMAX(long long, int, long long)
#undef HEDDLE_CUDA_MINMAX

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static inline double rsqrt(double x) { return 1.0 / sqrt(x); }
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline float fdividef(float a, float b) { return a / b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0.0f), 1.0f); }
static inline float sinpif(float x) { return (float)sin(3.14159265358979323846 * x); }
static inline float cospif(float x) { return (float)cos(3.14159265358979323846 * x); }

// The fast ones, exactly: macros, since glibc declares functions of these names. Roundings by name, to nearest.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __powf(x, y) powf(x, y)
static inline float __frsqrt_rn(float x) { return rsqrtf(x); }
static inline float __fsqrt_rn(float x) { return sqrtf(x); }
static inline float __frcp_rn(float x) { return 1.0f / x; }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

// Bits.
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
static inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x) {
    unsigned out = 0;
    for (int i = 0; i < 32; i++) out |= (x >> i & 1u) << (31 - i);
    return out;
}
static inline int __mul24(int a, int b) { return (int)((unsigned)((a << 8) >> 8) * (unsigned)((b << 8) >> 8)); }
static inline int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}

template <class To, class From>
static inline To heddle_cuda_bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}
static inline int __float_as_int(float x) { return heddle_cuda_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return heddle_cuda_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return heddle_cuda_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return heddle_cuda_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return heddle_cuda_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return heddle_cuda_bits<double>(x); }
static inline int __double2int_rn(double x) { return (int)nearbyint(x); }
static inline int __float2int_rn(float x) { return (int)nearbyintf(x); }
static inline int __float2int_rz(float x) { return (int)x; }
static inline float __int2float_rn(int x) { return (float)x; }
