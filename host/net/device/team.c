/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/team.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- pieces of jobs -------------------------------------------------------------------------------- */

/* Pieces of channels are multiples of this where there are enough of them: arrays have as many lanes or
 * fewer. */
#define CHANNEL_STEP 16

static int64_t images_of(const struct job *job)
{
    return job->window.batch ? job->window.batch : 1;
}

static bool has_window(const struct job *job)
{
    return job->options.window != NULL;
}

/* Each channel of the results is made of its own channel of the operand. */
static bool is_apart(const struct job *job)
{
    return !job->options.matrix || (job->window.groups > 1 && job->window.groups == job->window.channels);
}

static int64_t at_least_1(int64_t number)
{
    return number ? number : 1;
}

static int64_t reach_of(const struct tulle_window *w)
{
    return (w->kernel_height - 1) * at_least_1(w->dilation_y) + 1;
}

static int64_t results_high(const struct tulle_window *w)
{
    return (w->height + w->pad_top + w->pad_bottom - reach_of(w)) / at_least_1(w->stride_y) + 1;
}

/* Whether all windows of a piece of one row, the shortest there is, meet the image. */
static bool windows_meet(const struct tulle_window *w)
{
    return w->pad_top < reach_of(w) && w->pad_bottom < reach_of(w);
}

static int64_t channels_length(const struct job *job)
{
    if (job->options.operation == TULLE_SPMM_RIGHT)
        return job->matrix.columns;
    if (job->options.operation == TULLE_ELEMENTWISE)
        return job->second.is_row ? 0 : job->second.columns;
    if (!has_window(job) || images_of(job) > 1)
        return 0;
    if (is_apart(job))
        return job->copies.count ? 0 : job->window.channels;
    return job->window.groups > 1 ? 0 : job->matrix.rows;
}

int64_t team_length(const struct job *job, enum team_cut cut)
{
    switch (cut) {
    case TEAM_IMAGES:
        return has_window(job) ? images_of(job) : job->options.dense;
    case TEAM_HEIGHT:
        return has_window(job) && images_of(job) == 1 && windows_meet(&job->window)
                   ? results_high(&job->window)
                   : 0;
    default:
        return channels_length(job);
    }
}

static void take_rows(struct job_shape *shape, int64_t from, int64_t count)
{
    shape->at += from * (shape->pitch ? shape->pitch : shape->columns);
    shape->rows = count;
}

static void take_columns(struct job_shape *shape, int64_t from, int64_t count)
{
    shape->pitch = shape->pitch ? shape->pitch : shape->columns;
    shape->at += from;
    shape->columns = count;
}

/* Rows of results, and of a second operand that has as many. */
static void take_results(struct job *job, void (*take)(struct job_shape *, int64_t, int64_t), int64_t from,
                         int64_t count)
{
    take(&job->y, from, count);
    if (job->options.second && !job->second.is_row)
        take(&job->w, from, count);
}

static void cut_images(struct job *job, int64_t from, int64_t end)
{
    const int64_t all = team_length(job, TEAM_IMAGES), count = end - from, x = job->x.rows / all,
                  y = job->y.rows / all;
    take_rows(&job->x, from * x, count * x);
    take_results(job, take_rows, from * y, count * y);
    if (has_window(job))
        job->window.batch = count;
    else
        job->options.dense = count;
}

/* Rows of pixels, of a value whose width is `width`. */
static void take_pixels(struct job_shape *shape, enum tulle_layout layout, int64_t width, int64_t from,
                        int64_t count)
{
    if (layout == TULLE_NHWC)
        take_rows(shape, from * width, count * width);
    else
        take_columns(shape, from * width, count * width);
}

static void cut_height(struct job *job, int64_t from, int64_t end)
{
    struct tulle_window *w = &job->window;
    const int64_t high = results_high(w), stride = at_least_1(w->stride_y), top = from * stride - w->pad_top,
                  bottom = (end - 1) * stride - w->pad_top + reach_of(w), first = top > 0 ? top : 0,
                  last = bottom < w->height ? bottom : w->height,
                  pixels = job->y.rows * job->y.columns /
                           (w->output_layout == TULLE_NHWC ? job->y.columns : job->y.rows);
    assert(first < last);
    take_pixels(&job->x, w->input_layout, w->width, first, last - first);
    take_pixels(&job->y, w->output_layout, pixels / high, from, end - from);
    if (job->options.second)
        take_pixels(&job->w, w->output_layout, pixels / high, from, end - from);
    w->height = last - first;
    w->pad_top = first - top;
    w->pad_bottom = bottom - last;
}

