/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/request.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "host/cli/place.h"
#include "host/cli/request_help.h"
#include "host/cli/request_join.h"
#include "host/cli/window.h"
#include "host/formats/name.h"

#define SIZE_MOST UINT32_MAX

#define REPEAT_MOST 1000000
#define PIXELS_MOST (1 << 20) /* of a side; sums of a few of them fit what sizes are computed in */
#define OPTIONS_MAX 96

const char *const request_types[] = {
    [TULLE_INT8] = "int8",   [TULLE_INT16] = "int16",   [TULLE_INT32] = "int32",
    [TULLE_INT64] = "int64", [REQUEST_UINT8] = "uint8", NULL};
static const char *const roundings[] = {[TULLE_ROUND_UP] = "up",
                                        [TULLE_ROUND_EVEN] = "even",
                                        [TULLE_ROUND_TWO_STEPS] = "two-steps",
                                        [REQUEST_ROUND_AWAY] = "away",
                                        NULL};
const char *const request_mappings[] = {"is", "os", "ws", NULL};
const char *const request_layouts[] = {[TULLE_NHWC] = "nhwc", [TULLE_NCHW] = "nchw", NULL};
const char *const request_pools[] = {"max", "average", NULL};
const char *const request_joins[] = {[0] = "add",
                                     [TULLE_JOIN_SUBTRACT - TULLE_JOIN_ADD] = "sub",
                                     [TULLE_JOIN_MULTIPLY - TULLE_JOIN_ADD] = "mul",
                                     NULL};
static const char *const second_types[] = {[TULLE_INT8] = "int8", [TULLE_INT16] = "int16", NULL};
static const char *const curves[] = {
    [TULLE_CURVE_SIGMOID] = "sigmoid", [TULLE_CURVE_TANH] = "tanh", [TULLE_CURVE_HARD_SWISH] = "hard-swish",
    [TULLE_CURVE_GELU] = "gelu",       [TULLE_CURVE_ELU] = "elu",   NULL};

const char *request_operation_name(enum tulle_operation operation)
{
    static const char *const names[TULLE_OPERATIONS] = {
        "spmv", "spmm", "spmm", "conv", "pool", "pool", "add, sub or mul", "softmax"};
    return names[operation];
}

bool request_has_weights(enum tulle_operation operation)
{
    return !window_is_pool(operation) && operation != TULLE_ELEMENTWISE && operation != TULLE_SOFTMAX;
}

enum tulle_type request_second_type(const struct request *r, unsigned data_bytes)
{
    return r->second_type.given ? (enum tulle_type)r->second_type.value
           : data_bytes == 1    ? TULLE_INT8
                                : TULLE_INT16;
}

static const struct place nowhere = {0};

/* ---- the table --------------------------------------------------------------------------------- */

struct table {
    struct option_entry option[OPTIONS_MAX];
    unsigned count;
};

static struct option_entry *add(struct table *t, const char *name)
{
    assert(t->count < OPTIONS_MAX - 1); /* the last ends the table */
    struct option_entry *option = &t->option[t->count++];
    option->name = name;
    return option;
}

static void add_flag(struct table *t, const char *name, bool *flag)
{
    add(t, name)->flag = flag;
}

static void add_text(struct table *t, const char *name, const char **text)
{
    add(t, name)->value = text;
}

static void add_number(struct table *t, const char *name, struct request_number *to, int64_t min, int64_t max)
{
    struct option_entry *option = add(t, name);
    option->value = &to->given;
    option->number = &to->value;
    option->min = min;
    option->max = max;
}

static void add_real(struct table *t, const char *name, struct request_real *to, double low, double high)
{
    struct option_entry *option = add(t, name);
    option->value = &to->given;
    option->real = &to->value;
    option->low = low;
    option->high = high;
}

static void add_values(struct table *t, const char *name, struct request_values *to, double low, double high)
{
    struct option_entry *option = add(t, name);
    option->value = &to->given;
    option->file = &to->file;
    option->real = &to->value;
    option->low = low;
    option->high = high;
}

static void add_word(struct table *t, const char *name, struct request_word *to, const char *const *words)
{
    struct option_entry *option = add(t, name);
    option->value = &to->given;
    option->words = words;
    option->word = &to->value;
}

static void add_sizes(struct table *t, const char *name, struct request_sizes *to, int64_t min,
                      unsigned counts, const char *example)
{
    struct option_entry *option = add(t, name);
    option->value = &to->given;
    option->sizes = to->value;
    option->sizes_count = &to->count;
    option->counts = counts;
    option->example = example;
    option->min = min;
    option->max = PIXELS_MOST;
}

