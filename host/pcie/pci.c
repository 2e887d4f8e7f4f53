/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pcie/pci.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/board/pcie_layout.h"

#define BIND "tulle-pci-bind bind "
#define IDS_MAX 16
#define CLASS_BRIDGE 0x06u

struct ids {
    unsigned vendor[IDS_MAX], device[IDS_MAX];
    size_t count;
};

/* ---- files of sysfs ---------------------------------------------------------------------------- */

static const char *root(const char *variable, const char *otherwise)
{
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

void pci_node_path(struct strbuf *path, const char *name)
{
    sb_addf(path, "%s/%s", root(PCI_DEV_VARIABLE, "/dev"), name);
}

/* Of a function, or, with a name of NULL, of all of them. */
static void place_of(struct strbuf *path, const char *address, const char *name)
{
    sb_addf(path, "%s/bus/pci/devices", root(PCI_SYSFS_VARIABLE, "/sys"));
    if (address)
        sb_addf(path, "/%s", address);
    if (name)
        sb_addf(path, "/%s", name);
}

/* The first line of a file. */
static bool read_line(const char *address, const char *name, char line[PCI_NAME_BYTES])
{
    struct strbuf path = {0};
    place_of(&path, address, name);
    FILE *f = sb_ok(&path) ? fopen(path.text, "r") : NULL;
    bool ok = f && fgets(line, PCI_NAME_BYTES, f);
    if (f)
        fclose(f);
    sb_free(&path);
    return ok;
}

/* A file of one number, 0x.... */
static bool read_number(const char *address, const char *name, unsigned *value)
{
    char line[PCI_NAME_BYTES], *end = line;
    unsigned long number = read_line(address, name, line) ? strtoul(line, &end, 16) : 0;
    *value = (unsigned)number;
    return end != line && number <= UINT32_MAX;
}

/* The last part of what a link leads to; "" when there is no such link. */
static void read_link(const char *address, const char *name, char to[PCI_NAME_BYTES])
{
    struct strbuf path = {0};
    char target[512];
    place_of(&path, address, name);
    ssize_t length = sb_ok(&path) ? readlink(path.text, target, sizeof target - 1) : -1;
    sb_free(&path);
    to[0] = 0;
    if (length <= 0)
        return;
    target[length] = 0;
    const char *last = strrchr(target, '/');
    const char *entry = last ? last + 1 : target;
    if (strlen(entry) < PCI_NAME_BYTES)
        memcpy(to, entry, strlen(entry) + 1);
}

/* Calls for each entry of a folder of the function until that says stop. */
static void each_entry(const char *address, const char *name, bool (*call)(void *context, const char *entry),
                       void *context)
{
    struct strbuf path = {0};
    struct dirent *entry;
    bool more = true;
    place_of(&path, address, name);
    DIR *folder = sb_ok(&path) ? opendir(path.text) : NULL;
    while (folder && more && (entry = readdir(folder)))
        more = entry->d_name[0] == '.' || call(context, entry->d_name);
    if (folder)
        closedir(folder);
    sb_free(&path);
}

/* ---- addresses and ids ------------------------------------------------------------------------- */

static bool fits(const char *text, const char *form)
{
    size_t i = 0;
    for (; form[i]; i++)
        if (form[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != form[i])
            return false;
    return !text[i];
}

bool pci_take_address(const char *text, char address[PCI_ADDRESS_BYTES])
{
    const bool brief = fits(text, "xx:xx.x");
    if (!brief && !fits(text, "xxxx:xx:xx.x"))
        return false;
    const size_t domain = brief ? 5 : 0;
    memcpy(address, "0000:", domain);
    for (size_t i = domain; i < PCI_ADDRESS_BYTES; i++)
        address[i] = (char)tolower((unsigned char)text[i - domain]);
    return true;
}

static bool take_ids(struct ids *ids, struct strbuf *why)
{
    const char *text = root(PCI_IDS_VARIABLE, "");
    *ids = (struct ids){.vendor = {PCIE_VENDOR_DEFAULT}, .device = {PCIE_DEVICE_DEFAULT}, .count = 1};
    while (*text && ids->count < IDS_MAX) {
        const size_t length = strcspn(text, ",");
        char id[10] = "";
        snprintf(id, sizeof id, "%.*s", (int)(length < sizeof id ? length : sizeof id - 1), text);
        if (length != 9 || !fits(id, "xxxx:xxxx"))
            break;
        ids->vendor[ids->count] = (unsigned)strtoul(id, NULL, 16);
        ids->device[ids->count++] = (unsigned)strtoul(id + 5, NULL, 16);
        text += length + (text[length] == ',');
    }
    if (*text)
        sb_addf(why,
                PCI_IDS_VARIABLE ": up to %d times VENDOR:DEVICE, four hexadecimal digits each, with commas",
                IDS_MAX - 1);
    return !*text;
}

static bool is_one_of(const struct ids *ids, unsigned vendor, unsigned device)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->vendor[i] == vendor && ids->device[i] == device)
            return true;
    return false;
}

static void add_ids(const struct ids *ids, struct strbuf *to)
{
    for (size_t i = 0; i < ids->count; i++)
        sb_addf(to, "%s%04x:%04x", i ? ", " : "", ids->vendor[i], ids->device[i]);
}

/* ---- finding ----------------------------------------------------------------------------------- */

