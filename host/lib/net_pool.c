/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to a network: a thread for each copy of it takes requests from one
 * list, in the order in which they were started. A compiled network on a device
 * has two threads, so that the host's work for a request, and its copies, are
 * done while the device computes another one.
 */
#include <stdlib.h>
#include <string.h>

#include "host/lib/net.h"
#include "host/lib/wait.h"

enum { REQUESTS_MOST = 65536, NETWORKS_MOST = 256, THREADS = 2, ANY = -1 };

enum state { REQUEST_WAITS, REQUEST_RUNS, REQUEST_IS_OVER };

struct tulle_request {
    struct tulle_pool *pool;
    struct tulle_request *next; /* that waits */
    int network;                /* that is to take it; ANY: the first that can */
    bool repeated;
    atomic_bool stop;
    enum state state;
    const struct tulle_tensor **inputs;
    struct tulle_tensor **outputs;
    size_t input_count, output_count;
    enum tulle_status status; /* once it is over */
    struct strbuf message;
};

struct worker {
    struct tulle_pool *pool;
    struct network *network;
    struct tulle_net *net;
    pthread_t thread;
    struct tulle_request *running; /* NULL: none */
    bool started;
};

struct network {
    struct worker worker[THREADS]; /* the second one only with a compiled network on a device */
    bool lost;
};

/* The lock guards everything that changes. */
struct tulle_pool {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a request comes or is over, or the pool ends */
    unsigned references;    /* the caller's, and those of requests */
    bool ends, in_turn, repeats;
    struct network *networks;
    size_t count, turn;
    unsigned most;                /* requests under way */
    struct tulle_tensor *tensors; /* descriptions of inputs, then of outputs; they never change */
    struct tulle_request *first, **last;
    struct tulle_pool_info info;
};

/* ---- the list ------------------------------------------------------------------------------------ */

static void append(struct tulle_pool *p, struct tulle_request *r)
{
    r->next = NULL;
    *p->last = r;
    p->last = &r->next;
    p->info.waiting++;
}

static void put_first(struct tulle_pool *p, struct tulle_request *r)
{
    r->next = p->first;
    p->first = r;
    if (!r->next)
        p->last = &r->next;
    p->info.waiting++;
}

static void take_out(struct tulle_pool *p, struct tulle_request *r)
{
    struct tulle_request **at = &p->first;
    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    if (!*at)
        p->last = at;
    p->info.waiting--;
}

/* The next one that works, after the one whose turn it was; ANY: none does. */
static int next_in_turn(struct tulle_pool *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const size_t at = p->turn;
        p->turn = (p->turn + 1) % p->count;
        if (!p->networks[at].lost)
            return (int)at;
    }
    return ANY;
}

static void give_to_network(struct tulle_pool *p, struct tulle_request *r)
{
    r->network = p->in_turn ? next_in_turn(p) : ANY;
}

/* ---- the end of a request ------------------------------------------------------------------------ */

static void end_request(struct tulle_request *r, enum tulle_status status, const char *message)
{
    struct tulle_pool_info *info = &r->pool->info;
    r->state = REQUEST_IS_OVER;
    r->status = status;
    sb_add(&r->message, message);
    info->answered += !status;
    info->cancelled += status == TULLE_CANCELLED;
    info->failed += status && status != TULLE_CANCELLED;
    pthread_cond_broadcast(&r->pool->changed);
}

static void cancel(struct tulle_request *r)
{
    atomic_store(&r->stop, true);
    if (r->state != REQUEST_WAITS)
        return;
    take_out(r->pool, r);
    end_request(r, TULLE_CANCELLED, "the request was cancelled");
}

/* The requests of a network whose device is lost go to others; without others they end. */
static void lose_network(struct tulle_pool *p, struct network *n)
{
    if (n->lost)
        return; /* the other thread has said so */
    n->lost = true;
    p->info.lost++;
    for (struct tulle_request *r = p->first, *next; r; r = next) {
        next = r->next;
        if (p->info.lost < p->count) {
            if (r->network == (int)(n - p->networks))
                give_to_network(p, r);
            continue;
        }
        take_out(p, r);
        end_request(r, TULLE_DEVICE_LOST, "all devices of the pool are lost");
    }
    pthread_cond_broadcast(&p->changed);
}

/* ---- threads ------------------------------------------------------------------------------------- */

static struct tulle_request *request_for(struct tulle_pool *p, int network)
{
    struct tulle_request *r = p->first;
    while (r && r->network != ANY && r->network != network)
        r = r->next;
    if (r)
        take_out(p, r);
    return r;
}

