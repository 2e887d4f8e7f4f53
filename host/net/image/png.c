/* SPDX-License-Identifier: Apache-2.0
 *
 * PNG by libpng. Palettes become colours, 16 bits become 8, and opacity is
 * dropped.
 */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "host/net/image/readers.h"

struct reading {
    const struct source *source;
    struct diag *diag;
    size_t place;
    struct image *image;
    png_bytep *rows;
};

static void fail(png_structp png, png_const_charp message)
{
    struct reading *r = png_get_error_ptr(png);
    source_error(r->source, r->source->bytes + r->place, r->diag, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void warn(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void give(png_structp png, png_bytep to, size_t count)
{
    struct reading *r = png_get_io_ptr(png);
    if (count > r->source->size - r->place) {
        r->place = r->source->size;
        png_error(png, "the file is cut off");
    }
    memcpy(to, r->source->bytes + r->place, count);
    r->place += count;
}

/* A function of its own, as a jump out of libpng ends it. */
static bool decode(png_structp png, png_infop info, struct reading *r)
{
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_set_read_fn(png, r, give);
    png_set_user_limits(png, IMAGE_PIXELS_MOST, IMAGE_PIXELS_MOST);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const unsigned channels = png_get_channels(png, info);
    if (!image_make(r->image, r->source, r->source->bytes + 16, png_get_image_width(png, info),
                    png_get_image_height(png, info), channels, r->diag))
        return false;
    r->rows = calloc(r->image->height, sizeof *r->rows);
    if (!r->rows || png_get_rowbytes(png, info) != (size_t)r->image->width * channels)
        png_error(png, "out of memory");
    for (uint32_t y = 0; y < r->image->height; y++)
        r->rows[y] = r->image->pixels + (size_t)y * r->image->width * channels;
    png_read_image(png, r->rows);
    png_read_end(png, NULL);
    return true;
}

bool png_read(const struct source *source, struct image *image, struct diag *diag)
{
    struct reading r = {.source = source, .diag = diag, .image = image};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &r, fail, warn);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    const bool ok = info && decode(png, info, &r);
    if (!info)
        diag_error(diag, (struct place){.file = source->path}, "out of memory");
    png_destroy_read_struct(png ? &png : NULL, info ? &info : NULL, NULL);
    free(r.rows);
    return ok;
}
