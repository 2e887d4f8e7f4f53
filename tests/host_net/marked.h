/* SPDX-License-Identifier: Apache-2.0
 *
 * A random network whose results are marked as external outputs, some at a time: what that must not change,
 * and what marked results must be.
 */
#ifndef TULLE_TESTS_HOST_NET_MARKED_H
#define TULLE_TESTS_HOST_NET_MARKED_H

#include "host/net/marks/marks.h"

/* Results, by name, with their own numbers. */
enum { RESULTS_MOST = 160 };
struct results {
    size_t count;
    struct {
        char name[64];
        struct view view;
    } of[RESULTS_MOST];
    double largest; /* of all numbers */
};

struct marked {
    uint64_t seed; /* of the inputs' numbers, too */
    double part;   /* of the largest number, by which passes may change a result */
    bool settles;  /* all passes run before anything is marked */
    /* After the passes. What it gives is the context of the others; NULL: on the CPU. */
    void *(*begin)(struct net *net);
    bool (*gives)(const void *context, const struct tensor *tensor);
    void (*run)(void *context, struct run *run);
    void (*end)(void *context);
};

/* Marks all results of the network in "graph.onnx", then none, then random ones. Returns how many marks were
 * of results that the network had not any more. */
size_t marked_check(const struct marked *how);
/* Marks every subset, when there are at most so many results. False: there are more. */
bool marked_check_all(const struct marked *how, size_t most);

/* The outputs of a run on the CPU in their order, with marks; or all that nodes give (`marks` NULL). */
struct results *results_of(struct net *net, struct marks *marks, uint64_t seed);
const struct view *results_find(const struct results *results, const char *name);
void results_free(struct results *results);

#endif
