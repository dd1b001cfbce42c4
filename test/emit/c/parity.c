void parity_device(int64_t n, int32_t *HEDDLE_RESTRICT a) {
    for (int64_t i = 1; i < n; i += 2) {
        a[i * n] = 1;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if ((i + j) % 2 == 0) {
                a[i * n + j] = heddle_add_i32(a[i * n + j], 1);
            }
        }
    }
}
