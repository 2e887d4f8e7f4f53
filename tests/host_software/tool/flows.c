/* SPDX-License-Identifier: Apache-2.0
 *
 * tulle-flows VARIANT SEED COUNT [harmed] [FILE.c | BOARD/]: random programs of the fuzzer, read as data flow
 * and computed, against the functional model. COUNT of them are accepted by the model: as many are drawn as
 * that takes, but no more than 100 for each. `harmed`: each program is changed first. FILE.c: COUNT of them
 * are written as C that checks itself; or FILE.c is the folder of a Verilated device, which ends with a
 * slash: it runs them, and the data flow is compared with what it gives, too. VARIANT is a name, or the seed
 * of a random one.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/software/trace.h"
#include "sim/model/model.h"
#include "tests/fuzz/tool/subject.h"
#include "tests/host_software/tool/device.h"
#include "tests/host_software/tool/written.h"

enum { REASONS = 64, OPERATIONS_MAX = 4000 };

struct tally {
    uint64_t ran, refused, unlike, results, changed, wrong;
    struct {
        char text[96];
        uint64_t count;
    } reason[REASONS];
    struct written *written; /* NULL: nothing is */
    struct board *board;     /* NULL: the model alone */
    uint64_t on_device;
};

static struct job copy_job(const struct subject *s)
{
    struct job copy = s->victim.slots.job;
    for (unsigned i = 0; i < ISA_SLOTS; i++) {
        const uint64_t room = copy.slots[i].size > s->room[i] ? copy.slots[i].size : s->room[i];
        uint8_t *bytes = calloc(1, room + 1);
        if (!bytes)
            abort();
        if (s->room[i])
            memcpy(bytes, copy.slots[i].bytes, s->room[i]);
        copy.slots[i].bytes = bytes;
    }
    copy.max_operations = OPERATIONS_MAX;
    return copy;
}

static void free_job(struct job *job)
{
    for (unsigned i = 0; i < ISA_SLOTS; i++)
        free(job->slots[i].bytes);
}

static void count_reason(struct tally *t, const char *text)
{
    char words[96];
    snprintf(words, sizeof words, "%s", text);
    char *at = strstr(words, ", at ");
    at = at ? at : strstr(words, ", by the operation");
    if (at)
        *at = 0;
    for (unsigned i = 0; i < REASONS; i++) {
        if (t->reason[i].count && strcmp(t->reason[i].text, words) != 0)
            continue;
        snprintf(t->reason[i].text, sizeof t->reason[i].text, "%s", words);
        t->reason[i].count++;
        return;
    }
}

static bool same_slot(const struct job *a, const struct job *b, unsigned slot)
{
    return !a->slots[slot].size || !memcmp(a->slots[slot].bytes, b->slots[slot].bytes, a->slots[slot].size);
}

/* Compares the data flow of the job with the model. `before`: what the unharmed program gives. */
static void compare(struct subject *s, const struct job *before, uint64_t seed, struct tally *t)
{
    struct job by_model = copy_job(s), by_flow = copy_job(s);
    struct trace_job job = {.variant = &s->victim.v, .job = by_flow};
    struct flow flow;
    struct strbuf why = {0};
    struct job_result result;
    struct model *model = model_new(&s->victim.v);
    job.constant[SLOT_PROGRAM] = job.constant[SLOT_WEIGHTS] = true;
    model_run(model, &by_model, &result);
    job.constant[SLOT_PARTIAL] = t->written != NULL;
    bool traced = trace_program(&job, &flow, &why);
    if (!traced && !result.code) { /* numbers of channels are constants; else initial sums are operands */
        flow_free(&flow);
        sb_free(&why);
        job.constant[SLOT_PARTIAL] = true;
        traced = trace_program(&job, &flow, &why);
    }
    if (!traced) {
        t->refused++;
        t->unlike += !result.code;
        if (!result.code)
            count_reason(t, sb_text(&why));
    } else {
        uint8_t *slots[ISA_SLOTS];
        for (unsigned i = 0; i < ISA_SLOTS; i++)
            slots[i] = by_flow.slots[i].bytes;
        const bool computed = flow_evaluate(&flow, slots);
        bool same = computed && !result.code && same_slot(&by_model, &by_flow, SLOT_OUTPUT) &&
                    same_slot(&by_model, &by_flow, SLOT_SCRATCH);
        if (t->board && same) {
            struct job by_device = copy_job(s);
            same = device_run(t->board, s, seed, &by_device) &&
                   same_slot(&by_device, &by_flow, SLOT_OUTPUT) &&
                   same_slot(&by_device, &by_flow, SLOT_SCRATCH);
            free_job(&by_device);
            t->on_device++;
        }
        t->ran++;
        t->results += flow.result_count;
        t->changed += before && !same_slot(before, &by_model, s->victim.result_slot);
        t->wrong += !same;
        if (!same)
            printf("seed %llu: the data flow gives other bits (model: %d)\n", (unsigned long long)seed,
                   (int)result.code);
        if (t->written && same && !written_put(t->written, &flow, &s->victim.slots.job, &by_model))
            count_reason(t, t->written->why);
    }
    flow_free(&flow);
    sb_free(&why);
    model_free(model);
    free_job(&by_model);
    free_job(&by_flow);
}

