void rim_device(int64_t n, double *HEDDLE_RESTRICT a) {
    for (int64_t i = 0; i < n; i++) {
        if (i <= 2 || i >= n - 3) {
            a[i] = 0.0;
        }
    }
}
