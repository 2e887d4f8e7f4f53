/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/device/layers.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/device/parts.h"
#include "host/net/device/pieces.h"
#include "host/net/graph/function.h"

struct layers {
    struct net *net;
    struct tulle_device *device;
    struct layers_options options;
    struct layer *list; /* one for each node */
    size_t count;
    struct part *parts;
    size_t part_count;
    struct offer offer;
    struct run *run; /* that was offered last */
    struct layers_check check;
    enum tulle_status status;
};

/* ---- which nodes, and how ------------------------------------------------------------------------ */

struct making {
    struct layers *layers;
    struct diag *diag;
    struct layer *layer;
    unsigned data_bytes;
    size_t operand; /* of a node that may be folded */
    bool made;
};

static bool fail(struct diag *diag, const struct net *net, const char *what)
{
    diag_error(diag, (struct place){.file = net->source[0].path}, "%s", what);
    return false;
}

static bool give_reason(struct layer *layer, const char *text)
{
    layer->reason = strdup(text);
    return layer->reason != NULL;
}

/* Whether a status says that the device is fine and does not have the operator. */
static bool is_reason(const struct layers *layers, enum tulle_status status)
{
    if (layers->options.maker.make)
        return status == TULLE_UNSUPPORTED;
    return status == TULLE_UNSUPPORTED || status == TULLE_INVALID_MATRIX || status == TULLE_RANGE ||
           status == TULLE_INVALID_ARGUMENT || status == TULLE_DEVICE_MEMORY;
}

static bool take_job(void *context, const struct exact *what)
{
    struct making *m = context;
    struct layer *layer = m->layer;
    layer->job = calloc(1, sizeof *layer->job);
    m->made = layer->job && job_make(layer->job, what, m->data_bytes);
    return layer->job && (m->made || give_reason(layer, layer->job->reason));
}

static void drop_job(struct layer *layer)
{
    if (layer->job)
        job_free(layer->job);
    free(layer->job);
    layer->job = NULL;
}

static bool take_fold(void *context, const struct exact *what)
{
    struct making *m = context;
    return job_fold(m->layer->job, what, m->operand == 0);
}

static bool may(const struct layers *layers, size_t at)
{
    const struct layers_placer *placer = &layers->options.placer;
    return !placer->may || placer->may(placer->context, layers->list[at].node);
}

/* The only node that reads the result, which nothing else wants, and the number of its operand; 0: there is
 * none. */
static size_t only_reader(const struct layers *layers, size_t at, size_t *operand)
{
    const struct node *node = layers->list[at].node;
    const struct tensor *t = node->output_count == 1 ? node->outputs[0] : NULL;
    if (!t || t->output || t->users != 1)
        return 0;
    for (size_t i = at + 1; i < layers->count; i++)
        for (*operand = 0; *operand < layers->list[i].node->input_count; ++*operand)
            if (layers->list[i].node->inputs[*operand] == t)
                return i;
    return 0;
}

/* Whether the tensor has its value before node `at` runs. */
static bool is_there(const struct layers *layers, const struct tensor *t, size_t at)
{
    bool there = !t->producer;
    for (size_t i = 0; !there && i < at; i++)
        there = layers->list[i].node == t->producer;
    return there;
}

/* Whether no layer reads or makes pieces of images: a convolution joins with what lies as its results do. */
static bool is_whole(const struct making *m)
{
    const struct net *net = m->layers->net;
    const struct pieces_axes axes = pieces_axes(m->layer, 0, 1);
    bool whole = true;
    for (size_t i = 0; whole && i < net->node_count; i++)
        whole = !pieces_any(axes, net->nodes[i]);
    return whole;
}

/* Folds nodes behind layer `at` into its job, at most so many. */
static void fold_readers(struct making *m, struct run *run, size_t at, size_t most)
{
    struct layer *list = m->layers->list;
    const struct taker taker = {m, take_fold};
    for (size_t last = at, next; most--; last = next) {
        next = only_reader(m->layers, last, &m->operand);
        if (!next)
            return;
        struct strbuf why = {0};
        struct tensor *second = exact_other(list[next].node, m->operand);
        if (second && m->layers->options.fused && !(parts_may_join(m->layer->job) && is_whole(m)))
            return; /* the join is an operator of its own */
        const bool ok = may(m->layers, next) && (!second || is_there(m->layers, second, at)) &&
                        run_describe(run, m->layers->net->nodes[next], &taker, &why);
        sb_free(&why);
        if (!ok)
            return;
        list[next].folded_into = at;
        list[next].operand = m->operand;
        list[at].second = second ? second : list[at].second;
        list[at].last = next;
        list[at].folds++;
    }
}

