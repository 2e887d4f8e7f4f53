/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-explore: the measurements behind the parameters of the named variants
 * and behind docs/performance.md. Each table is a function; `tulle-explore`
 * prints them all, `tulle-explore NAME...` some. Cycles are deterministic, so
 * the same source prints the same numbers everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/math.h"
#include "host/measure/plan_run.h"

#define SETS (const char *const[])
#define M 64
#define K 512
#define N 512

static const double weights_kept[] = {0.5, 0.2, 0.1};
static const double activations[] = {1.0, 0.5, 0.3};

/* Forced plans, so that a table compares what it varies and nothing else: tulle run --mapping is --split mm.
 */
static struct plan_measured spmm_held(const struct setup *setup, const struct sparse *w, double density,
                                      unsigned held)
{
    return plan_run_measure(
        setup,
        &(struct plan_description){
            .variant = &setup->variant, .operator= PLAN_SPMM, .weights = w, .m = M, .element = 2},
        &(struct plan_choice){.split = {PLAN_M, PLAN_M}, .rows_held = held}, density);
}

static struct plan_measured spmm(const struct setup *setup, const struct sparse *w, double density)
{
    return spmm_held(setup, w, density, 4);
}

/* The plan along the diagonal. */
static struct plan_measured spmv(const struct setup *setup, const struct sparse *w)
{
    return plan_run_measure(
        setup,
        &(struct plan_description){
            .variant = &setup->variant, .operator= PLAN_SPMV, .weights = w, .m = 1, .element = 2},
        &(struct plan_choice){.gather = PLAN_GATHER_DIAGONAL, .packet_bytes = 8192}, 1);
}

static void print_efficiency(struct plan_measured m)
{
    if (m.refused)
        printf(" refused: %s |", m.refused);
    else
        printf(" %.3f |", m.efficiency);
}

static void print_header(const char *first, const char *const *columns, size_t count)
{
    printf("| %s |", first);
    for (size_t i = 0; i < count; i++)
        printf(" %s |", columns[i]);
    printf("\n| --- |");
    for (size_t i = 0; i < count; i++)
        printf(" --- |");
    printf("\n");
}

/* SpMM over the densities for one setup: a row of nine columns. */
static void spmm_row(const char *name, const struct setup *setup)
{
    printf("| %s |", name);
    for (size_t w = 0; w < 3; w++) {
        struct sparse weights = sparse_random(N, K, weights_kept[w], 1);
        for (size_t a = 0; a < 3; a++)
            print_efficiency(spmm(setup, &weights, activations[a]));
        sparse_free(&weights);
    }
    printf("\n");
}

static void spmm_header(const char *first)
{
    static const char *const columns[] = {"50/100", "50/50",  "50/30", "20/100", "20/50",
                                          "20/30",  "10/100", "10/50", "10/30"};
    print_header(first, columns, 9);
}

static void table_densities(void)
{
    spmm_header("scan, balance");
    static const char *const scans[] = {"scan=1", "scan=2", "scan=4"};
    for (size_t s = 0; s < 3; s++)
        for (unsigned b = 0; b < 2; b++) {
            struct setup setup =
                setup_load("base", SETS{scans[s], b ? "balance=neighbour" : "balance=none", NULL});
            char name[64];
            snprintf(name, sizeof name, "%s, %s", scans[s], b ? "neighbour" : "none");
            spmm_row(name, &setup);
        }
}

static void table_balance(void)
{
    static const struct {
        const char *name;
        enum balance_rule rule;
        bool ring;
        unsigned threshold;
    } rules[] = {
        {"none", BALANCE_NONE, false, 0},
        {"occupancy, ring, 1 load", BALANCE_OCCUPANCY, true, 1},
        {"occupancy, ring, 4 loads", BALANCE_OCCUPANCY, true, 4},
        {"progress, line", BALANCE_PROGRESS, false, 1},
        {"progress, ring", BALANCE_PROGRESS, true, 1},
        {"progress, ring, 2 MACs", BALANCE_PROGRESS, true, 2},
        {"progress, ring, 4 MACs", BALANCE_PROGRESS, true, 4},
    };
    static const char *const columns[] = {"even, 20 %", "even, 10 %", "20 % / 30 %",
                                          "heavy PE 0", "heavy PE 3", "heavy PE 7"};
    print_header("rule", columns, 6);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        printf("| %s |", rules[i].name);
        for (unsigned c = 0; c < 6; c++) {
            struct setup setup = setup_load(c == 2 ? "base4" : "base", NULL);
            setup.options.balance = rules[i].rule;
            setup.options.ring = rules[i].ring;
            setup.options.balance_threshold = rules[i].threshold;
            unsigned heavy = c == 3 ? 0 : c == 4 ? 3 : 7;
            struct sparse w =
                c < 3 ? sparse_random(N, K, c == 1 ? 0.1 : 0.2, 1) : sparse_heavy(N, K, 0.1, 8, heavy, 4, 1);
            struct plan_measured m = spmm(&setup, &w, c == 2 ? 0.3 : 1);
            print_efficiency(m);
            sparse_free(&w);
        }
        printf("\n");
    }
}

