/* SPDX-License-Identifier: Apache-2.0
 *
 * From values to a scale and a zero point: what is counted of the values, and how a
 * range is chosen from that. The range has 0 in it, which gets a code of its own.
 */
#ifndef TULLE_HOST_NET_RANGE_H
#define TULLE_HOST_NET_RANGE_H

#include "host/net/quantise/quantise.h"

enum { HISTOGRAM_BINS = 2048 };

struct histogram {
    double low, high; /* of all values and 0 */
    double zeros;     /* values that are 0 are in no bin */
    double *bins;     /* NULL: only the range is known */
};

/* value = scale * (code - zero), for codes from low to high */
struct code {
    enum net_type type;
    float scale;
    int32_t zero, low, high;
};

/* The code of a type for values between two numbers, which are taken as if 0 were one of them. */
struct code code_for(enum net_type type, bool symmetric, double low, double high);
int32_t code_nearest(const struct code *code, double value);
double code_value(const struct code *code, int32_t integer);

/* Widens the range, or counts a value in it once the range is known. */
void histogram_widen(struct histogram *h, double value);
void histogram_count(struct histogram *h, double value);
/* The code for the values that were counted. */
struct code histogram_code(const struct histogram *h, const struct quantise_options *o, enum net_type type);

#endif
