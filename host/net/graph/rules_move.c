/* SPDX-License-Identifier: Apache-2.0
 *
 * Rules for operators that move elements and compute nothing. Lists of sizes go
 * through them, too (set_few): networks compute shapes with these operators.
 */
#include <string.h>

#include "host/net/graph/derive.h"

/* ---- joining and cutting ------------------------------------------------------------------------- */

static bool join_few(struct derive *d)
{
    struct dim all[DERIVE_FEW_MAX];
    unsigned total = 0, count;
    for (size_t i = 0; i < d->node->input_count; i++) {
        const struct dim *few = in_few(d, i, &count);
        if (!few || total + count > DERIVE_FEW_MAX)
            return true;
        memcpy(all + total, few, count * sizeof *few);
        total += count;
    }
    return set_few(d, 0, all, total);
}

/* Inputs from `first` on, each so many behind the one before. */
static bool concat(struct derive *d, size_t first, size_t step, struct shape *all)
{
    struct shape one;
    int axis;
    if (!in_axis(d, node_integer(d->node, "axis"), all->rank, &axis))
        return false;
    for (size_t i = first + step; i < d->node->input_count; i += step) {
        if (!in_shape(d, i, &one)) {
            one = *all;
            one.dim[axis] = unknown_dim(d, 0, axis);
        }
        if (one.rank != all->rank)
            return refuse(d, "input %zu has %d dimensions and the first one %d", i, one.rank, all->rank);
        for (int k = 0; k < all->rank; k++) {
            if (k == axis)
                all->dim[k] = dim_add(d->arena, all->dim[k], one.dim[k]);
            else if (!all->dim[k].term && !one.dim[k].term && all->dim[k].value != one.dim[k].value)
                return refuse(d, "input %zu has size %lld in dimension %d, and those before it %lld", i,
                              (long long)one.dim[k].value, k, (long long)all->dim[k].value);
            else if (all->dim[k].term)
                all->dim[k] = one.dim[k];
        }
    }
    return set_shape(d, 0, all);
}

bool rule_concat(struct derive *d)
{
    struct shape all;
    return !in_shape(d, 0, &all) || (concat(d, 0, 1, &all) && (all.rank != 1 || join_few(d)));
}

/* Each input has a scale and a zero point behind it, the result has its own before them. */
bool rule_qlinear_concat(struct derive *d)
{
    enum { FIRST = 2, STEP = 3 };
    struct shape all;
    if (d->node->input_count < FIRST + STEP || (d->node->input_count - FIRST) % STEP)
        return refuse(d, "each of its inputs has a scale and a zero point");
    return !in_shape(d, FIRST, &all) || concat(d, FIRST, STEP, &all);
}

bool rule_split(struct derive *d)
{
    struct shape s;
    unsigned count = 0;
    size_t given;
    int axis;
    const int64_t *sizes = node_integers(d->node, "split", &given);
    const struct dim *few = given ? NULL : in_few(d, 1, &count);
    const size_t outputs = d->node->output_count;
    if (!in_shape(d, 0, &s) || (!given && has_input(d, 1) && !few))
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank, &axis))
        return false;
    if ((given && given != outputs) || (few && count != outputs))
        return refuse(d, "there are %zu outputs and %zu sizes", outputs, given ? given : count);
    const struct dim whole = s.dim[axis], part = dim_div_up(d->arena, whole, (int64_t)outputs);
    for (size_t i = 0; i < outputs; i++) {
        s.dim[axis] = given ? dim_number(sizes[i]) : few ? few[i] : part;
        if (!given && !few && i + 1 == outputs)
            s.dim[axis] = dim_sub(d->arena, whole, dim_mul(d->arena, part, dim_number((int64_t)outputs - 1)));
        if (!set_shape(d, i, &s))
            return false;
    }
    return true;
}

/* ---- slices -------------------------------------------------------------------------------------- */

static int64_t bounded(int64_t at, int64_t low, int64_t high)
{
    return at < low ? low : at > high ? high : at;
}

/* How many elements from `from` to `to` in steps, where negative places count from the end. */
static struct dim slice_size(struct derive *d, struct dim size, int64_t *from, int64_t to, int64_t step,
                             int out)
{
    const bool whole = *from == 0 && step == 1;
    if (size.term) {
        if (whole && to >= INT32_MAX)
            return size;
        if (whole && to < 0)
            return dim_add(d->arena, size, dim_number(to));
        return unknown_dim(d, 0, out);
    }
    const int64_t n = size.value;
    *from = bounded(*from < 0 ? *from + n : *from, 0, step > 0 ? n : n - 1);
    to = bounded(to < 0 ? to + n : to, step > 0 ? 0 : -1, n);
    const int64_t length = step > 0 ? to - *from : *from - to, stride = step > 0 ? step : -step;
    return dim_number(length > 0 ? (length - 1) / stride + 1 : 0);
}

