/* SPDX-License-Identifier: Apache-2.0
 *
 * Layers in pieces: jobs of every kind, cut in every direction at random places, give the results of the
 * whole job, and operators that are made for several devices are cut, run, and predicted.
 */
#include <stdlib.h>
#include <string.h>

#include "host/net/device/team.h"
#include "tests/gen_base/rounds.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_team, .init = scratch_enter, .fini = scratch_leave, .timeout = 300);

#define ROUNDS FEWER_ROUNDS(200)
enum { CHANNELS_MOST = 40, PIECES_MOST = 4, KINDS = 7 };

/* A job and the room that it points into; bytes on both sides of the results are watched. */
struct made {
    struct job job;
    int8_t weights[CHANNELS_MOST * CHANNELS_MOST * 9];
    int32_t bias[CHANNELS_MOST], multiplier[CHANNELS_MOST];
    uint8_t shift[CHANNELS_MOST];
    int16_t low[CHANNELS_MOST], high[CHANNELS_MOST];
    struct view x, w, y;
};

static int64_t below(struct random *random, int64_t most)
{
    return (int64_t)random_range(random, 1, (uint64_t)most);
}

static struct view bytes_of(struct random *random, const struct job_shape *shape)
{
    struct view v = {.type = NET_INT8, .count = (size_t)(shape->rows * shape->columns)};
    v.data = malloc(v.count + 1);
    cr_assert(v.data);
    for (size_t i = 0; i < v.count; i++)
        ((uint8_t *)v.data)[i] = (uint8_t)(random_below(random, 3) ? random_next(random) : 0);
    return v;
}

static struct job_shape shape_of(int64_t rows, int64_t columns)
{
    return (struct job_shape){.type = TULLE_INT8, .rows = rows, .columns = columns};
}

static void set_matrix(struct random *random, struct made *m, int64_t rows, int64_t columns)
{
    for (int64_t i = 0; i < rows * columns; i++)
        m->weights[i] = (int8_t)(random_below(random, 2) ? random_next(random) : 0);
    m->job.matrix = (struct tulle_matrix){.size = sizeof m->job.matrix,
                                          .type = TULLE_INT8,
                                          .rows = rows,
                                          .columns = columns,
                                          .values = m->weights};
    m->job.options.matrix = &m->job.matrix;
}

/* Numbers of each channel, now and then, and a bias. */
static void set_channels(struct random *random, struct made *m, int64_t count, bool limits)
{
    for (int64_t c = 0; c < count; c++) {
        m->bias[c] = (int32_t)random_below(random, 1000) - 500;
        m->multiplier[c] = (int32_t)random_range(random, 1 << 30, INT32_MAX);
        m->shift[c] = (uint8_t)random_range(random, 38, 42);
        m->low[c] = (int16_t)-random_range(random, 20, 100);
        m->high[c] = (int16_t)random_range(random, 20, 100);
    }
    m->job.options.bias = m->bias;
    m->job.channels = (struct tulle_channels){.size = sizeof m->job.channels,
                                              .multiplier = m->multiplier,
                                              .shift = m->shift,
                                              .low = limits ? m->low : NULL,
                                              .high = limits ? m->high : NULL};
    if (limits || random_below(random, 2))
        m->job.options.channels = &m->job.channels;
}

static void set_epilogue(struct made *m)
{
    m->job.epilogue = (struct tulle_epilogue){.size = sizeof m->job.epilogue,
                                              .function = TULLE_REQUANTISE,
                                              .multiplier = 1234567890,
                                              .shift = 40,
                                              .low = -128,
                                              .high = 127};
    m->job.options.epilogue = &m->job.epilogue;
}

/* Results are joined with a value of their own size. */
static void set_second(struct made *m)
{
    m->job.second = (struct tulle_second){.size = sizeof m->job.second,
                                          .join = TULLE_JOIN_ADD,
                                          .type = TULLE_INT8,
                                          .multiplier = 1 << 30,
                                          .shift = 32};
    m->job.options.second = &m->job.second;
}

/* Images, whose windows have any stride and padding; `to`: channels of the results. */
static void set_window(struct random *random, struct made *m, int64_t from, int64_t to)
{
    const int64_t kernel = random_below(random, 2) ? 3 : 1, stride = below(random, 2),
                  high = below(random, 9) + 2, wide = below(random, 9) + 2,
                  batch = random_below(random, 3) ? 1 : 2;
    const bool last = random_below(random, 2), padded = kernel > 1 &&
                                                        m->job.options.operation != TULLE_AVERAGE_POOL &&
                                                        random_below(random, 2);
    struct tulle_window *w = &m->job.window;
    *w = (struct tulle_window){.size = sizeof *w,
                               .batch = batch,
                               .height = high,
                               .width = wide,
                               .channels = from,
                               .kernel_height = kernel,
                               .kernel_width = kernel,
                               .stride_y = stride,
                               .stride_x = stride,
                               .pad_top = padded,
                               .pad_bottom = padded,
                               .pad_left = padded,
                               .pad_right = padded,
                               .input_layout = last ? TULLE_NHWC : TULLE_NCHW,
                               .output_layout = last ? TULLE_NHWC : TULLE_NCHW};
    m->job.options.window = w;
    const int64_t rows = (high + 2 * padded - kernel) / stride + 1,
                  columns = (wide + 2 * padded - kernel) / stride + 1;
    m->job.x = last ? shape_of(batch * high * wide, from) : shape_of(batch * from, high * wide);
    m->job.y = last ? shape_of(batch * rows * columns, to) : shape_of(batch * to, rows * columns);
}

