/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/software_verify.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/base/output.h"
#include "gen/base/random.h"
#include "host/cli/cli.h"
#include "host/cli/net_layers.h"
#include "host/cli/software.h"
#include "host/net/feed/feed.h"

static const char help[] =
    "Usage: tulle net verify FILE [OPTION]...\n"
    "\n"
    "Runs a compiled network on its device, as the C that tulle software writes, and on the CPU, with the "
    "same\n"
    "inputs; compares the results of every layer and names the first difference. The C is compiled with $CC, "
    "or\n"
    "cc; without a compiler it is left out.\n"
    "\n"
    "      --device D     device that FILE is for (default: the model of its variant)\n"
    "      --input F      the first input, from a file as of tulle net run, besides random ones\n"
    "      --random N     so many random inputs (3)\n"
    "      --seed S       of these (1)\n"
    "      --no-compiler  leave the C out\n"
    "  -h, --help         this text\n"
    "\n"
    "Exit status: 0 all bits are the same, 1 they are not, or it failed, 2 wrong usage.\n";

enum { SECONDS = 600, PATH = 64 };
extern char **environ;

typedef int trace_function(const void *const in[], void *const out[],
                           void (*after)(void *context, int step, const void *result), void *context);

struct request {
    const char *file, *device, *input;
    int64_t random, seed;
    bool plain, asked; /* plain: without a compiler */
};

struct verifying {
    const struct request *of;
    struct compiled compiled;
    struct net_layers layers;
    struct c_model model;
    struct run *device, *cpu;
    char folder[PATH];
    void *object;
    trace_function *trace;
    uint64_t elements, differ;
    size_t inputs;
    struct strbuf first; /* what differs first */
    struct diag *diag;
};

/* ---- the compiler ----------------------------------------------------------------------------------- */

static bool run_compiler(const char *source, const char *object)
{
    const char *given = getenv("CC");
    char *words[] = {(char *)(given && *given ? given : "cc"),
                     "-std=c11",
                     "-O2",
                     "-shared",
                     "-fPIC",
                     "-o",
                     (char *)object,
                     (char *)source,
                     NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, words[0], NULL, NULL, words, environ))
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool compile(struct verifying *v)
{
    struct strbuf source = {0}, header = {0}, path = {0}, object = {0};
    bool ok = c_model_write(&v->model, &source, &header);
    if (!ok)
        diag_no_memory(v->diag, v->of->file);
    strcpy(v->folder, "/tmp/tulle-verify-XXXXXX");
    ok = ok && (mkdtemp(v->folder) || diag_fail(v->diag, v->folder, "%s", strerror(errno)));
    sb_addf(&path, "%s/model.h", v->folder);
    ok = ok && output_file(sb_text(&path), &header, v->diag);
    path.len = 0;
    sb_addf(&path, "%s/model.c", v->folder);
    sb_addf(&object, "%s/model.so", v->folder);
    ok = ok && output_file(sb_text(&path), &source, v->diag);
    if (ok && run_compiler(sb_text(&path), sb_text(&object))) {
        v->object = dlopen(sb_text(&object), RTLD_NOW | RTLD_LOCAL);
        void *function = v->object ? dlsym(v->object, "model_trace") : NULL;
        memcpy(&v->trace, &function, sizeof function);
        ok = v->trace || diag_fail(v->diag, sb_text(&object), "it cannot be loaded");
    } else if (ok)
        fprintf(stderr, "there is no compiler that compiles it: the C is left out\n");
    sb_free(&source);
    sb_free(&header);
    sb_free(&path);
    sb_free(&object);
    return ok;
}

static void clean(struct verifying *v)
{
    static const char *const names[] = {"model.c", "model.h", "model.so"};
    char path[PATH + 16];
    if (v->object)
        dlclose(v->object);
    for (size_t i = 0; *v->folder && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", v->folder, names[i]);
        unlink(path);
    }
    if (*v->folder)
        rmdir(v->folder);
}

