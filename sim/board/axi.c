/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/board/axi.h"

#include <stdlib.h>
#include <string.h>

#define BEATS_MAX 256
#define BURST_INCR 1
enum { OKAY = 0, SLVERR = 2, DECERR = 3 };

struct axi_write {
    uint64_t address, asked, ready; /* asked: when its address came */
    unsigned id, beats, got;
    unsigned
        given; /* without memory: bytes from the first on that are answered, or that nothing is to be of */
    bool refused;
    uint64_t strobes[BEATS_MAX];
    uint8_t data[BEATS_MAX][TOP_BEAT_BYTES_MAX];
};

/* ---- stalls ---------------------------------------------------------------------------------- */

/* Each channel stalls in its own way: not at all, now and then, or most of the time; in short or long pieces.
 */
static void choose_stalls(struct axi_port *p)
{
    static const unsigned chances[] = {0, 16, 100, 300, 700}, lengths[] = {1, 4, 30};
    p->chance.state = p->timing->stalls + (uint64_t)p->number * 7919;
    for (unsigned c = 0; c < AXI_CHANNELS; c++) {
        p->stall[c] = (struct axi_stall){0};
        if (!p->timing->stalls)
            continue;
        p->stall[c].per_1024 = chances[random_below(&p->chance, sizeof chances / sizeof *chances)];
        p->stall[c].longest = lengths[random_below(&p->chance, sizeof lengths / sizeof *lengths)];
    }
}

static bool stalled(struct axi_port *p, enum axi_channel channel, uint64_t cycle)
{
    struct axi_stall *s = &p->stall[channel];
    if (s->per_1024 && cycle >= s->until && random_below(&p->chance, 1024) < s->per_1024)
        s->until = cycle + 1 + random_below(&p->chance, s->longest);
    return cycle < s->until;
}

/* Whether a direction may move a beat in this cycle. */
static bool credit(const struct axi_port *p, uint64_t *have)
{
    uint64_t most = (uint64_t)p->timing->cycles + p->timing->beats - 1;
    *have += p->timing->beats;
    *have = *have > most ? most : *have;
    return *have >= p->timing->cycles;
}

/* ---- faults ---------------------------------------------------------------------------------- */

static bool touches(const struct axi_fault *f, bool write, uint64_t cycle, uint64_t first, uint64_t last)
{
    return f->write == write && cycle >= f->from && cycle < f->to && first <= f->last && last >= f->first;
}

/* When a burst that is asked for now is answered: `usual`, later, or never. */
static uint64_t answer_time(const struct axi_timing *t, bool write, uint64_t asked, uint64_t usual,
                            uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < t->faults; i++) {
        const struct axi_fault *f = &t->fault[i];
        if (!touches(f, write, asked, first, last))
            continue;
        if (f->kind == AXI_DEAD)
            return UINT64_MAX;
        if (f->kind == AXI_LATE)
            usual += f->delay;
    }
    return usual;
}

/* The response to bytes first .. last. */
static unsigned response_of(const struct axi_port *p, bool write, uint64_t asked, uint64_t first,
                            uint64_t last)
{
    if (!memory_holds(p->memory, first, last - first + 1))
        return DECERR;
    unsigned response = OKAY;
    for (unsigned i = 0; i < p->timing->faults; i++) {
        const struct axi_fault *f = &p->timing->fault[i];
        if (f->kind <= AXI_DECODE_ERROR && touches(f, write, asked, first, last))
            response = f->kind == AXI_DECODE_ERROR ? DECERR : response == DECERR ? DECERR : SLVERR;
    }
    return response;
}

static bool deaf(const struct axi_timing *t, bool write, uint64_t cycle)
{
    for (unsigned i = 0; i < t->faults; i++)
        if (t->fault[i].kind == AXI_DEAF && touches(&t->fault[i], write, cycle, 0, UINT64_MAX))
            return true;
    return false;
}

/* ---- what the device may not do --------------------------------------------------------------- */

static void breaks(struct axi_port *p, uint64_t cycle, const char *what, uint64_t address)
{
    if (!sb_text(&p->broken)[0])
        sb_addf(&p->broken, "%s port %u, cycle %llu: %s (address 0x%llx)", p->memory ? "memory" : "host",
                p->number, (unsigned long long)cycle, what, (unsigned long long)address);
}

