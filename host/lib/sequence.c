/* SPDX-License-Identifier: Apache-2.0
 *
 * Sequences: operators that are one job (host/operator/sequence.h).
 */
#include <assert.h>
#include <stdlib.h>

#include "host/lib/library.h"

enum { STEPS_MOST = 4096 };

enum tulle_status operator_check_alone(const struct tulle_operator *op, const char *call)
{
    return op->sequence ? message_set(TULLE_INVALID_ARGUMENT,
                                      "%s: the operator is a sequence; tulle_sequence_start() "
                                      "runs it, and it cannot be updated",
                                      call)
                        : TULLE_OK;
}

/* ---- what the caller says ------------------------------------------------------------------------ */

/* A step's options in structures of this version, while it is planned. */
struct given {
    struct tulle_step step;
    struct operator_request request;
    struct tulle_matrix sample;
};

static enum tulle_status check_reads(const struct tulle_step *step, size_t number)
{
    const size_t reads[] = {step->input, step->second};
    for (unsigned i = 0; i < 2; i++)
        if (reads[i] != TULLE_FROM_HOST && reads[i] >= number)
            return message_set(TULLE_INVALID_ARGUMENT,
                               "step %zu: it reads results of step %zu, which is not before it", number,
                               reads[i]);
    if (step->image_height && step->image > number)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "step %zu: its image is that of step %zu, which comes later", number, step->image);
    if (step->same > number)
        return message_set(TULLE_INVALID_ARGUMENT, "step %zu: it is the same as a step that comes later",
                           number);
    if (step->image_height < 0 || step->image_height > INT32_MAX || step->image_width < 0 ||
        step->image_width > INT32_MAX || !step->image_height != !step->image_width ||
        !step->read_height != !step->read_width)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "step %zu: an image of %lld x %lld, of which %lld x %lld are read", number,
                           (long long)step->image_height, (long long)step->image_width,
                           (long long)step->read_height, (long long)step->read_width);
    if (step->reserved)
        return message_set(TULLE_INVALID_ARGUMENT, "step %zu: reserved is %d, not 0", number, step->reserved);
    return step->options ? TULLE_OK
                         : message_set(TULLE_INVALID_ARGUMENT, "step %zu: options is NULL", number);
}

static enum tulle_status take_steps(const struct tulle_step *steps, size_t count, struct given *to)
{
    enum tulle_status status = TULLE_OK;
    const char *at = (const char *)steps;
    for (size_t i = 0; !status && i < count; i++, at += steps->size) {
        status = sized_take(SIZED_STEP, at, &to[i].step);
        if (!status)
            status = check_reads(&to[i].step, i);
        if (!status)
            status = request_take(to[i].step.options, &to[i].request);
        if (!status && to[i].step.sample)
            status = sized_take(SIZED_MATRIX, to[i].step.sample, &to[i].sample);
    }
    return status;
}

/* Values that a step reads are there, and pieces of an image agree on it. */
static enum tulle_status check_images(const struct given *given, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tulle_step *step = &given[i].step;
        const size_t reads[] = {step->input, step->second};
        for (unsigned j = 0; j < 2; j++)
            if (reads[j] != TULLE_FROM_HOST && given[reads[j]].step.image_height &&
                given[reads[j]].step.image != reads[j])
                return message_set(
                    TULLE_INVALID_ARGUMENT,
                    "step %zu: it reads step %zu, whose results are a piece of the images of step "
                    "%zu: read that",
                    i, reads[j], given[reads[j]].step.image);
        const struct tulle_step *of = &given[step->image_height ? step->image : i].step;
        if (step->image_height && (of->image != step->image || of->image_height != step->image_height ||
                                   of->image_width != step->image_width))
            return message_set(TULLE_INVALID_ARGUMENT, "step %zu: step %zu makes pieces of other images", i,
                               step->image);
    }
    return TULLE_OK;
}

/* ---- creation -------------------------------------------------------------------------------------- */

static bool fill(struct sequence *s, const struct variant *variant, const struct given *given, size_t count)
{
    s->variant = variant;
    s->step = calloc(count, sizeof *s->step);
    s->value = calloc(count, sizeof *s->value);
    if (!s->step || !s->value)
        return false;
    s->steps = s->values = count;
    for (size_t i = 0; i < count; i++) {
        const struct tulle_step *step = &given[i].step;
        const size_t y = step->image_height ? step->image : i;
        s->step[i] = (struct sequence_step){
            .options = &given[i].request.options,
            .sample = step->sample ? &given[i].sample : NULL,
            .x = step->input,
            .w = step->second,
            .y = y,
            .same = step->same ? step->same - 1 : SEQUENCE_HOST,
            .at_x = {step->input_top, step->input_left, step->read_height, step->read_width},
            .at_w = {step->second_top, step->second_left, step->read_height, step->read_width},
            .at_y = {.top = step->top, .left = step->left}};
        s->value[y].wanted |= step->wanted || i + 1 == count;
        s->pieces |= step->image_height || step->read_height;
        if (y == i && step->image_height) {
            s->value[y].in_pieces = true;
            s->value[y].height = step->image_height;
            s->value[y].width = step->image_width;
        }
    }
    return true;
}