static void make_convolution(struct random *random, struct made *m, bool apart)
{
    const int64_t from = below(random, CHANNELS_MOST), to = apart ? from : below(random, CHANNELS_MOST);
    m->job.options.operation = TULLE_CONVOLUTION;
    set_window(random, m, from, to);
    m->job.window.groups = apart && from > 1 ? from : 1;
    set_matrix(random, m, to, m->job.window.kernel_height * m->job.window.kernel_width * (apart ? 1 : from));
    const bool joined = !apart && random_below(random, 2);
    set_channels(random, m, to, joined);
    set_epilogue(m);
    if (!joined)
        return;
    set_second(m);
    m->job.w = m->job.y;
}

static void make_pool(struct random *random, struct made *m, bool average)
{
    const int64_t channels = below(random, CHANNELS_MOST);
    m->job.options.operation = average ? TULLE_AVERAGE_POOL : TULLE_MAX_POOL;
    set_window(random, m, channels, channels);
    m->job.window.exclude_padding = m->job.window.round_away = average;
    set_epilogue(m);
    m->job.epilogue.multiplier = 1;
    m->job.epilogue.shift = 0;
    if (average)
        m->job.epilogue.function = TULLE_CLAMP;
}

static void make_product(struct random *random, struct made *m)
{
    const int64_t from = below(random, CHANNELS_MOST), to = below(random, CHANNELS_MOST),
                  rows = below(random, 9);
    m->job.options.operation = TULLE_SPMM_RIGHT;
    m->job.options.dense = rows;
    set_matrix(random, m, from, to);
    m->job.matrix.row_stride = 1;
    m->job.matrix.column_stride = from;
    set_channels(random, m, to, false);
    set_epilogue(m);
    m->job.x = shape_of(rows, from);
    m->job.y = shape_of(rows, to);
}

static void make_elementwise(struct random *random, struct made *m, bool row)
{
    const int64_t rows = row ? below(random, 20) : 1, columns = below(random, CHANNELS_MOST);
    m->job.options.operation = TULLE_ELEMENTWISE;
    m->job.options.dense = rows;
    set_epilogue(m);
    m->job.epilogue.shift = 39;
    set_second(m);
    m->job.second.columns = columns;
    m->job.second.is_row = row;
    m->job.x = m->job.y = shape_of(rows, columns);
    m->job.w = shape_of(1, columns);
}

static void make(struct random *random, unsigned kind, struct made *m)
{
    *m = (struct made){.job.options = {.size = sizeof m->job.options, .output_type = TULLE_INT8}};
    if (kind < 2)
        make_convolution(random, m, kind == 1);
    else if (kind < 4)
        make_pool(random, m, kind == 3);
    else if (kind == 4)
        make_product(random, m);
    else
        make_elementwise(random, m, kind == 6);
    m->x = bytes_of(random, &m->job.x);
    m->w = bytes_of(random, &m->job.w);
    m->y = bytes_of(random, &m->job.y);
}

static void unmake(struct made *m)
{
    free(m->x.data);
    free(m->w.data);
    free(m->y.data);
}

/* Pieces that end at random places, on one device. */
static void cut_at_random(struct random *random, const struct job *whole, enum team_cut cut,
                          struct tulle_device *device, struct team *team)
{
    const int64_t length = team_length(whole, cut);
    *team = (struct team){.cut = cut, .pieces = calloc(PIECES_MOST, sizeof *team->pieces)};
    cr_assert(team->pieces);
    for (int64_t from = 0; from < length; team->count++) {
        struct team_piece *piece = &team->pieces[team->count];
        const int64_t end = team->count + 1 == PIECES_MOST ? length : from + below(random, length - from);
        team_cut(&piece->job, whole, cut, from, end);
        done(tulle_operator_create(device, &piece->job.options, &piece->op));
        from = end;
    }
}

static void expect_same(const struct made *m, const struct team *team, const uint8_t *expected, uint64_t seed)
{
    struct tulle_counters counters = {.size = sizeof counters};
    memset(m->y.data, 99, m->y.count);
    done(team_run(&m->job, team, &m->x, &m->w, &m->y, WAIT, &counters));
    cr_assert_arr_eq(m->y.data, expected, m->y.count, "seed %llu, cut %d", (unsigned long long)seed,
                     team->cut);
    cr_assert_geq(counters.jobs, team->count);
}

