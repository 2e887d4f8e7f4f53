/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c_test.h"

#include <inttypes.h>
#include <string.h>

#define FACTOR UINT64_C(6364136223846793005)

/* A tensor of integers has the same size with and without a sign. */
static void put_number(void *to, uint64_t at, unsigned bytes, uint64_t value)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    const void *from = bytes == 1   ? (const void *)&one
                       : bytes == 2 ? (const void *)&two
                       : bytes == 4 ? (const void *)&four
                                    : (const void *)&value;
    memcpy((uint8_t *)to + at * bytes, from, bytes);
}

static uint64_t take_number(const void *from, uint64_t at, unsigned bytes, bool no_sign)
{
    uint8_t one = 0;
    uint16_t two = 0;
    uint32_t four = 0;
    uint64_t eight = 0;
    void *to = bytes == 1   ? (void *)&one
               : bytes == 2 ? (void *)&two
               : bytes == 4 ? (void *)&four
                            : (void *)&eight;
    memcpy(to, (const uint8_t *)from + at * bytes, bytes);
    const uint64_t value = bytes == 1 ? one : bytes == 2 ? two : bytes == 4 ? four : eight;
    return no_sign || bytes == 8 || !(value >> (8 * bytes - 1)) ? value : value | ~UINT64_C(0) << (8 * bytes);
}

void c_test_fill(const struct c_tensor *t, uint64_t *state, void *to)
{
    for (uint64_t i = 0; i < t->elements; i++) {
        *state = *state * FACTOR + 1;
        const uint64_t value = *state >> (64 - 8 * t->bytes), half = UINT64_C(1) << (8 * t->bytes - 1);
        put_number(to, i, t->bytes, t->no_sign ? value : value - half);
    }
}

uint64_t c_test_add(uint64_t sum, const struct c_tensor *t, bool no_sign, const void *numbers)
{
    for (uint64_t i = 0; i < t->elements; i++)
        sum = (sum ^ take_number(numbers, i, t->bytes, no_sign)) * C_SUM_FACTOR;
    return sum;
}

/* The tensor that has the number among inputs, or among outputs. */
static const struct c_tensor *find(const struct c_model *m, bool input, int number)
{
    for (size_t i = 0; i < m->tensor_count; i++)
        if ((input ? m->tensors[i].input : m->tensors[i].output) == number)
            return &m->tensors[i];
    return NULL;
}

static void write_arrays(const struct c_model *m, bool input, struct strbuf *to)
{
    const char *name = input ? "in" : "out";
    struct strbuf list = {0};
    const struct c_tensor *t;
    for (int n = 0; (t = find(m, input, n)) != NULL; n++) {
        sb_addf(to, "    static %s %s_%d[%" PRIu64 "];\n", c_type(t->bytes, t->no_sign), name, n,
                t->elements);
        sb_addf(&list, "%s%s_%d", n ? ", " : "", name, n);
    }
    sb_addf(to, input ? "    const void *in[] = {%s};\n" : "    void *out[] = {%s};\n", sb_text(&list));
    sb_free(&list);
}

static void write_fills(const struct c_model *m, struct strbuf *to)
{
    const struct c_tensor *t;
    for (int n = 0; (t = find(m, true, n)) != NULL; n++) {
        const unsigned shift = 64 - 8 * t->bytes;
        sb_addf(to,
                "    for (int32_t i = 0; i < %" PRIu64 "; i++) {\n"
                "        state = state * UINT64_C(%" PRIu64 ") + 1;\n"
                "        in_%d[i] = (%s)(",
                t->elements, FACTOR, n, c_type(t->bytes, t->no_sign));
        if (t->no_sign)
            sb_addf(to, "state >> %u", shift);
        else
            sb_addf(to, "(int64_t)(state >> %u) - INT64_C(%" PRIu64 ")", shift,
                    UINT64_C(1) << (8 * t->bytes - 1));
        sb_add(to, ");\n    }\n");
    }
}

void c_test_begin(const struct c_model *m, struct strbuf *to)
{
    sb_addf(to, "\nint %s_test(void)\n{\n", m->name);
    write_arrays(m, true, to);
    write_arrays(m, false, to);
    sb_addf(to, "    uint64_t state = %" PRIu64 ", sum = UINT64_C(%" PRIu64 ");\n", C_TEST_START,
            C_SUM_START);
    if (m->file.apart)
        sb_add(to, "    if (!weights)\n        return 2;\n");
    write_fills(m, to);
}

void c_test_step(const struct c_tensor *t, const char *x, struct strbuf *to)
{
    sb_addf(to,
            "    for (int32_t i = 0; i < %" PRIu64 "; i++)\n"
            "        sum = (sum ^ (uint64_t)(%s)[i]) * UINT64_C(%" PRIu64 ");\n",
            t->elements, x, C_SUM_FACTOR);
}

void c_test_end(const struct c_model *m, struct strbuf *to)
{
    sb_addf(to, "    return sum != UINT64_C(%" PRIu64 ");\n}\n", m->sum);
}
