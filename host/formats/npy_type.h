/* SPDX-License-Identifier: Apache-2.0
 *
 * The element types of .npy files.
 */
#ifndef TULLE_HOST_FORMATS_NPY_TYPE_H
#define TULLE_HOST_FORMATS_NPY_TYPE_H

#include "host/formats/formats.h"

struct npy_type_info {
    const char *descr; /* in the header */
    const char *name;  /* in messages */
    unsigned bytes;
    bool is_float, is_unsigned;
};

extern const struct npy_type_info npy_types[NPY_TYPES]; /* NPY_NARROWEST: no type */

#endif
