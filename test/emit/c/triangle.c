void triangle_device(int64_t n, double *HEDDLE_RESTRICT L) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            L[i * n + j] *= 2.0;
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        L[i * n + i] = 0.0;
    }
}