static void add_window(struct table *t, struct request *r)
{
    const unsigned pair = 1 << 1 | 1 << 2, sides = pair | 1 << 4, all = 1 << 3;
    add_sizes(t, "--in", &r->in, 1, all, "HxWxC, as 56x56x64");
    add_number(t, "--batch", &r->batch, 1, PIXELS_MOST);
    add_number(t, "--out-channels", &r->out_channels, 1, PIXELS_MOST);
    add_sizes(t, "--kernel", &r->kernel, 1, pair, "HxW or one number, as 3x3");
    add_sizes(t, "--stride", &r->stride, 1, pair, "YxX or one number, as 2");
    add_sizes(t, "--dilation", &r->dilation, 1, pair, "YxX or one number, as 2");
    add_sizes(t, "--pad", &r->pad, 0, sides, "one number, YxX or TOPxBOTTOMxLEFTxRIGHT");
    add_number(t, "--groups", &r->groups, 1, PIXELS_MOST);
    add_word(t, "--layout", &r->layout, request_layouts);
    add_word(t, "--weights-layout", &r->weights_layout, request_layouts);
    add_word(t, "--pool", &r->pool, request_pools);
}

static void add_operands(struct table *t, struct request *r)
{
    add_text(t, "--weights", &r->weights);
    add_text(t, "--input", &r->input);
    add_text(t, "--initial", &r->initial);
    add_text(t, "--bias", &r->bias);
    add_flag(t, "--transpose", &r->transpose);
    add_flag(t, "--random-values", &r->random_values);
    add_flag(t, "--quantise", &r->quantise);
    add_number(t, "--input-zero", &r->input_zero, INT16_MIN, UINT16_MAX);
    add_flag(t, "--input-unsigned", &r->input_unsigned);
    add_real(t, "--input-scale", &r->input_scale, 0, REQUEST_SCALE_MOST);
    add_real(t, "--beta", &r->beta, 0, REQUEST_SCALE_MOST);
    add_flag(t, "--left", &r->left);
    add_number(t, "--rows", &r->rows, 1, SIZE_MOST);
    add_number(t, "--k", &r->k, 1, SIZE_MOST);
    add_number(t, "--n", &r->n, 1, SIZE_MOST);
    add_real(t, "--density", &r->density, 0, 1);
    add_number(t, "--per-row", &r->per_row, 0, SIZE_MOST);
    add_number(t, "--band", &r->band, 0, SIZE_MOST);
    add_number(t, "--block", &r->block, 1, SIZE_MOST);
    add_number(t, "--graph", &r->edges, 0, INT64_MAX);
    add_real(t, "--act-density", &r->act_density, 0, 1);
    add_number(t, "--seed", &r->seed, 0, INT64_MAX);
}

static void add_join(struct table *t, struct request *r)
{
    add_word(t, "--residual", &r->residual, request_joins);
    add_text(t, "--second", &r->second);
    add_flag(t, "--second-row", &r->second_row);
    add_word(t, "--second-type", &r->second_type, second_types);
    add_flag(t, "--second-unsigned", &r->second_unsigned);
    add_number(t, "--second-zero", &r->second_zero, INT16_MIN, UINT16_MAX);
    add_real(t, "--first-scale", &r->first_scale, 0, REQUEST_SCALE_MOST);
    add_real(t, "--second-scale", &r->second_scale, 0, REQUEST_SCALE_MOST);
    add_real(t, "--result-scale", &r->result_scale, 0, REQUEST_SCALE_MOST);
    add_number(t, "--sum-zero", &r->sum_zero, INT16_MIN, INT16_MAX);
    add_word(t, "--lookup", &r->lookup, curves);
}

static void add_device(struct table *t, struct request *r)
{
    add_text(t, "--device", &r->device);
    add_text(t, "--container", &r->container);
    add_word(t, "--mapping", &r->mapping, request_mappings);
    add_text(t, "--split", &r->split);
    add_number(t, "--effort", &r->effort, 1, 1000);
    add_number(t, "--timeout", &r->timeout, 1, PLACE_SECONDS_MOST);
    add_flag(t, "--relu", &r->relu);
    add_values(t, "--scale", &r->scale, 0, REQUEST_SCALE_MOST);
    add_values(t, "--low", &r->low, INT16_MIN, INT16_MAX);
    add_values(t, "--high", &r->high, INT16_MIN, INT16_MAX);
    add_number(t, "--zero", &r->zero, INT16_MIN, INT16_MAX);
    add_word(t, "--rounding", &r->rounding, roundings);
    add_flag(t, "--wraps", &r->wraps);
    add_word(t, "--output-type", &r->output_type, request_types);
    add_text(t, "--save", &r->save);
    add_flag(t, "--json", &r->json);
    add_flag(t, "--quiet", &r->quiet);
}

