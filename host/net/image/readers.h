/* SPDX-License-Identifier: Apache-2.0
 *
 * The readers of the formats: each fills an image, whose pixels it takes by
 * image_make() once it knows the size.
 */
#ifndef TULLE_HOST_NET_IMAGE_READERS_H
#define TULLE_HOST_NET_IMAGE_READERS_H

#include "host/net/image/image.h"

/* False after an error at the byte `at` of the file: the size is refused, or the memory is full. */
bool image_make(struct image *image, const struct source *source, const void *at, uint64_t width,
                uint64_t height, unsigned channels, struct diag *diag);

typedef bool image_reader(const struct source *source, struct image *image, struct diag *diag);
image_reader pnm_read, bmp_read, png_read, jpeg_read;

#endif