/* ---- comparing -------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct view *view)
{
    return view->count * (net_type_bits(view->type) / 8);
}

static void compare(struct verifying *v, const struct tensor *t, const void *wanted, const void *got,
                    size_t bytes, const char *who)
{
    v->elements += bytes;
    if (!memcmp(wanted, got, bytes))
        return;
    for (size_t i = 0; i < bytes; i++) {
        const uint8_t a = ((const uint8_t *)wanted)[i], b = ((const uint8_t *)got)[i];
        if (a != b && !v->differ)
            sb_addf(&v->first, "%.60s: byte %zu is %u on the device and %u %s", t->name, i, a, b, who);
        v->differ += a != b;
    }
}

/* The tensor that has what a step gives: that of the last node within its operator. */
static struct tensor *result_of(const struct verifying *v, size_t step)
{
    struct tensor *t = v->compiled.net->tensors[v->model.steps[step].out];
    size_t count;
    const struct layer *list = layers_list(v->layers.layers, &count);
    for (size_t i = 0; i < count; i++)
        if (list[i].op && list[i].node->outputs[0] == t)
            return list[list[i].last].node->outputs[0];
    return t;
}

static void after(void *context, int step, const void *result)
{
    struct verifying *v = context;
    struct tensor *t = result_of(v, (size_t)step);
    struct view view;
    if (run_get(v->device, t, &view))
        compare(v, t, view.data, result, bytes_of(&view), "in C");
}

/* The C on the inputs of the device's run. */
static bool run_c(struct verifying *v)
{
    struct net *net = v->compiled.net;
    const void *in[64];
    void *out[64];
    bool ok = net->input_count <= 64 && net->output_count <= 64;
    memset(out, 0, sizeof out);
    for (size_t i = 0; ok && i < net->input_count; i++) {
        struct view view;
        in[i] = run_get(v->device, net->inputs[i], &view) ? view.data : NULL;
    }
    for (size_t i = 0; ok && i < net->output_count; i++) {
        struct view view;
        ok = run_get(v->device, net->outputs[i], &view) && (out[i] = calloc(1, bytes_of(&view) + 1));
    }
    ok = ok && !v->trace(in, out, after, v);
    for (size_t i = 0; ok && i < net->output_count; i++) {
        struct view view;
        if (run_get(v->device, net->outputs[i], &view))
            compare(v, net->outputs[i], view.data, out[i], bytes_of(&view), "in C");
    }
    for (size_t i = 0; i < net->output_count && i < 64; i++)
        free(out[i]);
    return ok || diag_fail(v->diag, v->of->file, "its inputs and outputs cannot be taken");
}

static void compare_cpu(struct verifying *v)
{
    for (size_t s = 0; s < v->model.step_count; s++) {
        struct tensor *t = result_of(v, s);
        struct view device, cpu;
        if (run_get(v->device, t, &device) && run_get(v->cpu, t, &cpu))
            compare(v, t, device.data, cpu.data, bytes_of(&device), "on the CPU");
    }
}

/* ---- inputs ----------------------------------------------------------------------------------------- */

static bool draw(struct verifying *v, struct random *dice)
{
    const struct net *net = v->compiled.net;
    for (size_t i = 0; i < net->input_count; i++) {
        struct tensor *t = net->inputs[i];
        struct view view = {.type = t->type, .rank = t->shape ? t->shape->rank : 0, .count = 1};
        for (int d = 0; d < view.rank; d++) {
            view.dim[d] = t->shape->dim[d].value;
            view.count *= (size_t)view.dim[d];
        }
        uint8_t *bytes = malloc(bytes_of(&view) + 1);
        for (size_t b = 0; bytes && b < bytes_of(&view); b++)
            bytes[b] = (uint8_t)(random_next(dice) >> 56);
        view.data = bytes;
        const bool ok = bytes && run_set(v->device, t, &view) && run_set(v->cpu, t, &view);
        free(bytes);
        if (!ok)
            return false;
    }
    return true;
}

