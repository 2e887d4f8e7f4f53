/* SPDX-License-Identifier: Apache-2.0
 *
 * Constants in a form of the kernel's own, which the network keeps.
 */
#include <stdlib.h>

#include "host/net/cpu/kernel.h"

/* Whether the numbers are those of the network, which stay as they are. */
static bool is_lasting(const struct call *c, const struct view *from)
{
    for (size_t i = 0; i < c->inputs; i++)
        if (c->more[i] == from)
            return c->node->inputs[i]->constant && !c->node->inputs[i]->held;
    return false;
}

struct prepared prepare(const struct call *c, const struct view *from, const int64_t *form, size_t form_count,
                        size_t bytes)
{
    struct prepared to = {.fresh = true};
    if (c && c->keep && is_lasting(c, from))
        to.data = keep_get(c->keep, from->data, form, form_count, bytes, &to.fresh);
    to.kept = to.data != NULL;
    if (to.kept)
        return to;
    to.data = calloc(bytes + 1, 1);
    to.fresh = true;
    return to;
}

void prepared_free(struct prepared *prepared)
{
    if (!prepared->kept)
        free(prepared->data);
    prepared->data = NULL;
}