/* Weights and numbers of result channels. */
static void take_channels(struct job *job, int64_t from, int64_t count)
{
    struct tulle_matrix *m = &job->matrix;
    const bool right = job->options.operation == TULLE_SPMM_RIGHT;
    if (!job->options.matrix)
        return;
    m->values = (const uint8_t *)m->values +
                (size_t)(from * (right ? m->column_stride : m->columns)) * job_element_bytes(m->type);
    *(right ? &m->columns : &m->rows) = count;
    job->options.bias = job->options.bias ? job->options.bias + from : NULL;
    if (!job->options.channels)
        return;
    struct tulle_channels *c = &job->channels;
    c->multiplier = c->multiplier ? c->multiplier + from : NULL;
    c->shift = c->shift ? c->shift + from : NULL;
    c->low = c->low ? c->low + from : NULL;
    c->high = c->high ? c->high + from : NULL;
}

/* Windows whose channels are apart read only their own. */
static void cut_window_channels(struct job *job, int64_t from, int64_t count)
{
    struct tulle_window *w = &job->window;
    const int64_t each = is_apart(job) && job->options.matrix ? job->matrix.rows / w->channels : 1;
    take_results(job, w->output_layout == TULLE_NHWC ? take_columns : take_rows, from * each, count * each);
    if (!is_apart(job)) {
        take_channels(job, from, count);
        return;
    }
    (w->input_layout == TULLE_NHWC ? take_columns : take_rows)(&job->x, from, count);
    take_channels(job, from * each, count * each);
    w->channels = count;
    w->groups = job->options.matrix ? count : w->groups;
}

static void cut_channels(struct job *job, int64_t from, int64_t end)
{
    const int64_t count = end - from;
    if (has_window(job)) {
        cut_window_channels(job, from, count);
        return;
    }
    take_results(job, take_columns, from, count);
    if (job->options.operation == TULLE_SPMM_RIGHT) {
        take_channels(job, from, count);
        return;
    }
    take_columns(&job->x, from, count);
    job->second.columns = count;
}

void team_cut(struct job *piece, const struct job *whole, enum team_cut cut, int64_t from, int64_t end)
{
    *piece = *whole;
    struct tulle_operator_options *o = &piece->options;
    o->matrix = o->matrix ? &piece->matrix : NULL;
    o->window = o->window ? &piece->window : NULL;
    o->epilogue = o->epilogue ? &piece->epilogue : NULL;
    o->channels = o->channels ? &piece->channels : NULL;
    o->second = o->second ? &piece->second : NULL;
    o->softmax = o->softmax ? &piece->softmax : NULL;
    if (cut == TEAM_IMAGES)
        cut_images(piece, from, end);
    else if (cut == TEAM_HEIGHT)
        cut_height(piece, from, end);
    else
        cut_channels(piece, from, end);
}

/* ---- operators ------------------------------------------------------------------------------------- */

void team_free(struct team *team)
{
    for (size_t i = 0; i < team->count; i++)
        tulle_operator_free(team->pieces[i].op);
    free(team->pieces);
    *team = (struct team){.pieces = NULL};
}

/* What a device can do: PEs, or steps in a time, once that is known. */
struct speeds {
    double *list;
    size_t count;
};

/* Where the share of the first so many devices ends. */
static int64_t end_of_share(int64_t length, enum team_cut cut, double speed, double all)
{
    const int64_t end = (int64_t)((double)length * speed / all + 0.5), step = CHANNEL_STEP;
    const bool steps = cut == TEAM_CHANNELS && end >= step && end < length;
    return steps ? (end + step / 2) / step * step : end;
}

