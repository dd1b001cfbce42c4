/* Calls the emitted fe_matrix from a thread with a stack of 64 KiB. usage: small_stack N FOLDER: reads FOLDER/G, D, B, writes A. */
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fe_matrix.h"

static int64_t n;
static double *G, *D, *B, *A;

static size_t power(int exponent) {
    size_t out = 1;
    for (int k = 0; k < exponent; k++) out *= (size_t)n;
    return out;
}

/* The doubles of a file. */
static double *doubles(const char *folder, const char *name, size_t count) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    double *out = malloc(count * sizeof(double));
    FILE *file = fopen(path, "rb");
    if (!out || !file || fread(out, sizeof(double), count, file) != count) exit(3);
    fclose(file);
    return out;
}

static void *work(void *status) {
    *(int *)status = fe_matrix(n, G, D, B, A);
    return NULL;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    n = atoll(words[1]);
    G = doubles(words[2], "G", 9 * power(3));
    D = doubles(words[2], "D", power(2));
    B = doubles(words[2], "B", power(2));
    A = malloc(power(6) * sizeof(double));
    pthread_attr_t how;
    pthread_t thread;
    int status = -1;
    if (!A || pthread_attr_init(&how) || pthread_attr_setstacksize(&how, 64 * 1024)) return 3;
    if (pthread_create(&thread, &how, work, &status) || pthread_join(thread, NULL) || status) return 4;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/A", words[2]);
    FILE *file = fopen(path, "wb");
    const int ok = file && fwrite(A, sizeof(double), power(6), file) == power(6);
    return file && fclose(file) == 0 && ok ? 0 : 5;
}
