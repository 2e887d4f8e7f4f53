/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions as products: where a product's cluster holds rows of
 * activations, a convolution's holds the part of an image under a tile of
 * results, so neighbouring windows share what they share. A segment is the
 * kernel of one output channel; its weights' indices are places in the tile,
 * and it serves a line of results after the other (`hold`). k is cut into
 * blocks of channels.
 *
 * Depthwise, the channels of a tile are scattered over the PEs, channel c to
 * PE c mod K, and every block of channels has results of its own. So have
 * blocks of whole groups. With dilation the results of a tile may be as far
 * apart as the taps.
 */
#include "host/plan/product.h"

#include <math.h>
#include <stdlib.h>

#define ADDRESSES 65536 /* of an input buffer, in a configuration */
#define LATENCY 64      /* cycles of a read, as in the cycle model */

/* ---- what is wanted -------------------------------------------------------------------------- */

static uint32_t extent(uint32_t results, uint32_t stride, uint32_t side, uint32_t dilation)
{
    return (results - 1) * stride + (side - 1) * dilation + 1;
}

static bool sizes_are_sane(const struct plan_window *w)
{
    const uint32_t sizes[] = {w->height,   w->width,    w->channels,   w->side_y,    w->side_x,
                              w->stride_y, w->stride_x, w->dilation_y, w->dilation_x};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (!sizes[i] || sizes[i] > UINT16_MAX)
            return false;
    return true;
}

enum plan_status window_check(const struct product *p)
{
    const struct plan_window *w = p->d->window;
    const struct sparse *weights = p->d->weights;
    if (!w || !sizes_are_sane(w))
        return plan_refuse(PLAN_INVALID, "sizes of a convolution are from 1 to 65535");
    if (w->height < extent(1, 1, w->side_y, w->dilation_y) ||
        w->width < extent(1, 1, w->side_x, w->dilation_x))
        return plan_refuse(PLAN_INVALID, "the kernel is larger than the image with its borders");
    uint64_t columns = (uint64_t)w->side_y * w->side_x * (w->depthwise ? 1 : w->channels);
    const struct plan_frame *f = p->d->to;
    if (f && (f->top + (uint64_t)plan_window_out_height(w) > f->height ||
              f->left + (uint64_t)plan_window_out_width(w) > f->width))
        return plan_refuse(PLAN_INVALID, "the frame is smaller than the results");
    if (window_has_planes(p) &&
        (p->d->from->group % (8 / p->data_bytes) || (w->depthwise && p->d->from->group % p->variant->k)))
        return plan_refuse(PLAN_UNSUPPORTED,
                           "planes of channels are no whole loads, or none that can be scattered");
    if (f && f->planes && !w->depthwise)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "results of a depthwise convolution alone lie in planes of channels");
    if (weights->columns != columns || (w->depthwise && weights->rows != w->channels) ||
        (w->groups && (weights->rows % w->groups || w->channels % w->groups)))
        return plan_refuse(PLAN_INVALID, "weights do not fit the convolution");
    if (!w->depthwise)
        return w->maximum ? plan_refuse(PLAN_UNSUPPORTED, "maximum: only of each channel for itself")
                          : PLAN_OK;
    if (w->maximum && !(p->variant->functions >> VARIANT_MAX & 1))
        return plan_refuse(PLAN_UNSUPPORTED, "maximum: this variant is without the function max");
    if (p->deals)
        return plan_refuse(PLAN_UNSUPPORTED, "depthwise: results stay in the order of the channels");
    if (!p->variant->scatter)
        return plan_refuse(PLAN_UNSUPPORTED, "depthwise: clusters of this variant do not scatter");
    if (p->split.rows == PLAN_K || p->split.columns == PLAN_K)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "depthwise: a result has one channel, so there is no k to split");
    return PLAN_OK;
}

bool window_has_planes(const struct product *p)
{
    return p->d->from && p->d->from->group < p->window.of->channels;
}

/* Channels of the images in memory that blocks are made of. */
static uint32_t channels_of(const struct product *p)
{
    const uint32_t channels = p->window.of->channels;
    return window_has_planes(p) ? math_round_up(channels, p->d->from->group) : channels;
}

uint32_t plan_window_out_height(const struct plan_window *w)
{
    return (w->height - extent(1, 1, w->side_y, w->dilation_y)) / w->stride_y + 1;
}

