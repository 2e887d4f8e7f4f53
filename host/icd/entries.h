/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of the OpenCL functions that the driver implements. dispatch.c
 * adds them to the loader's table.
 */
#ifndef TULLE_HOST_ENTRIES_H
#define TULLE_HOST_ENTRIES_H

#include "host/icd/icd.h"

// clang-format off
#define ICD_CALLS(X) \
    X(clGetPlatformIDs) X(clGetPlatformInfo) X(clGetDeviceIDs) X(clGetDeviceInfo) X(clCreateSubDevices) X(clRetainDevice) X(clReleaseDevice) \
    X(clCreateContext) X(clCreateContextFromType) X(clRetainContext) X(clReleaseContext) X(clGetContextInfo) \
    X(clCreateCommandQueue) X(clRetainCommandQueue) X(clReleaseCommandQueue) X(clGetCommandQueueInfo) \
    X(clFlush) X(clFinish) \
    X(clCreateBuffer) X(clCreateSubBuffer) X(clRetainMemObject) X(clReleaseMemObject) X(clGetMemObjectInfo) \
    X(clSetMemObjectDestructorCallback) X(clGetSupportedImageFormats) \
    X(clEnqueueReadBuffer) X(clEnqueueWriteBuffer) X(clEnqueueCopyBuffer) X(clEnqueueFillBuffer) \
    X(clEnqueueReadBufferRect) X(clEnqueueWriteBufferRect) X(clEnqueueCopyBufferRect) \
    X(clEnqueueMapBuffer) X(clEnqueueUnmapMemObject) X(clEnqueueMigrateMemObjects) \
    X(clCreateProgramWithSource) X(clCreateProgramWithBinary) X(clCreateProgramWithBuiltInKernels) X(clRetainProgram) X(clReleaseProgram) \
    X(clBuildProgram) X(clCompileProgram) X(clLinkProgram) X(clUnloadCompiler) X(clUnloadPlatformCompiler) X(clGetProgramInfo) X(clGetProgramBuildInfo) \
    X(clCreateKernel) X(clCreateKernelsInProgram) X(clRetainKernel) X(clReleaseKernel) X(clSetKernelArg) \
    X(clGetKernelInfo) X(clGetKernelArgInfo) X(clGetKernelWorkGroupInfo) \
    X(clEnqueueTask) X(clEnqueueNDRangeKernel) \
    X(clEnqueueMarker) X(clEnqueueBarrier) X(clEnqueueWaitForEvents) X(clEnqueueMarkerWithWaitList) \
    X(clEnqueueBarrierWithWaitList) \
    X(clWaitForEvents) X(clGetEventInfo) X(clRetainEvent) X(clReleaseEvent) X(clGetEventProfilingInfo) \
    X(clSetEventCallback) X(clCreateUserEvent) X(clSetUserEventStatus) \
    X(clGetExtensionFunctionAddress) X(clGetExtensionFunctionAddressForPlatform)
// clang-format on

#define DECLARE(name) ICD_FUNCTION(name);
ICD_CALLS(DECLARE)
#undef DECLARE

#endif