static void run_one(const struct variant *v, uint64_t seed, bool harmed, struct tally *t)
{
    const struct recipe_taste taste = {.legal_only = true};
    struct recipe recipe;
    struct subject subject;
    recipe_random(&recipe, v, &taste, seed);
    if (subject_make(&subject, v, &recipe))
        return;
    if (!harmed) {
        compare(&subject, NULL, seed, t);
        subject_free(&subject);
        return;
    }
    struct job before = copy_job(&subject);
    struct job_result result;
    struct model *model = model_new(v);
    model_run(model, &before, &result);
    recipe.mutation = seed % 4 ? MUTATION_SEALED : seed % 8 ? MUTATION_SWAP : MUTATION_WEIGHTS;
    recipe.change = seed;
    recipe.changes = 1;
    subject_mutate(&subject, &recipe);
    compare(&subject, &before, seed, t);
    model_free(model);
    free_job(&before);
    subject_free(&subject);
}

static uint64_t done(const struct tally *t)
{
    return t->written ? t->written->count : t->ran + t->unlike;
}

int main(int words, char **word)
{
    struct tally tally = {0};
    struct variant v;
    struct written written = {.count = 0};
    const bool harmed = words > 4 && !strcmp(word[4], "harmed");
    if (words < 4) {
        fprintf(stderr, "Usage: tulle-flows VARIANT SEED COUNT [harmed] [FILE.c | BOARD/]\n");
        return 2;
    }
    const char *path = words > 4 + harmed ? word[4 + harmed] : NULL;
    const bool on_device = path && path[strlen(path) - 1] == '/';
    char why[1024];
    tally.written = path && !on_device ? &written : NULL;
    if (on_device && !(tally.board = device_open(path, why, sizeof why))) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    const uint64_t seed = strtoull(word[2], NULL, 10), count = strtoull(word[3], NULL, 10);
    if (isdigit((unsigned char)*word[1]))
        variant_random(strtoull(word[1], NULL, 10), &v);
    else
        v = variant_of(word[1], (const char *const[]){NULL});
    v.local_bytes = 0; /* as in checked.h */
    for (uint64_t i = 0; done(&tally) < count && i < 100 * count; i++)
        run_one(&v, seed + i, harmed, &tally);
    printf("%s: %llu programs, %llu results, %llu wrong, %llu changed; %llu refused, %llu of them not by the "
           "model\n",
           word[1], (unsigned long long)tally.ran, (unsigned long long)tally.results,
           (unsigned long long)tally.wrong, (unsigned long long)tally.changed,
           (unsigned long long)tally.refused, (unsigned long long)tally.unlike);
    if (tally.board)
        printf("  %8llu on the device, too\n", (unsigned long long)tally.on_device);
    device_close(tally.board);
    for (unsigned i = 0; i < REASONS && tally.reason[i].count; i++)
        printf("  %8llu %s\n", (unsigned long long)tally.reason[i].count, tally.reason[i].text);
    if (tally.written) {
        printf("  %8u are in %s\n", written.count, path);
        if (!written.count || !written_end(&written, path))
            return 1;
    }
    return tally.wrong || done(&tally) < count;
}
