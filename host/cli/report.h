/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports the results of a product as text and as JSON.
 */
#ifndef TULLE_HOST_CLI_REPORT_H
#define TULLE_HOST_CLI_REPORT_H

#include "host/cli/product.h"

struct figures {
    uint64_t nonzeros, effective_macs;
    unsigned pes;
    double roofline; /* cycles */
};

/* The figures of a product; those of a loaded operator without its matrix come from operator and device. */
struct figures figures_of(const struct product *product);

/* Text: the product and its plan, then the results of the run. */
void report_plan(const struct product *product, struct strbuf *to);
void report_run(const struct product *product, struct strbuf *to);

/* A JSON object on one line; it contains the lines of `explanation`, the library's text. */
void report_run_json(const struct product *product, bool checked, struct strbuf *to);
void report_plan_json(const struct product *product, const char *explanation, struct strbuf *to);

/* Writes to standard output; false with an error reported when that fails. */
bool report_print(const struct strbuf *text, struct diag *diag);

#endif
