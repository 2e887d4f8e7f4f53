/* SPDX-License-Identifier: Apache-2.0 */
#include "host/net/graph/einsum.h"

#include <string.h>

#include "host/net/graph/derive.h"

static int index_of(char letter)
{
    return letter >= 'a' && letter <= 'z'   ? letter - 'a' + 26
           : letter >= 'A' && letter <= 'Z' ? letter - 'A'
                                            : -1;
}

/* Letters before and behind "...", whose indices count from its end: operands may have it in various lengths.
 * `dots`: the dimensions that it stands for, or -1 for what is left of the rank. */
static const char *read_term(struct proto_text text, int rank, int dots, struct einsum_term *to)
{
    int letters = 0;
    bool seen = false;
    for (size_t i = 0; i < text.length; i++)
        letters += index_of(text.at[i]) >= 0;
    dots = dots < 0 ? rank - letters : dots;
    to->rank = 0;
    for (size_t i = 0; i < text.length; i++) {
        const int index = index_of(text.at[i]);
        if (text.at[i] == ' ')
            continue;
        if (index < 0 && (seen || text.length - i < 3 || strncmp(text.at + i, "...", 3) != 0))
            return "it has other characters than letters, commas, one \"...\" for an operand, and \"->\"";
        if (index < 0 && dots < 0)
            return "an operand has fewer dimensions than letters";
        if (to->rank + (index < 0 ? dots : 1) > NET_RANK_MAX)
            return "a term has too many dimensions";
        for (int k = 0; index < 0 && k < dots; k++)
            to->index[to->rank++] = EINSUM_INDICES - dots + k;
        if (index >= 0)
            to->index[to->rank++] = index;
        seen = seen || index < 0;
        i += index < 0 ? 2 : 0;
    }
    return rank >= 0 && to->rank != rank ? "an operand has not as many dimensions as letters" : NULL;
}

/* Without "->" the result has what "..." stands for, and the letters that occur once, in their order. */
static void imply_result(struct einsum *e, int dots)
{
    unsigned times[EINSUM_INDICES] = {0};
    for (size_t k = 0; k < e->count; k++)
        for (int i = 0; i < e->operands[k].rank; i++)
            times[e->operands[k].index[i]]++;
    e->result.rank = 0;
    for (int i = EINSUM_INDICES - dots; i < EINSUM_INDICES; i++)
        e->result.index[e->result.rank++] = i;
    for (int i = 0; i < EINSUM_LETTERS && e->result.rank < NET_RANK_MAX; i++)
        if (times[i] == 1)
            e->result.index[e->result.rank++] = i;
}

/* Each index of the result stands there once, and some operand has it. */
static const char *check_result(const struct einsum *e)
{
    bool there[EINSUM_INDICES] = {false};
    for (size_t k = 0; k < e->count; k++)
        for (int i = 0; i < e->operands[k].rank; i++)
            there[e->operands[k].index[i]] = true;
    for (int i = 0; i < e->result.rank; i++) {
        bool *const is = &there[e->result.index[i]];
        if (!*is)
            return "the result has a letter twice, or one that no operand has";
        *is = false;
    }
    return NULL;
}

const char *einsum_read(struct proto_text equation, const int *ranks, size_t count, struct einsum *to)
{
    const char *wrong = NULL, *at = equation.at, *const end = at + equation.length;
    const char *arrow = equation.length ? memchr(at, '-', equation.length) : NULL;
    int dots = 0;
    if (!count || count > EINSUM_OPERANDS)
        return "it has no operands, or more than 8";
    to->count = count;
    for (size_t k = 0; !wrong && k < count; k++) {
        const char *stop = arrow ? arrow : end;
        const char *comma = stop > at ? memchr(at, ',', (size_t)(stop - at)) : NULL;
        if ((comma != NULL) != (k + 1 < count))
            return "it has not as many terms as there are operands";
        stop = comma ? comma : stop;
        struct einsum_term *term = &to->operands[k];
        wrong = read_term((struct proto_text){at, (size_t)(stop - at)}, ranks[k], -1, term);
        for (int i = 0; !wrong && i < term->rank; i++)
            if (term->index[i] >= EINSUM_LETTERS && EINSUM_INDICES - term->index[i] > dots)
                dots = EINSUM_INDICES - term->index[i];
        at = stop + 1;
    }
    if (wrong)
        return wrong;
    if (arrow && (end - arrow < 2 || arrow[1] != '>'))
        return "\"->\" is not whole";
    if (arrow)
        wrong = read_term((struct proto_text){arrow + 2, (size_t)(end - arrow - 2)}, -1, dots, &to->result);
    else
        imply_result(to, dots);
    return wrong ? wrong : check_result(to);
}

/* ---- shapes -------------------------------------------------------------------------------------- */

/* The size of each index. False: a shape is not known yet, or `ok` is false after an error. */
static bool sizes_of(struct derive *d, struct einsum *e, struct dim *sizes, bool *ok)
{
    struct shape shapes[EINSUM_OPERANDS];
    int ranks[EINSUM_OPERANDS] = {0};
    for (size_t k = 0; k < d->node->input_count && k < EINSUM_OPERANDS; k++) {
        if (!in_shape(d, k, &shapes[k]))
            return false;
        ranks[k] = shapes[k].rank;
    }
    const char *wrong = einsum_read(node_text(d->node, "equation"), ranks, d->node->input_count, e);
    if (wrong) {
        *ok = refuse(d, "its equation: %s", wrong);
        return false;
    }
    for (int i = 0; i < EINSUM_INDICES; i++)
        sizes[i] = dim_number(1);
    for (size_t k = 0; k < e->count; k++)
        for (int i = 0; *ok && i < e->operands[k].rank; i++)
            *ok = merge_dim(d, &sizes[e->operands[k].index[i]], shapes[k].dim[i]);
    return *ok;
}

bool rule_einsum(struct derive *d)
{
    struct dim sizes[EINSUM_INDICES];
    struct einsum e;
    bool ok = true;
    if (!sizes_of(d, &e, sizes, &ok))
        return ok;
    struct shape shape = {.rank = e.result.rank};
    for (int i = 0; i < shape.rank; i++)
        shape.dim[i] = sizes[e.result.index[i]];
    return set_shape(d, 0, &shape);
}

/* A place of all indices takes a product for each operand but the first. */
struct dim count_einsum(struct derive *d)
{
    struct dim sizes[EINSUM_INDICES], count = dim_number((int64_t)d->node->input_count - 1);
    struct einsum e;
    bool ok = true;
    if (!sizes_of(d, &e, sizes, &ok))
        return dim_number(0);
    for (int i = 0; i < EINSUM_INDICES; i++)
        count = dim_mul(d->arena, count, sizes[i]);
    return count;
}
