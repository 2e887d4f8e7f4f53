/* SPDX-License-Identifier: Apache-2.0 */
#include "host/plan/steps.h"

#include <assert.h>

uint32_t round_up(uint32_t value, uint32_t multiple)
{
    return divide_up(value, multiple) * multiple;
}

uint32_t divide_up(uint32_t value, uint32_t by)
{
    assert(by);
    return (value + by - 1) / by;
}

uint32_t all_rows(const struct variant *variant)
{
    return (1u << variant->n) - 1;
}

uint32_t all_clusters(const struct variant *variant)
{
    return (1u << variant->m) - 1;
}

void step_configure(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes)
{
    step_configure_by(writer, buffer, offset, bytes, buffer * CONFIG_UNIT_BYTES);
}

void step_configure_by(struct writer *writer, unsigned buffer, uint64_t offset, size_t bytes, uint32_t unit)
{
    const struct variant *v = writer->variant;
    writer_load_data(writer, SETTINGS{{"rows", all_rows(v)},
                                      {"slot", SLOT_PROGRAM},
                                      {"offset", (int64_t)offset},
                                      {"length", (int64_t)bytes},
                                      {"unit_address", unit},
                                      {"signal_a", 1},
                                      {"signal_a_token", TOKEN_CONFIG},
                                      {NULL, 0}});
    writer_op(writer, "distribute",
              SETTINGS{{"rows", all_rows(v)},
                       {"clusters", all_clusters(v)},
                       {"command", buffer},
                       {"count", 1},
                       {"length", (int64_t)bytes},
                       {"unit_address", unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_CONFIG},
                       {NULL, 0}});
}

void step_weights(struct writer *writer, const struct weights_step *step)
{
    const struct variant *v = writer->variant;
    writer_op(writer, "load",
              SETTINGS{{"rows", all_rows(v)},
                       {"slot", SLOT_WEIGHTS},
                       {"offset", (int64_t)step->offset},
                       {"length", step->bytes},
                       {"unit_address", step->unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS_FREE},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS},
                       {NULL, 0}});
    writer_op(writer, "distribute",
              SETTINGS{{"rows", all_rows(v)},
                       {"clusters", all_clusters(v)},
                       {"command", step->command},
                       {"count", step->count},
                       {"length", step->bytes},
                       {"unit_address", step->unit},
                       {"wait_a", 1},
                       {"wait_a_token", TOKEN_WEIGHTS},
                       {"signal_a", 1},
                       {"signal_a_token", TOKEN_WEIGHTS_FREE},
                       {NULL, 0}});
}