static void check_burst(struct axi_port *p, uint64_t cycle, uint64_t address, unsigned len, unsigned size,
                        unsigned burst)
{
    uint64_t bytes = (uint64_t)(len + 1) * p->beat_bytes;
    if (1u << size != p->beat_bytes)
        breaks(p, cycle, "a burst of beats that are not as wide as the port", address);
    else if (burst != BURST_INCR)
        breaks(p, cycle, "a burst that is not of kind INCR", address);
    else if (address % p->beat_bytes)
        breaks(p, cycle, "a burst that does not begin at a beat", address);
    else if (address % AXI_BOUNDARY + bytes > AXI_BOUNDARY)
        breaks(p, cycle, "a burst that crosses 4 KiB", address);
}

/* What is offered stays until it is taken. */
static void check_streams(struct axi_port *p, uint64_t cycle, const struct axi_master *d)
{
    const struct axi_master *l = &p->last;
    if (l->awvalid && !p->last_awready &&
        (!d->awvalid || d->awaddr != l->awaddr || d->awlen != l->awlen || d->awid != l->awid))
        breaks(p, cycle, "the device takes back or changes a write address that it offered", l->awaddr);
    if (l->wvalid && !p->last_wready &&
        (!d->wvalid || d->wlast != l->wlast || d->wstrb != l->wstrb ||
         memcmp(d->wdata, l->wdata, p->beat_bytes) != 0))
        breaks(p, cycle, "the device takes back or changes write data that it offered", 0);
    if (l->arvalid && !p->last_arready &&
        (!d->arvalid || d->araddr != l->araddr || d->arlen != l->arlen || d->arid != l->arid))
        breaks(p, cycle, "the device takes back or changes a read address that it offered", l->araddr);
}

/* ---- reads ----------------------------------------------------------------------------------- */

static void take_read(struct axi_port *p, uint64_t cycle, const struct axi_master *d)
{
    check_burst(p, cycle, d->araddr, d->arlen, d->arsize, d->arburst);
    uint64_t last = d->araddr + (uint64_t)(d->arlen + 1) * p->beat_bytes - 1;
    uint64_t usual = cycle + p->timing->latency;
    p->read[p->reads++] = (struct axi_read){
        .address = d->araddr,
        .id = d->arid,
        .beats = d->arlen + 1u,
        .asked = cycle,
        .due = usual,
        .ready = p->memory ? answer_time(p->timing, false, cycle, usual, d->araddr, last) : UINT64_MAX};
    events_add(p->events, &(struct event){.cycle = cycle,
                                          .kind = EVENT_READ,
                                          .port = p->number,
                                          .id = d->arid,
                                          .address = d->araddr,
                                          .beats = d->arlen + 1u});
}

static bool older_read_of_same_id(const struct axi_port *p, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (p->read[i].id == p->read[index].id)
            return true;
    return false;
}

/* The read whose next beat is offered, or p->reads: the oldest, or with reordering any that is its ID's
 * oldest. What never comes holds up its own ID only. */
static unsigned choose_read(struct axi_port *p, uint64_t cycle)
{
    unsigned chosen = p->reads, candidates = 0;
    for (unsigned i = 0; i < p->reads; i++) {
        if (p->read[i].ready > cycle || older_read_of_same_id(p, i))
            continue;
        if (!p->timing->reorder)
            return i;
        if (random_below(&p->chance, ++candidates) == 0)
            chosen = i;
    }
    return chosen;
}

/* The response to the beat at an address. */
static unsigned read_response(const struct axi_port *p, const struct axi_read *r, uint64_t at)
{
    if (!p->memory)
        return r->refused ? DECERR : OKAY;
    return response_of(p, false, r->asked, at, at + p->beat_bytes - 1);
}

static void offer_beat(struct axi_port *p, uint64_t cycle)
{
    unsigned index = choose_read(p, cycle);
    if (index == p->reads)
        return;
    struct axi_read *r = &p->read[index];
    struct axi_slave *w = &p->wires;
    uint64_t at = r->address + (uint64_t)r->done * p->beat_bytes;
    p->read_credit -= p->timing->cycles;
    w->rvalid = true;
    w->rid = (uint8_t)r->id;
    w->rresp = (uint8_t)read_response(p, r, at);
    if (w->rresp == OKAY)
        memcpy(w->rdata, p->memory ? p->memory->bytes + at : r->data + (at - r->address), p->beat_bytes);
    else
        memset(w->rdata, 0xBD, p->beat_bytes);
    r->worst = w->rresp > r->worst ? w->rresp : r->worst;
    w->rlast = ++r->done == r->beats;
    if (!w->rlast)
        return;
    events_add(p->events, &(struct event){.cycle = cycle,
                                          .kind = EVENT_READ_END,
                                          .port = p->number,
                                          .id = r->id,
                                          .address = r->address,
                                          .response = r->worst});
    free(r->data);
    memmove(r, r + 1, (--p->reads - index) * sizeof *r);
}

