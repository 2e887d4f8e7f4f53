/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators: planned without a device (host/operator), then brought to one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host/lib/library.h"

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
    op->of.memory = device->largest < device->info.memory ? device->largest : device->info.memory;
    return op;
}

struct tulle_operator *operator_keep(struct tulle_operator *op)
{
    atomic_fetch_add(&op->references, 1);
    return op;
}

void tulle_operator_free(struct tulle_operator *op)
{
    if (!op || atomic_fetch_sub(&op->references, 1) != 1)
        return;
    image_release(op->device, op->image);
    planned_free(&op->of);
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
        status = image_finish(op, image);
    if (status)
        image_release(op->device, image);
    else
        op->image = image;
    return status;
}

/* The caller's options in structures of this version. */
struct request {
    struct tulle_operator_options options; /* epilogue and plan are there */
    struct tulle_matrix matrix;
    struct tulle_window window;
    struct tulle_epilogue epilogue;
    struct tulle_channels channels;
    struct tulle_second second;
    struct tulle_softmax softmax;
    struct tulle_plan_options plan;
};

static enum tulle_status take_request(const struct tulle_operator_options *given, struct request *to)
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

static enum tulle_status make(struct tulle_operator *op, struct request *request)
{
    enum tulle_status status = planned_begin(&op->of, &request->options, &request->epilogue);
    if (status)
        return status;
    do
        status = make_image(op, &request->options);
    while (planned_next_way(&op->of, status));
    if (!status)
        operator_sizes(op);
    return status;
}

enum tulle_status tulle_operator_create(struct tulle_device *device,
                                        const struct tulle_operator_options *options,
                                        struct tulle_operator **to)
{
    if (!device || !options || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_create: device, options or op is NULL");
    struct request request;
    enum tulle_status status = device_check(device);
    if (!status)
        status = take_request(options, &request);
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

enum tulle_status tulle_operator_update(struct tulle_operator *op, const struct tulle_matrix *given)
{
    struct tulle_matrix matrix;
    struct sparse values = {0};
    double scale;
    if (!op)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_operator_update: op is NULL");
    enum tulle_status status = device_check(op->device);
    if (!status)
        status = sized_take(SIZED_MATRIX, given, &matrix);
    struct image *image = status ? NULL : image_new();
    if (!image)
        return status ? status : message_no_memory();
    status = planned_update(&op->of, given ? &matrix : NULL, &values, &scale, &image->packed);
    if (!status)
        status = image_finish(op, image);
    if (status) {
        image_release(op->device, image);
        sparse_free(&values);
        return status;
    }
    pthread_mutex_lock(&op->lock);
    struct image *before = op->image;
    op->image = image;
    op->of.info.matrix_scale = scale;
    pthread_mutex_unlock(&op->lock);
    sparse_free(&op->of.matrix);
    op->of.matrix = values;
    operator_sizes(op);
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
