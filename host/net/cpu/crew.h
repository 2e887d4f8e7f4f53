/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that share the work of a layer. The pieces of work write places of their own, so that results do
 * not depend on how many threads there are.
 */
#ifndef TULLE_HOST_NET_CREW_H
#define TULLE_HOST_NET_CREW_H

#include <stdbool.h>
#include <stdint.h>

enum { CREW_MOST = 256 };

struct crew;
/* Of so many threads, the caller's own among them; the others start with the first work that is large enough.
 * Where the system gives fewer, these do it all. NULL: out of memory. */
struct crew *crew_new(unsigned threads);
void crew_free(struct crew *crew);

/* Does elements `begin` to `end` of the work. False: out of memory. */
typedef bool crew_function(const void *context, int64_t begin, int64_t end);
/* Does elements 0 to `count`, each of which takes about `cost` nanoseconds, and returns after the last. The
 * caller does small work alone, and all of it when `crew` is NULL. False: some of it failed. */
bool crew_share(struct crew *crew, int64_t count, int64_t cost, crew_function *function, const void *context);

#endif
