/* SPDX-License-Identifier: Apache-2.0 */
#include "host/formats/name.h"

#include <string.h>
#include <strings.h>

enum format format_of_name(const char *name)
{
    static const struct {
        const char *extension;
        enum format format;
    } known[] = {{".mtx", FORMAT_MATRIX_MARKET},
                 {".mm", FORMAT_MATRIX_MARKET},
                 {".smtx", FORMAT_SMTX},
                 {".npy", FORMAT_NPY}};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (!strcasecmp(dot, known[i].extension))
            return known[i].format;
    return FORMAT_AUTO;
}
