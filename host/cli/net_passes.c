/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/net_passes.h"

#include <string.h>
#include <sys/stat.h>

#include "gen/base/near.h"
#include "gen/base/output.h"
#include "host/net/pass/pass.h"
#include "host/net/write/write.h"

static const struct place nowhere = {0};

static bool may_write(const char *path, bool force, struct diag *diag)
{
    struct stat info;
    if (force || !strcmp(path, "-") || stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    diag_error(diag, (struct place){.file = path}, "there is such a file; --force replaces it");
    return false;
}

bool net_save_bytes(const struct strbuf *bytes, const char *path, bool force, struct diag *diag)
{
    if (!may_write(path, force, diag))
        return false;
    if (sb_ok(bytes))
        return output_file(path, bytes, diag);
    diag_error(diag, (struct place){.file = path}, "out of memory");
    return false;
}

bool net_save(const struct net *net, const char *path, bool force, struct diag *diag)
{
    struct strbuf bytes = {0};
    net_write_onnx(net, &bytes);
    const bool ok = net_save_bytes(&bytes, path, force, diag);
    sb_free(&bytes);
    return ok;
}

/* ---- names --------------------------------------------------------------------------------------- */

static const struct pass *find(const char *name, size_t length, struct diag *diag)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0;
    struct strbuf all = {0}, word = {0};
    const struct pass *pass = pass_find(name, length);
    if (pass)
        return pass;
    for (const struct pass *p = passes; p->name && count < MOST; p++) {
        names[count++] = p->name;
        sb_addf(&all, "%s%s", count > 1 ? ", " : "", p->name);
    }
    sb_addn(&word, name, length);
    const char *near = near_word(sb_text(&word), names, count);
    diag_error(diag, nowhere, "there is no pass \"%.60s\"%s%s; there are %s", sb_text(&word),
               near ? "; is it " : "", near ? near : "", sb_text(&all));
    sb_free(&all);
    sb_free(&word);
    return NULL;
}

/* The next name of the list; false at its end. */
static bool next_name(const char **at, const char **name, size_t *length)
{
    if (!**at)
        return false;
    *name = *at;
    *length = strcspn(*at, ",");
    *at += *length + ((*at)[*length] == ',');
    return true;
}

static bool is_all(const struct net_passes_options *o)
{
    return !strcmp(o->list, "all");
}

static bool runs(const struct net_passes_options *o, const char *pass, size_t pass_length)
{
    const char *name;
    size_t length;
    for (const char *at = o->list; next_name(&at, &name, &length);)
        if (length == pass_length && !memcmp(name, pass, length))
            return true;
    return is_all(o);
}

bool net_passes_check(const struct net_passes_options *o, struct diag *diag)
{
    const size_t before = diag->errors;
    const char *name;
    size_t length;
    if (!o->list && o->dump_count)
        diag_error(diag, nowhere, "--dump-after goes with --passes");
    for (const char *at = o->list; at && !is_all(o) && next_name(&at, &name, &length);)
        find(name, length, diag);
    for (unsigned i = 0; o->list && i < o->dump_count; i++) {
        const size_t pass = strcspn(o->dumps[i], "=");
        if (!o->dumps[i][pass] || !o->dumps[i][pass + 1])
            diag_error(diag, nowhere, "--dump-after %.60s: give PASS=FILE", o->dumps[i]);
        else if (find(o->dumps[i], pass, diag) && !runs(o, o->dumps[i], pass))
            diag_error(diag, nowhere, "--dump-after %.60s: this pass does not run", o->dumps[i]);
    }
    return diag->errors == before;
}

/* ---- running ------------------------------------------------------------------------------------- */

static bool dump(const struct net *net, const struct net_passes_options *o, const struct pass *pass,
                 bool again, struct diag *diag)
{
    const size_t length = strlen(pass->name);
    bool ok = true;
    for (unsigned i = 0; i < o->dump_count; i++)
        if (!strncmp(o->dumps[i], pass->name, length) && o->dumps[i][length] == '=')
            ok = net_save(net, o->dumps[i] + length + 1, o->force || again, diag) && ok;
    return ok;
}

static void tell(const struct net_passes_options *o, const struct pass *pass, size_t changes, size_t before,
                 size_t after, struct strbuf *report)
{
    if (o->json) {
        sb_addf(report, "%s\n    {\"name\": \"%s\", \"changes\": %zu, \"nodes_before\": %zu, \"nodes\": %zu}",
                report->len ? "," : "", pass->name, changes, before, after);
        return;
    }
    sb_addf(report, "%-16s %zu change%s, %zu nodes", pass->name, changes, changes == 1 ? "" : "s", before);
    if (after != before)
        sb_addf(report, " become %zu", after);
    sb_add(report, "\n");
}

/* `again`: the pass has run before, so its file may be replaced. */
static bool perform(struct net *net, const struct net_passes_options *o, const struct pass *pass, bool again,
                    size_t *changes, struct strbuf *report, struct diag *diag)
{
    const size_t before = net->node_count;
    if (!pass_run(net, pass, changes, diag) || !dump(net, o, pass, again, diag))
        return false;
    if (!again || *changes)
        tell(o, pass, *changes, before, net->node_count, report);
    return true;
}

/* Each pass may uncover patterns of those before it. */
static bool perform_all(struct net *net, const struct net_passes_options *o, struct strbuf *report,
                        struct diag *diag)
{
    enum { ROUNDS_MOST = 16 };
    size_t changes = 1, all = 1;
    for (unsigned round = 0; all && round < ROUNDS_MOST; round++) {
        all = 0;
        for (const struct pass *p = passes; p->name; p++) {
            if (!perform(net, o, p, round > 0, &changes, report, diag))
                return false;
            all += changes;
        }
    }
    return true;
}

bool net_passes(struct net *net, const struct net_passes_options *o, struct strbuf *report, struct diag *diag)
{
    const char *name;
    size_t length, changes;
    if (!o->list)
        return true;
    if (is_all(o))
        return perform_all(net, o, report, diag);
    for (const char *at = o->list; next_name(&at, &name, &length);)
        if (!perform(net, o, pass_find(name, length), false, &changes, report, diag))
            return false;
    sb_add(report, "");
    return true;
}