static bool slice_few(struct derive *d, int64_t from, int64_t step)
{
    unsigned count;
    const struct dim *few = in_few(d, 0, &count);
    const struct tensor *out = d->node->outputs[0];
    struct dim part[DERIVE_FEW_MAX];
    if (!few || !out->shape || out->shape->dim[0].term)
        return true;
    const int64_t length = out->shape->dim[0].value;
    for (int64_t i = 0; i < length; i++, from += step) {
        if (from < 0 || from >= count || i >= DERIVE_FEW_MAX)
            return true;
        part[i] = few[from];
    }
    return set_few(d, 0, part, (unsigned)length);
}

bool rule_slice(struct derive *d)
{
    struct shape s;
    int64_t starts[NET_RANK_MAX], ends[NET_RANK_MAX], axes[NET_RANK_MAX], steps[NET_RANK_MAX];
    unsigned count, end_count, axis_count, step_count;
    if (!in_shape(d, 0, &s))
        return true;
    if (!in_list(d, 1, "starts", starts, &count) || !in_list(d, 2, "ends", ends, &end_count) ||
        !in_list(d, 3, "axes", axes, &axis_count) || !in_list(d, 4, NULL, steps, &step_count)) {
        for (int i = 0; i < s.rank; i++)
            s.dim[i] = unknown_dim(d, 0, i);
        return set_shape(d, 0, &s);
    }
    if (count != end_count || (axis_count && axis_count != count) || (step_count && step_count != count))
        return refuse(d, "there are %u starts, %u ends, %u axes and %u steps", count, end_count, axis_count,
                      step_count);
    for (unsigned i = 0; i < count; i++) {
        int axis;
        const int64_t step = step_count ? steps[i] : 1;
        if (!in_axis(d, axis_count ? axes[i] : i, s.rank, &axis))
            return false;
        if (!step || step == INT64_MIN)
            return refuse(d, "a step is 0 or too large");
        s.dim[axis] = slice_size(d, s.dim[axis], &starts[i], ends[i], step, axis);
    }
    return set_shape(d, 0, &s) &&
           (s.rank != 1 || slice_few(d, count ? starts[0] : 0, step_count ? steps[0] : 1));
}

/* ---- gathering ----------------------------------------------------------------------------------- */

static bool gather_few(struct derive *d)
{
    unsigned count, wanted;
    const struct dim *few = in_few(d, 0, &count), *at = in_few(d, 1, &wanted);
    struct dim part[DERIVE_FEW_MAX];
    if (!few || !at)
        return true;
    for (unsigned i = 0; i < wanted; i++) {
        const int64_t index = at[i].value < 0 ? at[i].value + count : at[i].value;
        if (at[i].term || index < 0 || index >= count)
            return true;
        part[i] = few[index];
    }
    return set_few(d, 0, part, wanted);
}

bool rule_gather(struct derive *d)
{
    struct shape s, at, out;
    int axis;
    if (!in_shape(d, 0, &s) || !in_shape(d, 1, &at))
        return true;
    if (!in_axis(d, node_integer(d->node, "axis"), s.rank, &axis))
        return false;
    if (s.rank + at.rank - 1 > NET_RANK_MAX)
        return refuse(d, "the result has more than %d dimensions", NET_RANK_MAX);
    out.rank = 0;
    for (int i = 0; i < axis; i++)
        out.dim[out.rank++] = s.dim[i];
    for (int i = 0; i < at.rank; i++)
        out.dim[out.rank++] = at.dim[i];
    for (int i = axis + 1; i < s.rank; i++)
        out.dim[out.rank++] = s.dim[i];
    return set_shape(d, 0, &out) && (s.rank != 1 || gather_few(d));
}

bool rule_like_indices(struct derive *d)
{
    struct shape s;
    return !in_shape(d, 1, &s) || set_shape(d, 0, &s);
}

