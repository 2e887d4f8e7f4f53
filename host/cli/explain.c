/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "host/cli/cli.h"
#include "host/cli/report.h"

static const struct place nowhere = {0};

static bool fail(struct diag *diag)
{
    diag_error(diag, nowhere, "%s", tulle_message());
    return false;
}

/* What the library says of its choice. */
static bool explanation(const struct product *p, struct strbuf *to, struct diag *diag)
{
    size_t length = 0;
    if (tulle_operator_explain(p->operator, p->counters.cycles, NULL, 0, &length) != TULLE_OK)
        return fail(diag);
    char *text = malloc(length + 1);
    bool ok =
        text && tulle_operator_explain(p->operator, p->counters.cycles, text, length + 1, NULL) == TULLE_OK;
    if (ok)
        sb_add(to, text);
    else if (text)
        (void)fail(diag);
    else
        diag_error(diag, nowhere, "out of memory");
    free(text);
    return ok;
}

static bool print(const struct product *p, const char *why, struct diag *diag)
{
    struct strbuf text = {0};
    if (p->request->json) {
        report_plan_json(p, why, &text);
    } else {
        report_plan(p, &text);
        if (p->ran)
            report_run(p, &text);
        sb_addf(&text, "\n%s", why);
    }
    bool ok = p->request->quiet || report_print(&text, diag);
    sb_free(&text);
    return ok;
}

static bool explain(const struct request *r, struct product *p, struct diag *diag)
{
    struct strbuf why = {0};
    bool ok = product_make(r, p, diag) && (!r->measure || product_run(p, diag));
    progress_end(&p->progress);
    ok = ok && explanation(p, &why, diag) && print(p, sb_text(&why), diag);
    sb_free(&why);
    return ok;
}

int cli_explain(int argc, char **argv)
{
    struct request request;
    struct product product;
    struct diag diag = {0};
    int status;
    if (argc > 1 && !strcmp(argv[1], "net")) {
        char *words[] = {argv[1], argv[0]}; /* tulle net explain */
        memcpy(argv, words, sizeof words);
        return cli_net(argc, argv);
    }
    if (!request_parse("explain", argc, argv, &request, &status))
        return status;
    bool ok = explain(&request, &product, &diag);
    product_free(&product);
    diag_report(&diag, stderr);
    return ok ? CLI_DONE : CLI_FAILED;
}
