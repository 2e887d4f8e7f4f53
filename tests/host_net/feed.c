/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as inputs of networks: images of every format, what resizing does, the
 * input's layout and type, arrays, and damaged files, which are refused.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include "gen/base/random.h"
#include "host/formats/npy_array.h"
#include "host/net/cpu/kernel.h"
#include "host/net/feed/feed.h"
#include "host/net/feed/results.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_net/support.h"

TestSuite(host_net_feed, .init = scratch_enter, .fini = scratch_leave, .timeout = 120);

/* ---- images that are made here ------------------------------------------------------------------- */

enum { WIDTH = 3, HEIGHT = 2 };
/* Red, green, blue of each pixel, from the top. */
static const uint8_t pixels[HEIGHT][WIDTH][3] = {{{1, 2, 3}, {40, 50, 60}, {255, 0, 128}},
                                                 {{7, 8, 9}, {0, 255, 1}, {100, 200, 30}}};

static void add_number(struct strbuf *to, uint32_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        sb_addn(to, &(char){(char)(value >> 8 * i & 0xff)}, 1);
}

static struct strbuf ppm(void)
{
    struct strbuf to = {0};
    sb_add(&to, "P6 # a comment\n3 2\n255\n");
    sb_addn(&to, (const char *)pixels, sizeof pixels);
    return to;
}

/* bits 8: gray of the red values. */
static struct strbuf bmp(unsigned bits, bool from_top)
{
    struct strbuf to = {0};
    const uint32_t palette = bits == 8 ? 256 : 0, row = (WIDTH * bits + 31) / 32 * 4;
    sb_add(&to, "BM");
    add_number(&to, 54 + 4 * palette + row * HEIGHT, 4);
    add_number(&to, 0, 4);
    add_number(&to, 54 + 4 * palette, 4);
    add_number(&to, 40, 4);
    add_number(&to, WIDTH, 4);
    add_number(&to, from_top ? (uint32_t)-HEIGHT : HEIGHT, 4);
    add_number(&to, 1, 2);
    add_number(&to, bits, 2);
    for (unsigned i = 0; i < 6; i++)
        add_number(&to, 0, 4);
    for (uint32_t i = 0; i < palette; i++)
        add_number(&to, i * 0x010101, 4);
    for (unsigned y = 0; y < HEIGHT; y++) {
        const size_t begin = to.len;
        for (unsigned x = 0; x < WIDTH; x++) {
            const uint8_t *p = pixels[from_top ? y : HEIGHT - 1 - y][x];
            add_number(&to, bits == 8 ? p[0] : (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2], bits / 8);
        }
        while (to.len - begin < row)
            add_number(&to, 0, 1);
    }
    return to;
}

static struct strbuf png(void)
{
    struct strbuf to = {0};
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = 1 << 16;
    char *bytes = malloc(size);
    cr_assert(bytes && png_image_write_to_memory(&image, bytes, &size, 0, pixels, 0, NULL));
    sb_addn(&to, bytes, size);
    free(bytes);
    return to;
}

/* One gray value for 16 x 8 pixels, which JPEG keeps. */
static struct strbuf jpeg(uint8_t gray)
{
    struct jpeg_error_mgr errors;
    struct jpeg_compress_struct c = {.err = jpeg_std_error(&errors)};
    unsigned char *bytes = NULL, line[16];
    unsigned long size = 0;
    struct strbuf to = {0};
    memset(line, gray, sizeof line);
    jpeg_create_compress(&c);
    jpeg_mem_dest(&c, &bytes, &size);
    c.image_width = sizeof line;
    c.image_height = 8;
    c.input_components = 1;
    c.in_color_space = JCS_GRAYSCALE;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 100, TRUE);
    jpeg_start_compress(&c, TRUE);
    while (c.next_scanline < c.image_height)
        jpeg_write_scanlines(&c, &(JSAMPROW){line}, 1);
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    sb_addn(&to, (const char *)bytes, size);
    free(bytes);
    return to;
}

/* ---- reading ------------------------------------------------------------------------------------- */