bool rule_gather_nd(struct derive *d)
{
    struct shape s, at, out;
    const int64_t batch = node_integer(d->node, "batch_dims");
    if (!in_shape(d, 0, &s) || !in_shape(d, 1, &at))
        return true;
    if (!at.rank || at.dim[at.rank - 1].term)
        return true;
    const int64_t depth = at.dim[at.rank - 1].value;
    if (batch < 0 || depth < 0 || batch >= at.rank || depth > s.rank - batch ||
        at.rank - 1 + s.rank - depth - batch > NET_RANK_MAX)
        return refuse(d, "indices of %lld numbers do not fit %d dimensions", (long long)depth, s.rank);
    out.rank = at.rank - 1;
    memcpy(out.dim, at.dim, (size_t)out.rank * sizeof *out.dim);
    for (int64_t i = batch + depth; i < s.rank; i++)
        out.dim[out.rank++] = s.dim[i];
    return set_shape(d, 0, &out);
}

/* ---- other shapes of the same elements ----------------------------------------------------------- */

/* Sizes given as -1 (the rest, at most once) or 0 (as in the input). */
static bool resolve(struct derive *d, const struct shape *s, bool known, struct shape *to)
{
    struct dim rest = known ? shape_elements(d->net, s) : dim_number(0), product = dim_number(1);
    int open = -1;
    const bool zero_is_zero = node_integer(d->node, "allowzero") != 0;
    for (int i = 0; i < to->rank; i++) {
        if (dim_is(to->dim[i], 0) && !zero_is_zero) {
            if (!known)
                return true; /* not known yet */
            if (i >= s->rank)
                return refuse(d, "size %d is to be that of the input, which has %d dimensions", i, s->rank);
            to->dim[i] = s->dim[i];
        }
        if (!dim_is(to->dim[i], -1)) {
            product = dim_mul(d->arena, product, to->dim[i]);
            continue;
        }
        if (open >= 0)
            return refuse(d, "two sizes are -1");
        open = i;
    }
    if (open < 0 && known && !rest.term && !product.term && rest.value != product.value)
        return refuse(d, "%lld elements do not become %lld", (long long)rest.value, (long long)product.value);
    if (open >= 0 && known && !rest.term && !product.term &&
        (product.value ? rest.value % product.value : rest.value))
        return refuse(d, "%lld elements are no multiple of %lld", (long long)rest.value,
                      (long long)product.value);
    if (open >= 0)
        to->dim[open] = known ? dim_div(d->arena, rest, product) : unknown_dim(d, 0, open);
    return true;
}

bool rule_reshape(struct derive *d)
{
    struct shape s, to = {.rank = 0};
    unsigned few_count;
    size_t given;
    const int64_t *list = node_integers(d->node, "shape", &given);
    const struct dim *passed = in_few(d, 0, &few_count);
    const bool known = in_shape(d, 0, &s);
    if (given > NET_RANK_MAX || (!given && !shape_from_few(d, 1, &to)))
        return true;
    for (size_t i = 0; i < given; i++)
        to.dim[to.rank++] = dim_number(list[i]);
    for (int i = 0; !known && i < to.rank; i++)
        if (dim_is(to.dim[i], 0))
            return true;
    return resolve(d, &s, known, &to) && set_shape(d, 0, &to) &&
           (!passed || set_few(d, 0, passed, few_count));
}

bool rule_flatten(struct derive *d)
{
    struct shape s, out = {.rank = 2, .dim = {{1, NULL}, {1, NULL}}};
    int64_t axis = node_integer(d->node, "axis");
    if (!in_shape(d, 0, &s))
        return true;
    axis = axis < 0 ? axis + s.rank : axis;
    if (axis < 0 || axis > s.rank)
        return refuse(d, "axis %lld is not one of the %d dimensions", (long long)axis, s.rank);
    for (int i = 0; i < s.rank; i++)
        out.dim[i >= axis] = dim_mul(d->arena, out.dim[i >= axis], s.dim[i]);
    return set_shape(d, 0, &out);
}

bool rule_transpose(struct derive *d)
{
    struct shape s, out;
    size_t given;
    const int64_t *order = node_integers(d->node, "perm", &given);
    unsigned seen = 0;
    if (!in_shape(d, 0, &s))
        return true;
    if (given && given != (size_t)s.rank)
        return refuse(d, "perm has %zu numbers for %d dimensions", given, s.rank);
    out.rank = s.rank;
    for (int i = 0; i < s.rank; i++) {
        const int64_t from = given ? order[i] : s.rank - 1 - i;
        if (from < 0 || from >= s.rank || seen >> from & 1)
            return refuse(d, "perm is no order of %d dimensions", s.rank);
        seen |= 1U << from;
        out.dim[i] = s.dim[from];
    }
    return set_shape(d, 0, &out);
}

