/* SPDX-License-Identifier: Apache-2.0
 *
 * `--place` and what goes with it: where operations of a network run, by their
 * predicted times (host/net/place). And `tulle net calibrate`.
 */
#ifndef TULLE_HOST_CLI_NET_PLACE_H
#define TULLE_HOST_CLI_NET_PLACE_H

#include "gen/base/options.h"
#include "host/net/place/joined.h"

struct net_place_options {
    bool on; /* --place, or an option that goes with it */
    const char *strategy_text, *clock_text, *job_text, *copy_text, *cost_text, *benefit_text, *runs_text,
        *times;
    unsigned strategy;
    int64_t clock; /* MHz of a device */
    int64_t runs;  /* whose medians are measured, in turn with as many on the host alone; 1: without them */
    const char *rows_text[PLACE_PROCESSORS_MOST];
    unsigned rows[PLACE_PROCESSORS_MOST]; /* of the first device's array, which are processors of their own */
    unsigned rows_count;
    double job, copy;   /* us of a job besides its cycles; MB that are copied in a second */
    const char **marks; /* NODE=PROCESSOR */
    unsigned mark_count;
    struct place_thresholds thresholds;
};

enum { NET_PLACE_ENTRIES = 11 };
/* Adds the options to a list. Returns how many. */
size_t net_place_entries(struct net_place_options *options, struct option_entry *to);
void net_place_check(struct net_place_options *options, struct diag *diag);

/* What stays while a network is placed. */
struct net_placing {
    struct place_library library;
    struct place_network_options options;
    struct place_mark *marks;
    char *names; /* of marked nodes */
    struct place_device devices[PLACE_PROCESSORS_MOST];
    char copies[PLACE_PROCESSORS_MOST][TULLE_NAME_BYTES]; /* their names in the library */
    size_t device_count;
    struct place_network network;
    struct place_watch watch; /* of the last run */
    struct net_placing_times {
        double *list; /* of the last runs' nodes, one run behind the other */
        unsigned count;
    } placed, alone;
    struct place_measured measured;
    double again; /* seconds that the placement is predicted to take with the host's times of runs alone */
    bool there, ran;
    bool on_host; /* the next runs are on the host alone */
    bool warm;    /* the next runs are for their times alone (struct place_watch) */
    bool done;    /* what is measured stays */
};

/* Reads the library and the marks. False after an error. To be closed in any case. */
bool net_placing_open(struct net_placing *to, const struct net_place_options *options, struct diag *diag);
/* A device with its layers, in order. False after an error. */
bool net_placing_add(struct net_placing *placing, const struct net_place_options *options,
                     struct tulle_device *device, const char *name, struct layers *layers, struct diag *diag);
/* Chooses where each operation runs; with a joiner, neighbours on the device are one job. False after an
 * error. */
bool net_placing_apply(struct net_placing *placing, struct net *net, const struct place_joiner *joiner,
                       struct diag *diag);
/* Watches a run that begins, and once it has ended takes what it took, as medians with those before it back
 * to the last net_placing_begin(). All do nothing without a placement. False: out of memory. */
bool net_placing_watch(struct net_placing *placing, struct net *net, struct run *run);
void net_placing_watched(struct net_placing *placing);
void net_placing_begin(struct net_placing *placing);
/* A line with what was predicted and what the last run took. */
void net_placing_report(const struct net_placing *placing, struct strbuf *to);
void net_placing_close(struct net_placing *placing);

/* Measures the network's operators on the host, and copies of a device that is not NULL, and gives the
 * library with them as a file. */
bool net_calibrate(struct net *net, const struct net_place_options *options, struct tulle_device *device,
                   struct strbuf *to, struct diag *diag);

#endif