static void add_run(struct table *t, struct request *r)
{
    add_text(t, "--load", &r->load);
    add_text(t, "--output", &r->output);
    add_number(t, "--repeat", &r->repeat, 1, REPEAT_MOST);
    add_flag(t, "--check", &r->check);
    add_flag(t, "--float", &r->floats);
}

/* ---- what does not go together ------------------------------------------------------------------ */

bool request_is_generated(const struct request *r)
{
    return r->density.given || r->per_row.given || r->band.given || r->block.given || r->edges.given;
}

static void check_generated(const struct request *r, struct diag *diag)
{
    unsigned kinds = !!r->density.given + !!r->per_row.given + !!r->edges.given;
    if (r->weights && request_is_generated(r))
        diag_error(diag, nowhere,
                   "--density, --per-row, --band, --block and --graph are for generated weights; "
                   "--weights %s has its own",
                   r->weights);
    if (kinds > 1)
        diag_error(diag, nowhere, "one of --density, --per-row and --graph, please");
    if (r->band.given && !r->per_row.given)
        diag_error(diag, nowhere, "--band says where entries may be, --per-row how many: give both");
    if (r->block.given && (r->per_row.given || r->edges.given))
        diag_error(diag, nowhere, "--block goes with --density only");
    if (r->input && r->act_density.given)
        diag_error(diag, nowhere, "--act-density is for a generated input; --input %s has its own", r->input);
    if (r->transpose && !r->weights)
        diag_error(diag, nowhere, "--transpose is for a file with the weights: give --weights");
    if (r->random_values && !r->weights && !r->input)
        diag_error(diag, nowhere, "--random-values is for files of places without values");
}

/* Whether results have a scale and a zero point. */
static bool requantises(const struct request *r)
{
    return r->scale.given || r->operation == TULLE_ELEMENTWISE;
}

static void check_limits(const struct request *r, struct diag *diag)
{
    if (!r->low.given && !r->high.given)
        return;
    if (r->relu)
        diag_error(diag, nowhere, "--relu, --low and --high are limits: without --relu, please");
    if (!requantises(r) && (!r->low.given || !r->high.given))
        diag_error(diag, nowhere, "--low and --high come together where there is no --scale");
    if (r->low.value != floor(r->low.value) || r->high.value != floor(r->high.value))
        diag_error(diag, nowhere, "--low and --high are whole numbers");
}

static void check_function(const struct request *r, struct diag *diag)
{
    if (r->zero.given && !requantises(r))
        diag_error(diag, nowhere, "--zero goes with --scale, add, sub and mul");
    if (r->rounding.given && !requantises(r) && r->operation != TULLE_AVERAGE_POOL)
        diag_error(diag, nowhere, "--rounding goes with --scale, --pool average, add, sub and mul");
    if (r->rounding.value == REQUEST_ROUND_AWAY && (requantises(r) || r->operation != TULLE_AVERAGE_POOL))
        diag_error(diag, nowhere, "--rounding away goes with --pool average, without --scale");
    if (r->scale.given && !r->scale.file && r->scale.value <= 0)
        diag_error(diag, nowhere, "--scale %s: a number above 0, please", r->scale.given);
    const bool no_sign = r->output_type.given && r->output_type.value == REQUEST_UINT8;
    if (no_sign && !requantises(r) && r->operation != TULLE_AVERAGE_POOL && r->operation != TULLE_SOFTMAX)
        diag_error(diag, nowhere, "--output-type uint8 goes with --scale, --pool average, add, sub and mul");
    if (requantises(r) && r->output_type.given && r->output_type.value > TULLE_INT16 && !no_sign)
        diag_error(diag, nowhere, "%s gives int8, int16 or uint8, not %s",
                   r->scale.given ? "--scale" : request_joins[r->join - TULLE_JOIN_ADD],
                   r->output_type.given);
    if (r->zero.value > INT8_MAX || r->zero.value < INT8_MIN)
        if (!r->output_type.given || r->output_type.value == TULLE_INT8)
            diag_error(diag, nowhere, "--zero %s: allowed -128..127 for results of int8", r->zero.given);
    if (no_sign && (r->zero.value < 0 || r->zero.value > UINT8_MAX))
        diag_error(diag, nowhere, "--zero %s: allowed 0..255 for results of uint8", r->zero.given);
}

