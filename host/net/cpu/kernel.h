/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel works with: its node, the values of its inputs, and room for its
 * outputs, whose shapes are derived already.
 */
#ifndef TULLE_HOST_NET_KERNEL_H
#define TULLE_HOST_NET_KERNEL_H

#include "host/net/cpu/cpu.h"
#include "host/net/cpu/crew.h"

enum { KERNEL_OPERANDS = 16 };

struct taker;

struct call {
    const struct net *net;
    const struct node *node;
    size_t inputs, outputs;
    const struct view *in[KERNEL_OPERANDS]; /* NULL: left out; further inputs are in `more` */
    struct view *out[KERNEL_OPERANDS];
    const struct view *const *more; /* all inputs, for operators with any number */
    struct crew *crew;              /* NULL: the caller alone */
    struct keep *keep;              /* NULL: nothing is kept */
    const struct taker *taker;      /* NULL: the kernel computes; else it describes (exact.h) */
};

typedef bool kernel_function(const struct call *c);

struct kernel {
    const char *name;
    kernel_function *function;
};
/* Lists end with a NULL name. */
extern const struct kernel elementwise_kernels[], window_kernels[], convolve_kernels[], product_kernels[],
    reduce_kernels[], move_kernels[], quantised_kernels[], runtime_kernels[], recurrent_kernels[],
    resize_kernels[], einsum_kernels[], found_kernels[];
/* For operators whose results are as large as numbers of their inputs say: these functions set rank and
 * dimensions of the outputs. */
extern const struct kernel found_sizes[];

/* The kernel for real numbers and plain integers; NULL: there is none. */
kernel_function *kernel_of(const char *operator_name);
/* The sizes of a reduction's input, with 1 for the dimensions that it takes away. (reduce.c) */
void reduce_kept(const struct call *c, struct view *kept);

__attribute__((format(printf, 2, 3))) bool kernel_fails(const struct call *c, const char *format, ...);

bool kernel_no_memory(const struct call *c);

/* ---- constants in a form of the kernel's own (prepared.c) ------------------------------------------- */

/* What a kernel makes of a constant before it computes. It stays with the network where that has room for it,
 * and is found by the next run. */
struct prepared {
    void *data; /* NULL: out of memory */
    bool fresh; /* it is to be filled */
    bool kept;
};
/* `form`: numbers that, with those of the constant, say what becomes of it. `c` may be NULL. */
struct prepared prepare(const struct call *c, const struct view *from, const int64_t *form, size_t form_count,
                        size_t bytes);
void prepared_free(struct prepared *prepared);

/* ---- elements (value.c) -------------------------------------------------------------------------- */

double view_real(const struct view *v, size_t at);
int64_t view_integer(const struct view *v, size_t at);
/* The same, for loops over many elements. */
static inline double view_real_of(const struct view *v, size_t at)
{
    return v->type == NET_FLOAT ? (double)((const float *)v->data)[at] : view_real(v, at);
}
/* Rounded to the type; integers saturate. */
void view_set_real(const struct view *v, size_t at, double value);
/* Modulo the type. */
void view_set_integer(const struct view *v, size_t at, int64_t value);
bool is_real(enum net_type type);
size_t type_bytes(enum net_type type);

/* The place of an element of a larger tensor in one that is broadcast to it. */
struct spread {
    int rank;
    int64_t dim[NET_RANK_MAX];
    int64_t step[NET_RANK_MAX];
};
struct spread spread_of(const struct view *from, const struct view *to);
size_t spread_at(const struct spread *s, size_t at);

#endif
