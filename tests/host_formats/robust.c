/* SPDX-License-Identifier: Apache-2.0
 *
 * Whatever a file holds: an error or a matrix that is what it promises, never
 * a crash. Most of these find something only in a build with sanitizers.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "host/formats/random.h"
#include "tests/host_formats/support.h"

enum { SAMPLES = 8 };

static void add_sample(struct strbuf *to, unsigned sample)
{
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\n% c\n4 5 4\n1 1 1.5\n4 5 -2e3\n2 2 .5\n2 1 7\n",
        "%%MatrixMarket matrix coordinate integer symmetric\n3 3 4\n1 1 18446744073709551615\n2 1 4\n3 1 "
        "5\n3 3 "
        "6\n",
        "%%MatrixMarket matrix coordinate pattern general\r\n3 3 3\r\n1 3\r\n1 2\r\n1 2\r\n",
        "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1.25\n0\n-3\n",
        "7, 9, 4\n0 1 1 2 2 3 4 4\n8 0 3 3\n",
    };
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }     \n",
        "{'descr': '|i1', 'fortran_order': False, 'shape': (24,), }\n",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (3, 1), }\n",
    };
    static const char data[] = "\0\0\x80?\0\0\0\xc0\0\0\0\0abcdefghijk";
    if (sample < 5) {
        sb_add(to, texts[sample]);
        return;
    }
    struct strbuf file = npy_file(sample - 4, headers[sample - 5], data, 24);
    sb_addn(to, file.text, file.len);
    sb_free(&file);
}

/* What is read is valid, and can be written and read again. */
static void check_matrix(struct matrix *matrix)
{
    struct strbuf bytes = {0};
    struct diag diag = {0};
    struct matrix again;
    expect_valid(matrix);
    cr_assert(matrix_format("b.mtx", NULL, matrix, &bytes, &diag), "%s", sb_text(&diag.text));
    cr_assert(matrix_parse("b.mtx", &bytes, NULL, &again, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(matrix_entries(matrix), matrix_entries(&again));
    matrix_free(&again);
    sb_free(&bytes);
}

static bool try_file(enum format format, const struct strbuf *bytes, bool keep_symmetric)
{
    const struct read_options options = {.format = format, .keep_symmetric = keep_symmetric};
    struct diag diag = {0};
    struct matrix matrix;
    const bool ok = matrix_parse("a", bytes, &options, &matrix, &diag);
    cr_assert_eq(diag.errors, ok ? 0 : 1, "%s", sb_text(&diag.text));
    if (ok && !keep_symmetric)
        check_matrix(&matrix);
    cr_assert(ok || !matrix.start);
    matrix_free(&matrix);
    diag_free(&diag);
    return ok;
}

static enum format format_of_sample(unsigned sample)
{
    return sample < 4 ? FORMAT_MATRIX_MARKET : sample == 4 ? FORMAT_SMTX : FORMAT_NPY;
}

Test(robust, samples_are_read)
{
    for (unsigned sample = 0; sample < SAMPLES; sample++) {
        struct strbuf bytes = {0};
        add_sample(&bytes, sample);
        cr_assert(try_file(format_of_sample(sample), &bytes, false), "sample %u", sample);
        sb_free(&bytes);
    }
}

/* In a buffer of its own size, so that a sanitizer sees a read behind its end. */
static struct strbuf exact_copy(const char *text, size_t length)
{
    struct strbuf copy = {.text = malloc(length + 1), .len = length, .cap = length + 1};
    cr_assert(copy.text);
    memcpy(copy.text, text, length);
    copy.text[length] = '\0';
    return copy;
}

Test(robust, cut_off)
{
    for (unsigned sample = 0; sample < SAMPLES; sample++) {
        struct strbuf bytes = {0};
        add_sample(&bytes, sample);
        for (size_t length = 0; length < bytes.len; length++) {
            struct strbuf cut = exact_copy(bytes.text, length);
            const bool ok = try_file(format_of_sample(sample), &cut, false);
            /* Only the last line may be shorter: no line end, or fewer digits of its number. */
            cr_assert(!ok || (sample < 5 && length + 3 > bytes.len), "sample %u, %zu bytes", sample, length);
            sb_free(&cut);
        }
        sb_free(&bytes);
    }
}

static void mutate(struct random *random, struct strbuf *bytes)
{
    static const char alphabet[] = "\n\n\r  ,,%%0123456789.-+eE\t()'{}L\xff";
    for (uint64_t left = random_below(random, 4) + 1; left && bytes->len; left--) {
        const size_t at = (size_t)random_below(random, bytes->len);
        const size_t length = (size_t)random_below(random, bytes->len - at < 20 ? bytes->len - at : 20);
        switch (random_below(random, 5)) {
        case 0:
            bytes->text[at] = alphabet[random_below(random, sizeof alphabet - 1)];
            break;
        case 1: /* leave a piece out */
            memmove(bytes->text + at, bytes->text + at + length, bytes->len - at - length);
            bytes->len -= length;
            break;
        case 2: /* put a piece elsewhere */
            memmove(bytes->text + random_below(random, bytes->len - length), bytes->text + at, length);
            break;
        case 3:
            bytes->text[at] = (char)(bytes->text[at] ^ 1 << random_below(random, 8));
            break;
        default:
            bytes->len = at;
        }
    }
}

Test(robust, mutated)
{
    struct random random = {7};
    unsigned accepted = 0;
    for (unsigned round = 0; round < 40000; round++) {
        const unsigned sample = round % SAMPLES;
        struct strbuf bytes = {0};
        add_sample(&bytes, sample);
        mutate(&random, &bytes);
        struct strbuf copy = exact_copy(bytes.text, bytes.len);
        accepted += try_file(format_of_sample(sample), &copy, round & 8);
        sb_free(&copy);
        sb_free(&bytes);
    }
    /* Neither every mutant nor hardly any: otherwise nothing was tried. */
    cr_assert(accepted > 1000 && accepted < 30000, "%u accepted", accepted);
}
