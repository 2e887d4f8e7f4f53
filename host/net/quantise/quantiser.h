/* SPDX-License-Identifier: Apache-2.0
 *
 * What the steps of the quantiser share: the layers of a network, with weights of
 * their own, and the tensors that get integers.
 */
#ifndef TULLE_HOST_NET_QUANTISER_H
#define TULLE_HOST_NET_QUANTISER_H

#include "host/net/pass/edit.h"
#include "host/net/quantise/quantise.h"
#include "host/net/quantise/range.h"

/* A tensor that gets integers. */
struct site {
    struct tensor *tensor;
    size_t group; /* the site whose numbers it has: itself, or one before it */
    bool moved;   /* its values are others' of the group */
    bool wide;
    struct histogram values; /* of the group, where it is its own */
    struct code code;
    double signal, noise;        /* sums of squares of the group's values, and of what their rounding loses */
    struct tensor *integers;     /* once they are in the graph */
    struct tensor *scale, *zero; /* likewise; of the group */
};

/* A product with constant weights. Weight i belongs to output channel i / inner % channels. */
struct layer {
    struct node *node;
    struct tensor *weights, *bias; /* of the layer alone; no bias: NULL */
    float *w, *b;                  /* their numbers */
    float *full;                   /* weights before pruning; NULL: the same */
    size_t count, channels, inner;
    size_t inputs, groups; /* channels of its input */
    bool columns;          /* weights are [inputs][outputs], not [outputs][inputs] and so on */
    float *scale;          /* of weights: one, or one for each channel */
    size_t scales;
    double *shift;  /* what its bias grows by, for each channel */
    size_t in, out; /* sites */
};

struct quantiser {
    struct net *net;
    const struct quantise_options *options;
    const struct quantise_samples *samples;
    struct diag *diag;
    struct site *sites;
    size_t site_count;
    struct layer *layers;
    size_t layer_count;
};

void quantiser_free(struct quantiser *q);
/* Memory is out: false. */
bool quantiser_no_memory(const struct quantiser *q);

/* ---- layers.c ------------------------------------------------------------------------------------ */

/* Brings the network to the form that is quantised, and finds its layers. False after an error. */
bool quantiser_layers(struct quantiser *q);
struct layer *layer_of(const struct quantiser *q, const struct node *node);
/* The output channel, and the input channel, of a weight. */
size_t layer_output(const struct layer *l, size_t weight);
size_t layer_input(const struct layer *l, size_t weight);
/* The only node that reads a tensor which is no output; NULL: there is none. */
struct node *reader_of(struct net *net, const struct tensor *t);

/* ---- other steps --------------------------------------------------------------------------------- */

bool quantiser_prune(struct quantiser *q);    /* prune.c */
bool quantiser_equalise(struct quantiser *q); /* equalise.c */
bool quantiser_sites(struct quantiser *q);    /* sites.c */
/* NULL: the tensor stays floats. */
struct site *site_of(const struct quantiser *q, const struct tensor *t);
bool quantiser_calibrate(struct quantiser *q); /* calibrate.c: codes of sites, scales of weights */
bool quantiser_insert(struct quantiser *q);    /* insert.c */

/* ---- means.c ------------------------------------------------------------------------------------- */

/* Weights and biases give the results of each channel the mean and the deviation that pruning has changed. */
bool quantiser_repair(struct quantiser *q);
/* What rounding weights changes in them becomes shifts of the biases. */
bool quantiser_correct(struct quantiser *q);

/* ---- runs (samples.c) ---------------------------------------------------------------------------- */

/* A run with a sample as its inputs; NULL after an error. */
struct run *sample_run(struct net *net, const struct quantise_samples *samples, size_t sample,
                       struct diag *diag);

/* ---- measure.c ----------------------------------------------------------------------------------- */

/* Outputs of the network for each sample: [samples][outputs]. NULL after an error. */
struct view *outputs_of(struct net *net, const struct quantise_samples *samples, struct diag *diag);
void outputs_free(struct view *outputs, size_t count);
/* What the integers of q->net differ by from the floats of `reference`, and its outputs from `first`. */
bool quantiser_measure(const struct quantiser *q, struct net *reference, const struct view *first,
                       struct quantise_report *report);

/* ---- weights.c ----------------------------------------------------------------------------------- */

/* Scales for the weights of a layer whose input has that scale. */
void weights_scale(struct layer *l, float input_scale, bool per_tensor);
int weight_code(const struct layer *l, size_t weight);
/* The code of a channel's bias, with the layer's shift. */
int32_t bias_code(const struct layer *l, size_t channel, float input_scale);
float bias_scale(const struct layer *l, size_t channel, float input_scale);

#endif