uint32_t plan_window_out_width(const struct plan_window *w)
{
    return (w->width - extent(1, 1, w->side_x, w->dilation_x)) / w->stride_x + 1;
}

/* ---- borders --------------------------------------------------------------------------------- */

/* In one direction: results that are so far apart, from `first` on, and their taps that meet no border. */
struct reach {
    uint32_t first, results, apart, stride, side, dilation, from, length;
};

static uint64_t taps_inside(const struct reach *r)
{
    uint64_t inside = 0;
    for (uint32_t i = 0; i < r->results; i++)
        for (uint32_t tap = 0; tap < r->side; tap++) {
            const uint64_t at = (uint64_t)(r->first + i * r->apart) * r->stride + (uint64_t)tap * r->dilation;
            inside += at >= r->from && at - r->from < r->length;
        }
    return inside;
}

/* Taps inside of a rectangle of results. */
static double inside_of(const struct plan_window *w, const struct window_place *at, uint32_t lines,
                        uint32_t width, uint32_t apart_y, uint32_t apart_x)
{
    const bool all = !w->inner.height || w->maximum;
    const struct reach y = {at->y,
                            lines,
                            apart_y,
                            w->stride_y,
                            w->side_y,
                            w->dilation_y,
                            all ? 0 : w->inner.top,
                            all ? UINT32_MAX : w->inner.height},
                       x = {at->x,
                            width,
                            apart_x,
                            w->stride_x,
                            w->side_x,
                            w->dilation_x,
                            all ? 0 : w->inner.left,
                            all ? UINT32_MAX : w->inner.width};
    return (double)taps_inside(&y) * (double)taps_inside(&x);
}

double plan_window_inside(const struct plan_window *w)
{
    const uint32_t height = plan_window_out_height(w), width = plan_window_out_width(w);
    const struct window_place all = {0};
    return inside_of(w, &all, height, width, 1, 1) / ((double)height * width * w->side_y * w->side_x);
}

/* Of all tiles, results beyond the image included; in a frame there are none, and some are computed again. */
static double tiles_inside(const struct product *p)
{
    const struct product_window *t = &p->window;
    if (p->window.in_frame)
        return plan_window_inside(t->of);
    const uint32_t height = t->tiles_down * p->lines * t->apart_y,
                   width = t->tiles_across * p->held * t->apart_x;
    const struct window_place all = {0};
    return inside_of(t->of, &all, height, width, 1, 1) /
           ((double)height * width * t->of->side_y * t->of->side_x);
}

