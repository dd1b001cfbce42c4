void digits_device(int64_t n, const double *HEDDLE_RESTRICT a, double *HEDDLE_RESTRICT c,
        double *HEDDLE_RESTRICT d) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t f = 0; f < 49; f++) {
            c[i * 49 + f] += a[i * 49 + f];
            d[(i * 5 + f / 10) * 11 + f % 10] += a[(i * 7 + f % 7) * 7 + f / 7];
        }
    }
}
