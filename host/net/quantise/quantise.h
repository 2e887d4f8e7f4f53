/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes a network of integers from one of floats: every convolution and matrix
 * product with constant weights gets quantised operands and results, as
 * QuantizeLinear and DequantizeLinear nodes around it (QDQ), which other programs
 * run, too. Ranges of activations come from samples of the network's inputs.
 *
 * How it works is in docs/quantise.md.
 */
#ifndef TULLE_HOST_NET_QUANTISE_H
#define TULLE_HOST_NET_QUANTISE_H

#include "host/net/cpu/cpu.h"

/* What a range of values is chosen by. */
enum quantise_ranges {
    QUANTISE_ERROR,      /* the least mean squared error */
    QUANTISE_MIN_MAX,    /* all values are within */
    QUANTISE_PERCENTILE, /* so many of them */
    QUANTISE_ENTROPY /* the least divergence of the distribution from that of the codes (Kullback, Leibler) */
};

enum { PRUNE_BLOCK_MOST = 64 }; /* input channels of a pattern */

/* Weights that become zero before the network is quantised. */
struct prune_options {
    double share;      /* of the weights, those of the least magnitude; 0: none */
    bool global;       /* the share is one of all layers, not of each */
    unsigned keep, of; /* so many of as many input channels in a row are left, the largest; of 0: all */
    double channels;   /* share of the output channels of each layer but the last, those of the least sum */
};

struct quantise_options {
    enum quantise_ranges ranges;
    double percentile;      /* in percent */
    bool unsigned_codes;    /* activations are uint8, not int8 */
    bool symmetric;         /* the zero point of activations is 0 */
    bool per_tensor;        /* weights have one scale, not one for each output channel */
    bool equalise, correct; /* scales across layers; means of results */
    double wide_below;      /* dB: what has less keeps 16 bits */
    const char **wide;      /* tensors, or nodes whose results, keep 16 bits */
    unsigned wide_count;
    struct prune_options prune;
};

/* Values of the inputs: those of sample i are views[i * inputs] and so on. */
struct quantise_samples {
    size_t count;
    const struct view *views;
    unsigned threads; /* share the work of large nodes; 0: as 1. Results are the same */
};

/* Sums of squares, and the largest difference. */
struct quantise_error {
    double signal, noise, largest;
};

struct quantise_tensor {
    const char *name, *made_by; /* the operator; "" for an input */
    enum net_type type;
    float scale;
    int32_t zero;
    bool is_result;                 /* of a layer, not moved from one */
    struct quantise_error own, all; /* of its own rounding; of all before it as well */
};

struct quantise_output {
    const char *name;
    struct quantise_error pruned, all; /* of pruning alone, and of everything */
    size_t rows, pruned_same, same;    /* of classes, and those whose largest element stays where it was */
};

struct quantise_report {
    struct quantise_tensor *tensors;
    size_t tensor_count;
    struct quantise_output *outputs;
    size_t output_count;
    bool pruned;
    size_t layers, samples, weights, zeros_before, zeros; /* zeros: weights whose code is 0 */
};

/* Quantises `net`, which then is in the form that the CPU's integer kernels run. `reference` is another
 * reading of the same file. The QDQ form is appended to `onnx` as an ONNX file. What the report names lives
 * as long as the network. False after an error. */
bool quantise_net(struct net *net, struct net *reference, const struct quantise_samples *samples,
                  const struct quantise_options *options, struct strbuf *onnx, struct quantise_report *report,
                  struct diag *diag);
void quantise_report_free(struct quantise_report *report);

/* In decibels; infinite when there is no noise. */
double quantise_decibels(const struct quantise_error *error);

/* As text, and as JSON. */
void quantise_report_text(const struct quantise_report *report, struct strbuf *to);
void quantise_report_json(const struct quantise_report *report, struct strbuf *to);

#endif