double window_work(const struct product *p, uint32_t passes)
{
    const struct product_window *t = &p->window;
    double taps = 0;
    for (uint32_t pass = 0; pass < passes; pass++)
        for (uint32_t part = 0; part < p->parts[PLAN_M]; part++) {
            const struct window_place at = window_place(p, pass, part);
            taps += inside_of(t->of, &at, p->lines, p->held, t->apart_y, t->apart_x);
        }
    return taps;
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static uint32_t common_multiple(uint32_t a, uint32_t b)
{
    uint32_t multiple = a;
    while (multiple % b)
        multiple += a;
    return multiple;
}

static uint32_t image_tiles(const struct product *p)
{
    const struct product_window *t = &p->window;
    return t->tiles_down * t->tiles_across * t->apart_y * t->apart_x;
}

static void set_tile(struct product *p, uint32_t width, uint32_t lines)
{
    struct product_window *t = &p->window;
    const struct plan_window *w = t->of;
    p->held = width;
    p->lines = lines;
    t->tiles_across = math_divide_up(math_divide_up(t->out_width, t->apart_x), width);
    t->tiles_down = math_divide_up(math_divide_up(t->out_height, t->apart_y), lines);
    t->in_width = extent(width, w->stride_x, w->side_x, w->dilation_x / t->apart_x);
    t->in_height = extent(lines, w->stride_y, w->side_y, w->dilation_y / t->apart_y);
}

static uint32_t spatial_passes(const struct product *p)
{
    return (uint32_t)(((uint64_t)p->d->m * image_tiles(p) + p->parts[PLAN_M] - 1) / p->parts[PLAN_M]);
}

/* Whether tiles of so many activations fit, twice, the input buffers, and the storage units beside weights.
 */
static bool tiles_fit(const struct product *p, uint64_t words)
{
    const uint64_t bytes = 2 * words * p->data_bytes * (product_scatters(p) ? p->variant->k : 1);
    const uint32_t configurations =
                       PRODUCT_BUFFERS * (1 + p->variant->instruction_depth) * ISA_CONFIG_RECORD_BYTES,
                   unit =
                       p->variant->unit_bytes > configurations ? p->variant->unit_bytes - configurations : 0;
    return 2 * words <= p->variant->input_buffer_depth && bytes * product_input_columns(p) <= unit / 8 * 5;
}

/* Parts of the array that have channels of their own. */
static uint32_t block_parts(const struct product *p)
{
    return p->parts[product_scatters(p) ? PLAN_N : PLAN_K];
}

/* The block of that many channels for a cluster; false: two tiles of it do not fit. */
static bool set_block(struct product *p, uint32_t channels)
{
    struct product_window *t = &p->window;
    const struct plan_window *w = t->of;
    const uint64_t share = channels / (w->depthwise ? p->variant->k : 1),
                   words = share * t->in_width * t->in_height;
    if (!tiles_fit(p, words))
        return false;
    t->block_channels = channels;
    t->pe_channels = window_has_planes(p) ? p->d->from->group * (uint32_t)share / channels : (uint32_t)share;
    t->pe_line = t->pe_channels * t->in_width;
    t->pe_plane = t->pe_line * t->in_height;
    p->input_words = p->block = math_round_up((uint32_t)words, p->variant->load_width / p->data_bytes);
    const uint32_t blocks = math_divide_up(channels_of(p), channels * block_parts(p));
    p->blocks = product_has_own_results(p) ? blocks : 1;
    p->k_steps = product_has_own_results(p) ? 1 : blocks;
    p->k = p->k_steps * p->parts[PLAN_K] * p->block;
    p->passes = spatial_passes(p) * p->blocks;
    if (w->depthwise)
        p->segments = channels / p->variant->k;
    else if (t->grouped)
        p->segments =
            channels / (w->channels / w->groups) * (p->n / w->groups) / (p->parts[PLAN_N] * p->variant->k);
    return tiles_fit(p, p->input_words);
}

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Channels of an image in memory: whole blocks. */
static uint32_t memory_channels(const struct product *p)
{
    return p->window.block_channels * block_parts(p) * p->blocks * p->k_steps;
}

bool window_whole_lines(const struct product *p)
{
    const struct product_window *t = &p->window;
    const bool whole = p->d->from
                           ? !window_has_planes(p) && t->block_channels * p->data_bytes == p->d->from->pixel
                           : t->block_channels == memory_channels(p);
    return whole && t->apart_x == 1;
}

/* Cycles in which the memory delivers a tile. Runs begin where a pixel does: in how many beats they lie on
 * average depends on what a pixel and a beat have in common. Short ones wait for a read that ends. */
static double tile_reads(const struct product *p)
{
    const struct product_window *t = &p->window;
    const bool planes = window_has_planes(p), whole = window_whole_lines(p) || planes;
    const uint32_t side = planes ? p->d->from->group : t->block_channels, pixel = side * p->data_bytes,
                   beat = p->derived.memory_bytes;
    const double run = whole ? (double)pixel * t->in_width : pixel,
                 runs = (double)t->in_height * t->block_channels / side * (whole ? 1 : t->in_width),
                 beats = (run + beat - common_divisor(pixel, beat)) / beat,
                 wait = (double)LATENCY / p->variant->outstanding_reads;
    return runs * (beats > wait ? beats : wait) / p->variant->memory_ports;
}

/* The same of all blocks of channels. */
static double image_reads(const struct product *p)
{
    return tile_reads(p) * math_divide_up(channels_of(p), p->window.block_channels);
}

/* Runs of whole beats instead of longer ones, when the memory is faster so. */
static void fit_beats(struct product *p)
{
    const uint32_t longest = p->window.block_channels,
                   beat = common_multiple(p->window.unit, p->derived.memory_bytes / p->data_bytes),
                   whole = longest / beat * beat;
    if (longest >= channels_of(p) || !whole || whole == longest || window_has_planes(p))
        return;
    const double reads = image_reads(p);
    if (!set_block(p, whole) || image_reads(p) >= reads)
        set_block(p, longest);
}

/* Blocks that are as long as can be, or whole beats, at least `least` k steps, or blocks with results of
 * their own. */
static bool fit_block(struct product *p, uint32_t least)
{
    const uint32_t unit = p->window.unit, parts = block_parts(p);
    const uint32_t units = math_divide_up(channels_of(p), unit);
    for (uint32_t blocks = least * parts, each = units + 1;; blocks++) {
        const uint32_t next = math_divide_up(units, blocks);
        if (next == each)
            continue;
        each = next;
        if ((!p->window.most || each * unit <= p->window.most) && set_block(p, each * unit)) {
            fit_beats(p);
            return true;
        }
        if (each == 1)
            return false;
    }
}

/* ---- the choice of a tile -------------------------------------------------------------------- */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Cycles of plans with results in a frame: tiles of all sizes of the convolutions of keyword spotting and
 * ResNet-8 were asked about, and with these the estimate orders them best. */
#define FRAME_STEP 5     /* between two tiles or k steps */
#define TILE_BEAT 0.75   /* a beat of the memory is worth: tiles read pixels again that others have */
#define JOINED_STORE 160 /* of a store: a write, a read, and the set-up between them */

static double tile_bytes(const struct product *p)
{
    const struct product_window *t = &p->window;
    return (double)t->in_width * t->in_height * t->block_channels * p->data_bytes;
}

/* Bytes of sums that go to a slow memory and come back between k steps, as far as is known before the tiles
 * of weights are. */
static double spilled_bytes(const struct product *p, double results)
{
    const struct plan_memory *m = &p->d->memory;
    const double passes = spatial_passes(p), all = results * p->partial_bytes,
                 lives = p->mapping == PLAN_WEIGHT_STATIONARY ? all : all / passes;
    const bool stays = p->k_steps == 1 || p->mapping == PLAN_OUTPUT_STATIONARY ||
                       (p->mapping == PLAN_WEIGHT_STATIONARY && passes <= 1) ||
                       p->segments * product_results(p) <= p->variant->output_queue_depth;
    return stays || plan_beat_cycles(m) <= 1 || lives <= m->sums_near ? 0 : (p->k_steps - 1) * all;
}

/* Of operations, as far as is known before the tiles of weights are: packets and stores of each tile, and
 * activations of each k step, which come again for each tile where sums stay in the output queues. */
static double program_bytes(const struct product *p)
{
    enum { TILE_OPERATIONS = 3, INPUT_OPERATIONS = 4, PACKET_BYTES = 4096 };
    const double room = floor((double)p->variant->output_queue_depth / product_results(p)),
                 parts = (double)p->parts[PLAN_N] * p->parts[PLAN_K] * p->k_steps,
                 packets = ceil(plan_weight_bytes(p->d) / parts / PACKET_BYTES);
    const bool stays = p->k_steps > 1 && p->mapping == PLAN_OUTPUT_STATIONARY && room >= 1;
    const double tiles = stays ? fmax(packets, ceil(p->segments / room)) : packets;
    return spatial_passes(p) * p->k_steps * p->blocks *
           (tiles * TILE_OPERATIONS + (stays ? tiles : 1) * INPUT_OPERATIONS) * ISA_OPERATION_BYTES;
}

/* Cycles that each part of the device takes at least. */
enum { MACS, SEQUENCER, INPUT, BUS, MEMORY, WRITES, NARROWING, PLACES };

static void count_cycles(const struct product *p, double cycles[PLACES])
{
    const struct variant *v = p->variant;
    const struct product_window *t = &p->window;
    const bool scatters = product_scatters(p);
    const double passes = spatial_passes(p), loads = passes * p->k_steps * p->blocks,
                 slow = plan_beat_cycles(&p->d->memory),
                 port = (double)p->derived.memory_bytes * v->memory_ports / slow,
                 nonzeros = p->rows->start[p->rows->rows],
                 parts = (double)p->parts[PLAN_N] * p->parts[PLAN_K],
                 columns = (double)p->segments * p->blocks * p->parts[PLAN_N] * v->k,
                 weights = nonzeros * p->derived.entry_bits / 8 * 1.1, tile = tile_bytes(p),
                 results = passes * product_results(p) * p->parts[PLAN_M] * columns;
    const double stored = plan_weight_bytes(p->d), row = stored / (p->split.rows == PLAN_M ? 1 : v->n);
    const bool again = slow > 1 ? row > v->unit_bytes * 0.6 : weights > v->unit_bytes * 0.5; /* every pass */
    /* Where results come of few channels, one part of k at a time has work. */
    const uint32_t waiting = t->of->groups > 1 ? smaller(p->parts[PLAN_K], t->of->groups) : 1;
    cycles[MACS] = nonzeros * columns / p->n / (parts * v->k) * waiting * passes * product_results(p) *
                   plan_mac_share(v, p->d->density * tiles_inside(p));
    cycles[SEQUENCER] =
        passes * p->k_steps * columns / p->parts[PLAN_N] / v->k * p->lines * (1 + 2 * p->held);
    cycles[INPUT] = loads * tile / v->load_width;
    cycles[BUS] = (weights / (p->split.rows == PLAN_M && !scatters ? 1 : v->n) * passes +
                   loads * tile * product_input_columns(p)) /
                  p->derived.bus_bytes;
    cycles[MEMORY] = stored * (again ? passes : 1) / port + loads * tile_reads(p) * product_input_rows(p) *
                                                                product_input_columns(p) *
                                                                (p->d->memory.input_near ? 1 : slow);
    cycles[WRITES] = results * p->element_bytes / port / (p->d->memory.output_near ? slow : 1);
    cycles[MEMORY] += (spilled_bytes(p, results) + (slow > 1 ? program_bytes(p) : 0)) / port;
    cycles[WRITES] += spilled_bytes(p, results) / port;
    const unsigned takes = channels_any(&p->d->channels) ? 1 : p->derived.store_takes;
    cycles[NARROWING] = results / (p->derived.store_lanes * takes);
}

/* Whether a tile's lines are one pattern without planes: lines of one pixel, or of all channels. */
static bool lines_are_one_pattern(const struct product *p)
{
    return p->held == 1 || p->segments * p->blocks == 1;
}

/* Stores of results that are joined: each is set up when the one before it is through, and then reads. */
static double joined_cycles(const struct product *p, double narrowing)
{
    const double stores = (double)spatial_passes(p) * p->segments * p->blocks * product_store_parts(p);
    return stores * (lines_are_one_pattern(p) ? 1 : p->lines) * JOINED_STORE + 2 * narrowing;
}

/* What is before the first multiplication: configurations of the halves of the input buffers, and a tile. */
static double start_cycles(const struct product *p, double tiles)
{
    const unsigned halves = spatial_passes(p) * p->k_steps * p->blocks > 1 ? 2 : 1;
    return halves * (step_config_cycles(1) + step_config_cycles(1 + 2 * p->held)) + tiles * tile_reads(p) +
           tile_bytes(p) / p->variant->load_width;
}

/* What a plan with results in a frame takes besides the longest of the parts that all plans have. */
static double cost_in_frame(const struct product *p, double most, double narrowing)
{
    const double steps = (double)spatial_passes(p) * p->k_steps * p->blocks,
                 tiles = product_input_rows(p) * product_input_columns(p),
                 beats = steps * tiles * tile_bytes(p) / p->derived.memory_bytes / p->variant->memory_ports,
                 joined = product_joins_frame(p) ? joined_cycles(p, narrowing) : 0;
    return (joined > most ? joined : most) + FRAME_STEP * steps + TILE_BEAT * beats + start_cycles(p, tiles);
}

/* The longest of them, some of the others, which do not overlap altogether, and what operations take. */
static double cost(const struct product *p)
{
    const double passes = spatial_passes(p), segments = (double)p->segments * p->blocks,
                 stores = p->natural ? passes * segments * product_store_parts(p) : 0;
    double cycles[PLACES], most = 0, all = 0;
    count_cycles(p, cycles);
    for (unsigned i = 0; i < PLACES; i++) {
        most = cycles[i] > most ? cycles[i] : most;
        all += cycles[i];
    }
    all += 2 * cycles[BUS]; /* what is sent once costs less than time */
    if (p->window.in_frame)
        return cost_in_frame(p, most, cycles[NARROWING]) + 0.02 * all;
    return most + 0.02 * all + 2 * stores + 50 * passes * p->k_steps * p->blocks;
}

/* k steps for which the queue holds two segments, as in products. */
static uint32_t steps_for_segments(const struct product *p)
{
    const uint64_t total = p->rows->start[p->rows->rows],
                   room = (uint64_t)p->variant->weight_queue_depth * p->parts[PLAN_K],
                   steps = (9 * total / 4 / p->n + room - 1) / room;
    return product_has_own_results(p) || !steps ? 1 : (uint32_t)steps;
}

/* Channels of a block whose results are whole segments of all parts of n; 0: there is no such block. */
static uint32_t group_unit(const struct product *p, uint32_t granule)
{
    const struct plan_window *w = p->window.of;
    if (w->groups <= 1 || w->depthwise || p->parts[PLAN_K] > 1 || p->deals)
        return 0;
    const uint32_t results = p->n / w->groups, segments = p->parts[PLAN_N] * p->variant->k,
                   groups = common_multiple(results, segments) / results,
                   unit = common_multiple(groups * (w->channels / w->groups), granule);
    return unit < w->channels ? unit : 0;
}

/* In which directions results of a tile are as far apart as the taps. */
struct apart {
    bool y, x;
};

/* Taps that are apart meet the same pixels for results that are as far apart: such tiles are smaller, but
 * fill up the lines or columns of each distance for itself. False: there is no such tile, or it is the same
 * as another. */
static bool set_apart(struct product *p, struct apart apart)
{
    const struct plan_window *w = p->window.of;
    const bool y = !p->natural && w->stride_y == 1 && w->dilation_y > 1,
               x = !p->natural && w->stride_x == 1 && w->dilation_x > 1 && !window_has_planes(p);
    p->window.apart_y = apart.y && y ? w->dilation_y : 1;
    p->window.apart_x = apart.x && x ? w->dilation_x : 1;
    return apart.y <= y && apart.x <= x;
}

static void set_sizes(struct product *p)
{
    struct product_window *t = &p->window;
    const struct plan_window *w = t->of;
    const uint32_t granule = 8 / p->data_bytes;
    t->out_height = plan_window_out_height(w);
    t->out_width = plan_window_out_width(w);
    t->unit = w->depthwise ? common_multiple(granule, p->variant->k) : group_unit(p, granule);
    t->grouped = !w->depthwise && t->unit;
    t->unit = t->unit ? t->unit : granule;
    if (window_has_planes(p))
        t->unit = common_multiple(t->unit, p->d->from->group);
}

/* Results of a line of a tile: MACs and STs of a sequence. */
static uint32_t widest_tile(const struct product *p)
{
    return smaller(smaller(p->held_most, (p->variant->instruction_depth - 1u) / 2),
                   math_divide_up(p->window.out_width, p->window.apart_x));
}

/* Results of a tile that are worth trying: in the images' order they wait while those of other tiles are
 * stored. */
static uint32_t largest_tile(const struct product *p)
{
    const uint32_t queue = p->variant->output_queue_depth;
    return p->natural && product_store_parts(p) > 1
               ? smaller(step_segments_on_the_way_out(p->variant, 1), queue)
               : queue;
}

static bool is_wanted(const struct plan_choice *choice, uint32_t width, uint32_t lines, uint32_t largest)
{
    if (choice->rows_held && choice->rows_held != width)
        return false;
    return choice->lines ? choice->lines == lines : width * lines <= largest || lines == 1;
}

#define SHORTER 3   /* blocks shorter than the longest that are tried */
#define SURELY 0.99 /* of the cycles without them, that they must take less */

struct best_tile {
    uint32_t steps, width, lines, most; /* steps: of k, at least; width 0: there is none yet */
    struct apart apart;
    double cycles;
};

/* Shorter blocks with results of their own may need fewer channels that fill up the last. */
static void try_tile(struct product *p, uint32_t width, uint32_t lines, struct best_tile *best)
{
    struct product_window *t = &p->window;
    set_tile(p, width, lines);
    t->most = 0;
    for (unsigned i = 0; i <= SHORTER && fit_block(p, best->steps); i++) {
        const double cycles = cost(p);
        if (!best->width || cycles < best->cycles * (i ? SURELY : 1))
            *best = (struct best_tile){best->steps, width, lines, t->most, {t->apart_y > 1, t->apart_x > 1},
                                       cycles};
        if (!product_has_own_results(p) || t->block_channels <= t->unit)
            return;
        t->most = t->block_channels - 1;
    }
}

static void try_tiles(struct product *p, const struct plan_choice *choice, struct apart apart,
                      struct best_tile *best)
{
    if (!set_apart(p, apart))
        return;
    const uint32_t widest = widest_tile(p), most = p->variant->output_queue_depth,
                   height = math_divide_up(p->window.out_height, p->window.apart_y),
                   largest = largest_tile(p);
    for (uint32_t width = 1; width <= widest; width++)
        for (uint32_t lines = 1; lines <= height && width * lines <= most; lines++)
            if (is_wanted(choice, width, lines, largest))
                try_tile(p, width, lines, best);
}

enum plan_status window_choose_tile(struct product *p, const struct plan_choice *choice)
{
    struct best_tile best = {.steps = steps_for_segments(p)};
    set_sizes(p);
    set_apart(p, (struct apart){false, false});
    const uint32_t widest = widest_tile(p), most = p->variant->output_queue_depth,
                   height = p->window.out_height;
    if (choice->rows_held > widest || choice->lines > height ||
        (uint64_t)choice->rows_held * choice->lines > most)
        return plan_refuse(PLAN_UNSUPPORTED,
                           "the tile is larger than the image, or too large for the cluster");
    for (unsigned i = 0; i < 4; i++)
        try_tiles(p, choice, (struct apart){i & 1, i >> 1}, &best);
    if (!best.width)
        return plan_refuse(PLAN_UNSUPPORTED, "no tile fits the variant's input buffers twice");
    set_apart(p, best.apart);
    set_tile(p, best.width, best.lines);
    p->window.most = best.most;
    return fit_block(p, best.steps)
               ? PLAN_OK
               : plan_refuse(PLAN_UNSUPPORTED, "no tile fits the variant's input buffers twice");
}

double window_estimate(const struct plan_description *d, const struct plan_choice *choice)
{
    struct product p;
    enum plan_status why = product_begin(&p, d, choice);
    why = why ? why : window_choose_tile(&p, choice);
    return why ? 0 : cost(&p);
}

double window_estimate_in_frame(const struct plan_description *d, struct plan_choice *choice)
{
    struct product p;
    enum plan_status why = product_begin(&p, d, choice);
    p.window.in_frame = true;
    why = why ? why : window_choose_tile(&p, choice);
    if (why)
        return 0;
    choice->rows_held = p.held;
    choice->lines = p.lines;
    return cost(&p);
}

/* ---- weights --------------------------------------------------------------------------------- */

/* Where the weight of a tap and a channel of the block is: the tile's lines are longer than the kernel's. */
static uint32_t tap_place(const struct product *p, uint32_t tap, uint32_t channel)
{
    const struct product_window *t = &p->window;
    const struct plan_window *w = t->of;
    return tap / w->side_x * (w->dilation_y / t->apart_y) * t->pe_line +
           tap % w->side_x * (w->dilation_x / t->apart_x) * t->pe_channels +
           channel / t->pe_channels * t->pe_plane + channel % t->pe_channels;
}

/* Of a column of the weights: its block, and its place there for the first PE's channel. */
struct column_place {
    uint32_t block, place;
};

static struct column_place *find_places(const struct product *p)
{
    const struct product_window *t = &p->window;
    const uint32_t columns = p->rows->columns, channels = t->of->depthwise ? 1 : t->of->channels;
    struct column_place *places = malloc(((size_t)columns + 1) * sizeof *places);
    for (uint32_t c = 0; places && c < columns; c++) {
        const uint32_t channel = c % channels;
        places[c] = (struct column_place){channel / t->block_channels,
                                          tap_place(p, c / channels, channel % t->block_channels)};
    }
    return places;
}

/* A row's entries, block by block; returns where the next row begins. */
static uint32_t place_row(const struct product *p, const struct column_place *places, uint32_t row,
                          uint32_t at, struct sparse *to)
{
    const struct product_window *t = &p->window;
    const struct sparse *from = p->rows;
    const uint32_t blocks = p->k_steps * p->parts[PLAN_K],
                   own = t->of->depthwise ? row % t->block_channels / p->variant->k : 0,
                   own_place = tap_place(p, 0, own);
    const bool steps = !product_has_own_results(p); /* blocks of channels are blocks of k */
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t e = from->start[row]; e < from->start[row + 1]; e++) {
            const struct column_place *of = &places[from->column[e]];
            if (steps && of->block != b)
                continue;
            to->column[at] = b * p->block + own_place + of->place;
            to->value[at++] = from->value[e];
        }
    return at;
}

