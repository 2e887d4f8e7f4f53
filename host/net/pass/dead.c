/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes whose results nothing reads, and which are no outputs, go. All results that
 * are left stay as they were.
 */
#include "host/net/pass/list.h"

static bool is_read(const struct node *node)
{
    for (size_t i = 0; i < node->output_count; i++) {
        const struct tensor *t = node->outputs[i];
        if (t && (t->users || t->output || t->variable))
            return true;
    }
    return false;
}

/* From the end, so that what only dead nodes read is dead, too. */
bool pass_dead(struct edit *e)
{
    for (size_t i = e->net->node_count; i--;)
        if (!is_read(e->net->nodes[i])) {
            edit_drop(e, e->net->nodes[i]);
            e->changes++;
        }
    return true;
}
