/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/parts.h"

#include <stdlib.h>
#include <string.h>

#include "host/container/sha256.h"
#include "host/net/cpu/scaled.h"
#include "host/net/device/pieces.h"

/* ---- which layers may be in a part ----------------------------------------------------------------- */

/* Its numbers stay as they are, in their order. An Identity may be of another scale or type. */
bool part_views(const struct node *node)
{
    static const char *const types[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(node->type, types[i]))
            return node->input_count && node->inputs[0] &&
                   (!node->inputs[0]->constant || node->inputs[0]->held) && node->output_count == 1 &&
                   same_scale(node->inputs[0], node->outputs[0]);
    return false;
}

/* Operators that need the host between the device's steps are jobs of their own. */
static bool may_be_in(const struct layer *layer)
{
    const struct job *job = layer->job;
    return job && !job->finish.factors && !job->copies.count &&
           !(job->options.second && job->options.second->is_row);
}

bool parts_may_join(const struct job *job)
{
    const struct tulle_window *w = job->options.window;
    return job->options.operation == TULLE_CONVOLUTION && w && w->groups <= 1;
}

static bool is_on_device(const struct layer *list, size_t at)
{
    return may_be_in(&list[list[at].folded_into]);
}

/* ---- order ----------------------------------------------------------------------------------------- */

static size_t find(const struct layer *list, size_t count, const struct node *node)
{
    size_t at = 0;
    while (at < count && list[at].node != node)
        at++;
    return at;
}

struct ordering {
    const struct layer *list;
    struct pieces_axes axes;
    size_t count, done;
    size_t *place;   /* of each layer in the new order; SIZE_MAX: none yet */
    unsigned *phase; /* by layers in the order that they had */
};

static bool is_made(const struct ordering *o, const struct tensor *t)
{
    const size_t from = t && t->producer ? find(o->list, o->count, t->producer) : o->count;
    return from == o->count || o->place[from] != SIZE_MAX;
}

static bool is_ready(const struct ordering *o, size_t at)
{
    const struct node *node = o->list[at].node;
    bool ready = o->place[at] == SIZE_MAX && is_made(o, o->list[at].second);
    for (size_t i = 0; ready && i < node->input_count; i++)
        ready = is_made(o, node->inputs[i]);
    return ready;
}

/* A view of what a part of this phase makes is in it. */
static bool belongs(const struct ordering *o, size_t at, unsigned phase)
{
    const struct node *node = o->list[at].node;
    if (!phase)
        return !is_on_device(o->list, at);
    const bool pieces = pieces_any(o->axes, node);
    if (!part_views(node) && !pieces)
        return is_on_device(o->list, at);
    bool all = true;
    for (size_t i = 0; all && i < (pieces_join(o->axes, node) ? node->input_count : 1); i++) {
        const struct node *producer = node->inputs[i]->producer;
        const size_t from = producer ? find(o->list, o->count, producer) : o->count;
        all = from < o->count && o->phase[from] == phase;
    }
    return all;
}

static void place_ready(struct ordering *o, unsigned phase)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < o->count; i++) {
            if (!is_ready(o, i) || !belongs(o, i, phase))
                continue;
            o->place[i] = o->done++;
            o->phase[i] = phase;
            more = true;
        }
    }
}

static bool apply(struct net *net, struct layer *list, const struct ordering *o, unsigned *phase)
{
    struct layer *before = malloc((o->count + 1) * sizeof *before);
    struct node **nodes = malloc((o->count + 1) * sizeof *nodes);
    if (before && nodes) {
        memcpy(before, list, o->count * sizeof *before);
        memcpy(nodes, net->nodes, o->count * sizeof *nodes);
        for (size_t i = 0; i < o->count; i++) {
            const size_t to = o->place[i];
            list[to] = before[i];
            list[to].folded_into = o->place[before[i].folded_into];
            list[to].last = o->place[before[i].last];
            net->nodes[to] = nodes[i];
            phase[to] = o->phase[i];
        }
    }
    const bool ok = before && nodes;
    free(before);
    free(nodes);
    return ok;
}

