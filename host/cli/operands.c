/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/operands.h"

#include <math.h>
#include <stdlib.h>

#include "host/cli/floats.h"
#include "host/cli/values.h"
#include "host/cli/window.h"
#include "host/formats/formats.h"
#include "host/formats/generate.h"
#include "host/formats/random.h"

/* Beyond this a typing error is likelier than a computer with the memory for it. */
#define GENERATED_MOST (UINT64_C(1) << 30)
#define DENSE_MOST (INT64_C(1) << 31)
#define CHANNELS 64 /* of a convolution's results */

struct maker {
    const struct request *request;
    const struct tulle_device_info *info;
    struct progress *progress;
    struct operands *to;
    struct diag *diag;
};

static const struct place nowhere = {0};

/* ---- files ------------------------------------------------------------------------------------- */

static bool read_file(const struct maker *m, const char *path, const struct value_rules *rules,
                      struct matrix *matrix, double *scale)
{
    const struct read_options options = {.flatten = m->to->window.batch};
    double ignored;
    if (!matrix_read(path, &options, matrix, m->diag))
        return false;
    if (values_fit(matrix, rules, path, scale ? scale : &ignored, m->diag))
        return true;
    matrix_free(matrix);
    return false;
}

/* Bytes of a number of the input. */
static unsigned input_bytes(const struct maker *m)
{
    return m->to->operation == TULLE_SOFTMAX ? 1 : m->info->data_bytes;
}

static struct value_rules data_rules(const struct maker *m, int64_t seed)
{
    const bool floats = m->request->floats;
    return (struct value_rules){
        .bits = floats ? FLOATS_BITS : 8 * input_bytes(m),
        .quantise = m->request->quantise || floats,
        .random = m->request->random_values,
        .seed = (uint64_t)seed,
        .instead = m->info->data_bytes == 1 ? "--quantise scales what is there, or take a device of 16 bits"
                                            : "--quantise scales what is there"};
}

static struct value_rules sum_rules(unsigned bits)
{
    return (struct value_rules){.bits = bits,
                                .instead = "sums begin with whole numbers that the device holds"};
}

/* Of a vector, which may lie or stand. */
static void claim_vector(const struct maker *m, const struct matrix *v, struct size *size, const char *path)
{
    if (v->rows != 1 && v->columns != 1)
        diag_error(m->diag, (struct place){.file = path}, "a vector is wanted, not %u x %u", v->rows,
                   v->columns);
    else
        sizes_claim(size, (int64_t)v->rows * v->columns, path, m->diag);
}

static bool make_dense(const struct maker *m, int64_t rows, int64_t columns, struct dense *to)
{
    bool fits = rows * (double)columns <= (double)DENSE_MOST;
    *to = (struct dense){.rows = rows, .columns = columns};
    to->at = fits ? calloc((size_t)(rows * columns) + 1, sizeof *to->at) : NULL;
    if (!to->at)
        diag_error(m->diag, nowhere, "no memory for %lld x %lld numbers; give smaller sizes", (long long)rows,
                   (long long)columns);
    return to->at;
}

/* A vector that lies gives the same as one that stands. */
static bool fill_dense(const struct maker *m, const struct matrix *from, struct dense *to)
{
    if (!make_dense(m, from->rows, from->columns, to))
        return false;
    for (uint32_t r = 0; r < from->rows; r++)
        for (uint64_t i = from->start[r]; i < from->start[r + 1]; i++)
            to->at[(int64_t)r * to->columns + from->column[i]] = from->integer[i];
    return true;
}

/* `rows`, `columns`: what it has to have; the same for a vector. */
static bool read_dense(const struct maker *m, const char *path, const struct value_rules *rules,
                       struct size *rows, struct size *columns, struct dense *to, double *scale)
{
    struct matrix matrix = {0};
    if (!read_file(m, path, rules, &matrix, scale))
        return false;
    if (rows == columns) {
        claim_vector(m, &matrix, rows, path);
    } else {
        sizes_claim(rows, matrix.rows, path, m->diag);
        sizes_claim(columns, matrix.columns, path, m->diag);
    }
    bool ok = !m->diag->errors && fill_dense(m, &matrix, to);
    matrix_free(&matrix);
    return ok;
}

/* ---- the sparse one ----------------------------------------------------------------------------- */

