/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/verilated/row.h"

#include <dlfcn.h>
#include <stddef.h>

const struct row_api *row_load(const char *path, const char **why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct row_api *api = object ? dlsym(object, ROW_API_SYMBOL) : NULL;
    if (!api) {
        *why = dlerror();
        return NULL;
    }
    if (api->version == ROW_API_VERSION)
        return api;
    *why = "built for another version of sim/verilated/row.h: build it again";
    return NULL;
}
