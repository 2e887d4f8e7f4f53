/* SPDX-License-Identifier: Apache-2.0
 *
 * What the OpenCL driver has beyond the standard: for programs that use it,
 * to be included after CL/cl.h. docs/opencl.md is the longer text.
 */
#ifndef TULLE_CL_H
#define TULLE_CL_H

/* The one kernel. Arguments: 8 buffers (cl_mem, NULL for none) in the order of the slots, 8 sizes of them
 * (cl_ulong; CL_TULLE_WHOLE, or not set: all of the buffer), the job number (cl_uint; not set: counted by the
 * driver). */
#define CL_TULLE_KERNEL "tulle_run"
#define CL_TULLE_ARGUMENTS 17
#define CL_TULLE_FIRST_SIZE 8
#define CL_TULLE_JOB_NUMBER 16
#define CL_TULLE_WHOLE (~(cl_ulong)0)

/* Execution status of a job that the device ended with one of the status codes of docs/isa.md. */
#define CL_TULLE_JOB_ENDED(code) (-10000 - (int)(code))
/* And of one that had not ended in time, and was taken off the device. */
#define CL_TULLE_JOB_TIMEOUT (-20000)

/* Property of a context: milliseconds that a job may take; else the environment's TULLE_TIMEOUT_MS, or 60000.
 */
#define CL_CONTEXT_TULLE_TIMEOUT_MS 0x54550001

/* clGetDeviceInfo */
#define CL_DEVICE_TULLE_VARIANT 0x54550101      /* char[] */
#define CL_DEVICE_TULLE_HASH 0x54550102         /* cl_ulong */
#define CL_DEVICE_TULLE_ISA_VERSION 0x54550103  /* cl_uint, the register isa_version */
#define CL_DEVICE_TULLE_SHAPE 0x54550104        /* cl_uint[3]: rows, clusters in a row, PEs in a cluster */
#define CL_DEVICE_TULLE_VARIANT_FILE 0x54550105 /* char[]: all parameters, as a variant file */
#define CL_DEVICE_TULLE_TRANSPORT 0x54550106    /* char[]: how it is reached, "model", "sim" or "pcie" */

/* clGetEventProfilingInfo of a job that has ended, each cl_ulong: the device's counters, as the status record
 * has them (docs/isa.md). On a device without a clock those of time are 0. */
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

#endif