static void unfold(struct layers *layers, size_t at)
{
    for (size_t i = at + 1; i <= layers->list[at].last; i++)
        if (layers->list[i].folded_into == at)
            layers->list[i].folded_into = i;
    layers->list[at].last = at;
    layers->list[at].folds = 0;
    layers->list[at].second = NULL;
}

/* The job of a node; without one there is a reason. False after an error. */
static bool make_job(struct making *m, struct run *run, size_t at)
{
    const struct node *node = m->layer->node;
    struct function_node function;
    struct strbuf why = {0};
    m->made = false;
    if (!may(m->layers, at))
        sb_add(&why, "it is marked for another processor");
    else if (function_of(m->layers->net, node, &function))
        sb_add(&why, "it has a function of its own");
    bool ok = why.len || run_describe(run, m->layers->net->nodes[at], &(struct taker){m, take_job}, &why);
    if (why.len && !m->made)
        ok = give_reason(m->layer, sb_text(&why));
    sb_free(&why);
    if (ok && !m->made)
        drop_job(m->layer);
    return ok || fail(m->diag, m->layers->net, "out of memory");
}

/* The operators of the layer's job on all devices of the team. */
static enum tulle_status obtain_team(const struct layers *layers, struct layer *layer, const char **why)
{
    const struct layers_options *o = &layers->options;
    layer->team = calloc(1, sizeof *layer->team);
    const enum tulle_status status =
        layer->team ? team_make(layer->team, layer->job, o->team, o->team_count) : TULLE_OUT_OF_MEMORY;
    *why = tulle_message();
    if (!status) {
        layer->op = layer->team->pieces[0].op;
        return status;
    }
    free(layer->team);
    layer->team = NULL;
    return status;
}

static void drop_operator(struct layer *layer)
{
    if (layer->team)
        team_free(layer->team);
    else
        tulle_operator_free(layer->op);
    free(layer->team);
    layer->team = NULL;
    layer->op = NULL;
}

/* The operator of the layer's job, or why there is none. */
static enum tulle_status obtain(const struct layers *layers, size_t at, const char **why)
{
    const struct layers_maker *maker = &layers->options.maker;
    struct layer *layer = &layers->list[at];
    job_digest(layer->job, layer->digest);
    if (maker->make)
        return maker->make(maker->context, at, layer->digest, &layer->op, why);
    if (layers->options.team_count)
        return obtain_team(layers, layer, why);
    const enum tulle_status status = tulle_operator_create(layers->device, &layer->job->options, &layer->op);
    *why = tulle_message();
    return status;
}

/* An operator for the node, and for at most so many behind it. Without one there is a reason. */
static bool make_operator(struct making *m, struct run *run, size_t at, size_t folds)
{
    struct layer *layer = m->layer;
    if (!make_job(m, run, at))
        return false;
    if (!m->made)
        return true;
    fold_readers(m, run, at, folds);
    const char *why = "";
    const enum tulle_status status = obtain(m->layers, at, &why);
    if (!status) {
        layer->needs = job_needs(layer->job, m->data_bytes);
        job_settle(layer->job);
        return true;
    }
    const size_t folded = layer->folds;
    unfold(m->layers, at);
    drop_job(layer);
    if (!is_reason(m->layers, status)) {
        m->layers->status = status;
        node_error(m->layers->net, layer->node, "%s", tulle_message());
        return false;
    }
    return folded ? make_operator(m, run, at, folded - 1) : give_reason(layer, why);
}

static bool make_layer(struct making *m, struct run *run, size_t at)
{
    m->layer = &m->layers->list[at];
    return m->layer->folded_into != at ||
           make_operator(m, run, at, m->layers->options.apart ? 0 : m->layers->count);
}

/* ---- parts --------------------------------------------------------------------------------------- */

