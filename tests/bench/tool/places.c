/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/tool/places.h"

#include <stdio.h>
#include <stdlib.h>

#include "gen/base/random.h"

void place_check(const char *call, enum tulle_status status)
{
    if (!status)
        return;
    fprintf(stderr, "error: %s: %s: %s\n", call, tulle_status_text(status), tulle_message());
    exit(1);
}

static void *values(size_t bytes, struct random *random)
{
    uint8_t *list = calloc(bytes + 1, 1);
    if (!list)
        exit(1);
    for (size_t i = 0; random && i < bytes; i++)
        list[i] = (uint8_t)random_next(random);
    return list;
}

void place_fill(struct tulle_pool *pool, struct tulle_pool_info *info, struct place *p)
{
    struct random random = {1};
    place_check("describe", tulle_pool_describe(pool, info));
    if (info->inputs > ENDS_MOST || info->outputs > ENDS_MOST)
        place_check("too many inputs or outputs", TULLE_UNSUPPORTED);
    for (size_t i = 0; i < info->inputs; i++) {
        p->in[i].size = sizeof p->in[i];
        place_check("input", tulle_pool_input(pool, i, &p->in[i]));
        p->in[i].values = values(p->in[i].bytes, &random);
        p->inputs[i] = &p->in[i];
    }
    for (size_t i = 0; i < info->outputs; i++) {
        p->out[i].size = sizeof p->out[i];
        place_check("output", tulle_pool_output(pool, i, &p->out[i]));
        p->out[i].values = values(p->out[i].bytes, NULL);
        p->outputs[i] = &p->out[i];
    }
}
