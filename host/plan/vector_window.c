/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows of a matrix in groups, pages of x coming and going with them. The part
 * of the input buffers where pages do not stay has four places; a group
 * brings at most a place full. It also reads what the two groups before it
 * brought: while it runs, the next group's pages replace those of three
 * groups before. Rows that read more pages than a group brings are cut by the
 * pages of the groups.
 */
#include "host/plan/vector.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX
#define LOOK_ROWS 64   /* rows that are looked at together for pages that are read everywhere */
#define PART_LEAST 16  /* of long rows, which all PEs share */
#define GROUP_TILES 16 /* of entries, at most */
#define KEPT 2         /* groups before that a group reads the pages of */

struct vector_window {
    struct vector *a;
    struct packer *packer;
    struct strbuf *to;
    uint32_t *newest;              /* per page: the group that brought it last; NONE: none */
    uint32_t *seen;                /* per page: the group that has it */
    bool *owned;                   /* per page: entries of long rows are dealt with */
    bool trial;                    /* pages are counted, nothing is packed */
    uint64_t brought;              /* pages in all */
    uint32_t *page;                /* of the group, `pages` */
    uint32_t pages, coming, group; /* coming: pages that are new to the group */
    uint32_t *long_row, long_rows;
    struct run *run, *group_run; /* of long rows, by page, from run_at[page] on; and those of a group */
    uint32_t *run_at;
    uint64_t entries; /* of the group */
    uint32_t longest;
};

static uint32_t page_of(const struct vector *a, uint32_t entry)
{
    return a->compact[a->matrix->column[entry]] / VECTOR_PAGE;
}

/* ---- pages that stay, long rows -------------------------------------------------------------- */

/* Pages of a row that do not stay. */
static uint32_t row_pages(const struct vector *a, uint32_t row)
{
    uint32_t count = 0, last = NONE;
    for (uint32_t e = a->matrix->start[row]; e < a->matrix->start[row + 1]; e++) {
        uint32_t page = page_of(a, e);
        count += page != last && !a->stays[page];
        last = page;
    }
    return count;
}

/* Counts the groups of rows that read each page. */
static uint32_t count_readers(const struct vector *a, uint32_t most, uint32_t *readers, uint32_t *seen)
{
    uint32_t looks = 0;
    for (uint32_t first = 0; first < a->matrix->rows; first += LOOK_ROWS, looks++)
        for (uint32_t r = first; r < first + LOOK_ROWS && r < a->matrix->rows; r++) {
            if (row_pages(a, r) > most)
                continue;
            for (uint32_t e = a->matrix->start[r]; e < a->matrix->start[r + 1]; e++) {
                uint32_t page = page_of(a, e);
                readers[page] += seen[page] != looks;
                seen[page] = looks;
            }
        }
    return looks;
}

/* Pages that a quarter of all groups of rows read stay, at most a quarter of the input buffer. */
static bool choose_staying(struct vector *a)
{
    uint32_t buffer = a->variant->input_buffer_depth / VECTOR_PAGE, most = buffer / 4;
    uint32_t *readers = calloc((size_t)a->pages + 1, sizeof *readers),
             *seen = malloc(((size_t)a->pages + 1) * sizeof *seen);
    if (readers && seen) {
        memset(seen, 0xff, ((size_t)a->pages + 1) * sizeof *seen);
        uint32_t looks = count_readers(a, buffer / 4, readers, seen);
        for (uint32_t p = 0; p < a->pages && a->stay < most && a->vectors == 1; p++)
            if (looks > 4 && readers[p] > looks / 4) {
                a->stays[p] = true;
                a->stay++;
            }
        a->place_pages = (buffer - a->stay) / VECTOR_PLACES;
        if (a->block && a->block / VECTOR_PAGE < a->place_pages)
            a->place_pages = a->block / VECTOR_PAGE;
    }
    bool ok = readers && seen;
    free(readers);
    free(seen);
    return ok;
}

