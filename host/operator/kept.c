/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/kept.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/base/output.h"
#include "gen/version.h"
#include "host/operator/operator.h"
#include "sim/model/model.h"

#define VARIABLE "TULLE_PLANS"
#define PLANNER 11 /* grows with each change of what a search finds or predicts */

static const uint8_t magic[8] = {'T', 'u', 'l', 'l', 'e', 'P', 'l', '1'};

/* Of an entry, eight bytes each, between the magic and the checksum. */
enum {
    GATHER,
    DEALS,
    MAPPING,
    ROWS,
    COLUMNS,
    HELD,
    LINES,
    BLOCK,
    PACKET,
    NATURAL,
    ESTIMATE,
    CYCLES,
    BYTES,
    WORDS
};
#define ENTRY_BYTES (sizeof magic + 8 * WORDS + SHA256_BYTES)

/* ---- which entry ------------------------------------------------------------------------------- */

static int64_t bits_of(double number)
{
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void add_window(struct sha256 *sha, const struct plan_window *w)
{
    SHA256_ADD(sha, w->height, w->width, w->channels, w->side_y, w->side_x, w->stride_y, w->stride_x,
               w->dilation_y, w->dilation_x, w->groups, w->depthwise, w->maximum, w->inner.top, w->inner.left,
               w->inner.height, w->inner.width);
}

static void add_results(struct sha256 *sha, const struct plan_description *d)
{
    const struct plan_function *f = &d->function;
    const struct plan_join *j = &d->join;
    SHA256_ADD(sha, d->element, f->function, f->shift, f->multiplier, f->low, f->high, f->zero, f->slope,
               f->rounding, f->lookup != NULL, d->channels.has_bias, d->channels.has_scale,
               d->channels.has_limits, j->join, j->element, j->has_no_sign, j->zero, j->multiplier, j->shift,
               j->scale_first, j->fraction_15, d->partial, d->results_have_no_sign);
}

static void add_places(struct sha256 *sha, const struct sparse *w)
{
    SHA256_ADD(sha, w->rows, w->columns);
    sha256_add(sha, w->start, ((size_t)w->rows + 1) * sizeof *w->start);
    sha256_add(sha, w->column, w->start[w->rows] * sizeof *w->column);
}

struct kept kept_of(const struct plan_description *d, const struct plan_wish *wish, unsigned effort,
                    struct kept_store *store)
{
    struct kept kept = {.folder = getenv(VARIABLE), .store = store};
    struct sha256 sha;
    if (kept.folder && !*kept.folder)
        kept.folder = NULL;
    if (!kept.folder && !store)
        return kept;
    sha256_begin(&sha);
    sha256_add(&sha, TULLE_VERSION, sizeof TULLE_VERSION);
    SHA256_ADD(&sha, PLANNER, (int64_t)model_variant_hash(d->variant), effort, wish->mapping_given,
               wish->split_given, wish->mapping, wish->split.rows, wish->split.columns);
    SHA256_ADD(&sha, d->operator, d->m, d->has_no_sign, d->zero, d->whole_rows, bits_of(d->density),
               (int64_t)d->least.cycles, (int64_t)d->least.bytes, d->window != NULL, d->memory.beat_cycles,
               d->memory.input_near, d->memory.output_near, d->memory.sums_near, d->slice);
    if (d->window)
        add_window(&sha, d->window);
    add_results(&sha, d);
    if (d->from)
        SHA256_ADD(&sha, (int64_t)d->from->first, (int64_t)d->from->image, (int64_t)d->from->line,
                   (int64_t)d->from->pixel, (int64_t)d->from->plane, d->from->group);
    if (d->to)
        SHA256_ADD(&sha, d->to->top, d->to->left, d->to->height, d->to->width, d->to->channels,
                   d->to->planes);
    add_places(&sha, d->weights);
    sha256_end(&sha, kept.digest);
    return kept;
}

static struct strbuf path_of(const struct kept *kept)
{
    char name[2 * SHA256_BYTES + 1];
    struct strbuf path = {0};
    sha256_text(kept->digest, name);
    sb_addf(&path, "%s/%s.plan", kept->folder, name);
    return path;
}

/* ---- its bytes --------------------------------------------------------------------------------- */

/* The checksum covers the name: an entry of another name is damaged. */
static void checksum(const struct kept *kept, const uint8_t *entry, uint8_t to[SHA256_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, kept->digest, sizeof kept->digest);
    sha256_add(&sha, entry, ENTRY_BYTES - SHA256_BYTES);
    sha256_end(&sha, to);
}

static void encode(const struct kept *kept, const struct plan_alternative *one, uint8_t entry[ENTRY_BYTES])
{
    const struct plan_choice *c = &one->choice;
    const int64_t words[WORDS] = {[GATHER] = c->gather,
                                  [DEALS] = c->deals,
                                  [MAPPING] = c->mapping,
                                  [ROWS] = c->split.rows,
                                  [COLUMNS] = c->split.columns,
                                  [HELD] = c->rows_held,
                                  [LINES] = c->lines,
                                  [BLOCK] = c->block,
                                  [PACKET] = c->packet_bytes,
                                  [NATURAL] = c->natural,
                                  [ESTIMATE] = bits_of(one->estimate),
                                  [CYCLES] = (int64_t)one->price.cycles,
                                  [BYTES] = (int64_t)one->price.bytes};
    memcpy(entry, magic, sizeof magic);
    for (unsigned i = 0; i < WORDS; i++)
        put_integer(entry + sizeof magic + 8 * i, 8, words[i]);
    checksum(kept, entry, entry + ENTRY_BYTES - SHA256_BYTES);
}

static bool decode(const struct kept *kept, const uint8_t entry[ENTRY_BYTES], struct plan_alternative *one)
{
    uint8_t sum[SHA256_BYTES];
    uint64_t words[WORDS] = {0};
    checksum(kept, entry, sum);
    if (memcmp(entry, magic, sizeof magic) != 0 ||
        memcmp(entry + ENTRY_BYTES - SHA256_BYTES, sum, sizeof sum) != 0)
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        for (unsigned k = 0; k < 8; k++)
            words[i] |= (uint64_t)entry[sizeof magic + 8 * i + k] << 8 * k;
    *one = (struct plan_alternative){
        .choice = {.gather = (enum plan_gather)words[GATHER],
                   .deals = words[DEALS],
                   .mapping = (enum plan_mapping)words[MAPPING],
                   .split = {(enum plan_axis)words[ROWS], (enum plan_axis)words[COLUMNS]},
                   .rows_held = (unsigned)words[HELD],
                   .lines = (unsigned)words[LINES],
                   .block = (uint32_t)words[BLOCK],
                   .packet_bytes = (uint32_t)words[PACKET],
                   .natural = words[NATURAL]},
        .made = true,
        .price = {.cycles = words[CYCLES], .bytes = words[BYTES]}};
    memcpy(&one->estimate, &words[ESTIMATE], sizeof one->estimate);
    return true;
}

/* ---- memory ------------------------------------------------------------------------------------ */

#define STORE_MOST 4096 /* entries; later ones are not kept */

struct kept_store {
    pthread_mutex_t lock;
    size_t count, room;
    struct stored {
        uint8_t digest[SHA256_BYTES];
        struct plan_alternative found;
    } * of;
};

struct kept_store *kept_store_new(void)
{
    struct kept_store *store = calloc(1, sizeof *store);
    if (store && pthread_mutex_init(&store->lock, NULL)) {
        free(store);
        return NULL;
    }
    return store;
}

void kept_store_free(struct kept_store *store)
{
    if (!store)
        return;
    pthread_mutex_destroy(&store->lock);
    free(store->of);
    free(store);
}

/* With the lock. */
static const struct stored *find(const struct kept_store *store, const uint8_t digest[SHA256_BYTES])
{
    size_t i = 0;
    while (i < store->count && memcmp(store->of[i].digest, digest, SHA256_BYTES) != 0)
        i++;
    return i < store->count ? &store->of[i] : NULL;
}

static bool read_stored(const struct kept *kept, struct plan_alternatives *a)
{
    if (!kept->store)
        return false;
    pthread_mutex_lock(&kept->store->lock);
    const struct stored *stored = find(kept->store, kept->digest);
    if (stored) {
        *a = (struct plan_alternatives){
            .count = 1, .kept = true, .note = "found before on this device: nothing was searched"};
        a->of[0] = stored->found;
    }
    pthread_mutex_unlock(&kept->store->lock);
    return stored != NULL;
}

static bool make_room(struct kept_store *store)
{
    if (store->count < store->room)
        return true;
    const size_t room = 2 * store->room + 64;
    struct stored *more = room <= STORE_MOST ? realloc(store->of, room * sizeof *more) : NULL;
    if (!more)
        return false;
    store->of = more;
    store->room = room;
    return true;
}

static void write_stored(const struct kept *kept, const struct plan_alternative *found)
{
    struct kept_store *store = kept->store;
    if (!store)
        return;
    pthread_mutex_lock(&store->lock);
    if (!find(store, kept->digest) && make_room(store)) {
        struct stored *to = &store->of[store->count++];
        memcpy(to->digest, kept->digest, sizeof to->digest);
        to->found = (struct plan_alternative){
            .choice = found->choice, .estimate = found->estimate, .made = true, .price = found->price};
    }
    pthread_mutex_unlock(&store->lock);
}

/* ---- files ------------------------------------------------------------------------------------- */

bool kept_read(struct kept *kept, struct plan_alternatives *a)
{
    uint8_t entry[ENTRY_BYTES + 1];
    struct plan_alternative one;
    if (read_stored(kept, a))
        return true;
    if (!kept->folder)
        return false;
    struct strbuf path = path_of(kept);
    FILE *file = sb_ok(&path) ? fopen(sb_text(&path), "rb") : NULL;
    sb_free(&path);
    if (!file)
        return false;
    const size_t bytes = fread(entry, 1, sizeof entry, file);
    fclose(file);
    kept->damaged = bytes != ENTRY_BYTES || !decode(kept, entry, &one);
    if (kept->damaged)
        return false;
    *a = (struct plan_alternatives){
        .count = 1, .kept = true, .note = "found in the folder " VARIABLE ": nothing was searched"};
    a->of[0] = one;
    return true;
}

void kept_write(const struct kept *kept, struct plan_alternatives *a)
{
    uint8_t entry[ENTRY_BYTES];
    struct diag diag = {0};
    struct strbuf bytes = {0};
    write_stored(kept, &a->of[a->best]);
    if (!kept->folder)
        return;
    encode(kept, &a->of[a->best], entry);
    struct strbuf path = path_of(kept);
    sb_addn(&bytes, (const char *)entry, sizeof entry);
    const bool ok = sb_ok(&path) && sb_ok(&bytes) && output_file(sb_text(&path), &bytes, &diag);
    a->note = !ok             ? "not kept: the folder " VARIABLE " cannot be written"
              : kept->damaged ? "kept in the folder " VARIABLE ", in place of a damaged entry"
                              : "kept in the folder " VARIABLE;
    diag_free(&diag);
    sb_free(&path);
    sb_free(&bytes);
}
