/* SPDX-License-Identifier: Apache-2.0
 *
 * What software has handlers for: X(name in the table of encodings, number, handler). The handler is the end
 * of the names of its functions; tables of functions are made of these lists, so a line whose function is
 * missing does not compile. The build compares the lists with gen/isa/table.c (gen/list-encodings.c): an
 * encoding without a line, or with another number, does not compile either.
 */
#ifndef TULLE_HOST_SOFTWARE_HANDLERS_H
#define TULLE_HOST_SOFTWARE_HANDLERS_H

#include "gen/isa/table.h"
#include "sim/model/program.h"
#include "sim/model/sequence.h"
#include "sim/numerics/numerics.h"

/* The model walks through loops, and orders operations. */
#define HANDLED_OPCODE(X)                    \
    X(end, OP_END, walked)                   \
    X(load, OP_LOAD, load)                   \
    X(distribute, OP_DISTRIBUTE, distribute) \
    X(store, OP_STORE, store)                \
    X(accumulate, OP_ACCUMULATE, accumulate) \
    X(loop, OP_LOOP, walked)                 \
    X(endloop, OP_ENDLOOP, walked)           \
    X(fence, OP_FENCE, walked)

#define HANDLED_COMMAND(X) \
    X(config, 0, config)   \
    X(exec, 1, exec)

#define HANDLED_INSTRUCTION(X) \
    X(mac, I_MAC, mac)         \
    X(ld, I_LD, ld)            \
    X(st, I_ST, st)            \
    X(spu, I_SPU, spu)

#define HANDLED_TARGET(X)                 \
    X(input, LD_INPUT, input)             \
    X(accumulator, LD_ACCUMULATOR, entry) \
    X(weights, LD_WEIGHTS, weights)       \
    X(buffer, LD_BUFFER, buffer)

#define HANDLED_QUEUE_STATE(X) \
    X(sq, QUEUE_SQ, sq)        \
    X(rq, QUEUE_RQ, rq)        \
    X(sw, QUEUE_SW, refused)

#define HANDLED_COLUMN(X)                     \
    X(none, COLUMN_NONE, none)                \
    X(bias, COLUMN_BIAS, channel)             \
    X(shift, COLUMN_SHIFT, channel)           \
    X(multiplier, COLUMN_MULTIPLIER, channel) \
    X(low, COLUMN_LOW, channel)               \
    X(high, COLUMN_HIGH, channel)             \
    X(lookup, COLUMN_LOOKUP, lookup)          \
    X(exponential, COLUMN_EXPONENTIAL, exponential)

#define HANDLED_OPERAND(X)         \
    X(none, OPERAND_NONE, none)    \
    X(first, OPERAND_FIRST, first) \
    X(second, OPERAND_SECOND, second)

#define HANDLED_JOIN(X)             \
    X(none, JOIN_NONE, none)        \
    X(add, JOIN_ADD, sum)           \
    X(subtract, JOIN_SUBTRACT, sum) \
    X(multiply, JOIN_MULTIPLY, product)

#define HANDLED_ELEMENT(X)       \
    X(int8, NUM_INT8, limited)   \
    X(int16, NUM_INT16, limited) \
    X(int32, NUM_INT32, wrapped) \
    X(int64, NUM_INT64, whole)

#define HANDLED_ROUNDING(X)           \
    X(up, NUM_HALVES_UP, up)          \
    X(even, NUM_HALVES_TO_EVEN, even) \
    X(two_steps, NUM_TWO_STEPS, two_steps)

/* Sums and maxima over PEs are reductions; of one value they are the value. */
#define HANDLED_FUNCTION(X)                   \
    X(none, NUM_NONE, none)                   \
    X(relu, NUM_RELU, relu)                   \
    X(leaky_relu, NUM_LEAKY_RELU, leaky_relu) \
    X(clamp, NUM_CLAMP, clamp)                \
    X(sigmoid, NUM_SIGMOID, curve)            \
    X(tanh, NUM_TANH, curve)                  \
    X(requantise, NUM_REQUANTISE, requantise) \
    X(sum, NUM_SUM, none)                     \
    X(max, NUM_MAX, none)                     \
    X(average, NUM_AVERAGE, requantise)       \
    X(user, NUM_USER, user)                   \
    X(lookup, NUM_LOOKUP, lookup)

#endif