static struct size *sparse_rows(struct operands *o)
{
    return o->operation == TULLE_SPMM_RIGHT ? &o->size.k : o->window.batch ? &o->size.n : &o->size.m;
}

static struct size *sparse_columns(struct operands *o)
{
    return o->operation == TULLE_SPMM_RIGHT ? &o->size.n : &o->size.k;
}

/* Whether the output channels are n; otherwise they are m. */
static bool channels_are_n(const struct operands *o)
{
    return o->operation == TULLE_SPMM_RIGHT || o->window.batch;
}

static bool read_sparse(const struct maker *m)
{
    struct operands *o = m->to;
    const char *path = m->request->weights;
    const struct value_rules rules = data_rules(m, m->request->seed.value);
    if (!read_file(m, path, &rules, &o->sparse, &o->weights_scale))
        return false;
    o->transposed = m->request->transpose;
    sizes_claim(sparse_rows(o), o->transposed ? o->sparse.columns : o->sparse.rows, path, m->diag);
    sizes_claim(sparse_columns(o), o->transposed ? o->sparse.rows : o->sparse.columns, path, m->diag);
    return true;
}

static enum generate_kind kind_of(const struct request *r)
{
    if (r->per_row.given)
        return r->band.given ? GENERATE_BANDED : GENERATE_FIXED;
    if (r->edges.given)
        return GENERATE_POWER_LAW;
    return r->block.given ? GENERATE_BLOCK : GENERATE_RANDOM;
}

static double expected_entries(const struct generate_shape *s)
{
    if (s->kind == GENERATE_POWER_LAW)
        return (double)s->edges;
    return s->rows * (s->kind == GENERATE_FIXED || s->kind == GENERATE_BANDED ? (double)s->per_row
                                                                              : s->density * s->columns);
}

/* From int8 to numbers of 20 bits below 1; those that are 0 stay. */
static void spread(int64_t *values, int64_t count, uint64_t seed, double *scale)
{
    const int64_t step = INT64_C(1) << (FLOATS_BITS - 8);
    struct random random = {seed};
    for (int64_t i = 0; i < count; i++)
        if (values[i])
            values[i] = values[i] * step + (int64_t)random_below(&random, (uint64_t)step);
    *scale = 1.0 / (double)(INT64_C(1) << (FLOATS_BITS - 1));
}

/* Outputs are rows: those of W^T for the product with W on the right. */
static bool generate_sparse(const struct maker *m)
{
    struct operands *o = m->to;
    const struct request *r = m->request;
    o->transposed = o->operation == TULLE_SPMM_RIGHT;
    const struct generate_shape shape = {.kind = kind_of(r),
                                         .rows =
                                             (uint32_t)(o->transposed ? &o->size.n : sparse_rows(o))->value,
                                         .columns = (uint32_t)o->size.k.value,
                                         .density = r->density.value,
                                         .per_row = (uint32_t)r->per_row.value,
                                         .half_bandwidth = (uint32_t)r->band.value,
                                         .block = (uint32_t)r->block.value,
                                         .edges = (uint64_t)r->edges.value,
                                         .seed = (uint64_t)r->seed.value};
    if (expected_entries(&shape) <= (double)GENERATED_MOST) {
        bool ok = generate_matrix(&shape, &o->sparse, m->diag);
        if (ok && r->floats)
            spread(o->sparse.integer, (int64_t)matrix_entries(&o->sparse), (uint64_t)r->seed.value,
                   &o->weights_scale);
        return ok;
    }
    diag_error(m->diag, nowhere, "some %.0f entries are more than is generated (%llu); give smaller sizes",
               expected_entries(&shape), (unsigned long long)GENERATED_MOST);
    return false;
}

/* ---- the input ---------------------------------------------------------------------------------- */

static int64_t images_rows(const struct tulle_window *w)
{
    return w->batch * (w->input_layout == TULLE_NHWC ? w->height * w->width : w->channels);
}

static int64_t images_columns(const struct tulle_window *w)
{
    return w->input_layout == TULLE_NHWC ? w->channels : w->height * w->width;
}

static struct size *input_rows(struct operands *o)
{
    const enum tulle_operation operation = o->operation;
    const bool tensor = operation == TULLE_ELEMENTWISE || operation == TULLE_SOFTMAX;
    return operation == TULLE_SPMM_RIGHT || tensor ? &o->size.m : &o->size.k;
}

