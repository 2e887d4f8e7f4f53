/* SPDX-License-Identifier: Apache-2.0
 *
 * How the data flow of a program becomes one over tensors, for operators (plain.c) and for stages of programs
 * (stages.c).
 */
#ifndef TULLE_HOST_SOFTWARE_PLAIN_MAKING_H
#define TULLE_HOST_SOFTWARE_PLAIN_MAKING_H

#include "host/software/places.h"
#include "host/software/plain.h"
#include "host/software/trace.h"

/* Where elements of the slots are in tensors. */
struct plain_job {
    struct places input, second, output;
    uint32_t number; /* of jobs whose inputs are parts of an image */
};

struct plain_making {
    struct plain *to;
    struct strbuf *why;
    unsigned element; /* of results */
    bool direct;      /* the input is read where it is */
    struct flow part; /* that is being taken over: its slots are input, extra, output and scratch */
    /* The rest is found. */
    uint32_t *rows;     /* the number of each of its rows, plus one; 0: not taken yet */
    uint32_t *finishes; /* likewise */
    unsigned kinds[FLOW_KINDS_MOST];
    uint64_t temps; /* that were there before */
    uint64_t
        *part_of; /* of rows in parts, by element of the output slot: a temporary result's number, from 1 */
    int64_t *delta;
    size_t delta_room;
};

/* Notes the first reason; false. */
bool plain_fail(struct plain_making *making, const char *why);
/* When `part` is set, before what follows; and when it is over. */
bool plain_part_begin(struct plain_making *making);
void plain_part_free(struct plain_making *making);
/* What is traced of a plan: its program and weights, which are constant, and the sizes of what it reads and
 * writes. */
struct trace_job plain_trace_job(const struct variant *variant, const struct plan *plan);
/* Clears `direct` if results are made of what is no element of the input: borders, and what fills blocks. */
void plain_look(struct plain_making *m, const struct plain_job *s);
/* Adds the part's results. `direct` is that of all jobs. */
bool plain_take(struct plain_making *making, const struct plain_job *job);
void plain_making_free(struct plain_making *making);

#endif
