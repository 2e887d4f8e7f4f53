/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/serial/pins.h"

#include <dlfcn.h>
#include <stddef.h>

const struct pins_api *pins_load(const char *path, const char **why)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct pins_api *api = object ? dlsym(object, PINS_API_SYMBOL) : NULL;
    if (!api) {
        *why = dlerror();
        return NULL;
    }
    if (api->version == PINS_API_VERSION)
        return api;
    *why = "built for another version of sim/serial/pins.h: build it again";
    return NULL;
}