bool parts_order(struct net *net, struct layer *list, size_t count, unsigned *phase)
{
    struct ordering o = {.list = list,
                         .axes = pieces_axes(list, 0, count),
                         .count = count,
                         .place = malloc((count + 1) * sizeof *o.place),
                         .phase = calloc(count + 1, sizeof *o.phase)};
    bool ok = o.place && o.phase;
    for (size_t i = 0; ok && i < count; i++)
        o.place[i] = SIZE_MAX;
    for (unsigned number = 1; ok && o.done < count; number++) {
        const size_t before = o.done;
        place_ready(&o, 0); /* what the CPU can do already splits no part */
        place_ready(&o, number);
        for (size_t i = 0; o.done == before && i < count; i++) /* in the order that they have */
            o.place[i] = o.done++;
    }
    ok = ok && apply(net, list, &o, phase);
    free(o.place);
    free(o.phase);
    return ok;
}

/* ---- a part's sequence ----------------------------------------------------------------------------- */

struct building {
    struct part *part;
    const struct net *net;
    const struct layer *list;
    size_t count;
    bool all;
    struct tulle_step *steps;
    struct tulle_operator_options *options; /* of steps whose activations were counted */
    struct tulle_matrix *samples;
    size_t count_of_steps;
    uint8_t (*digests)[JOB_DIGEST_BYTES]; /* of layers from the part's first on */
    struct pieces pieces;                 /* areas are layers from the part's first on */
    bool cuts;                            /* there are pieces */
    size_t refused;                       /* a layer that cannot be in the part; SIZE_MAX: none */
};

static bool is_inside(const struct part *part, size_t at)
{
    return at >= part->first && at <= part->last;
}

static bool is_plain_view(const struct part *part, const struct layer *list, size_t at)
{
    return is_inside(part, at) && !list[list[at].folded_into].job && part_views(list[at].node);
}

static bool is_of_pieces(const struct building *b, size_t at)
{
    return is_inside(b->part, at) && !b->list[b->list[at].folded_into].job &&
           pieces_any(b->pieces.axes, b->list[at].node);
}

/* What the tensor is of what the part's layers make. False: it comes from outside. */
static bool locate(const struct building *b, const struct tensor *t, struct pieces_read *read)
{
    *read = (struct pieces_read){.area = PIECES_NONE, .whole = true};
    for (;;) {
        const size_t at = t->producer ? find(b->list, b->count, t->producer) : b->count;
        struct pieces_box box;
        if (!is_inside(b->part, at))
            return false;
        const struct node *node = b->list[at].node;
        const bool slices = is_of_pieces(b, at) && pieces_slice(b->pieces.axes, node, &box);
        if (!slices && !is_plain_view(b->part, b->list, at)) {
            read->area = b->list[at].folded_into - b->part->first;
            return true;
        }
        if (slices && read->whole)
            read->box = box;
        else if (slices) {
            read->box.top += box.top;
            read->box.left += box.left;
        }
        read->whole = read->whole && !slices;
        t = node->inputs[0];
    }
}

/* Whether somebody outside wants the tensor itself. */
static bool is_wanted(const struct building *b, const struct tensor *t)
{
    bool wanted = t->output || t->kept || t->variable;
    for (size_t i = 0; !wanted && i < b->count; i++) {
        const struct node *node = b->list[i].node;
        for (size_t k = 0; k < node->input_count; k++)
            wanted = wanted || (node->inputs[k] == t && !is_inside(b->part, i));
    }
    return wanted;
}

/* Rows and columns of what a layer gives; a Concat has as many of its numbers side by side as a step has that
 * makes a piece. */
static struct job_shape result_of(const struct building *b, size_t at, const struct tensor *t)
{
    if (b->list[at].job)
        return b->list[at].job->y;
    const struct pieces *pieces = &b->pieces;
    const struct pieces_area *area = &pieces->areas[at - b->part->first];
    const struct pieces_step *step = &pieces->steps[area->first];
    const struct job *job = step->copies ? NULL : b->list[step->layer].job;
    const bool last = pieces->axes.rows == 1; /* channels */
    const int64_t pixels = area->box.height * area->box.width, images = t->shape->dim[0].value,
                  channels = t->shape->dim[last ? 3 : 1].value;
    return (struct job_shape){.type = job            ? job->y.type
                                      : step->copies ? pieces->copies[0].options.output_type
                                                     : TULLE_INT8,
                              .rows = images * (last ? pixels : channels),
                              .columns = last ? channels : pixels};
}