/* Jobs without operators, so that neighbours can be found. */
static bool make_jobs(struct making *m, struct run *run)
{
    struct layers *layers = m->layers;
    bool ok = true;
    for (size_t i = 0; ok && i < layers->count; i++) {
        m->layer = &layers->list[i];
        if (m->layer->folded_into != i)
            continue;
        ok = make_job(m, run, i);
        if (ok && m->made && !layers->options.apart)
            fold_readers(m, run, i, layers->count);
    }
    return ok;
}

/* A layer outside of parts: a job of its own, or on the CPU. */
static bool make_alone(struct making *m, struct run *run, size_t at)
{
    struct layer *layer = &m->layers->list[at];
    /* What was folded into a layer that could not be made with it has neither a job nor a reason. */
    if (!layer->job && (layer->reason || layer->folded_into != at))
        return true;
    unfold(m->layers, at);
    drop_job(layer);
    return make_layer(m, run, at);
}

static bool make_each_alone(struct making *m, struct run *run, size_t first, size_t end)
{
    bool ok = true;
    for (size_t i = first; ok && i < end; i++)
        ok = make_alone(m, run, i);
    return ok;
}

static size_t jobs_in(const struct layers *layers, size_t first, size_t end)
{
    size_t jobs = 0;
    for (size_t i = first; i < end; i++)
        jobs += layers->list[i].job != NULL;
    return jobs;
}

/* What operators are made of is kept while they may be made again. */
static void settle_part(struct layers *layers, const struct part *part)
{
    for (size_t i = part->first; !part->learns && i <= part->last; i++)
        if (layers->list[i].job)
            job_settle(layers->list[i].job);
}

static void take_layers(struct making *m, struct part *part)
{
    for (size_t i = part->first; i <= part->last; i++) {
        struct layer *layer = &m->layers->list[i];
        layer->part = part;
        if (layer->job)
            layer->needs = job_needs(layer->job, m->data_bytes);
    }
    part->learns = !m->layers->options.maker.make && !m->layers->options.check;
    settle_part(m->layers, part);
}

enum making_part { PART_MADE, PART_SPLIT, PART_FAILED };

/* Layers first .. end - 1 as one part. PART_SPLIT: layer *failed cannot be in it. */
static enum making_part try_part(struct making *m, size_t first, size_t end, size_t *failed)
{
    struct layers *layers = m->layers;
    const struct layers_maker *maker = &layers->options.maker; /* gives what it was made to give */
    struct part *part = &layers->parts[layers->part_count];
    *part = (struct part){.first = first, .last = end - 1};
    *failed = first;
    const enum tulle_status status = part_make(part, layers->net, layers->list, layers->count, layers->device,
                                               maker, layers->options.check && !maker->make, failed);
    if (!status) {
        layers->part_count++;
        take_layers(m, part);
        return PART_MADE;
    }
    part_free(part);
    if (is_reason(layers, status))
        return PART_SPLIT;
    layers->status = status;
    node_error(layers->net, layers->list[*failed].node, "%s", tulle_message());
    return PART_FAILED;
}

/* Parts that are there already. */
static bool take_parts(struct making *m, struct run *run, size_t first, size_t end)
{
    const struct layers_maker *maker = &m->layers->options.maker;
    bool ok = true;
    for (size_t next, failed; ok && first < end; first = next) {
        const size_t last = maker->part_end(maker->context, first);
        next = last < end && last > first ? last + 1 : first + 1;
        const enum making_part made =
            jobs_in(m->layers, first, next) < 2 ? PART_SPLIT : try_part(m, first, next, &failed);
        ok = made == PART_MADE || (made == PART_SPLIT && make_each_alone(m, run, first, next));
    }
    return ok;
}

/* Layers first .. end - 1, which stand together, as one part; or the layer that cannot be in it alone, and
 * what is before and behind it. */
static bool make_part(struct making *m, struct run *run, size_t first, size_t end)
{
    struct layers *layers = m->layers;
    size_t failed;
    if (layers->options.maker.make)
        return take_parts(m, run, first, end);
    if (jobs_in(layers, first, end) < 2)
        return make_each_alone(m, run, first, end);
    const enum making_part made = try_part(m, first, end, &failed);
    if (made != PART_SPLIT)
        return made == PART_MADE;
    const size_t behind = layers->list[failed].last + 1;
    return make_part(m, run, first, failed) && make_each_alone(m, run, failed, behind) &&
           make_part(m, run, behind, end);
}

