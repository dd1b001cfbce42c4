void tile_device(int64_t n, int64_t m, double *HEDDLE_RESTRICT A) {
    for (int64_t io = 0; io < (n + 31) / 32; io++) {
        for (int64_t jo = 0; jo < (m + 31) / 32; jo++) {
            for (int64_t ii = 0; ii < heddle_min_i64(32, n - 32 * io); ii++) {
                for (int64_t jj = 0; jj < heddle_min_i64(32, m - 32 * jo); jj++) {
                    A[(32 * io + ii) * m + 32 * jo + jj] += 1.0;
                }
            }
        }
    }
}
