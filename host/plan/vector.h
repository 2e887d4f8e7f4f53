/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan of y = A x while it is made, or of several x, one after another. Columns of A without a non-zero are
 * left out of x; what is left is cut into pages. All pages lie in the input buffers or those that are read
 * everywhere stay and the others come and go. Rows of A are cut into tiles that read few enough pages; within
 * a tile rows are dealt to PEs by their non-zeros, and long ones are cut into parts.
 */
#ifndef TULLE_HOST_VECTOR_H
#define TULLE_HOST_VECTOR_H

#include "host/plan/channels.h"
#include "host/plan/pack.h"
#include "host/plan/planner.h"
#include "host/plan/steps.h"

#define VECTOR_PAGE 64 /* activations */
#define VECTOR_BUFFERS 8
#define VECTOR_PLACES 4 /* for pages that do not stay */
#define VECTOR_CLUSTERS_MAX 16
#define VECTOR_AHEAD 2 /* tiles whose loads are written before the current one's packets */

/* Entries of a row that one PE multiplies as a segment. */
struct vector_part {
    uint32_t row, start, length;
    uint32_t cost;   /* entries of the stream */
    uint32_t anchor; /* in steps: place of the first entry that needs no jump; UINT32_MAX: it has no entry */
    bool is_long;    /* the same: its jumps do not count */
    bool common;     /* the same: it has entries of columns that are at every base, and others */
};

struct vector_tile {
    uint32_t first, segments; /* segments of all PEs */
    uint32_t group;
    uint64_t offset; /* in the packed weights */
    uint32_t bytes[VECTOR_CLUSTERS_MAX], row_bytes;
    uint32_t pages; /* that stay, from the first to the last that this tile or one before it reads */
};

/* Tiles whose rows read the same pages. */
struct vector_group {
    uint32_t first, tiles;
    uint32_t first_page, pages; /* new ones, in the list of pages in the order in which they come */
    uint32_t input;             /* groups before this one that bring pages */
};

/* A growing array. */
struct vector_list {
    struct strbuf text;
};
#define VECTOR_AT(list, type) ((type *)(void *)(list).text.text)
#define VECTOR_COUNT(list, type) ((uint32_t)((list).text.len / sizeof(type)))

struct vector {
    const struct plan_description *d;
    const struct variant *variant;
    struct variant_derived derived;
    struct weights_code code;
    const struct sparse *matrix;
    unsigned data_bytes;
    uint32_t lanes; /* PEs of the array */
    /* x */
    uint32_t *compact; /* place of a column in x as the device has it; UINT32_MAX: none */
    uint32_t *column;  /* and back */
    uint32_t columns, pages;
    bool *stays;                /* per page: it stays in the input buffers */
    uint32_t stay, place_pages; /* pages of the input buffer: at its start, and in each place behind them */
    bool ordered;               /* columns are where they were, among each other */
    uint32_t *where;            /* place of a column in the input buffer now */
    /* in steps: segments with the same base, and how far it is to that of the next ones; else 0 */
    uint32_t step_segments, step, long_parts;
    uint32_t copies, bases; /* common columns, which are at the start of every base; bases of all blocks */
    /* rows */
    struct vector_list parts;                  /* of a group */
    struct vector_list tiles, groups, brought; /* of the plan; pages in the order in which they come */
    uint64_t segments;
    struct vector_list more; /* uint32_t pairs: row and place of parts but the first */
    uint32_t *place;         /* of the first part of every row */
    enum plan_gather gather;
    uint32_t packet_bytes,
        block; /* block: columns that a group brings, at most, or segments of a step; 0: chosen */
    uint32_t largest_set, most_pages;
    /* of several vectors, which have all of x in the input buffers */
    uint32_t vectors, halves; /* halves: vectors that the input buffers have room for, 1 or 2 */
    bool resident;            /* all tiles stay in the storage units from vector to vector */
    bool in_line;             /* and take no more room than they have bytes */
    /* in the storage units */
    uint32_t stay_at, input_at, input_slot, weights_at, slots;
    struct channel_columns channels;
};

enum plan_status plan_vector(const struct plan_description *description, const struct plan_choice *choice,
                             struct plan *plan);

/* The plan along the diagonal (vector_diagonal.c). */
enum plan_status plan_diagonal(const struct plan_description *description, const struct plan_choice *choice,
                               struct plan *plan);

/* Cuts rows into groups and packs them, pages coming and going (vector_window.c). */
enum plan_status vector_cut_window(struct vector *a, struct packer *packer, struct strbuf *to);

/* Cuts rows into tiles whose base goes on in steps (vector_steps.c). */
enum plan_status vector_cut_steps(struct vector *a, struct packer *packer, struct strbuf *to);

/* Tiles of the parts, which are sorted by their anchors. */
enum plan_status vector_add_steps(struct vector *a, struct packer *packer, struct strbuf *to);

/* Where positions of a segment count from. */
uint32_t vector_step_base(const struct vector *a, uint32_t segment);

/* All pages stay. False when out of memory. */
bool vector_stay_pages(struct vector *a);

/* Entries of the longest part: a segment is as long as the longest of its PEs', so that rows which few others
 * are as long as are cut. No part fills more than half a weight queue. */
uint32_t vector_longest_part(const struct vector *a);

/* Whether the device gives the row a result. What comes from the table of channels also does so for a row
 * without entries; otherwise the caller knows what that begins with. */
bool vector_has_result(const struct vector *a, uint32_t row);

/* Adds entries start .. start + length - 1 of a row to the parts, cut to nearly equal lengths. */
bool vector_add_parts(struct vector *a, uint32_t row, uint32_t start, uint32_t length, uint32_t longest);

/* PLAN_UNSUPPORTED: so many pages of x come in all that the plan is not worth its bytes. */
enum plan_status vector_limit_pages(const struct vector *a, uint64_t brought);

/* A group of the parts so far, in as many tiles as it takes; its pages are the newest of those brought. */
enum plan_status vector_add_group(struct vector *a, struct packer *packer, uint32_t pages, struct strbuf *to);

/* For qsort of uint32_t. */
int vector_ascending(const void *x, const void *y);

/* Puts columns into the order in which rows have the fewest jumps (vector_order.c). False when out of memory.
 */
bool vector_order(struct vector *a);

/* Entries that a segment at these places takes, its jumps with it; sorts them unless they are. */
uint32_t vector_cost_of(const struct vector *a, uint32_t *at, uint32_t count, bool sorted);

/* Where positions of a group's segments count from, and where they go on from the start. */
uint32_t vector_base(const struct vector *a, uint32_t group);
uint32_t vector_wrap(const struct vector *a);

/* Writes the program; NULL on success. */
enum plan_status vector_write(struct vector *a, struct plan *plan);

#endif