static bool make_parts(struct making *m, struct run *run)
{
    struct layers *layers = m->layers;
    unsigned *phase = calloc(layers->count + 1, sizeof *phase);
    layers->parts = calloc(layers->count + 1, sizeof *layers->parts);
    bool ok = phase && layers->parts && make_jobs(m, run) &&
              parts_order(layers->net, layers->list, layers->count, phase);
    for (size_t first = 0, end; ok && first < layers->count; first = end) {
        for (end = first + 1; end < layers->count && phase[end] == phase[first]; end++)
            ;
        ok = phase[first] ? make_part(m, run, first, end) : make_each_alone(m, run, first, end);
    }
    free(phase);
    return ok;
}

static bool make_all(struct making *m)
{
    struct layers *layers = m->layers;
    struct run *run = run_new(layers->net, m->diag);
    bool ok = run != NULL;
    if (ok && layers->options.fused)
        ok = make_parts(m, run);
    else
        for (size_t i = 0; ok && i < layers->count; i++)
            ok = make_layer(m, run, i);
    run_free(run);
    return ok;
}

/* ---- runs ---------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct view *v)
{
    return v->count * type_bytes(v->type);
}

static enum offered device_fails(struct layers *layers, const struct call *c, enum tulle_status status)
{
    layers->status = status;
    if (status == TULLE_OUT_OF_MEMORY)
        kernel_no_memory(c);
    else
        kernel_fails(c, "%s", tulle_message());
    return OFFER_FAILED;
}

static enum offered run_layer(struct layers *layers, struct layer *layer, const struct call *c, void *to)
{
    struct view y = *c->out[0], second;
    y.data = to;
    if (layer->second && !run_get(layers->run, layer->second, &second)) {
        kernel_fails(c, "\"%.60s\" has no value", layer->second->name);
        return OFFER_FAILED;
    }
    const struct layers_watcher *watcher = &layers->options.watcher;
    const size_t w = exact_second(c->node);
    if (watcher->begins)
        watcher->begins(watcher->context, layer->node);
    layer->counters = (struct tulle_counters){.size = sizeof layer->counters};
    const struct view *other = layer->second ? &second : c->in[w];
    const unsigned milliseconds = layers->options.milliseconds;
    const enum tulle_status status =
        layer->team ? team_run(layer->job, layer->team, c->in[0], other, &y, milliseconds, &layer->counters)
                    : job_run(layer->job, layer->op, c->in[0], other, &y, milliseconds, &layer->counters);
    return status ? device_fails(layers, c, status) : OFFER_DONE;
}

static void compare(struct layers *layers, const struct layer *layer, const struct view *cpu, void *results)
{
    struct layers_check *check = &layers->check;
    struct view device = *cpu;
    device.data = results;
    check->layers++;
    check->elements += cpu->count;
    for (size_t i = 0; i < cpu->count; i++) {
        const int64_t a = view_integer(&device, i), b = view_integer(cpu, i);
        if (a == b)
            continue;
        if (!check->first) {
            check->first = layer->node;
            check->element = i;
            check->device = a;
            check->cpu = b;
        }
        check->differ++;
    }
}

/* On both. The device's results are compared once the CPU has those of the last node. */
static enum offered run_twice(struct layers *layers, size_t at, const struct call *c, node_kernel *kernel)
{
    struct layer *layer = &layers->list[layers->list[at].folded_into];
    if (!layer->op)
        return OFFER_LEFT;
    if (layer == &layers->list[at]) {
        free(layer->results);
        layer->results = malloc(bytes_of(c->out[0]) + 1);
        if (!layer->results) {
            kernel_no_memory(c);
            return OFFER_FAILED;
        }
        if (run_layer(layers, layer, c, layer->results) == OFFER_FAILED)
            return OFFER_FAILED;
    }
    if (!kernel(c))
        return OFFER_FAILED;
    if (layer->last == at)
        compare(layers, layer, c->out[0], layer->results);
    return OFFER_DONE;
}

/* ---- runs of parts ------------------------------------------------------------------------------- */

