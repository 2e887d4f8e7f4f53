/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/parts.h"

#include <stdlib.h>
#include <string.h>

#include "host/container/sha256.h"

/* ---- which layers may be in a part ----------------------------------------------------------------- */

/* Its numbers stay as they are, in their order. */
static bool is_view(const struct node *node)
{
    static const char *const types[] = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(node->type, types[i]))
            return node->input_count && node->inputs[0] && !node->inputs[0]->constant &&
                   node->output_count == 1;
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
    if (!is_view(node))
        return is_on_device(o->list, at);
    const size_t from =
        node->inputs[0]->producer ? find(o->list, o->count, node->inputs[0]->producer) : o->count;
    return from < o->count && o->phase[from] == phase;
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
                         .count = count,
                         .place = malloc((count + 1) * sizeof *o.place),
                         .phase = calloc(count + 1, sizeof *o.phase)};
    bool ok = o.place && o.phase;
    for (size_t i = 0; ok && i < count; i++)
        o.place[i] = SIZE_MAX;
    for (unsigned number = 1; ok && o.done < count; number++) {
        const size_t before = o.done;
        place_ready(&o, number);
        place_ready(&o, 0);
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
    size_t *step; /* of layers from the part's first on; SIZE_MAX: none */
};

static bool is_inside(const struct part *part, size_t at)
{
    return at >= part->first && at <= part->last;
}

bool part_sees(const struct part *part, const struct layer *list, size_t at)
{
    return is_inside(part, at) && !list[list[at].folded_into].job && is_view(list[at].node);
}

/* The tensor that a part's layer makes, which the given one is or sees; NULL: it comes from outside. `layer`:
 * which. */
static struct tensor *source_of(const struct building *b, struct tensor *t, size_t *layer)
{
    for (;;) {
        const size_t at = t->producer ? find(b->list, b->count, t->producer) : b->count;
        if (!is_inside(b->part, at))
            return NULL;
        if (!part_sees(b->part, b->list, at)) {
            *layer = b->list[at].folded_into;
            return t;
        }
        t = b->list[at].node->inputs[0];
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

/* The tensor, or what sees it inside of the part, is given to those outside that want it. */
static void add_outputs(struct building *b, size_t at, struct tensor *t, bool wanted)
{
    struct part *p = b->part;
    const struct job *job = b->list[at].job;
    const bool first = !p->output_count || p->outputs[p->output_count - 1].layer != at;
    if (wanted && first)
        p->outputs[p->output_count++] = (struct part_output){.tensor = t,
                                                             .layer = at,
                                                             .output = {.size = sizeof p->outputs->output,
                                                                        .type = job->y.type,
                                                                        .row_stride = job->y.columns,
                                                                        .room = job->y.rows * job->y.columns,
                                                                        .column_stride = 1}};
    else if (wanted)
        p->copies[p->copy_count++] = (struct part_copy){p->output_count - 1, t};
    for (size_t i = p->first; i <= p->last; i++)
        if (part_sees(p, b->list, i) && b->list[i].node->inputs[0] == t)
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

static size_t operand(struct building *b, size_t at, struct tensor *t, const struct job_shape *shape)
{
    size_t layer = 0;
    if (source_of(b, t, &layer))
        return b->step[layer - b->part->first];
    add_input(b, at, t, shape);
    return TULLE_FROM_HOST;
}

/* A sequence always gives the results of its last step. */
static bool is_last_job(const struct building *b, size_t at)
{
    size_t last = b->part->last;
    while (!b->list[last].job)
        last--;
    return last == at;
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
    struct tensor *y = nodes[layer->last]->outputs[0];
    const size_t second = exact_second(layer->node), outputs = p->output_count;
    const struct part_sample *sample = &p->samples[at - p->first];
    struct tulle_step *step = &b->steps[b->count_of_steps];
    struct tulle_operator_options *options = &b->options[b->count_of_steps];
    *options = job->options;
    options->input_density = sample->density;
    *step = (struct tulle_step){.size = sizeof *step, .options = options, .second = TULLE_FROM_HOST};
    if (sample->values) {
        b->samples[b->count_of_steps] = dense_of(&job->x, sample->values);
        step->sample = &b->samples[b->count_of_steps];
    }
    step->input = operand(b, at, nodes[at]->inputs[job->turned ? second : 0], &job->x);
    if (job->options.second)
        step->second = operand(b, at, second_of(layer, nodes[at]), &job->w);
    add_outputs(b, at, y, b->all || is_last_job(b, at) || is_wanted(b, y));
    step->wanted = p->output_count > outputs;
    b->step[at - p->first] = b->count_of_steps++;
}

/* What the operator is made of. */
static void digest_steps(const struct building *b)
{
    struct sha256 sha;
    size_t step = 0;
    sha256_begin(&sha);
    for (size_t i = b->part->first; i <= b->part->last; i++) {
        uint8_t digest[JOB_DIGEST_BYTES];
        if (!b->list[i].job)
            continue;
        const struct tulle_step *s = &b->steps[step++];
        job_digest(b->list[i].job, digest);
        sha256_add(&sha, digest, sizeof digest);
        SHA256_ADD(&sha, (int64_t)s->input, (int64_t)s->second, s->wanted);
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

enum tulle_status part_make(struct part *part, const struct net *net, const struct layer *list, size_t count,
                            struct tulle_device *device, const struct layers_maker *maker, bool all,
                            size_t *failed)
{
    const size_t most = part->last - part->first + 1;
    struct building b = {.part = part, .net = net, .list = list, .count = count, .all = all};
    b.step = malloc(most * sizeof *b.step);
    b.steps = calloc(most, sizeof *b.steps);
    b.options = calloc(most, sizeof *b.options);
    b.samples = calloc(most, sizeof *b.samples);
    part->samples = part->samples ? part->samples : calloc(most, sizeof *part->samples);
    part->inputs = calloc(2 * most, sizeof *part->inputs);
    part->outputs = calloc(most, sizeof *part->outputs);
    part->copies = calloc(most, sizeof *part->copies);
    enum tulle_status status = TULLE_OUT_OF_MEMORY;
    size_t step = 0;
    if (b.step && b.steps && b.options && b.samples && part->samples && part->inputs && part->outputs &&
        part->copies) {
        for (size_t i = part->first; i <= part->last; i++)
            if (list[i].job)
                add_step(&b, i);
        part->layers = b.count_of_steps;
        status = obtain(&b, device, maker, &step);
    }
    for (size_t i = part->first, steps = 0; i <= part->last; i++)
        if (list[i].job && steps++ == step)
            *failed = i;
    struct tulle_operator_info info = {.size = sizeof info};
    if (!status && !tulle_operator_describe(part->op, &info))
        part->predicted = info.predicted_cycles;
    free(b.samples);
    free(b.options);
    free(b.steps);
    free(b.step);
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

static void make_again(struct part *part, const struct net *net, const struct layer *list, size_t count,
                       struct tulle_device *device)
{
    struct part again = {.first = part->first, .last = part->last, .samples = part->samples};
    size_t failed;
    part->samples = NULL;
    if (!part_make(&again, net, list, count, device, &(struct layers_maker){.make = NULL}, false, &failed)) {
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
