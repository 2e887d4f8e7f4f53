/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of both models share: random numbers, argument slots with
 * guard bytes, and a builder of small programs around the writer.
 */
#ifndef TULLE_TESTS_SIM_MODEL_SUPPORT_H
#define TULLE_TESTS_SIM_MODEL_SUPPORT_H

#include "gen/base/random.h"
#include "host/plan/planner.h"
#include "sim/model/model.h"

/* Any value of that many bits; the ends of the range more often than by chance. */
int64_t random_signed(struct random *dice, unsigned bits);
/* The same without 0. */
int64_t random_signed_non_zero(struct random *dice, unsigned bits);
void random_bytes(struct random *dice, struct strbuf *to, size_t count);

/* A number from the environment, else `otherwise`. */
uint64_t from_environment(const char *name, uint64_t otherwise);

/* A named variant with "key=value" overrides, NULL at the end; must be legal. */
struct variant variant_of(const char *name, const char *const *sets);

/* Settings, and their end. */
#define WITH(...)    \
    SETTINGS         \
    {                \
        __VA_ARGS__, \
        {            \
            NULL, 0  \
        }            \
    }

/* ---- slots ----------------------------------------------------------------------------------- */

/* Argument slots, each in memory of its own with guard bytes around it. */
struct slots {
    struct job job;
    uint8_t *before[ISA_SLOTS]; /* what the slot held at first */
};
/* `bytes` NULL: 0xEE all over. */
void slots_set(struct slots *slots, unsigned slot, const void *bytes, size_t size);
/* Every slot as it was, to run once more. */
void slots_restore(struct slots *slots);
/* Whether nothing was written around them. */
bool slots_whole(const struct slots *slots);
void slots_free(struct slots *slots);

/* ---- programs -------------------------------------------------------------------------------- */

enum { TOKEN_ARRIVED, TOKEN_UNIT_FREE, TOKEN_SET_UP, TOKEN_SPARE };

/* A program under construction with the data that it reads. Packets go through the storage unit one after
 * another, so their order is that of the calls. */
struct builder {
    struct variant variant;
    struct variant_derived derived;
    struct writer writer;
    struct strbuf slot[ISA_SLOTS];
    unsigned config_rows; /* that configurations go to: all at first */
};
void builder_begin(struct builder *b, const struct variant *variant);
void builder_free(struct builder *b);

/* The bytes, padded with zeros to whole beats, as a packet. */
struct send {
    unsigned rows, clusters, command, count;
    bool scatter, dispatch, plain, bitmap;
    unsigned segment, segments; /* of a plain packet */
};
void builder_send(struct builder *b, const struct send *send, const void *bytes, size_t len);

/* Configures a buffer of all clusters. */
void builder_config(struct builder *b, unsigned buffer, const struct setting *header,
                    const struct config_instruction *code, size_t instructions);
/* The same with function records behind the instructions. */
struct function_record {
    unsigned function, element, shift;
    int64_t multiplier, low, high, zero, slope;
    unsigned rounding;
};
void builder_config_functions(struct builder *b, unsigned buffer, const struct setting *header,
                              const struct config_instruction *code, size_t instructions,
                              const struct function_record *functions, size_t function_count);

/* Ends the program and makes the slots: what was built, a status slot, and an output slot of that size if
 * it is not 0. */
void builder_finish(struct builder *b, struct slots *slots, size_t output_bytes);

unsigned every_row(const struct variant *v);
unsigned every_cluster(const struct variant *v);

/* ---- running --------------------------------------------------------------------------------- */

/* Runs the job on a fresh functional model and checks what holds for every run: guard bytes, and a status
 * record that says what the result says. */
struct job_result run_model(const struct variant *v, struct slots *slots);
/* What is foreseen of a program that has succeeded is what it has moved. */
void expect_traffic(const struct variant *v, const struct slots *slots, const struct job_result *result);
/* The same on a model that is there already. */
struct job_result run_on(struct model *model, struct slots *slots);

/* Fails the test unless the status slot holds a sealed record that says what the result says. */
void expect_status(const struct slots *slots, const struct job_result *result);

/* Seals an operation's record again after a change. `place`: its byte offset in the program. */
void seal_operation(uint8_t *program, uint64_t place);
void seal_header(uint8_t *program);

#endif
