/* SPDX-License-Identifier: Apache-2.0
 *
 * The one platform, and the functions that the loader asks the library for.
 */
#include <string.h>

#include "gen/version.h"
#include "host/icd/entries.h"
#include "host/icd/objects.h"

struct _cl_platform_id icd_platform = {.object = {.dispatch = &icd_dispatch, .kind = OBJECT_PLATFORM}};

cl_int icd_clGetPlatformIDs(cl_uint room, cl_platform_id *platforms, cl_uint *count)
{
    if ((!room && platforms) || (!platforms && !count))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = &icd_platform;
    if (count)
        *count = 1;
    return CL_SUCCESS;
}

static cl_int about_unused(struct info info)
{
    struct strbuf text = {0};
    const bool ok = devices_unused(&text) && sb_ok(&text);
    const cl_int status = ok ? info_text(info, sb_text(&text)) : CL_OUT_OF_HOST_MEMORY;
    sb_free(&text);
    return status;
}

cl_int icd_clGetPlatformInfo(cl_platform_id platform, cl_platform_info name, size_t room, void *to,
                             size_t *needed)
{
    struct info info = {room, to, needed};
    if (platform && platform != &icd_platform)
        return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE:
        return info_text(info, "EMBEDDED_PROFILE");
    case CL_PLATFORM_VERSION:
        return info_text(info, "OpenCL 1.2 tulle " TULLE_VERSION);
    case CL_PLATFORM_NAME:
        return info_text(info, "Tulle");
    case CL_PLATFORM_VENDOR:
        return info_text(info, "The Tulle project");
    case CL_PLATFORM_EXTENSIONS:
        return info_text(info, "cl_khr_icd");
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return info_text(info, "TULLE");
    case CL_PLATFORM_TULLE_UNUSED:
        return about_unused(info);
    default:
        return CL_INVALID_VALUE;
    }
}

void *icd_clGetExtensionFunctionAddress(const char *name)
{
    if (name && !strcmp(name, "clIcdGetPlatformIDsKHR"))
        return (void *)icd_clGetPlatformIDs;
    if (name && !strcmp(name, "clGetPlatformInfo"))
        return (void *)icd_clGetPlatformInfo;
    return NULL;
}

void *icd_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name)
{
    return platform == &icd_platform ? icd_clGetExtensionFunctionAddress(name) : NULL;
}

/* ---- what is exported --------------------------------------------------------------------------- */

#pragma GCC visibility push(default)

cl_int clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return icd_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    return icd_clGetPlatformInfo(platform, param_name, param_value_size, param_value, param_value_size_ret);
}

void *clGetExtensionFunctionAddress(const char *func_name)
{
    return icd_clGetExtensionFunctionAddress(func_name);
}

#pragma GCC visibility pop
