/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: net-feed INPUT OUTPUT NETWORK [WEIGHTS] [--tensor NAME] [--shape INPUT=SIZES] [--clock]
 *           [--clock-reading] [--threads N] [--form NAME]
 *
 * Runs a network on the CPU for each piece of a file of raw numbers that is as long as its input, with a
 * batch of one, and writes the raw numbers of its output, or of another tensor, one behind the other. With
 * --clock it runs the first piece for each line of standard input and prints the microseconds of processor
 * time; with --clock-reading it reads the network for each line instead, as tulle_net_load() does. --form
 * names the form of the kernels' inner loops (host/net/cpu/tile.h), in place of the best that the processor
 * has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/base/options.h"
#include "host/net/cpu/kernel.h"
#include "host/net/cpu/tile.h"
#include "host/net/graph/summary.h"
#include "host/net/read/read.h"

struct feed {
    struct net *net;
    struct tensor *wanted;
    struct view input;
    FILE *from, *to;
    int64_t threads;
    bool by_clock;
};

/* In place of tile_form_best(): the linker wraps it. */
static const struct tile_form *form_wanted;
const struct tile_form *__real_tile_form_best(void);
const struct tile_form *__wrap_tile_form_best(void);
const struct tile_form *__wrap_tile_form_best(void)
{
    return form_wanted ? form_wanted : __real_tile_form_best();
}

/* False: there is no such form here. */
static bool want_form(const char *name)
{
    form_wanted = tile_forms;
    while (name && form_wanted->name && (strcmp(form_wanted->name, name) != 0 || !form_wanted->is_there()))
        form_wanted++;
    const bool there = form_wanted->name;
    form_wanted = name && there ? form_wanted : NULL;
    return there;
}

/* Unknown dimensions are one: the batch. */
static bool input_room(struct feed *f)
{
    struct tensor *t = f->net->input_count == 1 ? f->net->inputs[0] : NULL;
    if (!t || !t->shape || t->shape->rank < 0)
        return false;
    f->input = (struct view){.type = t->type, .rank = t->shape->rank, .count = 1};
    for (int i = 0; i < t->shape->rank; i++) {
        f->input.dim[i] = t->shape->dim[i].term ? 1 : t->shape->dim[i].value;
        f->input.count *= (size_t)f->input.dim[i];
    }
    f->input.data = calloc(f->input.count + 1, type_bytes(t->type));
    return f->input.data != NULL;
}

static bool run_one(struct feed *f, struct diag *diag)
{
    struct run *run = run_new(f->net, diag);
    struct view v;
    if (run && f->wanted->output)
        run_forget(run);
    bool ok = run && run_threads(run, (unsigned)f->threads) && run_set(run, f->net->inputs[0], &f->input) &&
              run_nodes(run) && run_get(run, f->wanted, &v) &&
              fwrite(v.data, type_bytes(v.type), v.count, f->to) == v.count;
    run_free(run);
    return ok;
}

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static bool run_by_clock(struct feed *f, struct diag *diag)
{
    char line[16];
    bool ok = fread(f->input.data, type_bytes(f->input.type), f->input.count, f->from) == f->input.count;
    while (ok && fgets(line, sizeof line, stdin)) {
        const double begin = now_us();
        ok = run_one(f, diag);
        printf("%.0f\n", now_us() - begin);
        fflush(stdout);
    }
    return ok;
}

static bool read_by_clock(const char *path, const struct net_read_options *how, struct diag *diag)
{
    char line[16];
    bool ok = true;
    while (ok && fgets(line, sizeof line, stdin)) {
        const double begin = now_us();
        struct net *net = net_read(path, how, diag);
        ok = net != NULL;
        if (ok)
            net_summarise(net);
        net_free(net);
        printf("%.0f\n", now_us() - begin);
        fflush(stdout);
    }
    return ok;
}

static int feed(struct feed *f, struct diag *diag)
{
    if (!input_room(f)) {
        fputs("net-feed: error: the network must have one input of known rank\n", stderr);
        return 1;
    }
    const size_t bytes = type_bytes(f->input.type);
    bool ok = !f->by_clock || run_by_clock(f, diag);
    while (ok && !f->by_clock && fread(f->input.data, bytes, f->input.count, f->from) == f->input.count)
        ok = run_one(f, diag);
    free(f->input.data);
    return !ok;
}

int main(int argc, char **argv)
{
    const char *names[4] = {NULL}, *tensor = NULL, *shape = NULL, *count = NULL, *form = NULL;
    int64_t threads = 1;
    struct diag diag = {0};
    bool by_clock = false, reading = false;
    const struct option_entry options[] = {
        {"--tensor", .value = &tensor},
        {"--shape", .value = &shape},
        {"--clock", .flag = &by_clock},
        {"--clock-reading", .flag = &reading},
        {"--form", .value = &form},
        {"--threads", .value = &count, .number = &threads, .min = 1, .max = CREW_MOST},
        {0}};
    options_read(argc, argv, options, &(struct option_rest){names, 4, "file "}, &diag);
    if (diag_report(&diag, stderr) || !names[2]) {
        fputs("usage: net-feed INPUT OUTPUT NETWORK [WEIGHTS] [--tensor NAME] [--shape INPUT=SIZES] "
              "[--clock] [--clock-reading] [--threads N] [--form NAME]\n",
              stderr);
        return 2;
    }
    if (!want_form(form)) {
        fprintf(stderr, "net-feed: error: this processor has no form \"%s\" of the kernels\n", form);
        return 1;
    }
    const struct net_read_options how = {.weights = names[3], .shapes = &shape, .shape_count = shape != NULL};
    if (reading) {
        const bool ok = read_by_clock(names[2], &how, &diag);
        return diag_report(&diag, stderr) || !ok;
    }
    struct feed f = {.net = net_read(names[2], &how, &diag), .by_clock = by_clock, .threads = threads};
    f.from = fopen(names[0], "rb");
    f.to = fopen(names[1], "wb");
    if (f.net)
        f.wanted = tensor ? net_find(f.net, tensor, strlen(tensor)) : f.net->outputs[0];
    if (f.net && (!f.from || !f.to || !f.wanted))
        fputs("net-feed: error: a file cannot be opened, or there is no such tensor\n", stderr);
    int status = f.net && f.from && f.to && f.wanted ? feed(&f, &diag) : 1;
    status |= diag_report(&diag, stderr) > 0;
    if (f.from)
        fclose(f.from);
    if (f.to && fclose(f.to))
        status = 1;
    net_free(f.net);
    return status;
}
