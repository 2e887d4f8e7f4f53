/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/software_verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/random.h"
#include "host/cli/cli.h"
#include "host/cli/net_run.h"
#include "host/cli/software.h"
#include "host/cli/software_compile.h"

static const char help[] =
    "Usage: tulle net verify FILE [OPTION]...\n"
    "\n"
    "Runs a compiled network on its device, as the C that tulle software writes, and on the CPU, with the\n"
    "same inputs; compares the results of every layer and names the first difference. Of a saved operator "
    "the\n"
    "device and the C are compared. The C is compiled with $CC, or cc; without a compiler it is left out.\n"
    "\n"
    "      --device D     device that FILE is for (default: the model of a network's variant)\n"
    "      --input [NAME=]FILE\n"
    "                     a network's inputs, as of tulle net run, besides random ones; may be given several "
    "times\n"
    "      --random N     so many random inputs (3)\n"
    "      --seed S       of these (1)\n"
    "      --no-compiler  leave the C out\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0 all bits are the same, 1 they are not, or it failed, 2 wrong usage.\n";

enum { SECONDS = 600, OPERANDS = 64, MAGNITUDES = 10 };

struct request {
    const char *file, *device;
    const char **inputs;
    unsigned input_count;
    int64_t random, seed;
    bool plain, asked; /* plain: without a compiler */
};

struct verifying {
    const struct request *of;
    struct software_source source;
    struct c_model model;
    struct software_object c;
    struct run *device, *cpu; /* of a network */
    uint64_t elements, differ;
    size_t inputs;
    struct strbuf first; /* what differs first */
    struct diag *diag;
};

/* ---- comparing -------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct view *view)
{
    return view->count * (net_type_bits(view->type) / 8);
}

static void compare(struct verifying *v, const char *name, const void *wanted, const void *got, size_t bytes,
                    const char *who)
{
    v->elements += bytes;
    if (!memcmp(wanted, got, bytes))
        return;
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t a = ((const uint8_t *)wanted)[i], b = ((const uint8_t *)got)[i];
        if (a != b && !v->differ)
            sb_addf(&v->first, "%.60s: byte %zu is %u on the device and %u %s", name, i, a, b, who);
        v->differ += a != b;
    }
}

static void after(void *context, int step, const void *result)
{
    struct verifying *v = context;
    struct tensor *t = software_result(&v->source, &v->model, (size_t)step);
    struct view view;
    if (t && run_get(v->device, t, &view))
        compare(v, t->name, view.data, result, bytes_of(&view), "in C");
}

/* The network's tensor that is an input or an output of the software; NULL: there are not so many. */
static struct tensor *end_of(const struct verifying *v, bool input, int number)
{
    for (size_t i = 0; i < v->model.tensor_count; i++)
        if ((input ? v->model.tensors[i].input : v->model.tensors[i].output) == number)
            return v->source.compiled.net->tensors[i];
    return NULL;
}

/* The C on the inputs of the device's run. */
static bool run_c(struct verifying *v)
{
    const void *in[OPERANDS];
    void *out[OPERANDS];
    struct tensor *t;
    struct view view;
    bool ok = !end_of(v, true, OPERANDS) && !end_of(v, false, OPERANDS);
    memset(out, 0, sizeof out);
    for (int i = 0; ok && (t = end_of(v, true, i)) != NULL; i++) {
        ok = run_get(v->device, t, &view);
        in[i] = ok ? view.data : NULL;
    }
    for (int i = 0; ok && (t = end_of(v, false, i)) != NULL; i++)
        ok = run_get(v->device, t, &view) && (out[i] = calloc(1, bytes_of(&view) + 1));
    ok = ok && !v->c.trace(in, out, after, v);
    for (int i = 0; ok && (t = end_of(v, false, i)) != NULL; i++)
        if (run_get(v->device, t, &view))
            compare(v, t->name, view.data, out[i], bytes_of(&view), "in C");
    for (int i = 0; i < OPERANDS; i++)
        free(out[i]);
    return ok || diag_fail(v->diag, v->of->file, "its inputs and outputs cannot be taken");
}

