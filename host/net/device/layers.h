/* SPDX-License-Identifier: Apache-2.0
 *
 * The layers of a network on a device: each node that the device can compute
 * with the CPU's bits is an operator there, made once and kept, and every other
 * node stays on the CPU with its reason.
 *
 * A node behind one that runs on the device is folded into its operator if it only
 * limits the results, looks them up, or joins them with a value that is there
 * before. The value between the two is then what the last node gives.
 */
#ifndef TULLE_HOST_NET_DEVICE_LAYERS_H
#define TULLE_HOST_NET_DEVICE_LAYERS_H

#include "host/net/cpu/cpu.h"
#include "host/net/device/team.h"
#include "host/tulle.h"

/* Where operators come from that are not planned here. */
struct layers_maker {
    void *context;
    /* The operator of node `at` whose job has that digest. TULLE_UNSUPPORTED: there is none, and `why` is
     * set; any other failure has its message in tulle_message(). */
    enum tulle_status (*make)(void *context, size_t at, const uint8_t digest[JOB_DIGEST_BYTES],
                              struct tulle_operator **op, const char **why);
    /* The last layer of the part that begins with layer `first`; SIZE_MAX: none does. */
    size_t (*part_end)(void *context, size_t first);
    /* The operator of that part, whose steps have that digest; as make(). */
    enum tulle_status (*make_part)(void *context, size_t first, const uint8_t digest[JOB_DIGEST_BYTES],
                                   struct tulle_operator **op);
};

/* What hears of each layer before the device computes it. */
struct layers_watcher {
    void *context;
    void (*begins)(void *context, const struct node *node);
};

/* Who may keep a node from the device, as placement does. */
struct layers_placer {
    void *context;
    bool (*may)(void *context, const struct node *node);
};

struct layers_options {
    struct tulle_device *const *team; /* each layer is cut into pieces on these, the first of which is the
                                         device; not with `fused` or a maker */
    size_t team_count;                /* 0: the device has them alone */
    bool fused;                       /* neighbours are one job; else each layer is one */
    unsigned milliseconds;            /* that a layer may take */
    bool apart;                       /* fold nothing: every value is the CPU's */
    bool check;                /* compute each layer on the CPU, too, and compare; results are the CPU's */
    struct layers_maker maker; /* `make` is NULL: the library plans them */
    struct layers_watcher watcher; /* `begins` is NULL: none */
    struct layers_placer placer;   /* `may` is NULL: every node may be on the device */
};

/* A node, in the order of the network. */
struct layer {
    const struct node *node;
    struct tulle_operator *op; /* NULL: on the CPU, or folded; the first one of a team */
    struct team *team;         /* NULL: the operator has the whole job */
    struct job *job;
    size_t folded_into; /* the number of the layer that computes it; its own: none does */
    size_t operand;     /* the operand that the layer would compute for it */
    size_t last, folds; /* the last node that is folded into this one; its own: none is; how many there are */
    struct tensor *second;            /* that its operator joins with its results; NULL: none */
    char *reason;                     /* why it is not on the device; NULL: it is, or folded */
    uint8_t digest[JOB_DIGEST_BYTES]; /* of the job; operators alone have it */
    struct job_needs needs;
    struct tulle_counters counters; /* of its last run */
    void *results;                  /* while the CPU computes the same */
    struct view kept;               /* the CPU's, of a layer in a part that is checked */
    struct part *part;              /* whose job computes it; NULL: it is a job of its own, or on the CPU */
};

/* What --check found. */
struct layers_check {
    size_t layers, elements, differ;
    const struct node *first; /* with a difference; NULL: none */
    size_t element;
    int64_t device, cpu;
};

struct layers;
struct part;

/* The network must stay as it is until they are freed. Sizes of all values must be known for a node to be on
 * the device. NULL after an error: `status` is that of the library's call that failed. */
struct layers *layers_new(struct net *net, struct tulle_device *device, const struct layers_options *options,
                          enum tulle_status *status, struct diag *diag);
/* As layers_new(), with layers as jobs of their own or with neighbours as one: as fewer cycles are predicted.
 */
struct layers *layers_choose(struct net *net, struct tulle_device *device,
                             const struct layers_options *options, enum tulle_status *status,
                             struct diag *diag);
void layers_free(struct layers *layers);

/* Takes the layer of that number from the device, with all that is folded into it: the CPU computes them, for
 * that reason. False: out of memory. */
bool layers_leave(struct layers *layers, size_t at, const char *reason);

/* The run's nodes are offered to the device. Errors name the node. */
void layers_offer(struct layers *layers, struct run *run);

/* Of the last call of the library for a layer that failed in the run that was offered last, or TULLE_OK. */
enum tulle_status layers_status(const struct layers *layers);
/* Whether a result of a node has its own value after a run with these layers (struct layers). */
bool layers_give(const void *layers, const struct tensor *tensor);
/* How many nodes the device computes. */
size_t layers_nodes(const struct layers *layers);
const struct layer *layers_list(const struct layers *layers, size_t *count);
/* Whether neighbours are one job. */
bool layers_fused(const struct layers *layers);
const struct part *layers_parts(const struct layers *layers, size_t *count);
/* A part: its layers, the operator of all of them, and how many tensors the host gives and takes. */
struct layers_part {
    size_t first, last;
    struct tulle_operator *op;
    const uint8_t *digest; /* of its steps */
    size_t inputs, outputs;
};
struct layers_part layers_part(const struct part *part);
/* The part that begins with that layer; NULL: none does. */
const struct part *layers_part_from(const struct layers *layers, size_t first);
/* One of these tensors: first what the host gives, in the order of the operator. */
const struct tensor *layers_part_tensor(const struct part *part, size_t number);
/* The cycles that the planner predicts for a layer that is on the device. */
enum tulle_status layer_predict(const struct layer *layer, uint64_t *cycles);
/* Since layers_new(). */
const struct layers_check *layers_checked(const struct layers *layers);

#endif
