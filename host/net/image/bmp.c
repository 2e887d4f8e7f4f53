/* SPDX-License-Identifier: Apache-2.0
 *
 * BMP without compression: 24 and 32 bits, and 8 bits with a palette.
 */
#include <string.h>

#include "host/net/image/readers.h"

enum {
    FILE_HEADER = 14,
    INFO = 40, /* bytes of the information header that all versions have */
    COLOURS_MOST = 256,
    NO_COMPRESSION = 0,
    MASKS = 3
};

struct bmp {
    const struct source *source;
    struct diag *diag;
    uint32_t data, info, compression, colours;
    int32_t width, height; /* a negative height: rows from the top */
    unsigned bits;
};

static uint32_t at(const struct bmp *b, size_t place, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint32_t)b->source->bytes[place + i] << 8 * i;
    return value;
}

static bool refuse(const struct bmp *b, size_t place, const char *cause)
{
    source_error(b->source, b->source->bytes + place, b->diag, "%s", cause);
    return false;
}

/* Masks of the usual order are no compression. */
static bool usual_masks(const struct bmp *b)
{
    return b->bits == 32 && b->source->size >= FILE_HEADER + INFO + 12 &&
           at(b, FILE_HEADER + INFO, 4) == 0xff0000 && at(b, FILE_HEADER + INFO + 4, 4) == 0xff00 &&
           at(b, FILE_HEADER + INFO + 8, 4) == 0xff;
}

static bool take_header(struct bmp *b)
{
    if (b->source->size < FILE_HEADER + INFO)
        return refuse(b, b->source->size, "the file ends in its header; it is cut off");
    b->data = at(b, 10, 4);
    b->info = at(b, 14, 4);
    b->width = (int32_t)at(b, 18, 4);
    b->height = (int32_t)at(b, 22, 4);
    b->bits = at(b, 28, 2);
    b->compression = at(b, 30, 4);
    b->colours = at(b, 46, 4);
    if (b->info < INFO)
        return refuse(b, 14, "the header is of an old version; save the image again");
    if (b->bits != 8 && b->bits != 24 && b->bits != 32)
        return refuse(b, 28, "a pixel has not 8, 24 or 32 bits; save the image with 24");
    if (b->compression != NO_COMPRESSION && !(b->compression == MASKS && usual_masks(b)))
        return refuse(b, 30, "the pixels are compressed; save the image without compression");
    b->colours = b->bits == 8 && !b->colours ? COLOURS_MOST : b->colours;
    if (b->bits == 8 && b->colours > COLOURS_MOST)
        return refuse(b, 46, "the palette has more than 256 colours");
    if (b->width <= 0 || b->height == INT32_MIN)
        return refuse(b, 18, "the width or height is none");
    return true;
}

static bool is_gray(const struct bmp *b, size_t palette)
{
    for (size_t i = 0; i < b->colours; i++)
        if (at(b, palette + 4 * i, 1) != at(b, palette + 4 * i + 1, 1) ||
            at(b, palette + 4 * i, 1) != at(b, palette + 4 * i + 2, 1))
            return false;
    return true;
}

/* A row's pixels; blue comes first in the file. */
static bool take_row(const struct bmp *b, size_t from, size_t palette, struct image *image, uint8_t *to)
{
    for (uint32_t x = 0; x < image->width; x++) {
        size_t place = from + (size_t)x * b->bits / 8;
        if (b->bits == 8) {
            if (b->source->bytes[place] >= b->colours)
                return refuse(b, place, "the pixel has a colour that the palette has not");
            place = palette + 4 * (size_t)b->source->bytes[place];
        }
        for (unsigned c = 0; c < image->channels; c++)
            *to++ = b->source->bytes[place + (image->channels == 3 ? 2 - c : 0)];
    }
    return true;
}

bool bmp_read(const struct source *source, struct image *image, struct diag *diag)
{
    struct bmp b = {.source = source, .diag = diag};
    if (!take_header(&b))
        return false;
    const uint64_t height = b.height < 0 ? 0 - (uint64_t)(int64_t)b.height : (uint64_t)b.height;
    const size_t palette = FILE_HEADER + (size_t)b.info,
                 palette_bytes = b.bits == 8 ? 4 * (size_t)b.colours : 0;
    if (palette > source->size || palette_bytes > source->size - palette)
        return refuse(&b, source->size, "the file ends in its palette; it is cut off");
    const unsigned channels = b.bits == 8 && is_gray(&b, palette) ? 1 : 3;
    if (!image_make(image, source, source->bytes + 18, (uint64_t)b.width, height, channels, diag))
        return false;
    /* Rows are padded to four bytes. */
    const size_t row = ((size_t)b.width * b.bits + 31) / 32 * 4;
    if (b.data < palette + palette_bytes || b.data > source->size ||
        (source->size - b.data) / row < image->height)
        return refuse(&b, b.data > source->size ? source->size : b.data,
                      "the pixels do not lie in the file; it is cut off");
    for (uint32_t y = 0; y < image->height; y++)
        if (!take_row(&b, b.data + row * (b.height < 0 ? y : image->height - 1 - y), palette, image,
                      image->pixels + (size_t)y * image->width * channels))
            return false;
    return true;
}
