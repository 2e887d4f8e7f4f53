/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/sizes.h"

void sizes_claim(struct size *size, int64_t value, const char *source, struct diag *diag)
{
    if (size->source && size->value != value)
        diag_error(diag, (struct place){0}, "%s is %lld by %s, and %lld by %s; they have to agree",
                   size->name, (long long)size->value, size->source, (long long)value, source);
    else if (!size->source)
        *size = (struct size){.name = size->name, .value = value, .source = source};
}

void sizes_default(struct size *size, int64_t value)
{
    if (!size->source)
        *size = (struct size){.name = size->name, .value = value, .source = "default"};
}