/* The tensor, or what sees it inside of the part, is given to those outside that want it. */
static void add_outputs(struct building *b, size_t at, struct tensor *t, bool wanted)
{
    struct part *p = b->part;
    const bool first = !p->output_count || p->outputs[p->output_count - 1].layer != at;
    const struct job_shape y = result_of(b, at, t);
    if (wanted && first)
        p->outputs[p->output_count++] = (struct part_output){.tensor = t,
                                                             .layer = at,
                                                             .output = {.size = sizeof p->outputs->output,
                                                                        .type = y.type,
                                                                        .row_stride = y.columns,
                                                                        .room = y.rows * y.columns,
                                                                        .column_stride = 1}};
    else if (wanted)
        p->copies[p->copy_count++] = (struct part_copy){p->output_count - 1, t};
    for (size_t i = p->first; i <= p->last; i++)
        if (is_plain_view(p, b->list, i) && b->list[i].node->inputs[0] == t)
            add_outputs(b, at, b->list[i].node->outputs[0], is_wanted(b, b->list[i].node->outputs[0]));
}

static struct tulle_matrix dense_of(const struct job_shape *shape, const void *values)
{
    return (struct tulle_matrix){.size = sizeof(struct tulle_matrix),
                                 .format = TULLE_DENSE,
                                 .type = shape->type,
                                 .rows = shape->rows,
                                 .columns = shape->columns,
                                 .values = values};
}

static void add_input(struct building *b, size_t at, struct tensor *t, const struct job_shape *shape)
{
    struct part *p = b->part;
    p->inputs[p->input_count++] =
        (struct part_input){.layer = at, .tensor = t, .matrix = dense_of(shape, NULL)};
}

static struct pieces_read operand(struct building *b, size_t at, struct tensor *t,
                                  const struct job_shape *shape)
{
    struct pieces_read read;
    if (!locate(b, t, &read))
        add_input(b, at, t, shape);
    return read;
}

/* The same of what sees the tensor in another form. */
static bool is_wanted_somehow(const struct building *b, const struct tensor *t)
{
    bool wanted = is_wanted(b, t);
    for (size_t i = b->part->first; !wanted && i <= b->part->last; i++)
        if (is_plain_view(b->part, b->list, i) && b->list[i].node->inputs[0] == t)
            wanted = is_wanted_somehow(b, b->list[i].node->outputs[0]);
    return wanted;
}

static struct tensor *made_by(const struct building *b, size_t at)
{
    return b->net->nodes[b->list[at].last]->outputs[0];
}

static void add_area(struct building *b, size_t at, const struct tensor *t, bool joined)
{
    b->pieces.areas[at - b->part->first] = (struct pieces_area){
        .parent = PIECES_NONE, .box = pieces_whole(b->pieces.axes, t), .joined = joined, .layer = at};
}

/* The first step before with a job of the same digest and the same density; 0: none, else one more. */
static size_t same_step(struct building *b, size_t at)
{
    const struct part *p = b->part;
    uint8_t *digest = b->digests[at - p->first];
    job_digest(b->list[at].job, digest);
    for (size_t i = 0; b->cuts && i < b->count_of_steps; i++) {
        const struct pieces_step *step = &b->pieces.steps[i];
        if (step->copies || memcmp(b->digests[step->layer - p->first], digest, JOB_DIGEST_BYTES) != 0)
            continue;
        p->samples[at - p->first].density = p->samples[step->layer - p->first].density;
        return i + 1;
    }
    return 0;
}

/* What it joins with: of a fold, or the node's own operand. */
static struct tensor *second_of(const struct layer *layer, const struct node *node)
{
    return layer->second ? layer->second : node->inputs[layer->job->turned ? 0 : exact_second(node)];
}

static void add_step(struct building *b, size_t at)
{
    struct part *p = b->part;
    const struct layer *layer = &b->list[at];
    const struct job *job = layer->job;
    struct node *const *nodes = b->net->nodes;
    const size_t second = exact_second(layer->node);
    const struct part_sample *sample = &p->samples[at - p->first];
    struct tulle_step *step = &b->steps[b->count_of_steps];
    struct tulle_operator_options *options = &b->options[b->count_of_steps];
    struct pieces_step *of = &b->pieces.steps[b->count_of_steps];
    *step = (struct tulle_step){.size = sizeof *step, .options = options};
    step->same = same_step(b, at);
    *options = job->options;
    options->input_density = sample->density;
    if (sample->values && !step->same) {
        b->samples[b->count_of_steps] = dense_of(&job->x, sample->values);
        step->sample = &b->samples[b->count_of_steps];
    }
    *of = (struct pieces_step){
        .area = at - p->first, .reads = {{.area = PIECES_NONE}, {.area = PIECES_NONE}}, .layer = at};
    of->reads[0] = operand(b, at, nodes[at]->inputs[job->turned ? second : 0], &job->x);
    if (job->options.second)
        of->reads[1] = operand(b, at, second_of(layer, nodes[at]), &job->w);
    add_area(b, at, made_by(b, at), false);
    b->pieces.step_count = ++b->count_of_steps;
}

