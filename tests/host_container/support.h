/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers to read, right ones and forged ones.
 */
#ifndef TULLE_TESTS_CONTAINER_H
#define TULLE_TESTS_CONTAINER_H

#include "host/container/container.h"

/* One of the variant tiny; "verilated" ones have the payload's beginning from a shared object, and nothing
 * that could be run. */
struct container some_container(enum container_kind kind);
struct strbuf written(const struct container *container);

/* A container around any manifest and payload, with right lengths and checksums of header and manifest. */
struct strbuf forged(const char *manifest, const void *payload, size_t bytes);

/* The manifest of some_container(kind), with `from`, which must be there once, replaced by `to`. */
struct strbuf changed(enum container_kind kind, const char *from, const char *to);

/* Reading fails, and the reason has `word` in it. */
void refused(const struct strbuf *bytes, const char *word);

#endif