static bool place_weights(struct product *p)
{
    struct sparse *to = &p->window.placed;
    const struct sparse *from = p->rows;
    const size_t entries = from->start[from->rows];
    sparse_free(to);
    *to = (struct sparse){.rows = from->rows,
                          .columns = p->k,
                          .start = calloc((size_t)from->rows + 1, sizeof *to->start),
                          .column = malloc((entries + 1) * sizeof *to->column),
                          .value = malloc((entries + 1) * sizeof *to->value)};
    struct column_place *places = find_places(p);
    const bool ok = to->start && to->column && to->value && places;
    for (uint32_t r = 0; ok && r < from->rows; r++)
        to->start[r + 1] = place_row(p, places, r, to->start[r], to);
    free(places);
    return ok;
}

enum plan_status window_choose_block(struct product *p, const struct plan_choice *choice,
                                     uint32_t least_steps)
{
    const uint32_t unit = p->window.unit;
    if (choice->block && (choice->block % unit || !set_block(p, choice->block)))
        return plan_refuse(
            PLAN_INVALID,
            "channels of a block are no multiple of what can be loaded, or too many for the input buffer");
    if (!choice->block && !fit_block(p, least_steps))
        return plan_refuse(PLAN_UNSUPPORTED, "the variant's input buffers are too small");
    if (p->k > UINT32_MAX / 64 || 2 * p->input_words > ADDRESSES)
        return plan_refuse(PLAN_UNSUPPORTED, "too large");
    if (!place_weights(p))
        return plan_no_memory();
    p->weights = &p->window.placed;
    return PLAN_OK;
}

