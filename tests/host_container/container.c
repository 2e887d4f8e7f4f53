/* SPDX-License-Identifier: Apache-2.0
 *
 * Containers: what is written is read again; what is truncated, damaged or
 * forged is refused with the reason.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "gen/version.h"
#include "support.h"

Test(container, what_is_written_is_read)
{
    for (unsigned kind = 0; kind < CONTAINER_KINDS; kind++) {
        struct container c = some_container((enum container_kind)kind), r;
        struct strbuf bytes = written(&c), again = written(&c), why = {0};
        cr_assert(bytes.len == again.len && !memcmp(bytes.text, again.text, bytes.len), "the same bytes");
        cr_assert(container_read(bytes.text, bytes.len, &r, &why), "%s", sb_text(&why));
        cr_assert_eq(r.kind, kind);
        cr_assert_eq(container_kind_named(container_kind_name(r.kind)), r.kind);
        cr_assert_eq(r.hash, variant_hash(&c.variant, TULLE_ISA_VERSION));
        cr_assert_eq(variant_hash(&r.variant, TULLE_ISA_VERSION), r.hash);
        cr_assert_str_eq(r.isa, TULLE_ISA_VERSION);
        cr_assert_str_eq(r.board, c.board);
        cr_assert_str_eq(r.transport, c.transport);
        cr_assert_eq(r.tools, 2);
        cr_assert_str_eq(r.tool[1].name, "another");
        cr_assert_str_eq(r.tool[1].version, "3.4+5_6");
        cr_assert_eq(r.payload_bytes, c.payload_bytes);
        cr_assert(!r.payload_bytes || !memcmp(r.payload, c.payload, r.payload_bytes));
        sb_free(&bytes);
        sb_free(&again);
    }
}

Test(container, every_named_and_many_random_variants_go_through)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct container c = some_container(CONTAINER_MODEL), r;
        struct diag diag = {0};
        struct strbuf why = {0};
        const char *name = seed < 4 ? variant_named(seed) : NULL;
        if (name)
            cr_assert(variant_load_named(name, NULL, 0, &c.variant, &diag));
        else
            variant_random(seed, &c.variant);
        struct strbuf bytes = written(&c);
        cr_assert(container_read(bytes.text, bytes.len, &r, &why), "%s", sb_text(&why));
        cr_assert_eq(r.hash, variant_hash(&c.variant, TULLE_ISA_VERSION));
        sb_free(&bytes);
    }
}

/* In a room of exactly that size, so that a sanitizer sees a byte too many. */
static bool read_exactly(const char *bytes, size_t size)
{
    struct container c;
    struct strbuf why = {0};
    char *copy = malloc(size ? size : 1);
    cr_assert(copy);
    memcpy(copy, bytes, size);
    bool ok = container_read(copy, size, &c, &why);
    cr_assert(ok || *sb_text(&why), "a refusal has a reason");
    sb_free(&why);
    free(copy);
    return ok;
}

Test(container, truncated_at_every_byte, .timeout = 120)
{
    struct container c = some_container(CONTAINER_VERILATED);
    struct strbuf bytes = written(&c);
    for (size_t size = 0; size < bytes.len; size++)
        cr_assert_not(read_exactly(bytes.text, size), "%zu of %zu bytes", size, bytes.len);
    cr_assert(read_exactly(bytes.text, bytes.len));
    sb_addn(&bytes, "\n", 1);
    refused(&bytes, "overlong");
    bytes.len -= 2;
    refused(&bytes, "truncated");
    bytes.len = 63;
    refused(&bytes, "truncated");
    sb_free(&bytes);
}

Test(container, every_flipped_bit_is_found, .timeout = 120)
{
    struct container c = some_container(CONTAINER_VERILATED);
    struct strbuf bytes = written(&c);
    for (size_t bit = 0; bit < 8 * bytes.len; bit++) {
        bytes.text[bit / 8] ^= (char)(1 << bit % 8);
        cr_assert_not(read_exactly(bytes.text, bytes.len), "bit %zu of byte %zu", bit % 8, bit / 8);
        bytes.text[bit / 8] ^= (char)(1 << bit % 8);
    }
    cr_assert(read_exactly(bytes.text, bytes.len));
    sb_free(&bytes);
}