static struct size *input_columns(struct operands *o)
{
    const enum tulle_operation operation = o->operation;
    const bool tensor = operation == TULLE_ELEMENTWISE || operation == TULLE_SOFTMAX;
    return operation == TULLE_SPMM_LEFT || tensor ? &o->size.n : &o->size.k;
}

/* Images lie as their layout says, and leading dimensions may be folded or not. */
static void check_images(const struct maker *m, const struct matrix *images)
{
    const struct tulle_window *w = &m->to->window;
    const bool last = w->input_layout == TULLE_NHWC;
    const int64_t sizes[] = {w->batch, last ? w->height : w->channels, last ? w->width : w->height};
    int64_t rows = 1;
    bool fits = false;
    for (unsigned i = 0; i < 3; i++) {
        rows *= sizes[i];
        fits |= rows == images->rows;
    }
    if (!fits ||
        (double)images->rows * images->columns != (double)w->batch * w->height * w->width * w->channels)
        diag_error(m->diag, (struct place){.file = m->request->input},
                   "%u rows of %u numbers are not %lld images of %lld x %lld x %lld in the layout %s",
                   images->rows, images->columns, (long long)w->batch, (long long)w->height,
                   (long long)w->width, (long long)w->channels, request_layouts[w->input_layout]);
}

/* Numbers of the input, or of the second operand. */
struct kind {
    unsigned bytes;
    bool has_no_sign;
    int64_t zero, seed;
};

static struct kind input_kind(const struct maker *m)
{
    const struct request *r = m->request;
    return (struct kind){.bytes = operands_input_type(r, m->info->data_bytes) == TULLE_INT8 ? 1 : 2,
                         .has_no_sign = m->to->input_unsigned,
                         .zero = r->input_zero.value,
                         .seed = r->seed.value + 1};
}

static struct kind second_kind(const struct maker *m)
{
    const struct request *r = m->request;
    return (struct kind){.bytes = request_second_type(r, m->info->data_bytes) == TULLE_INT8 ? 1 : 2,
                         .has_no_sign = r->second_unsigned,
                         .zero = r->second_zero.value,
                         .seed = r->seed.value + 2};
}

/* Operands that are joined have scales of their own, and are not quantised. */
static struct value_rules joined_rules(const struct maker *m, const struct kind *kind)
{
    return (struct value_rules){.bits = 8 * kind->bytes,
                                .has_no_sign = kind->has_no_sign,
                                .random = m->request->random_values,
                                .seed = (uint64_t)kind->seed,
                                .instead = kind->bytes == 1 ? "--second-type int16 is for numbers of 16 bits"
                                                            : "numbers that are joined have 16 bits at most"};
}

static struct value_rules input_rules(const struct maker *m, const struct kind *kind)
{
    struct value_rules rules =
        m->to->operation == TULLE_ELEMENTWISE ? joined_rules(m, kind) : data_rules(m, kind->seed);
    rules.has_no_sign = kind->has_no_sign;
    rules.lacks_sign = m->request->floats ? NULL : &m->to->input_unsigned;
    return rules;
}

static int64_t least_of(const struct kind *kind)
{
    return kind->has_no_sign ? 0 : kind->bytes == 1 ? INT8_MIN : INT16_MIN;
}

static void subtract_zero(struct dense *numbers, int64_t zero)
{
    for (int64_t i = 0; i < numbers->rows * numbers->columns; i++)
        numbers->at[i] -= zero;
}

static bool read_images(const struct maker *m)
{
    struct operands *o = m->to;
    const struct kind kind = input_kind(m);
    const struct value_rules rules = input_rules(m, &kind);
    struct matrix matrix = {0};
    if (!read_file(m, m->request->input, &rules, &matrix, &o->input_scale))
        return false;
    check_images(m, &matrix);
    bool ok = !m->diag->errors && fill_dense(m, &matrix, &o->input);
    o->input.rows = images_rows(&o->window);
    o->input.columns = images_columns(&o->window);
    matrix_free(&matrix);
    return ok;
}

static bool read_input(const struct maker *m)
{
    struct operands *o = m->to;
    const struct kind kind = input_kind(m);
    const struct value_rules rules = input_rules(m, &kind);
    if (!(o->window.batch ? read_images(m)
                          : read_dense(m, m->request->input, &rules, input_rows(o), input_columns(o),
                                       &o->input, &o->input_scale)))
        return false;
    subtract_zero(&o->input, kind.zero);
    return true;
}

