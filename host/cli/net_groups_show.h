/* SPDX-License-Identifier: Apache-2.0
 *
 * What `tulle net explain --groups` prints.
 */
#ifndef TULLE_HOST_CLI_NET_GROUPS_SHOW_H
#define TULLE_HOST_CLI_NET_GROUPS_SHOW_H

#include "host/net/group/cover.h"

enum { NET_GROUPS_LAYOUT = 1 /* of the JSON */ };

/* A line for each group and each layer outside of groups, and sums; or a JSON object. */
void net_groups_show(const struct group_chart *chart, const struct group_cover *cover,
                     const struct group_target *target, bool json, struct strbuf *to);

/* The steps of each group, with their addresses. False: out of memory. */
bool net_groups_list(const struct group_chart *chart, const struct group_cover *cover, struct strbuf *to);

#endif