static void *give_value(void *context, const struct part_output *output)
{
    struct layers *layers = context;
    struct view view = {.data = NULL};
    return run_get(layers->run, output->tensor, &view) ? view.data : NULL;
}

static void copy_views(struct layers *layers, const struct part *part)
{
    for (size_t i = 0; i < part->copy_count; i++) {
        struct view from, to;
        if (run_get(layers->run, part->outputs[part->copies[i].output].tensor, &from) &&
            run_get(layers->run, part->copies[i].tensor, &to))
            memcpy(to.data, from.data, bytes_of(&from));
    }
}

/* Results of the device, beside those of the CPU, which each layer has kept. */
static void *give_room(void *context, const struct part_output *output)
{
    const struct layers *layers = context;
    const struct layer *layer = &layers->list[output->layer];
    return (uint8_t *)layer->results + bytes_of(&layer->kept);
}

static bool keep_result(struct layer *layer, const struct view *cpu)
{
    free(layer->results);
    layer->kept = *cpu;
    layer->results = calloc(2, bytes_of(cpu) + 1);
    if (layer->results)
        memcpy(layer->results, cpu->data, bytes_of(cpu));
    layer->kept.data = layer->results;
    return layer->results != NULL;
}

static enum offered check_part(struct layers *layers, struct part *part, size_t at, const struct call *c,
                               node_kernel *kernel)
{
    struct layer *layer = &layers->list[layers->list[at].folded_into];
    if (!kernel(c))
        return OFFER_FAILED;
    if (layer->last == at && !keep_result(layer, c->out[0]))
        return device_fails(layers, c, TULLE_OUT_OF_MEMORY);
    if (at != part->last)
        return OFFER_DONE;
    const enum tulle_status status = part_run(part, layers->options.milliseconds, give_room, layers);
    if (status)
        return device_fails(layers, c, status);
    for (size_t i = 0; i < part->output_count; i++) {
        const struct layer *of = &layers->list[part->outputs[i].layer];
        compare(layers, of, &of->kept, part->outputs[i].output.values);
    }
    return OFFER_DONE;
}

/* The CPU computes a part once as well: what its layers give each other stays on the device. */
static enum offered learn_part(struct layers *layers, struct part *part, size_t at, const struct call *c,
                               node_kernel *kernel)
{
    if (!part_count(part, layers->list, at, c))
        return device_fails(layers, c, TULLE_OUT_OF_MEMORY);
    if (!kernel(c))
        return OFFER_FAILED;
    if (at != part->last)
        return OFFER_DONE;
    part_learn(part, layers->net, layers->list, layers->count, layers->device);
    settle_part(layers, part);
    return OFFER_DONE;
}

/* The part runs when its last node would. */
static enum offered take_part(struct layers *layers, struct part *part, size_t at, const struct call *c,
                              node_kernel *kernel)
{
    const struct layers_watcher *watcher = &layers->options.watcher;
    if (layers->list[at].job && !part_take(part, at, c))
        return device_fails(layers, c, TULLE_OUT_OF_MEMORY);
    if (watcher->begins && at == part->first)
        watcher->begins(watcher->context, layers->list[at].node);
    if (part->learns && learn_part(layers, part, at, c, kernel) == OFFER_FAILED)
        return OFFER_FAILED;
    if (layers->options.check)
        return check_part(layers, part, at, c, kernel);
    if (at != part->last)
        return OFFER_DONE;
    const enum tulle_status status = part_run(part, layers->options.milliseconds, give_value, layers);
    if (status)
        return device_fails(layers, c, status);
    copy_views(layers, part);
    return OFFER_DONE;
}

static enum offered take(void *context, const struct call *c, node_kernel *kernel)
{
    struct layers *layers = context;
    size_t at = 0;
    while (at < layers->count && layers->list[at].node != c->node)
        at++;
    if (at == layers->count)
        return OFFER_LEFT;
    struct layer *layer = &layers->list[at];
    if (layer->part)
        return take_part(layers, layer->part, at, c, kernel);
    if (layers->options.check)
        return run_twice(layers, at, c, kernel);
    if (layer->folded_into != at) {
        memcpy(c->out[0]->data, c->in[layer->operand]->data, bytes_of(c->out[0]));
        return OFFER_DONE;
    }
    return layer->op ? run_layer(layers, layer, c, c->out[0]->data) : OFFER_LEFT;
}

