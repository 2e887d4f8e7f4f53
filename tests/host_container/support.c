/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <criterion/criterion.h>
#include <elf.h>
#include <string.h>

#if defined __x86_64__
#define MACHINE EM_X86_64
#elif defined __aarch64__
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

static const Elf64_Ehdr object = {
    .e_ident = {0x7F, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_type = ET_DYN, .e_machine = MACHINE};

struct container some_container(enum container_kind kind)
{
    struct container c = {.kind = kind,
                          .board = "some-board",
                          .transport = "sim",
                          .tool = {{"maker", "5.6"}, {"another", "3.4+5_6"}},
                          .tools = 2};
    struct diag diag = {0};
    cr_assert(variant_load_named("tiny", NULL, 0, &c.variant, &diag));
    if (kind == CONTAINER_MODEL)
        strcpy(c.transport, "model");
    if (kind == CONTAINER_MODEL)
        return c;
    c.payload = (const uint8_t *)&object;
    c.payload_bytes = sizeof object;
    return c;
}

struct strbuf written(const struct container *container)
{
    struct strbuf bytes = {0}, why = {0};
    cr_assert(container_write(container, &bytes, &why), "%s", sb_text(&why));
    return bytes;
}

static void put(uint8_t *at, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

struct strbuf forged(const char *manifest, const void *payload, size_t bytes)
{
    uint8_t header[64] = "TULLEPAK";
    struct sha256 sha;
    struct strbuf all = {0};
    put(header + 8, 4, 1);
    put(header + 12, 4, strlen(manifest));
    put(header + 16, 8, bytes);
    sha256_begin(&sha);
    sha256_add(&sha, header, 32);
    sha256_add(&sha, manifest, strlen(manifest));
    sha256_end(&sha, header + 32);
    sb_addn(&all, (const char *)header, sizeof header);
    sb_add(&all, manifest);
    if (bytes)
        sb_addn(&all, payload, bytes);
    return all;
}

struct strbuf changed(enum container_kind kind, const char *from, const char *to)
{
    struct container c = some_container(kind);
    struct strbuf manifest = {0}, why = {0}, text = {0};
    cr_assert(container_manifest(&c, &manifest, &why));
    const char *at = strstr(sb_text(&manifest), from);
    cr_assert(at && !strstr(at + 1, from), "%s is there once", from);
    sb_addn(&text, manifest.text, (size_t)(at - manifest.text));
    sb_add(&text, to);
    sb_add(&text, at + strlen(from));
    struct strbuf bytes = forged(sb_text(&text), c.payload, c.payload_bytes);
    sb_free(&manifest);
    sb_free(&text);
    return bytes;
}

void refused(const struct strbuf *bytes, const char *word)
{
    struct strbuf why = {0};
    struct container c;
    cr_assert_not(container_read(bytes->text, bytes->len, &c, &why), "%s", word);
    cr_assert(strstr(sb_text(&why), word), "wanted %s, got: %s", word, sb_text(&why));
    sb_free(&why);
}
