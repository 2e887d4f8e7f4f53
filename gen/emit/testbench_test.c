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
    unsigned count = 0;
    struct strbuf list = {0};
    for (const struct isa_register *reg = isa_registers; reg->name; reg++) {
        sb_addf(&list, "    reset_value[%u]\t= {`TULLE_REG_", count++);
        add_upper(&list, reg->name);
        sb_addf(&list, ",\t32'h%08" PRIX32 "};\n", register_reset(reg, ctx));
    }
    sb_addf(
        to,
        "  // Every register after reset: offset and value, which is that of this variant\n"
        "  localparam REGISTERS = %u;\n\n  reg [41:0] reset_value [0:REGISTERS-1];\n\n  initial begin\n%s  "
        "end\n\n"
        "  task test_reset_values;\n    integer i;\n    begin\n"
        "      for (i = 0; i < REGISTERS; i = i + 1)\n"
        "        read(reset_value[i][41:32], reset_value[i][31:0], \"value after reset, of the offset\");\n"
        "    end\n  endtask\n\n",
        count, sb_text(&list));
    to->failed |= list.failed;
    sb_free(&list);
}

static const char control[] =
    "  task test_registers;\n"
    "    begin\n"
    "      write(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567);\n"
    "      plan(WRITE, {22'd0, `TULLE_REG_ADDRESS_PROGRAM_HIGH}, 32'h89ABCDEF, 15, 3, 0, 0);\n"
    "      plan(WRITE, {22'd0, `TULLE_REG_SIZE_EXTRA_HIGH}, 32'h76543210, 15, -3, 0, 0);\n"
    "      write(`TULLE_REG_JOB, 32'h77777777);\n"
    "      plan(WRITE, {22'd0, `TULLE_REG_JOB}, 32'h00AA0055, 5, 0, 0, 0);\n"
    "      read(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, \"argument\");\n"
    "      read(`TULLE_REG_ADDRESS_PROGRAM_HIGH, 32'h89ABCDEF, \"argument, data late\");\n"
    "      read(`TULLE_REG_SIZE_EXTRA_HIGH, 32'h76543210, \"argument, data early\");\n"
    "      read(`TULLE_REG_JOB, 32'h77AA7755, \"argument, some bytes\");\n"
    "\n"
    "      write(`TULLE_REG_MAGIC, 32'h0);\n"
    "      read(`TULLE_REG_MAGIC, `TULLE_RESET_MAGIC, \"read-only register\");\n"
    "      write(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'hFFFFFFFF);\n"
    "      read(`TULLE_REG_ADDRESS_PROGRAM_HIGH + 10'd4, 32'h0, \"free word of an argument\");\n"
    "      write(10'h3FC, 32'hFFFFFFFF);\n"
    "      read(10'h3FC, 32'h0, \"offset without a register\");\n"
    "\n"
    "      write(`TULLE_REG_WATCHDOG, 32'h11223344);\n"
    "      plan(WRITE, {22'd0, `TULLE_REG_WATCHDOG}, 32'hAABBCCDD, 10, 0, 0, 0);\n"
    "      read(`TULLE_REG_WATCHDOG, 32'hAA22CC44, \"register, odd bytes\");\n"
    "      plan(WRITE, {22'd0, `TULLE_REG_WATCHDOG}, 32'h55667788, 5, 0, 0, 0);\n"
    "      read(`TULLE_REG_WATCHDOG, 32'hAA66CC88, \"register, even bytes\");\n"
    "\n"
    "      // Behind the block of registers there is nothing.\n"
    "      plan(WRITE, {20'd0, 2'b01, `TULLE_REG_WATCHDOG}, 32'd0, 15, 0, 0, 0);\n"
    "      read(`TULLE_REG_WATCHDOG, 32'hAA66CC88, \"register, another address written\");\n"
    "      plan(READ, {20'd0, 2'b01, `TULLE_REG_MAGIC}, 0, 0, 0, 0, \"address behind the registers\");\n"
    "      plan(READ, {20'd0, 2'b10, `TULLE_REG_MAGIC}, 0, 0, 0, 0, \"address behind the registers\");\n"
    "\n"
    "      reset_softly;\n"
    "      read(`TULLE_REG_WATCHDOG, `TULLE_RESET_WATCHDOG, \"a soft reset resets registers\");\n"
    "      read(`TULLE_REG_ADDRESS_PROGRAM_LOW, 32'h01234567, \"a soft reset keeps arguments\");\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_jobs;\n"
    "    begin\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      read(`TULLE_REG_CONTROL, 32'd0, \"a job runs\");\n"
    "      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_RUNNING}, \"status of a running job\");\n"
    "      plan(MARK, 0, 0, 0, 0, 0, 0);\n"
    "      configure(0, ALL, 0, PARTIALS, PARTIALS_RECORDS);\n"
    "      partials(0, ALL, 0, 0, 1, 2);\n"
    "      configure(0, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
    "      results(0, ALL, 0, 0, 1, 2);\n"
    "      drain;\n"
    "      plan(NO_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "      plan(SAY_SENT, 0, 0, 0, 0, 0, 0);\n"
    "      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_OK}, \"status of a finished job\");\n"
    "      read(`TULLE_REG_INTERRUPT_STATUS, 32'd1, \"pending events\");\n"
    "      plan(READ_BEATS, {22'd0, `TULLE_REG_BUS_BEATS_LOW}, 0, 0, 0, 0, 0);\n"
    "      plan(READ, {22'd0, `TULLE_REG_CYCLES_LOW}, ${counters} * 20, ${counters} * PATIENCE, 0, 0, "
    "\"cycles counted\");\n"
    "      read(`TULLE_REG_CONTROL, 32'b01110, \"done, idle, ready\");\n"
    "      read(`TULLE_REG_CONTROL, 32'b00100, \"reading clears done and ready\");\n"
    "      write(`TULLE_REG_INTERRUPT_STATUS, 32'd1);\n"
    "      read(`TULLE_REG_INTERRUPT_STATUS, 32'd0, \"writing 1 clears an event\");\n"
    "      plan(NO_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "\n"
    "      // A second job waits until the end of the first is acknowledged. The first write is taken.\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      plan(SAY_SENT, 0, 0, 0, 0, 0, 0);\n"
    "      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      plan(PAUSE, 8, 0, 0, 0, 0, 0);\n"
    "      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_OK}, \"the next job waits\");\n"
    "      write(`TULLE_REG_CONTROL, 32'b10000);\n"
    "      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_RUNNING}, \"after ap_continue it runs\");\n"
    "\n"
    "      // A soft reset ends it.\n"
    "      reset_softly;\n"
    "      read(`TULLE_REG_STATUS, {16'd0, `TULLE_STATUS_ABORTED}, \"status of an aborted job\");\n"
    "      read(`TULLE_REG_CONTROL, 32'b00100, \"idle after a soft reset\");\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_failing_jobs;\n"
    "    begin\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd3);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      send(N - 1, EXEC, 1 << (M - 1), 1, 0);\n"
    "      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "      read(`TULLE_REG_INTERRUPT_STATUS, 32'd3, \"events of a failed job\");\n"
    "      error(`TULLE_STATUS_NOT_CONFIGURED, N - 1, M - 1);\n"
    "      reset_softly;\n"
    "      read(`TULLE_REG_STATUS, 32'd0, \"a soft reset clears the status\");\n"
    "\n"
    "      write(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);\n"
    "      write(`TULLE_REG_INTERRUPT_MASK, 32'd1);\n"
    "      write(`TULLE_REG_WATCHDOG, 32'd100);\n"
    "      write(`TULLE_REG_CONTROL, 32'd1);\n"
    "      plan(WAIT_IRQ, 0, 0, 0, 0, 0, 0);\n"
    "      read(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_COMMAND, `TULLE_STATUS_WATCHDOG}, "
    "\"status after the watchdog\");\n"
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
    "          configure(r, 1 << c, 0, PARTIALS, PARTIALS_RECORDS);\n"
    "          partials(r, 1 << c, 0, 0, 1, 4);\n"
    "        end\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        partials(r, EVEN[M-1:0], 0, 0, 1, 1);\n"
    "        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 0, 0, 1, 4);\n"
    "        results(r, 1 << (M - 1), 0, 0, 1, 3);\n"
    "        results(r, ODD[M-1:0], 0, 0, 1, 2);\n"
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
    "      reset_softly;\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, BUFFERS - 1, PARTIALS_DOWN, PARTIALS_DOWN_RECORDS);\n"
    "        partials(r, ALL, BUFFERS - 1, 3, -1, 5); // the fifth into the last entry\n"
    "        configure(r, ALL, BUFFERS - 1, RESULTS_STEP, RESULTS_STEP_RECORDS);\n"
    "        results(r, ALL, BUFFERS - 1, 1, 2, 2);\n"
    "        configure(r, ALL, 0, PARTIALS_GO_ON, PARTIALS_GO_ON_RECORDS);\n"
    "        partials(r, ALL, 0, 0, 1, 1);\n"
    "        partials(r, ALL, 0, 1, 1, 2);\n"
    "        partials(r, ALL, 0, 3, 1, 1);\n"
    "        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 0, 0, 1, 4);\n"
    "        send(r, SHIFT_OUT, ALL, 0, 0); // a sequence that runs not at all\n"
    "        send(r, EXEC, ALL, 1, 0);      // without shift_out nothing is stored\n"
    "      end\n"
    "      drain;\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 0, PARTIALS, PARTIALS_RECORDS);\n"
    "        partials(r, ALL, 0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);\n"
    "        configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
    "        results(r, ALL, 0, 0, 1, ENTRIES < 16 ? ENTRIES : 16);\n"
    "      end\n"
    "      drain;\n"
    "    end\n"
    "  endtask\n"
    "\n";