void layers_offer(struct layers *layers, struct run *run)
{
    layers->status = TULLE_OK;
    layers->run = run;
    run_offer(run, &layers->offer);
}

/* ---- all of them --------------------------------------------------------------------------------- */

struct layers *layers_new(struct net *net, struct tulle_device *device, const struct layers_options *options,
                          enum tulle_status *status, struct diag *diag)
{
    struct tulle_device_info info = {.size = sizeof info};
    struct layers *layers = calloc(1, sizeof *layers);
    struct layer *list = calloc(net->node_count + 1, sizeof *list);
    if (!layers || !list || tulle_device_describe(device, &info)) {
        free(layers);
        free(list);
        fail(diag, net, "out of memory");
        *status = TULLE_OUT_OF_MEMORY;
        return NULL;
    }
    *layers = (struct layers){.net = net,
                              .device = device,
                              .options = *options,
                              .list = list,
                              .count = net->node_count,
                              .offer = {layers, take}};
    for (size_t i = 0; i < layers->count; i++)
        list[i] = (struct layer){.node = net->nodes[i], .folded_into = i, .last = i};
    struct making m = {.layers = layers, .diag = diag, .data_bytes = info.data_bytes};
    if (make_all(&m))
        return layers;
    *status = layers->status ? layers->status : TULLE_OUT_OF_MEMORY;
    layers_free(layers);
    return NULL;
}

bool layers_leave(struct layers *layers, size_t at, const char *reason)
{
    struct layer *list = layers->list;
    const size_t last = list[at].last;
    bool ok = true;
    for (size_t i = at; ok && i <= last; i++)
        if (list[i].folded_into == at) {
            free(list[i].reason);
            ok = give_reason(&list[i], reason);
        }
    unfold(layers, at);
    drop_operator(&list[at]);
    list[at].counters = (struct tulle_counters){.size = 0};
    drop_job(&list[at]);
    return ok;
}

void layers_free(struct layers *layers)
{
    if (!layers)
        return;
    for (size_t i = 0; i < layers->part_count; i++)
        part_free(&layers->parts[i]);
    free(layers->parts);
    for (size_t i = 0; i < layers->count; i++) {
        struct layer *layer = &layers->list[i];
        drop_operator(layer);
        drop_job(layer);
        free(layer->results);
        free(layer->reason);
    }
    free(layers->list);
    free(layers);
}

enum tulle_status layers_status(const struct layers *layers)
{
    return layers->status;
}

bool layers_give(const void *of, const struct tensor *tensor)
{
    const struct layers *layers = of;
    size_t at = 0;
    while (at < layers->count && layers->list[at].node != tensor->producer)
        at++;
    if (at == layers->count || layers->list[layers->list[at].folded_into].last != at)
        return false;
    return !layers->list[at].part || part_gives(layers->list[at].part, tensor);
}

enum tulle_status layer_predict(const struct layer *layer, uint64_t *cycles)
{
    struct tulle_operator_info info = {.size = sizeof info};
    if (layer->team)
        return team_predict(layer->team, cycles);
    const enum tulle_status status = tulle_operator_describe(layer->op, &info);
    *cycles = info.predicted_cycles;
    return status;
}

size_t layers_nodes(const struct layers *layers)
{
    size_t nodes = 0;
    for (size_t i = 0; i < layers->count; i++)
        nodes += layers->list[i].op != NULL || layers->list[i].folded_into != i || layers->list[i].part;
    return nodes;
}

const struct layer *layers_list(const struct layers *layers, size_t *count)
{
    *count = layers->count;
    return layers->list;
}

bool layers_fused(const struct layers *layers)
{
    return layers->options.fused;
}

const struct part *layers_part_from(const struct layers *layers, size_t first)
{
    for (size_t i = 0; i < layers->part_count; i++)
        if (layers->parts[i].first == first)
            return &layers->parts[i];
    return NULL;
}

const struct part *layers_parts(const struct layers *layers, size_t *count)
{
    *count = layers->part_count;
    return layers->parts;
}

const struct layers_check *layers_checked(const struct layers *layers)
{
    return &layers->check;
}
