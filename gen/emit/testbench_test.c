/* SPDX-License-Identifier: Apache-2.0
 *
 * The test itself, part by part.
 */
#include <inttypes.h>
#include <string.h>

#include "gen/emit/emit.h"
#include "gen/emit/params.h"
#include "gen/emit/registers.h"
#include "gen/emit/testbench.h"
#include "gen/emit/verilog.h"
#include "gen/isa/codec.h"

/* ---- control --------------------------------------------------------------------------------- */

static void add_upper(struct strbuf *to, const char *text)
{
    for (; *text; text++)
        sb_addf(to, "%c", *text >= 'a' && *text <= 'z' ? *text - 'a' + 'A' : *text);
}

static void add_reset_values(struct strbuf *to, const struct emit_context *ctx)
{
    sb_add(to, "  // Every register after reset; the values are those of this variant.\n"
               "  task test_reset_values;\n    begin\n");
    for (const struct isa_register *reg = isa_registers; reg->name; reg++) {
        sb_add(to, "      read_check(`TULLE_REG_");
        add_upper(to, reg->name);
        sb_addf(to, ",\t32'h%08" PRIX32 ",\t\"%s\");\n", register_reset(reg, ctx), reg->name);
    }
    sb_add(to, "    end\n  endtask\n\n");
}

