/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/epilogue.h"

#include <math.h>
#include <stdlib.h>

#include "gen/base/number.h"
#include "host/formats/formats.h"

/* Of one option: a number for all channels, or those of a file. */
struct numbers {
    const char *name, *file;
    double low, high; /* allowed; low itself is not where numbers need not be whole */
    bool whole;
    double all;
    double *each; /* NULL without a file */
};

static bool no_memory(struct diag *diag)
{
    diag_error(diag, (struct place){0}, "out of memory; give smaller sizes");
    return false;
}

/* ---- files ----------------------------------------------------------------------------------------- */

static void spread(const struct matrix *m, double *to)
{
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint64_t i = m->start[r]; i < m->start[r + 1]; i++)
            to[(uint64_t)r * m->columns + m->column[i]] = m->real      ? m->real[i]
                                                          : m->integer ? (double)m->integer[i]
                                                                       : 1;
}

/* A vector, which may lie or stand. */
static bool read_numbers(struct numbers *n, int64_t channels, struct diag *diag)
{
    struct matrix m = {0};
    if (!matrix_read(n->file, NULL, &m, diag))
        return false;
    const bool fits = (m.rows == 1 && m.columns == channels) || (m.columns == 1 && m.rows == channels);
    if (fits)
        spread(&m, n->each);
    else
        diag_error(diag, (struct place){.file = n->file},
                   "%u x %u numbers for %s; a vector is wanted, with one for each of %lld output channels",
                   m.rows, m.columns, n->name, (long long)channels);
    matrix_free(&m);
    return fits;
}

static bool is_allowed(const struct numbers *n, double value)
{
    return value <= n->high && (n->whole ? value >= n->low && value == floor(value) : value > n->low);
}

static bool check_numbers(const struct numbers *n, int64_t channels, struct diag *diag)
{
    int64_t at = 0;
    while (at < channels && is_allowed(n, n->each[at]))
        at++;
    if (at == channels)
        return true;
    char text[NUMBER_TEXT];
    text[number_write_real(text, n->each[at])] = 0;
    diag_error(diag, (struct place){.file = n->file}, "%s of channel %lld is %s; allowed are %s %.9g to %.9g",
               n->name, (long long)at, text, n->whole ? "whole numbers from" : "numbers above", n->low,
               n->high);
    return false;
}

static bool take(const struct request_values *option, int64_t channels, struct numbers *n, struct diag *diag)
{
    n->file = option->file;
    if (option->given)
        n->all = option->value;
    if (!n->file)
        return true;
    n->each = calloc((size_t)channels + 1, sizeof *n->each);
    return n->each ? read_numbers(n, channels, diag) && check_numbers(n, channels, diag) : no_memory(diag);
}

/* ---- numbers of the function ----------------------------------------------------------------------- */

static double number_of(const struct numbers *n, int64_t channel)
{
    return n->each ? n->each[channel] : n->all;
}

/* `apart`: channels have arrays although they are all the same. */
static bool set_scales(const struct numbers *scale, int64_t channels, bool apart, struct epilogue *to,
                       struct diag *diag)
{
    unsigned shift = 0;
    (void)tulle_scale(scale->all, &to->all.multiplier, &to->all.shift);
    if (!scale->each && !apart)
        return true;
    to->multiplier = calloc((size_t)channels + 1, sizeof *to->multiplier);
    to->shift = calloc((size_t)channels + 1, sizeof *to->shift);
    if (!to->multiplier || !to->shift)
        return no_memory(diag);
    for (int64_t n = 0; n < channels; n++) {
        (void)tulle_scale(number_of(scale, n), &to->multiplier[n], &shift);
        to->shift[n] = (uint8_t)shift;
    }
    return true;
}

static bool allocate_limits(int64_t channels, struct epilogue *to, struct diag *diag)
{
    to->low = calloc((size_t)channels + 1, sizeof *to->low);
    to->high = calloc((size_t)channels + 1, sizeof *to->high);
    return (to->low && to->high) || no_memory(diag);
}

static bool set_limits(const struct numbers *low, const struct numbers *high, int64_t channels,
                       struct epilogue *to, struct diag *diag)
{
    to->all.low = (int)low->all;
    to->all.high = (int)high->all;
    for (int64_t n = 0; n < channels; n++)
        if (number_of(low, n) > number_of(high, n)) {
            diag_error(diag, (struct place){0}, "--low is %g and --high %g for channel %lld",
                       number_of(low, n), number_of(high, n), (long long)n);
            return false;
        }
    if (!low->each && !high->each)
        return true;
    if (!allocate_limits(channels, to, diag))
        return false;
    for (int64_t n = 0; n < channels; n++) {
        to->low[n] = (int16_t)number_of(low, n);
        to->high[n] = (int16_t)number_of(high, n);
    }
    return true;
}

