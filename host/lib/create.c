/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators: planned without a device (host/operator), then brought to one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/lib/library.h"

#define LEAST_TO_LEARN 0.9 /* activations that are not 0: nearly as many as all */

/* ---- objects ---------------------------------------------------------------------------------------- */

struct tulle_operator *operator_new(struct tulle_device *device)
{
    struct tulle_operator *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    if (pthread_mutex_init(&op->lock, NULL)) {
        free(op);
        return NULL;
    }
    atomic_init(&op->references, 1);
    op->device = device_keep(device);
    op->of.variant = &device->variant;
    op->of.data_bytes = device->info.data_bytes;
    op->of.beat_cycles = device->beat_cycles;
    op->of.memory = device->largest < device->info.memory ? device->largest : device->info.memory;
    return op;
}

void tulle_operator_free(struct tulle_operator *op)
{
    if (!op || atomic_fetch_sub(&op->references, 1) != 1)
        return;
    image_release(op->device, op->fewer);
    image_release(op->device, op->image);
    planned_free(&op->of);
    if (op->sequence)
        sequence_free(op->sequence);
    free(op->sequence);
    pthread_mutex_destroy(&op->lock);
    tulle_device_close(op->device);
    free(op);
}

/* ---- creation ------------------------------------------------------------------------------------------ */

static enum tulle_status make_image(struct tulle_operator *op, const struct tulle_operator_options *options)
{
    struct image *image = image_new();
    if (!image)
        return message_no_memory();
    enum tulle_status status = planned_make(&op->of, options, &image->packed);
    if (!status)
        status = image_finish(op, &op->of, image, NULL);
    if (status)
        image_release(op->device, image);
    else
        op->image = image;
    return status;
}

enum tulle_status request_take(const struct tulle_operator_options *given, struct operator_request *to)
{
    struct tulle_operator_options *o = &to->options;
    enum tulle_status status = sized_take(SIZED_OPERATOR_OPTIONS, given, o);
    if (!status)
        status = sized_take(SIZED_MATRIX, o->matrix, &to->matrix);
    if (!status)
        status = sized_take(SIZED_WINDOW, o->window, &to->window);
    if (!status)
        status = sized_take(SIZED_EPILOGUE, o->epilogue, &to->epilogue);
    if (!status)
        status = sized_take(SIZED_CHANNELS, o->channels, &to->channels);
    if (!status)
        status = sized_take(SIZED_SECOND, o->second, &to->second);
    if (!status)
        status = sized_take(SIZED_SOFTMAX, o->softmax, &to->softmax);
    if (!status)
        status = sized_take(SIZED_PLAN_OPTIONS, o->plan, &to->plan);
    o->matrix = o->matrix ? &to->matrix : NULL;
    o->window = o->window ? &to->window : NULL;
    o->epilogue = &to->epilogue;
    o->channels = o->channels ? &to->channels : NULL;
    o->second = o->second ? &to->second : NULL;
    o->softmax = o->softmax ? &to->softmax : NULL;
    o->plan = &to->plan;
    return status;
}

static enum tulle_status make(struct tulle_operator *op, struct operator_request *request)
{
    enum tulle_status status = planned_begin(&op->of, &request->options, &request->epilogue);
    if (status)
        return status;
    do
        status = make_image(op, &request->options);
    while (planned_next_way(&op->of, status));
    if (!status)
        operator_sizes(op);
    op->learns = !request->options.input_density && planned_is_free(&op->of, &request->plan);
    return status;
}