/* What is of integers alone. */
static void check_floats(const struct request *r, struct diag *diag)
{
    if (r->scale.given || r->low.given || r->high.given || r->zero.given || r->rounding.given || r->wraps ||
        r->output_type.given || r->quantise || r->save || r->load || r->initial || r->input_zero.given ||
        r->input_unsigned)
        diag_error(
            diag, nowhere,
            "--scale, --zero, --low, --high, --rounding, --wraps, --output-type, --quantise, --save, --load, "
            "--initial, "
            "--input-zero and --input-unsigned are of integers: not with --float");
    if (!request_has_weights(r->operation))
        diag_error(diag, nowhere, "--float is for products and convolutions");
}

static void check_softmax(const struct request *r, struct diag *diag)
{
    if (r->operation != TULLE_SOFTMAX) {
        if (r->input_scale.given || r->beta.given)
            diag_error(diag, nowhere, "--input-scale and --beta go with softmax");
        return;
    }
    if (r->weights || request_is_generated(r) || r->bias || r->initial || r->left || r->k.given ||
        r->quantise || r->input_zero.given || r->relu || r->scale.given || r->low.given || r->high.given ||
        r->wraps || r->floats || r->mapping.given || r->split)
        diag_error(diag, nowhere,
                   "softmax has --rows, --n, --input, --input-unsigned, --input-scale, --beta and "
                   "--output-type: nothing of weights, sums and plans");
    if (r->output_type.given && r->output_type.value > TULLE_INT16 && r->output_type.value != REQUEST_UINT8)
        diag_error(diag, nowhere, "softmax gives int8, int16 or uint8, not %s", r->output_type.given);
}

static void check_split(const struct request *r, struct diag *diag)
{
    if (r->split && (strlen(r->split) != 2 || strspn(r->split, "mnk") != 2))
        diag_error(diag, nowhere, "--split %s: two of the letters m, n and k, please: mn, kk", r->split);
}

static void check_files(const struct request *r, struct diag *diag)
{
    const char *const files[] = {r->weights,    r->input,    r->initial,   r->bias,
                                 r->scale.file, r->low.file, r->high.file, r->second};
    unsigned standard = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        standard += files[i] && !strcmp(files[i], "-");
    if (standard > 1)
        diag_error(diag, nowhere, "- is standard input, which has one file only");
    enum format format = r->output ? format_of_name(r->output) : FORMAT_NPY;
    if (format != FORMAT_NPY && format != FORMAT_MATRIX_MARKET)
        diag_error(diag, nowhere, "--output %s: results are written as .npy or .mtx; let the name end so",
                   r->output);
    if (r->load && r->save)
        diag_error(diag, nowhere, "--load and --save: an operator that was loaded is in a file already");
    if (r->load && (r->mapping.given || r->split || r->effort.given))
        diag_error(diag, nowhere, "--mapping, --split and --effort: the operator in %s is planned already",
                   r->load);
    if (r->json && r->quiet)
        diag_error(diag, nowhere, "--json prints, --quiet does not: one of them, please");
}

static bool has_window_options(const struct request *r)
{
    return r->in.given || r->batch.given || r->out_channels.given || r->kernel.given || r->stride.given ||
           r->dilation.given || r->pad.given || r->groups.given || r->layout.given ||
           r->weights_layout.given || r->pool.given;
}

static void check_product(const struct request *r, struct diag *diag)
{
    if (r->operation == TULLE_SPMV && (r->left || r->n.given))
        diag_error(diag, nowhere, "--left and --n go with spmm only: spmv has rows and k");
    if (has_window_options(r))
        diag_error(
            diag, nowhere,
            "--in, --batch, --out-channels, --kernel, --stride, --dilation, --pad, --groups, --layout, "
            "--weights-layout and --pool go with conv, dwconv and pool");
}

static void check_pool(const struct request *r, struct diag *diag)
{
    if (!r->pool.given)
        diag_error(diag, nowhere, "--pool max or --pool average, please");
    if (r->weights || request_is_generated(r) || r->bias || r->initial || r->out_channels.given ||
        r->groups.given || r->weights_layout.given)
        diag_error(diag, nowhere,
                   "a pool has no weights, bias, initial sums or groups, and as many channels as the images");
}

/* What --in and the like say. */
static void check_window(struct request *r, struct diag *diag)
{
    if (r->left || r->rows.given || r->k.given || r->n.given || r->band.given || r->edges.given)
        diag_error(diag, nowhere,
                   "--left, --rows, --k, --n, --band and --graph go with products; images have --in");
    if (r->depthwise && r->groups.given)
        diag_error(diag, nowhere, "dwconv has as many groups as channels: leave out --groups");
    if (window_is_pool(r->operation))
        check_pool(r, diag);
    else if (r->pool.given)
        diag_error(diag, nowhere, "--pool goes with pool");
    window_read(r, diag);
}

