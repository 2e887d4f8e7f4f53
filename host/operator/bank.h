/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a sequence lies in the activation bank instead of memory: values between steps, and sums of k
 * steps. It is filled in several ways: in the order of the bytes that are saved for the time that they take
 * their place, of all bytes, or of that time, from its beginning alone or from both ends, and again with what
 * had no room first. The way that leaves least in memory is taken. The bank begins as zeros in every job. A
 * value with a border therefore has a place that nothing uses before it, and a border that is not zero is
 * written when the job begins (host/plan/border.h). Slices one after another would have no room so. Where
 * there are pieces of values (pieces.h), values with borders share places as others do, and each border is
 * written just before the value's first step. The room that is left then takes weights of plans that serve
 * several steps: they are copied to the bank before the first of them, so that all slices together read them
 * from memory once.
 */
#ifndef TULLE_HOST_BANK_H
#define TULLE_HOST_BANK_H

#include "host/operator/sequence.h"
#include "host/plan/link.h"

/* Gives values, and sums of steps, the slot `bank` and a place there, or the slot that they have without one.
 * Plans of all steps are there. */
enum tulle_status bank_place(struct sequence *sequence);

/* Makes the programs of borders. */
enum plan_status bank_make(struct sequence *sequence);
/* Those that come before a step, and the copy of its weights, which have their place in memory by then: the
 * place behind the last one. */
struct link_part *bank_before(const struct sequence *sequence, size_t step, struct link_part *parts);

void bank_free(struct sequence *sequence);

#endif
