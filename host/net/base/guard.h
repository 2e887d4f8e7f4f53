/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that nobody may touch, under the address sanitizer. Allocations from one piece have a gap of GAP
 * bytes between them there.
 */
#ifndef TULLE_HOST_NET_GUARD_H
#define TULLE_HOST_NET_GUARD_H

#if defined __SANITIZE_ADDRESS__
#define GUARDED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define GUARDED 1
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
enum { GAP = 0 };
#define ASAN_POISON_MEMORY_REGION(at, bytes) ((void)(at))
#define ASAN_UNPOISON_MEMORY_REGION(at, bytes) ((void)(at))
#endif

#endif
