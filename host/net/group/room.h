/* SPDX-License-Identifier: Apache-2.0
 *
 * Room in the bank for a group that is cut. In each slice a value has a frame from when
 * it is made, or read from memory, until its last reader has run. What it keeps for the next
 * slice has a place of its own during the whole group. Results that no layer of the
 * group reads go straight to memory.
 */
#ifndef TULLE_HOST_NET_GROUP_ROOM_H
#define TULLE_HOST_NET_GROUP_ROOM_H

#include "host/net/group/slices.h"

/* A group's slices along both axes; slice (row part, column part), strips of columns one after another. */
struct group_cut {
    enum group_keeping keeping;
    struct group_slices slices[GROUP_AXES];
};

/* Bytes of one place of an image, which are all channels and images, in memory and, in whole units, on chip.
 */
uint64_t group_place_bytes(const struct group *group, size_t member);
uint64_t group_place_room(const struct group *group, size_t member);
/* Bytes of a member's frame in a slice, with the padding around it; 0: it has none. */
uint64_t group_frame_bytes(const struct group *group, const struct group_cut *cut, size_t row, size_t column,
                           size_t member);
/* Bytes that a member keeps at most from one slice to the next. */
uint64_t group_kept_bytes(const struct group *group, const struct group_cut *cut, size_t member);

/* The most bytes that live at the same time. */
uint64_t group_peak(const struct group *group, const struct group_cut *cut);

/* Addresses of all frames of a slice, behind what is kept; frames that do not live at the same time share
 * bytes. UINT64_MAX: no frame. Gives the first byte behind all. */
uint64_t group_place(const struct group *group, const struct group_cut *cut, size_t row, size_t column,
                     uint64_t *addresses);
/* Bytes of the bank that all slices fit into. False: out of memory. */
bool group_room(const struct group *group, const struct group_cut *cut, uint64_t *bytes);

#endif
