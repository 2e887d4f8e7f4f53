/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/place/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/device/parts.h"
#include "host/net/place/copies.h"
#include "host/net/place/joined.h"

/* Arithmetic of a host that is always busy: multiplications in a second, as its fastest kernels do them. */
#define HOST_RATE 2.0e10

const char *place_node_name(const struct node *node)
{
    return *node->name || !node->output_count ? node->name : node->outputs[0]->name;
}

/* ---- marks --------------------------------------------------------------------------------------- */

/* The mark of a node; NULL: it has none. */
static const struct place_mark *mark_of(const struct place_network_options *o, const struct node *node)
{
    for (size_t i = 0; i < o->mark_count; i++)
        if (!strcmp(o->marks[i].node, place_node_name(node)))
            return &o->marks[i];
    return NULL;
}

bool place_may(const struct place_network_options *o, const struct node *node, size_t processor)
{
    const struct place_mark *mark = mark_of(o, node);
    return !mark || mark->processor == processor;
}

/* A marked node has one candidate: the processor that is marked, or the host if that cannot run it. */
static void heed_mark(struct place_network *n, size_t at)
{
    struct place_operation *op = &n->problem.operations[at];
    const struct place_mark *mark = mark_of(n->options, n->net->nodes[at]);
    if (!mark)
        return;
    const size_t chosen = mark->processor < n->problem.processors && isfinite(op->on[mark->processor].run)
                              ? mark->processor
                              : PLACE_HOST;
    for (size_t q = 0; q < n->problem.processors; q++) {
        if (q == chosen)
            continue;
        op->on[q].run = INFINITY;
        op->on[q].why = op->on[q].why ? op->on[q].why : "it is marked for another processor";
    }
}

static bool check_marks(const struct place_network *n, struct diag *diag)
{
    for (size_t i = 0; i < n->options->mark_count; i++) {
        const struct place_mark *mark = &n->options->marks[i];
        size_t at = 0;
        while (at < n->net->node_count && strcmp(place_node_name(n->net->nodes[at]), mark->node) != 0)
            at++;
        if (at == n->net->node_count || mark->processor >= n->problem.processors) {
            diag_error(diag, (struct place){.file = n->net->source[0].path},
                       at == n->net->node_count
                           ? "a mark of \"%.60s\" for processor %zu: the network has no such node"
                           : "a mark of \"%.60s\" for processor %zu: there is no such processor",
                       mark->node, mark->processor);
            return false;
        }
    }
    return true;
}

/* ---- candidates ---------------------------------------------------------------------------------- */

/* How much more than a multiplication an operation of this kind is worth to be rid of. */
static double kind_weight(const struct node *node)
{
    static const char *const functions[] = {"Softmax", "Sigmoid",   "Tanh",      "Exp",
                                            "Elu",     "HardSwish", "LogSoftmax"};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcmp(functions[i], node->type))
            return 8;
    return node->multiplications.term || node->multiplications.value ? 1 : 0.25;
}

/* All that the node gives is a list of sizes, or another short list of whole numbers. */
static bool is_scalar(const struct node *node)
{
    bool scalar = node->output_count > 0;
    for (size_t i = 0; i < node->output_count; i++)
        scalar = scalar && (!node->outputs[i] || node->outputs[i]->few_known);
    return scalar;
}

static double bytes_to(const struct job *job)
{
    double second = 0;
    if (job->options.second) /* a row, or as many as there are results */
        second = job->w.rows ? (double)job_shape_bytes(&job->w) : (double)job_shape_bytes(&job->y);
    return (double)job_shape_bytes(&job->x) + second;
}

static double copy_seconds(const struct place_device *device, const struct place_library *library,
                           bool to_device, double bytes)
{
    struct place_time time;
    if (!bytes)
        return 0;
    if (device->copies && place_copy_time(library, device->copies, to_device, bytes, &time))
        return time.seconds;
    return device->byte * bytes;
}

double place_copies(const struct place_device *device, const struct place_library *library, double to_device,
                    double from_device)
{
    return copy_seconds(device, library, true, to_device) + copy_seconds(device, library, false, from_device);
}

double place_job_copies(const struct place_network *n, const struct place_device *device,
                        const struct job *job)
{
    return device->job +
           place_copies(device, n->options->library, bytes_to(job), (double)job_shape_bytes(&job->y));
}

/* Pieces of a layer are copied and started one after another. */
static double layer_copies(const struct place_network *n, const struct place_device *device,
                           const struct layer *layer)
{
    double seconds = layer->team ? 0 : place_job_copies(n, device, layer->job);
    for (size_t i = 0; layer->team && i < layer->team->count; i++)
        seconds += place_job_copies(n, device, &layer->team->pieces[i].job);
    return seconds;
}

