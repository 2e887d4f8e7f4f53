/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a network: neighbours on the device that are one job (host/operator/sequence.h).
 *
 * Layers are put into an order in which as many as possible stand together: all that the device can compute
 * as soon as their inputs are there, then all that the CPU can, and so on. What stands together in it is a
 * part. So a part never waits for a layer outside that waits for the part. Nodes that only see a tensor in
 * another form belong to the part when all their readers do, and nodes that cut or put together images
 * (pieces.h) when it makes all that they read.
 */
#ifndef TULLE_HOST_NET_DEVICE_PARTS_H
#define TULLE_HOST_NET_DEVICE_PARTS_H

#include "host/net/device/layers.h"

/* An operand that the host gives to a part, and which layer reads it. */
struct part_input {
    size_t layer;
    struct tensor *tensor;
    struct tulle_matrix matrix;
    void *copy; /* while the part runs: others may free the tensor's numbers before */
};

struct part_output {
    struct tensor *tensor;
    size_t layer; /* that makes it, folds included */
    struct tulle_output output;
};

/* What sees an output in another form, and is wanted, too. */
struct part_copy {
    size_t output;
    struct tensor *tensor;
};

/* What a layer has read in the first run; no values: not known. */
struct part_sample {
    double density; /* the share that is not 0 */
    void *values;
};

struct part {
    size_t first, last; /* layers, in their order */
    size_t layers;      /* that are operators of it */
    bool sees_pieces;   /* some make or read pieces of images */
    struct tulle_operator *op;
    struct part_input *inputs;
    struct part_output *outputs;
    struct part_copy *copies;
    size_t input_count, output_count, copy_count;
    uint64_t predicted;
    struct part_sample *samples;      /* of each layer from `first` on */
    bool learns;                      /* from its first run how many activations are 0 */
    uint8_t digest[JOB_DIGEST_BYTES]; /* of its steps */
    struct tulle_counters counters;   /* of its last run */
};

/* Whether a job in a part may join its results with a value: convolutions of all channels do. */
bool parts_may_join(const struct job *job);

/* Puts the network's nodes and their layers, whose jobs are made, into the order of parts. `phase` gets
 * numbers that layers of one part share; 0: on the CPU. False: out of memory. */
bool parts_order(struct net *net, struct layer *list, size_t count, unsigned *phase);

/* Makes the operator of layers first .. last, which stand together. TULLE_UNSUPPORTED: layer *failed cannot
 * be in a part. `all`: the host gets the results of every layer. The operator is the maker's, if it makes
 * any. */
enum tulle_status part_make(struct part *part, const struct net *net, const struct layer *list, size_t count,
                            struct tulle_device *device, const struct layers_maker *maker, bool all,
                            size_t *failed);
void part_free(struct part *part);

/* Keeps what the CPU gives to layer `at` until the part learns. False: out of memory. */
bool part_count(struct part *part, const struct layer *list, size_t at, const struct call *c);
/* The operator again, for activations like those that were kept. Without room for it the part stays as it is.
 */
void part_learn(struct part *part, const struct net *net, const struct layer *list, size_t count,
                struct tulle_device *device);

/* Whether the node only sees a value in another form, so that it is in the part that makes the value. */
bool part_views(const struct node *node);

/* Whether the tensor has its value after a run. */
bool part_gives(const struct part *part, const struct tensor *tensor);

/* Takes what the host gives layer `at`. False: out of memory. */
bool part_take(struct part *part, size_t at, const struct call *c);
/* Runs it; results go to `give`. */
enum tulle_status part_run(struct part *part, unsigned milliseconds,
                           void *(*give)(void *context, const struct part_output *output), void *context);

#endif