static bool find_long_rows(struct vector_window *w)
{
    const struct vector *a = w->a;
    w->long_row = malloc(((size_t)a->matrix->rows + 1) * sizeof *w->long_row);
    for (uint32_t r = 0; w->long_row && r < a->matrix->rows; r++)
        if (row_pages(a, r) > a->place_pages)
            w->long_row[w->long_rows++] = r;
    return w->long_row;
}

/* ---- the pages of a group -------------------------------------------------------------------- */

static bool is_there(const struct vector_window *w, uint32_t page)
{
    return w->a->stays[page] || (w->newest[page] != NONE && w->newest[page] + KEPT >= w->group);
}

static bool bring_pages(struct vector_window *w)
{
    struct vector *a = w->a;
    uint32_t at = (a->stay + w->group % VECTOR_PLACES * a->place_pages) * VECTOR_PAGE;
    if (!w->trial)
        qsort(w->page, w->pages, sizeof *w->page, vector_ascending);
    for (uint32_t i = 0; i < w->pages; i++) {
        uint32_t page = w->page[i];
        if (is_there(w, page))
            continue;
        w->newest[page] = w->group;
        w->brought++;
        if (w->trial)
            continue;
        for (uint32_t c = page * VECTOR_PAGE; c < (page + 1) * VECTOR_PAGE && c < a->columns; c++)
            a->where[a->column[c]] = at + c % VECTOR_PAGE;
        at += VECTOR_PAGE;
        sb_addn(&a->brought.text, (const char *)&page, sizeof page);
    }
    return sb_ok(&a->brought.text);
}

/* ---- long rows ------------------------------------------------------------------------------- */

/* Entries of a long row, one behind the other, in a page or in several that follow one another. */
struct run {
    uint32_t row, start, end;
};

/* Calls `add` with each run of a page in each long row, row by row. */
static void for_each_run(struct vector_window *w,
                         void (*add)(struct vector_window *w, uint32_t page, struct run run))
{
    const uint32_t *start = w->a->matrix->start;
    for (uint32_t l = 0; l < w->long_rows; l++) {
        const uint32_t row = w->long_row[l];
        for (uint32_t e = start[row], from = e; e < start[row + 1]; from = e) {
            const uint32_t page = page_of(w->a, e);
            while (e < start[row + 1] && page_of(w->a, e) == page)
                e++;
            add(w, page, (struct run){row, from, e});
        }
    }
}

static void count_run(struct vector_window *w, uint32_t page, struct run run)
{
    (void)run;
    w->run_at[page + 1]++;
}

/* While runs are put into their places, run_at[page] is the place of the next one. */
static void put_run(struct vector_window *w, uint32_t page, struct run run)
{
    w->run[w->run_at[page]++] = run;
}

/* The runs of each page, so that a group finds those of its pages at once. */
static bool find_runs(struct vector_window *w)
{
    const uint32_t pages = w->a->pages;
    w->run_at = calloc((size_t)pages + 2, sizeof *w->run_at);
    if (!w->run_at)
        return false;
    for_each_run(w, count_run);
    for (uint32_t p = 0; p < pages; p++)
        w->run_at[p + 1] += w->run_at[p];
    w->run = malloc(((size_t)w->run_at[pages] + 1) * sizeof *w->run);
    w->group_run = malloc(((size_t)w->run_at[pages] + 1) * sizeof *w->group_run);
    if (!w->run || !w->group_run)
        return false;
    for_each_run(w, put_run);
    memmove(w->run_at + 1, w->run_at, (size_t)pages * sizeof *w->run_at);
    w->run_at[0] = 0;
    return true;
}

static int by_start(const void *x, const void *y)
{
    const struct run *a = x, *b = y;
    return (a->start > b->start) - (a->start < b->start);
}

