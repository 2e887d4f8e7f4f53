/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/product.h"

#include <stdlib.h>
#include <string.h>

#include "host/cli/floats.h"
#include "host/cli/place.h"
#include "host/cli/window.h"

#define SLICE_MS 100
#define STEPS 6

static const struct place nowhere = {0};

bool product_done(const struct product *p, enum tulle_status status, struct diag *diag)
{
    return place_done(p->request->device, status, diag);
}

static bool memory(const void *at, struct diag *diag)
{
    if (!at)
        diag_error(diag, nowhere, "out of memory; give smaller sizes");
    return at;
}

/* ---- the device ---------------------------------------------------------------------------------- */

static bool open_device(struct product *p, struct diag *diag)
{
    const struct request *r = p->request;
    progress_step(&p->progress, "device");
    return place_open(r->device, r->container, (unsigned)r->timeout.value, &p->device, diag) &&
           product_done(p, tulle_device_describe(p->device, &p->info), diag);
}

/* ---- the operator -------------------------------------------------------------------------------- */

static enum tulle_type type_of_results(const struct product *p)
{
    const struct request *r = p->request;
    if (r->floats)
        return TULLE_FLOAT32;
    if (r->output_type.given)
        return r->output_type.value == REQUEST_UINT8 ? TULLE_INT8 : (enum tulle_type)r->output_type.value;
    if (r->scale.given || r->join || r->operation == TULLE_SOFTMAX)
        return TULLE_INT8;
    if (window_is_pool(r->operation))
        return p->info.data_bytes == 1 ? TULLE_INT8 : TULLE_INT16;
    return p->info.accumulator_bits > 32 ? TULLE_INT64 : TULLE_INT32;
}

int64_t product_dense(const struct product *p)
{
    const struct operands *o = &p->operands;
    if (o->window.batch)
        return 0;
    const bool tensor = o->operation == TULLE_ELEMENTWISE || o->operation == TULLE_SOFTMAX;
    return o->operation == TULLE_SPMM_RIGHT || tensor ? o->size.m.value : o->size.n.value;
}

struct tulle_plan_options product_plan_options(const struct product *p)
{
    const struct request *r = p->request;
    return (struct tulle_plan_options){.size = sizeof(struct tulle_plan_options),
                                       .mapping = r->mapping.given,
                                       .split = r->split,
                                       .effort = (unsigned)r->effort.value};
}

static enum tulle_type weights_type(const struct product *p)
{
    return p->request->floats ? TULLE_FLOAT32 : p->info.data_bytes == 1 ? TULLE_INT8 : TULLE_INT16;
}

/* The numbers of a softmax; also for what --check compares with. */
static bool take_softmax(struct product *p, struct diag *diag)
{
    const struct request *r = p->request;
    p->softmax = (struct tulle_softmax){.size = sizeof p->softmax, .columns = p->operands.size.n.value};
    return r->operation != TULLE_SOFTMAX ||
           product_done(p, tulle_softmax_scale(r->input_scale.value, r->beta.value, &p->softmax), diag);
}

static bool plan(struct product *p, struct diag *diag)
{
    struct narrow_matrix matrix = {0};
    const struct operands *o = &p->operands;
    int32_t *bias = NULL;
    progress_step(&p->progress, "planning and packing");
    const bool has_weights = request_has_weights(o->operation), pair = o->operation == TULLE_ELEMENTWISE,
               softmax = o->operation == TULLE_SOFTMAX;
    bool ok = !has_weights || narrow_sparse(&o->sparse, o->transposed, weights_type(p), &matrix);
    if (ok && o->bias.at)
        ok = (bias = narrow_values(o->bias.at, o->bias.rows * o->bias.columns, TULLE_INT32));
    if (ok) {
        const struct tulle_plan_options plan_options = product_plan_options(p);
        const struct tulle_channels channels = epilogue_channels(&p->epilogue);
        struct tulle_second second = p->epilogue.second;
        second.columns = pair ? o->size.n.value : 0;
        const struct tulle_operator_options options = {.size = sizeof options,
                                                       .operation = o->operation,
                                                       .matrix = has_weights ? &matrix.matrix : NULL,
                                                       .window = o->window.batch ? &o->window : NULL,
                                                       .dense = product_dense(p),
                                                       .output_type = p->output_type,
                                                       .epilogue = &p->epilogue.all,
                                                       .channels = pair || softmax ? NULL : &channels,
                                                       .softmax = softmax ? &p->softmax : NULL,
                                                       .bias = bias,
                                                       .wraps = p->request->wraps,
                                                       .initial = o->initial.at != NULL,
                                                       .input_density = operands_density(o),
                                                       .plan = &plan_options,
                                                       .input_zero = (int)p->request->input_zero.value,
                                                       .input_unsigned = o->input_unsigned,
                                                       .output_unsigned = p->output_unsigned,
                                                       .second = second.size ? &second : NULL};
        ok = product_done(p, tulle_operator_create(p->device, &options, &p->operator), diag);
    } else {
        (void)memory(NULL, diag);
    }
    free(bias);
    narrow_free(&matrix);
    return ok;
}

