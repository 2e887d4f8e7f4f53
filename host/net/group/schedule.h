/* SPDX-License-Identifier: Apache-2.0
 *
 * What a group does, step by step, with addresses: its read set, its compute set and its
 * write set for each slice. A device program follows it, and so does a listing.
 *
 * In the bank, a frame has the rows of its slice one behind the other, and of each row the
 * slice's columns, and of each place all channels; around it is the padding that its readers see. What a
 * value keeps has a place of its own in the same order, from which it moves to the front of the next slice's
 * frame.
 */
#ifndef TULLE_HOST_NET_GROUP_SCHEDULE_H
#define TULLE_HOST_NET_GROUP_SCHEDULE_H

#include "host/net/group/room.h"

enum group_step_kind {
    STEP_READ,    /* memory to a frame */
    STEP_FETCH,   /* what was kept to the front of a frame */
    STEP_COMPUTE, /* a layer: frames to a frame, or to memory */
    STEP_WRITE,   /* a frame to memory, of what others in the group read as well */
    STEP_KEEP     /* the end of a frame to where it is kept */
};

struct group_step {
    enum group_step_kind kind;
    size_t row, column;                         /* the slice */
    size_t member;                              /* whose frame it is */
    int64_t begin[GROUP_AXES], end[GROUP_AXES]; /* rows and columns of the value */
    uint64_t frame; /* where the member's frame begins; UINT64_MAX: it has none, memory gets the result */
    uint64_t at;    /* of what is fetched or kept: where that is */
    uint64_t bytes;
};

struct group_schedule {
    struct group_step *steps;
    size_t count;
    uint64_t *frames; /* [slice][member], strips of columns one after another */
    uint64_t room;
};

/* False: out of memory. */
bool group_schedule_open(const struct group *group, const struct group_cut *cut,
                         struct group_schedule *schedule);
void group_schedule_close(struct group_schedule *schedule);

/* Where a member's frame begins in a slice, and where a place of the value is in it. */
uint64_t group_frame(const struct group *group, const struct group_cut *cut,
                     const struct group_schedule *schedule, size_t row, size_t column, size_t member);
uint64_t group_address(const struct group *group, const struct group_cut *cut,
                       const struct group_schedule *schedule, size_t row, size_t column, size_t member,
                       const int64_t place[GROUP_AXES]);

#endif
