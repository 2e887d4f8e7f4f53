/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader's table of functions. The loader calls its entries without a
 * check, so every entry is filled. Functions that the driver lacks return
 * CL_INVALID_OPERATION, also in errcode_ret; functions of objects that cannot
 * exist report an invalid object.
 */
#include "host/icd/entries.h"

// clang-format off
/* Calls that return a status: X(name, parameters). */
#define STATUS_CALLS(X) \
    X(clSetCommandQueueProperty, (cl_command_queue a, cl_command_queue_properties b, cl_bool c, \
        cl_command_queue_properties *d)) \
    X(clEnqueueReadImage, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, \
        size_t f, size_t g, void *h, cl_uint i, const cl_event *j, cl_event *k)) \
    X(clEnqueueWriteImage, (cl_command_queue a, cl_mem b, cl_bool c, const size_t *d, const size_t *e, \
        size_t f, size_t g, const void *h, cl_uint i, const cl_event *j, cl_event *k)) \
    X(clEnqueueCopyImage, (cl_command_queue a, cl_mem b, cl_mem c, const size_t *d, const size_t *e, \
        const size_t *f, cl_uint g, const cl_event *h, cl_event *i)) \
    X(clEnqueueCopyImageToBuffer, (cl_command_queue a, cl_mem b, cl_mem c, const size_t *d, \
        const size_t *e, size_t f, cl_uint g, const cl_event *h, cl_event *i)) \
    X(clEnqueueCopyBufferToImage, (cl_command_queue a, cl_mem b, cl_mem c, size_t d, const size_t *e, \
        const size_t *f, cl_uint g, const cl_event *h, cl_event *i)) \
    X(clEnqueueNativeKernel, (cl_command_queue a, void(CL_CALLBACK *b)(void *), void *c, size_t d, \
        cl_uint e, const cl_mem *f, const void **g, cl_uint h, const cl_event *i, cl_event *j)) \
    X(clGetGLObjectInfo, (cl_mem a, cl_gl_object_type *b, cl_GLuint *c)) \
    X(clGetGLTextureInfo, (cl_mem a, cl_gl_texture_info b, size_t c, void *d, size_t *e)) \
    X(clEnqueueAcquireGLObjects, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d, \
        const cl_event *e, cl_event *f)) \
    X(clEnqueueReleaseGLObjects, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d, \
        const cl_event *e, cl_event *f)) \
    X(clGetGLContextInfoKHR, (const cl_context_properties *a, cl_gl_context_info b, size_t c, void *d, \
        size_t *e)) \
    X(clCreateSubDevicesEXT, (cl_device_id a, const cl_device_partition_property_ext *b, cl_uint c, \
        cl_device_id *d, cl_uint *e)) \
    X(clRetainDeviceEXT, (cl_device_id a)) \
    X(clReleaseDeviceEXT, (cl_device_id a)) \
    X(clEnqueueFillImage, (cl_command_queue a, cl_mem b, const void *c, const size_t *d, const size_t *e, \
        cl_uint f, const cl_event *g, cl_event *h)) \
    X(clEnqueueAcquireEGLObjectsKHR, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d, \
        const cl_event *e, cl_event *f)) \
    X(clEnqueueReleaseEGLObjectsKHR, (cl_command_queue a, cl_uint b, const cl_mem *c, cl_uint d, \
        const cl_event *e, cl_event *f)) \
    X(clGetPipeInfo, (cl_mem a, cl_pipe_info b, size_t c, void *d, size_t *e)) \
    X(clEnqueueSVMFree, (cl_command_queue a, cl_uint b, void **c, void(CL_CALLBACK *d)(cl_command_queue, \
        cl_uint, void **, void *), void *e, cl_uint f, const cl_event *g, cl_event *h)) \
    X(clEnqueueSVMMemcpy, (cl_command_queue a, cl_bool b, void *c, const void *d, size_t e, cl_uint f, \
        const cl_event *g, cl_event *h)) \
    X(clEnqueueSVMMemFill, (cl_command_queue a, void *b, const void *c, size_t d, size_t e, cl_uint f, \
        const cl_event *g, cl_event *h)) \
    X(clEnqueueSVMMap, (cl_command_queue a, cl_bool b, cl_map_flags c, void *d, size_t e, cl_uint f, \
        const cl_event *g, cl_event *h)) \
    X(clEnqueueSVMUnmap, (cl_command_queue a, void *b, cl_uint c, const cl_event *d, cl_event *e)) \
    X(clSetKernelArgSVMPointer, (cl_kernel a, cl_uint b, const void *c)) \
    X(clSetKernelExecInfo, (cl_kernel a, cl_kernel_exec_info b, size_t c, const void *d)) \
    X(clGetKernelSubGroupInfoKHR, (cl_kernel a, cl_device_id b, cl_kernel_sub_group_info c, size_t d, \
        const void *e, size_t f, void *g, size_t *h)) \
    X(clEnqueueSVMMigrateMem, (cl_command_queue a, cl_uint b, const void **c, const size_t *d, \
        cl_mem_migration_flags e, cl_uint f, const cl_event *g, cl_event *h)) \
    X(clGetDeviceAndHostTimer, (cl_device_id a, cl_ulong *b, cl_ulong *c)) \
    X(clGetHostTimer, (cl_device_id a, cl_ulong *b)) \
    X(clGetKernelSubGroupInfo, (cl_kernel a, cl_device_id b, cl_kernel_sub_group_info c, size_t d, \
        const void *e, size_t f, void *g, size_t *h)) \
    X(clSetDefaultDeviceCommandQueue, (cl_context a, cl_device_id b, cl_command_queue c)) \
    X(clSetProgramReleaseCallback, (cl_program a, void(CL_CALLBACK *b)(cl_program program, \
        void *user_data), void *c)) \
    X(clSetProgramSpecializationConstant, (cl_program a, cl_uint b, size_t c, const void *d)) \
    X(clSetContextDestructorCallback, (cl_context a, void(CL_CALLBACK *b)(cl_context, void *), void *c))

