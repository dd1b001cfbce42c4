void unrolled_device(int64_t n, double *HEDDLE_RESTRICT a) {
    for (int64_t i = 0; i < n; i++) {
        a[i * 3] = a[i * 3] + a[i * 3 + 2] * 2.0;
        a[i * 3 + 1] = a[i * 3 + 1] + a[i * 3 + 2] * 2.0;
        a[i * 3 + 1] = a[i * 3 + 1] + a[i * 3 + 1] * 2.0;
        a[i * 3 + 2] = a[i * 3 + 2] + a[i * 3 + 2] * 2.0;
        a[i * 3 + 2] = a[i * 3 + 2] + a[i * 3 + 1] * 2.0;
        a[i * 3 + 2] = a[i * 3 + 2] + a[i * 3] * 2.0;
    }
}