struct search {
    struct ids ids;
    char (*found)[PCI_ADDRESS_BYTES];
    size_t count;
};

static bool note(void *context, const char *entry)
{
    struct search *s = context;
    unsigned vendor, device;
    if (pci_take_address(entry, s->found[s->count]) && read_number(entry, "vendor", &vendor) &&
        read_number(entry, "device", &device) && is_one_of(&s->ids, vendor, device))
        s->count++;
    return s->count < PCI_FOUND_MAX;
}

static int by_address(const void *a, const void *b)
{
    return strcmp(a, b);
}

bool pci_find(char found[PCI_FOUND_MAX][PCI_ADDRESS_BYTES], size_t *count, struct strbuf *why)
{
    struct search s = {.found = found};
    *count = 0;
    if (!take_ids(&s.ids, why))
        return false;
    each_entry(NULL, NULL, note, &s);
    qsort(found, s.count, PCI_ADDRESS_BYTES, by_address);
    *count = s.count;
    if (s.count)
        return true;
    sb_add(why, "no PCI function with id ");
    add_ids(&s.ids, why);
    sb_add(why, " is in ");
    place_of(why, NULL, NULL);
    sb_add(why, "; " PCI_IDS_VARIABLE "=VENDOR:DEVICE names others");
    return false;
}

/* ---- what is in the way ------------------------------------------------------------------------ */

static bool has_id(const struct pci_function *f, struct strbuf *why)
{
    struct ids ids;
    if (!take_ids(&ids, why))
        return false;
    if (is_one_of(&ids, f->vendor, f->device))
        return true;
    sb_addf(why, "it is %04x:%04x, none of ", f->vendor, f->device);
    add_ids(&ids, why);
    sb_addf(why, "; when it is Tulle's: " PCI_IDS_VARIABLE "=%04x:%04x", f->vendor, f->device);
    return false;
}

/* The kernel's mode without an IOMMU has a group, too, and lets the function reach all memory. */
static bool is_guarded(const char *address)
{
    char name[PCI_NAME_BYTES];
    return !read_line(address, "iommu_group/name", name) || strncmp(name, "vfio-noiommu", 12) != 0;
}

static bool has_group(const struct pci_function *f, struct strbuf *why)
{
    if (*f->group && is_guarded(f->address))
        return true;
    sb_add(
        why,
        "it is in no IOMMU group: switch the IOMMU on in the machine's firmware (VT-d, AMD-Vi) and for the "
        "kernel, for Intel by intel_iommu=on on its command line");
    return false;
}

static bool has_driver(const struct pci_function *f, struct strbuf *why)
{
    if (!strcmp(f->driver, "vfio-pci"))
        return true;
    if (*f->driver)
        sb_addf(why, "it is bound to the driver %s, not to vfio-pci", f->driver);
    else
        sb_add(why, "it is bound to no driver");
    sb_addf(why, "; as root: " BIND "%s", f->address);
    return false;
}

struct neighbours {
    const char *address;
    struct strbuf *why;
    size_t count;
};

/* The kernel leaves a group to a process only when no driver of its own works in it; bridges do not count. */
static bool note_neighbour(void *context, const char *entry)
{
    struct neighbours *n = context;
    char driver[PCI_NAME_BYTES];
    unsigned class = 0;
    read_link(entry, "driver", driver);
    if (!strcmp(entry, n->address) || !*driver || !strcmp(driver, "vfio-pci") ||
        !strcmp(driver, "pci-stub") || (read_number(entry, "class", &class) && class >> 16 == CLASS_BRIDGE))
        return true;
    sb_addf(n->why, "%s%s (%s)", n->count++ ? ", " : "others of its IOMMU group are at work: ", entry,
            driver);
    return true;
}

static bool has_viable_group(const struct pci_function *f, struct strbuf *why)
{
    struct neighbours n = {.address = f->address, .why = why};
    each_entry(f->address, "iommu_group/devices", note_neighbour, &n);
    if (n.count)
        sb_add(why, "; use another slot, or take each from its driver, as root: " BIND "--force ADDRESS");
    return !n.count;
}

static bool take_node(void *context, const char *entry)
{
    snprintf(context, PCI_NAME_BYTES, "%s", entry);
    return false;
}

static bool is_there(const struct pci_function *f, struct strbuf *why)
{
    struct strbuf path = {0};
    place_of(&path, f->address, NULL);
    bool ok = sb_ok(&path) && access(path.text, F_OK) == 0;
    if (!ok)
        sb_addf(why,
                "there is no such PCI function (%s); those of Tulle: tulle devices pcie:", sb_text(&path));
    sb_free(&path);
    return ok;
}

bool pci_look(const char *address, struct pci_function *f, struct strbuf *why)
{
    *f = (struct pci_function){.vendor = 0};
    snprintf(f->address, sizeof f->address, "%s", address);
    if (!is_there(f, why))
        return false;
    if (!read_number(address, "vendor", &f->vendor) || !read_number(address, "device", &f->device)) {
        sb_add(why, "its id cannot be read");
        return false;
    }
    read_link(address, "driver", f->driver);
    read_link(address, "iommu_group", f->group);
    each_entry(address, "vfio-dev", take_node, f->node);
    return has_id(f, why) && has_group(f, why) && has_driver(f, why) && has_viable_group(f, why);
}