/* What is put together: a layer whose results nobody else wants in another place writes into it. */
static bool add_to_join(struct building *b, size_t at, const struct tensor *t, int64_t top, int64_t left)
{
    const struct part *p = b->part;
    struct pieces_read read;
    if (!locate(b, t, &read))
        return false;
    struct pieces_area *area = &b->pieces.areas[read.area];
    if (read.whole && area->parent == PIECES_NONE && area->box.height && !b->all &&
        !is_wanted_somehow(b, made_by(b, area->layer))) {
        area->parent = at - p->first;
        area->box.top = top;
        area->box.left = left;
        return true;
    }
    const bool last = b->pieces.axes.rows == 1;
    const enum tulle_type type = t->type == NET_INT16 || t->type == NET_UINT16 ? TULLE_INT16 : TULLE_INT8;
    if (!pieces_add_copy(&b->pieces, &read, at - p->first, top, left, t->shape->dim[last ? 3 : 1].value, type,
                         &b->steps[b->count_of_steps]))
        return false;
    b->pieces.step_count = ++b->count_of_steps;
    return true;
}

/* A Slice moves nothing, and a Concat only what has a place elsewhere. */
static bool add_pieces(struct building *b, size_t at)
{
    const struct node *node = b->list[at].node;
    struct pieces_read read;
    struct pieces_box box;
    if (pieces_slice(b->pieces.axes, node, &box))
        return locate(b, node->outputs[0], &read) && !is_wanted_somehow(b, node->outputs[0]);
    add_area(b, at, node->outputs[0], true);
    bool ok = true;
    const int64_t rows = node->outputs[0]->shape->dim[b->pieces.axes.rows].value;
    int64_t top = 0, left = 0;
    for (size_t i = 0; ok && i < node->input_count; i++) {
        const struct pieces_box of = pieces_whole(b->pieces.axes, node->inputs[i]);
        ok = add_to_join(b, at, node->inputs[i], top, left);
        if (of.height < rows)
            top += of.height;
        else
            left += of.width;
    }
    return ok;
}

static void add_all(struct building *b)
{
    struct part *p = b->part;
    for (size_t i = p->first; i <= p->last; i++)
        b->cuts = b->cuts || is_of_pieces(b, i);
    for (size_t i = p->first; i <= p->last && b->refused == SIZE_MAX; i++) {
        if (b->list[i].job)
            add_step(b, i);
        else if (is_of_pieces(b, i) && !add_pieces(b, i))
            b->refused = i;
    }
    p->layers = b->count_of_steps - b->pieces.copy_count;
    if (b->refused == SIZE_MAX)
        pieces_finish(&b->pieces, b->steps);
    p->sees_pieces = b->pieces.any;
}

/* A sequence always gives the results of its last step. */
static void add_all_outputs(struct building *b)
{
    struct part *p = b->part;
    struct pieces_box box;
    const size_t last = pieces_root(&b->pieces, b->pieces.steps[b->count_of_steps - 1].area, &box);
    for (size_t i = 0; i < b->count_of_steps; i++) {
        const size_t root = pieces_root(&b->pieces, b->pieces.steps[i].area, &box), outputs = p->output_count;
        const struct pieces_area *area = &b->pieces.areas[root];
        if (area->first != i)
            continue;
        struct tensor *t = made_by(b, area->layer);
        const bool check = b->all && b->list[area->layer].job;
        add_outputs(b, area->layer, t, check || root == last || is_wanted(b, t));
        b->steps[i].wanted = p->output_count > outputs;
    }
}

/* What the operator is made of. */
static void digest_steps(const struct building *b)
{
    struct sha256 sha;
    sha256_begin(&sha);
    for (size_t i = 0; i < b->count_of_steps; i++) {
        const struct tulle_step *s = &b->steps[i];
        const struct pieces_step *of = &b->pieces.steps[i];
        if (!of->copies)
            sha256_add(&sha, b->digests[of->layer - b->part->first], JOB_DIGEST_BYTES);
        SHA256_ADD(&sha, (int64_t)s->input, (int64_t)s->second, s->wanted);
        if (b->pieces.any)
            SHA256_ADD(&sha, (int64_t)s->image, s->image_height, s->image_width, s->top, s->left,
                       s->read_height, s->read_width, s->input_top, s->input_left, s->second_top,
                       s->second_left);
    }
    sha256_end(&sha, b->part->digest);
}

