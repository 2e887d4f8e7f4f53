/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/base/diag.h"

__attribute__((format(printf, 3, 0))) static void add(struct diag *diag, struct place at, const char *format,
                                                      va_list args)
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
    sb_vaddf(&diag->text, format, args);
    sb_add(&diag->text, "\n");
}

void diag_error(struct diag *diag, struct place at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diag, at, format, args);
    va_end(args);
}

bool diag_fail(struct diag *diag, const char *file, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(diag, (struct place){.file = file}, format, args);
    va_end(args);
    return false;
}

void diag_no_memory(struct diag *diag, const char *file)
{
    diag->no_memory = true;
    diag_error(diag, (struct place){.file = file}, "out of memory");
}

bool diag_lacks_memory(const struct diag *diag)
{
    return diag->no_memory || !sb_ok(&diag->text);
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
    diag->no_memory = false;
}
