/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/array.h"

#include "gen/emit/emit.h"

/* Every variant has all parts, so the list is one; modules are named before those that use them. */
const char *const *array_leaf_modules(const struct variant *variant)
{
    static const char *const modules[] = {
        "tulle_require",
        "tulle_assert",
        "tulle_stream_check",
        "tulle_lutram",
        "tulle_ram_1w1r",
        "tulle_fifo",
        "tulle_slice",
        "tulle_fork",
        "tulle_arbiter",
        "tulle_first_error",
        "tulle_control",
        "tulle_selector",
        "tulle_parser",
        "tulle_instruction_store",
        "tulle_sequencer",
        "tulle_input_loader",
        "tulle_partial_loader",
        "tulle_input_buffer",
        "tulle_output_queue",
        "tulle_shift_out",
        NULL,
    };
    (void)variant;
    return modules;
}

bool emit_array(const struct emit_context *ctx)
{
    return emit_array_decode(ctx) && emit_array_pe(ctx) && emit_array_cluster(ctx) && emit_array_row(ctx) &&
           emit_array_top(ctx);
}