static const char activations[] = "  // What the input buffers of a row hold, read out with weights.\n"
                                  "  task held(input integer r);\n"
                                  "    begin\n"
                                  "      configure(r, ALL, 0, SEGMENT, SEGMENT_RECORDS);\n"
                                  "      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);\n"
                                  "      send(r, EXEC, ALL, 1, 0);\n"
                                  "      configure(r, ALL, 0, SCAN_LINES, SCAN_LINES_RECORDS);\n"
                                  "      plan(MODEL_LINES, r, 0, HELD, 0, 0, 0);\n"
                                  "      send(r, EXEC, ALL, HELD, 0);\n"
                                  "      configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
                                  "      results(r, ALL, 0, 0, 1, HELD);\n"
                                  "      configure(r, ALL, 0, SEGMENT, SEGMENT_RECORDS);\n"
                                  "      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);\n"
                                  "      send(r, EXEC, ALL, 1, 0);\n"
                                  "      configure(r, ALL, 0, LAST_LINE, LAST_LINE_RECORDS);\n"
                                  "      plan(MODEL_LINES, r, LINES - 1, 1, 0, 0, 0);\n"
                                  "      send(r, EXEC, ALL, 1, 0);\n"
                                  "      configure(r, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
                                  "      results(r, ALL, 0, 0, 1, 1);\n"
                                  "    end\n"
                                  "  endtask\n"
                                  "\n"
                                  "  task test_activations;\n"
                                  "    integer r;\n"
                                  "    integer c;\n"
                                  "    begin\n"
                                  "      for (r = 0; r < N; r = r + 1) begin\n"
                                  "        configure(r, ALL, 0, INPUTS, INPUTS_RECORDS);\n"
                                  "        inputs(r, ALL, 8, 2, 0, 2, 0, 0, LINES);\n"
                                  "        configure(r, ALL, 0, INPUTS_END, INPUTS_END_RECORDS);\n"
                                  "        inputs(r, ALL, 1, 2, LINES - 1, 0, 0, 0, LINES);\n"
                                  "        held(r);\n"
                                  "      end\n"
                                  "      drain;\n"
                                  "      for (c = 0; c < M; c = c + 1)\n"
                                  "        for (r = 0; r < N; r = r + 1) begin\n"
                                  "          configure(r, 1 << c, 0, INPUTS_PITCH, INPUTS_PITCH_RECORDS);\n"
                                  "          inputs(r, 1 << c, 7, 1, 1, 1, 2, 2, 8);\n"
                                  "          configure(r, 1 << c, 0, INPUTS_END, INPUTS_END_RECORDS);\n"
                                  "          inputs(r, 1 << c, 1, 2, LINES - 1, 0, 0, 0, LINES);\n"
                                  "        end\n"
                                  "      for (r = 0; r < N; r = r + 1) held(r);\n"
                                  "      drain;\n"
                                  "      for (r = 0; r < N; r = r + 1) begin\n"
                                  "        configure(r, ALL, 0, INPUTS_BACK, INPUTS_BACK_RECORDS);\n"
                                  "        inputs(r, ALL, 3, 2, 0, -1, 0, 0, 4);\n"
                                  "        held(r);\n"
                                  "      end\n"
                                  "      drain;\n"
                                  "    end\n"
                                  "  endtask\n";

