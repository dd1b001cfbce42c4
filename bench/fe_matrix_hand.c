/* Element matrix of a Laplace-like form at degree 6 by sum factorisation, written by hand: what a careful programmer gets from
   plain C. One pair (a, b) after the other; the partial sums of a pair fit in the cache of a core. */
#include <stdlib.h>
#include <string.h>

enum { N = 7 };

typedef const double table[N][N];

/* t1[q0][q1][i2][j2] = sum over q2 of G[q0][q1][q2] f[q2][i2] g[q2][j2] */
static void over_q2(const double (*restrict G)[N][N], table *restrict f, table *restrict g, double (*restrict t1)[N][N][N]) {
    for (int q0 = 0; q0 < N; q0++)
        for (int q1 = 0; q1 < N; q1++) {
            memset(t1[q0][q1], 0, sizeof t1[q0][q1]);
            for (int q2 = 0; q2 < N; q2++)
                for (int i2 = 0; i2 < N; i2++) {
                    const double c = G[q0][q1][q2] * (*f)[q2][i2];
                    for (int j2 = 0; j2 < N; j2++) t1[q0][q1][i2][j2] += c * (*g)[q2][j2];
                }
        }
}

/* t2[q0][i1][i2][j1][j2] = sum over q1 of f[q1][i1] g[q1][j1] t1[q0][q1][i2][j2] */
static void over_q1(double (*restrict t1)[N][N][N], table *restrict f, table *restrict g, double (*restrict t2)[N][N][N][N]) {
    for (int q0 = 0; q0 < N; q0++)
        for (int i1 = 0; i1 < N; i1++)
            for (int i2 = 0; i2 < N; i2++)
                for (int j1 = 0; j1 < N; j1++) {
                    double row[N] = {0};
                    for (int q1 = 0; q1 < N; q1++) {
                        const double c = (*f)[q1][i1] * (*g)[q1][j1];
                        for (int j2 = 0; j2 < N; j2++) row[j2] += c * t1[q0][q1][i2][j2];
                    }
                    memcpy(t2[q0][i1][i2][j1], row, sizeof row);
                }
}

/* A[i0][i1][i2][j0][j1][j2] += sum over q0 of f[q0][i0] g[q0][j0] t2[q0][i1][i2][j1][j2] */
static void over_q0(double (*restrict t2)[N][N][N][N], table *restrict f, table *restrict g, double (*restrict A)[N][N][N][N][N]) {
    for (int i0 = 0; i0 < N; i0++)
        for (int i1 = 0; i1 < N; i1++)
            for (int i2 = 0; i2 < N; i2++)
                for (int j0 = 0; j0 < N; j0++)
                    for (int q0 = 0; q0 < N; q0++) {
                        const double c = (*f)[q0][i0] * (*g)[q0][j0];
                        double *restrict to = &A[i0][i1][i2][j0][0][0];
                        const double *restrict from = &t2[q0][i1][i2][0][0];
                        for (int j = 0; j < N * N; j++) to[j] += c * from[j];
                    }
}

int fe_matrix_hand(const double *G_, const double *D_, const double *B_, double *A_) {
    const double(*G)[3][N][N][N] = (const double(*)[3][N][N][N])G_;
    double(*A)[N][N][N][N][N] = (double(*)[N][N][N][N][N])A_;
    table *D = (table *)D_, *B = (table *)B_;
    double(*t1)[N][N][N] = malloc(sizeof(double[N][N][N][N]));
    double(*t2)[N][N][N][N] = malloc(sizeof(double[N][N][N][N][N]));
    const int ok = t1 && t2;
    if (ok) {
        memset(A, 0, sizeof(double[N][N][N][N][N][N]));
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                over_q2(G[a][b], a == 2 ? D : B, b == 2 ? D : B, t1);
                over_q1(t1, a == 1 ? D : B, b == 1 ? D : B, t2);
                over_q0(t2, a == 0 ? D : B, b == 0 ? D : B, A);
            }
    }
    free(t1);
    free(t2);
    return ok ? 0 : 1;
}
