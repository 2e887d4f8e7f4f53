/* SPDX-License-Identifier: Apache-2.0
 *
 * The products y = S x and C = S B of a program that has its own loop for
 * them, on a device, and compared with that loop. S is the Laplacian of a
 * grid, in CSR.
 *
 *     cc -std=c11 offload.c $(pkg-config --cflags --libs tulle) -o offload
 *     ./offload            on the first device there is
 *     ./offload DEVICE     on one that `tulle devices` names
 *
 * Exit status: 0 all results are right, 1 some are not or the device failed,
 * 2 wrong usage.
 */
#include <stdio.h>
#include <string.h>
#include <tulle.h>

enum { SIDE = 40, N = SIDE * SIDE, VECTORS = 8, MILLISECONDS = 60000 };

struct csr {
    int32_t start[N + 1]; /* of each row, and the end */
    int32_t column[5 * N];
    int8_t value[5 * N];
};

/* Each point of the grid has its four neighbours, but for those beyond the edge. */
static void fill_laplacian(struct csr *s)
{
    static const int step_y[] = {-1, 0, 0, 0, 1}, step_x[] = {0, -1, 0, 1, 0};
    int32_t entries = 0;
    for (int row = 0; row < N; row++) {
        s->start[row] = entries;
        for (int i = 0; i < 5; i++) {
            const int y = row / SIDE + step_y[i], x = row % SIDE + step_x[i];
            if (y < 0 || y >= SIDE || x < 0 || x >= SIDE)
                continue;
            s->column[entries] = y * SIDE + x;
            s->value[entries++] = i == 2 ? 4 : -1;
        }
    }
    s->start[N] = entries;
}

/* The loop that is to be replaced: of vectors that stand side by side, row by row. */
static void multiply_here(const struct csr *s, const int8_t *b, int vectors, int32_t *c)
{
    for (int row = 0; row < N; row++)
        for (int v = 0; v < vectors; v++) {
            int32_t sum = 0;
            for (int32_t i = s->start[row]; i < s->start[row + 1]; i++)
                sum += s->value[i] * b[s->column[i] * vectors + v];
            c[row * vectors + v] = sum;
        }
}

static int failed(const char *call, enum tulle_status status)
{
    if (status)
        fprintf(stderr, "offload: error: %s: %s: %s\n", call, tulle_status_text(status), tulle_message());
    return status != TULLE_OK;
}

/* The same on the device. The operator can be run as often as there are inputs; here it is once. */
static int multiply_there(struct tulle_device *device, const struct csr *s, const int8_t *b, int vectors,
                          int32_t *c, struct tulle_counters *counters)
{
    const struct tulle_matrix matrix = {.size = sizeof matrix,
                                        .format = TULLE_CSR,
                                        .type = TULLE_INT8,
                                        .rows = N,
                                        .columns = N,
                                        .entries = s->start[N],
                                        .index_type = TULLE_INT32,
                                        .values = s->value,
                                        .starts = s->start,
                                        .indices = s->column};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = vectors == 1 ? TULLE_SPMV : TULLE_SPMM_LEFT,
                                                   .matrix = &matrix,
                                                   .dense = vectors,
                                                   .output_type = TULLE_INT32};
    const struct tulle_matrix input = {.size = sizeof input,
                                       .format = TULLE_DENSE,
                                       .type = TULLE_INT8,
                                       .rows = N,
                                       .columns = vectors,
                                       .values = b};
    const struct tulle_output output = {.size = sizeof output, .type = TULLE_INT32, .values = c};
    const struct tulle_operands operands = {.size = sizeof operands, .input = &input, .output = &output};
    struct tulle_operator *op = NULL;
    const int wrong = failed("operator", tulle_operator_create(device, &options, &op)) ||
                      failed("run", tulle_run(op, &operands, MILLISECONDS, counters));
    tulle_operator_free(op);
    return wrong;
}

/* Both, compared; says what the device did. */
static int show(struct tulle_device *device, const struct csr *s, const char *name, int vectors)
{
    static int8_t b[N * VECTORS];
    static int32_t here[N * VECTORS], there[N * VECTORS];
    struct tulle_counters counters = {.size = sizeof counters};
    for (int i = 0; i < N * vectors; i++)
        b[i] = (int8_t)(i % 251 - 125);
    multiply_here(s, b, vectors, here);
    if (multiply_there(device, s, b, vectors, there, &counters))
        return 1;
    const int wrong = memcmp(here, there, sizeof *here * N * (size_t)vectors) != 0;
    printf("%s: %d x %d, %d entries, %d %s: %s; %llu multiplications, %llu cycles\n", name, N, N,
           (int)s->start[N], vectors, vectors == 1 ? "vector" : "vectors",
           wrong ? "results are wrong" : "every result is right", (unsigned long long)counters.effective_macs,
           (unsigned long long)counters.cycles);
    return wrong;
}

int main(int argc, char **argv)
{
    static struct csr s;
    struct tulle_device *device = NULL;
    struct tulle_device_info info = {.size = sizeof info};
    if (argc > 2) {
        fprintf(stderr, "Usage: offload [DEVICE]\n");
        return 2;
    }
    if (failed("device", tulle_device_open(argc > 1 ? argv[1] : NULL, NULL, &device)))
        return 1;
    int wrong = failed("device", tulle_device_describe(device, &info));
    if (!wrong)
        printf("%s: %u x %u x %u PEs\n", info.name, info.rows, info.clusters, info.pes);
    fill_laplacian(&s);
    wrong = wrong || show(device, &s, "SpMV", 1) || show(device, &s, "SpMM", VECTORS);
    tulle_device_close(device);
    return wrong;
}
