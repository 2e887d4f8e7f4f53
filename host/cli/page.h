/* SPDX-License-Identifier: Apache-2.0
 *
 * The page that `tulle report` makes from the results of `tulle bench`: one
 * HTML file with its style and its drawings. Each part of the page is a
 * function. docs/bench.md describes the page.
 */
#ifndef TULLE_HOST_CLI_PAGE_H
#define TULLE_HOST_CLI_PAGE_H

#include <jansson.h>

#include "gen/base/diag.h"
#include "gen/base/strbuf.h"

struct page_source {
    const char *name, *label, *text;
};
extern const struct page_source page_sources[]; /* the style */
extern const size_t page_source_count;

/* ---- a run ------------------------------------------------------------------------------------------- */

/* Whether the page can be made from this run of `tulle bench`; every problem is reported. */
bool page_check(const json_t *run, const char *path, struct diag *diag);

/* Fields of a checked run. */
double page_number(const json_t *object, const char *key);
const char *page_text(const json_t *object, const char *key);
/* Whether a case was measured. */
bool page_measured(const json_t *c);
/* The results of the device, or else those of the cycle model. */
const json_t *page_figures(const json_t *c);
/* "compute", "read" or "write": the largest of its limits. */
const char *page_limit(const json_t *c);
/* The variant of that name, or NULL. */
const json_t *page_variant(const json_t *run, const char *name);
/* The sum of a list of numbers. */
double page_sum(const json_t *list);

/* ---- text -------------------------------------------------------------------------------------------- */

void page_add_text(struct strbuf *to, const char *text);
/* 12,345 */
void page_add_count(struct strbuf *to, double count);

/* Everything up to the versions, in a paragraph that is open. */
void page_begin(const json_t *run, const char *title, struct strbuf *to);
/* `below` and `class` may be NULL. */
void page_add_tile(const char *what, const char *value, const char *below, const char *class,
                   struct strbuf *to);

/* ---- networks ---------------------------------------------------------------------------------------- */

/* Whether the file is the JSON of `tulle net explain`, and whether a page can be made from it. */
bool page_is_net(const json_t *run);
bool page_check_net(const json_t *run, const char *path, struct diag *diag);
/* `accuracy`: the JSON of `tulle net quantise`, or NULL. False: out of memory. */
/* Whether the object is all that the picture of a placement needs. */
bool page_check_placement(const json_t *placement);
void page_add_placement(const json_t *placement, struct strbuf *to);
bool page_add_net(const json_t *run, const json_t *accuracy, const char *title, struct strbuf *to);

/* ---- layer groups ------------------------------------------------------------------------------------ */

/* Whether the file is the JSON of `tulle net explain --groups`, and whether a page can be made from it. */
bool page_is_groups(const json_t *run);
bool page_check_groups(const json_t *run, const char *path, struct diag *diag);
void page_add_groups(const json_t *run, const char *title, struct strbuf *to);

/* ---- parts ------------------------------------------------------------------------------------------- */

void page_add_document(const json_t *run, const char *title, struct strbuf *to);
void page_add_rooflines(const json_t *run, struct strbuf *to);
void page_add_efficiencies(const json_t *run, struct strbuf *to);
void page_add_uses(const json_t *run, struct strbuf *to);
void page_add_cases(const json_t *run, struct strbuf *to);
void page_add_variants(const json_t *run, struct strbuf *to);
void page_add_processors(const json_t *run, struct strbuf *to);

/* The legend of the stall bars, and the bar of a case. */
void page_add_use_key(struct strbuf *to);
void page_add_use_bar(const json_t *c, struct strbuf *to);
/* The timeline of a job. */
void page_add_timeline(const json_t *run, const json_t *c, struct strbuf *to);

#endif
