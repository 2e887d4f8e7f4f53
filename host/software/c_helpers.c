/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "host/software/c.h"
#include "host/software/c_text.h"
#include "sim/numerics/tanh_table.h"

enum { HELPERS_MOST = 32, TEXT_LINE = 15 };

/* In an order in which each is behind those that it uses. */
static const char *const order[] = {
    "limit",           "wrap",    "floor_shift",   "scale_up",        "scale_even",
    "scale_two_steps", "wide",    "scale_up_wide", "scale_even_wide", "scale_two_steps_wide",
    "share_of",        "tanh_of", "sigmoid_of",    "user_of",         "round_even"};
enum { COUNT = sizeof order / sizeof *order };

static const char *text_of(const char *name)
{
    for (size_t i = 0; i < c_text_source_count; i++)
        if (!strcmp(c_text_sources[i].name, name))
            return strchr(c_text_sources[i].text, '\n') + 1; /* without the licence's line */
    return "";
}

static bool is_word_end(char c)
{
    return !(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'));
}

/* Whether the text calls it. */
static bool uses(const char *text, const char *name)
{
    if (!strcmp(name, "wide")) /* several functions around a structure */
        return strstr(text, "wide_product") != NULL;
    const size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || is_word_end(at[-1])) && at[length] == '(')
            return true;
    return false;
}

static void knots(struct strbuf *to)
{
    sb_add(to, "/* tanh(i / 64) in units of 2^-15, as the device has it. */\n"
               "static const uint16_t tanh_knots[513] = {");
    for (size_t i = 0; i < 513; i++)
        c_number(to, i, tanh_knots[i]);
    sb_add(to, "\n};\n\n");
}

void c_helpers(const char *text, struct strbuf *to)
{
    bool used[COUNT];
    for (unsigned i = 0; i < COUNT; i++)
        used[i] = uses(text, order[i]);
    for (unsigned i = COUNT; i-- > 0;)
        for (unsigned j = 0; used[i] && j < i; j++)
            used[j] = used[j] || uses(text_of(order[i]), order[j]);
    for (unsigned i = 0; i < COUNT; i++) {
        if (!used[i])
            continue;
        if (!strcmp(order[i], "tanh_of") || (!strcmp(order[i], "sigmoid_of") && !used[i - 1]))
            knots(to);
        sb_addf(to, "%s\n", text_of(order[i]));
    }
}