/* Calls for one object of a kind that there is not: X(name, parameters, status). */
#define ABSENT_CALLS(X) \
    X(clGetImageInfo, (cl_mem a, cl_image_info b, size_t c, void *d, size_t *e), CL_INVALID_MEM_OBJECT) \
    X(clRetainSampler, (cl_sampler a), CL_INVALID_SAMPLER) \
    X(clReleaseSampler, (cl_sampler a), CL_INVALID_SAMPLER) \
    X(clGetSamplerInfo, (cl_sampler a, cl_sampler_info b, size_t c, void *d, size_t *e), CL_INVALID_SAMPLER)

/* Calls that return an object: X(type, name, parameters, the one for the status). */
#define CREATING_CALLS(X) \
    X(cl_mem, clCreateImage2D, (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, \
        size_t e, size_t f, void *g, cl_int *h), h) \
    X(cl_mem, clCreateImage3D, (cl_context a, cl_mem_flags b, const cl_image_format *c, size_t d, \
        size_t e, size_t f, size_t g, size_t h, void *i, cl_int *j), j) \
    X(cl_sampler, clCreateSampler, (cl_context a, cl_bool b, cl_addressing_mode c, cl_filter_mode d, \
        cl_int *e), e) \
    X(void *, clEnqueueMapImage, (cl_command_queue a, cl_mem b, cl_bool c, cl_map_flags d, \
        const size_t *e, const size_t *f, size_t *g, size_t *h, cl_uint i, const cl_event *j, \
        cl_event *k, cl_int *l), l) \
    X(cl_mem, clCreateFromGLTexture2D, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, \
        cl_GLuint e, cl_int *f), f) \
    X(cl_mem, clCreateFromGLTexture3D, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, \
        cl_GLuint e, cl_int *f), f) \
    X(cl_mem, clCreateFromGLRenderbuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, cl_int *d), d) \
    X(cl_event, clCreateEventFromGLsyncKHR, (cl_context a, cl_GLsync b, cl_int *c), c) \
    X(cl_mem, clCreateImage, (cl_context a, cl_mem_flags b, const cl_image_format *c, \
        const cl_image_desc *d, void *e, cl_int *f), f) \
    X(cl_mem, clCreateFromGLTexture, (cl_context a, cl_mem_flags b, cl_GLenum c, cl_GLint d, cl_GLuint e, \
        cl_int *f), f) \
    X(cl_mem, clCreateFromEGLImageKHR, (cl_context a, CLeglDisplayKHR b, CLeglImageKHR c, cl_mem_flags d, \
        const cl_egl_image_properties_khr *e, cl_int *f), f) \
    X(cl_event, clCreateEventFromEGLSyncKHR, (cl_context a, CLeglSyncKHR b, CLeglDisplayKHR c, \
        cl_int *d), d) \
    X(cl_command_queue, clCreateCommandQueueWithProperties, (cl_context a, cl_device_id b, \
        const cl_queue_properties *c, cl_int *d), d) \
    X(cl_mem, clCreatePipe, (cl_context a, cl_mem_flags b, cl_uint c, cl_uint d, \
        const cl_pipe_properties *e, cl_int *f), f) \
    X(cl_sampler, clCreateSamplerWithProperties, (cl_context a, const cl_sampler_properties *b, \
        cl_int *c), c) \
    X(cl_kernel, clCloneKernel, (cl_kernel a, cl_int *b), b) \
    X(cl_program, clCreateProgramWithIL, (cl_context a, const void *b, size_t c, cl_int *d), d) \
    X(cl_mem, clCreateBufferWithProperties, (cl_context a, const cl_mem_properties *b, cl_mem_flags c, \
        size_t d, void *e, cl_int *f), f) \
    X(cl_mem, clCreateImageWithProperties, (cl_context a, const cl_mem_properties *b, cl_mem_flags c, \
        const cl_image_format *d, const cl_image_desc *e, void *f, cl_int *g), g) \
    X(cl_mem, clCreateFromGLBuffer, (cl_context a, cl_mem_flags b, cl_GLuint c, int *d), d)