static void answer(struct worker *w, struct tulle_request *r)
{
    struct tulle_pool *p = w->pool;
    r->state = REQUEST_RUNS;
    p->info.running++;
    w->running = r;
    w->net->stop = &r->stop;
    pthread_mutex_unlock(&p->lock);
    const enum tulle_status status =
        tulle_net_run(w->net, r->inputs, r->input_count, r->outputs, r->output_count);
    pthread_mutex_lock(&p->lock);
    w->running = NULL;
    p->info.running--;
    if (status == TULLE_DEVICE_LOST)
        lose_network(p, w->network);
    if (status == TULLE_DEVICE_LOST && p->repeats && !r->repeated && p->info.lost < p->count) {
        r->repeated = true;
        r->state = REQUEST_WAITS;
        p->info.repeated++;
        give_to_network(p, r);
        put_first(p, r);
        pthread_cond_broadcast(&p->changed);
        return;
    }
    end_request(r, status, status ? message_text() : "");
}

static void *work(void *context)
{
    struct worker *w = context;
    struct tulle_pool *p = w->pool;
    pthread_mutex_lock(&p->lock);
    while (!p->ends && !w->network->lost) {
        struct tulle_request *r = request_for(p, (int)(w->network - p->networks));
        if (r)
            answer(w, r);
        else
            pthread_cond_wait(&p->changed, &p->lock); /* tulle_pool_free() ends it */
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- pools --------------------------------------------------------------------------------------- */

static struct worker *worker_of(const struct tulle_pool *p, size_t number)
{
    return &p->networks[number / THREADS].worker[number % THREADS];
}

static void release(struct tulle_pool *p)
{
    pthread_mutex_lock(&p->lock);
    const bool last = !--p->references;
    pthread_mutex_unlock(&p->lock);
    if (!last)
        return;
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void tulle_pool_free(struct tulle_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    while (p->first)
        cancel(p->first);
    for (size_t i = 0; i < THREADS * p->count; i++)
        if (worker_of(p, i)->running)
            cancel(worker_of(p, i)->running);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < THREADS * p->count; i++) {
        if (worker_of(p, i)->started)
            pthread_join(worker_of(p, i)->thread, NULL);
        tulle_net_free(worker_of(p, i)->net);
    }
    free(p->networks);
    free(p->tensors);
    p->networks = NULL;
    p->tensors = NULL;
    p->count = 0;
    release(p);
}

static enum tulle_status check_options(const struct tulle_pool_options *o,
                                       const struct tulle_net_options *net)
{
    const char *wrong = o->mark_count && !o->marks       ? "marks is NULL"
                        : o->device_count && !o->devices ? "devices is NULL"
                        : o->device_count && o->networks ? "networks is for pools without devices"
                        : net->device                    ? "the device of net is not NULL"
                        : net->other_count ? "net has others: each network of a pool is on one device"
                                           : NULL;
    for (size_t i = 0; !wrong && i < o->device_count; i++)
        wrong = o->devices[i] ? NULL : "a device is NULL";
    if (wrong)
        return message_set(TULLE_INVALID_ARGUMENT, "struct tulle_pool_options: %s", wrong);
    if (o->device_count > NETWORKS_MOST || o->networks > NETWORKS_MOST || o->requests > REQUESTS_MOST)
        return message_set(TULLE_INVALID_ARGUMENT,
                           "struct tulle_pool_options: at most %d networks and %d requests", NETWORKS_MOST,
                           REQUESTS_MOST);
    return TULLE_OK;
}

/* `first`: what the first worker of the network has; NULL: this one is it. */
static enum tulle_status load_network(struct worker *w, const char *path, const struct tulle_pool_options *o,
                                      const struct tulle_net_options *net, struct tulle_net *first)
{
    enum tulle_status status = net_load_again(path, net, first, &w->net);
    for (size_t i = 0; !status && i < o->mark_count; i++)
        status = o->marks[i]
                     ? tulle_net_mark(w->net, o->marks[i], 1)
                     : message_set(TULLE_INVALID_ARGUMENT, "struct tulle_pool_options: a mark is NULL");
    return status;
}

/* Networks change while they run, so what they are is asked before. */
static enum tulle_status describe_tensors(struct tulle_pool *p)
{
    const struct tulle_net *net = p->networks[0].worker[0].net;
    struct tulle_net_info info = {.size = sizeof info};
    enum tulle_status status = tulle_net_describe(net, &info);
    p->info.inputs = info.inputs;
    p->info.outputs = info.outputs;
    p->tensors = calloc((size_t)(info.inputs + info.outputs + 1), sizeof *p->tensors);
    if (!p->tensors)
        return message_no_memory();
    for (size_t i = 0; !status && i < info.inputs + info.outputs; i++) {
        p->tensors[i].size = sizeof *p->tensors;
        status = i < info.inputs ? tulle_net_input(net, i, &p->tensors[i])
                                 : tulle_net_output(net, i - (size_t)info.inputs, &p->tensors[i]);
    }
    return status;
}

static enum tulle_status load_networks(struct tulle_pool *p, const char *path,
                                       const struct tulle_pool_options *o, struct tulle_net_options *net)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < p->count; i++) {
        struct worker *w = p->networks[i].worker;
        net->device = o->device_count ? o->devices[i] : NULL;
        status = load_network(&w[0], path, o, net, NULL);
        for (size_t more = 1; !status && w[0].net->compiled && net->device && more < THREADS; more++)
            status = load_network(&w[more], path, o, net, w[0].net);
    }
    return status;
}