bool rule_squeeze(struct derive *d)
{
    struct shape s, out = {.rank = 0};
    int64_t axes[NET_RANK_MAX];
    unsigned count, few_count;
    bool gone[NET_RANK_MAX] = {false};
    int axis;
    const struct dim *few = in_few(d, 0, &few_count);
    if (!in_shape(d, 0, &s) || !in_list(d, 1, "axes", axes, &count))
        return true;
    for (unsigned i = 0; i < count; i++) {
        if (!in_axis(d, axes[i], s.rank, &axis))
            return false;
        if (!s.dim[axis].term && s.dim[axis].value != 1)
            return refuse(d, "dimension %d has size %lld; only sizes of 1 can be left out", axis,
                          (long long)s.dim[axis].value);
        gone[axis] = true;
    }
    for (int i = 0; i < s.rank; i++)
        if (count ? !gone[i] : !dim_is(s.dim[i], 1))
            out.dim[out.rank++] = s.dim[i];
    return set_shape(d, 0, &out) && (!few || set_few(d, 0, few, few_count));
}

bool rule_unsqueeze(struct derive *d)
{
    struct shape s, out = {.rank = 0};
    int64_t axes[NET_RANK_MAX];
    unsigned count, few_count;
    bool one[NET_RANK_MAX] = {false};
    int axis;
    const struct dim *few = in_few(d, 0, &few_count);
    if (!in_shape(d, 0, &s) || !in_list(d, 1, "axes", axes, &count))
        return true;
    if (s.rank + (int)count > NET_RANK_MAX)
        return refuse(d, "the result has more than %d dimensions", NET_RANK_MAX);
    for (unsigned i = 0; i < count; i++) {
        if (!in_axis(d, axes[i], s.rank + (int)count, &axis))
            return false;
        if (one[axis])
            return refuse(d, "axis %d comes twice", axis);
        one[axis] = true;
    }
    for (int i = 0, from = 0; i < s.rank + (int)count; i++)
        out.dim[out.rank++] = one[i] ? dim_number(1) : s.dim[from++];
    return set_shape(d, 0, &out) && (!few || set_few(d, 0, few, few_count));
}

/* ---- larger tensors ------------------------------------------------------------------------------ */

bool rule_expand(struct derive *d)
{
    struct shape s, to, out;
    if (!in_shape(d, 0, &s) || !shape_from_few(d, 1, &to))
        return true;
    out.rank = s.rank > to.rank ? s.rank : to.rank;
    for (int i = 1; i <= out.rank; i++) {
        const struct dim a = i <= s.rank ? s.dim[s.rank - i] : dim_number(1),
                         b = i <= to.rank ? to.dim[to.rank - i] : dim_number(1);
        if (!a.term && !b.term && a.value != b.value && a.value != 1 && b.value != 1)
            return refuse(d, "size %lld cannot be expanded to %lld", (long long)a.value, (long long)b.value);
        out.dim[out.rank - i] = dim_is(a, 1) ? b : a;
    }
    return set_shape(d, 0, &out);
}

bool rule_tile(struct derive *d)
{
    struct shape s;
    unsigned count;
    const struct dim *few = in_few(d, 1, &count);
    if (!in_shape(d, 0, &s) || !few)
        return true;
    if ((int)count != s.rank)
        return refuse(d, "there are %u repeats for %d dimensions", count, s.rank);
    for (int i = 0; i < s.rank; i++)
        s.dim[i] = dim_mul(d->arena, s.dim[i], few[i]);
    return set_shape(d, 0, &s);
}

bool rule_pad(struct derive *d)
{
    struct shape s;
    int64_t axes[NET_RANK_MAX];
    unsigned count = 0, axis_count;
    size_t given;
    const char *name = d->net->opset < 2 ? "paddings" : "pads";
    const int64_t *list = node_integers(d->node, name, &given);
    const struct dim *few = given ? NULL : in_few(d, 1, &count);
    if (!in_shape(d, 0, &s) || (!given && !few) || !in_list(d, 3, NULL, axes, &axis_count))
        return true;
    count = given ? (unsigned)given : count;
    const unsigned each = has_input(d, 3) ? axis_count : (unsigned)s.rank;
    if (count != 2 * each)
        return refuse(d, "there are %u pads for %u dimensions", count, each);
    for (unsigned i = 0; i < each; i++) {
        int axis;
        if (!in_axis(d, has_input(d, 3) ? axes[i] : i, s.rank, &axis))
            return false;
        const struct dim before = given ? dim_number(list[i]) : few[i],
                         after = given ? dim_number(list[each + i]) : few[each + i];
        s.dim[axis] = dim_add(d->arena, dim_add(d->arena, s.dim[axis], before), after);
    }
    return set_shape(d, 0, &s);
}
