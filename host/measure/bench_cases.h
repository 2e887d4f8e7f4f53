/* SPDX-License-Identifier: Apache-2.0
 *
 * The case files of host/measure that the build embeds.
 */
#ifndef TULLE_HOST_MEASURE_BENCH_CASES_H
#define TULLE_HOST_MEASURE_BENCH_CASES_H

#include <stddef.h>

struct bench_cases_source {
    const char *name, *label, *text;
};
extern const struct bench_cases_source bench_cases_sources[];
extern const size_t bench_cases_source_count;

#endif
