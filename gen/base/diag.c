/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/diag.h"

void diag_error(struct diag *diag, struct place at, const char *format, ...)
{
    if (diag->errors++ >= DIAG_MAX)
        return;
    if (at.file)
        sb_addf(&diag->text, "%s:", at.file);
    if (at.line)
        sb_addf(&diag->text, "%u:", at.line);
    if (at.line && at.column)
        sb_addf(&diag->text, "%u:", at.column);
    sb_addf(&diag->text, "%serror: ", at.file ? " " : "");
    va_list args;
    va_start(args, format);
    sb_vaddf(&diag->text, format, args);
    va_end(args);
    sb_add(&diag->text, "\n");
}

bool diag_report(struct diag *diag, FILE *to)
{
    const bool failed = diag->errors > 0 || !sb_ok(&diag->text);
    fputs(sb_text(&diag->text), to);
    if (diag->errors > DIAG_MAX)
        fprintf(to, "and %zu more errors\n", diag->errors - DIAG_MAX);
    if (!sb_ok(&diag->text))
        fputs("error: out of memory while collecting messages\n", to);
    diag_free(diag);
    return failed;
}

void diag_free(struct diag *diag)
{
    sb_free(&diag->text);
    diag->errors = 0;
}
