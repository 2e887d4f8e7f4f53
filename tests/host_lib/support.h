/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on a device through libtulle, beside what they must give.
 */
#ifndef TULLE_TESTS_LIB_H
#define TULLE_TESTS_LIB_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/formats/random.h"
#include "host/tulle.h"

/* Fails the test with the message that a call left. */
#define done(call)                                                                                 \
    do {                                                                                           \
        enum tulle_status done_status_ = (call);                                                   \
        cr_assert_eq(done_status_, TULLE_OK, "%s: %s: %s", #call, tulle_status_text(done_status_), \
                     tulle_message());                                                             \
    } while (0)
/* The call must answer that, with a message that has `text` in it. */
#define refuses(wanted, text, call)                                                                          \
    do {                                                                                                     \
        enum tulle_status refused_ = (call);                                                                 \
        cr_assert_eq(refused_, (wanted), "%s: %s, not %s: %s", #call, tulle_status_text(refused_), #wanted,  \
                     tulle_message());                                                                       \
        cr_assert(strstr(tulle_message(), (text)), "%s: \"%s\" is not about \"%s\"", #call, tulle_message(), \
                  (text));                                                                                   \
    } while (0)

#define WAIT 60000 /* ms */

/* A device of variant tiny that everything is tested on: of the environment's TULLE_LIB_TEST, or the
 * functional model. */
const char *tiny_device(void);

/* Opens a device of that list, which the driver is told of; once in a process. */
struct tulle_device *open_device(const char *list, const char *name, uint64_t memory);

/* A sparse matrix in all forms at once, values in int8. */
struct sample {
    int64_t rows, columns, entries;
    int8_t *dense;                 /* rows x columns */
    int8_t *value;                 /* by rows */
    int32_t *start, *column, *row; /* row: of every entry */
    int8_t *value_by_column;
    int32_t *column_start, *row_by_column;
};

struct sample sample_make(int64_t rows, int64_t columns, double density, struct random *random);
void sample_free(struct sample *sample);
/* The view of a form. */
struct tulle_matrix sample_view(const struct sample *sample, enum tulle_format format);

/* A new folder that TULLE_PLANS names, from a name for mkdtemp(). */
const char *plans_keep_in(char folder[]);
/* How many entries it has, to each of which `change` is done, if it is not NULL. */
unsigned plans_entries(const char *folder, void (*change)(const char *path));
void plans_remove(const char *path);
/* Removes the folder with its entries. */
void plans_forget(const char *folder);

#endif
