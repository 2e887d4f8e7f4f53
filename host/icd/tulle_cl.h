/* SPDX-License-Identifier: Apache-2.0
 *
 * The extensions of Tulle's OpenCL driver, for programs that use the driver
 * without libtulle. Include this header after CL/cl.h. docs/opencl.md
 * describes the driver.
 */
#ifndef TULLE_CL_H
#define TULLE_CL_H

/* The only kernel. Its arguments are 8 buffers in the order of the slots (cl_mem; NULL: none), the 8 sizes of
 * these buffers (cl_ulong; CL_TULLE_WHOLE or not set: the whole buffer), and the job number (cl_uint; not
 * set: the driver counts). */
#define CL_TULLE_KERNEL "tulle_run"
#define CL_TULLE_ARGUMENTS 17
#define CL_TULLE_FIRST_SIZE 8
#define CL_TULLE_JOB_NUMBER 16
#define CL_TULLE_WHOLE (~(cl_ulong)0)

/* The execution status of a job that the device ended with a status code of docs/isa.md. */
#define CL_TULLE_JOB_ENDED(code) (-10000 - (int)(code))
/* The execution status of a job that the driver stopped because it took too long. */
#define CL_TULLE_JOB_TIMEOUT (-20000)

/* Property of a context: milliseconds that a job may take. Default: the environment's TULLE_TIMEOUT_MS, or
 * 60000. */
#define CL_CONTEXT_TULLE_TIMEOUT_MS 0x54550001

/* Queries of clGetDeviceInfo. */
#define CL_DEVICE_TULLE_VARIANT 0x54550101      /* char[] */
#define CL_DEVICE_TULLE_HASH 0x54550102         /* cl_ulong */
#define CL_DEVICE_TULLE_ISA_VERSION 0x54550103  /* cl_uint: the register isa_version */
#define CL_DEVICE_TULLE_SHAPE 0x54550104        /* cl_uint[3]: rows, clusters in a row, PEs in a cluster */
#define CL_DEVICE_TULLE_VARIANT_FILE 0x54550105 /* char[]: a variant file with all parameters */
#define CL_DEVICE_TULLE_TRANSPORT 0x54550106    /* char[]: "model", "sim", "pcie" or "serial" */

/* Queries of clGetEventProfilingInfo for a job that has ended: the device's counters as in the status record
 * (docs/isa.md), each cl_ulong. Counters of time are 0 on a device without a clock. */
#define CL_PROFILING_TULLE_CYCLES 0x54550201
#define CL_PROFILING_TULLE_EFFECTIVE_MACS 0x54550202
#define CL_PROFILING_TULLE_SCANNED 0x54550203
#define CL_PROFILING_TULLE_PE_BUSY 0x54550204
#define CL_PROFILING_TULLE_BYTES_READ 0x54550205
#define CL_PROFILING_TULLE_BYTES_WRITTEN 0x54550206
#define CL_PROFILING_TULLE_BUS_BEATS 0x54550207
#define CL_PROFILING_TULLE_STALL_LOAD 0x54550208
#define CL_PROFILING_TULLE_STALL_WEIGHTS 0x54550209
#define CL_PROFILING_TULLE_STALL_OUTPUT 0x5455020A
#define CL_PROFILING_TULLE_STALL_STORE 0x5455020B
#define CL_PROFILING_TULLE_MOVED 0x5455020C
/* The same of a job that may still run: its clock cycles so far, cl_ulong; 0 when the device cannot tell. */
#define CL_PROFILING_TULLE_ELAPSED 0x54550280

/* Query of clGetPlatformInfo, char[]: devices that TULLE_DEVICES names and that are not used, each with the
 * reason, with "; " between them. */
#define CL_PLATFORM_TULLE_UNUSED 0x54550301

#endif
