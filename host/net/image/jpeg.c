/* SPDX-License-Identifier: Apache-2.0
 *
 * JPEG by libjpeg-turbo. Its slow integer transform and its smooth
 * interpolation of colours decide the pixels.
 */
#include <stdio.h>

#include <jpeglib.h>
#include <setjmp.h>

#include "host/net/image/readers.h"

struct reading {
    struct jpeg_error_mgr errors; /* first: libjpeg knows this part */
    jmp_buf back;
    const struct source *source;
    struct diag *diag;
};

static void report(j_common_ptr common)
{
    struct reading *r = (struct reading *)(void *)common->err;
    char text[JMSG_LENGTH_MAX];
    const struct jpeg_source_mgr *from = ((j_decompress_ptr)common)->src;
    const size_t left = from ? from->bytes_in_buffer : 0;
    common->err->format_message(common, text);
    /* Behind the end libjpeg reads an end mark of its own, which is shorter than any image. */
    source_error(r->source, r->source->bytes + (r->source->size > left ? r->source->size - left : 0), r->diag,
                 "libjpeg: %s", text);
    longjmp(r->back, 1);
}

/* A warning says that the file is damaged. */
static void judge(j_common_ptr common, int level)
{
    if (level < 0)
        report(common);
}

static bool decode(struct jpeg_decompress_struct *jpeg, struct reading *r, struct image *image)
{
    if (setjmp(r->back))
        return false;
    jpeg_create_decompress(jpeg);
    jpeg_mem_src(jpeg, r->source->bytes, r->source->size);
    jpeg_read_header(jpeg, TRUE);
    if (jpeg->num_components == 4) {
        source_error(r->source, r->source->bytes, r->diag,
                     "the image has four colours (CMYK); save it with red, green and blue");
        return false;
    }
    jpeg->out_color_space = jpeg->num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg->dct_method = JDCT_ISLOW;
    if (!image_make(image, r->source, r->source->bytes, jpeg->image_width, jpeg->image_height,
                    jpeg->num_components == 1 ? 1 : 3, r->diag))
        return false;
    jpeg_start_decompress(jpeg);
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = image->pixels + (size_t)jpeg->output_scanline * image->width * image->channels;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return true;
}

bool jpeg_read(const struct source *source, struct image *image, struct diag *diag)
{
    struct reading r = {.source = source, .diag = diag};
    struct jpeg_decompress_struct jpeg = {.err = jpeg_std_error(&r.errors)};
    r.errors.error_exit = report;
    r.errors.emit_message = judge;
    const bool ok = decode(&jpeg, &r, image);
    jpeg_destroy_decompress(&jpeg);
    return ok;
}