enum tulle_status tulle_operator_create(struct tulle_device *device,
                                        const struct tulle_operator_options *options,
                                        struct tulle_operator **to)
{
    if (!device || !options || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_create: device, options or op is NULL");
    struct operator_request request;
    enum tulle_status status = device_check(device);
    if (!status)
        status = request_take(options, &request);
    if (status)
        return status;
    struct tulle_operator *op = operator_new(device);
    if (!op)
        return message_no_memory();
    status = make(op, &request);
    if (status)
        tulle_operator_free(op);
    else
        *to = op;
    return status;
}

/* Whoever filled the device's memory with operators can still run them. */
static bool takes_little(const struct tulle_operator *op, const struct image *image)
{
    const uint64_t bytes = image_device_bytes(image);
    return bytes <= image_device_bytes(op->image) || bytes < op->of.memory / 16;
}

/* Another plan. */
static void plan_again(struct tulle_operator *op, const struct shares *shares)
{
    struct planned of = op->of;
    struct image *image = image_new();
    if (image && !planned_learn(&of, shares, &image->packed) && !image_finish(op, &of, image, NULL) &&
        takes_little(op, image)) {
        struct image *before = op->image;
        /* Other threads read the rest. */
        op->of.density = of.density;
        op->of.choice = of.choice;
        op->of.alternatives = of.alternatives;
        op->of.info.predicted_cycles = of.info.predicted_cycles;
        op->image = image;
        operator_sizes(op);
        image_release(op->device, op->fewer);
        op->fewer = NULL;
        image = before;
    }
    image_release(op->device, image);
}

/* Another prediction. */
static void foresee(struct tulle_operator *op, const struct shares *shares)
{
    struct planned of = op->of;
    if (planned_foresee(&of, shares))
        return;
    op->of.density = of.density;
    op->of.info.predicted_cycles = of.info.predicted_cycles;
    op->of.alternatives.of[op->of.alternatives.best].price = of.alternatives.of[of.alternatives.best].price;
}

void operator_learn(struct tulle_operator *op, const struct shares *shares)
{
    pthread_mutex_lock(&op->lock);
    if (op->learns && shares->all < LEAST_TO_LEARN)
        plan_again(op, shares);
    else if (op->learns)
        foresee(op, shares);
    op->learns = false;
    pthread_mutex_unlock(&op->lock);
}

enum tulle_status tulle_operator_update(struct tulle_operator *op, const struct tulle_matrix *given)
{
    struct tulle_matrix matrix;
    struct sparse values = {0};
    double scale;
    if (!op)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_update: op is NULL");
    enum tulle_status status = device_check(op->device);
    if (!status)
        status = operator_check_alone(op, "tulle_operator_update");
    if (!status)
        status = sized_take(SIZED_MATRIX, given, &matrix);
    struct image *image = status ? NULL : image_new();
    if (!image)
        return status ? status : message_no_memory();
    status = planned_update(&op->of, given ? &matrix : NULL, &values, &scale, &image->packed);
    if (!status)
        status = image_finish(op, &op->of, image, NULL);
    if (status) {
        image_release(op->device, image);
        sparse_free(&values);
        return status;
    }
    pthread_mutex_lock(&op->lock);
    struct image *before = op->image, *fewer = op->fewer;
    op->image = image;
    op->fewer = NULL;
    op->of.info.matrix_scale = scale;
    sparse_free(&op->of.matrix);
    op->of.matrix = values;
    operator_sizes(op);
    pthread_mutex_unlock(&op->lock);
    image_release(op->device, fewer);
    image_release(op->device, before);
    return TULLE_OK;
}

/* ---- what is told ----------------------------------------------------------------------------------------
 */

enum tulle_status tulle_operator_describe(const struct tulle_operator *op, struct tulle_operator_info *info)
{
    if (!op || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_describe: op or info is NULL");
    enum tulle_status status = sized_check(SIZED_OPERATOR_INFO, info);
    if (!status)
        sized_give(SIZED_OPERATOR_INFO, &op->of.info, info);
    return status;
}

enum tulle_status tulle_operator_explain(const struct tulle_operator *op, uint64_t measured, char *text,
                                         size_t room, size_t *needed)
{
    struct strbuf table = {0};
    if (!op || (room && !text))
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_explain: op or text is NULL");
    plan_explain(&op->of.alternatives, measured, &table);
    bool ok = sb_ok(&table);
    if (ok && room)
        snprintf(text, room, "%s", sb_text(&table));
    if (ok && needed)
        *needed = table.len;
    sb_free(&table);
    return ok ? TULLE_OK : message_no_memory();
}
