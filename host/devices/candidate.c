/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* mkdtemp, dladdr, realpath, scandir */
#include "host/devices/candidate.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gen/emit/emit.h"
#include "gen/emit/registers.h"
#include "gen/version.h"
#include "host/container/container.h"
#include "host/devices/kinds.h"
#include "host/pcie/pci.h"
#include "host/pcie/pcie.h"
#include "host/serial/serial.h"
#include "sim/board/memory.h"
#include "sim/board/registers.h"
#include "sim/board/settings.h"

#define PCIE "pcie:"

static bool reject(struct candidate *c, const char *what)
{
    snprintf(c->why, sizeof c->why, "%s", what);
    return false;
}

/* ---- opening ---------------------------------------------------------------------------------- */

static bool read_word(const struct candidate *c, const char *name, uint32_t *value)
{
    return c->api->read_register(c->board, register_offset(name), value) == BOARD_OK;
}

/* The registers must tell the variant that was asked for. */
static bool identify(struct candidate *c)
{
    uint32_t magic, low, high;
    if (!read_word(c, "magic", &magic) || !read_word(c, "isa_version", &c->isa) ||
        !read_word(c, "variant_low", &low) || !read_word(c, "variant_high", &high))
        return reject(c, c->api->error(c->board));
    const struct emit_context made_with = {.variant = &c->variant, .hash = c->hash};
    uint64_t hash = (uint64_t)high << 32 | low;
    if (magic != register_reset(register_at(register_offset("magic")), &made_with)) {
        snprintf(c->why, sizeof c->why, "not a Tulle device: its magic number is 0x%08x", magic);
        return false;
    }
    if (hash == c->hash)
        return true;
    snprintf(c->why, sizeof c->why, "the device tells variant %016llx, its description %s is %016llx",
             (unsigned long long)hash, c->variant.name, (unsigned long long)c->hash);
    return false;
}

static bool open_at(struct candidate *c, const char *place)
{
    c->board = c->api->open(place, c->setting, c->why, sizeof c->why);
    if (c->board && identify(c))
        return true;
    c->api->close(c->board);
    c->board = NULL;
    return false;
}

void candidate_close(struct candidate *c)
{
    if (c->board)
        c->api->close(c->board);
    c->board = NULL;
}

/* ---- what there is of each kind ------------------------------------------------------------------ */

static bool take_variant(struct candidate *c,
                         bool (*load)(const char *, const char *const *, size_t, struct variant *,
                                      struct diag *),
                         const char *from)
{
    const char *sets[CANDIDATE_SETTINGS_MAX];
    size_t count = 0;
    struct diag diag = {0};
    for (const char *const *s = c->setting; *s; s++)
        if (!strncmp(*s, "set=", 4))
            sets[count++] = *s + 4;
    bool ok = load(from, sets, count, &c->variant, &diag);
    if (!ok)
        (void)reject(c, sb_text(&diag.text));
    c->why[strcspn(c->why, "\n")] = 0;
    diag_free(&diag);
    c->hash = ok ? variant_hash(&c->variant, TULLE_ISA_VERSION) : 0;
    return ok;
}

/* The object stays loaded when the board is open, so that the folder may go. */
static bool open_unpacked(struct candidate *c, const struct container *container)
{
    const char *temporary = getenv("TMPDIR");
    struct strbuf folder = {0}, why = {0};
    sb_addf(&folder, "%s/tulle-XXXXXX", temporary && *temporary ? temporary : "/tmp");
    if (!sb_ok(&folder) || !mkdtemp(folder.text)) {
        snprintf(c->why, sizeof c->why, "%s: no folder can be made: %s", sb_text(&folder), strerror(errno));
        sb_free(&folder);
        return false;
    }
    bool ok = container_unpack(container, folder.text, &why);
    if (!ok)
        (void)reject(c, sb_text(&why));
    ok = ok && open_at(c, folder.text);
    container_remove(folder.text);
    sb_free(&folder);
    sb_free(&why);
    return ok;
}