static const char products[] =
    "  // Sums of products: a packet of weights, then one whose sums go on from those, with results.\n"
    "  task test_products;\n"
    "    integer r;\n"
    "    integer i;\n"
    "    integer n;\n"
    "    begin\n"
    "      for (r = 0; r < N; r = r + 1)\n"
    "        for (n = 0; n < 3; n = n + 1) begin\n"
    "          configure(r, ALL, 0, PRODUCTS, PRODUCTS_RECORDS);\n"
    "          plan(PUT_PRODUCTS, r, {{32-M{1'b0}}, ALL}, 4, 0, 0, 0);\n"
    "          if (n == 1) for (i = 0; i < 4; i = i + 1) expect_results(r, ALL, i, i == 3);\n"
    "          send(r, n == 1 ? SHIFT_OUT : EXEC, ALL, 4, 0);\n"
    "          if (n != 1) begin\n"
    "            configure(r, ALL, BUFFERS - 1, PRODUCTS_MORE, PRODUCTS_MORE_RECORDS);\n"
    "            plan(PUT_PRODUCTS, r, {{32-M{1'b0}}, ALL}, 4, 0, 1, 0);\n"
    "            for (i = 0; i < 4; i = i + 1) expect_results(r, ALL, i, i == 3);\n"
    "            send(r, SHIFT_OUT | (BUFFERS - 1), ALL, 4, 0);\n"
    "          end\n"
    "        end\n"
    "      drain;\n"
    "    end\n"
    "  endtask\n";