static enum tulle_status obtain(struct building *b, struct tulle_device *device,
                                const struct layers_maker *maker, size_t *step)
{
    struct tulle_operator **op = &b->part->op;
    digest_steps(b);
    return maker->make ? maker->make_part(maker->context, b->part->first, b->part->digest, op)
                       : tulle_sequence_create(device, b->steps, b->count_of_steps, op, step);
}

/* Copies that Concats may take at most. */
static size_t most_copies(const struct building *b)
{
    size_t most = 0;
    for (size_t i = b->part->first; i <= b->part->last; i++)
        most += pieces_join(b->pieces.axes, b->list[i].node) ? b->list[i].node->input_count : 0;
    return most;
}

static bool open_building(struct building *b)
{
    struct part *part = b->part;
    const size_t most = part->last - part->first + 1, copies = most_copies(b);
    b->steps = calloc(most + copies, sizeof *b->steps);
    b->options = calloc(most + copies, sizeof *b->options);
    b->digests = calloc(most, sizeof *b->digests);
    b->samples = calloc(most + copies, sizeof *b->samples);
    part->samples = part->samples ? part->samples : calloc(most, sizeof *part->samples);
    part->inputs = calloc(2 * most, sizeof *part->inputs);
    part->outputs = calloc(most, sizeof *part->outputs);
    part->copies = calloc(most, sizeof *part->copies);
    return pieces_open(&b->pieces, most, most + copies, copies) && b->steps && b->options && b->digests &&
           b->samples && part->samples && part->inputs && part->outputs && part->copies;
}

static void close_building(struct building *b)
{
    free(b->digests);
    free(b->samples);
    free(b->options);
    free(b->steps);
    pieces_close(&b->pieces);
}

enum tulle_status part_make(struct part *part, const struct net *net, const struct layer *list, size_t count,
                            struct tulle_device *device, const struct layers_maker *maker, bool all,
                            size_t *failed)
{
    struct building b = {
        .part = part, .net = net, .list = list, .count = count, .all = all, .refused = SIZE_MAX};
    b.pieces.axes = pieces_axes(list, part->first, part->last + 1);
    b.pieces.area_count = part->last - part->first + 1;
    enum tulle_status status = TULLE_OUT_OF_MEMORY;
    size_t step = 0;
    if (open_building(&b)) {
        add_all(&b);
        status = b.refused == SIZE_MAX ? TULLE_OK : TULLE_UNSUPPORTED;
        if (!status)
            add_all_outputs(&b);
        if (!status)
            status = obtain(&b, device, maker, &step);
    }
    if (b.refused != SIZE_MAX)
        *failed = b.refused;
    else if (step < b.count_of_steps)
        *failed = b.pieces.steps[step].layer;
    struct tulle_operator_info info = {.size = sizeof info};
    if (!status && !tulle_operator_describe(part->op, &info))
        part->predicted = info.predicted_cycles;
    close_building(&b);
    return status;
}

static void drop_samples(struct part *part)
{
    for (size_t i = 0; part->samples && i <= part->last - part->first; i++)
        free(part->samples[i].values);
    free(part->samples);
    part->samples = NULL;
}

void part_free(struct part *part)
{
    tulle_operator_free(part->op);
    for (size_t i = 0; i < part->input_count; i++)
        free(part->inputs[i].copy);
    free(part->inputs);
    free(part->outputs);
    free(part->copies);
    drop_samples(part);
    *part = (struct part){0};
}

/* ---- what it learns from its first run ---------------------------------------------------------------- */

/* Plans for fewer zeros are those for none. */
#define LEAST_TO_LEARN 0.9

bool part_count(struct part *part, const struct layer *list, size_t at, const struct call *c)
{
    const struct job *job = list[at].job;
    if (!job || !job->options.matrix)
        return true;
    struct part_sample *sample = &part->samples[at - part->first];
    const struct view *v = c->in[job->turned ? exact_second(c->node) : 0];
    const size_t bytes = v->count * type_bytes(v->type);
    size_t some = 0;
    for (size_t i = 0; i < v->count; i++)
        some += view_integer(v, i) != job->options.input_zero;
    const double least = 1.0 / 65536; /* 0 says that it is not known */
    sample->density = v->count && some ? (double)some / (double)v->count : v->count ? least : 1;
    sample->values = malloc(bytes + 1);
    if (sample->values)
        memcpy(sample->values, v->data, bytes);
    return sample->values;
}