static const char control[] =
    "  task test_registers;\n"
    "    begin\n"
    "      write(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567);\n"
    "      write_bytes(`TULLE_REG_ADDRESS_PROGRAM_HIGH, 32'h89ABCDEF, 4'hF, 3);\n"
    "      write_bytes(`TULLE_REG_SIZE_EXTRA_HIGH, 32'h76543210, 4'hF, -3);\n"
    "      write(`TULLE_REG_JOB, 32'hFFFFFFFF);\n"
    "      write_bytes(`TULLE_REG_JOB, 32'h00AA0055, 4'b0101, 0);\n"
    "      read_check(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, \"argument\");\n"
    "      read_check(`TULLE_REG_ADDRESS_PROGRAM_HIGH, 32'h89ABCDEF, \"argument, data late\");\n"
    "      read_check(`TULLE_REG_SIZE_EXTRA_HIGH, 32'h76543210, \"argument, data early\");\n"
    "      read_check(`TULLE_REG_JOB, 32'hFFAAFF55, \"argument, some bytes\");\n"
    "\n"
    "      write(`TULLE_REG_MAGIC, 32'h0);\n"
    "      read_check(`TULLE_REG_MAGIC, `TULLE_RESET_MAGIC, \"read-only register\");\n"
    "      write(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'hFFFFFFFF);\n"
    "      read_check(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'h0, \"free word of an argument\");\n"
    "      write(10'h3FC, 32'hFFFFFFFF);\n"
    "      read_check(10'h3FC, 32'h0, \"offset without a register\");\n"
    "\n"
    "      write(`TULLE_REG_WATCHDOG, 32'd1000);\n"
    "      write(`TULLE_REG_RESET, 32'h52455354);\n"
    "      read_check(`TULLE_REG_WATCHDOG, `TULLE_RESET_WATCHDOG, \"a soft reset resets registers\");\n"
    "      read_check(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, \"a soft reset keeps arguments\");\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // Waits for the interrupt line.\n"
    "  task expect_interrupt;\n"
    "    integer t;\n"
    "    begin\n"
    "      for (t = 0; !irq && t < PATIENCE; t = t + 1) @(negedge clk);\n"
    "      check(irq, \"an interrupt comes\", 0, 64'd0, 64'd1);\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task say_sent;\n"
    "    begin\n"
    "      job_sent = 1'b1;\n"
    "      @(negedge clk);\n"
    "      job_sent = 1'b0;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_jobs;\n"
    "    integer started;\n"
    "    begin\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      @(negedge clk);\n"
    "      read_check(`TULLE_REG_CONTROL, 32'd0, \"a job runs\");\n"
    "      read_check(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_RUNNING}, \"status of a running job\");\n"
    "      started = taken[0];\n"
    "      configure(0, ALL, 5'd0, PARTIALS, PARTIALS_RECORDS);\n"
    "      partials(0, ALL, 5'd0, 0, 1, 2);\n"
    "      configure(0, ALL, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "      results(0, ALL, 5'd0, 0, 1, 2);\n"
    "      drain;\n"
    "      check(!irq, \"no interrupt before the job is sent\", 0, 64'd1, 64'd0);\n"
    "      say_sent;\n"
    "      expect_interrupt;\n"
    "      read_check(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_OK}, \"status of a finished job\");\n"
    "      read_check(`TULLE_REG_INTERRUPT_STATUS, 32'd1, \"pending events\");\n"
    "      read_check(`TULLE_REG_BUS_BEATS_LOW, ${counters} ? taken[0] - started : 0, \"beats counted\");\n"
    "      read(`TULLE_REG_CYCLES_LOW);\n"
    "      check(${counters} ? rvalue > 32'd20 && rvalue < PATIENCE : rvalue == 32'd0, \"cycles counted\", "
    "0,\n"
    "            {32'd0, rvalue}, 64'd0);\n"
    "      read_check(`TULLE_REG_CONTROL, 32'b01110, \"done, idle, ready\");\n"
    "      read_check(`TULLE_REG_CONTROL, 32'b00100, \"reading clears done and ready\");\n"
    "      write(`TULLE_REG_INTERRUPT_STATUS, 32'd1);\n"
    "      read_check(`TULLE_REG_INTERRUPT_STATUS, 32'd0, \"writing 1 clears an event\");\n"
    "      check(!irq, \"the interrupt ends\", 0, 64'd1, 64'd0);\n"
    "\n"
    "      // A second job waits until the end of the first is acknowledged.\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      say_sent;\n"
    "      expect_interrupt;\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      repeat (4) @(negedge clk);\n"
    "      check(dut.u_control.start_q, \"a job waits for ap_continue\", 0, 64'd0, 64'd1);\n"
    "      write(`TULLE_REG_CONTROL, 32'b10000);\n"
    "      read_check(`TULLE_REG_CONTROL & 10'h3FF, 32'b01000, \"after ap_continue the next job runs\");\n"
    "\n"
    "      // A soft reset ends it.\n"
    "      write(`TULLE_REG_RESET, 32'h52455354);\n"
    "      read_check(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_ABORTED}, \"status of an aborted job\");\n"
    "      read_check(`TULLE_REG_CONTROL, 32'b00100, \"idle after a soft reset\");\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_failing_jobs;\n"
    "    begin\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd3);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      send(N - 1, EXEC, 1 << (M - 1), 16'd1);\n"
    "      expect_interrupt;\n"
    "      read_check(`TULLE_REG_INTERRUPT_STATUS, 32'd3, \"events of a failed job\");\n"
    "      expect_error(`TULLE_STATUS_NOT_CONFIGURED, N - 1, M - 1);\n"
    "      reset_softly;\n"
    "      read_check(`TULLE_REG_STATUS, 32'd0, \"a soft reset clears the status\");\n"
    "\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);\n"
    "      write(`TULLE_REG_WATCHDOG, 32'd100);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      expect_interrupt;\n"
    "      read_check(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_COMMAND, `TULLE_STATUS_WATCHDOG},\n"
    "                 \"status after the watchdog\");\n"
    "      reset_softly;\n"
    "    end\n"
    "  endtask\n"
    "\n";

/* ---- data ------------------------------------------------------------------------------------ */

static const char data[] =
    "  // Partial sums in and out: each cluster alone, then several, then all of a row; all rows at once.\n"
    "  task test_partial_sums;\n"
    "    integer r;\n"
    "    integer c;\n"
    "    begin\n"
    "      for (c = 0; c < M; c = c + 1)\n"
    "        for (r = 0; r < N; r = r + 1) begin\n"
    "          configure(r, 1 << c, 5'd0, PARTIALS, PARTIALS_RECORDS);\n"
    "          partials(r, 1 << c, 5'd0, 0, 1, 4);\n"
    "        end\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        partials(r, EVEN[M-1:0], 5'd0, 0, 1, 1);\n"
    "        configure(r, ALL, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 5'd0, 0, 1, 4);\n"
    "        results(r, 1 << (M - 1), 5'd0, 0, 1, 3);\n"
    "        results(r, ODD[M-1:0], 5'd0, 0, 1, 2);\n"
    "      end\n"
    "      drain;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // Operands: bases, strides down and by two, packets that go on where the last one stopped, whole "
    "queue.\n"
    "  task test_result_operands;\n"
    "    integer r;\n"
    "    begin\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, BUFFERS - 1, PARTIALS_DOWN, PARTIALS_DOWN_RECORDS);\n"
    "        partials(r, ALL, BUFFERS - 1, 3, -1, 5); // the fifth into the last entry\n"
    "        configure(r, ALL, BUFFERS - 1, RESULTS_STEP, RESULTS_STEP_RECORDS);\n"
    "        results(r, ALL, BUFFERS - 1, 1, 2, 2);\n"
    "        configure(r, ALL, 5'd0, PARTIALS_GO_ON, PARTIALS_GO_ON_RECORDS);\n"
    "        partials(r, ALL, 5'd0, 0, 1, 1);\n"
    "        partials(r, ALL, 5'd0, 1, 1, 2);\n"
    "        partials(r, ALL, 5'd0, 3, 1, 1);\n"
    "        configure(r, ALL, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 5'd0, 0, 1, 4);\n"
    "        send(r, SHIFT_OUT, ALL, 16'd0); // a sequence that runs not at all\n"
    "        send(r, EXEC, ALL, 16'd1);      // without shift_out nothing is stored\n"
    "      end\n"
    "      drain;\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 5'd0, PARTIALS, PARTIALS_RECORDS);\n"
    "        partials(r, ALL, 5'd0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);\n"
    "        configure(r, ALL, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 5'd0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);\n"
    "      end\n"
    "      drain;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // Waits until nothing is in flight.\n"
    "  task settle;\n"
    "    integer t;\n"
    "    begin\n"
    "      drain;\n"
    "      for (t = 0; !dut.idle && t < PATIENCE; t = t + 1) @(negedge clk);\n"
    "      check(dut.idle, \"the array comes to rest\", 0, 64'd0, 64'd1);\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_activations;\n"
    "    integer r;\n"
    "    integer c;\n"
    "    begin\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 5'd0, INPUTS, INPUTS_RECORDS);\n"
    "        inputs(r, ALL, 5'd0, 5, 2, 0, 2, 0, 0, LINES);\n"
    "      end\n"
    "      settle;\n"
    "      check_inputs;\n"
    "      for (c = 0; c < M; c = c + 1)\n"
    "        for (r = 0; r < N; r = r + 1) begin\n"
    "          configure(r, 1 << c, 5'd0, INPUTS_PITCH, INPUTS_PITCH_RECORDS);\n"
    "          inputs(r, 1 << c, 5'd0, 7, 1, 1, 1, 2, 2, 8);\n"
    "          configure(r, 1 << c, 5'd0, INPUTS_END, INPUTS_END_RECORDS);\n"
    "          inputs(r, 1 << c, 5'd0, 1, 2, LINES - 1, 0, 0, 0, LINES);\n"
    "        end\n"
    "      settle;\n"
    "      check_inputs;\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 5'd0, INPUTS_BACK, INPUTS_BACK_RECORDS);\n"
    "        inputs(r, ALL, 5'd0, 3, 1, 0, -1, 0, 0, 4);\n"
    "      end\n"
    "      settle;\n"
    "      check_inputs;\n"
    "    end\n"
    "  endtask\n"
    "\n";

static const char through[] = "  task test_through;\n"
                              "    integer r;\n"
                              "    integer i;\n"
                              "    integer c;\n"
                              "    begin\n"
                              "      for (r = 0; r < N; r = r + 1) begin\n"
                              "        configure(r, ALL, 5'd0, THROUGH, THROUGH_RECORDS);\n"
                              "        for (i = 0; i < 4; i = i + 1) begin\n"
                              "          put_partials(r, ALL, i, seeds + i);\n"
                              "          for (c = 0; c < M; c = c + 1) expect_results(r, c, i, i == 3);\n"
                              "        end\n"
                              "        seeds = seeds + 4;\n"
                              "        send(r, SHIFT_OUT, ALL, 16'd4);\n"
                              "      end\n"
                              "      drain;\n"
                              "    end\n"
                              "  endtask\n"
                              "\n";

static const char mixed[] =
    "  // Activations end in the middle of a beat; the partial sums behind them begin in the next.\n"
    "  task test_mixed;\n"
    "    integer r;\n"
    "    integer i;\n"
    "    integer c;\n"
    "    begin\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 5'd0, MIXED, MIXED_RECORDS);\n"
    "        for (i = 0; i < 4; i = i + 1) begin\n"
    "          align;\n"
    "          put_line(r, ALL, i, seeds + 2 * i);\n"
    "          put_partials(r, ALL, i, seeds + 2 * i + 1);\n"
    "          for (c = 0; c < M; c = c + 1) expect_results(r, c, i, i == 3);\n"
    "        end\n"
    "        seeds = seeds + 8;\n"
    "        send(r, SHIFT_OUT, ALL, 16'd4);\n"
    "      end\n"
    "      settle;\n"
    "      check_inputs;\n"
    "    end\n"
    "  endtask\n"
    "\n";

static const char triggers[] = "  // A buffer that triggers another when it is done.\n"
                               "  task test_triggers;\n"
                               "    integer r;\n"
                               "    integer c;\n"
                               "    begin\n"
                               "      for (r = 0; r < N; r = r + 1) begin\n"
                               "        configure(r, ALL, 5'd0, TRIGGERS, TRIGGERS_RECORDS);\n"
                               "        configure(r, ALL, 5'd1, RESULTS, RESULTS_RECORDS);\n"
                               "        put_partials(r, ALL, 0, seeds);\n"
                               "        put_partials(r, ALL, 1, seeds + 1);\n"
                               "        seeds = seeds + 2;\n"
                               "        for (c = 0; c < M; c = c + 1) expect_results(r, c, 0, 1'b1);\n"
                               "        send(r, SHIFT_OUT, ALL, 16'd2);\n"
                               "      end\n"
                               "      drain;\n"
                               "    end\n"
                               "  endtask\n"
                               "\n";

/* With the longest sequences in as many buffers as the register file allows; a buffer's registers are given
 * back when it is configured again. */
static const char longest[] =
    "  task test_longest;\n"
    "    integer b;\n"
    "    integer i;\n"
    "    begin\n"
    "      reset_softly; // what other buffers hold\n"
    "      for (i = 0; i < 20; i = i + 1) begin\n"
    "        b = i % BUFFERS % ROOM;\n"
    "        configure(0, ALL, b[4:0], LONGEST, LONGEST_RECORDS);\n"
    "      end\n"
    "      for (b = 0; b < BUFFERS && b < ROOM; b = b + 1) begin\n"
    "        for (i = 1; i < LONGEST_RECORDS - 1; i = i + 1) put_partials(0, ALL, 0, seeds + i);\n"
    "        seeds = seeds + LONGEST_RECORDS;\n"
    "        for (i = 0; i < M; i = i + 1) expect_results(0, i, 1, 1'b1);\n"
    "        send(0, SHIFT_OUT | b[7:0], ALL, 16'd1);\n"
    "      end\n"
    "      drain;\n"
    "      read_check(`TULLE_REG_STATUS, 32'd0, \"the longest sequences run\");\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // One buffer more, after a soft reset that freed what was there.\n"
    "  task test_full_register_file;\n"
    "    integer b;\n"
    "    begin\n"
    "      reset_softly;\n"
    "      for (b = 0; b <= ROOM; b = b + 1)\n"
    "        configure(bad_row, 1 << bad_cluster, b[4:0], LONGEST, LONGEST_RECORDS);\n"
    "      judge(`TULLE_STATUS_CONFIG_LENGTH);\n"
    "    end\n"
    "  endtask\n"
    "\n";

/* ---- errors ---------------------------------------------------------------------------------- */

static const char errors[] =
    "  // -- Errors: each in another cluster, while the others work\n"
    "\n"
    "  integer turn = 0;\n"
    "  integer bad_row = 0;\n"
    "  integer bad_cluster = 0;\n"
    "\n"
    "  // The error must be named; what comes after it is taken and ignored; a soft reset makes the device "
    "usable.\n"
    "  task judge(input [15:0] code);\n"
    "    begin\n"
    "      drain;\n"
    "      expect_error(code, bad_row, bad_cluster);\n"
    "      configure(bad_row, 1 << bad_cluster, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "      send(bad_row, SHIFT_OUT, 1 << bad_cluster, 16'd3);\n"
    "      drain;\n"
    "      expect_error(code, bad_row, bad_cluster);\n"
    "      reset_softly;\n"
    "      read_check(`TULLE_REG_STATUS, 32'd0, \"status after a soft reset\");\n"
    "      configure(bad_row, ALL, 5'd0, PARTIALS, PARTIALS_RECORDS);\n"
    "      partials(bad_row, ALL, 5'd0, 0, 1, 2);\n"
    "      configure(bad_row, ALL, 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "      results(bad_row, ALL, 5'd0, 0, 1, 2);\n"
    "      drain;\n"
    "      read_check(`TULLE_REG_STATUS, 32'd0, \"no error after the soft reset\");\n"
    "      turn        = turn + 1;\n"
    "      bad_row     = turn % N;\n"
    "      bad_cluster = turn % M;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task bad_config(input integer first, input integer records, input [15:0] code);\n"
    "    begin\n"
    "      configure(bad_row, 1 << bad_cluster, 5'd0, first, records);\n"
    "      judge(code);\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // A payload that is accepted, and a packet with `beats` beats that is not.\n"
    "  task bad_exec(input integer first, input integer records, input [7:0] command, input [15:0] count,\n"
    "                input integer beats, input [15:0] code);\n"
    "    begin\n"
    "      configure(bad_row, 1 << bad_cluster, 5'd0, first, records);\n"
    "      send_longer(bad_row, command, 1 << bad_cluster, count, beats - 1);\n"
    "      judge(code);\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_errors;\n"
    "    begin\n"
    "      send(bad_row, CONFIG | 8'h20, 1 << bad_cluster, 16'd0);\n"
    "      judge(`TULLE_STATUS_BAD_COMMAND);\n"
    "      reset_softly;\n"
    "      send(bad_row, EXEC, 1 << bad_cluster, 16'd1);\n"
    "      judge(`TULLE_STATUS_NOT_CONFIGURED);\n"
    "      if (BUFFERS < 32) begin\n"
    "        configure(bad_row, 1 << bad_cluster, BUFFERS, RESULTS, RESULTS_RECORDS);\n"
    "        judge(`TULLE_STATUS_NOT_CONFIGURED);\n"
    "        send(bad_row, EXEC | 8'd31, 1 << bad_cluster, 16'd1);\n"
    "        judge(`TULLE_STATUS_NOT_CONFIGURED);\n"
    "      end\n"
    "\n"
    "      bad_config(BAD_VERSION, BAD_VERSION_RECORDS, `TULLE_STATUS_CONFIG_VERSION);\n"
    "      bad_config(BAD_FIELD, BAD_FIELD_RECORDS, `TULLE_STATUS_BAD_FIELD);\n"
    "      bad_config(BAD_RESERVED, BAD_RESERVED_RECORDS, `TULLE_STATUS_BAD_RESERVED);\n"
    "      bad_config(BAD_INSTRUCTION, BAD_INSTRUCTION_RECORDS, `TULLE_STATUS_BAD_INSTRUCTION);\n"
    "      bad_config(BAD_CHECK, BAD_CHECK_RECORDS, `TULLE_STATUS_CONFIG_CHECK);\n"
    "      bad_config(BAD_CHECK_FIRST, BAD_CHECK_FIRST_RECORDS, `TULLE_STATUS_CONFIG_CHECK);\n"
    "      bad_config(BAD_SHORT, BAD_SHORT_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);\n"
    "      bad_config(BAD_LONG, BAD_LONG_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);\n"
    "      bad_config(BAD_KIND, BAD_KIND_RECORDS, `TULLE_STATUS_BAD_FIELD);\n"
    "      bad_config(BAD_ADDRESS, BAD_ADDRESS_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "      bad_config(BAD_RESULT, BAD_RESULT_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "      bad_config(NO_SPU, NO_SPU_RECORDS, `TULLE_STATUS_NO_FEATURE);\n"
    "      bad_config(NO_TABLE, NO_TABLE_RECORDS, `TULLE_STATUS_NO_FUNCTION);\n"
    "      bad_config(BAD_BASE, BAD_BASE_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "\n"
    "      bad_exec(BAD_BLOCK, BAD_BLOCK_RECORDS, EXEC, 16'd1, 3, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "      bad_exec(BAD_STRIDE, BAD_STRIDE_RECORDS, EXEC, 16'd2, 2, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "\n"
    "      bad_exec(NO_WINDOW, NO_WINDOW_RECORDS, EXEC, 16'd1, 1, `TULLE_STATUS_NO_FEATURE);\n"
    "      bad_exec(NO_MAC, NO_MAC_RECORDS, EXEC, 16'd1, 1, `TULLE_STATUS_NO_FEATURE);\n"
    "      bad_exec(NO_WEIGHTS, NO_WEIGHTS_RECORDS, EXEC, 16'd1, 1, `TULLE_STATUS_NO_FEATURE);\n"
    "\n"
    "      bad_exec(BAD_RING, BAD_RING_RECORDS, EXEC, 16'd1, 1, `TULLE_STATUS_BAD_LOOP);\n"
    "\n"
    "      // Beats: one too few, one too many, two where the sequence takes none.\n"
    "      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 16'd3, SET_BEATS * 3 - 1, "
    "`TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 16'd3, SET_BEATS * 3 + 1, "
    "`TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16'd4, LINES_BEATS - 1, `TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16'd4, LINES_BEATS + 1, `TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(RESULTS, RESULTS_RECORDS, EXEC, 16'd1, 2, `TULLE_STATUS_PACKET_LENGTH);\n";

static const char error_sizes[] =
    "  localparam SET_BEATS\t= (K * ELEMENT + BUS - 1) / BUS;\t// beats of a set of partial sums\n"
    "  localparam LINES_BEATS\t= (8 * LOAD + BUS - 1) / BUS;\t// beats of eight lines of activations\n"
    "\n";

static const char isolation[] =
    "  // An error in one cluster does not stop the others, and the first error is the one that is kept.\n"
    "  task test_isolation;\n"
    "    begin\n"
    "      reset_softly;\n"
    "      send(0, EXEC, 1, 16'd1);\n"
    "      drain;\n"
    "      expect_error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);\n"
    "      send(N - 1, CONFIG | 8'h40, 1 << (M - 1), 16'd0);\n"
    "      drain;\n"
    "      expect_error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);\n"
    "      if (M > 1 && N > 1) begin\n"
    "        configure(0, 1 << (M - 1), 5'd0, PARTIALS, PARTIALS_RECORDS);\n"
    "        partials(0, 1 << (M - 1), 5'd0, 0, 1, 3);\n"
    "        configure(0, 1 << (M - 1), 5'd0, RESULTS, RESULTS_RECORDS);\n"
    "        results(0, 1 << (M - 1), 5'd0, 0, 1, 3);\n"
    "        drain;\n"
    "      end\n"
    "      reset_softly;\n"
    "    end\n"
    "  endtask\n"
    "\n";

static void add_optional_errors(struct strbuf *to, const struct variant *v)
{
    unsigned all = 0;
    for (const struct isa_value *f = isa_function_values; f->name; f++)
        all |= f->value ? 1u << f->value : 0;
    sb_add(to, "\n");
    if (v->instruction_buffers < 32)
        sb_add(to, "      bad_config(BAD_TRIGGER, BAD_TRIGGER_RECORDS, `TULLE_STATUS_BAD_FIELD);\n");
    if (v->instruction_depth < 32)
        sb_add(to, "      bad_config(BAD_FULL, BAD_FULL_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);\n");
    if ((params_function_mask(v) & all) != all)
        sb_add(to, "      bad_config(BAD_FUNCTION, BAD_FUNCTION_RECORDS, `TULLE_STATUS_NO_FUNCTION);\n");
    sb_add(to, "    end\n  endtask\n\n");
}

/* Whether the longest sequences of all buffers are more than the register file holds. */
static bool register_file_can_be_full(const struct variant *v)
{
    return (v->register_file_entries + 3) / 4 < (v->instruction_depth + 3) / 4 * v->instruction_buffers;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_main(struct strbuf *to, const struct variant *v)
{
    sb_add(to, "  // -- The test\n\n"
               "  task test_data;\n    begin\n"
               "      test_partial_sums;\n      test_result_operands;\n      test_activations;\n");
    if (v->instruction_depth >= 2)
        sb_add(to, "      test_through;\n");
    if (v->instruction_depth >= 3)
        sb_add(to, "      test_mixed;\n");
    if (v->instruction_buffers >= 2)
        sb_add(to, "      test_triggers;\n");
    sb_add(to, "    end\n  endtask\n\n"
               "  initial begin\n"
               "    repeat (4) @(negedge clk);\n    rst_n = 1'b1;\n    repeat (4) @(negedge clk);\n"
               "    test_reset_values;\n    test_registers;\n");
    if (v->functions)
        sb_add(to, "    configure(0, ALL, 5'd0, FUNCTION, FUNCTION_RECORDS);\n    drain;\n"
                   "    read_check(`TULLE_REG_STATUS, 32'd0, \"a function of the variant is accepted\");\n");
    sb_add(to, "    test_data;\n"
               "    gaps   = 1'b1;\n    test_data;\n"
               "    stalls = 1'b1;\n    test_data;\n"
               "    gaps   = 1'b0;\n    test_data;\n"
               "    test_longest;\n    test_errors;\n    test_isolation;\n");
    if (register_file_can_be_full(v))
        sb_add(to, "    test_full_register_file;\n");
    sb_add(to, "    stalls = 1'b0;\n    test_jobs;\n    test_failing_jobs;\n    test_partial_sums;\n"
               "    finish;\n  end\n\n");
}

void testbench_test(struct strbuf *to, const struct emit_context *ctx)
{
    add_reset_values(to, ctx);
    verilog_add(to, ctx, 0, control);
    verilog_add(to, ctx, 0, data);
    if (ctx->variant->instruction_depth >= 2)
        verilog_add(to, ctx, 0, through);
    if (ctx->variant->instruction_depth >= 3)
        verilog_add(to, ctx, 0, mixed);
    if (ctx->variant->instruction_buffers >= 2)
        verilog_add(to, ctx, 0, triggers);
    verilog_add(to, ctx, 0, error_sizes);
    verilog_add(to, ctx, 0, errors);
    add_optional_errors(to, ctx->variant);
    verilog_add(to, ctx, 0, isolation);
    verilog_add(to, ctx, 0, longest);
    add_main(to, ctx->variant);
}