static const char through[] = "  // Partial sums in and out in one sequence.\n"
                              "  task test_through;\n"
                              "    integer r;\n"
                              "    integer i;\n"
                              "    begin\n"
                              "      for (r = 0; r < N; r = r + 1) begin\n"
                              "        configure(r, ALL, 0, THROUGH, THROUGH_RECORDS);\n"
                              "        for (i = 0; i < 4; i = i + 1) begin\n"
                              "          put_partials(r, ALL, i);\n"
                              "          expect_results(r, ALL, i, i == 3);\n"
                              "        end\n"
                              "        send(r, SHIFT_OUT, ALL, 4, 0);\n"
                              "      end\n"
                              "      drain;\n"
                              "    end\n"
                              "  endtask\n"
                              "\n"
                              "  // Two LDs of activations in a sequence.\n"
                              "  task test_two_loads;\n"
                              "    integer r;\n"
                              "    integer i;\n"
                              "    begin\n"
                              "      for (r = 0; r < N; r = r + 1) begin\n"
                              "        configure(r, ALL, 0, INPUTS_TWO, INPUTS_TWO_RECORDS);\n"
                              "        for (i = 0; i < 8; i = i + 1)\n"
                              "          plan(PUT_LINE, r, {{32-M{1'b0}}, ALL}, i ^ 1, 0, 0, 0);\n"
                              "        send(r, EXEC, ALL, 4, 0);\n"
                              "        held(r);\n"
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
    "    begin\n"
    "      for (r = 0; r < N; r = r + 1) begin\n"
    "        configure(r, ALL, 0, MIXED, MIXED_RECORDS);\n"
    "        for (i = 0; i < 4; i = i + 1) begin\n"
    "          plan(ALIGN, 0, 0, 0, 0, 0, 0);\n"
    "          plan(PUT_LINE, r, {{32-M{1'b0}}, ALL}, i, 0, 0, 0);\n"
    "          put_partials(r, ALL, i);\n"
    "          expect_results(r, ALL, i, i == 3);\n"
    "        end\n"
    "        send(r, SHIFT_OUT, ALL, 4, 0);\n"
    "      end\n"
    "      drain;\n"
    "      for (r = 0; r < N; r = r + 1) held(r);\n"
    "      drain;\n"
    "    end\n"
    "  endtask\n"
    "\n";

