/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/feed/feed.h"

#include <stdlib.h>
#include <string.h>

#include "gen/base/input.h"
#include "host/formats/npy_array.h"
#include "host/net/read/read.h"

bool feed_make(struct view *to, enum net_type type, int rank, const int64_t *dim, const char *path,
               struct diag *diag)
{
    const size_t bytes = net_type_bits(type) / 8;
    *to = (struct view){.type = type, .rank = rank, .count = 1};
    bool fits = bytes > 0;
    for (int i = 0; i < rank; i++) {
        to->dim[i] = dim[i];
        fits = fits && dim[i] >= 0 && (!dim[i] || to->count <= FEED_BYTES_MOST / bytes / (size_t)dim[i]);
        to->count = fits ? to->count * (size_t)dim[i] : 0;
    }
    to->data = fits ? calloc(to->count + 1, bytes) : NULL;
    if (!fits)
        diag_error(diag, (struct place){.file = path}, "its values take more than %zu bytes; it is refused",
                   FEED_BYTES_MOST);
    else if (!to->data)
        diag_error(diag, (struct place){.file = path}, "out of memory");
    return to->data != NULL;
}

/* ---- .npy ---------------------------------------------------------------------------------------- */

const char *npy_descr(enum net_type type)
{
    static const char *const descrs[NET_TYPES] = {
        [NET_FLOAT] = "<f4",   [NET_UINT8] = "|u1",  [NET_INT8] = "|i1",   [NET_UINT16] = "<u2",
        [NET_INT16] = "<i2",   [NET_INT32] = "<i4",  [NET_INT64] = "<i8",  [NET_BOOL] = "|b1",
        [NET_FLOAT16] = "<f2", [NET_DOUBLE] = "<f8", [NET_UINT32] = "<u4", [NET_UINT64] = "<u8"};
    return descrs[type];
}

static bool take_npy(const char *path, const struct strbuf *bytes, struct view *to, struct diag *diag)
{
    struct npy_array array;
    int64_t dim[NET_RANK_MAX];
    enum net_type type = NET_NO_TYPE;
    if (!npy_open(path, bytes, &array, diag))
        return false;
    for (int i = 1; i < NET_TYPES; i++)
        if (npy_descr((enum net_type)i) && npy_same_type(&array, npy_descr((enum net_type)i)))
            type = (enum net_type)i;
    if (!type) {
        struct strbuf text = {0};
        sb_add_quoted(&text, array.descr);
        sb_add(&text, " is no type of a tensor; convert the array with astype to a plain number");
        npy_error(path, array.descr_at, sb_text(&text), diag);
        sb_free(&text);
        return false;
    }
    if (array.column_major && array.rank > 1) {
        npy_error(path, array.order_at, "the array is in Fortran order; save numpy.ascontiguousarray of it",
                  diag);
        return false;
    }
    if (!npy_check_data(path, &array, net_type_bits(type) / 8, diag))
        return false;
    for (unsigned i = 0; i < array.rank; i++)
        dim[i] = array.size[i] > INT64_MAX ? -1 : (int64_t)array.size[i];
    if (!feed_make(to, type, (int)array.rank, dim, path, diag))
        return false;
    memcpy(to->data, array.data, array.data_bytes);
    return true;
}

bool feed_npy(const char *path, struct view *to, struct diag *diag)
{
    struct strbuf bytes = {0};
    *to = (struct view){.rank = 0};
    const bool ok = input_read(path, FEED_BYTES_MOST, &bytes, diag) && take_npy(path, &bytes, to, diag);
    sb_free(&bytes);
    return ok;
}

/* ---- other files --------------------------------------------------------------------------------- */

static bool feed_proto(const char *path, struct view *to, struct diag *diag)
{
    struct net *net = net_read_tensor(path, diag);
    struct run *run = net ? run_new(net, diag) : NULL;
    struct view view;
    const size_t before = diag->errors;
    bool ok = run && run_get(run, net->tensors[0], &view);
    if (net && !ok && diag->errors == before)
        diag_error(diag, (struct place){.file = path}, "values of this type are not supported");
    ok = ok && feed_make(to, view.type, view.rank, view.dim, path, diag);
    if (ok)
        memcpy(to->data, view.data, (size_t)net_type_bytes(view.type, view.count));
    run_free(run);
    net_free(net);
    return ok;
}

/* Little-endian numbers of the input's type, as many as its sizes say. */
static bool feed_raw(const struct tensor *input, const char *path, struct view *to, struct diag *diag)
{
    struct strbuf bytes = {0};
    int64_t dim[NET_RANK_MAX];
    bool known = input->shape && net_type_bits(input->type) >= 8;
    for (int i = 0; known && i < input->shape->rank; i++) {
        known = !input->shape->dim[i].term;
        dim[i] = input->shape->dim[i].value;
    }
    if (!known) {
        diag_error(diag, (struct place){.file = path},
                   "raw bytes need an input of known sizes; give them to \"%.60s\" with --shape",
                   input->name);
        return false;
    }
    if (!feed_make(to, input->type, input->shape->rank, dim, path, diag))
        return false;
    const size_t wanted = (size_t)net_type_bytes(to->type, to->count);
    bool ok = input_read(path, FEED_BYTES_MOST, &bytes, diag);
    if (ok && bytes.len != wanted) {
        diag_error(diag, (struct place){.file = path},
                   "the file has %zu bytes; the %zu elements of input \"%.60s\" (%s) take %zu", bytes.len,
                   to->count, input->name, net_type_name(to->type), wanted);
        ok = false;
    }
    if (ok && wanted)
        memcpy(to->data, bytes.text, wanted);
    sb_free(&bytes);
    return ok;
}

static bool ends_in(const char *path, const char *end)
{
    const size_t length = strlen(path), last = strlen(end);
    return length > last && !strcmp(path + length - last, end);
}

/* What an image or an array begins with says what it is. TensorProtos and raw bytes begin with anything, so
 * their names do. */
static bool dispatch(const struct net *net, const struct tensor *input, const char *path,
                     const struct feed_options *options, struct view *to, struct diag *diag)
{
    struct source source;
    struct image image;
    if (ends_in(path, ".pb"))
        return feed_proto(path, to, diag);
    if (ends_in(path, ".raw") || ends_in(path, ".bin"))
        return feed_raw(input, path, to, diag);
    if (!source_open(&source, path, diag))
        return false;
    const bool is_npy =
                   source.size >= strlen(NPY_MAGIC) && !memcmp(source.bytes, NPY_MAGIC, strlen(NPY_MAGIC)),
               is_image = image_is(source.bytes, source.size);
    source_close(&source);
    if (is_npy)
        return feed_npy(path, to, diag);
    if (!is_image) {
        diag_error(diag, (struct place){.file = path},
                   "at byte 0: this is neither a .npy file nor an image (PPM, PGM, BMP, PNG, JPEG); a "
                   "TensorProto must end in .pb and raw numbers in .raw or .bin");
        return false;
    }
    const bool ok = image_read(path, &image, diag) && feed_image(net, input, &image, path, options, to, diag);
    image_free(&image);
    return ok;
}

bool feed_file(const struct net *net, const struct tensor *input, const char *path,
               const struct feed_options *options, struct view *to, struct diag *diag)
{
    *to = (struct view){.rank = 0};
    const bool ok = dispatch(net, input, path, options, to, diag);
    if (!ok) {
        free(to->data);
        to->data = NULL;
    }
    return ok;
}
