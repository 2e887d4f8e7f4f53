/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/values.h"

#include <math.h>
#include <stdlib.h>

#include "gen/base/number.h"
#include "host/formats/random.h"

static bool fail(const char *path, struct diag *diag, const char *what)
{
    diag_error(diag, (struct place){.file = path}, "%s", what);
    return false;
}

static int64_t most(const struct value_rules *rules)
{
    return (int64_t)((UINT64_C(1) << (rules->bits - !rules->has_no_sign)) - 1);
}

static int64_t least(const struct value_rules *rules)
{
    return rules->has_no_sign ? 0 : -most(rules) - 1;
}

/* Gives a pattern its values; integers are there afterwards, to be filled where the values are reals. */
static bool allocate(struct matrix *m, const struct value_rules *rules)
{
    const uint64_t count = matrix_entries(m);
    struct random random = {rules->seed};
    if (m->integer)
        return true;
    m->integer = calloc((size_t)count + 1, sizeof *m->integer);
    for (uint64_t i = 0; m->integer && i < count; i++)
        m->integer[i] = rules->random ? random_non_zero(&random) : 1;
    return m->integer;
}

static double value_at(const struct matrix *m, uint64_t i)
{
    return m->real ? m->real[i] : (double)m->integer[i];
}

static double largest(const struct matrix *m)
{
    double found = 0;
    for (uint64_t i = 0; i < matrix_entries(m); i++)
        found = fabs(value_at(m, i)) > found ? fabs(value_at(m, i)) : found;
    return found;
}

static bool fits(const struct matrix *m, const struct value_rules *rules)
{
    int64_t low, high;
    return matrix_range(m, &low, &high) && low >= least(rules) && high <= most(rules);
}

/* What does not fit is there, so the largest is not 0. Divided first: the quotient of two doubles near the
 * ends of their range is still right. */
static double quantise(struct matrix *m, const struct value_rules *rules)
{
    const double limit = largest(m), steps = (double)most(rules);
    for (uint64_t i = 0; i < matrix_entries(m); i++)
        m->integer[i] = (int64_t)round(value_at(m, i) / limit * steps);
    return limit / steps;
}

static void drop_zeros(struct matrix *m)
{
    uint64_t to = 0, from = 0;
    for (uint32_t r = 0; r < m->rows; r++) {
        for (; from < m->start[r + 1]; from++) {
            m->column[to] = m->column[from];
            m->integer[to] = m->integer[from];
            to += m->integer[from] != 0;
        }
        m->start[r + 1] = to;
    }
}

static bool refuse(const struct matrix *m, const struct value_rules *rules, const char *path,
                   struct diag *diag)
{
    char text[NUMBER_TEXT] = "";
    for (uint64_t i = 0; i < matrix_entries(m) && !*text; i++) {
        const double value = value_at(m, i);
        if (m->real && value != floor(value))
            text[number_write_real(text, value)] = 0;
        else if (value > (double)most(rules) || value < (double)least(rules))
            text[m->real ? number_write_real(text, value) : number_write_integer(text, m->integer[i])] = 0;
    }
    diag_error(diag, (struct place){.file = path}, "%s is not an integer of %u bits%s; %s",
               *text ? text : "what is there", rules->bits, rules->has_no_sign ? " without a sign" : "",
               rules->instead);
    return false;
}

/* The rules without a sign, where the file says so and its numbers need it. */
static struct value_rules rules_for(const struct matrix *m, const struct value_rules *rules)
{
    struct value_rules own = *rules;
    if (!rules->lacks_sign || !m->bytes || rules->quantise || fits(m, rules))
        return own;
    own.has_no_sign = true;
    *rules->lacks_sign = fits(m, &own);
    return own;
}

bool values_fit(struct matrix *m, const struct value_rules *given, const char *path, double *scale,
                struct diag *diag)
{
    *scale = 1;
    if (!allocate(m, given))
        return fail(path, diag, "out of memory");
    if (m->values == MATRIX_PATTERN)
        m->values = MATRIX_INTEGER;
    const struct value_rules own = rules_for(m, given), *rules = &own;
    if (!fits(m, rules) && !rules->quantise)
        return refuse(m, rules, path, diag);
    if (!fits(m, rules))
        *scale = quantise(m, rules);
    free(m->real);
    m->real = NULL;
    m->values = MATRIX_INTEGER;
    drop_zeros(m);
    return true;
}