static const char triggers[] = "  // A buffer that triggers another when it is done.\n"
                               "  task test_triggers;\n"
                               "    integer r;\n"
                               "    begin\n"
                               "      for (r = 0; r < N; r = r + 1) begin\n"
                               "        configure(r, ALL, 0, TRIGGERS, TRIGGERS_RECORDS);\n"
                               "        configure(r, ALL, 1, RESULTS, RESULTS_RECORDS);\n"
                               "        put_partials(r, ALL, 0);\n"
                               "        put_partials(r, ALL, 1);\n"
                               "        expect_results(r, ALL, 0, 1'b1);\n"
                               "        send(r, SHIFT_OUT, ALL, 2, 0);\n"
                               "      end\n"
                               "      drain;\n"
                               "    end\n"
                               "  endtask\n"
                               "\n";

static const char longest[] =
    "  // The longest sequences in as many buffers as the register file holds, each configured before it is "
    "run.\n"
    "  // A buffer's registers are given back when it is configured again, which the first of them are; what "
    "other\n"
    "  // buffers hold is freed by the soft reset.\n"
    "  localparam LONG\t= BUFFERS < ROOM ? BUFFERS : ROOM;\t// such buffers\n"
    "\n"
    "  task test_longest;\n"
    "    integer b;\n"
    "    integer i;\n"
    "    begin\n"
    "      reset_softly;\n"
    "      for (i = 0; i < LONG + 16; i = i + 1) configure(0, ALL, i % LONG, LONGEST, LONGEST_RECORDS);\n"
    "      for (b = 0; b < LONG; b = b + 1) begin\n"
    "        for (i = 1; i < LONGEST_RECORDS - 1; i = i + 1) put_partials(0, ALL, 0);\n"
    "        expect_results(0, ALL, 0, 1'b1);\n"
    "        send(0, SHIFT_OUT | b[7:0], ALL, 1, 0);\n"
    "      end\n"
    "      drain;\n"
    "      read(`TULLE_REG_STATUS, 32'd0, \"the longest sequences run\");\n"
    "    end\n"
    "  endtask\n"
    "\n";

static const char full[] = "  // One buffer more than the register file holds.\n"
                           "  task test_full_register_file;\n"
                           "    integer b;\n"
                           "    begin\n"
                           "      reset_softly;\n"
                           "      for (b = 0; b <= ROOM; b = b + 1)\n"
                           "        configure(bad_row, 1 << bad_cluster, b, LONGEST, LONGEST_RECORDS);\n"
                           "      judge(`TULLE_STATUS_CONFIG_LENGTH);\n"
                           "    end\n"
                           "  endtask\n"
                           "\n";

/* ---- errors ---------------------------------------------------------------------------------- */

