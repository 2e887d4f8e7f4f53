/* SPDX-License-Identifier: Apache-2.0
 *
 * goldens [--cpu | --device NAME] [--rounding WORD] [--whole] FOLDER: CMSIS-NN's test data
 * against plain loops over sim/numerics, or with --cpu against the kernels of host/net/cpu, or with --device
 * against a device of that name. Every folder below FOLDER is a case: a
 * line for each that is compared (name, operator, type, elements, elements that differ), one for each that is
 * left out, with the reason, and a summary. --rounding gives sums of 32 bits another rounding, which must be
 * noticed. Exit status 1 when an element differs, a file is wrong or nothing is known about a case.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/options.h"
#include "tests/goldens/tool/device.h"
#include "tests/goldens/tool/operators.h"

/* The first rule that a case agrees with says what it is. What a rule does not name it does not ask for. */
struct rule {
    const char *key, *value, *part; /* a key of the case, what it says, a part of the name */
    const char *file;               /* a tensor that it has */
    const char *name;               /* with `compute`; otherwise why it is left out */
    void (*compute)(struct golden *golden, struct answer *answer);
    bool loops_only;  /* there is no kernel in host/net/cpu */
    bool kernel_only; /* there are no plain loops */
    bool on_device;   /* libtulle has an operator */
};

static const struct rule rules[] = {
    {.key = "PADDING", .part = "int4", .name = "files of two runs, one over the other"},
    {.key = "HIDDEN_SIZE", .file = "output_ref", .name = "files of two runs, one over the other"},
    {.key = "HIDDEN_SIZE", .name = "LSTM", .compute = recurrent, .kernel_only = true},
    {.key = "RANK", .name = "SVDF: not an operator here"},
    {.key = "PERM_SIZE", .name = "transpose: no arithmetic"},
    {.key = "PRE_PAD_C", .name = "padding: no arithmetic"},
    {.key = "CONV_2D_1_FILTER_X", .name = "network", .compute = network},
    {.key = "ADJ_X", .name = "batch-product", .compute = batch_product, .loops_only = true},
    {.key = "PAD_X_WITH_OFFSET",
     .name = "transposed-conv",
     .compute = transposed_convolution,
     .loops_only = true},
    {.key = "CH_MULT", .name = "depthwise-conv", .compute = depthwise_convolution, .on_device = true},
    {.key = "ACCUMULATION_DEPTH", .name = "fully-connected", .compute = fully_connected, .on_device = true},
    {.key = "FILTER_X", .name = "convolution", .compute = convolution, .on_device = true},
    {.key = "PADDING_H",
     .part = "avgpool",
     .name = "average-pool",
     .compute = average_pooling,
     .on_device = true},
    {.key = "PADDING_H",
     .part = "maxpool",
     .name = "maximum-pool",
     .compute = maximum_pooling,
     .on_device = true},
    {.key = "LEFT_SHIFT", .name = "add", .compute = addition, .on_device = true},
    {.key = "INPUT1_OFFSET", .name = "multiply", .compute = multiplication, .on_device = true},
    {.key = "LAYER_TYPE", .value = "maximum", .name = "maximum", .compute = maximum},
    {.key = "LAYER_TYPE", .value = "minimum", .name = "minimum", .compute = minimum},
    {.key = "ROW_SIZE", .name = "softmax", .compute = softmax, .on_device = true},
};

static const struct rule half_floats = {.name = "half floats: the folder has no tensors"};
static const struct rule floats = {.name = "floats"};

struct options {
    enum num_rounding rounding;
    bool whole, cpu;
    struct tulle_device *device;
};

struct totals {
    size_t compared, left_out, wrong;
    size_t elements, differ;
};

static bool agrees(const struct rule *rule, const struct golden *golden)
{
    return (!rule->key || golden_has(golden, rule->key)) &&
           (!rule->value || golden_says(golden, rule->key, rule->value)) &&
           (!rule->part || strstr(golden->name, rule->part)) &&
           (!rule->file || golden_has_tensor(golden, rule->file));
}

/* NULL: nothing is known about it. */
static const struct rule *rule_of(const struct golden *golden)
{
    enum golden_type type;
    if (!golden_files(golden, &type))
        return &half_floats;
    if (type == GOLDEN_FLOAT32)
        return &floats;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (agrees(&rules[i], golden))
            return &rules[i];
    return NULL;
}