/* Calls of a system that this is not: the table has no types for them here. */
#define FOREIGN_CALLS(X) \
    X(clGetDeviceIDsFromD3D10KHR) X(clCreateFromD3D10BufferKHR) X(clCreateFromD3D10Texture2DKHR) \
    X(clCreateFromD3D10Texture3DKHR) X(clEnqueueAcquireD3D10ObjectsKHR) \
    X(clEnqueueReleaseD3D10ObjectsKHR) X(clGetDeviceIDsFromD3D11KHR) X(clCreateFromD3D11BufferKHR) \
    X(clCreateFromD3D11Texture2DKHR) X(clCreateFromD3D11Texture3DKHR) X(clCreateFromDX9MediaSurfaceKHR) \
    X(clEnqueueAcquireD3D11ObjectsKHR) X(clEnqueueReleaseD3D11ObjectsKHR) \
    X(clGetDeviceIDsFromDX9MediaAdapterKHR) X(clEnqueueAcquireDX9MediaSurfacesKHR) \
    X(clEnqueueReleaseDX9MediaSurfacesKHR)
// clang-format on

/* Parameters are there for their types alone. NOLINTBEGIN(misc-unused-parameters) */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define REFUSE(name, parameters)                \
    static cl_int unsupported_##name parameters \
    {                                           \
        return CL_INVALID_OPERATION;            \
    }
STATUS_CALLS(REFUSE)
#undef REFUSE

#define REFUSE(name, parameters, status)        \
    static cl_int unsupported_##name parameters \
    {                                           \
        return status;                          \
    }
ABSENT_CALLS(REFUSE)
#undef REFUSE

#define REFUSE(type, name, parameters, errcode_ret)                     \
    static type unsupported_##name parameters                           \
    {                                                                   \
        return object_created(NULL, CL_INVALID_OPERATION, errcode_ret); \
    }
CREATING_CALLS(REFUSE)
#undef REFUSE

static void *unsupported_clSVMAlloc(cl_context a, cl_svm_mem_flags b, size_t c, unsigned d)
{
    return NULL;
}

static void unsupported_clSVMFree(cl_context a, void *b)
{
}

static cl_int unsupported_foreign(void)
{
    return CL_INVALID_OPERATION;
}

#pragma GCC diagnostic pop
/* NOLINTEND(misc-unused-parameters) */

const cl_icd_dispatch icd_dispatch = {
#define CALL(name) .name = icd_##name,
    ICD_CALLS(CALL)
#undef CALL
#define CALL(name, parameters) .name = unsupported_##name,
        STATUS_CALLS(CALL)
#undef CALL
#define CALL(name, parameters, status) .name = unsupported_##name,
            ABSENT_CALLS(CALL)
#undef CALL
#define CALL(type, name, parameters, errcode_ret) .name = unsupported_##name,
                CREATING_CALLS(CALL)
#undef CALL
#define CALL(name) .name = (void *)unsupported_foreign,
                    FOREIGN_CALLS(CALL)
#undef CALL
                        .clSVMAlloc = unsupported_clSVMAlloc,
    .clSVMFree = unsupported_clSVMFree};