static const char errors[] =
    "  // -- Errors: each in another cluster, while the others work\n"
    "\n"
    "  integer turn\t= 0;\n"
    "  integer bad_row\t= 0;\n"
    "  integer bad_cluster\t= 0;\n"
    "\n"
    "  // The error must be named; what comes after it is taken and ignored; a soft reset makes the device "
    "usable.\n"
    "  task judge(input [15:0] code);\n"
    "    begin\n"
    "      drain;\n"
    "      error(code, bad_row, bad_cluster);\n"
    "      configure(bad_row, 1 << bad_cluster, 0, RESULTS, RESULTS_RECORDS);\n"
    "      send(bad_row, SHIFT_OUT, 1 << bad_cluster, 3, 0);\n"
    "      drain;\n"
    "      error(code, bad_row, bad_cluster);\n"
    "      reset_softly;\n"
    "      read(`TULLE_REG_STATUS, 32'd0, \"status after a soft reset\");\n"
    "      configure(bad_row, ALL, 0, PARTIALS, PARTIALS_RECORDS);\n"
    "      partials(bad_row, ALL, 0, 0, 1, 2);\n"
    "      configure(bad_row, ALL, 0, RESULTS, RESULTS_RECORDS);\n"
    "      results(bad_row, ALL, 0, 0, 1, 2);\n"
    "      drain;\n"
    "      read(`TULLE_REG_STATUS, 32'd0, \"no error after the soft reset\");\n"
    "      turn        = turn + 1;\n"
    "      bad_row     = turn % N;\n"
    "      bad_cluster = turn / N % M;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  // What is refused: a configuration (records, code), or a packet behind a good one (command, count, "
    "beats).\n"
    "  localparam CASES = 64;\n"
    "\n"
    "  reg [103:0]\tcases [0:CASES-1];\n"
    "  integer\tcase_count = 0;\n"
    "\n"
    "  task bad_exec(input integer first, input integer records, input [7:0] command, input integer count,\n"
    "                input integer beats, input [15:0] code);\n"
    "    begin\n"
    "      cases[case_count] = {first[31:0], records[15:0], command, count[15:0], beats[15:0], code};\n"
    "      case_count = case_count + 1;\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task bad_config(input integer first, input integer records, input [15:0] code);\n"
    "    bad_exec(first, records, 8'd0, 0, 0, code);\n"
    "  endtask\n"
    "\n"
    "  // Packets that need no configuration before them have no records here.\n"
    "  task test_cases;\n"
    "    integer i;\n"
    "    integer first;\n"
    "    reg [15:0] records;\n"
    "    reg [7:0] command;\n"
    "    reg [15:0] count;\n"
    "    reg [15:0] beats;\n"
    "    reg [15:0] code;\n"
    "    begin\n"
    "      for (i = 0; i < case_count; i = i + 1) begin\n"
    "        {first, records, command, count, beats, code} = cases[i];\n"
    "        if (records == 16'd0) reset_softly; // nothing is configured\n"
    "        else configure(bad_row, 1 << bad_cluster, 0, first, {16'd0, records});\n"
    "        if (beats != 16'd0) send(bad_row, command, 1 << bad_cluster, {16'd0, count}, {16'd0, beats} - "
    "1);\n"
    "        judge(code);\n"
    "      end\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_errors;\n"
    "    begin\n"
    "      bad_exec(0, 0, CONFIG | 8'h20, 0, 1, `TULLE_STATUS_BAD_COMMAND);\n"
    "      bad_exec(0, 0, EXEC, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);\n"
    "      bad_exec(0, 0, EXEC | 8'd31, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);\n"
    "      if (BUFFERS < 32) bad_exec(0, 0, CONFIG | 8'd31, 1, 1, `TULLE_STATUS_NOT_CONFIGURED);\n"
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
    "      bad_exec(BAD_BLOCK, BAD_BLOCK_RECORDS, EXEC, 1, 3, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "      bad_config(BAD_STRIDE, BAD_STRIDE_RECORDS, `TULLE_STATUS_OUT_OF_BUFFER);\n"
    "\n"
    "      bad_exec(NO_WINDOW, NO_WINDOW_RECORDS, EXEC, 1, 1, `TULLE_STATUS_NO_FEATURE);\n"
    "      bad_exec(LAST_LINE, LAST_LINE_RECORDS, EXEC, 1, 1, `TULLE_STATUS_PACKET_LENGTH); // no weights\n"
    "\n"
    "      bad_exec(BAD_RING, BAD_RING_RECORDS, EXEC, 1, 1, `TULLE_STATUS_BAD_LOOP);\n"
    "\n"
    "      // Beats: one too few, one too many, two where the sequence takes none.\n"
    "      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 3, SET_BEATS * 3 - 1, "
    "`TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(PARTIALS, PARTIALS_RECORDS, EXEC, 3, SET_BEATS * 3 + 1, "
    "`TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16, LINES_BEATS - 1, `TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(INPUTS, INPUTS_RECORDS, EXEC, 16, LINES_BEATS + 1, `TULLE_STATUS_PACKET_LENGTH);\n"
    "      bad_exec(RESULTS, RESULTS_RECORDS, EXEC, 1, 2, `TULLE_STATUS_PACKET_LENGTH);\n";

