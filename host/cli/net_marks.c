/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_marks.h"

#include <stdlib.h>
#include <string.h>

#include "host/net/write/write.h"

static bool add(struct net_marks *m, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        m->names[m->count] = strdup(names[i]);
        if (!m->names[m->count])
            return false;
        m->count++;
    }
    return true;
}

bool net_marks_take(struct net_marks *m, const struct net *net, const struct compiled *compiled)
{
    const char *const *names = compiled ? compiled->marks.names : net->marks;
    const size_t count = compiled ? compiled->marks.count : net->mark_count;
    m->names = calloc(count + m->given_count + 1, sizeof *m->names);
    return m->names && add(m, names, count) && add(m, m->given, m->given_count);
}

bool net_marks_keep(struct net_marks *m, const struct net *net)
{
    if (m->count || m->debug)
        net_write_graph(net, &m->before);
    return sb_ok(&m->before);
}

void net_marks_free(struct net_marks *m)
{
    for (size_t i = 0; i < m->count; i++)
        free(m->names[i]);
    free(m->names);
    sb_free(&m->before);
}
