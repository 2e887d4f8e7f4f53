/* SPDX-License-Identifier: Apache-2.0 */
#include "gen/emit/array.h"

#include "gen/emit/emit.h"
#include "gen/emit/template.h"

/* Modules are named before those that use them. Every variant has these. */
#define MODULES                                                                                              \
    "tulle_require", "tulle_assert", "tulle_stream_check", "tulle_lutram", "tulle_ram_1w1r",                 \
        "tulle_block_ram", "tulle_fifo", "tulle_slice", "tulle_fork", "tulle_least_loaded", "tulle_arbiter", \
        "tulle_first_error", "tulle_counters", "tulle_status_record", "tulle_job_arguments",                 \
        "tulle_control", "tulle_selector", "tulle_first_operands", "tulle_parser",                           \
        "tulle_instruction_store", "tulle_sequencer", "tulle_scatter", "tulle_input_loader",                 \
        "tulle_partial_loader", "tulle_input_buffer", "tulle_sum", "tulle_issue_ring", "tulle_weight_queue", \
        "tulle_scan", "tulle_index", "tulle_load_queue", "tulle_multiplier", "tulle_closer",                 \
        "tulle_activation_queue", "tulle_operands", "tulle_segment_count", "tulle_weight_feeder",            \
        "tulle_closed_count", "tulle_entry_age", "tulle_run_queue", "tulle_entry_marks",                     \
        "tulle_store_queue", "tulle_watch", "tulle_curve_table", "tulle_curve", "tulle_user_function",       \
        "tulle_late_functions", "tulle_functions", "tulle_reduce", "tulle_reduce_beside", "tulle_shift_out", \
        "tulle_add_up", "tulle_lowest", "tulle_read_port", "tulle_burst_check", "tulle_burst_id",            \
        "tulle_write_port", "tulle_load", "tulle_load_group", "tulle_storage_unit", "tulle_bitmap",          \
        "tulle_distribution_unit", "tulle_distribute", "tulle_command_slot", "tulle_command_address",        \
        "tulle_command_check", "tulle_command_fetch", "tulle_command_unpack", "tulle_command_loops",         \
        "tulle_command_queues", "tulle_command_tokens", "tulle_command", "tulle_collector",                  \
        "tulle_store_bursts", "tulle_store_groups", "tulle_store_pack", "tulle_store_responses",             \
        "tulle_store_setup", "tulle_store_window", "tulle_store_gather", "tulle_store", "tulle_product",     \
        "tulle_round_up", "tulle_function_lanes", "tulle_channel_table", "tulle_lookup",                     \
        "tulle_line_reader", "tulle_partial_reader", "tulle_operand_reader", "tulle_join_lanes",             \
        "tulle_softmax", "tulle_byte_ram", "tulle_bank", "tulle_bank_reader", "tulle_bank_writer",

static const char *const modules[] = {MODULES NULL};

static const char *const modules_with_host[] = {
    MODULES "tulle_rotate", "tulle_copy_bursts",    "tulle_copy_align", "tulle_copy_move",
    "tulle_copy_ring",      "tulle_copy_registers", "tulle_copy",       NULL,
};

const char *const *array_leaf_modules(const struct variant *variant)
{
    return variant->host_port ? modules_with_host : modules;
}

bool emit_array(const struct emit_context *ctx)
{
    return emit_array_decode(ctx) && template_emit(ctx, "tulle_pe.v", NULL, "rtl/tulle_pe.v") &&
           template_emit(ctx, "tulle_cluster.v", NULL, "rtl/tulle_cluster.v") &&
           template_emit(ctx, "tulle_row.v", NULL, "rtl/tulle_row.v") &&
           template_emit(ctx, "tulle_array.v", NULL, "rtl/tulle_array.v") &&
           template_emit(ctx, "tulle_top.v", NULL, "rtl/tulle_top.v");
}