static const char error_sizes[] =
    "  localparam SET_BEATS\t= (K * ELEMENT + BUS - 1) / BUS;\t// beats of a set of partial sums\n"
    "  localparam LINES_BEATS\t= (32 * LOAD + BUS - 1) / BUS;\t// beats of 32 lines of activations\n"
    "\n";

static const char weight_errors[] =
    "  // Weights that are not as they must be: words put into packets of one beat, or as many as overflow a "
    "queue.\n"
    "  localparam FLOOD = (WDEPTH + SCAN) / SHARE * WBEATS + 8 * WBEATS; // beats\n"
    "\n"
    "  task bad_weights(input [31:0] word, input integer beats, input integer count, input [15:0] code);\n"
    "    begin\n"
    "      configure(bad_row, 1 << bad_cluster, 0, SEGMENT, SEGMENT_RECORDS);\n"
    "      plan(PUT_WORDS, word, beats * BUS / 32, 0, 0, 0, 0);\n"
    "      send(bad_row, EXEC, 1 << bad_cluster, count, 0);\n"
    "      judge(code);\n"
    "    end\n"
    "  endtask\n"
    "\n"
    "  task test_weight_errors;\n"
    "    begin\n"
    "      bad_weights(32'h00000000, WBEATS, 1, `TULLE_STATUS_PACKET_LENGTH); // a segment that does not "
    "end\n"
    "      bad_weights(32'hFFFFFFFF, WBEATS, 1, `TULLE_STATUS_BAD_ESCAPE);\n"
    "      if (WBEATS > 1) bad_weights(32'h00000000, 1, 1, `TULLE_STATUS_PACKET_LENGTH);\n"
    "      if (FLOOD < QUEUE) bad_weights(32'h00000000, FLOOD, 1, `TULLE_STATUS_QUEUE_OVERFLOW);\n"
    "      configure(bad_row, 1 << bad_cluster, 0, SEGMENT_TWICE, SEGMENT_TWICE_RECORDS);\n"
    "      plan(PUT_SEGMENT, 0, 0, 0, 0, 0, 0);\n"
    "      send(bad_row, EXEC, 1 << bad_cluster, 3, 0);\n"
    "      judge(`TULLE_STATUS_PACKET_LENGTH);\n"
    "    end\n"
    "  endtask\n";

