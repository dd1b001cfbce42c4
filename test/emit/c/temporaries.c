void temporaries_device(int64_t n, int64_t m, const double *HEDDLE_RESTRICT x, double *HEDDLE_RESTRICT y,
        double *HEDDLE_RESTRICT all_rows, double *row) {
    HEDDLE_OMP(parallel for)
    for (int64_t i = 0; i < n; i++) {
        double *const row_own = row ? row + heddle_thread() * ((m + 7) & (-8)) : row;
        double few[2][4];
        for (int64_t a = 0; a < 2; a++) {
            for (int64_t b = 0; b < 4; b++) {
                few[a][b] = a - b;
            }
        }
        for (int64_t j = 0; j < m; j++) {
            row_own[j] = x[i * m + j] * few[j % 2][j % 4];
            all_rows[i * m + j] = row_own[j];
        }
        double s = 0.0;
        for (int64_t j = 0; j < m; j++) {
            s += row_own[m - 1 - j];
        }
        y[i] = s;
    }
}
