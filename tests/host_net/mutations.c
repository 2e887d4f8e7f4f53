/* SPDX-License-Identifier: Apache-2.0
 *
 * Files with wrong bytes: a network that is what it promises, or an error, never
 * a crash, never without an end, and never more memory than the bound. Most of
 * this finds something only in a build with sanitizers. tests/host_net/tool/fuzz
 * goes on from here with libFuzzer.
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gen/base/random.h"
#include "host/net/graph/summary.h"
#include "host/net/pass/pass.h"
#include "host/net/write/write.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/mutate.h"
#include "tests/host_net/random_graphs.h"
#include "tests/host_net/support.h"

enum { SEEDS = 7, FILES = 14000 };

TestSuite(host_net_mutations, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

static struct strbuf seed(unsigned which)
{
    struct strbuf bytes = {0};
    switch (which) {
    case 0:
        write_onnx("seed", "input { name: 'X' type { tensor_type { elem_type: 1 shape { dim { dim_param: 'N' "
                           "} dim { dim_value: 2 } dim { dim_value: 8 } "
                           "dim { dim_value: 8 } } } } } initializer { name: 'W' dims: [4, 2, 3, 3] "
                           "data_type: 3 int32_data: [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,"
                           "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,"
                           "16,17,18,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18] } "
                           "initializer { name: 'S' data_type: 1 float_data: 0.5 } initializer { name: 'T' "
                           "dims: 2 data_type: 7 int64_data: [0, -1] } "
                           "node { op_type: 'DequantizeLinear' input: 'W' input: 'S' output: 'V' } "
                           "node { op_type: 'Conv' input: 'X' input: 'V' output: 'C' attribute { name: "
                           "'pads' type: INTS ints: [1, 1, 1, 1] } "
                           "attribute { name: 'strides' type: INTS ints: [2, 2] } } "
                           "node { op_type: 'Resize' input: 'C' input: '' input: 'R' output: 'D' } "
                           "initializer { name: 'R' dims: 4 data_type: 1 float_data: [1, 1, 2, 2] } "
                           "node { op_type: 'Slice' input: 'D' input: 'T' input: 'T' output: 'E' } node { "
                           "op_type: 'Reshape' input: 'D' input: 'T' output: 'Y' } "
                           "output { name: 'Y' } output { name: 'E' }");
        break;
    case 1:
        scratch_write("seed", small_prototxt());
        break;
    case 2:
        bytes = small_caffemodel();
        return bytes;
    case 3:
        bytes = small_tflite();
        return bytes;
    case 4:
        graph_of_floats(&(struct random){5}, "seed");
        break;
    case 5:
        graph_of_scales(&(struct random){6}, 2, true, "seed");
        break;
    default:
        graph_of_integers(&(struct random){7}, "seed");
    }
    struct diag diag = {0};
    struct source source;
    cr_assert(source_open(&source, "seed", &diag));
    sb_addn(&bytes, (const char *)source.bytes, source.size);
    source_close(&source);
    return bytes;
}

/* All passes once; they may find that the memory is full. */
static void try_passes(struct net *net)
{
    struct diag diag = {0};
    struct strbuf bytes = {0};
    size_t changes;
    bool ok = true;
    for (const struct pass *p = passes; ok && p->name; p++) {
        ok = pass_run(net, p, &changes, &diag);
        cr_assert(ok || diag.errors, "pass %s fails without a reason", p->name);
    }
    if (ok)
        net_write_onnx(net, &bytes);
    sb_free(&bytes);
    diag_free(&diag);
}

static bool try_file(const char *path, const struct net_read_options *options)
{
    struct diag diag = {0};
    struct net *net = net_read(path, options, &diag);
    cr_assert_eq(net != NULL, diag.errors == 0);
    if (net) {
        struct strbuf bytes = {0};
        net_summarise(net);
        net_write_onnx(net, &bytes);
        try_passes(net);
        cr_assert(net->arena.used <= net->arena.limit);
        sb_free(&bytes);
    }
    diag_free(&diag);
    const bool ok = net != NULL;
    net_free(net);
    return ok;
}

/* One file in memory takes all of them. */
static void rewrite(int file, const struct strbuf *bytes)
{
    cr_assert(ftruncate(file, 0) == 0 && pwrite(file, sb_text(bytes), bytes->len, 0) == (ssize_t)bytes->len);
}

Test(host_net_mutations, are_survived)
{
    struct random r = {24};
    struct strbuf seeds[SEEDS], bytes = {0};
    unsigned good = 0;
    char path[32];
    const int file = memfd_create("mutated", MFD_CLOEXEC);
    cr_assert(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    scratch_write("net.prototxt", small_prototxt());
    for (unsigned i = 0; i < SEEDS; i++)
        seeds[i] = seed(i);
    for (unsigned i = 0; i < FILES; i++) {
        const unsigned which = i % SEEDS;
        bytes.len = 0;
        sb_addn(&bytes, seeds[which].text, seeds[which].len);
        mutate(&r, &bytes);
        rewrite(file, &bytes);
        good += which == 2 ? try_file("net.prototxt", &(struct net_read_options){.weights = path})
                           : try_file(path, NULL);
    }
    /* Both kinds are there: the changes are neither all harmless nor all noticed at once. */
    cr_assert(good > FILES / 20 && good < FILES * 3 / 4, "%u of %d were read", good, FILES);
    for (unsigned i = 0; i < SEEDS; i++)
        sb_free(&seeds[i]);
    sb_free(&bytes);
    close(file);
}
