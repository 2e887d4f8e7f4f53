/* SPDX-License-Identifier: Apache-2.0
 *
 * Random problems of placement, and the least time of all placements.
 */
#ifndef TULLE_TESTS_HOST_NET_PLACE_PROBLEMS_H
#define TULLE_TESTS_HOST_NET_PLACE_PROBLEMS_H

#include "gen/base/random.h"
#include "host/net/place/strategy.h"

/* The host can run everything. Costs are small whole numbers, so sums are exact. */
struct place_problem random_problem(struct random *random, size_t processors, size_t operations);
/* Every operation reads the last one's result, or two of the last three: a network of branches that join. */
struct place_problem series_parallel(struct random *random, size_t processors, size_t operations);
/* Of all placements. */
double least_of_all(const struct place_problem *p);

#endif