static bool prepare_container(struct candidate *c)
{
    c->packed = true;
    struct strbuf bytes = {0}, why = {0};
    struct container container;
    bool ok = container_load(c->place, &bytes, &container, &why);
    if (!ok)
        (void)reject(c, sb_text(&why));
    else if (container.kind != CONTAINER_VERILATED)
        ok = reject(c, "the container has no simulated device in it");
    if (ok) {
        c->variant = container.variant;
        c->hash = container.hash;
        ok = open_unpacked(c, &container);
    }
    sb_free(&bytes);
    sb_free(&why);
    return ok;
}

bool candidate_open(struct candidate *c)
{
    return c->board || (c->packed ? prepare_container(c) : open_at(c, c->place));
}

static bool prepare_folder(struct candidate *c)
{
    struct strbuf path = {0};
    sb_addf(&path, "%s/variant.yaml", c->place);
    bool ok = sb_ok(&path) ? take_variant(c, variant_load_file, path.text) : reject(c, "out of memory");
    sb_free(&path);
    return ok && candidate_open(c);
}

/* Where boards are, seen from the folder of this library or command: in the build folder, and installed. */
static const char *const beside[] = {"../board", "../share/tulle/board"};

/* The file that this is part of. As a command found by PATH it is named without its folder: then it is what
 * the process is. NULL when it cannot be found; the caller frees it. */
static char *own_file(void)
{
    Dl_info self;
    if (!dladdr(beside, &self) || !self.dli_fname)
        return NULL;
    return realpath(strchr(self.dli_fname, '/') ? self.dli_fname : "/proc/self/exe", NULL);
}

/* The search path: of the environment, or what is beside the folder of this file. */
static void board_folders(struct strbuf *to)
{
    const char *path = getenv(CANDIDATE_BOARDS_VARIABLE);
    if (path) {
        sb_add(to, path);
        return;
    }
    char *file = own_file();
    if (!file)
        return;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        sb_add(to, i ? ":" : "");
        sb_addn(to, file, (size_t)(strrchr(file, '/') + 1 - file));
        sb_add(to, beside[i]);
    }
    free(file);
}

/* A container, or a folder with a device in it; what tulle-gen makes is often called as its variant, too. */
static bool is_here(const char *place)
{
    struct strbuf variant = {0};
    struct stat info;
    bool here = stat(place, &info) == 0;
    if (here && S_ISDIR(info.st_mode)) {
        sb_addf(&variant, "%s/variant.yaml", place);
        here = stat(sb_text(&variant), &info) == 0;
    }
    sb_free(&variant);
    return here;
}

/* The next folder of a search path, which `at` is behind then; false at the end. */
static bool next_folder(const char **at, struct strbuf *folder)
{
    folder->len = 0;
    if (!**at)
        return false;
    const size_t length = strcspn(*at, ":");
    sb_addn(folder, *at, length);
    *at += length + ((*at)[length] == ':');
    return true;
}

/* sim:NAME, where NAME is no device here: the first of that name in the search path. */
static void search_place(struct candidate *c)
{
    struct strbuf folders = {0}, path = {0};
    struct stat info;
    board_folders(&folders);
    for (const char *at = sb_text(&folders); next_folder(&at, &path);) {
        sb_addf(&path, "/%s", c->place);
        if (sb_ok(&path) && stat(path.text, &info) == 0) {
            c->found = path.text;
            c->place = c->found;
            sb_free(&folders);
            return;
        }
    }
    sb_free(&folders);
    sb_free(&path);
}

static bool prepare_sim(struct candidate *c)
{
    struct stat info;
    if (*c->place && !strchr(c->place, '/') && !is_here(c->place))
        search_place(c);
    if (!*c->place)
        return reject(c, "which? sim:FOLDER or sim:CONTAINER");
    if (stat(c->place, &info) != 0) {
        snprintf(
            c->why, sizeof c->why,
            "%s: %s; sim/board/build makes a folder, tulle pack a container, and " CANDIDATE_BOARDS_VARIABLE
            " says where names are looked for",
            c->place, strerror(errno));
        return false;
    }
    return S_ISDIR(info.st_mode) ? prepare_folder(c) : prepare_container(c);
}

