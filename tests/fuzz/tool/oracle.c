/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/fuzz/tool/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "sim/model/model.h"

#define OPERATIONS_MAX 2000 /* of a harmed program, loops unrolled */
#define ORDERS 6

static uint8_t *copy_of(const struct scene *scene)
{
    uint8_t *image = malloc(scene->bytes);
    if (!image)
        abort();
    return memcpy(image, scene->before, scene->bytes);
}

static bool same_end(const struct job_result *a, const struct job_result *b)
{
    return a->code == b->code && a->queue == b->queue && a->row == b->row && a->cluster == b->cluster &&
           a->pe == b->pe && a->offset == b->offset;
}

/* The status record says what the result says. */
static bool same_memory(const struct scene *scene, const uint8_t *a, const uint8_t *b)
{
    for (uint64_t i = 0; i < scene->bytes; i++)
        if (a[i] != b[i] && scene_slot(scene, i) != SLOT_STATUS)
            return false;
    return true;
}

static bool same_counts(const struct job_result *a, const struct job_result *b)
{
    return a->effective_macs == b->effective_macs && a->scanned == b->scanned && a->pe_busy == b->pe_busy &&
           a->bytes_read == b->bytes_read && a->bytes_written == b->bytes_written &&
           a->bus_beats == b->bus_beats;
}

static void ask_once(struct oracle *o, const struct scene *scene, struct model *model, bool harmed)
{
    struct outcome *to = &o->outcome[o->count];
    *to = (struct outcome){.image = copy_of(scene)};
    struct job job = scene_job(scene, to->image);
    job.max_operations = harmed ? OPERATIONS_MAX : 0;
    model_run_by_chance(model, &job, o->count, &to->result);
    to->left = model_results_left(model);
    o->too_long = o->too_long || (harmed && to->result.code == JOB_WATCHDOG);
    if (o->count &&
        (!same_end(&to->result, &o->outcome->result) || !same_memory(scene, to->image, o->outcome->image)))
        o->open = true;
    o->counts = o->counts || !same_counts(&to->result, &o->outcome->result);
    o->count++;
}

static void ask_until(struct oracle *o, const struct scene *scene, bool harmed, unsigned count)
{
    struct model *model = model_new(&scene->subject->victim.v);
    if (!model)
        abort();
    while (o->count < count && !o->too_long)
        ask_once(o, scene, model, harmed);
    model_free(model);
}

void oracle_ask(struct oracle *o, const struct scene *scene, bool harmed)
{
    *o = (struct oracle){.count = 0};
    ask_until(o, scene, harmed, harmed ? ORDERS : 1);
}

void oracle_insist(struct oracle *o, const struct scene *scene)
{
    ask_until(o, scene, true, OUTCOMES_MAX);
}

void oracle_explain(const struct scene *scene, const uint8_t *image, bool *differs)
{
    struct model *model = model_new(&scene->subject->victim.v);
    struct job_result result = {.code = JOB_WATCHDOG};
    if (!model)
        abort();
    for (uint64_t count = 1; count <= OPERATIONS_MAX && result.code == JOB_WATCHDOG; count++) {
        uint8_t *then = copy_of(scene);
        struct job job = scene_job(scene, then);
        job.max_operations = count;
        model_run_by_chance(model, &job, 0, &result);
        for (uint64_t i = 0; i < scene->bytes; i++)
            differs[i] = differs[i] && image[i] != then[i];
        free(then);
    }
    model_free(model);
}

void oracle_free(struct oracle *o)
{
    while (o->count)
        free(o->outcome[--o->count].image);
}

const struct outcome *oracle_find(const struct oracle *o, const struct job_result *result)
{
    for (unsigned i = 0; i < o->count; i++)
        if (same_end(&o->outcome[i].result, result))
            return &o->outcome[i];
    return NULL;
}
