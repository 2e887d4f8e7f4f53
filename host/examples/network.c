/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs a network on a stream of inputs and looks inside it: for each, the place of the largest element of the
 * output, and the largest element of a result inside the network.
 *
 *     cc -std=c11 network.c $(pkg-config --cflags --libs tulle) -o network
 *     ./network NET LAYER [DEVICE] < inputs.raw        without DEVICE on the CPU
 */
#include <stdio.h>
#include <stdlib.h>
#include <tulle.h>

static void check(enum tulle_status status)
{
    if (!status)
        return;
    fprintf(stderr, "network: error: %s: %s\n", tulle_status_text(status), tulle_message());
    exit(1);
}

static double element(const struct tulle_tensor *t, size_t i)
{
    return t->type == TULLE_ELEMENT_INT8    ? ((const int8_t *)t->values)[i]
           : t->type == TULLE_ELEMENT_UINT8 ? ((const uint8_t *)t->values)[i]
                                            : (double)((const float *)t->values)[i];
}

static size_t largest(const struct tulle_tensor *t)
{
    const size_t count = t->type == TULLE_ELEMENT_FLOAT32 ? t->bytes / sizeof(float) : t->bytes;
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = element(t, i) > element(t, best) ? i : best;
    return best;
}

static void make_room(struct tulle_tensor *t)
{
    if ((t->values = malloc(t->bytes)))
        return;
    fputs("network: error: out of memory\n", stderr);
    exit(1);
}

int main(int argc, char **argv)
{
    struct tulle_net_options options = {.size = sizeof options, .sized = 1};
    struct tulle_net *net = NULL;
    struct tulle_tensor in = {.size = sizeof in}, out = {.size = sizeof out},
                        inside = {.size = sizeof inside};
    if (argc < 3 || argc > 4)
        return fputs("usage: network NET LAYER [DEVICE] < inputs.raw\n", stderr), 2;
    if (argc > 3)
        check(tulle_device_open(argv[3], NULL, &options.device));
    check(tulle_net_load(argv[1], &options, &net));
    check(tulle_net_mark(net, argv[2], 1));
    check(tulle_net_input(net, 0, &in));
    check(tulle_net_output(net, 0, &out));
    check(tulle_net_output(net, 1, &inside));
    make_room(&in);
    make_room(&out);
    make_room(&inside);
    while (fread(in.values, 1, in.bytes, stdin) == in.bytes) {
        check(tulle_net_run(net, (const struct tulle_tensor *const[]){&in}, 1,
                            (struct tulle_tensor *const[]){&out, &inside}, 2));
        printf("%zu, and up to %g in %s\n", largest(&out), element(&inside, largest(&inside)), inside.name);
    }
    free(in.values);
    free(out.values);
    free(inside.values);
    tulle_net_free(net);
    tulle_device_close(options.device);
    return 0;
}