/* ---- writes ---------------------------------------------------------------------------------- */

/* The write at `index`, which may be the one behind the last; NULL when out of memory. */
static struct axi_write *write_at(struct axi_port *p, uint64_t cycle, unsigned index)
{
    if (index < p->writes)
        return p->write[index];
    struct axi_write *w = malloc(sizeof *w);
    if (!w) {
        breaks(p, cycle, "out of memory", 0);
        return NULL;
    }
    w->got = w->beats = w->id = w->given = 0;
    w->refused = false;
    w->address = w->asked = 0;
    w->ready = UINT64_MAX;
    p->write[p->writes++] = w;
    return w;
}

static bool written(const struct axi_port *p, const struct axi_write *w, unsigned byte)
{
    return w->strobes[byte / p->beat_bytes] >> byte % p->beat_bytes & 1;
}

/* Without memory: the bytes in a row that are asked for next, from w->given on; 0 when there are none. */
static unsigned next_row(const struct axi_port *p, struct axi_write *w)
{
    const unsigned all = w->beats * p->beat_bytes;
    unsigned count = 0;
    while (w->given < all && !written(p, w, w->given))
        w->given++;
    while (w->given + count < all && written(p, w, w->given + count))
        count++;
    return count;
}

static void count_bytes(struct axi_port *p, const struct axi_write *w)
{
    struct board_traffic *t = &p->write_beats;
    const uint64_t all = UINT64_MAX >> (64 - p->beat_bytes);
    for (unsigned beat = 0; beat < w->got; beat++) {
        const unsigned bytes = (unsigned)__builtin_popcountll(w->strobes[beat] & all);
        t->bytes += bytes;
        t->bytes_whole += bytes == p->beat_bytes ? bytes : 0;
        t->bytes_long += w->beats >= BOARD_BURST_LONG ? bytes : 0;
    }
}

/* With address and all data known, when is it answered? */
static void complete_write(struct axi_port *p, struct axi_write *w, uint64_t cycle)
{
    count_bytes(p, w);
    if (!p->memory) {
        w->ready = next_row(p, w) ? UINT64_MAX : cycle;
        return;
    }
    uint64_t last = w->address + (uint64_t)w->beats * p->beat_bytes - 1;
    w->ready = answer_time(p->timing, true, w->asked, cycle + p->timing->latency, w->address, last);
}

static void take_write(struct axi_port *p, uint64_t cycle, const struct axi_master *d)
{
    struct axi_write *w = write_at(p, cycle, p->addressed);
    if (!w)
        return;
    check_burst(p, cycle, d->awaddr, d->awlen, d->awsize, d->awburst);
    w->address = d->awaddr;
    w->id = d->awid;
    w->beats = d->awlen + 1u;
    w->asked = cycle;
    events_add(p->events, &(struct event){.cycle = cycle,
                                          .kind = EVENT_WRITE,
                                          .port = p->number,
                                          .id = d->awid,
                                          .address = d->awaddr,
                                          .beats = w->beats});
    if (p->addressed++ < p->complete) {
        if (w->got != w->beats)
            breaks(p, cycle, "a burst with more or fewer beats than its address says", w->address);
        complete_write(p, w, cycle);
    } else if (w->got >= w->beats)
        breaks(p, cycle, "a burst with more beats than its address says", w->address);
}

static void take_data(struct axi_port *p, uint64_t cycle, const struct axi_master *d)
{
    struct axi_write *w = write_at(p, cycle, p->complete);
    if (!w)
        return;
    bool addressed = p->complete < p->addressed;
    w->strobes[w->got] = d->wstrb;
    memcpy(w->data[w->got++], d->wdata, p->beat_bytes);
    events_add(p->events, &(struct event){.cycle = cycle,
                                          .kind = EVENT_WRITE_BEAT,
                                          .port = p->number,
                                          .value = d->wstrb,
                                          .beats = d->wlast});
    if ((addressed && d->wlast != (w->got == w->beats)) || (!d->wlast && w->got == BEATS_MAX)) {
        breaks(p, cycle, "the last beat of a burst is not where its address says",
               addressed ? w->address : 0);
        return;
    }
    if (!d->wlast)
        return;
    p->complete++;
    if (addressed)
        complete_write(p, w, cycle);
}

static bool older_write_of_same_id(const struct axi_port *p, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (p->write[i]->id == p->write[index]->id)
            return true;
    return false;
}

