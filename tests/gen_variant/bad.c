/* SPDX-License-Identifier: Apache-2.0
 *
 * Bad files: bad/<name>.yaml must be refused with exactly the messages in
 * bad/<name>.txt. Then what cannot be kept as a text file, and overrides.
 */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "tests/gen_base/scratch.h"
#include "tests/gen_variant/support.h"

static void expect_golden(const char *path)
{
    char golden_path[256];
    struct variant v;
    struct diag diag = {0};
    snprintf(golden_path, sizeof golden_path, "%.*s.txt", (int)(strlen(path) - strlen(".yaml")), path);
    struct strbuf golden = text_of(golden_path);
    cr_expect(!variant_load_file(path, NULL, 0, &v, &diag), "%s was not refused", path);
    cr_expect(golden.len > 0, "%s is empty", golden_path);
    expect_messages(&diag, sb_text(&golden), path);
    sb_free(&golden);
}

Test(bad, files_are_refused_with_all_their_problems_named)
{
    glob_t files;
    cr_assert(glob("tests/gen_variant/bad/*.yaml", 0, NULL, &files) == 0 && files.gl_pathc > 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        expect_golden(files.gl_pathv[i]);
    globfree(&files);
}

static void expect_refused_text(const char *bytes, size_t len, const char *message)
{
    struct strbuf text = {0};
    struct variant v;
    struct diag diag = {0};
    sb_addn(&text, bytes, len);
    cr_expect(!variant_load_text("x.yaml", &text, NULL, 0, &v, &diag));
    expect_messages(&diag, message, bytes);
    sb_free(&text);
}

#define EXPECT_REFUSED(bytes, message) expect_refused_text(bytes, sizeof(bytes) - 1, message)

Test(bad, binary_files_are_refused_by_the_first_wrong_byte)
{
    EXPECT_REFUSED("n: 2\nm: \0\n",
                   "x.yaml:2:4: error: byte 0x00 is not text in UTF-8: a variant file is YAML text\n");
    EXPECT_REFUSED("\x7f"
                   "ELF\x02\x01",
                   "x.yaml:1:1: error: byte 0x7f is not text in UTF-8: a variant file is YAML text\n");
    EXPECT_REFUSED("# gr\xc3\xb6\xc3\x9f"
                   "er \xff\n",
                   "x.yaml:1:10: error: byte 0xff is not text in UTF-8: a variant file is YAML text\n");
    EXPECT_REFUSED("\xff\xfen\0:\0",
                   "x.yaml:1:1: error: byte 0xff is not text in UTF-8: a variant file is YAML text\n");
    EXPECT_REFUSED("n: \xc2\x80\n", "x.yaml:1:4: error: not YAML: control characters are not allowed\n");
    EXPECT_REFUSED("", "x.yaml: error: empty: expected lines of the form key: value\n");
}

Test(bad, a_huge_file_is_refused_before_it_is_read, .init = scratch_enter, .fini = scratch_leave)
{
    struct variant v;
    struct diag diag = {0};
    FILE *file = fopen("huge.yaml", "wb");
    cr_assert(file && fseek(file, 100 << 20, SEEK_SET) == 0 && fputc('\n', file) == '\n' &&
              fclose(file) == 0);
    cr_expect(!variant_load("huge.yaml", NULL, 0, &v, &diag));
    expect_messages(&diag,
                    "huge.yaml: error: larger than 65536 bytes: this is not a file of the expected kind\n",
                    "huge");
}

Test(bad, a_comment_up_to_the_limit_is_fine_and_a_byte_more_is_not, .init = scratch_enter,
     .fini = scratch_leave)
{
    struct variant v;
    struct diag diag = {0};
    struct strbuf text = {0};
    cr_assert(BASE_WITH(&v, &diag, NULL));
    variant_write_yaml(&v, &text);
    sb_add(&text, "#");
    while (text.len < 65536)
        sb_add(&text, "x");
    scratch_write("v.yaml", sb_text(&text));
    cr_expect(variant_load("v.yaml", NULL, 0, &v, &diag));
    sb_add(&text, "x");
    scratch_write("v.yaml", sb_text(&text));
    cr_expect(!variant_load("v.yaml", NULL, 0, &v, &diag));
    diag_free(&diag);
    sb_free(&text);
}

static void expect_single_error(const struct strbuf *text, const char *start)
{
    struct variant v;
    struct diag diag = {0};
    cr_expect(!variant_load_text("x", text, NULL, 0, &v, &diag));
    cr_expect(diag.errors == 1 && strstr(sb_text(&diag.text), start), "%s", sb_text(&diag.text));
    diag_free(&diag);
}

Test(bad, every_key_is_needed_and_may_come_once)
{
    for (size_t i = 0; i < variant_key_count; i++) {
        struct variant v;
        struct diag diag = {0};
        struct strbuf text = {0}, less = {0}, twice = {0};
        char line[64];
        const bool decoupled = !strcmp(variant_keys[i].name, "decoupled_reductions");
        cr_assert(BASE_WITH(&v, &diag, "host_port=on", "accumulators=on", "pe_operands=on",
                            "parallel_issue=on", "zero_points=on", "channel_groups=64", "roundings=on",
                            "lookup=on", "joins=on", "softmax=64", "long_jumps=on", "local_bytes=1024",
                            "plain_weights=on", "gather_lines=64", "bitmap_weights=on", "job_queue=on",
                            "collector_width=256", "store_groups=2", "packed_programs=on", "kept_weights=on",
                            decoupled ? "decoupled_reductions=on" : "scalar_unit=on"));
        variant_write_yaml(&v, &text);
        snprintf(line, sizeof line, "\n%s: ", variant_keys[i].name);
        const char *start = strstr(sb_text(&text), line) + 1, *end = strchr(start, '\n') + 1;
        sb_addn(&less, sb_text(&text), (size_t)(start - sb_text(&text)));
        sb_add(&less, end);
        sb_add(&twice, sb_text(&text));
        sb_addn(&twice, start, (size_t)(end - start));
        snprintf(line, sizeof line, "x: error: key \"%s\" is missing: ", variant_keys[i].name);
        if (!variant_keys[i].optional)
            expect_single_error(&less, line);
        snprintf(line, sizeof line, "key \"%s\" is given twice", variant_keys[i].name);
        expect_single_error(&twice, line);
        sb_free(&text);
        sb_free(&less);
        sb_free(&twice);
    }
}

/* Values next to what is allowed. */
static size_t wrong_numbers(const struct variant_key *key, unsigned wrong[3])
{
    size_t count = 0;
    if (key->kind == KEY_RANGE || key->kind == KEY_POWER) {
        wrong[count++] = key->min - 1;
        wrong[count++] = key->max + (key->kind == KEY_POWER ? key->max : 1);
    }
    if (key->kind == KEY_POWER)
        wrong[count++] = key->min + 1;
    if (key->kind == KEY_SET) {
        wrong[count++] = key->numbers[0] - 1;
        wrong[count++] = key->numbers[key->count - 1] * 2;
    }
    return count;
}

Test(bad, numbers_just_outside_are_refused_and_the_ends_are_not)
{
    size_t checked = 0;
    for (size_t i = 0; i < variant_key_count; i++) {
        const struct variant_key *key = &variant_keys[i];
        unsigned wrong[3];
        size_t count = wrong_numbers(key, wrong);
        struct variant v = {0};
        struct diag diag = {0};
        char text[32];
        for (size_t j = 0; j < count; j++, checked++) {
            snprintf(text, sizeof text, "%u", wrong[j]);
            cr_expect(!variant_key_parse(key, text, (struct place){0}, &v, &diag), "%s=%s", key->name, text);
        }
        for (size_t j = 0; count && j < 2; j++) {
            unsigned end = key->kind == KEY_SET ? key->numbers[j ? key->count - 1 : 0]
                           : j                  ? key->max
                                                : key->min;
            snprintf(text, sizeof text, "%u", end);
            cr_expect(variant_key_parse(key, text, (struct place){0}, &v, &diag), "%s=%s", key->name, text);
            cr_expect_eq(variant_get(&v, key), end);
        }
        diag_free(&diag);
    }
    cr_expect_gt(checked, 50);
}

Test(bad, overrides_are_checked_like_the_file)
{
    struct variant v;
    struct diag diag = {0};
    cr_expect(!BASE_WITH(&v, &diag, "scan=3", "scna=2", "tokens", "=1", "k=8 ", "m=", "balance=dispatched",
                         "functions=relu,,max,relu"));
    expect_messages(
        &diag,
        "--set scan=3: error: key \"scan\": 3 is not allowed: one of 1, 2, 4\n"
        "--set scna=2: error: unknown key \"scna\"; did you mean \"scan\"?\n"
        "--set tokens: error: expected key=value\n"
        "--set =1: error: unknown key \"\"\n"
        "--set k=8 : error: key \"k\": \"8 \" is not allowed: 1..16, in decimal and without leading zeros\n"
        "--set m=: error: key \"m\": \"\" is not allowed: 1..16, in decimal and without leading zeros\n"
        "--set balance=dispatched: error: key \"balance\": \"dispatched\" is not allowed: one of none, "
        "neighbour, "
        "dispatch; did you mean \"dispatch\"?\n"
        "--set functions=relu,,max,relu: error: key \"functions\": \"\" is not allowed: a list of any of "
        "relu, "
        "leaky_relu, clamp, sigmoid, tanh, requantise, sum, max, average, user\n"
        "--set functions=relu,,max,relu: error: key \"functions\": \"relu\" is listed twice\n",
        "overrides");
    cr_expect(!BASE_WITH(&v, &diag, "scan=4", "scan=4"));
    expect_messages(&diag, "--set scan=4: error: key \"scan\" is already set by \"--set scan=4\"\n", "twice");
}

Test(bad, a_file_must_be_whole_before_it_is_overridden)
{
    struct strbuf text = {0};
    struct variant v;
    struct diag diag = {0};
    const char *const sets[] = {"n=4"};
    cr_assert(BASE_WITH(&v, &diag, NULL));
    variant_write_yaml(&v, &text);
    strstr(sb_text(&text), "\nn: ")[1] = '#';
    cr_expect(!variant_load_text("x", &text, sets, 1, &v, &diag));
    expect_messages(&diag, "x: error: key \"n\" is missing: 1..16\n", "n");
    sb_free(&text);
}

Test(bad, a_broken_rule_is_reported_at_the_override_that_broke_it)
{
    struct variant v;
    struct diag diag = {0};
    cr_expect(!BASE_WITH(&v, &diag, "n=1"));
    expect_messages(
        &diag,
        "--set n=1: error: n * row_bus_width >= memory_width * memory_ports does not hold, 256 < 512 "
        "(n = 1, row_bus_width = 256, memory_width = 512, memory_ports = 1): the row buses together "
        "must take what memory delivers; raise n or row_bus_width, or lower memory_width or "
        "memory_ports\n",
        "n=1");
    cr_expect(!BASE_WITH(&v, &diag, "tokens=9", "memory_ports=2"));
    cr_expect(!strncmp(sb_text(&diag.text), "--set memory_ports=2: error: n * ", 33), "%s",
              sb_text(&diag.text));
    diag_free(&diag);
}