static enum tulle_status make(struct tulle_operator *op, const struct given *given, size_t count)
{
    assert(op);
    struct image *image = image_new();
    enum tulle_status status = check_images(given, count);
    op->image = image;
    op->sequence = calloc(1, sizeof *op->sequence);
    op->of.m = 1;
    if (!image || !op->sequence || !fill(op->sequence, &op->device->variant, given, count))
        return message_no_memory();
    op->sequence->store = op->device->store;
    op->sequence->beat_cycles = op->device->beat_cycles;
    if (!status)
        status = sequence_make(op->sequence, op->of.data_bytes, op->of.memory, &image->packed);
    if (!status)
        status = image_finish(op, &op->of, image, NULL);
    if (!status && image->streamed)
        status = message_set(TULLE_DEVICE_MEMORY, "the sequence takes more than the device's memory");
    if (status)
        return status;
    op->of.info.predicted_cycles = op->sequence->predicted;
    operator_sizes(op);
    return TULLE_OK;
}

static enum tulle_status create(struct tulle_device *device, const struct tulle_step *steps, size_t count,
                                struct tulle_operator **to, size_t *failed)
{
    struct given *given = calloc(count, sizeof *given);
    struct tulle_operator *op = given ? operator_new(device) : NULL;
    enum tulle_status status = op ? take_steps(steps, count, given) : message_no_memory();
    if (!status)
        status = make(op, given, count);
    if (status && failed && op && op->sequence)
        *failed = op->sequence->failed;
    free(given);
    if (status)
        tulle_operator_free(op);
    else
        *to = op;
    return status;
}

enum tulle_status tulle_sequence_create(struct tulle_device *device, const struct tulle_step *steps,
                                        size_t count, struct tulle_operator **to, size_t *failed)
{
    if (!device || !steps || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_sequence_create: device, steps or op is NULL");
    if (!count || count > STEPS_MOST)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_sequence_create: %zu steps; 1 to %d are possible",
                           count, STEPS_MOST);
    const enum tulle_status status = device_check(device);
    return status ? status : create(device, steps, count, to, failed);
}

/* ---- runs ------------------------------------------------------------------------------------------ */

static enum tulle_status check_counts(const struct sequence *s, size_t inputs, size_t outputs)
{
    size_t from = 0, to = 0;
    for (size_t i = 0; i < s->steps; i++)
        from += s->step[i].x == SEQUENCE_HOST;
    for (size_t i = 0; i < s->values; i++)
        to += s->value[i].wanted;
    return inputs == from && outputs == to
               ? TULLE_OK
               : message_set(TULLE_INVALID_ARGUMENT,
                             "tulle_sequence_start: %zu inputs and %zu outputs; the sequence has %zu and %zu",
                             inputs, outputs, from, to);
}

/* In structures of this version, while they are checked. */
struct taken {
    struct tulle_matrix *input;
    struct tulle_output *output;
    const struct tulle_matrix **inputs;
    const struct tulle_output **outputs;
};

static enum tulle_status take_operands(struct taken *t, const struct tulle_matrix *const *inputs,
                                       size_t input_count, const struct tulle_output *const *outputs,
                                       size_t output_count)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < input_count; i++) {
        status = sized_take(SIZED_MATRIX, inputs[i], &t->input[i]);
        t->inputs[i] = inputs[i] ? &t->input[i] : NULL;
    }
    for (size_t i = 0; !status && i < output_count; i++) {
        status = sized_take(SIZED_OUTPUT, outputs[i], &t->output[i]);
        t->outputs[i] = outputs[i] ? &t->output[i] : NULL;
    }
    return status;
}

static enum tulle_status check_operands(const struct sequence *s, const struct tulle_matrix *const *inputs,
                                        size_t input_count, const struct tulle_output *const *outputs,
                                        size_t output_count)
{
    struct taken t = {.input = calloc(input_count + 1, sizeof *t.input),
                      .output = calloc(output_count + 1, sizeof *t.output),
                      .inputs = calloc(input_count + 1, sizeof *t.inputs),
                      .outputs = calloc(output_count + 1, sizeof *t.outputs)};
    enum tulle_status status = t.input && t.output && t.inputs && t.outputs
                                   ? take_operands(&t, inputs, input_count, outputs, output_count)
                                   : message_no_memory();
    if (!status)
        status = sequence_check(s, t.inputs, t.outputs);
    free(t.input);
    free(t.output);
    free(t.inputs);
    free(t.outputs);
    return status;
}

enum tulle_status tulle_sequence_start(struct tulle_operator *op, const struct tulle_matrix *const *inputs,
                                       size_t input_count, const struct tulle_output *const *outputs,
                                       size_t output_count, struct tulle_run **run)
{
    if (!op || !run || (!inputs && input_count) || !outputs)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "tulle_sequence_start: op, inputs, outputs or run is NULL");
    if (!op->sequence)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_sequence_start: the operator is none of "
                                                   "tulle_sequence_create()");
    enum tulle_status status = check_counts(op->sequence, input_count, output_count);
    if (!status)
        status = check_operands(op->sequence, inputs, input_count, outputs, output_count);
    return status ? status : run_start_sequence(op, inputs, outputs, run);
}
