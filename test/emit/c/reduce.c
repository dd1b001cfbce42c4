void spmv_device(int64_t rows, const int32_t *HEDDLE_RESTRICT rp, const int32_t *HEDDLE_RESTRICT ci,
        const double *HEDDLE_RESTRICT v, const double *HEDDLE_RESTRICT x, double *HEDDLE_RESTRICT y) {
    for (int64_t r = 0; r < rows; r++) {
        const int64_t lo = rp[r];
        const int64_t hi = rp[r + 1];
        double dot_sum = 0.0;
        for (int64_t p = lo; p < hi; p++) {
            dot_sum += v[p] * x[ci[p]];
        }
        y[r] = dot_sum;
    }
}
