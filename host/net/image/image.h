/* SPDX-License-Identifier: Apache-2.0
 *
 * Images as inputs of networks: PPM and PGM (binary, 8 bits), BMP (without
 * compression), PNG and JPEG. What a file holds decides, not its name. A file
 * is read completely or refused; its size is checked before memory is taken.
 */
#ifndef TULLE_HOST_NET_IMAGE_H
#define TULLE_HOST_NET_IMAGE_H

#include "host/net/base/source.h"

/* Pixels of an image that is read: 8192 x 8192. */
enum { IMAGE_PIXELS_MOST = 1 << 26 };

/* Rows from the top, without gaps: gray, or red, green, blue. */
struct image {
    uint32_t width, height;
    unsigned channels; /* 1 or 3 */
    uint8_t *pixels;
};

/* Whether the bytes are an image's. */
bool image_is(const uint8_t *bytes, size_t size);

/* False after an error, which names the byte. */
bool image_read(const char *path, struct image *image, struct diag *diag);
void image_free(struct image *image);

#endif
