/* SPDX-License-Identifier: Apache-2.0
 *
 * How fast the functional model is: effective int8 MACs a second on one core
 * for a 50 % pruned SpMM that fits the caches, and for an SpMV, and beside
 * it, in the same run, what a loop over CSR does, plain and, with many rows,
 * vectorised by hand. Every way is checked against the plain one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/formats/random.h"
#include "host/measure/measurement.h"
#include "host/plan/planner.h"
#include "sim/model/dot.h"
#include "sim/model/model.h"

#define SECONDS 0.5
#define GROUP 16 /* rows of activations that are handled at once */

struct problem {
    uint32_t rows, side; /* of the result; k and n */
    struct sparse w;
    int8_t *a;         /* rows x side */
    int16_t *columns;  /* side x rows: a transposed and widened */
    int32_t *expected; /* rows x side */
    int32_t *c;
    uint64_t macs; /* effective ones */
};

static void *must(void *memory)
{
    if (!memory) {
        fputs("bench-model: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct problem make_problem(uint32_t rows, uint32_t side, double density)
{
    struct problem p = {.rows = rows, .side = side, .w = sparse_random(side, side, density, 1)};
    const size_t numbers = (size_t)rows * side;
    struct random random = {1};
    p.a = must(malloc(numbers));
    p.columns = must(aligned_alloc(32, (numbers * sizeof *p.columns + 31) / 32 * 32));
    p.expected = must(malloc(numbers * sizeof *p.expected));
    p.c = must(malloc(numbers * sizeof *p.c));
    for (size_t i = 0; i < numbers; i++) {
        p.a[i] = random_non_zero(&random);
        p.columns[i % side * rows + i / side] = p.a[i];
    }
    p.macs = (uint64_t)p.w.start[side] * rows;
    return p;
}

static void free_problem(struct problem *p)
{
    sparse_free(&p->w);
    free(p->a);
    free(p->columns);
    free(p->expected);
    free(p->c);
}

/* ---- the loops ------------------------------------------------------------------------------- */

static void plain_csr(const struct problem *p, int32_t *c)
{
    for (uint32_t m = 0; m < p->rows; m++)
        for (uint32_t n = 0; n < p->side; n++) {
            int32_t sum = 0;
            for (uint32_t i = p->w.start[n]; i < p->w.start[n + 1]; i++)
                sum += p->w.value[i] * p->a[m * p->side + p->w.column[i]];
            c[m * p->side + n] = sum;
        }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Two weights at once, 16 rows at once: multiply-add of interleaved pairs. Needs AVX2. */
__attribute__((target("avx2"))) static void vector_row(const struct problem *p, uint32_t n, uint32_t m,
                                                       int32_t *c)
{
    __m256i low = _mm256_setzero_si256(), high = _mm256_setzero_si256();
    int32_t sums[GROUP];
    for (uint32_t i = p->w.start[n]; i < p->w.start[n + 1]; i += 2) {
        uint32_t second = i + 1 < p->w.start[n + 1] ? i + 1 : i;
        int32_t weights = (int32_t)((uint16_t)p->w.value[i] |
                                    (second > i ? (uint32_t)(uint16_t)p->w.value[second] << 16 : 0));
        __m256i a = _mm256_load_si256((const __m256i *)(p->columns + p->w.column[i] * p->rows + m));
        __m256i b = _mm256_load_si256((const __m256i *)(p->columns + p->w.column[second] * p->rows + m));
        __m256i w = _mm256_set1_epi32(weights);
        low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_unpacklo_epi16(a, b), w));
        high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_unpackhi_epi16(a, b), w));
    }
    _mm256_storeu_si256((__m256i *)sums, _mm256_permute2x128_si256(low, high, 0x20));
    _mm256_storeu_si256((__m256i *)(sums + 8), _mm256_permute2x128_si256(low, high, 0x31));
    for (uint32_t r = 0; r < GROUP; r++)
        c[(m + r) * p->side + n] = sums[r];
}

static void vector_csr(const struct problem *p, int32_t *c)
{
    for (uint32_t m = 0; m < p->rows; m += GROUP)
        for (uint32_t n = 0; n < p->side; n++)
            vector_row(p, n, m, c);
}

