/* SPDX-License-Identifier: Apache-2.0 */
#include "host/container/container.h"

#include <elf.h>
#include <string.h>

#include "gen/base/input.h"
#include "gen/version.h"
#include "host/container/manifest.h"

/* The header: little-endian words at these offsets, the magic before them. */
enum {
    AT_FORMAT = 8,
    AT_MANIFEST = 12, /* bytes of the manifest, which follows the header */
    AT_PAYLOAD = 16,  /* 64 bits: bytes of the payload, which follows the manifest and ends the file */
    AT_RESERVED = 24, /* 64 bits, 0 */
    AT_CHECKSUM = 32  /* SHA-256 of the header before it and of the manifest */
};

static uint64_t number_at(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

static void put_number(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static bool refuse(struct strbuf *why, const char *what)
{
    sb_add(why, what);
    return false;
}

/* ---- the payload ------------------------------------------------------------------------------ */

#if defined __x86_64__
#define HOST_MACHINE EM_X86_64
#elif defined __aarch64__
#define HOST_MACHINE EM_AARCH64
#elif defined __riscv
#define HOST_MACHINE EM_RISCV
#else
#define HOST_MACHINE EM_NONE
#endif

/* A shared object for machines like this one. */
static bool is_shared_object(const uint8_t *bytes, size_t size)
{
    Elf64_Ehdr header;
    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_DYN &&
           (HOST_MACHINE == EM_NONE || header.e_machine == HOST_MACHINE);
}

/* What a kind's payload and words must be, beside whole. */
static bool check_kind(const struct container *c, struct strbuf *why)
{
    bool model = c->kind == CONTAINER_MODEL, verilated = c->kind == CONTAINER_VERILATED;
    const char *transport = model ? "model" : "sim";
    if ((model || verilated) && strcmp(c->transport, transport) != 0) {
        sb_addf(why, "manifest: kind %s goes with transport %s, not %s", container_kind_name(c->kind),
                transport, c->transport);
        return false;
    }
    if (model && c->payload_bytes)
        return refuse(why, "a container of kind model has no payload, this one does");
    if (!model && !c->payload_bytes)
        return refuse(why, "the payload is empty");
    if (verilated && !is_shared_object(c->payload, c->payload_bytes))
        return refuse(why, "the payload is not a shared object for this machine");
    return true;
}

static bool check_payload(const struct container *c, struct strbuf *why)
{
    uint8_t digest[SHA256_BYTES];
    sha256_of(c->payload, c->payload_bytes, digest);
    if (memcmp(digest, c->sha256, sizeof digest) != 0)
        return refuse(why, "the payload's checksum is wrong: the file is damaged");
    return check_kind(c, why);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of the header and the manifest. */
static void checksum(const uint8_t *header, const void *manifest, size_t bytes, uint8_t digest[SHA256_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, header, AT_CHECKSUM);
    sha256_add(&sha, manifest, bytes);
    sha256_end(&sha, digest);
}

static bool check_lengths(const uint8_t *at, size_t size, struct strbuf *why)
{
    uint64_t manifest = number_at(at + AT_MANIFEST, 4), payload = number_at(at + AT_PAYLOAD, 8);
    if (!manifest || manifest > CONTAINER_MANIFEST_MAX || payload > CONTAINER_PAYLOAD_MAX)
        return refuse(why, "the header's lengths are out of range: the file is damaged");
    uint64_t right = CONTAINER_HEADER_BYTES + manifest + payload;
    if (right == size)
        return true;
    sb_addf(why, "%s: the header tells of %llu bytes, there are %llu",
            size < right ? "truncated" : "overlong", (unsigned long long)right, (unsigned long long)size);
    return false;
}

static bool check_header(const uint8_t *at, size_t size, struct strbuf *why)
{
    if (size < sizeof CONTAINER_MAGIC - 1 || memcmp(at, CONTAINER_MAGIC, sizeof CONTAINER_MAGIC - 1) != 0)
        return refuse(why, "not a container: it does not begin with " CONTAINER_MAGIC);
    if (size < CONTAINER_HEADER_BYTES)
        return refuse(why, "truncated: shorter than a header");
    uint64_t format = number_at(at + AT_FORMAT, 4);
    if (format != CONTAINER_FORMAT) {
        sb_addf(why, "format %llu, this is a reader of format %d", (unsigned long long)format,
                CONTAINER_FORMAT);
        return false;
    }
    if (number_at(at + AT_RESERVED, 8))
        return refuse(why, "reserved bytes of the header are not 0");
    return check_lengths(at, size, why);
}

static bool check_isa(const struct container *c, struct strbuf *why)
{
    if (!strcmp(c->isa, TULLE_ISA_VERSION))
        return true;
    sb_addf(why, "made for instruction set %s, this is " TULLE_ISA_VERSION, c->isa);
    return false;
}

bool container_read(const void *bytes, size_t size, struct container *c, struct strbuf *why)
{
    const uint8_t *at = bytes, *manifest = at + CONTAINER_HEADER_BYTES;
    uint8_t digest[SHA256_BYTES];
    *c = (struct container){.kind = CONTAINER_MODEL};
    if (!bytes || !check_header(at, size, why))
        return bytes ? false : refuse(why, "there are no bytes");
    size_t length = (size_t)number_at(at + AT_MANIFEST, 4);
    checksum(at, manifest, length, digest);
    if (memcmp(digest, at + AT_CHECKSUM, sizeof digest) != 0)
        return refuse(why, "the checksum of header and manifest is wrong: the file is damaged");
    if (!manifest_read((const char *)manifest, length, c, why) || !check_isa(c, why))
        return false;
    if (c->payload_bytes != number_at(at + AT_PAYLOAD, 8))
        return refuse(why, "header and manifest disagree on the payload's length");
    c->payload = manifest + length;
    return check_payload(c, why);
}

bool container_load(const char *path, struct strbuf *bytes, struct container *c, struct strbuf *why)
{
    struct diag diag = {0};
    struct strbuf reason = {0};
    size_t limit = CONTAINER_HEADER_BYTES + CONTAINER_MANIFEST_MAX + CONTAINER_PAYLOAD_MAX;
    bool ok = input_read(path, limit, bytes, &diag);
    if (!ok)
        sb_addn(why, sb_text(&diag.text), strcspn(sb_text(&diag.text), "\n"));
    else if (!(ok = container_read(sb_text(bytes), bytes->len, c, &reason)))
        sb_addf(why, "%s: %s", path, sb_text(&reason));
    sb_free(&reason);
    diag_free(&diag);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* With what is worked out. */
static struct container completed(const struct container *given)
{
    struct container c = *given;
    (void)container_word_set(c.isa, TULLE_ISA_VERSION);
    c.hash = variant_hash(&c.variant, c.isa);
    sha256_of(c.payload, c.payload_bytes, c.sha256);
    return c;
}

bool container_manifest(const struct container *given, struct strbuf *to, struct strbuf *why)
{
    struct container c = completed(given);
    return manifest_write(&c, to, why);
}

bool container_write(const struct container *given, struct strbuf *to, struct strbuf *why)
{
    uint8_t header[CONTAINER_HEADER_BYTES] = {0};
    struct container again;
    struct strbuf manifest = {0};
    size_t before = to->len;
    bool ok = container_manifest(given, &manifest, why);
    if (ok) {
        memcpy(header, CONTAINER_MAGIC, sizeof CONTAINER_MAGIC - 1);
        put_number(header + AT_FORMAT, 4, CONTAINER_FORMAT);
        put_number(header + AT_MANIFEST, 4, manifest.len);
        put_number(header + AT_PAYLOAD, 8, given->payload_bytes);
        checksum(header, manifest.text, manifest.len, header + AT_CHECKSUM);
        sb_addn(to, (const char *)header, sizeof header);
        sb_addn(to, manifest.text, manifest.len);
        if (given->payload_bytes)
            sb_addn(to, (const char *)given->payload, given->payload_bytes);
        ok = sb_ok(to) || refuse(why, "out of memory");
    }
    sb_free(&manifest);
    return ok && container_read(to->text + before, to->len - before, &again, why);
}

/* ---- devices --------------------------------------------------------------------------------- */

bool container_fits(const struct container *c, const struct container_device *device, struct strbuf *why)
{
    unsigned major = device->isa >> 8 & 0xFF, minor = device->isa & 0xFF;
    container_word isa;
    snprintf(isa, sizeof isa, "%u.%u", major, minor);
    if (c->hash == device->hash && !strcmp(c->isa, isa) && !strcmp(c->transport, device->transport))
        return true;
    sb_addf(why,
            "the container is for variant %s (hash %016llx, instruction set %s, transport %s), the device "
            "%s has hash %016llx, instruction set %s, transport %s",
            c->variant.name, (unsigned long long)c->hash, c->isa, c->transport, device->name,
            (unsigned long long)device->hash, isa, device->transport);
    return false;
}