static bool load(struct product *p, struct diag *diag)
{
    const struct request *r = p->request;
    progress_step(&p->progress, "loading");
    if (!product_done(p, tulle_operator_load(p->device, r->load, &p->operator), diag) ||
        !product_done(p, tulle_operator_describe(p->operator, & p->plan), diag))
        return false;
    const enum tulle_operation is = p->plan.operation;
    /* Without --left either is spmm. */
    if (is == r->operation || (is == TULLE_SPMM_LEFT && r->operation == TULLE_SPMM_RIGHT))
        return true;
    diag_error(diag, (struct place){.file = r->load}, "this is an operator of %s%s",
               request_operation_name(is),
               is == TULLE_SPMM_LEFT    ? " with --left"
               : is == TULLE_SPMM_RIGHT ? " without --left"
                                        : "");
    return false;
}

/* What --check is to compare with must at least be of the operator's kind. */
static bool check_loaded(const struct product *p, struct diag *diag)
{
    if (p->plan.output_type == p->output_type &&
        (!p->operands.sparse.start || matrix_entries(&p->operands.sparse) == (uint64_t)p->plan.entries))
        return true;
    diag_error(diag, (struct place){.file = p->request->load},
               "the operator does not match the options; give the options that it was saved with");
    return false;
}

static bool make_operator(struct product *p, struct diag *diag)
{
    const struct request *r = p->request;
    if (r->load && !load(p, diag))
        return false;
    p->output_type = r->load && !r->check ? p->plan.output_type : type_of_results(p);
    p->output_unsigned = r->output_type.given && r->output_type.value == REQUEST_UINT8;
    const struct epilogue_types types = {.results = p->output_type,
                                         .no_sign = p->output_unsigned,
                                         .second = request_second_type(r, p->info.data_bytes)};
    if (!operands_make(r, &p->info, r->load ? &p->plan : NULL, !r->load || r->check, &p->progress,
                       &p->operands, diag) ||
        !epilogue_make(r, operands_channels(&p->operands), &types, &p->epilogue, diag) ||
        !take_softmax(p, diag))
        return false;
    if (r->load)
        return check_loaded(p, diag);
    if (r->floats) {
        progress_step(&p->progress, "planning and packing");
        return floats_plan(p, diag);
    }
    return plan(p, diag) && product_done(p, tulle_operator_describe(p->operator, & p->plan), diag) &&
           (!r->save || product_done(p, tulle_operator_save(p->operator, r->save), diag));
}

bool product_make(const struct request *request, struct product *p, struct diag *diag)
{
    *p = (struct product){.request = request,
                          .info.size = sizeof p->info,
                          .plan.size = sizeof p->plan,
                          .epilogue.all.size = sizeof p->epilogue.all,
                          .float_info.size = sizeof p->float_info};
    p->progress = progress_begin(STEPS, request->json || request->quiet);
    return open_device(p, diag) && make_operator(p, diag);
}

int64_t product_result_count(const struct product *p)
{
    return p->operands.size.m.value * p->operands.size.n.value;
}

/* ---- running ------------------------------------------------------------------------------------- */

/* The part of all runs that is done when this one has taken so many cycles, by the prediction. */
static double part_done(const struct product *p, uint64_t cycles)
{
    const double part = p->plan.predicted_cycles ? (double)cycles / (double)p->plan.predicted_cycles : 0;
    return ((double)p->repeated + (part < 1 ? part : 1)) / (double)p->request->repeat.value;
}

static bool wait_for(struct product *p, struct tulle_run *run, struct tulle_counters *counters,
                     struct diag *diag)
{
    const double begun = progress_clock();
    enum tulle_status status;
    while ((status = tulle_wait(run, SLICE_MS, counters)) == TULLE_TIMEOUT) {
        progress_tick(&p->progress, part_done(p, counters->cycles));
        if (progress_clock() - begun < (double)p->request->timeout.value)
            continue;
        diag_error(diag, nowhere, "the product was not done in %lld s; allow more with --timeout",
                   (long long)p->request->timeout.value);
        return false;
    }
    return product_done(p, status, diag);
}

void product_took(struct product *p, const struct tulle_counters *counters, double seconds)
{
    if (!p->ran || counters->cycles < p->counters.cycles)
        p->counters = *counters;
    p->seconds = !p->ran || seconds < p->seconds ? seconds : p->seconds;
    p->ran = true;
}