static bool finds(enum tulle_status status, struct diag *diag)
{
    if (status)
        diag_error(diag, (struct place){0}, "%s", tulle_message());
    return !status;
}

/* ---- joins and tables ------------------------------------------------------------------------------ */

static int16_t within_16_bits(int64_t limit)
{
    return limit < INT16_MIN ? INT16_MIN : limit > INT16_MAX ? INT16_MAX : (int16_t)limit;
}

/* Sums are joined as numbers of their type, less their zero point. */
static bool limit_sums(int64_t zero, enum tulle_type type, int64_t channels, struct epilogue *to,
                       struct diag *diag)
{
    const bool narrow = type == TULLE_INT8;
    if (!allocate_limits(channels, to, diag))
        return false;
    for (int64_t n = 0; n < channels; n++) {
        to->low[n] = within_16_bits((narrow ? INT8_MIN : INT16_MIN) - zero);
        to->high[n] = within_16_bits((narrow ? INT8_MAX : INT16_MAX) - zero);
    }
    return true;
}

static bool set_join(const struct request *r, int64_t channels, enum tulle_type type, struct epilogue *to,
                     struct diag *diag)
{
    to->second = (struct tulle_second){.size = sizeof to->second,
                                       .join = r->join,
                                       .type = type,
                                       .is_row = r->second_row,
                                       .has_no_sign = r->second_unsigned,
                                       .zero = (int)r->second_zero.value};
    return finds(tulle_join_scales(r->first_scale.value, r->second_scale.value, r->result_scale.value,
                                   &to->second, &to->all),
                 diag) &&
           (r->operation == TULLE_ELEMENTWISE || limit_sums(r->sum_zero.value, type, channels, to, diag));
}

/* Results are looked up by the sums, which have a zero point of their own. */
static bool set_table(const struct request *r, struct epilogue *to, struct diag *diag)
{
    const struct tulle_curve_scales scales = {.input_scale = r->first_scale.value,
                                              .output_scale = r->result_scale.value,
                                              .input_zero = (int)r->sum_zero.value,
                                              .output_zero = (int)r->zero.value};
    to->all.zero = (int)r->sum_zero.value;
    to->all.lookup = to->table;
    return finds(tulle_curve_table((enum tulle_curve)r->lookup.value, &scales, to->table), diag);
}

/* ---- all ------------------------------------------------------------------------------------------- */

static enum tulle_function function_of(const struct request *r)
{
    return r->scale.given || r->join       ? TULLE_REQUANTISE
           : r->low.given || r->high.given ? TULLE_CLAMP
           : r->relu                       ? TULLE_RELU
                                           : TULLE_NONE;
}

static bool set_numbers(const struct request *r, int64_t channels, const struct epilogue_types *types,
                        struct epilogue *to, struct diag *diag)
{
    const bool narrow = types->results == TULLE_INT8;
    const double least = types->no_sign ? 0
                         : narrow       ? INT8_MIN
                                        : INT16_MIN,
                 most = types->no_sign ? UINT8_MAX
                        : narrow       ? INT8_MAX
                                       : INT16_MAX;
    struct numbers scale = {.name = "--scale", .high = REQUEST_SCALE_MOST},
                   low = {.name = "--low", .low = least, .high = most, .whole = true},
                   high = {.name = "--high", .low = least, .high = most, .whole = true};
    low.all = r->relu ? (double)r->zero.value : least;
    high.all = most;
    const bool ok = take(&r->scale, channels, &scale, diag) && take(&r->low, channels, &low, diag) &&
                    take(&r->high, channels, &high, diag) &&
                    set_scales(&scale, channels, r->residual.given, to, diag) &&
                    set_limits(&low, &high, channels, to, diag);
    free(scale.each);
    free(low.each);
    free(high.each);
    return ok;
}

bool epilogue_make(const struct request *r, int64_t channels, const struct epilogue_types *types,
                   struct epilogue *to, struct diag *diag)
{
    to->all.function = function_of(r);
    to->all.rounding = r->window.round_away ? TULLE_ROUND_UP : (enum tulle_rounding)r->rounding.value;
    if (to->all.function == TULLE_NONE || to->all.function == TULLE_RELU)
        return true;
    to->all.zero = (int)r->zero.value;
    return set_numbers(r, channels, types, to, diag) &&
           (!r->join || set_join(r, channels, types->second, to, diag)) &&
           (!r->lookup.given || set_table(r, to, diag));
}

void epilogue_free(struct epilogue *e)
{
    free(e->multiplier);
    free(e->shift);
    free(e->low);
    free(e->high);
}

struct tulle_channels epilogue_channels(const struct epilogue *e)
{
    return (struct tulle_channels){.size = sizeof(struct tulle_channels),
                                   .multiplier = e->multiplier,
                                   .shift = e->shift,
                                   .low = e->low,
                                   .high = e->high};
}