/* Runs in pages of the group that no group before has dealt with, row by row. */
static uint32_t runs_of_group(const struct vector_window *w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->pages; i++) {
        const uint32_t page = w->page[i], runs = w->run_at[page + 1] - w->run_at[page];
        if (w->owned[page])
            continue;
        memcpy(w->group_run + count, w->run + w->run_at[page], runs * sizeof *w->run);
        count += runs;
    }
    if (count)
        qsort(w->group_run, count, sizeof *w->group_run, by_start);
    return count;
}

/* All runs of a row, of which there are `count`. */
static bool add_long_row(struct vector_window *w, const struct run *run, uint32_t count)
{
    uint64_t entries = 0;
    for (uint32_t i = 0; i < count; i++)
        entries += run[i].end - run[i].start;
    uint32_t longest = (uint32_t)((entries + w->a->lanes - 1) / w->a->lanes);
    longest = longest < PART_LEAST ? PART_LEAST : longest > w->longest ? w->longest : longest;
    for (uint32_t i = 0, next; i < count; i = next) {
        uint32_t end = run[i].end;
        for (next = i + 1; next < count && run[next].start == end; next++)
            end = run[next].end;
        if (!vector_add_parts(w->a, run[i].row, run[i].start, end - run[i].start, longest))
            return false;
    }
    return true;
}

static void own_pages(struct vector_window *w)
{
    for (uint32_t i = 0; i < w->pages; i++)
        w->owned[w->page[i]] = true;
}

