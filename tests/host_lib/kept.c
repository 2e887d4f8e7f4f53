/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches for plans that are kept in the folder TULLE_PLANS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host_lib/support.h"

#define ROWS 96
#define COLUMNS 200
#define TEXT 20000

/* An operator as it is saved, and what is said of its plan. */
struct made {
    uint8_t *bytes;
    size_t size;
    uint64_t predicted;
    char text[TEXT];
};

static struct made make(struct tulle_device *device, unsigned effort)
{
    struct random random = {7};
    struct sample s = sample_make(ROWS, COLUMNS, 0.2, &random);
    const struct tulle_matrix matrix = sample_view(&s, TULLE_CSR);
    const struct tulle_plan_options plan = {.size = sizeof plan, .effort = effort};
    const struct tulle_operator_options options = {.size = sizeof options,
                                                   .operation = TULLE_SPMV,
                                                   .matrix = &matrix,
                                                   .output_type = TULLE_INT32,
                                                   .input_density = 1,
                                                   .plan = &plan};
    struct tulle_operator_info info = {.size = sizeof info};
    struct tulle_operator *op;
    struct made made = {0};
    done(tulle_operator_create(device, &options, &op));
    done(tulle_operator_describe(op, &info));
    made.predicted = info.predicted_cycles;
    done(tulle_operator_explain(op, 0, made.text, sizeof made.text, NULL));
    done(tulle_operator_save_bytes(op, NULL, 0, &made.size));
    made.bytes = malloc(made.size);
    done(tulle_operator_save_bytes(op, made.bytes, made.size, &made.size));
    tulle_operator_free(op);
    sample_free(&s);
    return made;
}

/* The operator says `note`, or nothing of a search when it is NULL, and is the same as `as`. */
static void expect(struct tulle_device *device, const struct made *as, const char *note)
{
    struct made made = make(device, 0);
    const char *search = strstr(made.text, "\nsearch: ");
    cr_assert(note ? search && strstr(search, note) : !search, "%s", made.text);
    cr_assert_eq(made.predicted, as->predicted);
    cr_assert(made.size == as->size && !memcmp(made.bytes, as->bytes, made.size));
    free(made.bytes);
}

static void flip(const char *path)
{
    FILE *file = fopen(path, "r+b");
    cr_assert(file && !fseek(file, 30, SEEK_SET));
    const int byte = fgetc(file);
    cr_assert(!fseek(file, 30, SEEK_SET) && fputc(byte ^ 1, file) != EOF && !fclose(file));
}

static void cut(const char *path)
{
    cr_assert(!truncate(path, 100));
}

Test(kept, the_same_plan)
{
    char name[] = "/tmp/tulle-kept-XXXXXX";
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    unsetenv("TULLE_PLANS");
    struct made without = make(device, 0);
    expect(device, &without, NULL);
    const char *folder = plans_keep_in(name);
    expect(device, &without, "kept in the folder TULLE_PLANS\n");
    expect(device, &without, "found in the folder");
    cr_assert_eq(plans_entries(folder, NULL), 1);
    free(make(device, 3).bytes); /* another effort is another search */
    cr_assert_eq(plans_entries(folder, NULL), 2);
    free(without.bytes);
    plans_forget(folder);
    tulle_device_close(device);
}

Test(kept, damaged_entries_are_made_anew)
{
    static void (*const damages[])(const char *path) = {flip, cut};
    char name[] = "/tmp/tulle-kept-XXXXXX";
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    const char *folder = plans_keep_in(name);
    struct made first = make(device, 0);
    for (unsigned i = 0; i < 2; i++) {
        cr_assert_eq(plans_entries(folder, damages[i]), 1);
        expect(device, &first, "in place of a damaged entry");
        expect(device, &first, "found in the folder");
    }
    free(first.bytes);
    plans_forget(folder);
    tulle_device_close(device);
}

Test(kept, variants_have_entries_of_their_own)
{
    char name[] = "/tmp/tulle-kept-XXXXXX";
    const char *folder = plans_keep_in(name);
    struct tulle_device *tiny = open_device("model:tiny,model:base", "model:tiny", 0), *base = NULL;
    done(tulle_device_open("model:base", NULL, &base));
    free(make(tiny, 0).bytes);
    struct made other = make(base, 0);
    cr_assert(strstr(other.text, "search: kept in"), "%s", other.text);
    cr_assert_eq(plans_entries(folder, NULL), 2);
    free(other.bytes);
    plans_forget(folder);
    tulle_device_close(tiny);
    tulle_device_close(base);
}

Test(kept, a_folder_that_cannot_be_written_is_no_error)
{
    struct tulle_device *device = open_device("model:tiny", NULL, 0);
    unsetenv("TULLE_PLANS");
    struct made without = make(device, 0);
    cr_assert(!setenv("TULLE_PLANS", "/nowhere/at all", 1));
    expect(device, &without, "not kept");
    free(without.bytes);
    tulle_device_close(device);
}