static unsigned choose_write(struct axi_port *p, uint64_t cycle)
{
    unsigned answerable = p->complete < p->addressed ? p->complete : p->addressed;
    unsigned chosen = answerable, candidates = 0;
    for (unsigned i = 0; i < answerable; i++) {
        if (p->write[i]->ready > cycle || older_write_of_same_id(p, i))
            continue;
        if (!p->timing->reorder)
            return i;
        if (random_below(&p->chance, ++candidates) == 0)
            chosen = i;
    }
    return chosen == answerable ? p->writes : chosen;
}

/* The response to a burst: the worst of the beats that write something. */
static unsigned write_response(const struct axi_port *p, const struct axi_write *w)
{
    unsigned worst = OKAY;
    if (!p->memory)
        return w->refused ? DECERR : OKAY;
    for (unsigned b = 0; b < w->beats; b++) {
        uint64_t at = w->address + (uint64_t)b * p->beat_bytes;
        unsigned response = w->strobes[b] ? response_of(p, true, w->asked, at, at + p->beat_bytes - 1) : OKAY;
        worst = response > worst ? response : worst;
    }
    return worst;
}

static void offer_response(struct axi_port *p, uint64_t cycle)
{
    unsigned index = choose_write(p, cycle);
    if (index == p->writes)
        return;
    struct axi_write *w = p->write[index];
    unsigned response = write_response(p, w);
    for (unsigned b = 0; p->memory && !response && b < w->beats; b++)
        memory_write_beat(p->memory, w->address + (uint64_t)b * p->beat_bytes, w->data[b], p->beat_bytes,
                          w->strobes[b], cycle);
    p->wires.bvalid = true;
    p->wires.bid = (uint8_t)w->id;
    p->wires.bresp = (uint8_t)response;
    events_add(p->events, &(struct event){.cycle = cycle,
                                          .kind = EVENT_RESPONSE,
                                          .port = p->number,
                                          .id = w->id,
                                          .address = w->address,
                                          .response = response});
    free(w);
    memmove(&p->write[index], &p->write[index + 1], (--p->writes - index) * sizeof *p->write);
    p->addressed--;
    p->complete--;
}

/* ---- the port -------------------------------------------------------------------------------- */

void axi_open(struct axi_port *p, unsigned number, unsigned beat_bytes, const struct axi_timing *timing,
              struct memory *memory, struct events *events)
{
    *p = (struct axi_port){
        .timing = timing, .memory = memory, .events = events, .number = number, .beat_bytes = beat_bytes};
    choose_stalls(p);
}

void axi_reset(struct axi_port *p)
{
    for (unsigned i = 0; i < p->writes; i++)
        free(p->write[i]);
    for (unsigned i = 0; i < p->reads; i++)
        free(p->read[i].data);
    p->reads = p->writes = p->addressed = p->complete = 0;
    p->wires = (struct axi_slave){0};
    p->last = (struct axi_master){0};
    p->read_credit = p->write_credit = 0;
}

void axi_close(struct axi_port *p)
{
    axi_reset(p);
    sb_free(&p->broken);
}

void axi_drive(struct axi_port *p, uint64_t cycle)
{
    struct axi_slave *w = &p->wires;
    const struct axi_timing *t = p->timing;
    bool no_reads = deaf(t, false, cycle), no_writes = deaf(t, true, cycle);
    /* Data may run one burst ahead of its address. */
    bool data_room = p->complete < p->addressed || p->complete < t->bursts;
    w->arready = !stalled(p, AXI_AR, cycle) && !no_reads && p->reads < t->bursts;
    w->awready = !stalled(p, AXI_AW, cycle) && !no_writes && p->addressed < t->bursts;
    bool write_beat = credit(p, &p->write_credit), data_stalled = stalled(p, AXI_W, cycle);
    w->wready = write_beat && !data_stalled && !no_writes && data_room && p->complete <= p->addressed;
    bool read_beat = credit(p, &p->read_credit), beat_stalled = stalled(p, AXI_R, cycle);
    if (!w->rvalid && read_beat && !beat_stalled)
        offer_beat(p, cycle);
    bool response_stalled = stalled(p, AXI_B, cycle);
    if (!w->bvalid && !response_stalled)
        offer_response(p, cycle);
}

static void count_beat(struct board_traffic *traffic, uint64_t cycle)
{
    traffic->first = traffic->beats++ ? traffic->first : cycle;
    traffic->last = cycle;
}

