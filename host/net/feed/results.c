/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/feed/results.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "gen/base/number.h"
#include "host/formats/npy_array.h"
#include "host/net/cpu/kernel.h"
#include "host/net/feed/feed.h"

void result_npy(const struct view *v, struct strbuf *to)
{
    uint64_t size[NET_RANK_MAX];
    const char *descr = npy_descr(v->type);
    for (int i = 0; i < v->rank; i++)
        size[i] = (uint64_t)v->dim[i];
    npy_add_header(to, descr ? descr : npy_descr(NET_FLOAT), size, (unsigned)v->rank);
    if (descr && v->count)
        sb_addn(to, v->data, (size_t)net_type_bytes(v->type, v->count));
    for (size_t i = 0; !descr && i < v->count; i++) {
        const float value = (float)view_real(v, i);
        char bytes[sizeof value];
        memcpy(bytes, &value, sizeof value);
        sb_addn(to, bytes, sizeof bytes);
    }
}

static void add_value(struct strbuf *to, const struct view *v, size_t i)
{
    char text[NUMBER_TEXT];
    const double value = is_real(v->type) ? view_real(v, i) : 0;
    if (v->type == NET_BOOL)
        sb_add(to, view_integer(v, i) ? "true" : "false");
    else if (v->type == NET_UINT64)
        sb_addf(to, "%" PRIu64, (uint64_t)view_integer(v, i));
    else if (!is_real(v->type))
        sb_addn(to, text, number_write_integer(text, view_integer(v, i)));
    else if (isfinite(value))
        sb_addn(to, text, number_write_real(text, value));
    else
        sb_add(to, isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"");
}

void result_json(const char *name, const struct view *v, struct strbuf *to)
{
    struct number_locale locale;
    if (!number_locale_enter(&locale)) {
        to->failed = true;
        return;
    }
    sb_add(to, "{\"name\": ");
    sb_add_json(to, name);
    sb_addf(to, ", \"type\": \"%s\", \"shape\": [", net_type_name(v->type));
    for (int i = 0; i < v->rank; i++)
        sb_addf(to, "%s%" PRId64, i ? ", " : "", v->dim[i]);
    sb_add(to, "], \"values\": [");
    for (size_t i = 0; i < v->count; i++) {
        sb_add(to, i ? ", " : "");
        add_value(to, v, i);
    }
    sb_add(to, "]}");
    number_locale_leave(&locale);
}

void result_file_name(const char *tensor, char to[RESULT_NAME])
{
    enum { MOST = 200 };
    uint64_t all = UINT64_C(14695981039346656037);
    size_t length = 0;
    bool whole = true;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    for (const unsigned char *at = (const unsigned char *)tensor; *at; at++) {
        all = (all ^ *at) * UINT64_C(1099511628211);
        whole = whole && length < MOST;
        if (whole && strchr(plain, *at))
            to[length++] = (char)*at;
        else if (whole)
            length += (size_t)snprintf(to + length, RESULT_NAME - length, "%%%02X", *at);
    }
    to[length] = 0;
    if (!whole)
        snprintf(to + length, RESULT_NAME - length, "%%%016" PRIx64, all);
}

/* ---- comparing ----------------------------------------------------------------------------------- */

static double largest_of(const struct view *v)
{
    double largest = 0;
    for (size_t i = 0; i < v->count; i++)
        largest = isfinite(view_real(v, i)) ? fmax(largest, fabs(view_real(v, i))) : largest;
    return largest;
}

size_t result_differing(const struct view *a, const struct view *b, double *largest)
{
    const double allowed = RESULT_OF_LARGEST * largest_of(b);
    size_t count = 0;
    *largest = 0;
    for (size_t i = 0; i < a->count; i++) {
        const double x = view_real(a, i), y = view_real(b, i), difference = fabs(x - y);
        const bool same =
            is_real(a->type) ? x == y || (isnan(x) && isnan(y)) : view_integer(a, i) == view_integer(b, i);
        *largest = !same && difference > *largest ? difference : *largest;
        count += !same && !(is_real(a->type) && difference <= allowed + RESULT_OF_ELEMENT * fabs(y));
    }
    return count;
}

bool result_same_sizes(const struct view *a, const struct view *b)
{
    bool same = a->rank == b->rank && a->type == b->type;
    for (int i = 0; same && i < a->rank; i++)
        same = a->dim[i] == b->dim[i];
    return same;
}
