/* SPDX-License-Identifier: Apache-2.0
 *
 * The cycle model's device: what its parts (command_time.c, load_time.c,
 * distribute_time.c, store_time.c) share. Every part has a step, called once a
 * cycle. Delays are those of the modules of the RTL; "bus" is the memory port.
 */
#ifndef TULLE_SIM_CYCLE_MACHINE_H
#define TULLE_SIM_CYCLE_MACHINE_H

#include "sim/cycle/cluster_time.h"
#include "sim/cycle/cycle.h"
#include "sim/model/cluster.h"

#define ROWS_MAX 16
#define CLUSTERS_ROW_MAX 16
#define QUEUE_MAX 16
#define PORTS_MAX 4
#define BURST_BYTES 1024 /* of the DMA */

enum { Q_LOAD, Q_DISTRIBUTE, Q_STORE, Q_ACCUMULATE, QUEUES };

/* ---- the command processor ------------------------------------------------------------------- */

struct queue {
    struct {
        struct operation op;
        uint64_t from; /* at the head, or ready to go there */
    } op[QUEUE_MAX];
    unsigned first, count;
    bool started;     /* the head has its tokens */
    uint64_t next;    /* when there may be a next head */
    uint64_t offered; /* when the head that started is offered to its engine */
};

/* Makes records of the packed operations of a program (rtl/tulle_command_unpack.v). */
enum unpack_state { UNPACK_HEAD, UNPACK_LEAD, UNPACK_MERGE, UNPACK_SEAL };
struct unpack_time {
    enum unpack_state state;
    unsigned part;                     /* of the record */
    unsigned mask;                     /* of its words that come, from this part on */
    uint32_t made;                     /* records */
    uint32_t lines, parts;             /* that came, of which so many parts of two words were read */
    uint64_t word;                     /* next one of the packed operations */
    bool there, half;                  /* a part waits; a word of the one before was not used */
    uint64_t made_at[ISA_PACKED_KEPT]; /* by number modulo size: cycle at which a record can be read */
};

struct command_time {
    struct program program;
    uint64_t fetched_at[4096]; /* by position in the program modulo size: cycle at which it can be read */
    uint32_t fetched;          /* positions below this were requested */
    uint64_t next_fetch;
    struct unpack_time unpack;
    bool has_header;
    uint64_t known_at;       /* then: when records may be packed */
    uint64_t next_read;      /* when the next record may be read */
    struct operation looked; /* a record was read, and is at work from `looked_until` on */
    bool has_looked;
    uint64_t looked_until;
    struct operation pending; /* on its way to its queue */
    bool has_pending;
    uint64_t pending_until, pending_next; /* and when another one may follow */
    struct queue queues[QUEUES];
    uint64_t next_start;
    unsigned still; /* cycles of quiet that an end or a fence has seen */
    unsigned calm;  /* the same of an end, results that are still to be written and responses aside */
    uint64_t ahead, lead,
        spread; /* when parts are free for the next job (struct cycle_behind); 0: they are not */
    const uint8_t *from, *to; /* what stores write */
    uint64_t sent;            /* since when only responses are missing; 0: others are */
    bool ended;
};

/* ---- the engines ------------------------------------------------------------------------------ */

#define LOADS_MAX 16
struct load_operation {
    struct operation op;
    uint64_t from;   /* of its requests */
    uint64_t finish; /* its token is there, once everything was asked for */
};

/* One for each memory port. */
struct load_time {
    struct load_operation work[LOADS_MAX]; /* in order, a ring */
    unsigned first, count, unasked;        /* the newest are not all asked for */
    unsigned plane, run;                   /* next run of the oldest of those */
    uint32_t byte;
    uint64_t data_until; /* when what was asked for is there */
    bool from_bank;      /* the last of it comes from the bank */
    uint64_t zeros_until;
};

#define PORT_BEATS 33 /* of a cluster's packet queue, with the one at its output */
#define BUS_BYTES_MAX 64
struct packet_time {
    unsigned entry; /* of the distribute operation, until it is sent */
    struct operation op;
    uint64_t unsent, left; /* beats: not on the row bus yet, not taken up by the clusters yet */
    bool begun, kept;      /* kept: it was sent before clusters took it up */
    uint16_t takers;       /* begun: clusters, a bit each, whose parts look at its beats */
    enum packet_kind kind[CLUSTERS_ROW_MAX]; /* of those */
};

