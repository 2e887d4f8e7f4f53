/* SPDX-License-Identifier: Apache-2.0
 *
 * Random networks for tests: files that a seed makes, with what passes look for.
 */
#ifndef TULLE_TESTS_HOST_NET_RANDOM_GRAPHS_H
#define TULLE_TESTS_HOST_NET_RANDOM_GRAPHS_H

#include "gen/base/random.h"
#include "gen/base/strbuf.h"

/* Convolutions, pools, functions, sums, and nodes that do nothing or are constant: floats. */
void graph_of_floats(struct random *random, const char *path);

/* Convolutions between DequantizeLinear and QuantizeLinear, and with several of them a matrix product behind
 * them. `exact`: all scales are powers of two. */
void graph_of_scales(struct random *random, unsigned layers, bool exact, const char *path);

/* Convolutions, Concat, Flatten or the like, and matrix products, whose weights have rows and columns of
 * zeros. */
void graph_of_dead_channels(struct random *random, const char *path);

/* Layers of integers in floats: Conv, Mul, Add, Div, Floor or Cast, Clip. */
void graph_of_integers(struct random *random, const char *path);

#endif