static enum tulle_status add_piece(struct team *team, const struct job *whole, struct tulle_device *device,
                                   size_t number, int64_t from, int64_t end)
{
    if (from >= end)
        return TULLE_OK;
    struct team_piece *piece = &team->pieces[team->count];
    *piece = (struct team_piece){.device = number, .steps = end - from};
    team_cut(&piece->job, whole, team->cut, from, end);
    const enum tulle_status status = tulle_operator_create(device, &piece->job.options, &piece->op);
    team->count += !status;
    return status;
}

/* Shares are in proportion to the speeds. */
static enum tulle_status make_cut(struct team *team, const struct job *whole, enum team_cut cut,
                                  struct tulle_device *const *devices, const struct speeds *speeds)
{
    const int64_t length = team_length(whole, cut);
    double before = 0, all = 0;
    int64_t from = 0;
    enum tulle_status status = TULLE_OK;
    *team = (struct team){.cut = cut, .pieces = calloc(speeds->count, sizeof *team->pieces)};
    if (!team->pieces)
        return TULLE_OUT_OF_MEMORY;
    for (size_t d = 0; d < speeds->count; d++)
        all += speeds->list[d];
    for (size_t d = 0; !status && d < speeds->count; d++) {
        before += speeds->list[d];
        const int64_t end = end_of_share(length, cut, before, all);
        status = add_piece(team, whole, devices[d], d, from, end);
        from = end > from ? end : from;
    }
    if (status)
        team_free(team);
    return status;
}

static enum tulle_status predict_piece(const struct team_piece *piece, uint64_t *cycles)
{
    struct tulle_operator_info info = {.size = sizeof info};
    const enum tulle_status status = tulle_operator_describe(piece->op, &info);
    *cycles = info.predicted_cycles;
    return status;
}

enum tulle_status team_predict(const struct team *team, uint64_t *cycles)
{
    enum tulle_status status = TULLE_OK;
    *cycles = 0;
    for (size_t i = 0; !status && i < team->count; i++) {
        uint64_t piece;
        status = predict_piece(&team->pieces[i], &piece);
        *cycles = piece > *cycles ? piece : *cycles;
    }
    return status;
}

/* Keeps the better of two; the other one is freed. */
static enum tulle_status keep_better(struct team *best, struct team *other)
{
    uint64_t cycles = UINT64_MAX, others = UINT64_MAX;
    assert(other->count);
    enum tulle_status status = best->count ? team_predict(best, &cycles) : TULLE_OK;
    status = status ? status : team_predict(other, &others);
    if (status || others >= cycles) {
        team_free(other);
        return status;
    }
    team_free(best);
    *best = *other;
    return TULLE_OK;
}

/* Steps in a time, as predicted for a cut; a device that has no piece stays without one. False: the pieces
 * take about the same time as it is. */
static bool learn_speeds(const struct team *team, struct speeds *to)
{
    uint64_t cycles, longest = 0, shortest = UINT64_MAX;
    memset(to->list, 0, to->count * sizeof *to->list);
    for (size_t i = 0; i < team->count; i++) {
        const struct team_piece *piece = &team->pieces[i];
        if (predict_piece(piece, &cycles))
            return false;
        to->list[piece->device] = (double)piece->steps / (double)(cycles ? cycles : 1);
        longest = cycles > longest ? cycles : longest;
        shortest = cycles < shortest ? cycles : shortest;
    }
    return longest - shortest > longest / 8;
}

/* Shares by PEs, and once more by what their predictions say; the better one. */
static enum tulle_status try_cut(struct team *best, const struct job *whole, enum team_cut cut,
                                 struct tulle_device *const *devices, const struct speeds *pes)
{
    struct team first, second;
    struct speeds learnt = {calloc(pes->count, sizeof *learnt.list), pes->count};
    enum tulle_status status = learnt.list ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (!status && !make_cut(&first, whole, cut, devices, pes)) {
        const bool uneven = learn_speeds(&first, &learnt);
        status = keep_better(best, &first);
        if (!status && uneven && !make_cut(&second, whole, cut, devices, &learnt))
            status = keep_better(best, &second);
    }
    free(learnt.list);
    return status;
}

/* The whole job on one device. */
static enum tulle_status try_device(struct team *best, const struct job *whole,
                                    struct tulle_device *const *device, double pes)
{
    struct team alone;
    const enum tulle_status status = make_cut(&alone, whole, TEAM_IMAGES, device, &(struct speeds){&pes, 1});
    return status ? status : keep_better(best, &alone);
}

