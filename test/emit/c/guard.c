void guard_device(int64_t n, int64_t m, double *HEDDLE_RESTRICT a, double *HEDDLE_RESTRICT b) {
    for (int64_t i = 0; i < n; i++) {
        a[i] = 1.0;
        if (i < m) {
            b[i] = 2.0;
        }
    }
}
