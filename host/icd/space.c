/* SPDX-License-Identifier: Apache-2.0 */
#include "host/icd/space.h"

#include <stdlib.h>

#include "gen/base/math.h"

/* A taken range, in a balanced tree (AVL) by address. The hole in front of it is its own: so a hole is never
 * in two pieces, and to give a range back is to widen the next one's hole. */
struct space_block {
    struct space_block *left, *right;
    uint64_t first, end;
    uint64_t hole; /* bytes between the taken range before and `first` */
    uint64_t most; /* the largest hole of this subtree */
    int height;
};

/* ---- the tree -------------------------------------------------------------------------------------- */

static int height(const struct space_block *b)
{
    return b ? b->height : 0;
}

static uint64_t most(const struct space_block *b)
{
    return b ? b->most : 0;
}

static void update(struct space_block *b)
{
    int left = height(b->left), right = height(b->right);
    uint64_t below = most(b->left) > most(b->right) ? most(b->left) : most(b->right);
    b->height = 1 + (left > right ? left : right);
    b->most = b->hole > below ? b->hole : below;
}

static struct space_block *raise_left(struct space_block *b)
{
    struct space_block *top = b->left;
    b->left = top->right;
    top->right = b;
    update(b);
    update(top);
    return top;
}

static struct space_block *raise_right(struct space_block *b)
{
    struct space_block *top = b->right;
    b->right = top->left;
    top->left = b;
    update(b);
    update(top);
    return top;
}

/* What stands in the place of `b` after something was put in or taken out below it. */
static struct space_block *balanced(struct space_block *b)
{
    struct space_block *left = b->left, *right = b->right;
    int lean = height(left) - height(right);
    if (left && lean > 1) {
        if (left->right && height(left->left) < height(left->right))
            b->left = raise_right(left);
        return raise_left(b);
    }
    if (right && lean < -1) {
        if (right->left && height(right->right) < height(right->left))
            b->right = raise_left(right);
        return raise_right(b);
    }
    update(b);
    return b;
}

static struct space_block *insert_last(struct space_block *b, struct space_block *made)
{
    if (!b)
        return made;
    b->right = insert_last(b->right, made);
    return balanced(b);
}

/* At the beginning of the first hole of `bytes`; there is one. */
static struct space_block *insert(struct space_block *b, struct space_block *made, uint64_t bytes)
{
    if (most(b->left) >= bytes) {
        b->left = insert(b->left, made, bytes);
    } else if (b->hole >= bytes) {
        made->first = b->first - b->hole;
        made->end = made->first + bytes;
        b->hole -= bytes;
        b->left = insert_last(b->left, made);
    } else {
        b->right = insert(b->right, made, bytes);
    }
    return balanced(b);
}

static struct space_block *remove_first(struct space_block *b, struct space_block **gone)
{
    if (!b->left) {
        *gone = b;
        return b->right;
    }
    b->left = remove_first(b->left, gone);
    return balanced(b);
}

/* The one at `address`, which is there. */
static struct space_block *without(struct space_block *b, uint64_t address)
{
    if (address < b->first) {
        b->left = without(b->left, address);
    } else if (address > b->first) {
        b->right = without(b->right, address);
    } else if (!b->right) {
        return b->left;
    } else {
        struct space_block *next, *rest = remove_first(b->right, &next);
        next->left = b->left;
        next->right = rest;
        b = next;
    }
    return balanced(b);
}

/* The hole in front of the first range behind `address` grows; false: there is none. */
static bool widen(struct space_block *b, uint64_t address, uint64_t bytes)
{
    bool found;
    if (!b)
        return false;
    if (b->first <= address) {
        found = widen(b->right, address, bytes);
    } else {
        if (!widen(b->left, address, bytes))
            b->hole += bytes;
        found = true;
    }
    update(b);
    return found;
}

/* ---- the space --------------------------------------------------------------------------------------- */

uint64_t space_most(uint64_t bytes)
{
    bytes -= bytes % SPACE_BLOCK;
    return bytes > SPACE_FIRST ? bytes - SPACE_FIRST : 0;
}

void space_open(struct space *s, uint64_t bytes)
{
    *s = (struct space){.top = SPACE_FIRST, .end = SPACE_FIRST + space_most(bytes)};
}

static void free_tree(struct space_block *b)
{
    if (!b)
        return;
    free_tree(b->left);
    free_tree(b->right);
    free(b);
}

void space_close(struct space *s)
{
    free_tree(s->block);
    s->block = NULL;
    s->top = SPACE_FIRST;
}

enum space_status space_take(struct space *s, uint64_t bytes, uint64_t *address)
{
    if (!bytes || bytes > s->end)
        return SPACE_FULL;
    bytes = math_round_up(bytes, SPACE_BLOCK);
    bool in_hole = most(s->block) >= bytes;
    if (!in_hole && s->end - s->top < bytes)
        return SPACE_FULL;
    struct space_block *made = malloc(sizeof *made);
    if (!made)
        return SPACE_NO_MEMORY;
    *made = (struct space_block){.first = s->top, .end = s->top + bytes, .height = 1};
    if (in_hole) {
        s->block = insert(s->block, made, bytes);
    } else {
        s->block = insert_last(s->block, made);
        s->top = made->end;
    }
    *address = made->first;
    return SPACE_OK;
}

void space_give(struct space *s, uint64_t address)
{
    struct space_block *b = s->block;
    while (b && b->first != address)
        b = address < b->first ? b->left : b->right;
    if (!b)
        return;
    if (!widen(s->block, address, b->end - b->first + b->hole))
        s->top = b->first - b->hole;
    s->block = without(s->block, address);
    free(b);
}
