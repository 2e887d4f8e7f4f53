/* SPDX-License-Identifier: Apache-2.0
 *
 * The manifest of a container: JSON with exactly the keys of
 * docs/containers.md.
 */
#ifndef TULLE_HOST_MANIFEST_H
#define TULLE_HOST_MANIFEST_H

#include "host/container/container.h"

/* Fills everything but the payload's bytes. False with the reason. */
bool manifest_read(const char *text, size_t length, struct container *container, struct strbuf *why);

/* Writes the manifest of a container whose hash and checksum are set. */
bool manifest_write(const struct container *container, struct strbuf *to, struct strbuf *why);

/* Whether the text is a container_word. */
bool manifest_word(const char *text);

#endif