bool axi_clock(struct axi_port *p, uint64_t cycle, const struct axi_master *d)
{
    struct axi_slave *w = &p->wires;
    check_streams(p, cycle, d);
    if (d->arvalid && w->arready)
        take_read(p, cycle, d);
    if (d->awvalid && w->awready)
        take_write(p, cycle, d);
    if (d->wvalid && w->wready) {
        p->write_credit -= p->timing->cycles;
        take_data(p, cycle, d);
        count_beat(&p->write_beats, cycle);
    }
    if (w->rvalid && d->rready) {
        w->rvalid = false;
        count_beat(&p->read_beats, cycle);
    }
    if (w->bvalid && d->bready)
        w->bvalid = false;
    p->last = *d;
    p->last_awready = w->awready;
    p->last_wready = w->wready;
    p->last_arready = w->arready;
    return !sb_text(&p->broken)[0];
}

/* ---- a port without memory -------------------------------------------------------------------- */

/* The oldest read that was given nothing, or p->reads. */
static unsigned asking_read(const struct axi_port *p)
{
    unsigned i = 0;
    while (i < p->reads && p->read[i].given)
        i++;
    return i;
}

static struct axi_write *asking_write(const struct axi_port *p)
{
    const unsigned whole = p->complete < p->addressed ? p->complete : p->addressed;
    unsigned i = 0;
    while (i < whole && p->write[i]->ready != UINT64_MAX)
        i++;
    return i < whole ? p->write[i] : NULL;
}

bool axi_waits(const struct axi_port *p)
{
    return asking_read(p) < p->reads || asking_write(p);
}

bool axi_asks(const struct axi_port *p, struct board_host_access *a)
{
    const unsigned index = asking_read(p);
    const struct axi_read *r = index < p->reads ? &p->read[index] : NULL;
    struct axi_write *w = asking_write(p);
    if ((!r && !w) || sb_text(&p->broken)[0])
        return false;
    a->write = w && (!r || w->asked < r->asked);
    a->bytes = a->write ? next_row(p, w) : r->beats * p->beat_bytes;
    a->address = a->write ? w->address + w->given : r->address;
    for (unsigned i = 0; a->write && i < a->bytes; i++)
        a->data[i] = w->data[(w->given + i) / p->beat_bytes][(w->given + i) % p->beat_bytes];
    return true;
}

static void answer_read(struct axi_port *p, struct axi_read *r, uint64_t cycle, const uint8_t *data)
{
    const size_t bytes = (size_t)r->beats * p->beat_bytes;
    r->given = true;
    r->refused = !data;
    r->ready = r->due > cycle ? r->due : cycle;
    r->data = data ? malloc(bytes) : NULL;
    if (r->data)
        memcpy(r->data, data, bytes);
    else if (data)
        breaks(p, cycle, "out of memory", 0);
}

void axi_answer(struct axi_port *p, uint64_t cycle, const struct board_host_access *a, bool ok)
{
    struct axi_write *w = asking_write(p);
    if (!a->write) {
        answer_read(p, &p->read[asking_read(p)], cycle, ok ? a->data : NULL);
        return;
    }
    w->given += a->bytes;
    w->refused = !ok;
    if (!ok || !next_row(p, w))
        w->ready = cycle + p->timing->latency;
}

/* ---- faults as text --------------------------------------------------------------------------- */

/* "A-B", "A-", "A" or "*"; *text moves behind it. */
static bool parse_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (**text == '*') {
        ++*text;
        return true;
    }
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    *first = *last = strtoull(*text, &end, 0);
    if (*end == '-') {
        *text = end + 1;
        *last = UINT64_MAX;
        if (**text >= '0' && **text <= '9')
            *last = strtoull(*text, &end, 0);
        else
            end++;
    }
    *text = end;
    return *last >= *first;
}

static bool skip_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

static bool parse_kind(const char **text, struct axi_fault *f)
{
    static const char *const kinds[] = {"slverr", "decerr", "late", "dead", "deaf"};
    unsigned kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && !skip_word(text, kinds[kind]))
        kind++;
    f->kind = (enum axi_fault_kind)kind;
    if (kind == AXI_LATE) {
        uint64_t delay = 0;
        if (!parse_range(text, &f->delay, &delay) || delay != f->delay)
            return false;
    }
    return kind < sizeof kinds / sizeof *kinds;
}

bool axi_parse_fault(const char *text, struct axi_fault *f)
{
    *f = (struct axi_fault){.last = UINT64_MAX, .to = UINT64_MAX};
    if (!parse_kind(&text, f) || !skip_word(&text, ":"))
        return false;
    f->write = skip_word(&text, "write");
    if (!f->write && !skip_word(&text, "read"))
        return false;
    if (skip_word(&text, ":") && !parse_range(&text, &f->first, &f->last))
        return false;
    if (skip_word(&text, ":") && !parse_range(&text, &f->from, &f->to))
        return false;
    bool everywhere = f->first == 0 && f->last == UINT64_MAX;
    return !*text && (f->kind != AXI_DEAF || everywhere);
}
