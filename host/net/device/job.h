/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node of integers computes (host/net/cpu/exact.h) as an operator of
 * libtulle: its options, with all that they point to, and runs of it. This is
 * the only place that knows how the two belong together.
 */
#ifndef TULLE_HOST_NET_DEVICE_JOB_H
#define TULLE_HOST_NET_DEVICE_JOB_H

#include "host/net/cpu/exact.h"
#include "host/tulle.h"

/* The rows of a matrix that a value is for the library, or a part of it. */
struct job_shape {
    enum tulle_type type;
    int64_t rows, columns;
    int64_t at, pitch; /* elements to the first one, and from a row to the next; 0: as many as columns */
};

/* Bytes of an element, and of all elements of such a shape. */
size_t job_element_bytes(enum tulle_type type);
uint64_t job_shape_bytes(const struct job_shape *shape);

struct job {
    struct tulle_operator_options options;
    struct tulle_matrix matrix;
    struct tulle_window window;
    struct tulle_epilogue epilogue;
    struct tulle_channels channels;
    struct tulle_second second;
    struct tulle_softmax softmax;
    struct job_shape x, w, y; /* of values when it runs; w: the second operand, if any */
    bool turned;              /* the node's second operand is the first one here */
    struct job_finish {
        float *factors;          /* of each channel; NULL: the device has finished the results */
        int64_t channels, pitch; /* elements from one channel to the next */
        struct num_step step;    /* limits and zero point */
    } finish;                    /* what the host makes of the device's sums */
    struct job_copies {
        int64_t *list; /* channels of a group that stand behind it once more */
        int64_t count, groups, each, pixels;
        bool last; /* channels lie within a pixel */
    } copies;      /* of the first operand, for weights of more than 8 bits */
    void *weights;
    int32_t *bias, *multipliers;
    uint8_t *shifts;
    int16_t *limits; /* of channels whose results are joined: all lower ones, then all upper ones */
    int8_t lookup[256];
    char reason[128]; /* why there is no such operator */
};

/* Fills the job. `data_bytes`: of an activation of the device. False: there is no such operator, or out of
 * memory. The job is to be freed in any case. */
bool job_make(struct job *job, const struct exact *what, unsigned data_bytes);
/* Lets the results go through what another node does with them as well, if that can be said: its table, or
 * its join with another operand that is there when the job runs. `first`: they are the first operand of that
 * node. */
bool job_fold(struct job *job, const struct exact *what, bool first);
void job_free(struct job *job);
/* Frees what an operator was made of; what its runs need stays. */
void job_settle(struct job *job);

/* Parts of a job, for job.c and fold.c: an epilogue, a table behind it, and a second operand with its own
 * epilogue. False: devices do not have it. */
void job_set_epilogue(struct job *job, const struct num_step *step);
bool job_fold_bytes(struct job *job, const uint8_t bytes[256]);
bool job_set_second(struct job *job, const struct num_join *join, const struct num_operand *a,
                    const struct num_operand *b, const struct view *w);
/* A checksum of all that an operator is made of. */
enum { JOB_DIGEST_BYTES = 32 };
void job_digest(const struct job *job, uint8_t digest[JOB_DIGEST_BYTES]);

/* Bytes and multiplications that every plan needs, as in docs/performance.md: of weights that are not 0 with
 * all numbers of images; padding takes none. */
struct job_needs {
    uint64_t weights, multiplications, read, written;
};
struct job_needs job_needs(const struct job *job, unsigned data_bytes);

/* The operands of a job, where the first and the second one and the results begin. */
struct job_operands {
    struct tulle_operands all;
    struct tulle_matrix input, second;
    struct tulle_output output;
};
void job_operands(struct job_operands *to, const struct job *job, const void *x, const void *w, void *y);

/* What runs the device's part of a job: operands are those of job_operands(). */
struct job_runner {
    void *context;
    enum tulle_status (*run)(void *context, const struct job *job, const void *x, const void *w, void *y);
};

/* Runs a job on values of the node's operands: the runner has the device's part, and what the host makes of
 * operands and sums is around it. */
enum tulle_status job_run_with(const struct job *job, const struct view *x, const struct view *w,
                               const struct view *y, const struct job_runner *runner);

/* The same with the job's operator. */
enum tulle_status job_run(const struct job *job, struct tulle_operator *op, const struct view *x,
                          const struct view *w, const struct view *y, unsigned milliseconds,
                          struct tulle_counters *counters);

#endif
