/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/base/input.h"
#include "gen/base/output.h"
#include "host/cli/bench.h"

#define RECORD_MAX (1 << 20)

const char *const bench_target_names[] = {[BENCH_MODEL] = "model", [BENCH_SIM] = "sim", NULL};

static const char head[] =
    "# SPDX-License-Identifier: Apache-2.0\n"
    "# Cycles of the cases of tulle bench, from start to interrupt; tulle bench --record "
    "writes them.\n"
    "# case\tvariant\ton\tcycles\n";

/* What a line begins with. */
static void add_key(struct strbuf *to, const struct bench_case *c, enum bench_target target)
{
    sb_addf(to, "%s\t%s\t%s\t", sb_text(&c->name), sb_text(&c->variant), bench_target_names[target]);
}

static const char *line_after(const char *line)
{
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static bool check_line(const char *line)
{
    const char *at = line;
    char *end;
    for (unsigned tabs = 0; tabs < 3; tabs++) {
        at += strcspn(at, "\t\n");
        if (*at++ != '\t')
            return false;
    }
    const unsigned long long cycles = strtoull(at, &end, 10);
    return cycles && (*end == '\n' || !*end);
}

bool bench_record_read(const char *path, struct bench_record *r, struct diag *diag)
{
    unsigned number = 1;
    *r = (struct bench_record){.path = path};
    if (!path)
        return true;
    if (!input_read(path, RECORD_MAX, &r->text, diag))
        return false;
    for (const char *line = sb_text(&r->text); *line; line = line_after(line), number++)
        if (*line != '#' && *line != '\n' && !check_line(line))
            diag_error(diag, (struct place){.file = path, .line = number},
                       "not a line of a record: case, variant, model or sim, and cycles, between tabs");
    return !diag->errors;
}

void bench_record_free(struct bench_record *r)
{
    sb_free(&r->text);
}

static uint64_t find(const struct bench_record *r, const struct bench_case *c, enum bench_target target)
{
    struct strbuf key = {0};
    uint64_t cycles = 0;
    add_key(&key, c, target);
    for (const char *line = sb_text(&r->text); *line && !cycles; line = line_after(line))
        if (!strncmp(line, sb_text(&key), key.len))
            cycles = strtoull(line + key.len, NULL, 10);
    sb_free(&key);
    return cycles;
}

void bench_record_compare(const struct bench_record *r, struct bench_case *c, struct bench_tally *tally)
{
    for (unsigned t = 0; r->path && t < BENCH_TARGETS; t++) {
        struct bench_run *run = &c->run[t];
        run->recorded = run->ran ? find(r, c, t) : 0;
        if (!run->ran)
            continue;
        tally->unrecorded += !run->recorded;
        if (!run->recorded)
            continue;
        run->change = (double)run->result.cycles / (double)run->recorded - 1;
        tally->compared++;
        tally->slower += run->change > BENCH_MOST_SLOWER;
        tally->quicker += run->change < -BENCH_MOST_SLOWER;
    }
}

/* Whether one of the cases has a line that takes the place of this one. */
static bool is_replaced(const char *line, const struct bench_case *cases, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        for (unsigned t = 0; t < BENCH_TARGETS && !found; t++) {
            struct strbuf key = {0};
            add_key(&key, &cases[i], t);
            found = cases[i].run[t].ran && !strncmp(line, sb_text(&key), key.len);
            sb_free(&key);
        }
    return found;
}

bool bench_record_write(const char *path, const struct bench_case *cases, size_t count, struct diag *diag)
{
    struct bench_record old = {0};
    struct strbuf text = {0};
    bool ok = access(path, F_OK) != 0 || bench_record_read(path, &old, diag);
    sb_add(&text, head);
    for (const char *line = sb_text(&old.text); *line; line = line_after(line))
        if (*line != '#' && *line != '\n' && !is_replaced(line, cases, count))
            sb_addn(&text, line, strcspn(line, "\n") + 1);
    for (size_t i = 0; i < count; i++)
        for (unsigned t = 0; t < BENCH_TARGETS; t++) {
            if (!cases[i].run[t].ran)
                continue;
            add_key(&text, &cases[i], t);
            sb_addf(&text, "%llu\n", (unsigned long long)cases[i].run[t].result.cycles);
        }
    ok = ok && output_file(path, &text, diag);
    sb_free(&text);
    bench_record_free(&old);
    return ok;
}
