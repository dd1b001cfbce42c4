void norms_device(int64_t n, int64_t m, const double *HEDDLE_RESTRICT A, double *HEDDLE_RESTRICT total,
        double *HEDDLE_RESTRICT rows) {
    *total = 0.0;
    HEDDLE_OMP(parallel for schedule(dynamic, 4))
    for (int64_t i = 0; i < n; i++) {
        double s = 0.0;
        for (int64_t j = 0; j < m; j++) {
            s += A[i * m + j] * A[i * m + j];
        }
        rows[i] = sqrt(s);
    }
    HEDDLE_OMP(parallel for reduction(+ : total[:1]))
    for (int64_t i = 0; i < n; i++) {
        *total += rows[i];
    }
}
