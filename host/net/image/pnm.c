/* SPDX-License-Identifier: Apache-2.0
 *
 * PPM and PGM in their binary form.
 */
#include <inttypes.h>
#include <string.h>

#include "host/net/image/readers.h"

/* Blanks, line ends, and comments up to the end of their line. */
static const uint8_t *skip(const uint8_t *at, const uint8_t *end)
{
    bool comment = false;
    for (; at < end; at++) {
        comment = (comment && *at != '\n') || *at == '#';
        if (!comment && !strchr(" \t\r\n\v\f", *at))
            break;
        if (!*at)
            break;
    }
    return at;
}

/* A number and the blank behind it. */
static bool take(const struct source *source, const uint8_t **at, const char *what, uint64_t *value,
                 struct diag *diag)
{
    enum { MOST = 1 << 30 };
    const uint8_t *const end = source->bytes + source->size, *begin = skip(*at, end), *now = begin;
    for (*value = 0; now < end && *now >= '0' && *now <= '9' && *value < MOST; now++)
        *value = *value * 10 + (uint64_t)(*now - '0');
    if (now == begin || now == end || !strchr(" \t\r\n", *now) || !*now) {
        source_error(source, begin, diag, "here should be %s and a blank behind it", what);
        return false;
    }
    *at = now + 1;
    return true;
}

bool pnm_read(const struct source *source, struct image *image, struct diag *diag)
{
    const unsigned channels = source->bytes[1] == '6' ? 3 : 1;
    const uint8_t *at = source->bytes + 2;
    uint64_t width, height, largest;
    if (!take(source, &at, "the width", &width, diag) || !take(source, &at, "the height", &height, diag))
        return false;
    const uint8_t *const depth = at;
    if (!take(source, &at, "the largest value", &largest, diag))
        return false;
    if (largest != 255) {
        source_error(source, depth, diag,
                     "the largest value is %" PRIu64 "; images of 8 bits, with 255, are read", largest);
        return false;
    }
    if (!image_make(image, source, source->bytes + 2, width, height, channels, diag))
        return false;
    const size_t bytes = (size_t)width * (size_t)height * channels,
                 there = (size_t)(source->bytes + source->size - at);
    if (bytes != there) {
        source_error(source, at, diag,
                     "%zu bytes of pixels are not the %zu of %" PRIu64 " x %" PRIu64 " x %u; the file is %s",
                     there, bytes, width, height, channels,
                     there < bytes ? "cut off" : "followed by something else");
        return false;
    }
    memcpy(image->pixels, at, bytes);
    return true;
}