/* ---- what is asked for its variant ---------------------------------------------------------------- */

/* It tells the hash of its variant: the rest must be known here, by the setting variant, or as a named one.
 */
static bool variant_of_hash(struct candidate *c, uint64_t hash)
{
    const char *name;
    for (size_t i = 0; (name = variant_named(i)); i++) {
        c->why[0] = 0;
        if (!take_variant(c, variant_load, name) || c->hash == hash)
            return !*c->why;
    }
    snprintf(c->why, sizeof c->why,
             "the device tells variant %016llx, which is no named one: say which with variant=FILE",
             (unsigned long long)hash);
    return false;
}

static bool ask_device(struct candidate *c, uint64_t *hash)
{
    uint32_t low, high;
    c->board = c->api->open(c->place, c->setting, c->why, sizeof c->why);
    if (!c->board)
        return false;
    bool ok = read_word(c, "variant_low", &low) && read_word(c, "variant_high", &high);
    if (ok) {
        *hash = (uint64_t)high << 32 | low;
        c->memory = c->api == &board_pcie ? pcie_memory(c->board) : serial_memory(c->board);
    } else {
        (void)reject(c, c->api->error(c->board));
    }
    candidate_close(c);
    return ok;
}

/* It is let go again until it is used: it serves one process at a time. */
static bool prepare_asked(struct candidate *c)
{
    uint64_t hash;
    const char *variant = NULL;
    for (const char *const *s = c->setting; *s; s++)
        variant = strncmp(*s, "variant=", 8) ? variant : *s + 8;
    if (!ask_device(c, &hash))
        return false;
    return variant ? take_variant(c, variant_load, variant) : variant_of_hash(c, hash);
}

static bool prepare(struct candidate *c)
{
    if (!c->api)
        return reject(c, "there is no such kind of device: model:VARIANT, sim:FOLDER, sim:CONTAINER, "
                         "pcie:SOCKET, pcie:ADDRESS or serial:LINE");
    if (c->api == &board_sim)
        return prepare_sim(c);
    if (c->api == &board_pcie || c->api == &board_serial)
        return prepare_asked(c);
    return take_variant(c, variant_load, *c->place ? c->place : "base");
}

/* ---- the list --------------------------------------------------------------------------------- */

static bool take_memory(struct candidate *c)
{
    c->memory = MEMORY_BYTES_DEFAULT;
    for (const char *const *s = c->setting; *s; s++)
        if (!strncmp(*s, "memory=", 7) && (!settings_number(*s + 7, &c->memory) ||
                                           c->memory < MEMORY_BYTES_MIN || c->memory > MEMORY_BYTES_MAX))
            return reject(c, "memory: a number of bytes, 4K..1024G");
    return true;
}

/* Cuts "kind:place;name=value;..." up. */
static bool take_settings(struct candidate *c)
{
    size_t count = 0;
    char *at = strchr(c->text, ';');
    while (at) {
        *at++ = 0;
        if (count == CANDIDATE_SETTINGS_MAX)
            return reject(c, "more settings than there can be");
        if (*at)
            c->setting[count++] = at;
        at = strchr(at, ';');
    }
    return true;
}

/* False when out of memory. */
static bool add_text(struct candidates *found, const char *text, size_t length)
{
    struct candidate *c = &found->item[found->count];
    if (!length)
        return true;
    c->text = calloc(1, length + 1);
    if (!c->text)
        return false;
    memcpy(c->text, text, length);
    found->count++;
    if (!take_settings(c) || !take_memory(c))
        return true;
    c->place = "";
    c->api = board_find(board_kinds, c->text, &c->place);
    if (!prepare(c) && !*c->why)
        (void)reject(c, "it cannot be opened");
    return true;
}