static const char isolation[] =
    "  // An error in one cluster does not stop the others, and the first error is the one that is kept.\n"
    "  task test_isolation;\n"
    "    begin\n"
    "      reset_softly;\n"
    "      send(0, EXEC, 1, 1, 0);\n"
    "      drain;\n"
    "      error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);\n"
    "      send(N - 1, CONFIG | 8'h40, 1 << (M - 1), 0, 0);\n"
    "      drain;\n"
    "      error(`TULLE_STATUS_NOT_CONFIGURED, 0, 0);\n"
    "      if (M > 1 && N > 1) begin\n"
    "        configure(0, 1 << (M - 1), 0, PARTIALS, PARTIALS_RECORDS);\n"
    "        partials(0, 1 << (M - 1), 0, 0, 1, 3);\n"
    "        configure(0, 1 << (M - 1), 0, RESULTS, RESULTS_RECORDS);\n"
    "        results(0, 1 << (M - 1), 0, 0, 1, 3);\n"
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
    sb_addf(to, "      bad_config(NO_MAXIMUM, NO_MAXIMUM_RECORDS, `TULLE_STATUS_%s);\n",
            params_maximum(v) ? "BAD_FIELD" : "NO_FEATURE");
    if (v->instruction_buffers < 32)
        sb_add(to, "      bad_config(BAD_TRIGGER, BAD_TRIGGER_RECORDS, `TULLE_STATUS_BAD_FIELD);\n");
    if (v->instruction_depth < 32)
        sb_add(to, "      bad_config(BAD_FULL, BAD_FULL_RECORDS, `TULLE_STATUS_CONFIG_LENGTH);\n");
    if ((params_function_mask(v) & all) != all)
        sb_add(to, "      bad_config(BAD_FUNCTION, BAD_FUNCTION_RECORDS, `TULLE_STATUS_NO_FUNCTION);\n");
    sb_add(to, "      test_cases;\n    end\n  endtask\n\n");
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_test_list(struct strbuf *to, const struct variant *v)
{
    sb_add(to, "  task test_data;\n    begin\n"
               "      test_partial_sums;\n      test_result_operands;\n      test_activations;\n");
    if (v->instruction_depth >= 2)
        sb_add(to, "      test_through;\n      test_two_loads;\n");
    if (v->instruction_depth >= 3)
        sb_add(to, "      test_mixed;\n      test_products;\n");
    if (v->instruction_buffers >= 2)
        sb_add(to, "      test_triggers;\n");
    sb_add(to, "    end\n  endtask\n\n  // -- The test\n\n  integer round;\n\n  task plan_all;\n    begin\n"
               "      test_reset_values;\n      test_registers;\n");
    if (params_function_mask(v))
        sb_add(to, "      configure(0, ALL, 0, FUNCTION, FUNCTION_RECORDS);\n      drain;\n"
                   "      read(`TULLE_REG_STATUS, 32'd0, \"a function of the array is accepted\");\n");
    sb_add(to, "      for (round = 0; round < rounds; round = round + 1) begin\n"
               "        plan(TRAFFIC, round % 2, round / 2, 0, 0, 0, 0);\n        test_data;\n      end\n"
               "      test_longest;\n      test_errors;\n      test_weight_errors;\n      test_isolation;\n");
    sb_add(to, "      if (ROOM < BUFFERS) test_full_register_file;\n"
               "      test_jobs;\n      test_failing_jobs;\n    end\n  endtask\n\n");
}

static const char main_process[] =
    "  integer\tat_step;\n"
    "  reg [7:0]\tdo_operation;\n"
    "  integer\tdo_a;\n"
    "  integer\tdo_b;\n"
    "  integer\tdo_c;\n"
    "  integer\tdo_d;\n"
    "  integer\tdo_e;\n"
    "  reg [8*40-1:0]\tdo_what;\n"
    "\n"
    "  initial begin\n"
    "    @(negedge clk); // by then the arguments are read\n"
    "    plan_all;\n"
    "    check(steps <= STEPS, \"the steps fit the bench\", 0, {32'd0, steps}, STEPS);\n"
    "    repeat (4) @(negedge clk);\n"
    "    rst_n = 1'b1;\n"
    "    repeat (4) @(negedge clk);\n"
    "    for (at_step = 0; at_step < steps; at_step = at_step + 1) begin\n"
    "      {do_operation, do_a, do_b, do_c, do_d, do_e, do_what} = step[at_step];\n"
    "      do_step(do_operation, do_a, do_b, do_c, do_d, do_e, do_what);\n"
    "    end\n"
    "    finish;\n"
    "  end\n"
    "\n";

void testbench_test(struct strbuf *to, const struct emit_context *ctx)
{
    add_reset_values(to, ctx);
    verilog_add(to, ctx, 0, control);
    verilog_add(to, ctx, 0, data);
    verilog_add(to, ctx, 0, activations);
    if (ctx->variant->instruction_depth >= 2)
        verilog_add(to, ctx, 0, through);
    if (ctx->variant->instruction_depth >= 3) {
        verilog_add(to, ctx, 0, mixed);
        verilog_add(to, ctx, 0, products);
    }
    if (ctx->variant->instruction_buffers >= 2)
        verilog_add(to, ctx, 0, triggers);
    verilog_add(to, ctx, 0, error_sizes);
    verilog_add(to, ctx, 0, errors);
    add_optional_errors(to, ctx->variant);
    verilog_add(to, ctx, 0, weight_errors);
    verilog_add(to, ctx, 0, isolation);
    verilog_add(to, ctx, 0, longest);
    verilog_add(to, ctx, 0, full);
    add_test_list(to, ctx->variant);
    verilog_add(to, ctx, 0, main_process);
}