static void compare(const struct golden *golden, const char *operator, const struct answer * answer,
                    struct totals *totals)
{
    size_t differ = 0;
    for (size_t i = 0; i < answer->expected.count; i++)
        differ += answer->values[i] != answer->expected.values[i];
    printf("%-60s %-16s %-16s %6zu %6zu\n", golden->name, operator, answer->type, answer->expected.count,
           differ);
    totals->compared++;
    totals->elements += answer->expected.count;
    totals->differ += differ;
}

static void judge(struct golden *golden, struct totals *totals, struct strbuf *left_out)
{
    struct answer answer = {.type = ""};
    const struct rule *rule = rule_of(golden);
    if (!rule) {
        diag_error(golden->diag, (struct place){golden->name, 0, 0}, "no operator has keys as these");
        return;
    }
    const bool missing = golden->device ? !rule->on_device
                         : golden->cpu  ? rule->loops_only
                                        : rule->kernel_only;
    if (!rule->compute || missing) {
        sb_addf(left_out, "%-60s %s%s\n", golden->name, rule->name,
                !missing || !rule->compute ? ""
                : golden->device           ? ": no operator of a device"
                : golden->cpu              ? ": no kernel in host/net/cpu"
                                           : ": by the kernel of host/net/cpu alone");
        totals->left_out++;
        return;
    }
    rule->compute(golden, &answer);
    if (*golden->left_out) {
        sb_addf(left_out, "%-60s %s: %s\n", golden->name, rule->name, golden->left_out);
        totals->left_out++;
    } else if (!golden->diag->errors)
        compare(golden, rule->name, &answer, totals);
}

static void take_case(const char *root, const char *name, const struct options *how, struct totals *totals,
                      struct strbuf *left_out)
{
    struct diag diag = {0};
    struct golden golden = {
        .rounding = how->rounding, .whole = how->whole, .cpu = how->cpu, .device = how->device};
    if (golden_open(&golden, root, name, &diag))
        judge(&golden, totals, left_out);
    golden_close(&golden);
    totals->wrong += diag_report(&diag, stderr);
}

static int is_case(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* False: the folder cannot be read. */
static bool take_folder(const char *root, const struct options *how, struct totals *totals,
                        struct strbuf *left_out)
{
    struct dirent **entries;
    const int count = scandir(root, &entries, is_case, alphasort);
    for (int i = 0; i < count; i++) {
        take_case(root, entries[i]->d_name, how, totals, left_out);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return count >= 0;
}

static bool summary(const struct totals *totals, struct strbuf *left_out)
{
    if (totals->left_out)
        printf("\nleft out:\n%s\n", sb_text(left_out));
    printf("%zu cases compared, %zu elements, %zu differ; %zu cases left out, %zu wrong\n", totals->compared,
           totals->elements, totals->differ, totals->left_out, totals->wrong);
    return sb_ok(left_out) && !totals->differ && !totals->wrong;
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"halves-up", "halves-to-even", "two-steps", NULL};
    const char *root = NULL, *rounding = NULL, *device = NULL;
    unsigned word = NUM_TWO_STEPS;
    struct options how = {0};
    struct diag diag = {0};
    struct totals totals = {0};
    struct strbuf left_out = {0};
    const struct option_entry options[] = {{"--rounding", .value = &rounding, .words = words, .word = &word},
                                           {"--whole", .flag = &how.whole},
                                           {"--cpu", .flag = &how.cpu},
                                           {"--device", .value = &device},
                                           {0}};
    options_read(argc, argv, options, &(struct option_rest){&root, 1, "folder "}, &diag);
    if (diag_report(&diag, stderr) || !root) {
        fputs("usage: goldens [--cpu | --device NAME] [--rounding halves-up | halves-to-even | "
              "two-steps] [--whole] FOLDER\n",
              stderr);
        return 2;
    }
    how.rounding = (enum num_rounding)word;
    if (device)
        how.device = device_open(device, &diag);
    if (diag_report(&diag, stderr))
        return 2;
    if (!take_folder(root, &how, &totals, &left_out)) {
        fprintf(stderr, "goldens: error: %s cannot be read as a folder\n", root);
        return 2;
    }
    const bool good = summary(&totals, &left_out);
    tulle_device_close(how.device);
    sb_free(&left_out);
    return !good;
}