static void shows(struct strbuf bytes, unsigned channels)
{
    struct image image;
    struct diag diag = {0};
    write_bytes("image", &bytes);
    cr_assert(image_read("image", &image, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(image.width, WIDTH);
    cr_assert_eq(image.height, HEIGHT);
    cr_assert_eq(image.channels, channels);
    for (size_t i = 0; i < WIDTH * HEIGHT * channels; i++)
        cr_assert_eq(image.pixels[i], ((const uint8_t *)pixels)[channels == 1 ? 3 * i : i], "%zu", i);
    image_free(&image);
    sb_free(&bytes);
}

Test(host_net_feed, formats)
{
    struct image image;
    struct diag diag = {0};
    shows(ppm(), 3);
    shows(bmp(24, false), 3);
    shows(bmp(24, true), 3);
    shows(bmp(32, false), 3);
    shows(bmp(8, false), 1);
    shows(png(), 3);
    struct strbuf bytes = jpeg(77);
    write_bytes("image", &bytes);
    cr_assert(image_read("image", &image, &diag), "%s", sb_text(&diag.text));
    cr_assert(image.width == 16 && image.height == 8 && image.channels == 1);
    for (size_t i = 0; i < 16 * 8; i++)
        cr_assert_eq(image.pixels[i], 77);
    image_free(&image);
    sb_free(&bytes);
}

static void refused(struct strbuf bytes, const char *word)
{
    struct image image;
    struct diag diag = {0};
    write_bytes("image", &bytes);
    cr_assert(!image_read("image", &image, &diag), "it is read; no \"%s\"", word);
    cr_assert(strstr(sb_text(&diag.text), word), "no \"%s\" in: %s", word, sb_text(&diag.text));
    cr_assert_null(image.pixels);
    diag_free(&diag);
    sb_free(&bytes);
}

static struct strbuf text(const char *from)
{
    struct strbuf to = {0};
    sb_add(&to, from);
    return to;
}

static struct strbuf changed(struct strbuf bytes, size_t place, unsigned char byte)
{
    bytes.text[place] = (char)byte;
    return bytes;
}

static struct strbuf cut(struct strbuf bytes, size_t length)
{
    bytes.len = length;
    return bytes;
}

Test(host_net_feed, refused_images)
{
    refused(text("GIF89a"), "at byte 0: this is no image that is read");
    refused(text("P6 70000 70000 255\n"), "at byte 2: the image has 70000 x 70000 pixels; from 1 to");
    refused(text("P6 0 3 255\n"), "the image has 0 x 3 pixels");
    refused(text("P6 3 2 65535\n"), "at byte 7: the largest value is 65535");
    refused(text("P5 3 b"), "at byte 5: here should be the height");
    refused(cut(ppm(), 30), "at byte 23: 7 bytes of pixels are not the 18 of 3 x 2 x 3; the file is cut off");
    refused(cut(bmp(24, false), 70), "at byte 54: the pixels do not lie in the file");
    refused(cut(bmp(24, false), 53), "at byte 53: the file ends in its header");
    refused(cut(bmp(8, false), 400), "at byte 400: the file ends in its palette");
    refused(changed(bmp(24, false), 28, 4), "at byte 28: a pixel has not 8, 24 or 32 bits");
    refused(changed(bmp(24, false), 30, 1), "at byte 30: the pixels are compressed");
    refused(changed(bmp(24, false), 21, 127), "at byte 18: the image has ");
    refused(changed(bmp(24, false), 21, 128), "at byte 18: the width or height is none");
    refused(changed(bmp(8, false), 46, 7), "the pixel has a colour that the palette has not");
    refused(cut(png(), 40), "libpng: the file is cut off");
    refused(changed(png(), 18, 1), "at byte 33: libpng: ");
    refused(cut(jpeg(9), 200), "libjpeg: ");
    struct strbuf bytes = jpeg(9);
    refused(cut(bytes, bytes.len - 8), "libjpeg: ");
}

/* Files with wrong bytes, and cut off anywhere: an image or an error. */
Test(host_net_feed, damaged_images)
{
    struct random random = {1};
    for (unsigned i = 0; i < 4000; i++) {
        struct image image;
        struct diag diag = {0};
        const unsigned which = i % 5;
        struct strbuf bytes = which == 0   ? ppm()
                              : which == 1 ? bmp(24, false)
                              : which == 2 ? bmp(8, true)
                              : which == 3 ? png()
                                           : jpeg(99);
        for (unsigned k = 0; k < 1 + i % 3; k++)
            bytes.text[random_below(&random, bytes.len)] = (char)random_below(&random, 256);
        if (i % 4 == 0)
            bytes.len = 1 + random_below(&random, bytes.len - 1);
        write_bytes("image", &bytes);
        if (image_read("image", &image, &diag))
            cr_assert(image.pixels && image.width && image.height);
        else
            cr_assert(diag.errors, "image %u is refused without a reason", i);
        image_free(&image);
        diag_free(&diag);
        sb_free(&bytes);
    }
}

/* ---- values -------------------------------------------------------------------------------------- */

/* A network with one input of the type and shape. */
static struct net *net_of(int type, const char *dims)
{
    struct strbuf graph = {0};
    sb_addf(&graph, "input { name: 'X' type { tensor_type { elem_type: %d shape { ", type);
    for (const char *at = dims; *at; at += strcspn(at, "x") + (at[strcspn(at, "x")] == 'x'))
        sb_addf(&graph, *at == 'N' ? "dim { dim_param: '%.*s' } " : "dim { dim_value: %.*s } ",
                (int)strcspn(at, "x"), at);
    sb_add(&graph, "} } } } node { op_type: 'Identity' input: 'X' output: 'Y' } output { name: 'Y' }");
    write_onnx("net.onnx", sb_text(&graph));
    sb_free(&graph);
    return reads("net.onnx", NULL);
}

/* The elements of an input to which the image goes. */
static void gives(int type, const char *dims, struct strbuf image, struct feed_options o, size_t count,
                  const double *wanted)
{
    struct net *net = net_of(type, dims);
    struct diag diag = {0};
    struct view v;
    write_bytes("image", &image);
    cr_assert(feed_file(net, net->inputs[0], "image", &o, &v, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(v.count, count);
    for (size_t i = 0; i < count; i++)
        cr_assert(fabs(view_real(&v, i) - wanted[i]) < 1e-5, "%s: element %zu is %g, not %g", dims, i,
                  view_real(&v, i), wanted[i]);
    free(v.data);
    net_free(net);
    sb_free(&image);
}

static void refuses_feed(int type, const char *dims, struct strbuf image, struct feed_options o,
                         const char *path, const char *word)
{
    struct net *net = net_of(type, dims);
    struct diag diag = {0};
    struct view v;
    write_bytes(path, &image);
    cr_assert(!feed_file(net, net->inputs[0], path, &o, &v, &diag), "it is taken; no \"%s\"", word);
    cr_assert(strstr(sb_text(&diag.text), word), "no \"%s\" in: %s", word, sb_text(&diag.text));
    cr_assert_null(v.data);
    diag_free(&diag);
    net_free(net);
    sb_free(&image);
}

Test(host_net_feed, layouts)
{
    const struct feed_options plain = {.resize = FEED_EXACT}, bgr = {.colours = FEED_BGR};
    gives(NET_FLOAT, "1x3x2x3", ppm(), (struct feed_options){.layout = FEED_NCHW}, 18,
          (const double[]){1, 40, 255, 7, 0, 100, 2, 50, 0, 8, 255, 200, 3, 60, 128, 9, 1, 30});
    gives(NET_FLOAT, "1x3x2x3", ppm(), (struct feed_options){.layout = FEED_NCHW, .colours = FEED_BGR}, 18,
          (const double[]){3, 60, 128, 9, 1, 30, 2, 50, 0, 8, 255, 200, 1, 40, 255, 7, 0, 100});
    gives(NET_UINT8, "2x3x3", ppm(), (struct feed_options){.layout = FEED_NHWC}, 18,
          (const double[]){1, 2, 3, 40, 50, 60, 255, 0, 128, 7, 8, 9, 0, 255, 1, 100, 200, 30});
    gives(NET_UINT8, "Nx2x3x3", ppm(), (struct feed_options){.layout = FEED_NHWC, .colours = FEED_BGR}, 18,
          (const double[]){3, 2, 1, 60, 50, 40, 128, 0, 255, 9, 8, 7, 1, 255, 0, 30, 200, 100});
    /* Open sizes are the image's; gray of colours, and colours of gray. */
    gives(NET_FLOAT, "1x1xNxN", png(), bgr, 6,
          (const double[]){1.815, 48.15, 90.837, 7.815, 149.799, 150.72});
    gives(NET_FLOAT, "Nx3xNxN", bmp(8, false), plain, 18,
          (const double[]){1, 40, 255, 7, 0, 100, 1, 40, 255, 7, 0, 100, 1, 40, 255, 7, 0, 100});
    gives(NET_FLOAT, "2x3", bmp(8, true),
          (struct feed_options){.mean = {10}, .means = 1, .scale = {0.5}, .scales = 1}, 6,
          (const double[]){-4.5, 15, 122.5, -1.5, -5, 45});
    gives(NET_FLOAT, "1x3x2x3", ppm(),
          (struct feed_options){
              .layout = FEED_NCHW, .mean = {1, 2, 3}, .means = 3, .scale = {1, 2, 0.5}, .scales = 3},
          18, (const double[]){0, 39, 254, 6, -1, 99, 0, 96, -4, 12, 506, 396, 0, 28.5, 62.5, 3, -1, 13.5});
    /* An integer takes the nearest, halves to even, within its range. */
    gives(NET_INT8, "2x3", bmp(8, true), (struct feed_options){.scale = {0.5}, .scales = 1}, 6,
          (const double[]){0, 20, 127, 4, 0, 50});
    refuses_feed(NET_FLOAT, "1x3x3x3", ppm(), plain, "image", "where are the channels? give --layout");
    refuses_feed(NET_FLOAT, "1x2x2x2", ppm(), plain, "image", "where are the channels?");
    refuses_feed(NET_FLOAT, "2x3x2x3", ppm(), plain, "image", "it takes several images");
    refuses_feed(NET_FLOAT, "6", ppm(), plain, "image", "two, three or four dimensions");
    refuses_feed(NET_FLOAT, "1x3x4x5", ppm(), plain, "image",
                 "the image has 3 x 2 pixels, not 5 x 4; --resize");
    refuses_feed(NET_BOOL, "2x3", ppm(), plain, "image", "its type holds no pixels");
    refuses_feed(NET_FLOAT, "2x3", ppm(), (struct feed_options){.means = 3}, "image", "need three channels");
}

static struct strbuf pgm(unsigned width, unsigned height, const char *values)
{
    struct strbuf to = {0};
    sb_addf(&to, "P5 %u %u 255\n", width, height);
    sb_addn(&to, values, (size_t)width * height);
    return to;
}

Test(host_net_feed, resizing)
{
    const struct feed_options stretch = {.resize = FEED_STRETCH}, crop = {.resize = FEED_CROP};
    struct feed_options area = stretch, nearest = stretch;
    area.filter = FEED_AREA;
    nearest.filter = FEED_NEAREST;
    /* Centres are at halves, and beyond the last one its value goes on. */
    gives(NET_FLOAT, "1x4", pgm(2, 1, "\012\036"), stretch, 4, (const double[]){10, 15, 25, 30});
    gives(NET_FLOAT, "1x2", pgm(4, 1, "\001\003\005\011"), stretch, 2, (const double[]){2, 7});
    gives(NET_FLOAT, "1x1", pgm(4, 1, "\001\003\005\011"), stretch, 1, (const double[]){4});
    gives(NET_FLOAT, "1x1", pgm(4, 1, "\001\003\005\011"), area, 1, (const double[]){4.5});
    /* Two thirds of a pixel each: 1 and half of 4; the other half of 4 and 10. */
    gives(NET_FLOAT, "1x2", pgm(3, 1, "\001\004\012"), area, 2, (const double[]){2, 8});
    gives(NET_FLOAT, "1x2", pgm(3, 1, "\001\004\012"), nearest, 2, (const double[]){1, 10});
    gives(NET_FLOAT, "1x4", pgm(2, 1, "\012\036"), nearest, 4, (const double[]){10, 10, 30, 30});
    /* The middle of the longer side. */
    gives(NET_FLOAT, "2x2", pgm(4, 2, "\001\002\003\004\005\006\007\010"), crop, 4,
          (const double[]){2, 3, 6, 7});
    gives(NET_FLOAT, "1x2", pgm(2, 3, "\001\002\003\004\005\006"), crop, 2, (const double[]){3, 4});
}

/* A constant image stays constant under every filter and size: weights of a pixel add to one. */
Test(host_net_feed, constant_images)
{
    struct random random = {2};
    for (unsigned i = 0; i < 200; i++) {
        const unsigned width = random_range(&random, 1, 40), height = random_range(&random, 1, 40);
        const unsigned to = random_range(&random, 1, 30), high = random_range(&random, 1, 30);
        const struct feed_options o = {.resize = i % 2 ? FEED_CROP : FEED_STRETCH,
                                       .filter = (enum feed_filter)(i % 3)};
        char values[1600], dims[32];
        double wanted[900];
        memset(values, 99, sizeof values);
        for (unsigned k = 0; k < 900; k++)
            wanted[k] = 99;
        snprintf(dims, sizeof dims, "%ux%u", high, to);
        gives(NET_FLOAT, dims, pgm(width, height, values), o, (size_t)to * high, wanted);
    }
}

Test(host_net_feed, quantised_inputs)
{
    struct diag diag = {0};
    struct view v;
    struct strbuf tflite = small_tflite(), image = pgm(6, 6, "abcdefghijklmnopqrstuvwxyz0123456789");
    const struct feed_options plain = {.resize = FEED_EXACT}, small = {.scale = {1 / 3.0}, .scales = 1};
    /* The TFLite network's input has two channels, so a matrix product of ONNX stands for it: scale 0.5, zero
     * point 3. */
    write_onnx("q.onnx", "input { name: 'X' type { tensor_type { elem_type: 3 shape { dim { dim_value: 6 } "
                         "dim { dim_value: 6 } } } } } "
                         "initializer { name: 'S' data_type: 1 float_data: 0.5 } "
                         "initializer { name: 'Z' data_type: 3 int32_data: 3 } "
                         "node { op_type: 'DequantizeLinear' input: 'X' input: 'S' input: 'Z' output: 'Y' } "
                         "output { name: 'Y' }");
    struct net *net = reads("q.onnx", NULL);
    write_bytes("image", &image);
    cr_assert(feed_file(net, net->inputs[0], "image", &small, &v, &diag), "%s", sb_text(&diag.text));
    /* (97 / 3) / 0.5 + 3 = 67.67, and 48 / 3 / 0.5 + 3 = 35 */
    cr_assert_eq(((int8_t *)v.data)[0], 68);
    cr_assert_eq(((int8_t *)v.data)[26], 35);
    free(v.data);
    net_free(net);
    write_bytes("a.tflite", &tflite);
    net = reads("a.tflite", NULL);
    /* One channel: the input becomes an image. */
    struct shape shape = *net->inputs[0]->shape;
    shape.dim[3] = dim_number(1);
    cr_assert(net_shape(net, net->inputs[0], &shape));
    cr_assert(feed_file(net, net->inputs[0], "image", &small, &v, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(((int8_t *)v.data)[0], 68);
    cr_assert_eq(((int8_t *)v.data)[26], 35);
    free(v.data);
    cr_assert(feed_file(net, net->inputs[0], "image", &plain, &v, &diag), "%s", sb_text(&diag.text));
    cr_assert_eq(((int8_t *)v.data)[0], 127);
    free(v.data);
    net_free(net);
    sb_free(&tflite);
    sb_free(&image);
}

/* ---- arrays -------------------------------------------------------------------------------------- */

Test(host_net_feed, arrays_come_back)
{
    static const enum net_type types[] = {NET_FLOAT,  NET_DOUBLE, NET_FLOAT16, NET_INT8,
                                          NET_UINT8,  NET_INT16,  NET_UINT16,  NET_INT32,
                                          NET_UINT32, NET_INT64,  NET_UINT64,  NET_BOOL};
    struct random random = {3};
    for (unsigned i = 0; i < 120; i++) {
        struct diag diag = {0};
        struct strbuf bytes = {0};
        struct view v, back;
        int64_t dim[NET_RANK_MAX];
        const int rank = (int)(i % 6);
        for (int k = 0; k < rank; k++)
            dim[k] = random_range(&random, i % 17 ? 1 : 0, 3);
        cr_assert(feed_make(&v, types[i % 12], rank, dim, "v", &diag));
        for (size_t k = 0; k < v.count; k++)
            view_set_integer(&v, k, (int64_t)random_range(&random, 0, 200) - 100);
        result_npy(&v, &bytes);
        write_bytes("a.npy", &bytes);
        cr_assert(feed_npy("a.npy", &back, &diag), "%s", sb_text(&diag.text));
        double largest;
        cr_assert(result_same_sizes(&v, &back));
        cr_assert_eq(result_differing(&v, &back, &largest), 0u);
        cr_assert(!v.count || !memcmp(v.data, back.data, (size_t)net_type_bytes(v.type, v.count)));
        free(v.data);
        free(back.data);
        sb_free(&bytes);
    }
}

static void npy_add(struct strbuf *to, const char *descr, uint64_t rows, uint64_t columns)
{
    npy_add_header(to, descr, (const uint64_t[]){rows, columns}, 2);
}

Test(host_net_feed, refused_arrays)
{
    const struct feed_options plain = {.resize = FEED_EXACT};
    struct strbuf bytes = {0};
    npy_add(&bytes, "<f4", 2, 3);
    refuses_feed(NET_FLOAT, "2x3", bytes, plain, "a.npy", "0 bytes of data are not the 6 values of 4 bytes");
    bytes = (struct strbuf){0};
    npy_add(&bytes, "<c8", 2, 3);
    refuses_feed(NET_FLOAT, "2x3", bytes, plain, "a.npy", "\"<c8\" is no type of a tensor");
    bytes = (struct strbuf){0};
    npy_add(&bytes, "<f4", UINT64_C(1) << 40, UINT64_C(1) << 40);
    refuses_feed(NET_FLOAT, "2x3", bytes, plain, "a.npy", "the file is cut off");
    refuses_feed(NET_FLOAT, "2x3", text("1 2 3"), plain, "a.txt",
                 "at byte 0: this is neither a .npy file nor an image");
    refuses_feed(NET_FLOAT, "2x3", text("1234"), plain, "a.raw",
                 "the file has 4 bytes; the 6 elements of input \"X\" (float32) take 24");
    refuses_feed(NET_FLOAT, "2xN", text("1234"), plain, "a.raw", "raw bytes need an input of known sizes");
    gives(NET_FLOAT, "1x1", pgm(1, 1, "a"), plain, 1, (const double[]){97});
}

Test(host_net_feed, names_of_files)
{
    char name[RESULT_NAME], other[RESULT_NAME], text[400];
    result_file_name("a/b:0", name);
    cr_assert_str_eq(name, "a%2Fb%3A0");
    result_file_name("a%2Fb:0", other);
    cr_assert_str_eq(other, "a%252Fb%3A0");
    memset(text, '/', sizeof text);
    text[sizeof text - 1] = 0;
    result_file_name(text, name);
    text[sizeof text - 2] = '.';
    result_file_name(text, other);
    cr_assert_str_neq(name, other);
    cr_assert(strlen(name) < RESULT_NAME - 4);
}

Test(host_net_feed, json)
{
    struct diag diag = {0};
    struct strbuf to = {0};
    struct view v;
    cr_assert(feed_make(&v, NET_FLOAT, 2, (const int64_t[]){2, 2}, "v", &diag));
    ((float *)v.data)[0] = 0.5F;
    ((float *)v.data)[1] = -INFINITY;
    ((float *)v.data)[2] = NAN;
    ((float *)v.data)[3] = 3;
    result_json("a\"b", &v, &to);
    cr_assert_str_eq(sb_text(&to),
                     "{\"name\": \"a\\\"b\", \"type\": \"float32\", \"shape\": [2, 2], \"values\": "
                     "[0.5, \"-inf\", \"nan\", 3]}");
    free(v.data);
    sb_free(&to);
}