/* What stands for a number other than 0: the number that far from the zero point, around the range. */
static int64_t away_from_zero_point(const struct kind *kind, int64_t number)
{
    const int64_t values = INT64_C(1) << (8 * kind->bytes), least = least_of(kind);
    const int64_t place = (number + kind->zero - least) % values;
    return least + (place < 0 ? place + values : place) - kind->zero;
}

static bool generate_numbers(const struct maker *m, const struct kind *kind, double density, struct dense *to)
{
    const size_t count = (size_t)(to->rows * to->columns);
    int8_t *values = malloc(count + 1);
    const bool ok = values && generate_activations(values, count, density, (uint64_t)kind->seed);
    for (size_t i = 0; ok && i < count; i++)
        to->at[i] = away_from_zero_point(kind, values[i]);
    free(values);
    if (!ok)
        diag_error(m->diag, nowhere, "out of memory; give smaller sizes");
    return ok;
}

static bool generate_input(const struct maker *m)
{
    struct operands *o = m->to;
    const struct kind kind = input_kind(m);
    const bool images = o->window.batch;
    const int64_t rows = images ? images_rows(&o->window) : input_rows(o)->value;
    const int64_t columns = images                       ? images_columns(&o->window)
                            : o->operation == TULLE_SPMV ? 1
                                                         : input_columns(o)->value;
    if (!make_dense(m, rows, columns, &o->input) ||
        !generate_numbers(m, &kind, m->request->act_density.value, &o->input))
        return false;
    if (m->request->floats)
        spread(o->input.at, rows * columns, (uint64_t)kind.seed, &o->input_scale);
    return true;
}

/* ---- like results ------------------------------------------------------------------------------- */

/* A matrix as large as the result, or one row of it. */
static bool read_like_results(const struct maker *m, const char *path, const struct value_rules *rules,
                              bool is_row, struct dense *to)
{
    struct operands *o = m->to;
    struct size rows = {.name = is_row ? "rows of the second operand" : "rows of the result"},
                columns = {.name = "columns of the result"};
    if (is_row)
        sizes_claim(&rows, 1, "--second-row", m->diag);
    if (!o->window.batch)
        return read_dense(m, path, rules, is_row ? &rows : &o->size.m,
                          o->operation == TULLE_SPMV ? &o->size.m : &o->size.n, to, NULL);
    sizes_default(&o->size.n, CHANNELS);
    sizes_claim(&rows, operands_result_rows(o), "--in", m->diag);
    sizes_claim(&columns, operands_result_columns(o), "--in and --out-channels", m->diag);
    return read_dense(m, path, rules, &rows, &columns, to, NULL);
}

static bool read_second(const struct maker *m)
{
    const struct kind kind = second_kind(m);
    const struct value_rules rules = joined_rules(m, &kind);
    if (!read_like_results(m, m->request->second, &rules, m->request->second_row, &m->to->second))
        return false;
    subtract_zero(&m->to->second, kind.zero);
    return true;
}

static bool generate_second(const struct maker *m)
{
    struct operands *o = m->to;
    const struct kind kind = second_kind(m);
    return make_dense(m, m->request->second_row ? 1 : operands_result_rows(o), operands_result_columns(o),
                      &o->second) &&
           generate_numbers(m, &kind, 1, &o->second);
}

/* ---- all ---------------------------------------------------------------------------------------- */

/* A row for each result of a channel, a column for each channel, as in a product with NHWC. */
static void claim_window(const struct maker *m)
{
    const struct tulle_window *w = &m->to->window;
    struct sizes *s = &m->to->size;
    sizes_claim(&s->m, w->batch * window_out_height(w) * window_out_width(w), "--in", m->diag);
    sizes_claim(&s->k, given_weights(w), "--kernel and --in", m->diag);
    if (window_is_pool(m->to->operation) || (m->request->depthwise && !m->request->out_channels.given))
        sizes_claim(&s->n, w->channels, "--in", m->diag);
    else if (m->request->out_channels.given)
        sizes_claim(&s->n, m->request->out_channels.value, "--out-channels", m->diag);
}