static bool run_once(struct product *p, const struct tulle_operands *operands, struct diag *diag)
{
    struct tulle_counters counters = {.size = sizeof counters};
    struct tulle_run *run = NULL;
    const double begun = progress_clock();
    bool ok =
        product_done(p, tulle_start(p->operator, operands, &run), diag) && wait_for(p, run, &counters, diag);
    const double seconds = progress_clock() - begun;
    tulle_run_free(run);
    if (ok)
        product_took(p, &counters, seconds);
    return ok;
}

/* Results of another run must be the same: a device that is right sometimes is wrong. */
static bool keep_results(struct product *p, const void *values, struct diag *diag)
{
    const int64_t count = product_result_count(p);
    const bool first = !p->results;
    if (first && !memory(p->results = malloc(((size_t)count + 1) * sizeof *p->results), diag))
        return false;
    for (int64_t i = 0; i < count; i++) {
        const int64_t stored = narrow_get(values, i, p->output_type),
                      value = p->output_unsigned ? (uint8_t)stored : stored;
        if (!first && p->results[i] != value) {
            diag_error(diag, nowhere, "result %lld is %lld in one run and %lld in another", (long long)i,
                       (long long)p->results[i], (long long)value);
            return false;
        }
        p->results[i] = value;
    }
    return true;
}

static bool run_all(struct product *p, struct tulle_operands *operands, struct diag *diag)
{
    bool ok = true;
    progress_step(&p->progress, "running");
    for (p->repeated = 0; ok && p->repeated < p->request->repeat.value; p->repeated++) {
        progress_tick(&p->progress, part_done(p, 0));
        ok = p->floats ? floats_run(p, operands->input, diag)
                       : run_once(p, operands, diag) && keep_results(p, operands->output->values, diag);
    }
    return ok;
}

/* As they are stored: with their zero point, and numbers without a sign as those of the same bits. Integers
 * that are narrowed to int8 and int16 saturate. */
static bool stored_dense(const struct dense *from, int64_t zero, bool has_no_sign, enum tulle_type type,
                         struct narrow_matrix *to)
{
    const int64_t count = from->rows * from->columns, values = type == TULLE_INT8 ? 1 << 8 : 1 << 16;
    int64_t *stored = malloc((size_t)count * sizeof *stored + 1);
    for (int64_t i = 0; stored && i < count; i++) {
        const int64_t number = from->at[i] + zero;
        stored[i] = has_no_sign && number >= values / 2 ? number - values : number;
    }
    const bool ok = stored && narrow_dense(stored, from->rows, from->columns, type, to);
    free(stored);
    return ok;
}

bool product_input(const struct product *p, struct narrow_matrix *to)
{
    const struct operands *o = &p->operands;
    struct dense input = o->input;
    if (o->operation == TULLE_SPMV) /* the vector may lie */
        input = (struct dense){.rows = o->size.k.value, .columns = 1, .at = o->input.at};
    return stored_dense(&input, o->input_zero, o->input_unsigned,
                        operands_input_type(p->request, p->info.data_bytes), to);
}

bool product_run(struct product *p, struct diag *diag)
{
    struct operands *o = &p->operands;
    struct narrow_matrix input = {0}, initial = {0}, second = {0};
    struct tulle_output output = {.size = sizeof output,
                                  .type = p->output_type,
                                  .row_stride = operands_result_columns(o),
                                  .column_stride = 1};
    struct tulle_operands operands = {.size = sizeof operands, .output = &output};
    void *values = malloc((size_t)product_result_count(p) * sizeof(int64_t) + 1);
    bool ok = values && product_input(p, &input);
    if (ok && o->initial.at)
        ok = narrow_dense(o->initial.at, operands_result_rows(o), operands_result_columns(o),
                          p->info.accumulator_bits > 32 ? TULLE_INT64 : TULLE_INT32, &initial);
    if (ok && o->second.at)
        ok = stored_dense(&o->second, p->request->second_zero.value, p->request->second_unsigned,
                          p->epilogue.second.type, &second);
    operands.input = &input.matrix;
    operands.second = o->second.at ? &second.matrix : NULL;
    operands.initial = o->initial.at ? &initial.matrix : NULL;
    output.values = values;
    ok = memory(ok ? values : NULL, diag) && run_all(p, &operands, diag);
    narrow_free(&input);
    narrow_free(&initial);
    narrow_free(&second);
    free(values);
    return ok;
}

void product_free(struct product *p)
{
    progress_end(&p->progress);
    tulle_operator_free(p->operator);
    floats_free(p);
    tulle_device_close(p->device);
    given_free(&p->operands);
    epilogue_free(&p->epilogue);
    free(p->results);
}
