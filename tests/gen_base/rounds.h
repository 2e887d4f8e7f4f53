/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_TESTS_GEN_BASE_ROUNDS_H
#define TULLE_TESTS_GEN_BASE_ROUNDS_H

/* Rounds of a test with random cases. Sanitizers look for other mistakes, and make each round many times as
 * slow. */
#if defined __SANITIZE_ADDRESS__
#define FEWER_ROUNDS(count) ((count) / 4)
#else
#define FEWER_ROUNDS(count) (count)
#endif

#endif
