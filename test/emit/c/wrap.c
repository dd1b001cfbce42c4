void wrap_device(int64_t n, int64_t m, const double *HEDDLE_RESTRICT a, double *HEDDLE_RESTRICT b,
        const int64_t *HEDDLE_RESTRICT k, int64_t *HEDDLE_RESTRICT q) {
    for (int64_t i = 0; i < n; i++) {
        b[i] = a[(i + n - 1) % n] + a[(i + 1) % n] + a[i / 2];
        q[i] = heddle_add_i64(heddle_mod(m - i, 3), heddle_floordiv(k[i], 4));
    }
}
