/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled networks: one file with a network and with the operators that devices
 * of one variant compute its layers with, so that nothing is planned when it is
 * loaded. docs/compiled.md defines the format.
 *
 * A file may come from anywhere. Its graph is checked as any network's, its
 * operators as any saved operator, and an operator is only taken for the layer
 * that it was made for.
 */
#ifndef TULLE_HOST_NET_COMPILED_H
#define TULLE_HOST_NET_COMPILED_H

#include "host/net/device/layers.h"
#include "host/net/marks/marks.h"

/* A file has the first of these formats that has what it needs: marked outputs, jobs of several nodes. */
enum { COMPILED_FIRST = 1, COMPILED_MARKS, COMPILED_FUSED, COMPILED_FORMAT = COMPILED_FUSED };

/* Whether the file begins as a compiled network. */
bool compiled_is(const char *path);

/* Results that are marked, and what computes those that were swallowed. */
struct compiled_marks {
    const char *const *names;
    size_t count;
    bool any; /* others can be marked, too */
    /* The graph before its passes, or with `any` false the part of it that the marks need; no bytes: the
     * network's own. */
    const void *graph;
    size_t size;
};

/* Appends the file of a network with these layers, none of which is apart. False after an error. */
bool compiled_write(const struct net *net, const struct layers *layers,
                    const struct tulle_device_info *device, const struct marks *marks,
                    const struct compiled_marks *with, struct strbuf *to, struct diag *diag);

struct compiled {
    const char *path; /* borrowed */
    struct strbuf file;
    struct net *net; /* belongs to the caller, who frees it */
    uint64_t hash, memory;
    size_t graph_bytes;
    unsigned format;
    bool fused; /* neighbours on the device are one job */
    struct compiled_marks marks;
    char **names; /* of the marks */
    char variant[64];
    struct compiled_layer {
        bool there;            /* the file has a part for the node */
        bool used;             /* the part was taken */
        const uint8_t *digest; /* of an operator's job; NULL: it is on the CPU */
        const uint8_t *bytes;  /* of the operator, or of the reason */
        size_t count;
        bool joins;  /* the operator is of all nodes up to the last one */
        size_t last; /* else its own */
        char *reason;
    } * layers; /* one for each node */
    size_t count;
};

/* Reads and checks a file. False after an error; to be closed in any case. */
bool compiled_read(const char *path, struct compiled *to, struct diag *diag);
void compiled_close(struct compiled *compiled);

/* The network's layers on a device of the file's variant. As layers_new(). */
struct layers *compiled_layers(struct compiled *compiled, struct tulle_device *device,
                               const struct layers_options *options, enum tulle_status *status,
                               struct diag *diag);

#endif
