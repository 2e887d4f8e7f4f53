/* SPDX-License-Identifier: Apache-2.0
 *
 * A layer on several devices at once. Its job is cut into pieces along one
 * direction, each piece is an operator on a device of its own, and all of them
 * run at the same time. No piece needs another's results, and each writes its own
 * part of the layer's result: nothing is added up or moved afterwards, so the bits
 * are those of one device.
 */
#ifndef TULLE_HOST_NET_DEVICE_TEAM_H
#define TULLE_HOST_NET_DEVICE_TEAM_H

#include "host/net/device/job.h"

/* Directions in which a job can be cut. */
enum team_cut {
    TEAM_IMAGES,   /* of a batch; rows of products, softmaxes and elementwise operators */
    TEAM_HEIGHT,   /* rows of an image's results; pieces read the rows that their windows reach */
    TEAM_CHANNELS, /* of the results; elements of elementwise operators that have one row */
    TEAM_CUTS
};

struct team_piece {
    struct job job; /* points into the whole one */
    struct tulle_operator *op;
    size_t device; /* its number in the list that the team was made of */
    int64_t steps; /* of the direction, that it has */
};

struct team {
    enum team_cut cut;
    struct team_piece *pieces;
    size_t count; /* as many as there are devices, or fewer if there is less to do */
};

/* How many equal steps the job has in that direction; 0 or 1: it cannot be cut there. */
int64_t team_length(const struct job *job, enum team_cut cut);
/* The piece from one step to before another. It points into the whole job. */
void team_cut(struct job *piece, const struct job *whole, enum team_cut cut, int64_t from, int64_t end);

/* Operators for a job on these devices. Shares are in proportion to their PEs, and then to what the planner
 * predicts for these shares. Of all directions, and the largest device alone, it takes what is predicted to
 * end first. After an error there is nothing to free. */
enum tulle_status team_make(struct team *team, const struct job *whole, struct tulle_device *const *devices,
                            size_t count);
void team_free(struct team *team);

/* What the planner predicts for the longest piece. */
enum tulle_status team_predict(const struct team *team, uint64_t *cycles);

/* Runs all pieces as job_run() runs the whole job. Counters are sums, but cycles are the longest piece's. */
enum tulle_status team_run(const struct job *whole, const struct team *team, const struct view *x,
                           const struct view *w, const struct view *y, unsigned milliseconds,
                           struct tulle_counters *counters);

#endif
