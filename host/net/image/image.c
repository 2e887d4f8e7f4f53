/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/image/image.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/image/readers.h"

static const struct {
    const char *first;
    size_t size;
    image_reader *read;
} formats[] = {
    {"P5", 2, pnm_read},
    {"P6", 2, pnm_read},
    {"BM", 2, bmp_read},
    {"\x89PNG\r\n\x1a\n", 8, png_read},
    {"\xff\xd8\xff", 3, jpeg_read},
};

static image_reader *reader_of(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (size >= formats[i].size && !memcmp(bytes, formats[i].first, formats[i].size))
            return formats[i].read;
    return NULL;
}

bool image_is(const uint8_t *bytes, size_t size)
{
    return reader_of(bytes, size) != NULL;
}

bool image_make(struct image *image, const struct source *source, const void *at, uint64_t width,
                uint64_t height, unsigned channels, struct diag *diag)
{
    if (!width || !height || width > IMAGE_PIXELS_MOST || height > IMAGE_PIXELS_MOST / width) {
        source_error(source, at, diag,
                     "the image has %" PRIu64 " x %" PRIu64 " pixels; from 1 to %d are read", width, height,
                     IMAGE_PIXELS_MOST);
        return false;
    }
    *image = (struct image){.width = (uint32_t)width, .height = (uint32_t)height, .channels = channels};
    image->pixels = malloc((size_t)width * (size_t)height * channels);
    if (!image->pixels)
        diag_error(diag, (struct place){.file = source->path}, "out of memory");
    return image->pixels != NULL;
}

void image_free(struct image *image)
{
    free(image->pixels);
    *image = (struct image){.width = 0};
}

bool image_read(const char *path, struct image *image, struct diag *diag)
{
    struct source source;
    *image = (struct image){.width = 0};
    if (!source_open(&source, path, diag))
        return false;
    image_reader *read = reader_of(source.bytes, source.size);
    if (!read)
        source_error(&source, source.bytes, diag,
                     "this is no image that is read: PPM (P6), PGM (P5), BMP, PNG or JPEG");
    const bool ok = read && read(&source, image, diag);
    if (!ok)
        image_free(image);
    source_close(&source);
    return ok;
}