static bool given(struct verifying *v)
{
    static const struct feed_options options;
    struct tensor *t = v->compiled.net->inputs[0];
    struct view view;
    const bool ok = feed_file(v->compiled.net, t, v->of->input, &options, &view, v->diag) &&
                    run_set(v->device, t, &view) && run_set(v->cpu, t, &view);
    free(view.data);
    return ok;
}

static bool verify_input(struct verifying *v, struct random *dice)
{
    v->device = run_new(v->compiled.net, v->diag);
    v->cpu = v->device ? run_new(v->compiled.net, v->diag) : NULL;
    bool ok = v->cpu && (dice ? draw(v, dice) : given(v));
    if (ok) {
        layers_offer(v->layers.layers, v->device);
        ok = run_nodes(v->device) && run_nodes(v->cpu);
    }
    if (ok)
        compare_cpu(v);
    ok = ok && (!v->trace || run_c(v));
    run_free(v->cpu);
    run_free(v->device);
    v->inputs++;
    return ok;
}

/* ---- the command ------------------------------------------------------------------------------------ */

static bool verify(struct verifying *v)
{
    const struct request *q = v->of;
    struct strbuf device = {0};
    struct random dice = {(uint64_t)q->seed};
    bool ok = compiled_read(q->file, &v->compiled, v->diag);
    if (ok)
        sb_addf(&device, "model:%s", v->compiled.variant);
    const struct net_layers_options options = {.device = q->device ? q->device : sb_text(&device),
                                               .quiet = true,
                                               .seconds = SECONDS,
                                               .compiled = &v->compiled};
    ok = ok && net_layers_open(v->compiled.net, &options, &v->layers, v->diag) &&
         software_net(v->compiled.net, v->layers.layers, &v->model, v->diag) && (q->plain || compile(v));
    if (ok && q->input)
        ok = verify_input(v, NULL);
    for (int64_t i = 0; ok && i < q->random; i++)
        ok = verify_input(v, &dice);
    sb_free(&device);
    return ok;
}

static int run(const struct request *q)
{
    struct diag diag = {0};
    struct verifying v = {
        .of = q, .model = {.name = "model", .title = "A network.", .traced = true}, .diag = &diag};
    const bool ok = verify(&v);
    if (ok)
        printf("%zu inputs, %zu layers on %s%s and the CPU: %" PRIu64 " bytes compared, %" PRIu64 " differ\n",
               v.inputs, v.model.step_count, q->device ? q->device : "the model", v.trace ? ", in C" : "",
               v.elements, v.differ);
    if (v.differ)
        diag_error(&diag, (struct place){.file = q->file}, "%s", sb_text(&v.first));
    diag_report(&diag, stderr);
    clean(&v);
    software_free(&v.model);
    net_layers_close(&v.layers);
    net_free(v.compiled.net);
    compiled_close(&v.compiled);
    sb_free(&v.first);
    diag_free(&diag);
    return ok && !v.differ ? CLI_DONE : CLI_FAILED;
}

int software_verify(int argc, char **argv)
{
    struct request q = {.random = 3, .seed = 1};
    const char *random = NULL, *seed = NULL;
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--device", .value = &q.device},
        {.name = "--input", .value = &q.input},
        {.name = "--random", .value = &random, .number = &q.random, .max = 100000},
        {.name = "--seed", .value = &seed, .number = &q.seed, .max = INT64_MAX},
        {.name = "--no-compiler", .flag = &q.plain},
        {.name = "--help", .letter = "-h", .flag = &q.asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&q.file, 1, NULL}, &diag);
    if (!q.asked && !q.file)
        diag_error(&diag, (struct place){0}, "verify what? give a compiled network");
    if (diag.errors && !q.asked)
        return cli_usage("net", &diag);
    diag_free(&diag);
    if (!q.asked)
        return run(&q);
    fputs(help, stdout);
    return CLI_DONE;
}
