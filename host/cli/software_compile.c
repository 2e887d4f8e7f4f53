/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/software_compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gen/base/output.h"

extern char **environ;

enum { COMMAND_NOT_FOUND = 127 }; /* as a shell says it */

static const char *compiler(void)
{
    const char *given = getenv("CC");
    return given && *given ? given : "cc";
}

/* False: there is none. */
static bool run_compiler(const char *source, const char *object, bool *compiled)
{
    char *words[] = {(char *)compiler(), "-std=c11",     "-O2", "-shared", "-fPIC", "-o",
                     (char *)object,     (char *)source, NULL};
    pid_t child;
    int status;
    if (posix_spawnp(&child, words[0], NULL, NULL, words, environ))
        return false;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    *compiled = WIFEXITED(status) && !WEXITSTATUS(status);
    return *compiled || !WIFEXITED(status) || WEXITSTATUS(status) != COMMAND_NOT_FOUND;
}

bool software_compile(struct c_model *model, struct software_object *v, struct diag *diag)
{
    struct strbuf source = {0}, header = {0}, path = {0}, object = {0};
    bool ok = c_model_write(model, &source, &header);
    if (!ok)
        diag_no_memory(diag, model->name);
    strcpy(v->folder, "/tmp/tulle-verify-XXXXXX");
    ok = ok && (mkdtemp(v->folder) || diag_fail(diag, v->folder, "%s", strerror(errno)));
    sb_addf(&path, "%s/model.h", v->folder);
    ok = ok && output_file(sb_text(&path), &header, diag);
    path.len = 0;
    sb_addf(&path, "%s/model.c", v->folder);
    sb_addf(&object, "%s/model.so", v->folder);
    ok = ok && output_file(sb_text(&path), &source, diag);
    bool compiled = false;
    const bool there = ok && run_compiler(sb_text(&path), sb_text(&object), &compiled);
    if (there && !compiled)
        ok = diag_fail(diag, model->name, "the compiler %s does not take the C", compiler());
    else if (there) {
        v->handle = dlopen(sb_text(&object), RTLD_NOW | RTLD_LOCAL);
        void *function = v->handle ? dlsym(v->handle, "model_trace") : NULL;
        memcpy(&v->trace, &function, sizeof function);
        ok = v->trace || diag_fail(diag, sb_text(&object), "it cannot be loaded");
    } else if (ok)
        fprintf(stderr, "there is no compiler %s: the C is left out\n", compiler());
    sb_free(&source);
    sb_free(&header);
    sb_free(&path);
    sb_free(&object);
    return ok;
}

void software_object_free(struct software_object *object)
{
    static const char *const names[] = {"model.c", "model.h", "model.so"};
    char path[sizeof object->folder + 16];
    if (object->handle)
        dlclose(object->handle);
    for (size_t i = 0; *object->folder && i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", object->folder, names[i]);
        unlink(path);
    }
    if (*object->folder)
        rmdir(object->folder);
}