/* Manifests with right checksums that are not what this format has. */
Test(container, forged_manifests_are_refused)
{
    static const struct {
        const char *from, *to, *word;
    } cases[] = {
        {"\"kind\": \"verilated\"", "\"kind\": \"other\"", "kind"},
        {"\"kind\": \"verilated\"", "\"kind\": 1", "kind"},
        {"\"kind\": \"verilated\"", "\"kind\": \"model\"", "transport"},
        {"\"kind\": \"verilated\"", "\"kind\": \"verilated\", \"kind\": \"verilated\"", "duplicate"},
        {"\"n\": 2,", "\"n\": 2, \"n\": 2,", "duplicate"},
        {"\"n\": 2,", "\"n\": 4,", "hash"},
        {"\"n\": 2,", "\"n\": 99,", "not allowed"},
        {"\"n\": 2,", "\"n\": -2,", "not allowed"},
        {"\"n\": 2,", "\"n\": 2.5,", "neither"},
        {"\"n\": 2,", "\"n\": null,", "neither"},
        {"\"n\": 2,", "\"n\": {\"a\": 1},", "neither"},
        {"\"n\": 2,", "\"n\": \"2 # comment\",", "neither"},
        {"\"n\": 2,", "", "missing"},
        {"\"n\": 2,", "\"n\": 2, \"nn\": 2,", "nn"},
        {"\"n\": 2,", "\"n\": 2, \"n n\": 2,", "no word"},
        {"\"relu\"", "\"../relu\"", "neither"},
        {"\"name\": \"tiny\"", "\"name\": \"../tiny\"", "neither"},
        {"\"isa\": \"1.2\"", "\"isa\": \"9.0\"", "hash"},
        {"\"isa\": \"1.2\",", "", "no \"isa\""},
        {"\"board\": \"some-board\"", "\"board\": \"../../etc\"", "board"},
        {"\"board\": \"some-board\"", "\"board\": \"/etc\"", "board"},
        {"\"board\": \"some-board\"", "\"board\": \"a\\u0000b\"", "\\u0000"},
        {"\"board\": \"some-board\"", "\"board\": \"a\\nb\"", "board"},
        {"\"board\": \"some-board\"", "\"board\": \"\"", "board"},
        {"\"board\": \"some-board\"",
         "\"board\": \"0123456789012345678901234567890123456789012345678901234567890123\"", "board"},
        {"\"transport\": \"sim\"", "\"transport\": \"model\"", "transport"},
        {"\"maker\"", "\"ma/ker\"", "tools"},
        {"\"5.6\"", "\"1 2\"", "tools"},
        {"\"5.6\"", "12", "tools"},
        {"\"maker\"", "\"another\"", "duplicate"},
        {"\"bytes\": 64,", "\"bytes\": 63,", "disagree"},
        {"\"bytes\": 64,", "\"bytes\": -1,", "payload.bytes"},
        {"\"bytes\": 64,", "\"bytes\": 99999999999999,", "payload.bytes"},
        {"\"bytes\": 64,", "\"bytes\": 999999999999999999999999,", "manifest"},
        {"\"sha256\": \"", "\"sha256\": \"0", "sha256"},
        {"\"payload\": {", "\"payload\": {\"path\": \"/tmp/x\", ", "keys"},
        {"\"payload\": {", "\"more\": 1, \"payload\": {", "keys"},
        {"\"kind\": \"verilated\"", "kind: verilated", "manifest: line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strbuf bytes = changed(CONTAINER_VERILATED, cases[i].from, cases[i].to);
        refused(&bytes, cases[i].word);
        sb_free(&bytes);
    }
}

Test(container, manifests_that_are_no_object)
{
    static const char *const manifests[] = {"[]",    "1", "null",     "{}",     "{",
                                            "{} {}", " ", "\xFF\xFE", "{\"a\":"};
    for (size_t i = 0; i < sizeof manifests / sizeof *manifests; i++) {
        struct strbuf bytes = forged(manifests[i], NULL, 0);
        refused(&bytes, "manifest");
        sb_free(&bytes);
    }
    struct strbuf deep = {0};
    for (unsigned i = 0; i < 60000; i++)
        sb_add(&deep, "[");
    struct strbuf bytes = forged(deep.text, NULL, 0);
    refused(&bytes, "manifest");
    sb_free(&bytes);
    sb_add(&deep, "0123456789");
    while (deep.len <= CONTAINER_MANIFEST_MAX)
        sb_add(&deep, " ");
    bytes = forged(deep.text, NULL, 0);
    refused(&bytes, "out of range");
    sb_free(&bytes);
    sb_free(&deep);
}

Test(container, payloads_that_are_not_of_their_kind)
{
    struct container c = some_container(CONTAINER_VERILATED), r;
    struct strbuf why = {0}, bytes = {0};
    uint8_t other[64];
    memcpy(other, c.payload, sizeof other);
    other[4] = 1; /* 32 bits */
    c.payload = other;
    cr_assert_not(container_write(&c, &bytes, &why));
    cr_assert(strstr(sb_text(&why), "shared object"), "%s", sb_text(&why));
    c.payload_bytes = 10;
    cr_assert_not(container_write(&c, &bytes, &why));
    c.payload_bytes = 0;
    c.kind = CONTAINER_BITSTREAM;
    cr_assert_not(container_write(&c, &bytes, &why));
    c = some_container(CONTAINER_MODEL);
    c.payload = other;
    c.payload_bytes = 5;
    cr_assert_not(container_write(&c, &bytes, &why));
    cr_assert_not(container_read(NULL, 0, &r, &why));
    cr_assert_not(container_read("", 0, &r, &why));
    sb_free(&why);
    sb_free(&bytes);
}

Test(container, a_mismatch_names_both_sides)
{
    struct container c = some_container(CONTAINER_MODEL);
    struct strbuf bytes = written(&c), why = {0};
    cr_assert(container_read(bytes.text, bytes.len, &c, &why));
    struct container_device device = {
        .name = "the-device", .transport = "model", .isa = ISA_MAJOR << 8 | ISA_MINOR, .hash = c.hash};
    cr_assert(container_fits(&c, &device, &why));
    struct container_device other = device;
    other.hash = 0x123456789ABCDEF0;
    cr_assert_not(container_fits(&c, &other, &why));
    cr_assert(strstr(sb_text(&why), "the-device") && strstr(sb_text(&why), "tiny"));
    cr_assert(strstr(sb_text(&why), "123456789abcdef0") && strstr(sb_text(&why), "3ea8bf0dce5a7bf0"));
    other = device;
    other.isa = 0x203;
    cr_assert_not(container_fits(&c, &other, &why));
    cr_assert(strstr(sb_text(&why), "2.3"));
    other = device;
    other.transport = "pcie";
    cr_assert_not(container_fits(&c, &other, &why));
    cr_assert(strstr(sb_text(&why), "pcie"));
    sb_free(&why);
    sb_free(&bytes);
}

Test(sha256, known_digests)
{
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmno"
         "pqrst"
         "nopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t digest[SHA256_BYTES];
        char text[2 * SHA256_BYTES + 1];
        sha256_of(cases[i].text, strlen(cases[i].text), digest);
        sha256_text(digest, text);
        cr_assert_str_eq(text, cases[i].digest);
    }
}

Test(sha256, pieces_make_no_difference)
{
    uint8_t bytes[300], whole[SHA256_BYTES], parts[SHA256_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t length = 0; length < sizeof bytes; length++)
        for (size_t cut = 0; cut <= length; cut += 1 + cut / 8) {
            struct sha256 sha;
            sha256_of(bytes, length, whole);
            sha256_begin(&sha);
            sha256_add(&sha, bytes, cut);
            sha256_add(&sha, bytes + cut, length - cut);
            sha256_end(&sha, parts);
            cr_assert_arr_eq(whole, parts, sizeof whole);
        }
}
