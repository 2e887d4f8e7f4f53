/* SPDX-License-Identifier: Apache-2.0
 *
 * What a product took, for readers and as JSON.
 */
#ifndef TULLE_HOST_CLI_REPORT_H
#define TULLE_HOST_CLI_REPORT_H

#include "host/cli/product.h"

struct figures {
    uint64_t nonzeros, effective_macs;
    unsigned pes;
    double roofline; /* cycles */
};

/* Of an operator that was loaded without its matrix, what it and the device say. */
struct figures figures_of(const struct product *product);

/* For readers: what is to be done and how, then what it took. */
void report_plan(const struct product *product, struct strbuf *to);
void report_run(const struct product *product, struct strbuf *to);

/* One object on one line. `explanation`: the library's text, whose lines go along. */
void report_run_json(const struct product *product, bool checked, struct strbuf *to);
void report_plan_json(const struct product *product, const char *explanation, struct strbuf *to);

/* To standard output; false with an error reported when that cannot be written. */
bool report_print(const struct strbuf *text, struct diag *diag);

#endif