/* What the whole job gives. */
static uint8_t *run_whole(struct tulle_device *device, const struct made *m)
{
    struct tulle_operator *op;
    struct view y = m->y;
    y.data = malloc(y.count + 1);
    cr_assert(y.data);
    done(tulle_operator_create(device, &m->job.options, &op));
    done(job_run(&m->job, op, &m->x, &m->w, &y, WAIT, NULL));
    tulle_operator_free(op);
    return y.data;
}

Test(host_net_device_team, pieces_of_every_job_in_every_direction_are_the_whole)
{
    struct tulle_device *device = open_device(SMALL, "0", 0);
    static struct made m;
    unsigned cuts[KINDS][TEAM_CUTS] = {{0}};
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        struct random random = {seed};
        const unsigned kind = (unsigned)(seed % KINDS);
        make(&random, kind, &m);
        uint8_t *expected = run_whole(device, &m);
        for (int cut = 0; cut < TEAM_CUTS; cut++) {
            struct team team;
            if (team_length(&m.job, (enum team_cut)cut) < 2)
                continue;
            cut_at_random(&random, &m.job, (enum team_cut)cut, device, &team);
            expect_same(&m, &team, expected, seed);
            cuts[kind][cut] += team.count > 1;
            team_free(&team);
        }
        free(expected);
        unmake(&m);
    }
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (int cut = 0; cut < TEAM_CUTS; cut++) {
            const bool never = (kind >= 4 && cut == TEAM_HEIGHT) || (kind == 5 && cut == TEAM_IMAGES) ||
                               (kind == 6 && cut == TEAM_CHANNELS);
            cr_expect(never ? !cuts[kind][cut] : cuts[kind][cut], "kind %u, cut %d: %u", kind, cut,
                      cuts[kind][cut]);
        }
    tulle_device_close(device);
}

/* ---- several devices ------------------------------------------------------------------------------- */

#define TWICE                                                                                               \
    "model:networks;set=memory_width=128;set=row_bus_width=128;set=n=1;set=m=2;set=k=4;set=channel_groups=" \
    "32;set=softmax=64"

/* A product of so many rows. */
static void make_rows(struct made *m, int64_t rows)
{
    struct random random = {1};
    *m = (struct made){.job.options = {.size = sizeof m->job.options, .output_type = TULLE_INT8}};
    make_product(&random, m);
    set_matrix(&random, m, 32, 32);
    m->job.matrix.row_stride = 1;
    m->job.matrix.column_stride = 32;
    set_channels(&random, m, 32, false);
    m->job.options.dense = rows;
    m->job.x = m->job.y = shape_of(rows, 32);
    m->x = bytes_of(&random, &m->job.x);
    m->y = bytes_of(&random, &m->job.y);
}

static uint64_t cycles_of(struct tulle_device *device, const struct job *job)
{
    struct team team;
    uint64_t cycles;
    done(team_make(&team, job, &device, 1));
    cr_assert_eq(team.count, 1);
    done(team_predict(&team, &cycles));
    team_free(&team);
    return cycles;
}

Test(host_net_device_team, devices_of_different_sizes_end_at_about_the_same_time)
{
    struct tulle_device *devices[2] = {open_device(SMALL "," TWICE, "0", 0)};
    struct team team;
    static struct made m;
    uint64_t cycles;
    done(tulle_device_open("1", NULL, &devices[1]));
    make_rows(&m, 300);
    uint8_t *expected = run_whole(devices[0], &m);
    done(team_make(&team, &m.job, devices, 2));
    done(team_predict(&team, &cycles));
    cr_assert_eq(team.count, 2);
    cr_assert_lt(team.pieces[0].steps, team.pieces[1].steps);
    const double alone = (double)cycles_of(devices[0], &m.job),
                 larger = (double)cycles_of(devices[1], &m.job);
    cr_assert_lt((double)cycles, 1.15 / (1 / alone + 1 / larger), "%llu cycles of %f and %f",
                 (unsigned long long)cycles, alone, larger);
    expect_same(&m, &team, expected, 0);
    team_free(&team);
    free(expected);
    unmake(&m);
    tulle_device_close(devices[0]);
    tulle_device_close(devices[1]);
}

Test(host_net_device_team, what_is_too_small_or_refused_is_one_piece)
{
    struct tulle_device *devices[2] = {open_device("model:tiny," SMALL, "0", 0)};
    struct team team;
    static struct made m;
    done(tulle_device_open("1", NULL, &devices[1]));
    make_rows(&m, 300);
    m.job.options.input_zero = 3; /* tiny has no zero points */
    done(team_make(&team, &m.job, devices, 2));
    cr_assert_eq(team.count, 1);
    cr_assert_eq(team.pieces[0].steps, 300);
    uint8_t *expected = run_whole(devices[1], &m);
    expect_same(&m, &team, expected, 0);
    team_free(&team);
    free(expected);
    m.job.options.input_zero = 1000;
    cr_assert(team_make(&team, &m.job, devices, 2));
    cr_assert(strstr(tulle_message(), "zero"), "%s", tulle_message());
    unmake(&m);
    tulle_device_close(devices[0]);
    tulle_device_close(devices[1]);
}