static void table_k_block(void)
{
    static const unsigned blocks[] = {32, 64, 128, 256, 512};
    static const char *const columns[] = {"50 %, bubble 0",        "50 %, bubble 1",       "20 %, bubble 0",
                                          "20 %, bubble 1",        "10 %, bubble 0",       "10 %, bubble 1",
                                          "10 % / 30 %, bubble 0", "10 % / 30 %, bubble 1"};
    print_header("k", columns, 8);
    for (size_t i = 0; i < 5; i++) {
        printf("| %u |", blocks[i]);
        for (unsigned c = 0; c < 8; c++) {
            struct setup setup = setup_load(c >= 6 ? "base4" : "base", NULL);
            setup.options.mac_bubble = c & 1;
            struct sparse w = sparse_random(N * (K / blocks[i]), blocks[i],
                                            c < 2   ? 0.5
                                            : c < 4 ? 0.2
                                                    : 0.1,
                                            1);
            print_efficiency(spmm(&setup, &w, c >= 6 ? 0.3 : 1));
            sparse_free(&w);
        }
        printf("\n");
    }
}

static void table_rows_held(void)
{
    static const unsigned held[] = {1, 2, 4};
    static const char *const columns[] = {"base 50 %", "base 10 %", "row bus 128, 50 %", "row bus 128, 10 %"};
    print_header("rows held", columns, 4);
    for (size_t i = 0; i < 3; i++) {
        printf("| %u |", held[i]);
        for (unsigned c = 0; c < 4; c++) {
            struct setup setup =
                setup_load("base", c < 2 ? NULL : SETS{"row_bus_width=128", "memory_width=256", NULL});
            struct sparse w = sparse_random(N, K, c & 1 ? 0.1 : 0.5, 1);
            print_efficiency(spmm_held(&setup, &w, 1, held[i]));
            sparse_free(&w);
        }
        printf("\n");
    }
}

/* One parameter of base varied over SpMM at the hard densities. */
static void vary(const char *variant, const char *const *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct setup setup = setup_load(variant, SETS{settings[i], NULL});
        spmm_row(settings[i], &setup);
    }
}

static void table_queues(void)
{
    spmm_header("base4 with");
    vary("base4",
         SETS{"load_queue_depth=2", "load_queue_depth=4", "load_queue_depth=8", "load_queue_depth=16"}, 4);
    vary("base4", SETS{"issue_queue_depth=2", "issue_queue_depth=4", "issue_queue_depth=8"}, 3);
    vary("base4",
         SETS{"output_queue_depth=16", "output_queue_depth=32", "output_queue_depth=64",
              "output_queue_depth=128"},
         4);
    static const char *const depths[] = {"weight_queue_depth=256", "weight_queue_depth=512",
                                         "weight_queue_depth=1024"};
    for (size_t i = 0; i < 3; i++) {
        struct setup setup = setup_load("base4", SETS{depths[i], "segment_max=64", NULL});
        spmm_row(depths[i], &setup);
    }
}

static void spmv_header(const char *first)
{
    static const char *const columns[] = {"22 a row",         "bytes a non-zero", "9 a row",
                                          "bytes a non-zero", "3 a row",          "bytes a non-zero"};
    print_header(first, columns, 6);
}

/* Banded matrices of about a million non-zeros with 22, 9 and 3 a row. */
static void spmv_row(const char *name, const struct setup *setup)
{
    static const struct {
        uint32_t rows, per_row, half;
    } shapes[] = {{45455, 22, 30}, {111112, 9, 12}, {333334, 3, 4}};
    printf("| %s |", name);
    for (size_t i = 0; i < 3; i++) {
        struct sparse a = sparse_banded(shapes[i].rows, shapes[i].per_row, shapes[i].half, 1);
        struct plan_measured m = spmv(setup, &a);
        print_efficiency(m);
        printf(" %.2f |", m.bytes_per_nonzero);
        sparse_free(&a);
    }
    printf("\n");
}

static void table_spmv(void)
{
    spmv_header("base with");
    struct setup setup = setup_load("base", NULL);
    spmv_row("as it is", &setup);
    static const char *const sets[] = {
        "collector_width=128",   "collector_width=256",    "collector_width=512",
        "load_width=16",         "load_width=32",          "row_bus_width=512",
        "output_queue_depth=32", "output_queue_depth=128", "balance=none"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        setup = setup_load("base", SETS{sets[i], NULL});
        spmv_row(sets[i], &setup);
    }
    static const unsigned fifos[] = {4, 16, 64, 128, 512};
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        setup = setup_load("base", NULL);
        setup.options.activation_fifo = fifos[i];
        snprintf(name, sizeof name, "activation queue of %u beats", fifos[i]);
        spmv_row(name, &setup);
    }
    static const unsigned results[] = {2, 4, 8, 16, 64};
    for (size_t i = 0; i < 5; i++) {
        char name[64];
        setup = setup_load("base", NULL);
        setup.options.result_fifo = results[i];
        snprintf(name, sizeof name, "collector queue of %u groups", results[i]);
        spmv_row(name, &setup);
    }
}

