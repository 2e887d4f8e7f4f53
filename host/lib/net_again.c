/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of a network whose operators are those of the first one, so that several threads run it on a device
 * that has it once.
 */
#include <string.h>

#include "host/lib/net.h"

static enum tulle_status give(struct tulle_operator *op, const uint8_t *its, const uint8_t *wanted,
                              struct tulle_operator **to)
{
    if (!op || memcmp(its, wanted, JOB_DIGEST_BYTES) != 0)
        return TULLE_UNSUPPORTED;
    *to = operator_keep(op);
    return TULLE_OK;
}

static enum tulle_status make(void *context, size_t at, const uint8_t digest[JOB_DIGEST_BYTES],
                              struct tulle_operator **to, const char **why)
{
    const struct tulle_net *first = context;
    size_t count;
    const struct layer *list = layers_list(first->layers, &count);
    *why = at < count && list[at].reason ? list[at].reason : "the first copy computes it in another way";
    return at < count ? give(list[at].op, list[at].digest, digest, to) : TULLE_UNSUPPORTED;
}

static size_t part_end(void *context, size_t layer)
{
    const struct tulle_net *first = context;
    const struct part *part = layers_part_from(first->layers, layer);
    return part ? layers_part(part).last : SIZE_MAX;
}

static enum tulle_status make_part(void *context, size_t layer, const uint8_t digest[JOB_DIGEST_BYTES],
                                   struct tulle_operator **to)
{
    const struct tulle_net *first = context;
    const struct part *part = layers_part_from(first->layers, layer);
    return part ? give(layers_part(part).op, layers_part(part).digest, digest, to) : TULLE_UNSUPPORTED;
}

struct layers_maker net_again(struct tulle_net *first)
{
    return (struct layers_maker){first, make, part_end, make_part};
}
