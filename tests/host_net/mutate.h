/* SPDX-License-Identifier: Apache-2.0
 *
 * Wrong bytes for tests of readers.
 */
#ifndef TULLE_TESTS_HOST_NET_MUTATE_H
#define TULLE_TESTS_HOST_NET_MUTATE_H

#include "gen/base/random.h"
#include "gen/base/strbuf.h"

/* A few bytes are changed, left out, doubled or moved, most often one. */
void mutate(struct random *random, struct strbuf *bytes);

#endif