static const struct operator_word {
    const char *name;
    enum tulle_operation operation; /* before other options are looked at */
} operator_words[] = {{"spmm", TULLE_SPMM_RIGHT},    {"spmv", TULLE_SPMV},       {"conv", TULLE_CONVOLUTION},
                      {"dwconv", TULLE_CONVOLUTION}, {"pool", TULLE_MAX_POOL},   {"add", TULLE_ELEMENTWISE},
                      {"sub", TULLE_ELEMENTWISE},    {"mul", TULLE_ELEMENTWISE}, {"softmax", TULLE_SOFTMAX}};

static const struct operator_word *find_operator(const char *word)
{
    for (size_t i = 0; i < sizeof operator_words / sizeof *operator_words; i++)
        if (!strcmp(word, operator_words[i].name))
            return &operator_words[i];
    return NULL;
}

static void check_operation(struct request *r, const char *word, struct diag *diag)
{
    const struct operator_word *found = word ? find_operator(word) : NULL;
    if (!found) {
        diag_error(diag, nowhere,
                   word
                       ? "there is no operator \"%s\": spmm, spmv, conv, dwconv, pool, add, sub, mul, softmax"
                       : "which operator? spmm, spmv, conv, dwconv, pool, add, sub, mul or softmax",
                   word);
        return;
    }
    r->operation = found->operation;
    if (r->operation == TULLE_SPMM_RIGHT && r->left)
        r->operation = TULLE_SPMM_LEFT;
    if (r->operation == TULLE_MAX_POOL && r->pool.value)
        r->operation = TULLE_AVERAGE_POOL;
    r->depthwise = !strcmp(word, "dwconv");
    request_take_join(r, word);
    if (window_is_of(r->operation))
        check_window(r, diag);
    else
        check_product(r, diag);
}

/* An argument behind the operator is the matrix. */
static void take_file(struct request *r, const char *word, const char *file, struct diag *diag)
{
    if (!file)
        return;
    if (find_operator(file))
        diag_error(diag, nowhere, "one operator at a time: \"%s\" and \"%s\"", word, file);
    else if (r->weights)
        diag_error(diag, nowhere, "\"%s\" and --weights %s: one file of weights, please", file, r->weights);
    else if (!request_has_weights(r->operation))
        diag_error(diag, nowhere, "%s has no weights to be in \"%s\": give operands with --input", word,
                   file);
    r->weights = file;
}

static void check(struct request *r, const char *word, const char *file, struct diag *diag)
{
    check_operation(r, word, diag);
    take_file(r, word, file, diag);
    check_generated(r, diag);
    check_softmax(r, diag);
    check_function(r, diag);
    check_limits(r, diag);
    request_check_join(r, diag);
    request_check_lookup(r, diag);
    check_split(r, diag);
    if (r->floats)
        check_floats(r, diag);
    check_files(r, diag);
}

/* ---- reading ----------------------------------------------------------------------------------- */

static const struct request defaults = {.density = {.value = 0.2},
                                        .act_density = {.value = 1},
                                        .seed = {.value = 1},
                                        .input_scale = {.value = 0.1},
                                        .beta = {.value = 1},
                                        .first_scale = {.value = 1},
                                        .second_scale = {.value = 1},
                                        .result_scale = {.value = 1},
                                        .timeout = {.value = 600},
                                        .repeat = {.value = 1}};

bool request_parse(const char *command, int argc, char **argv, struct request *r, int *status)
{
    struct table table = {.count = 0};
    struct diag diag = {0};
    const char *words[2] = {NULL}; /* operator and file of weights */
    bool asked = false, runs = !strcmp(command, "run");
    *r = defaults;
    add_operands(&table, r);
    add_window(&table, r);
    add_device(&table, r);
    add_join(&table, r);
    if (runs)
        add_run(&table, r);
    else
        add_flag(&table, "--measure", &r->measure);
    struct option_entry *help = add(&table, "--help");
    help->letter = "-h";
    help->flag = &asked;
    options_read(argc, argv, table.option, &(struct option_rest){words, 2, NULL}, &diag);
    if (!asked)
        check(r, words[0], words[1], &diag);
    bool wrong = !asked && diag.errors;
    *status = wrong ? cli_usage(command, &diag) : CLI_DONE;
    diag_free(&diag);
    if (asked)
        request_help(runs);
    return !asked && !wrong;
}