static void table_latency(void)
{
    static const char *const columns[] = {"empty job, cycles", "SpMM 10 %", "SpMV, 22 a row"};
    print_header("latency", columns, 3);
    static const unsigned latencies[] = {16, 64, 128, 256};
    struct sparse w = sparse_random(N, K, 0.1, 1), a = sparse_banded(45455, 22, 30, 1);
    for (size_t i = 0; i < 4; i++) {
        struct setup setup = setup_load("base", NULL);
        setup.options.latency = latencies[i];
        printf("| %u | %llu |", latencies[i], (unsigned long long)plan_run_empty(&setup));
        print_efficiency(spmm(&setup, &w, 1));
        print_efficiency(spmv(&setup, &a));
        printf("\n");
    }
    sparse_free(&w);
    sparse_free(&a);
}

/* Bytes a non-zero when every row gets a packet of its own on the bus: whole beats. */
static double bytes_with_packet_per_row(const struct sparse *a, unsigned beat)
{
    uint64_t bytes = 0;
    for (uint32_t r = 0; r < a->rows; r++) {
        uint64_t row = 2 * (uint64_t)(a->start[r + 1] - a->start[r]);
        bytes += math_round_up(row, beat);
    }
    return (double)bytes / a->start[a->rows];
}

/* Widths of the row bus, and what the format of its packets costs. */
static void table_row_bus(void)
{
    static const unsigned widths[] = {128, 256, 512};
    static const struct {
        uint32_t rows, per_row, half;
    } shapes[] = {{45455, 22, 30}, {111112, 9, 12}, {333334, 3, 4}};
    static const char *const columns[] = {"SpMM 50 %", "SpMM 10 %",
                                          "22 a row",  "bytes: streams / packet a row",
                                          "9 a row",   "bytes: streams / packet a row",
                                          "3 a row",   "bytes: streams / packet a row"};
    print_header("row bus, bits", columns, 8);
    for (size_t i = 0; i < 3; i++) {
        char bus[32];
        snprintf(bus, sizeof bus, "row_bus_width=%u", widths[i]);
        struct setup setup =
            setup_load("base", SETS{bus, widths[i] == 128 ? "memory_width=256" : "memory_width=512", NULL});
        printf("| %u |", widths[i]);
        for (unsigned c = 0; c < 2; c++) {
            struct sparse w = sparse_random(N, K, c ? 0.1 : 0.5, 1);
            print_efficiency(spmm(&setup, &w, 1));
            sparse_free(&w);
        }
        for (size_t c = 0; c < 3; c++) {
            struct sparse a = sparse_banded(shapes[c].rows, shapes[c].per_row, shapes[c].half, 1);
            struct plan_measured m = spmv(&setup, &a);
            print_efficiency(m);
            printf(" %.2f / %.2f |", m.bytes_per_nonzero, bytes_with_packet_per_row(&a, widths[i] / 8));
            sparse_free(&a);
        }
        printf("\n");
    }
}

static const struct {
    const char *name, *title;
    void (*print)(void);
} tables[] = {
    {"densities", "SpMM, k = n = 512, 64 rows: weights kept / activations non-zero, in per cent",
     table_densities},
    {"balance", "Balancing: what decides that work moves, and where to", table_balance},
    {"k-block", "Length of the k block, and what a bubble between MACs costs", table_k_block},
    {"rows-held", "Rows of activations held per weight segment", table_rows_held},
    {"queues", "Depths of the queues", table_queues},
    {"spmv", "Banded SpMV of a million non-zeros", table_spmv},
    {"row-bus", "Width of the row bus, and the format of weights on it", table_row_bus},
    {"latency", "Memory latency", table_latency},
};
#define TABLES (sizeof tables / sizeof *tables)

static void print_table(size_t i)
{
    printf("### %s\n\n`tulle-explore %s`\n\n", tables[i].title, tables[i].name);
    tables[i].print();
    printf("\n");
    fflush(stdout);
}

static int usage(void)
{
    fputs("usage: tulle-explore [TABLE...]\ntables:", stderr);
    for (size_t i = 0; i < TABLES; i++)
        fprintf(stderr, " %s", tables[i].name);
    fputs("\n", stderr);
    return 2;
}

static size_t find_table(const char *name)
{
    size_t i = 0;
    while (i < TABLES && strcmp(tables[i].name, name))
        i++;
    return i;
}

int main(int argc, char **argv)
{
    for (int a = 1; a < argc; a++)
        if (find_table(argv[a]) == TABLES)
            return usage();
    for (int a = 1; a < argc; a++)
        print_table(find_table(argv[a]));
    for (size_t i = 0; argc == 1 && i < TABLES; i++)
        print_table(i);
    return fclose(stdout) ? 1 : 0;
}