static void compare_cpu(struct verifying *v)
{
    for (size_t s = 0; s < v->model.step_count; s++) {
        struct tensor *t = software_result(&v->source, &v->model, s);
        struct view device, cpu;
        if (t && run_get(v->device, t, &device) && run_get(v->cpu, t, &cpu))
            compare(v, t->name, device.data, cpu.data, bytes_of(&device), "on the CPU");
    }
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

/* Bytes, or floats of one magnitude. */
static void draw_numbers(const struct view *view, struct random *dice)
{
    const int exponent = (int)(random_next(dice) % MAGNITUDES) - MAGNITUDES + 2;
    for (size_t i = 0; view->type == NET_FLOAT && i < view->count; i++)
        ((float *)view->data)[i] = ldexpf((float)(random_next(dice) >> 40) - 8388608.0f, exponent - 23);
    for (size_t b = 0; view->type != NET_FLOAT && b < bytes_of(view); b++)
        ((uint8_t *)view->data)[b] = (uint8_t)(random_next(dice) >> 56);
}

static bool draw(struct verifying *v, struct random *dice)
{
    const struct net *net = v->source.compiled.net;
    for (size_t i = 0; i < net->input_count; i++) {
        struct tensor *t = net->inputs[i];
        struct view view = {.type = t->type, .rank = t->shape ? t->shape->rank : 0, .count = 1};
        for (int d = 0; d < view.rank; d++) {
            view.dim[d] = t->shape->dim[d].value;
            view.count *= (size_t)view.dim[d];
        }
        view.data = malloc(bytes_of(&view) + 1);
        if (view.data)
            draw_numbers(&view, dice);
        const bool ok = view.data && run_set(v->device, t, &view) && run_set(v->cpu, t, &view);
        free(view.data);
        if (!ok)
            return false;
    }
    return true;
}

/* Those of files, for both. */
static bool given(struct verifying *v)
{
    struct net *net = v->source.compiled.net;
    const struct net_run_options options = {.inputs = v->of->inputs, .input_count = v->of->input_count};
    bool ok = net_run_give(net, v->device, &options, v->diag);
    for (size_t i = 0; ok && i < net->input_count; i++) {
        struct view view;
        ok = run_get(v->device, net->inputs[i], &view) && run_set(v->cpu, net->inputs[i], &view);
    }
    return ok;
}

static bool verify_network(struct verifying *v, struct random *dice)
{
    v->device = run_new(v->source.compiled.net, v->diag);
    v->cpu = v->device ? run_new(v->source.compiled.net, v->diag) : NULL;
    bool ok = v->cpu && (dice ? draw(v, dice) : given(v));
    if (ok) {
        layers_offer(v->source.layers.layers, v->device);
        ok = run_nodes(v->device) && run_nodes(v->cpu);
    }
    if (ok)
        compare_cpu(v);
    ok = ok && (!v->c.trace || run_c(v));
    run_free(v->cpu);
    run_free(v->device);
    return ok;
}

/* ---- operators -------------------------------------------------------------------------------------- */

static void ignore(void *context, int step, const void *result)
{
    (void)context;
    (void)step;
    (void)result;
}

/* Random numbers to the device and to the C. */
static bool verify_operator(struct verifying *v, struct random *dice)
{
    const struct c_model *m = &v->model;
    struct software_operands device, c = {.inputs = 0};
    bool ok = software_operands(m, &device, v->diag) && software_operands(m, &c, v->diag);
    for (size_t i = 0; ok && i < m->tensor_count; i++)
        for (size_t b = 0; m->tensors[i].input != C_NONE && b < m->tensors[i].elements * m->tensors[i].bytes;
             b++)
            ((uint8_t *)device.in[m->tensors[i].input])[b] = (uint8_t)(random_next(dice) >> 56);
    ok = ok && software_run(&v->source, (const void *const *)device.in, device.out, v->diag);
    if (ok && v->c.trace)
        ok = !v->c.trace((const void *const *)device.in, c.out, ignore, NULL) ||
             diag_fail(v->diag, v->of->file, "the C does not run");
    for (size_t i = 0; ok && v->c.trace && i < m->tensor_count; i++) {
        const struct c_tensor *t = &m->tensors[i];
        if (t->output != C_NONE)
            compare(v, "the result", device.out[t->output], c.out[t->output], t->elements * t->bytes, "in C");
    }
    software_operands_free(&c);
    software_operands_free(&device);
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------ */

static bool verify(struct verifying *v)
{
    const struct request *q = v->of;
    struct random dice = {(uint64_t)q->seed};
    bool ok = software_open(q->file, q->device, SECONDS, &v->source, v->diag);
    const bool is_net = v->source.compiled.net;
    if (ok && !is_net && q->input_count)
        ok = diag_fail(v->diag, q->file, "--input is for networks; an operator gets random numbers");
    ok = ok && software_read(&v->source, &(struct software_outputs){.count = 0}, &v->model, v->diag) &&
         (q->plain || software_compile(&v->model, &v->c, v->diag));
    if (ok && q->input_count) {
        ok = verify_network(v, NULL);
        v->inputs++;
    }
    for (int64_t i = 0; ok && i < q->random; i++, v->inputs++)
        ok = is_net ? verify_network(v, &dice) : verify_operator(v, &dice);
    return ok;
}

static int run(const struct request *q)
{
    struct diag diag = {0};
    struct verifying v = {
        .of = q, .model = {.name = "model", .title = "A network.", .traced = true}, .diag = &diag};
    const bool ok = verify(&v);
    const bool is_net = v.source.compiled.net;
    if (ok)
        printf("%zu inputs, %zu layers on %s%s%s: %" PRIu64 " bytes compared, %" PRIu64 " differ\n", v.inputs,
               v.model.step_count, q->device ? q->device : "the model", v.c.trace ? ", in C" : "",
               is_net ? " and the CPU" : "", v.elements, v.differ);
    if (v.differ)
        diag_error(&diag, (struct place){.file = q->file}, "%s", sb_text(&v.first));
    diag_report(&diag, stderr);
    software_object_free(&v.c);
    software_free(&v.model);
    software_close(&v.source);
    sb_free(&v.first);
    diag_free(&diag);
    return ok && !v.differ ? CLI_DONE : CLI_FAILED;
}

int software_verify(int argc, char **argv)
{
    const char *inputs[OPERANDS], *random = NULL, *seed = NULL;
    struct request q = {.inputs = inputs, .random = 3, .seed = 1};
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--device", .value = &q.device},
        {.name = "--input", .list = inputs, .count = &q.input_count, .room = OPERANDS},
        {.name = "--random", .value = &random, .number = &q.random, .max = 100000},
        {.name = "--seed", .value = &seed, .number = &q.seed, .max = INT64_MAX},
        {.name = "--no-compiler", .flag = &q.plain},
        {.name = "--help", .letter = "-h", .flag = &q.asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&q.file, 1, NULL}, &diag);
    if (!q.asked && !q.file)
        diag_error(&diag, (struct place){0}, "verify what? give a compiled network or a saved operator");
    if (diag.errors && !q.asked)
        return cli_usage("net", &diag);
    diag_free(&diag);
    if (!q.asked)
        return run(&q);
    fputs(help, stdout);
    return CLI_DONE;
}
