/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two sides tell of themselves in the message VERSION, as JSON.
 */
#include <jansson.h>
#include <stdio.h>

#include "sim/pcie/message.h"

/* Absent: *to stays. */
static bool take_number(const json_t *of, const char *name, uint64_t *to)
{
    const json_t *value = json_object_get(of, name);
    if (!value)
        return true;
    if (!json_is_integer(value) || json_integer_value(value) <= 0)
        return false;
    *to = (uint64_t)json_integer_value(value);
    return true;
}

static bool take_all(const json_t *root, struct vu_capabilities *c)
{
    const json_t *object = json_object_get(root, "capabilities");
    if (!json_is_object(root) || (object && !json_is_object(object)))
        return false;
    return !object || (take_number(object, "max_msg_fds", &c->max_msg_fds) &&
                       take_number(object, "max_data_xfer_size", &c->max_data_xfer_size) &&
                       take_number(object, "max_dma_maps", &c->max_dma_maps) &&
                       take_number(object, "pgsizes", &c->pgsizes));
}

bool vu_read_capabilities(const char *text, struct vu_capabilities *c)
{
    *c = (struct vu_capabilities){
        .max_msg_fds = 1, .max_data_xfer_size = VU_DATA_MAX, .max_dma_maps = 65535, .pgsizes = VU_PAGE};
    if (!text)
        return true;
    json_t *root = json_loads(text, 0, NULL);
    bool ok = root && take_all(root, c);
    json_decref(root);
    return ok;
}

void vu_write_capabilities(char *to, const struct vu_capabilities *c)
{
    snprintf(to, VU_VERSION_TEXT_MAX,
             "{\"capabilities\":{\"max_msg_fds\":%llu,\"max_data_xfer_size\":%llu,\"max_dma_maps\":%llu,"
             "\"pgsizes\":%llu}}",
             (unsigned long long)c->max_msg_fds, (unsigned long long)c->max_data_xfer_size,
             (unsigned long long)c->max_dma_maps, (unsigned long long)c->pgsizes);
}