static enum tulle_status start_workers(struct tulle_pool *p)
{
    enum tulle_status status = TULLE_OK;
    for (size_t i = 0; !status && i < THREADS * p->count; i++) {
        struct worker *w = worker_of(p, i);
        w->pool = p;
        w->network = &p->networks[i / THREADS];
        w->started = w->net && !pthread_create(&w->thread, NULL, work, w);
        if (w->net && !w->started)
            status = message_no_memory();
    }
    return status;
}

static struct tulle_pool *new_pool(const struct tulle_pool_options *o)
{
    struct tulle_pool *p = calloc(1, sizeof *p);
    if (!p || !wait_init(&p->lock, &p->changed)) {
        free(p);
        return NULL;
    }
    p->references = 1;
    p->in_turn = o->in_turn != 0;
    p->repeats = o->repeats != 0;
    p->last = &p->first;
    p->count = o->device_count ? o->device_count : o->networks ? o->networks : 1;
    p->info.networks = p->count;
    p->most = o->requests ? o->requests : 2 * (unsigned)p->count;
    p->networks = calloc(p->count, sizeof *p->networks);
    if (p->networks)
        return p;
    p->count = 0;
    tulle_pool_free(p);
    return NULL;
}

enum tulle_status tulle_pool_open(const char *path, const struct tulle_pool_options *options,
                                  struct tulle_pool **to)
{
    struct tulle_pool_options o;
    struct tulle_net_options net;
    if (!path || !to)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_pool_open: %s is NULL", path ? "pool" : "path");
    enum tulle_status status = sized_take(SIZED_POOL_OPTIONS, options, &o);
    if (!status)
        status = sized_take(SIZED_NET_OPTIONS, o.net, &net);
    if (!status)
        status = check_options(&o, &net);
    if (status)
        return status;
    net.size = sizeof net;
    struct tulle_pool *p = new_pool(&o);
    if (!p)
        return message_no_memory();
    status = load_networks(p, path, &o, &net);
    if (!status)
        status = describe_tensors(p);
    if (!status)
        status = start_workers(p);
    if (status)
        tulle_pool_free(p);
    else
        *to = p;
    return status;
}

static enum tulle_status give(const char *what, const struct tulle_tensor *list, uint64_t count, size_t index,
                              struct tulle_tensor *to)
{
    const enum tulle_status status = sized_check(SIZED_TENSOR, to);
    if (status)
        return status;
    if (index >= count)
        return message_set(TULLE_INVALID_ARGUMENT, "the network has no %s %zu; it has %llu", what, index,
                           (unsigned long long)count);
    sized_give(SIZED_TENSOR, &list[index], to);
    return TULLE_OK;
}

enum tulle_status tulle_pool_input(const struct tulle_pool *p, size_t index, struct tulle_tensor *tensor)
{
    if (!p || !tensor)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_pool_input: %s is NULL", p ? "tensor" : "pool");
    return give("input", p->tensors, p->info.inputs, index, tensor);
}

enum tulle_status tulle_pool_output(const struct tulle_pool *p, size_t index, struct tulle_tensor *tensor)
{
    if (!p || !tensor)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_pool_output: %s is NULL", p ? "tensor" : "pool");
    return give("output", p->tensors + p->info.inputs, p->info.outputs, index, tensor);
}