/* On the device with the most PEs; if nothing has been found and that one refuses it, on any. */
static enum tulle_status try_alone(struct team *best, const struct job *whole,
                                   struct tulle_device *const *devices, const struct speeds *pes)
{
    size_t most = 0;
    for (size_t d = 1; d < pes->count; d++)
        most = pes->list[d] > pes->list[most] ? d : most;
    enum tulle_status status = try_device(best, whole, devices + most, pes->list[most]);
    for (size_t d = 0; status && !best->count && d < pes->count; d++)
        status = try_device(best, whole, devices + d, pes->list[d]);
    return best->count ? TULLE_OK : status;
}

static enum tulle_status count_pes(struct tulle_device *const *devices, struct speeds *to)
{
    enum tulle_status status = TULLE_OK;
    for (size_t d = 0; !status && d < to->count; d++) {
        struct tulle_device_info info = {.size = sizeof info};
        status = tulle_device_describe(devices[d], &info);
        to->list[d] = (double)info.rows * info.clusters * info.pes;
    }
    return status;
}

enum tulle_status team_make(struct team *team, const struct job *whole, struct tulle_device *const *devices,
                            size_t count)
{
    struct speeds pes = {calloc(count, sizeof *pes.list), count};
    enum tulle_status status = pes.list ? count_pes(devices, &pes) : TULLE_OUT_OF_MEMORY;
    *team = (struct team){.pieces = NULL};
    for (int cut = 0; !status && cut < TEAM_CUTS; cut++)
        if (team_length(whole, (enum team_cut)cut) > 1)
            status = try_cut(team, whole, (enum team_cut)cut, devices, &pes);
    status = status ? status : try_alone(team, whole, devices, &pes);
    free(pes.list);
    if (status)
        team_free(team);
    assert(status || team->count);
    return status;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

struct team_call {
    const struct team *team;
    unsigned milliseconds;
    struct tulle_counters *counters;
};

static void add_counters(struct tulle_counters *sum, const struct tulle_counters *more)
{
    const uint64_t longest = sum->cycles > more->cycles ? sum->cycles : more->cycles;
    sum->jobs += more->jobs;
    sum->cycles = longest;
    sum->effective_macs += more->effective_macs;
    sum->scanned += more->scanned;
    sum->pe_busy += more->pe_busy;
    sum->bytes_read += more->bytes_read;
    sum->bytes_written += more->bytes_written;
    sum->bus_beats += more->bus_beats;
    sum->stall_load += more->stall_load;
    sum->stall_weights += more->stall_weights;
    sum->stall_output += more->stall_output;
    sum->stall_store += more->stall_store;
    sum->moved += more->moved;
    sum->bytes_to_device += more->bytes_to_device;
    sum->bytes_from_device += more->bytes_from_device;
}

/* All pieces are started before the first one is waited for. */
static enum tulle_status run_pieces(void *context, const struct job *whole, const void *x, const void *w,
                                    void *to)
{
    const struct team_call *call = context;
    const struct team *team = call->team;
    enum tulle_status status = TULLE_OK;
    struct tulle_run **runs = calloc(team->count, sizeof *runs);
    (void)whole;
    if (!runs)
        return TULLE_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < team->count; i++) {
        struct job_operands operands;
        job_operands(&operands, &team->pieces[i].job, x, w, to);
        status = tulle_start(team->pieces[i].op, &operands.all, &runs[i]);
    }
    for (size_t i = 0; !status && i < team->count; i++) {
        struct tulle_counters counters = {.size = sizeof counters};
        status = tulle_wait(runs[i], call->milliseconds, &counters);
        add_counters(call->counters, &counters);
    }
    for (size_t i = 0; i < team->count; i++)
        tulle_run_free(runs[i]);
    free(runs);
    return status;
}

enum tulle_status team_run(const struct job *whole, const struct team *team, const struct view *x,
                           const struct view *w, const struct view *y, unsigned milliseconds,
                           struct tulle_counters *counters)
{
    struct team_call call = {team, milliseconds, counters};
    return job_run_with(whole, x, w, y, &(struct job_runner){&call, run_pieces});
}