static bool has_zeros(const struct part *part)
{
    bool has = false;
    for (size_t i = 0; i <= part->last - part->first; i++)
        has = has || (part->samples[i].values && part->samples[i].density < LEAST_TO_LEARN);
    return has;
}

static uint64_t bytes_of(const struct part *part)
{
    struct tulle_operator_info info = {.size = sizeof info};
    return tulle_operator_describe(part->op, &info) ? 0 : info.bytes_read + info.bytes_written;
}

/* Slices were chosen for the bytes that they move. */
static bool may_replace(const struct part *part, const struct part *again)
{
    return !part->sees_pieces || bytes_of(again) <= bytes_of(part);
}

static void make_again(struct part *part, const struct net *net, const struct layer *list, size_t count,
                       struct tulle_device *device)
{
    struct part again = {.first = part->first, .last = part->last, .samples = part->samples};
    size_t failed;
    part->samples = NULL;
    if (!part_make(&again, net, list, count, device, &(struct layers_maker){.make = NULL}, false, &failed) &&
        may_replace(part, &again)) {
        tulle_operator_free(part->op);
        part->op = again.op;
        part->predicted = again.predicted;
        again.op = NULL;
    }
    part_free(&again);
}

void part_learn(struct part *part, const struct net *net, const struct layer *list, size_t count,
                struct tulle_device *device)
{
    part->learns = false;
    if (has_zeros(part))
        make_again(part, net, list, count, device);
    drop_samples(part);
}

struct layers_part layers_part(const struct part *part)
{
    return (struct layers_part){part->first,  part->last,        part->op,
                                part->digest, part->input_count, part->output_count};
}

const struct tensor *layers_part_tensor(const struct part *part, size_t number)
{
    return number < part->input_count ? part->inputs[number].tensor
                                      : part->outputs[number - part->input_count].tensor;
}

bool part_gives(const struct part *part, const struct tensor *tensor)
{
    bool gives = false;
    for (size_t i = 0; i < part->output_count; i++)
        gives = gives || part->outputs[i].tensor == tensor;
    for (size_t i = 0; i < part->copy_count; i++)
        gives = gives || part->copies[i].tensor == tensor;
    return gives;
}

/* ---- runs ------------------------------------------------------------------------------------------ */

bool part_take(struct part *part, size_t at, const struct call *c)
{
    for (size_t i = 0; i < part->input_count; i++) {
        struct part_input *in = &part->inputs[i];
        const struct view *v = NULL;
        for (size_t k = 0; in->layer == at && k < c->inputs && k < KERNEL_OPERANDS; k++)
            if (c->node->inputs[k] == in->tensor)
                v = c->in[k];
        if (!v)
            continue;
        const size_t bytes = v->count * type_bytes(v->type);
        free(in->copy);
        in->copy = malloc(bytes + 1);
        if (!in->copy)
            return false;
        memcpy(in->copy, v->data, bytes);
        in->matrix.values = in->copy;
    }
    return true;
}

enum tulle_status part_run(struct part *part, unsigned milliseconds,
                           void *(*give)(void *context, const struct part_output *output), void *context)
{
    const struct tulle_matrix **inputs = calloc(part->input_count + 1, sizeof *inputs);
    const struct tulle_output **outputs = calloc(part->output_count + 1, sizeof *outputs);
    struct tulle_run *run = NULL;
    enum tulle_status status = inputs && outputs ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < part->input_count; i++)
        inputs[i] = &part->inputs[i].matrix;
    for (size_t i = 0; !status && i < part->output_count; i++) {
        part->outputs[i].output.values = give(context, &part->outputs[i]);
        outputs[i] = &part->outputs[i].output;
    }
    part->counters = (struct tulle_counters){.size = sizeof part->counters};
    if (!status)
        status = tulle_sequence_start(part->op, inputs, part->input_count, outputs, part->output_count, &run);
    if (!status)
        status = tulle_wait(run, milliseconds, &part->counters);
    tulle_run_free(run);
    free(inputs);
    free(outputs);
    return status;
}
