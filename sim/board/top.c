/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/top.h"

#include <dlfcn.h>
#include <stddef.h>

const struct top_api *top_load(const char *path, const char **why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct top_api *api = object ? dlsym(object, TOP_API_SYMBOL) : NULL;
    if (!api) {
        *why = dlerror();
        return NULL;
    }
    if (api->version == TOP_API_VERSION)
        return api;
    *why = "built for another version of sim/board/top.h: build it again";
    return NULL;
}