static void claim_options(const struct maker *m)
{
    const struct request *r = m->request;
    struct sizes *s = &m->to->size;
    if (r->rows.given)
        sizes_claim(&s->m, r->rows.value, "--rows", m->diag);
    if (r->k.given)
        sizes_claim(&s->k, r->k.value, "--k", m->diag);
    if (r->n.given)
        sizes_claim(&s->n, r->n.value, "--n", m->diag);
    if (m->to->operation == TULLE_SPMV)
        sizes_claim(&s->n, 1, "spmv", m->diag);
    if (m->to->operation == TULLE_ELEMENTWISE || m->to->operation == TULLE_SOFTMAX)
        sizes_claim(&s->k, 1, "an operator without sums", m->diag);
    if (m->to->window.batch)
        claim_window(m);
}

static void claim_loaded(const struct maker *m, const struct tulle_operator_info *loaded)
{
    struct operands *o = m->to;
    const char *path = m->request->load;
    if (o->operation == TULLE_ELEMENTWISE || o->operation == TULLE_SOFTMAX) {
        sizes_claim(&o->size.m, loaded->dense, path, m->diag);
        sizes_claim(&o->size.n, loaded->columns, path, m->diag);
        return;
    }
    sizes_claim(sparse_rows(o), loaded->rows, path, m->diag);
    sizes_claim(sparse_columns(o), loaded->columns, path, m->diag);
    if (o->operation != TULLE_SPMV)
        sizes_claim(o->operation == TULLE_SPMM_LEFT ? &o->size.n : &o->size.m, loaded->dense, path, m->diag);
}

static bool read_files(const struct maker *m, bool sparse)
{
    const struct request *r = m->request;
    struct operands *o = m->to;
    const unsigned accumulator = m->info->accumulator_bits;
    const struct value_rules initial = sum_rules(accumulator);
    const struct value_rules bias =
        r->floats ? data_rules(m, 0) : sum_rules(accumulator < 32 ? accumulator : 32);
    if (sparse && r->weights && !read_sparse(m))
        return false;
    if (r->input && !read_input(m))
        return false;
    if (r->initial && !read_like_results(m, r->initial, &initial, false, &o->initial))
        return false;
    if (r->second && !read_second(m))
        return false;
    struct size *channels = channels_are_n(o) ? &o->size.n : &o->size.m;
    if (r->bias && !read_dense(m, r->bias, &bias, channels, channels, &o->bias, &o->bias_scale))
        return false;
    return !m->diag->errors;
}

/* Bands and graphs are square: what is not said of one side is said of the other. */
static void fill_sizes(const struct maker *m)
{
    struct operands *o = m->to;
    struct size *rows = sparse_rows(o), *columns = sparse_columns(o);
    if (m->request->band.given || m->request->edges.given) {
        sizes_default(rows, columns->source ? columns->value : 512);
        sizes_default(columns, rows->value);
    }
    if (o->window.batch)
        sizes_default(&o->size.n, CHANNELS);
    sizes_default(&o->size.m, 64);
    sizes_default(&o->size.n, 512);
    sizes_default(&o->size.k, 512);
}

/* In units of the sums. */
static void make_bias(struct operands *o)
{
    const double unit = o->weights_scale * o->input_scale;
    for (int64_t i = 0; o->bias.at && i < o->bias.rows * o->bias.columns; i++)
        o->bias.at[i] = llround((double)o->bias.at[i] * o->bias_scale / unit);
}

static bool make(const struct maker *m, const struct tulle_operator_info *loaded, bool sparse)
{
    claim_options(m);
    if (loaded)
        claim_loaded(m, loaded);
    progress_step(m->progress, "operands");
    if (m->diag->errors || !read_files(m, sparse))
        return false;
    fill_sizes(m);
    const bool has_weights = request_has_weights(m->to->operation);
    if (m->to->window.batch && has_weights && m->to->size.n.value % m->to->window.groups) {
        diag_error(m->diag, nowhere, "%lld channels of the results cannot be divided into %lld groups",
                   (long long)m->to->size.n.value, (long long)m->to->window.groups);
        return false;
    }
    if (sparse && has_weights && !m->request->weights && !generate_sparse(m))
        return false;
    if (!m->to->input.at && !generate_input(m))
        return false;
    if (m->request->join && !m->request->second && !generate_second(m))
        return false;
    if (m->request->floats)
        make_bias(m->to);
    if (m->to->window.batch && (!has_weights || m->to->sparse.start))
        m->to->window_macs = window_sums(m->to, NULL);
    return true;
}

