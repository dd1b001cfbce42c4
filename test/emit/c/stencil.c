void stencil_device(int64_t T, int64_t n, double *HEDDLE_RESTRICT u) {
    for (int64_t t = 0; t < T; t++) {
        for (int64_t i = 1; i < n - 1; i++) {
            u[(t + 1) % 2 * n + i] = 0.25 * (u[t % 2 * n + i - 1] + 2.0 * u[t % 2 * n + i] + u[t % 2 * n + i + 1]);
        }
    }
}