static bool set_device(struct place_network *n, size_t at, size_t processor, struct diag *diag)
{
    const struct place_device *d = &n->devices[processor - 1];
    struct place_candidate *on = &n->problem.operations[at].on[processor];
    size_t count;
    const struct layer *layer = &layers_list(d->layers, &count)[at];
    uint64_t cycles;
    *on = (struct place_candidate){.run = INFINITY, .why = layer->reason};
    if (layer->folded_into != at) {
        n->problem.links[n->problem.link_count++] = (struct place_link){layer->folded_into, at, processor};
        on->run = 0;
        on->why = NULL;
        return true;
    }
    if (!layer->op)
        return true;
    if (layer_predict(layer, &cycles)) {
        diag_error(diag, (struct place){.file = n->net->source[0].path}, "%s", tulle_message());
        return false;
    }
    on->run = (double)cycles / d->hertz;
    on->copy = layer_copies(n, d, layer);
    on->why = NULL;
    return true;
}

static bool set_operation(struct place_network *n, size_t at, struct diag *diag)
{
    const struct node *node = n->net->nodes[at];
    struct place_operation *op = &n->problem.operations[at];
    struct place_features what;
    const bool known = place_features(node, &what);
    *op = (struct place_operation){
        .name = place_node_name(node), .type = node->type, .scalar = is_scalar(node)};
    n->host[at] = known ? place_library_time(n->options->library, &what) : (struct place_time){.error = 1};
    if (!strcmp(node->type, "Constant"))
        n->host[at] = (struct place_time){.seconds = 0};
    op->on[PLACE_HOST] = (struct place_candidate){.run = n->host[at].seconds};
    op->complexity = known ? kind_weight(node) * what.work / HOST_RATE : 0;
    bool ok = true;
    for (size_t q = 1; ok && q < n->problem.processors; q++)
        ok = set_device(n, at, q, diag);
    heed_mark(n, at);
    return ok;
}

/* ---- values -------------------------------------------------------------------------------------- */

static size_t number_of(const struct net *net, const struct node *node)
{
    size_t at = 0;
    while (at < net->node_count && net->nodes[at] != node)
        at++;
    return at < net->node_count ? at : PLACE_NOWHERE;
}

/* Where a tensor's value is; a new one for one that was not seen. NULL: it is a constant. */
static struct place_value *value_of(struct place_network *n, const struct tensor *t)
{
    const size_t producer = t->producer ? number_of(n->net, t->producer) : PLACE_NOWHERE;
    double bytes = 0;
    if (t->constant || (producer == PLACE_NOWHERE && !t->input))
        return NULL;
    const size_t at = producer == PLACE_NOWHERE ? n->net->node_count : producer;
    struct place_value *v = &n->problem.values[at];
    v->producer = producer;
    v->wanted = v->wanted || t->output;
    v->bytes = place_bytes(t, &bytes) && bytes > v->bytes ? bytes : v->bytes;
    return v;
}

static bool set_values(struct place_network *n)
{
    bool ok = true;
    for (size_t i = 0; i <= n->net->node_count; i++)
        n->problem.values[i].producer = i < n->net->node_count ? i : PLACE_NOWHERE;
    for (size_t i = 0; ok && i < n->net->node_count; i++) {
        const struct node *node = n->net->nodes[i];
        for (size_t k = 0; k < node->output_count; k++)
            if (node->outputs[k])
                (void)value_of(n, node->outputs[k]);
        for (size_t k = 0; ok && k < node->input_count; k++) {
            struct place_value *v = node->inputs[k] ? value_of(n, node->inputs[k]) : NULL;
            ok = !v || place_add_reader(v, i);
        }
    }
    return ok;
}

/* ---- all ----------------------------------------------------------------------------------------- */

bool place_network_new(struct place_network *to, struct net *net, const struct place_device *devices,
                       size_t count, const struct place_network_options *options, struct diag *diag)
{
    *to = (struct place_network){.net = net, .devices = devices, .device_count = count, .options = options};
    bool ok = place_problem_new(&to->problem, count + 1, net->node_count, net->node_count + 1,
                                net->node_count * (count + 1));
    to->problem.link_count = 0;
    to->places = calloc(net->node_count + 1, 1);
    to->host = calloc(net->node_count + 1, sizeof *to->host);
    to->rest = place_library_time(options->library, &(struct place_features){PLACE_REST_KEY, 1, 0}).seconds *
               (double)net->node_count;
    ok = ok && to->places && to->host && set_values(to);
    if (!ok)
        diag_no_memory(diag, net->source[0].path);
    ok = ok && check_marks(to, diag);
    for (size_t i = 0; ok && i < net->node_count; i++)
        ok = set_operation(to, i, diag);
    return ok;
}