#define UNIT_QUEUE 128 /* only many clusters and packets of a beat could need more */
struct unit {
    struct packet_time packet[UNIT_QUEUE]; /* a ring: in the clusters' packet queues, then those to be sent */
    unsigned first, count, sent;
    uint64_t from;                                        /* of the next packet's first beat */
    unsigned held[CLUSTERS_ROW_MAX];                      /* beats in each cluster's packet queue */
    uint8_t data[UNIT_QUEUE][PORT_BEATS * BUS_BYTES_MAX]; /* of packets that are kept */
};

#define DISTRIBUTES_MAX 8 /* that rows are still working on */
struct distribute {
    struct operation op;
    unsigned rows_left;
    uint64_t finish;
};

#define STORES_UNDER_WAY 8
#define GATHER_ROWS_MAX 256 /* a quarter of the lines */
#define GROUPS_RING 128     /* more than can be ahead: a beat of bytes with one PE, and GROUPS_AHEAD */
#define BURSTS_RING 64
struct store_operation {
    struct operation op;
    unsigned streams, interval;            /* interval: cycles a group */
    uint64_t elements, groups, per_stream; /* in all; groups of each stream */
    uint64_t taken, written;               /* groups taken, elements written */
    uint64_t first_group;
    unsigned plane, run; /* of the next beat */
    uint32_t byte;
    uint64_t piece_left;    /* bytes of the piece that is being filled; 0: the next one is fresh */
    uint64_t begun, finish; /* finish: UINT64_MAX while its last burst waits in lines */
    unsigned window;        /* bytes of a row that wait in lines; 0: none do */
};

/* A burst whose results are all in lines (rtl/tulle_store_gather.v). */
struct gathered_burst {
    uint64_t at, number; /* at: when its first beat may be on the bus; number: of all bursts */
    unsigned beats;
    struct store_operation *ends; /* the store whose last one it is; NULL: of none */
    bool near;                    /* to the bank */
};

struct store_time {
    struct store_operation work[STORES_UNDER_WAY]; /* in order, a ring */
    unsigned first, count, taken, written;         /* the oldest are all taken, all written */
    uint64_t groups, groups_written;               /* so far */
    uint64_t arrival[GROUPS_RING];                 /* of a group at the bus */
    uint64_t last_take;
    uint64_t bursts, last_beat[BURSTS_RING]; /* so far; by burst, UINT64_MAX while it waits in lines */
    uint64_t pieces, address, piece_beat[BURSTS_RING]; /* so far; of the newest; last beat by piece */
    struct gathered_burst gathered[BURSTS_RING];       /* that leave, in order, a ring */
    unsigned gathered_first, gathered_count;
    /* Gathered bursts whose addresses are there, and those that have left; with how many of the first the
     * newest gathered store began, and with how many the one before; and of each row of the newest, with how
     * many its last burst was there, and the one before it. */
    uint64_t asked, left, began[2], row[GATHER_ROWS_MAX][2];
    uint64_t unclear; /* the last cycle in which lines were not free */
    uint64_t setup_until;
    bool has_setup;
    struct operation column;     /* loads the table of channels */
    uint64_t column_ends;        /* until then; 0: none does */
    unsigned row_read, row_left; /* softmax: groups of a row that were read; that are still to leave */
    uint64_t row_next;           /* when the next one may be read, or leave */
};

enum { READS_FIRST, READS_SECOND, READS_SUMS, READERS };

#define OPERAND_BURSTS 64 /* of a reader's buffer, at least a line each */
/* A reader of operands of joins, or of partial sums. */
struct operand_time {
    struct operation op;
    uint64_t taken, asked, bytes; /* bytes: in all */
    uint64_t next;                /* when it may ask again */
    unsigned lines;               /* asked for and not free again */
    struct {
        uint64_t upto, at; /* bytes of the pattern with it; when it is there */
        unsigned lines;
    } burst[OPERAND_BURSTS]; /* in order, a ring */
    unsigned first, count;
};

