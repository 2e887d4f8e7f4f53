/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/devices/candidate.h"
#include "sim/board/settings.h"

/* ocl-icd takes a driver by the first, the Khronos loader by the second, each without heeding the other. */
#define LOADER_VARIABLE "OCL_ICD_VENDORS"
#define KHRONOS_VARIABLE "OCL_ICD_FILENAMES"
#define TIMEOUT_VARIABLE "TULLE_TIMEOUT_MS"
#define DRIVER "/lib/libtulle-icd.so"
#define GRACE_SECONDS 10
#define PATH_BYTES 4096

static bool fail(struct diag *diag, const char *spec, const char *what)
{
    diag_error(diag, (struct place){0}, "--device %s: %s", spec, what);
    return false;
}

static bool is_ours(const char *spec)
{
    static const char *const kinds[] = {"model:", "sim:", "pcie:", "serial:"};
    for (size_t i = 0; spec && i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(spec, kinds[i], strlen(kinds[i])))
            return true;
    return false;
}

/* PREFIX/lib/libtulle-icd.so of a command PREFIX/bin/tulle. */
static bool find_driver(struct strbuf *path)
{
    char self[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return false;
    self[length] = 0;
    for (unsigned level = 0; level < 2; level++) {
        char *slash = strrchr(self, '/');
        if (!slash)
            return false;
        *slash = 0;
    }
    sb_addf(path, "%s" DRIVER, self);
    return sb_ok(path) && access(sb_text(path), R_OK) == 0;
}

static void show_driver(void)
{
    struct strbuf path = {0};
    if (!getenv(LOADER_VARIABLE) && find_driver(&path)) { /* what is set already stays */
        (void)setenv(LOADER_VARIABLE, sb_text(&path), 0);
        (void)setenv(KHRONOS_VARIABLE, sb_text(&path), 0);
    }
    sb_free(&path);
}

/* Whether the list names it: with the same settings, or with any when `spec` has none. */
static bool is_listed(const char *list, const char *spec)
{
    const size_t length = strlen(spec);
    const char *ends = strchr(spec, ';') ? "," : ",;";
    for (const char *at = list; at && *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ends) == length && !strncmp(at, spec, length))
            return true;
    return false;
}

/* The driver takes a job off the device after a minute, unless it is told otherwise. It gets more than the
 * user gives, who is to be told which of the two it was. */
static void allow(unsigned seconds)
{
    char text[sizeof "4294967295000"];
    snprintf(text, sizeof text, "%llu", (seconds + GRACE_SECONDS) * 1000ull);
    (void)setenv(TIMEOUT_VARIABLE, text, 0);
}

/* The name that libtulle opens; empty: the first device. */
static bool prepare(const char *spec, unsigned seconds, struct strbuf *name, struct diag *diag)
{
    const bool ours = is_ours(spec);
    if (!spec || ours)
        show_driver();
    allow(seconds);
    if (!spec || !ours) {
        sb_add(name, spec ? spec : "");
        return sb_ok(name);
    }
    if (strchr(spec, ','))
        return fail(diag, spec, "one device at a time, so no comma");
    if (!is_listed(getenv(CANDIDATES_VARIABLE), spec) && setenv(CANDIDATES_VARIABLE, spec, 1) != 0)
        return fail(diag, spec, "out of memory");
    sb_addn(name, spec, strcspn(spec, ";"));
    return sb_ok(name);
}

/* Reports why the device cannot be used, if the driver knows the reason; otherwise returns false. */
static bool explain(const char *spec, struct diag *diag)
{
    static const char prefix[] = "error: ";
    struct candidates found;
    bool any = false;
    if (!is_ours(spec) || !candidates_find(spec, &found))
        return false;
    for (size_t i = 0; i < found.count; i++) {
        const char *why = found.item[i].why;
        if (!*why && candidate_open(&found.item[i]))
            continue;
        any = true;
        (void)fail(diag, spec, !strncmp(why, prefix, sizeof prefix - 1) ? why + sizeof prefix - 1 : why);
    }
    candidates_free(&found);
    return any;
}

bool place_done(const char *spec, enum tulle_status status, struct diag *diag)
{
    struct strbuf message = {0};
    if (status == TULLE_OK)
        return true;
    sb_add(&message, *tulle_message() ? tulle_message() : tulle_status_text(status));
    if ((status != TULLE_NO_DEVICE && status != TULLE_DEVICE_LOST) || !explain(spec, diag))
        diag_error(diag, (struct place){0}, "%s", sb_text(&message));
    sb_free(&message);
    return false;
}

/* Cycles in which the memory of the device moves a beat, as its setting `bandwidth` says; 0: nothing says it.
 */
static unsigned beat_cycles_of(const char *spec)
{
    static const char name[] = "bandwidth=";
    const char *at = spec && is_ours(spec) ? strchr(spec, ';') : NULL;
    unsigned beats, cycles;
    for (; at; at = strchr(at + 1, ';')) {
        if (strncmp(at + 1, name, sizeof name - 1) != 0)
            continue;
        char value[24] = "";
        strncpy(value, at + sizeof name, sizeof value - 1);
        value[strcspn(value, ";,")] = 0;
        return settings_bandwidth(value, &beats, &cycles) ? (cycles + beats - 1) / beats : 0;
    }
    return 0;
}

bool place_open(const char *spec, const char *container, unsigned seconds, struct tulle_device **device,
                struct diag *diag)
{
    const struct tulle_device_options options = {
        .size = sizeof options, .container = container, .beat_cycles = beat_cycles_of(spec)};
    struct strbuf name = {0};
    const bool ok =
        prepare(spec, seconds, &name, diag) &&
        place_done(spec, tulle_device_open(name.len ? sb_text(&name) : NULL, &options, device), diag);
    sb_free(&name);
    return ok;
}

bool place_open_all(const char *const *specs, unsigned count, unsigned seconds, struct tulle_device **devices,
                    struct diag *diag)
{
    struct strbuf list = {0};
    bool ok = true;
    for (unsigned i = 0; ok && i < count; i++) {
        if (!is_ours(specs[i]) || strchr(specs[i], ','))
            ok = fail(diag, specs[i],
                      "several devices are given one by one, as model:, sim:, pcie: or serial: with a name");
        sb_addf(&list, "%s%s", i ? "," : "", specs[i]);
    }
    show_driver();
    allow(seconds);
    if (ok && (!sb_ok(&list) || setenv(CANDIDATES_VARIABLE, sb_text(&list), 1) != 0))
        ok = fail(diag, specs[0], "out of memory");
    for (unsigned i = 0; ok && i < count; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        const struct tulle_device_options options = {.size = sizeof options,
                                                     .beat_cycles = beat_cycles_of(specs[i])};
        ok = place_done(specs[i], tulle_device_open(number, &options, &devices[i]), diag);
    }
    sb_free(&list);
    return ok;
}