/* What is folded into a layer is in its loops. */
bool place_set_scalars(struct place_network *n)
{
    const size_t nodes = n->net->node_count;
    size_t *within = calloc(nodes + 1, sizeof *within), count;
    for (size_t i = 0; within && i < nodes; i++)
        within[i] = i;
    for (size_t d = 0; within && d < n->device_count; d++) {
        const struct layer *list = layers_list(n->devices[d].layers, &count);
        for (size_t i = 0; i < count; i++)
            within[i] = list[i].folded_into != i ? list[i].folded_into : within[i];
    }
    bool ok = within && scalar_lower(n->net, within, &n->scalars);
    n->lowered = n->scalars.count;
    ok = ok && scalar_simplify(&n->scalars, &n->savings);
    free(within);
    return ok;
}

/* Why a layer that a device has does not run there. */
static bool leave(const struct place_network *n, size_t at, size_t processor, struct layers *layers)
{
    enum { US = 1000000 };
    const struct place_operation *op = &n->problem.operations[at];
    const size_t chosen = n->places[at];
    struct strbuf why = {0};
    if (op->on[processor].why)
        sb_add(&why, op->on[processor].why);
    else if (chosen == PLACE_HOST)
        sb_addf(&why, "placed on the CPU: %.2f us there, %.2f us on the device with copies",
                US * place_own(&n->problem, at, PLACE_HOST), US * place_own(&n->problem, at, processor));
    else
        sb_addf(&why, "placed on processor %zu", chosen);
    const bool ok = sb_ok(&why) && layers_leave(layers, at, sb_text(&why));
    sb_free(&why);
    return ok;
}

bool place_network_apply(struct place_network *n, struct diag *diag)
{
    const struct place_strategy *strategy = n->options->strategy ? n->options->strategy : place_strategies;
    n->result.places = n->places;
    bool ok = strategy->place(&n->problem, &n->options->how, &n->result);
    for (size_t d = 0; ok && d < n->device_count; d++) {
        size_t count;
        const struct layer *list = layers_list(n->devices[d].layers, &count);
        for (size_t i = 0; ok && i < count; i++)
            if (list[i].op && n->places[i] != d + 1)
                ok = leave(n, i, d + 1, n->devices[d].layers);
    }
    ok = ok && place_set_scalars(n);
    if (!ok)
        diag_no_memory(diag, n->net->source[0].path);
    return ok;
}

static void add_parts(const struct place_network *n, const struct place_device *device,
                      struct place_measured *m)
{
    size_t count;
    const struct part *parts = layers_parts(device->layers, &count);
    for (size_t i = 0; i < count; i++) {
        const struct tulle_counters *c = &parts[i].counters;
        m->clock = m->clock && c->cycles;
        m->device += (double)(c->cycles ? c->cycles : parts[i].predicted) / device->hertz + device->job +
                     place_copies(device, n->options->library, (double)c->bytes_to_device,
                                  (double)c->bytes_from_device);
    }
}

double place_network_predicted(const struct place_network *n)
{
    return n->joined_count ? place_joined_seconds(n) : n->result.seconds;
}

struct place_measured place_network_measured(const struct place_network *n, const struct place_watch *watch)
{
    struct place_measured m = {.clock = true};
    for (size_t i = 0; i < n->net->node_count; i++)
        m.host += watch->seconds[i];
    for (size_t d = 0; d < n->device_count; d++) {
        const struct place_device *device = &n->devices[d];
        size_t count;
        const struct layer *list = layers_list(device->layers, &count);
        add_parts(n, device, &m);
        for (size_t i = 0; i < count; i++) {
            const struct tulle_counters *c = &list[i].counters;
            if (!list[i].op)
                continue;
            const double cycles =
                c->cycles ? (double)c->cycles / device->hertz : n->problem.operations[i].on[d + 1].run;
            m.clock = m.clock && c->cycles;
            m.device += cycles + (list[i].team ? (double)list[i].team->count : 1) * device->job +
                        place_copies(device, n->options->library, (double)c->bytes_to_device,
                                     (double)c->bytes_from_device);
        }
    }
    return m;
}

double place_network_again(const struct place_network *n, const struct place_watch *watch)
{
    double seconds = place_network_predicted(n);
    for (size_t i = 0; i < n->net->node_count; i++)
        if (n->places[i] == PLACE_HOST)
            seconds += watch->seconds[i] - n->host[i].seconds;
    return seconds;
}

void place_network_free(struct place_network *n)
{
    sb_free(&n->result.log);
    for (size_t i = 0; n->reasons && i < n->problem.count; i++)
        free(n->reasons[i]);
    free(n->reasons);
    scalar_free(&n->scalars);
    place_problem_free(&n->problem);
    free(n->places);
    free(n->host);
    *n = (struct place_network){0};
}
