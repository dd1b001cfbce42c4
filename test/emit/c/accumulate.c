void dots_device(int64_t n, int64_t m, int64_t k, const double *HEDDLE_RESTRICT A,
        const double *HEDDLE_RESTRICT B, double *HEDDLE_RESTRICT C, int64_t *HEDDLE_RESTRICT h,
        const uint8_t *HEDDLE_RESTRICT g) {
    HEDDLE_OMP(parallel for)
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++) {
            if (k > 0) {
                double C_part = 0.0;
                HEDDLE_OMP(simd reduction(+ : C_part))
                for (int64_t l = 0; l < k; l++) {
                    C_part += A[i * k + l] * B[j * k + l];
                }
                C[i * m + j] += C_part;
            }
        }
        HEDDLE_OMP(atomic)
        *(uint64_t *)&h[g[i]] += (uint64_t)1;
    }
}