bool operands_make(const struct request *request, const struct tulle_device_info *info,
                   const struct tulle_operator_info *loaded, bool sparse, struct progress *progress,
                   struct operands *to, struct diag *diag)
{
    const struct maker m = {.request = request, .info = info, .progress = progress, .to = to, .diag = diag};
    *to = (struct operands){.operation = loaded ? loaded->operation : request->operation,
                            .size = {.m = {.name = "m (rows of the result)"},
                                     .k = {.name = "k"},
                                     .n = {.name = "n (columns of the result)"}},
                            .window = request->window,
                            .input_zero = request->input_zero.value,
                            .input_unsigned = request->input_unsigned,
                            .weights_scale = 1,
                            .input_scale = 1,
                            .bias_scale = 1};
    if (make(&m, loaded, sparse)) {
        const struct kind input = input_kind(&m);
        to->lowest = least_of(&input) - input.zero;
        return true;
    }
    given_free(to);
    return false;
}

void given_free(struct operands *o)
{
    matrix_free(&o->sparse);
    free(o->input.at);
    free(o->initial.at);
    free(o->bias.at);
    free(o->second.at);
    o->input.at = o->initial.at = o->bias.at = o->second.at = NULL;
}

enum tulle_type operands_input_type(const struct request *r, unsigned data_bytes)
{
    if (r->floats)
        return TULLE_FLOAT32;
    if (r->operation == TULLE_ELEMENTWISE)
        return request_second_type(r, data_bytes);
    if (r->operation == TULLE_SOFTMAX)
        return TULLE_INT8;
    return data_bytes == 1 ? TULLE_INT8 : TULLE_INT16;
}

int64_t operands_result_rows(const struct operands *o)
{
    return o->window.batch && o->window.output_layout == TULLE_NCHW ? o->window.batch * o->size.n.value
                                                                    : o->size.m.value;
}

int64_t operands_result_columns(const struct operands *o)
{
    return o->window.batch && o->window.output_layout == TULLE_NCHW ? o->size.m.value / o->window.batch
                                                                    : o->size.n.value;
}

int64_t operands_channels(const struct operands *o)
{
    return channels_are_n(o) ? o->size.n.value : o->size.m.value;
}

int64_t given_output(const struct operands *o, int64_t row, int64_t column)
{
    if (!o->window.batch)
        return o->operation == TULLE_SPMM_RIGHT ? column : row;
    return o->window.output_layout == TULLE_NHWC ? column : row % o->size.n.value;
}

/* ---- counting ----------------------------------------------------------------------------------- */

/* Entries of the input that meet row (with SpMM on the right) or column k of the sparse one. */
static uint64_t input_entries(const struct operands *o, int64_t k)
{
    const bool by_columns = o->operation == TULLE_SPMM_RIGHT;
    const int64_t count = by_columns ? o->input.rows : o->size.n.value;
    const int64_t step = by_columns ? o->input.columns : 1;
    const int64_t *at = o->input.at + (by_columns ? k : k * count);
    uint64_t found = 0;
    for (int64_t i = 0; i < count; i++)
        found += at[i * step] != 0;
    return found;
}

bool operands_k_is_row(const struct operands *o)
{
    return (o->operation == TULLE_SPMM_RIGHT) != o->transposed;
}

uint64_t operands_effective_macs(const struct operands *o)
{
    if (o->window.batch)
        return o->window_macs;
    const bool k_is_row = operands_k_is_row(o);
    uint64_t *entries = calloc((size_t)o->size.k.value + 1, sizeof *entries), sum = 0;
    if (!entries)
        return 0;
    for (int64_t k = 0; k < o->size.k.value; k++)
        entries[k] = input_entries(o, k);
    for (uint32_t r = 0; r < o->sparse.rows; r++)
        for (uint64_t i = o->sparse.start[r]; i < o->sparse.start[r + 1]; i++)
            sum += entries[k_is_row ? r : o->sparse.column[i]];
    free(entries);
    return sum;
}

double operands_density(const struct operands *o)
{
    const int64_t count = o->input.rows * o->input.columns;
    int64_t there = 0;
    for (int64_t i = 0; o->input.at && i < count; i++)
        there += o->input.at[i] != 0;
    return o->input.at && count ? (double)there / (double)count : 1;
}