static bool add_long_rows(struct vector_window *w)
{
    const uint32_t count = runs_of_group(w);
    bool ok = w->group_run;
    for (uint32_t i = 0, next; ok && i < count; i = next) {
        for (next = i + 1; next < count && w->group_run[next].row == w->group_run[i].row;)
            next++;
        ok = add_long_row(w, w->group_run + i, next - i);
    }
    own_pages(w);
    return ok;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The pages that stay come with the first group, for long rows. */
static enum plan_status close_group(struct vector_window *w)
{
    struct vector *a = w->a;
    if (!bring_pages(w))
        return plan_no_memory();
    for (uint32_t p = 0; w->group == 0 && p < a->pages; p++)
        if (a->stays[p])
            w->page[w->pages++] = p;
    if (!w->trial)
        qsort(w->page, w->pages, sizeof *w->page, vector_ascending);
    enum plan_status why = vector_limit_pages(a, w->brought);
    if (!why && w->trial)
        own_pages(w);
    else if (!why)
        why = add_long_rows(w) ? vector_add_group(a, w->packer, w->coming, w->to) : plan_no_memory();
    w->group++;
    w->pages = w->coming = 0;
    w->entries = 0;
    return why;
}

static void add_page(struct vector_window *w, uint32_t page)
{
    if (w->a->stays[page] || w->seen[page] == w->group)
        return;
    w->seen[page] = w->group;
    w->page[w->pages++] = page;
    w->coming += !is_there(w, page);
}

static uint32_t more_pages(const struct vector_window *w, uint32_t row)
{
    uint32_t count = 0, last = NONE;
    for (uint32_t e = w->a->matrix->start[row]; e < w->a->matrix->start[row + 1]; e++) {
        uint32_t page = page_of(w->a, e);
        count += page != last && w->seen[page] != w->group && !is_there(w, page);
        last = page;
    }
    return count;
}

/* The first groups bring little, so that PEs begin early. */
static uint32_t pages_of_group(const struct vector_window *w)
{
    uint32_t most = w->a->place_pages, first = most / 4 << (w->group < 4 ? w->group : 4);
    return first && first < most ? first : most;
}

static enum plan_status add_row(struct vector_window *w, uint32_t row, uint64_t most)
{
    struct vector *a = w->a;
    uint32_t start = a->matrix->start[row], end = a->matrix->start[row + 1];
    enum plan_status why = PLAN_OK;
    if (w->entries &&
        (w->coming + more_pages(w, row) > pages_of_group(w) || w->entries + (end - start) > most))
        why = close_group(w);
    for (uint32_t e = start; e < end; e++)
        add_page(w, page_of(a, e));
    w->entries += end > start ? end - start : 1; /* a row without entries keeps its group open, too */
    if (!why && !w->trial && !vector_add_parts(a, row, start, end - start, w->longest))
        why = plan_no_memory();
    return why;
}

static bool long_rows_read(const struct vector_window *w, uint32_t page)
{
    return w->run_at[page] < w->run_at[page + 1];
}

/* What of long rows is in pages that no other row reads. */
static enum plan_status cut_rest(struct vector_window *w)
{
    enum plan_status why = w->entries ? close_group(w) : PLAN_OK;
    for (uint32_t p = 0; !why && w->long_rows && p < w->a->pages; p++) {
        if (w->owned[p] || w->a->stays[p] || !long_rows_read(w, p))
            continue;
        add_page(w, p);
        if (w->coming == w->a->place_pages)
            why = close_group(w);
    }
    return !why && w->pages ? close_group(w) : why;
}

static enum plan_status cut_rows(struct vector_window *w)
{
    const struct sparse *m = w->a->matrix;
    const uint64_t most = (uint64_t)w->a->packet_bytes * 8 / w->a->derived.entry_bits * w->a->variant->n *
                          w->a->variant->m * GROUP_TILES;
    enum plan_status why = PLAN_OK;
    uint32_t next = 0;
    for (uint32_t r = 0; !why && r < m->rows; r++) {
        if (next < w->long_rows && w->long_row[next] == r)
            next++;
        else if (vector_has_result(w->a, r))
            why = add_row(w, r, most);
    }
    return why ? why : cut_rest(w);
}

static enum plan_status begin(struct vector_window *w)
{
    struct vector *a = w->a;
    size_t bytes = ((size_t)a->pages + 1) * sizeof *w->page;
    memset(a->stays, 0, (size_t)a->pages * sizeof *a->stays);
    a->stay = a->place_pages = 0;
    w->newest = malloc(bytes);
    w->seen = malloc(bytes);
    w->page = malloc(bytes);
    w->owned = malloc(((size_t)a->pages + 1) * sizeof *w->owned);
    if (!w->newest || !w->seen || !w->page || !w->owned || !choose_staying(a))
        return plan_no_memory();
    w->longest = vector_longest_part(a);
    if (!find_long_rows(w) || !find_runs(w))
        return plan_no_memory();
    for (uint32_t p = 0, place = 0; p < a->pages; place += a->stays[p++])
        for (uint32_t c = p * VECTOR_PAGE; a->stays[p] && c < (p + 1) * VECTOR_PAGE && c < a->columns; c++)
            a->where[a->column[c]] = place * VECTOR_PAGE + c % VECTOR_PAGE;
    if (!a->place_pages)
        return plan_refuse(PLAN_UNSUPPORTED, "the input buffers are too small");
    return 8 * (uint64_t)w->long_rows > a->matrix->rows + 64
               ? plan_refuse(PLAN_UNSUPPORTED, "rows read more pages of x than the input buffers hold")
               : PLAN_OK;
}

/* No group yet. */
static void restart(struct vector_window *w, bool trial)
{
    const size_t bytes = ((size_t)w->a->pages + 1) * sizeof *w->page;
    memset(w->newest, 0xff, bytes);
    memset(w->seen, 0xff, bytes);
    memset(w->owned, 0, ((size_t)w->a->pages + 1) * sizeof *w->owned);
    w->trial = trial;
    w->pages = w->coming = w->group = 0;
    w->brought = w->entries = 0;
}

/* Whether pages come too often is known before anything is packed. */
enum plan_status vector_cut_window(struct vector *a, struct packer *packer, struct strbuf *to)
{
    struct vector_window w = {.a = a, .packer = packer, .to = to};
    enum plan_status why = begin(&w);
    for (unsigned trial = 2; !why && trial--;) {
        restart(&w, trial);
        why = cut_rows(&w);
    }
    free(w.newest);
    free(w.seen);
    free(w.page);
    free(w.owned);
    free(w.long_row);
    free(w.run);
    free(w.group_run);
    free(w.run_at);
    return why;
}