struct collector_mode {
    bool sum_clusters, sum_rows, source;
    bool by_channel;    /* results have numbers of the table of channels */
    bool joined, alone; /* joins of results, of operands */
    unsigned element;   /* of partial sums */
    unsigned row;       /* softmax: groups of K of a row; 0: it is none */
    unsigned row_steps; /* from a row that was read to its first exponential, chunks aside */
    uint64_t ready;     /* cycle at which a column, or the scale of operands, is there */
};

/* The activation bank gives a beat a cycle, over the bus of the port: to readers first, and then to loads. */
struct bank_port {
    uint64_t readers_free; /* when what readers asked for is there */
    uint64_t loads_free;   /* the same for loads */
};

struct read_port {
    uint64_t free, busy, next_address;
    uint64_t next_beat;        /* when memory has the next beat, by its bandwidth */
    uint64_t outstanding[256]; /* completion times of read bursts, a ring of outstanding_reads */
    unsigned outstanding_next;
};

struct machine {
    struct variant variant;
    struct variant_derived derived;
    const struct cycle_options *options;
    struct job job; /* with the array's bank */
    struct array *array;
    struct job_result *result;
    uint64_t now;
    struct read_port port[PORTS_MAX];
    struct bank_port bank;
    uint64_t write_busy, next_write; /* next_write: when memory takes the next beat */
    struct command_time command;
    struct load_time load[PORTS_MAX];
    unsigned load_ports[LOADS_MAX]; /* that have a load, a bit each: a ring, in order */
    unsigned load_first, load_count;
    struct distribute distributes[DISTRIBUTES_MAX]; /* in order, a ring */
    unsigned distribute_first, distribute_count;
    struct unit *units; /* one for each row */
    struct store_time store;
    uint64_t stored, stored_whole, stored_long; /* of cycle_report */
    struct collector_mode mode;
    unsigned next_bank[ROWS_MAX * CLUSTERS_ROW_MAX]; /* of the oldest group of a cluster, in its collector */
    struct operand_time operands[READERS];
    struct cluster_time *clusters;
    unsigned collector_turn[ROWS_MAX];
    bool failed, no_memory;
};

/* Beats of bytes from `offset` on. */
uint64_t machine_beats_of(const struct machine *m, uint64_t offset, uint64_t bytes);
/* Whether an address may be on the port's bus now. */
bool machine_read_allowed(const struct machine *m, unsigned port);
/* Whether memory takes a beat of data now. */
bool machine_write_allowed(const struct machine *m);
/* A beat of data leaves now. */
void machine_write_beat(struct machine *m);
/* A read burst whose address is on the bus now: the cycle behind its last beat. */
uint64_t machine_read_burst(struct machine *m, unsigned port, uint64_t beats);

/* Bursts from the bank (bank_time.c), whose beats are on the bus of port 0 before those of memory: the cycle
 * behind the last beat. A load's burst comes behind what the load engine asked for before. */
uint64_t bank_time_read(struct machine *m, uint64_t beats);
uint64_t bank_time_load(struct machine *m, const struct load_time *load, uint64_t beats);
/* Cycles from the last beat of a burst of stores to its response. */
uint64_t bank_time_response(const struct machine *m, const struct pattern *pattern);

void command_init(struct machine *m);
/* Tokens come to their waiters in the cycle in which they are given. */
void command_step(struct machine *m);
void command_give(struct machine *m, const struct operation *op);
/* The operation that a queue offers to its engine, or NULL; `taken` when the engine takes it. */
static inline const struct operation *command_offers(const struct machine *m, unsigned queue)
{
    const struct queue *q = &m->command.queues[queue];
    return q->count && q->started && q->offered <= m->now ? &q->op[q->first].op : NULL;
}
void command_taken(struct machine *m, unsigned queue);

/* A new pattern, which replaces the last one. */
void operand_time_begin(struct operand_time *operand, const struct operation *op);
void operand_time_step(struct machine *m, struct operand_time *operand);
/* Whether the next group of K is there; and it is taken. */
bool operand_time_has_group(const struct machine *m, const struct operand_time *operand);
void operand_time_take_group(const struct machine *m, struct operand_time *operand);

void load_finish(struct machine *m);
void load_step(struct machine *m);
void distribute_finish(struct machine *m);
void distribute_step(struct machine *m);
void store_finish(struct machine *m);
void store_step(struct machine *m);
bool machine_idle(const struct machine *m);
bool machine_calm(const struct machine *m);
bool machine_spread(const struct machine *m);

#endif
