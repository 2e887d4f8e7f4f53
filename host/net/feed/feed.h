/* SPDX-License-Identifier: Apache-2.0
 *
 * Files as values of a network's inputs: .npy, TensorProto (.pb), raw bytes (.raw,
 * .bin), and images, which are brought to the input's size, layout and type.
 */
#ifndef TULLE_HOST_NET_FEED_H
#define TULLE_HOST_NET_FEED_H

#include "host/net/cpu/cpu.h"
#include "host/net/image/image.h"

/* Elements, dimensions and files of more bytes are refused. */
#define FEED_BYTES_MOST ((size_t)1 << 31)

enum feed_layout { FEED_LAYOUT_AUTO, FEED_NCHW, FEED_NHWC };
enum feed_colours { FEED_RGB, FEED_BGR };
enum feed_resize {
    FEED_EXACT,   /* the image has the input's size, or is refused */
    FEED_STRETCH, /* all of the image */
    FEED_CROP     /* the largest part in the middle with the input's proportions */
};
enum feed_filter {
    FEED_BILINEAR, /* of the four pixels around the point, whose centres are at halves */
    FEED_AREA,     /* the mean of the image under a pixel of the result */
    FEED_NEAREST
};

/* An element is (pixel - mean) * scale for pixels from 0 to 255. One number is for all channels. */
struct feed_options {
    double mean[3], scale[3];
    unsigned means, scales; /* how many are given: 0, 1 or 3 */
    enum feed_layout layout;
    enum feed_colours colours;
    enum feed_resize resize;
    enum feed_filter filter;
};

/* A value for the input of the net, whose numbers are freed with free(). False after an error. */
bool feed_file(const struct net *net, const struct tensor *input, const char *path,
               const struct feed_options *options, struct view *to, struct diag *diag);

/* The same for an image that is read; `path` for messages. */
bool feed_image(const struct net *net, const struct tensor *input, const struct image *image,
                const char *path, const struct feed_options *options, struct view *to, struct diag *diag);

/* A .npy file as a value. */
bool feed_npy(const char *path, struct view *to, struct diag *diag);

/* A type as .npy files name it, "<f4" and so on; NULL: numpy has no such type. */
const char *npy_descr(enum net_type type);

/* Sets type and sizes and takes memory for the elements. False after an error. */
bool feed_make(struct view *to, enum net_type type, int rank, const int64_t *dim, const char *path,
               struct diag *diag);

#endif