/* ---- places ---------------------------------------------------------------------------------- */

struct window_place window_place(const struct product *p, uint32_t pass, uint32_t m_part)
{
    const struct product_window *t = &p->window;
    const bool inside = p->d->to;
    const uint32_t last = p->d->m * image_tiles(p) - 1,
                   number = (pass % product_block_passes(p) + t->skipped) * p->parts[PLAN_M] + m_part,
                   tile = inside ? smaller(number, last) : number, in = tile % image_tiles(p),
                   tiles = t->tiles_down * t->tiles_across, phase = in / tiles,
                   y = in % tiles / t->tiles_across * p->lines, x = in % t->tiles_across * p->held;
    if (inside)
        return (struct window_place){.image = tile / image_tiles(p),
                                     .y = smaller(y, t->out_height - p->lines),
                                     .x = smaller(x, t->out_width - p->held)};
    return (struct window_place){.image = tile / image_tiles(p),
                                 .y = y * t->apart_y + phase / t->apart_x,
                                 .x = x * t->apart_x + phase % t->apart_x};
}

void window_images(const struct product *p, struct plan_images *images)
{
    const struct product_window *t = &p->window;
    const struct plan_window *w = t->of;
    *images = (struct plan_images){.channels = memory_channels(p),
                                   .out_height = t->out_height,
                                   .out_width = t->out_width,
                                   .rows = t->tiles_down * p->lines * t->apart_y,
                                   .columns = t->tiles_across * p->held * t->apart_x,
                                   .apart_y = t->apart_y,
                                   .apart_x = t->apart_x,
                                   .tile_height = p->lines,
                                   .tile_width = p->held,
                                   .blocks = p->blocks,
                                   .scattered = product_scatters(p),
                                   .natural = p->natural};
    images->height = extent(images->rows, w->stride_y, w->side_y, w->dilation_y);
    images->width = extent(images->columns, w->stride_x, w->side_x, w->dilation_x);
    images->height = images->height > w->height ? images->height : w->height;
    images->width = images->width > w->width ? images->width : w->width;
}

uint64_t window_image_bytes(const struct product *p)
{
    const struct plan_places *from = p->d->from;
    struct plan_images images;
    window_images(p, &images);
    if (from) /* up to the last number that is read */
        return plan_place(from, 0, images.height - 1, images.width - 1, images.channels - 1, p->data_bytes) +
               p->data_bytes;
    return (uint64_t)images.height * images.width * images.channels * p->data_bytes;
}

uint64_t window_results(const struct product *p)
{
    const uint64_t tiles = (uint64_t)product_block_passes(p) * p->parts[PLAN_M], each = image_tiles(p);
    return (tiles + each - 1) / each * each * product_results(p);
}
