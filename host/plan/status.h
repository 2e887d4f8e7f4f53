/* SPDX-License-Identifier: Apache-2.0
 *
 * Why there is no plan: a status for programs, and a message for people.
 */
#ifndef TULLE_HOST_PLAN_STATUS_H
#define TULLE_HOST_PLAN_STATUS_H

#define PLAN_MESSAGE_BYTES 160

enum plan_status {
    PLAN_OK,
    PLAN_INVALID,       /* the operator or the choice contradicts itself */
    PLAN_UNSUPPORTED,   /* the variant, or this kind of plan, does not do it */
    PLAN_LONG_SEGMENT,  /* weights that a PE needs at once do not fit its queue; shorter k blocks may */
    PLAN_SMALL_UNITS,   /* packets do not fit the storage units; smaller ones may */
    PLAN_DEVICE_MEMORY, /* a few rows and the activations do not fit the device memory */
    PLAN_NO_MEMORY      /* the host's */
};

/* Of the last call of this thread that did not return PLAN_OK. */
const char *plan_message(void);

/* The same for a status that was just returned; NULL for PLAN_OK. */
const char *plan_why(enum plan_status status);

/* Keeps the message, cut to PLAN_MESSAGE_BYTES; returns the status. */
enum plan_status plan_refuse(enum plan_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
enum plan_status plan_no_memory(void);

#endif