/* "pcie:" without a place: every PCI function that may be Tulle's, each with the settings. */
static bool add_functions(struct candidates *found, const char *settings, size_t length)
{
    char address[PCI_FOUND_MAX][PCI_ADDRESS_BYTES];
    struct strbuf why = {0};
    size_t count;
    bool ok = pci_find(address, &count, &why);
    sb_free(&why);
    if (!ok) /* the board finds none either, and says so */
        return add_text(found, PCIE, sizeof PCIE - 1);
    for (size_t i = 0; i < count && found->count < CANDIDATES_MAX; i++) {
        struct strbuf text = {0};
        sb_addf(&text, PCIE "%s", address[i]);
        sb_addn(&text, settings, length);
        ok = ok && sb_ok(&text) && add_text(found, text.text, text.len);
        sb_free(&text);
    }
    return ok;
}

static bool add(struct candidates *found, const char *text, size_t length)
{
    const size_t place = sizeof PCIE - 1;
    const bool search =
        length >= place && !strncmp(text, PCIE, place) && (length == place || text[place] == ';');
    return search ? add_functions(found, text + place, length - place) : add_text(found, text, length);
}

static bool add_list(struct candidates *found, const char *list)
{
    while (*list && found->count < CANDIDATES_MAX) {
        size_t length = strcspn(list, ",");
        if (!add(found, list, length))
            return false;
        list += length + (list[length] == ',');
    }
    return true;
}

static bool add_named(struct candidates *found)
{
    const char *name;
    for (size_t i = 0; (name = variant_named(i)) && found->count < CANDIDATES_MAX; i++) {
        char text[sizeof "model:" + VARIANT_NAME_MAX];
        int length = snprintf(text, sizeof text, "model:%s", name);
        if (!add(found, text, (size_t)length))
            return false;
    }
    return true;
}

bool candidates_find(const char *list, struct candidates *found)
{
    *found = (struct candidates){.item = calloc(CANDIDATES_MAX, sizeof *found->item)};
    if (found->item && (list ? add_list(found, list) : add_named(found)))
        return true;
    candidates_free(found);
    return false;
}

static bool has_text(const struct candidates *found, const char *text)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->item[i].text, text))
            return true;
    return false;
}

/* The devices of a folder, in the order of their names. */
static bool add_simulated(struct candidates *found, const char *folder)
{
    struct dirent **name = NULL;
    const int count = scandir(folder, &name, NULL, alphasort);
    bool ok = true;
    for (int i = 0; i < count; i++) {
        struct strbuf place = {0}, text = {0};
        sb_addf(&place, "%s/%s", folder, name[i]->d_name);
        sb_addf(&text, "sim:%s", name[i]->d_name);
        ok = ok && sb_ok(&place) && sb_ok(&text);
        if (ok && *name[i]->d_name != '.' && is_here(place.text) && !has_text(found, text.text) &&
            found->count < CANDIDATES_MAX)
            ok = add_text(found, text.text, text.len);
        sb_free(&place);
        sb_free(&text);
        free(name[i]);
    }
    free(name);
    return ok;
}

bool candidates_find_all(struct candidates *found)
{
    struct strbuf folders = {0}, folder = {0};
    bool ok = candidates_find(NULL, found);
    board_folders(&folders);
    for (const char *at = sb_text(&folders); ok && next_folder(&at, &folder);)
        ok = sb_ok(&folder) && add_simulated(found, sb_text(&folder));
    sb_free(&folders);
    sb_free(&folder);
    if (!ok)
        candidates_free(found);
    return ok;
}

void candidates_free(struct candidates *found)
{
    for (size_t i = 0; i < found->count; i++) {
        candidate_close(&found->item[i]);
        free(found->item[i].text);
        free(found->item[i].found);
    }
    free(found->item);
    *found = (struct candidates){0};
}