static bool has_vectors(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
static void vector_csr(const struct problem *p, int32_t *c)
{
    plain_csr(p, c);
}

static bool has_vectors(void)
{
    return false;
}
#endif

/* ---- measuring ------------------------------------------------------------------------------- */

static void check(const struct problem *p, const char *what)
{
    if (!memcmp(p->c, p->expected, (size_t)p->rows * p->side * sizeof *p->c))
        return;
    fprintf(stderr, "bench-model: %s gives a wrong result\n", what);
    exit(1);
}

/* Effective MACs a second of the fastest of many runs: others use the machine, too. */
static double measure_loop(struct problem *p, const char *what,
                           void (*loop)(const struct problem *, int32_t *))
{
    double best = 1e9, end = now() + SECONDS;
    do {
        double start = now(), took;
        loop(p, p->c);
        took = now() - start;
        best = took < best ? took : best;
    } while (now() < end);
    check(p, what);
    return (double)p->macs / best;
}

static void set_slot(struct job *job, unsigned slot, void *bytes, uint64_t size)
{
    job->slots[slot].bytes = bytes;
    job->slots[slot].size = size;
}

static double run_best(struct model *model, const struct job *job, uint64_t macs)
{
    double best = 1e9, end = now() + SECONDS;
    do {
        struct job_result result;
        double start = now(), took;
        model_run(model, job, &result);
        took = now() - start;
        best = took < best ? took : best;
        if (result.code != JOB_OK || result.effective_macs != macs) {
            fprintf(stderr, "bench-model: the job ended with %s\n", job_code_name(result.code));
            exit(1);
        }
    } while (now() < end);
    return (double)macs / best;
}

static double measure_model(struct problem *p, const char *name)
{
    struct variant variant;
    struct diag diag = {0};
    struct plan plan = {0};
    if (!variant_load(name, NULL, 0, &variant, &diag)) {
        diag_report(&diag, stderr);
        exit(1);
    }
    const bool vector = p->rows == 1;
    const struct plan_description d = {.variant = &variant,
                                       .operator= vector ? PLAN_SPMV : PLAN_SPMM,
                                       .weights = &p->w,
                                       .m = p->rows,
                                       .element = 2};
    const struct plan_choice choice = {.split = {PLAN_M, PLAN_M},
                                       .gather = vector ? PLAN_GATHER_STAY : PLAN_GATHER_NONE,
                                       .packet_bytes = vector ? 1024 : 0};
    const char *refused = plan_why(plan_make(&d, &choice, &plan));
    if (refused) {
        fprintf(stderr, "bench-model: %s: %s\n", name, refused);
        exit(1);
    }
    struct job job = {.number = 1};
    uint8_t *input = must(calloc(plan.input_bytes, 1)), *output = must(calloc(plan.output_bytes, 1)),
            *scratch = must(calloc(plan.scratch_bytes + 1, 1));
    for (uint32_t m = 0; m < p->rows; m++)
        for (uint32_t k = 0; k < p->side; k++)
            input[plan_input_offset(&plan, m, k)] = (uint8_t)p->a[(size_t)m * p->side + k];
    set_slot(&job, SLOT_PROGRAM, plan.program.text, plan.program.len);
    set_slot(&job, SLOT_WEIGHTS, plan.weights.text, plan.weights.len);
    set_slot(&job, SLOT_INPUT, input, plan.input_bytes);
    set_slot(&job, SLOT_OUTPUT, output, plan.output_bytes);
    set_slot(&job, SLOT_SCRATCH, scratch, plan.scratch_bytes);
    struct model *model = must(model_new(&variant));
    model_promise(model); /* as its board does: nothing here is written between two runs */
    double rate = run_best(model, &job, p->macs);
    for (uint32_t m = 0; m < p->rows; m++)
        for (uint32_t n = 0; n < p->side; n++)
            p->c[(size_t)m * p->side + n] = (int32_t)plan_result(&plan, output, m, n, 0);
    check(p, name);
    model_free(model);
    plan_free(&plan);
    free(input);
    free(output);
    free(scratch);
    return rate;
}

static void measure(const char *what, struct problem p)
{
    static const char *const names[] = {"base", "wide"};
    const bool vectors = has_vectors() && p.rows % GROUP == 0;
    plain_csr(&p, p.expected);
    const double plain = measure_loop(&p, "the plain loop", plain_csr),
                 vector = vectors ? measure_loop(&p, "the vectorised loop", vector_csr) : plain;
    printf("%s, k = n = %u, int8, %.0f %% of the weights; 10^9 effective MACs/s on one core\n", what, p.side,
           100.0 * p.w.start[p.side] / p.side / p.side);
    printf("CSR loop, plain          %6.2f\n", plain * 1e-9);
    if (vectors)
        printf("CSR loop, AVX2           %6.2f\n", vector * 1e-9);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const double model = measure_model(&p, names[i]);
        printf("functional model, %-6s %6.2f   %.2f of the plain loop", names[i], model * 1e-9,
               model / plain);
        printf(vectors ? ", %.2f of AVX2\n" : "\n", model / vector);
    }
    free_problem(&p);
}

/* A number on its own: multiplications a second of the plain loop. */
static int measure_plain(char **size)
{
    const unsigned long rows = strtoul(size[0], NULL, 10), side = strtoul(size[1], NULL, 10);
    const double density = strtod(size[2], NULL);
    if (!rows || !side || rows > 1 << 16 || side > 1 << 16 || !(density > 0 && density <= 1)) {
        fputs("usage: bench-model [--plain ROWS SIDE DENSITY]\n", stderr);
        return 2;
    }
    struct problem p = make_problem((uint32_t)rows, (uint32_t)side, density);
    plain_csr(&p, p.expected);
    printf("%.0f\n", measure_loop(&p, "the plain loop", plain_csr));
    free_problem(&p);
    return 0;
}

int main(int count, char **words)
{
    if (count == 5 && !strcmp(words[1], "--plain"))
        return measure_plain(words + 2);
    measure("y = W x", make_problem(1, 2000, 0.05));
    measure("C = A x W, 64 rows", make_problem(64, 512, 0.5));
    return 0;
}