enum tulle_status tulle_pool_describe(struct tulle_pool *p, struct tulle_pool_info *info)
{
    if (!p || !info)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_pool_describe: %s is NULL", p ? "info" : "pool");
    const enum tulle_status status = sized_check(SIZED_POOL_INFO, info);
    if (status)
        return status;
    pthread_mutex_lock(&p->lock);
    struct tulle_pool_info now = p->info;
    pthread_mutex_unlock(&p->lock);
    now.size = sizeof now;
    sized_give(SIZED_POOL_INFO, &now, info);
    return TULLE_OK;
}

/* ---- requests ------------------------------------------------------------------------------------ */

static void free_request(struct tulle_request *r)
{
    free(r->inputs);
    free(r->outputs);
    sb_free(&r->message);
    free(r);
}

static struct tulle_request *new_request(const struct tulle_tensor *const *inputs, size_t input_count,
                                         struct tulle_tensor *const *outputs, size_t output_count)
{
    struct tulle_request *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->inputs = calloc(input_count + 1, sizeof *r->inputs);
    r->outputs = calloc(output_count + 1, sizeof *r->outputs);
    if (!r->inputs || !r->outputs) {
        free_request(r);
        return NULL;
    }
    for (size_t i = 0; i < input_count; i++)
        r->inputs[i] = inputs[i];
    for (size_t i = 0; i < output_count; i++)
        r->outputs[i] = outputs[i];
    r->input_count = input_count;
    r->output_count = output_count;
    return r;
}

/* With the lock. */
static enum tulle_status wait_for_room(struct tulle_pool *p, unsigned milliseconds)
{
    const struct timespec until = wait_deadline(milliseconds);
    int result = 0;
    while (p->info.waiting + p->info.running >= p->most && p->info.lost < p->count && !result)
        result = pthread_cond_timedwait(&p->changed, &p->lock, &until);
    if (p->info.lost == p->count)
        return message_set(TULLE_DEVICE_LOST, "all devices of the pool are lost");
    if (p->info.waiting + p->info.running >= p->most)
        return message_set(TULLE_TIMEOUT, "%u requests were under way for %u ms", p->most, milliseconds);
    return TULLE_OK;
}

enum tulle_status tulle_pool_start(struct tulle_pool *p, const struct tulle_tensor *const *inputs,
                                   size_t input_count, struct tulle_tensor *const *outputs,
                                   size_t output_count, unsigned milliseconds, struct tulle_request **to)
{
    if (!p || !to || (!inputs && input_count) || (!outputs && output_count))
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_pool_start: %s is NULL",
                           !p                       ? "pool"
                           : !to                    ? "request"
                           : input_count && !inputs ? "inputs"
                                                    : "outputs");
    struct tulle_request *r = new_request(inputs, input_count, outputs, output_count);
    if (!r)
        return message_no_memory();
    pthread_mutex_lock(&p->lock);
    const enum tulle_status status = wait_for_room(p, milliseconds);
    if (!status) {
        r->pool = p;
        p->references++;
        give_to_network(p, r);
        append(p, r);
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->lock);
    if (status)
        free_request(r);
    else
        *to = r;
    return status;
}

enum tulle_status tulle_request_wait(struct tulle_request *r, unsigned milliseconds)
{
    if (!r)
        return message_set(TULLE_INVALID_ARGUMENT, "tulle_request_wait: request is NULL");
    const struct timespec until = wait_deadline(milliseconds);
    int result = 0;
    pthread_mutex_lock(&r->pool->lock);
    while (r->state != REQUEST_IS_OVER && !result)
        result = pthread_cond_timedwait(&r->pool->changed, &r->pool->lock, &until);
    const bool over = r->state == REQUEST_IS_OVER;
    pthread_mutex_unlock(&r->pool->lock);
    if (!over)
        return message_set(TULLE_TIMEOUT, "the request is not over after %u ms", milliseconds);
    return r->status ? message_set(r->status, "%s", sb_text(&r->message)) : TULLE_OK;
}

void tulle_request_cancel(struct tulle_request *r)
{
    if (!r)
        return;
    pthread_mutex_lock(&r->pool->lock);
    cancel(r);
    pthread_mutex_unlock(&r->pool->lock);
}

void tulle_request_free(struct tulle_request *r)
{
    if (!r)
        return;
    struct tulle_pool *p = r->pool;
    pthread_mutex_lock(&p->lock);
    cancel(r);
    while (r->state != REQUEST_IS_OVER)
        pthread_cond_wait(&p->changed, &p->lock); /* the node that runs ends, within the time of a layer */
    pthread_mutex_unlock(&p->lock);
    release(p);
    free_request(r);
}
