// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_control with the counters and the status record: jobs that end well, with an error, by the watchdog, by a
// soft reset, with memory ports or a status record that never come to an end, with results that memory refuses, or never
// acknowledges, while the record is written, one behind the other with random arguments,
// masks and acknowledgements; while reads and writes of all registers come with pauses. What a register must read is kept
// here as docs/registers.md has it. `+jobs` and `+seed` say how many jobs and which.

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"

module control_tb #(
  parameter COUNTERS    = 1,
  parameter ADD_WIDTH   = 10,
  parameter BYTES_WIDTH = 20
);
  localparam       READ_WIDTH = BYTES_WIDTH - 1;
  localparam [7:0] WIDTH      = ADD_WIDTH;

  localparam [3:0] WELL     = 4'd0; // how a job ends
  localparam [3:0] ERROR    = 4'd1;
  localparam [3:0] SILENT   = 4'd2; // the watchdog ends it
  localparam [3:0] RESET    = 4'd3; // a soft reset does
  localparam [3:0] CALLED   = 4'd4; // somebody says why in the watchdog's last call
  localparam [3:0] HANGING  = 4'd5; // an error, and the memory ports never come to rest
  localparam [3:0] DEAF     = 4'd6; // nobody answers the status record
  localparam [3:0] LATE     = 4'd7; // an error behind the last packet, before or after the status record
  localparam [3:0] UNHEARD  = 4'd8; // the results are never acknowledged
  localparam       ENDINGS  = 9;
  localparam       PATIENCE = 150;  // cycles of the watchdog

  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  reg         awvalid = 1'b0, wvalid = 1'b0, bready = 1'b0, arvalid = 1'b0, rready = 1'b0;
  wire        awready, wready, bvalid, arready, rvalid;
  reg  [11:0] awaddr, araddr;
  reg  [31:0] wdata;
  reg  [3:0]  wstrb;
  wire [31:0] rdata;
  wire [1:0]  bresp, rresp;
  wire        interrupt, soft_reset, engine_reset, flush, job_start, abort, last_call;
  reg         job_sent = 1'b0, idle = 1'b1, complete = 1'b0, ports_idle = 1'b1, progress = 1'b0, error = 1'b0;
  reg  [31:0] own_watchdog = 32'd0;
  reg  [8*ADD_WIDTH-1:0] add = 0;
  reg  [READ_WIDTH-1:0]  bytes_read = 0;
  reg  [BYTES_WIDTH-1:0] bytes_written = 0;
  reg  [15:0] error_code;
  reg  [7:0]  error_queue, error_row, error_cluster, error_pe;
  reg  [31:0] error_offset;
  reg         argument_read = 1'b0;
  reg  [5:0]  argument_number = 6'd0;
  wire [31:0] argument;
  wire        burst_valid, words_valid;
  reg         burst_ready = 1'b0, words_ready = 1'b0, response = 1'b0;
  wire [63:0] burst_address;
  wire [63:0] two_words;
  wire [3:0]  unused_queue;

  always #5 clk = !clk;

  reg  [31:0] leaves = 32'd0;
  wire [31:0] units_hold;
  reg  [31:0] holds = 32'd0; // what it must be

  tulle_control #(
    .KEPT        (1),
    .COUNTERS    (COUNTERS),
    .ADD_WIDTH   (ADD_WIDTH),
    .ADD_WIDTHS  ({8{WIDTH}}),
    .READ_WIDTH  (READ_WIDTH),
    .BYTES_WIDTH (BYTES_WIDTH)
  ) u_control (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .awvalid_i        (awvalid),
    .awready_o        (awready),
    .awaddr_i         (awaddr),
    .wvalid_i         (wvalid),
    .wready_o         (wready),
    .wdata_i          (wdata),
    .wstrb_i          (wstrb),
    .bvalid_o         (bvalid),
    .bready_i         (bready),
    .bresp_o          (bresp),
    .arvalid_i        (arvalid),
    .arready_o        (arready),
    .araddr_i         (araddr),
    .rvalid_o         (rvalid),
    .rready_i         (rready),
    .rdata_o          (rdata),
    .rresp_o          (rresp),
    .interrupt_o      (interrupt),
    .soft_reset_o     (soft_reset),
    .engine_reset_o   (engine_reset),
    .flush_o          (flush),
    .job_start_o      (job_start),
    .job_sent_i       (job_sent),
    .idle_i           (idle),
    .complete_i       (complete),
    .abort_o          (abort),
    .last_call_o      (last_call),
    .ports_idle_i     (ports_idle),
    .progress_i       (progress),
    .watchdog_i       (own_watchdog),
    .add_i            (add),
    .bytes_read_i     (bytes_read),
    .bytes_written_i  (bytes_written),
    .error_i          (error),
    .error_code_i     (error_code),
    .error_queue_i    (error_queue),
    .error_row_i      (error_row),
    .error_cluster_i  (error_cluster),
    .error_pe_i       (error_pe),
    .error_offset_i   (error_offset),
    .argument_read_i  (argument_read),
    .argument_i       (argument_number),
    .argument_o       (argument),
    .leaves_i         (leaves),
    .held_o           (units_hold),
    .burst_valid_o    (burst_valid),
    .burst_ready_i    (burst_ready),
    .burst_address_o  (burst_address),
    .words_valid_o    (words_valid),
    .words_ready_i    (words_ready),
    .words_o          (two_words),
    .response_valid_i (response),
    .next_o           (unused_queue[0]), // tests/sim_board/queue.sh has the queue
    .ahead_i          (1'b0),
    .lead_i           (1'b0),
    .hand_o           (unused_queue[1]),
    .array_reset_o    (unused_queue[2]),
    .taken_o          (unused_queue[3])
  );

  // -- Chance and findings -------------------------------------------------------------------------------------

`include "bench_draw.vh"

  integer    failures, job;
  reg [3:0]  ending;

  function [31:0] bits(input integer unused);
    bits = {draw(65536), 16'd0} ^ draw(65536);
  endfunction

  task must(input holds, input integer what);
    if (holds !== 1'b1) begin
      failures = failures + 1;
      if (failures < 10) $display("control_tb: job %0d, which ends by %0d: check %0d failed", job, ending, what);
    end
  endtask

  // -- What is seen -------------------------------------------------------------------------------------------

  integer starts, resets, soft_resets, flushes, aborts, calls, bursts, words, answered, cycles;
  reg [31:0] record [0:31];
  reg [63:0] first_address;
  reg        deaf;
  reg        giving_up = 1'b0; // in the cycle before, the engines' reset was on its way after a failure

  // The status record's receiver takes a burst, then its sixteen words, and answers some time later.
  always @(posedge clk) if (rst_n) begin
    cycles      = cycles + 1;
    starts      = starts + job_start;
    resets      = resets + engine_reset;
    soft_resets = soft_resets + soft_reset;
    flushes     = flushes + flush;
    aborts      = aborts + abort;
    calls       = calls + last_call;
    if (engine_reset && abort) must(ports_idle || flush, 1);
    // Given up until the engines are reset, which takes one more cycle.
    if (flush || giving_up) must(abort, 127);
    giving_up = engine_reset && abort && !soft_reset;
    // The record begins again.
    if (engine_reset && abort && (ending == LATE || ending == UNHEARD)) {bursts, words, answered} = 0;
    if (job_start) must(!abort && !last_call, 2);
    if (burst_valid && burst_ready) begin
      if (bursts == 0) first_address = burst_address;
      else must(burst_address == first_address + 64, 3);
      bursts = bursts + 1;
    end
    if (words_valid && words_ready) begin
      must(words < 32, 4);
      if (words < 32) {record[words + 1], record[words]} = two_words;
      words = words + 2;
    end
    burst_ready <= draw(3) == 0;
    // Slowly where an error is to come before the record is written.
    words_ready <= words < 16 * bursts && (ending == LATE ? draw(8) == 0 : draw(3) != 0);
    response    <= 1'b0;
    if (!deaf && answered < words / 16 && answered < bursts && draw(8) == 0) begin
      answered = answered + 1;
      response <= 1'b1;
    end
  end

  // Counters take part only between start and end of a job.
  reg             counting;
  reg [63:0]      sums [0:10];
  integer         c;

  always @(posedge clk) begin
    if (counting) begin
      for (c = 0; c < 11; c = c + 1)
        if (c == 3)      sums[c] = sums[c] + bytes_read;
        else if (c == 4) sums[c] = sums[c] + bytes_written;
        else if (c == 2) sums[c] = sums[0]; // a PE is busy when it multiplies
        else             sums[c] = sums[c] + add[(c < 2 ? c : c - 3) * ADD_WIDTH +: ADD_WIDTH];
    end
  end

  // -- The bus --------------------------------------------------------------------------------------------------

  task write(input [11:0] address, input [31:0] data, input [3:0] strobes);
    integer address_late, data_late, looks;
    begin
      address_late = draw(4);
      data_late    = draw(4);
      looks        = draw(10);
      fork
        begin
          repeat (address_late) @(negedge clk);
          awvalid = 1'b1;
          awaddr  = address;
          while (!awready) @(negedge clk);
          @(negedge clk) awvalid = 1'b0;
        end
        begin
          repeat (data_late) @(negedge clk);
          wvalid = 1'b1;
          wdata  = data;
          wstrb  = strobes;
          while (!wready) @(negedge clk);
          @(negedge clk) wvalid = 1'b0;
        end
        // The job looks at arguments meanwhile, at this one for example.
        begin
          repeat (looks) begin
            argument_number = draw(2) == 0 ? address[7:2] : draw(64);
            argument_read   = draw(2);
            @(negedge clk) argument_read = 1'b0;
          end
        end
      join
      repeat (draw(3)) @(negedge clk);
      bready = 1'b1;
      while (!bvalid) @(negedge clk);
      must(bresp == 2'b00, 5);
      @(negedge clk) bready = 1'b0;
    end
  endtask

  reg [31:0] got;

  task read(input [11:0] address);
    begin
      arvalid = 1'b1;
      araddr  = address;
      while (!arready) @(negedge clk);
      @(negedge clk) arvalid = 1'b0;
      repeat (draw(3)) @(negedge clk);
      rready = 1'b1;
      while (!rvalid) @(negedge clk);
      got = rdata;
      must(rresp == 2'b00, 6);
      @(negedge clk) rready = 1'b0;
    end
  endtask

  task reads(input [11:0] address, input [31:0] expected, input integer what);
    begin
      read(address);
      if (got !== expected && failures < 10) $display("control_tb: register %h reads %h, expected %h", address, got, expected);
      must(got === expected, what);
    end
  endtask

  // -- What the registers hold ----------------------------------------------------------------------------------

  reg [31:0] held [0:63]; // arguments, by word
  reg [31:0] watchdog;
  reg        enabled;
  reg [1:0]  mask, pending;
  reg        acknowledged;

  function is_argument(input integer index);
    is_argument = index == 52 || (index >= 4 && index < 52 && (index - 4) % 3 != 2);
  endfunction

  task set_argument(input integer index, input [31:0] data, input [3:0] strobes);
    begin
      write(4 * index, data, strobes);
      if (is_argument(index))
        for (c = 0; c < 4; c = c + 1) if (strobes[c]) held[index][8*c +: 8] = data[8*c +: 8];
    end
  endtask

  integer index, choice;
  reg [31:0] value;
  reg [3:0]  strobes;

  // One access to a register that a job does not change.
  task poke;
    begin
      value   = bits(0);
      strobes = draw(2) == 0 ? 4'hF : draw(16);
      index   = draw(49);
      choice  = draw(9); // once: a simulator may evaluate the selector of a case for each of its items
      case (choice)
        // All but where the status record goes, which is what the job at work was told.
        0, 1: if (index != 3 && index != 4 && index != 27 && index != 28) set_argument(4 + index, value, strobes);
        2, 3: reads(16 + 4 * index, is_argument(4 + index) ? held[4 + index] : 32'd0, 10);
        4: begin
          argument_number = 4 + index;
          argument_read   = 1'b1;
          @(negedge clk) argument_read = 1'b0;
          argument_number = draw(64);
          repeat (draw(3)) @(negedge clk);
          must(argument === (is_argument(4 + index) ? held[4 + index] : 32'd0), 11);
        end
        5: begin
          // What cannot be written, what is not there, and reset without its key.
          index = draw(6);
          write(index == 0 ? `TULLE_REG_MAGIC : index == 1 ? `TULLE_REG_STATUS : index == 2 ? `TULLE_REG_RESET :
                index == 3 ? 12'h3F8 : index == 4 ? 12'h400 + 4 * draw(512) : `TULLE_REG_CYCLES_LOW, value, 4'hF);
          must(soft_resets == 0, 12);
        end
        6: begin
          index = draw(8);
          reads(`TULLE_REG_MAGIC + 4 * index,
                index == 0 ? `TULLE_RESET_MAGIC : index == 1 ? `TULLE_RESET_ISA_VERSION :
                index == 2 ? `TULLE_RESET_VARIANT_LOW : index == 3 ? `TULLE_RESET_VARIANT_HIGH :
                index == 4 ? `TULLE_RESET_SHAPE : index == 5 ? `TULLE_RESET_WIDTHS :
                index == 6 ? `TULLE_RESET_BUSES : `TULLE_RESET_FEATURES, 13);
        end
        7: reads(draw(2) == 0 ? 12'h3F8 : 12'h400 + 4 * draw(512), 32'd0, 14);
        8: reads(`TULLE_REG_WATCHDOG, watchdog, 15);
      endcase
    end
  endtask

  task set_watchdog(input [31:0] cycles_of_it);
    begin
      // By halves, so that strobes matter.
      write(`TULLE_REG_WATCHDOG, {cycles_of_it[31:16], 16'hBEEF}, 4'b1100);
      write(`TULLE_REG_WATCHDOG, {16'hDEAD, cycles_of_it[15:0]}, 4'b0011);
      watchdog = cycles_of_it;
      reads(`TULLE_REG_WATCHDOG, watchdog, 16);
    end
  endtask

  // -- A job ------------------------------------------------------------------------------------------------------

  reg [15:0] code;
  reg [7:0]  queue, row, cluster, pe;
  reg [31:0] offset;
  reg [63:0] place, size, lasted, told;
  reg        wanted; // a status record
  integer    spent, since;
  reg        by_program; // the limit is the program's own

  task report(input first);
    begin
      error         = 1'b1;
      error_code    = 2 + draw(40);
      error_queue   = draw(4);
      error_row     = draw(16);
      error_cluster = draw(16);
      error_pe      = draw(16);
      error_offset  = bits(0);
      if (first) begin
        code    = error_code;
        queue   = error_queue;
        row     = error_row;
        cluster = error_cluster;
        pe      = error_pe;
        offset  = error_offset;
      end
      @(negedge clk) error = 1'b0;
    end
  endtask

  task prepare;
    begin
      ending     = draw(ENDINGS);
      by_program = draw(2) == 0;
      if (COUNTERS == 0 && ending == RESET) ending = WELL;
      place      = {bits(0), bits(0)} & ~64'h3F;
      size       = draw(3) == 0 ? 64'd128 : {draw(2) == 0 ? 32'd0 : bits(0), bits(0) | 32'd128};
      if (draw(6) == 0) size = draw(128);
      if (draw(6) == 0) size = {bits(0) | 32'd1, 25'd0, 7'd0} + draw(128);
      if (draw(6) == 0) place = place + 1 + draw(63);
      if (ending == DEAF) begin
        place[5:0] = 6'd0;
        size       = 64'd128;
      end
      wanted = place[5:0] == 6'd0 && size >= 128;
      set_argument(7, place[31:0], 4'hF);
      set_argument(8, place[63:32], 4'hF);
      set_argument(31, size[31:0], 4'hF);
      set_argument(32, size[63:32], 4'hF);
      set_argument(52, bits(0), 4'hF);
      if (ending == SILENT || ending == CALLED || ending == HANGING || ending == DEAF || ending == UNHEARD) begin
        set_watchdog(by_program ? 32'd0 : PATIENCE);
        own_watchdog = by_program ? PATIENCE : 32'd0;
      end else begin
        set_watchdog(draw(2) == 0 ? 32'd0 : 32'h00012345);
        own_watchdog = 32'd0;
      end
      enabled = draw(4) != 0;
      mask    = draw(4);
      write(`TULLE_REG_INTERRUPT_ENABLE, enabled, 4'h1);
      write(`TULLE_REG_INTERRUPT_MASK, mask, 4'h1);
      write(`TULLE_REG_INTERRUPT_MASK, ~mask, 4'hE); // of other bytes
      reads(`TULLE_REG_INTERRUPT_MASK, mask, 20);
      reads(`TULLE_REG_INTERRUPT_ENABLE, enabled, 21);
      {starts, resets, soft_resets, flushes, aborts, calls, bursts, words, answered} = 0;
      for (c = 0; c < 11; c = c + 1) sums[c] = 64'd0;
      sums[4] = 64'd128;
      deaf    = ending == DEAF;
      code    = `TULLE_STATUS_OK;
      queue   = `TULLE_QUEUE_NONE;
      {row, cluster, pe, offset} = 0;
      must(units_hold == holds, 127); // until the job ends
      leaves = draw(4) == 0 ? 32'd0 : bits(0);
    end
  endtask

  task begin_job;
    begin
      write(`TULLE_REG_CONTROL, 32'd1, 4'h1);
      if (!acknowledged) begin
        // Not before the end of the last job is known.
        repeat (draw(20)) @(negedge clk);
        must(starts == 0 && resets == 0, 22);
        if (draw(2) == 0) write(`TULLE_REG_CONTROL, 32'd1 << 4, 4'h1);
        else begin
          read(`TULLE_REG_CONTROL);
          must(got[0] && got[1] && got[2], 23);
        end
      end
      since = cycles;
      while (starts == 0 && cycles < since + 20) @(negedge clk);
      must(starts == 1 && resets == 0, 24);
      told     = cycles;
      idle     = 1'b0;
      complete = 1'b0;
      job_sent = 1'b0;
      reads(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_NONE, `TULLE_STATUS_RUNNING} & 32'h00FFFFFF, 25);
      read(`TULLE_REG_CONTROL);
      must(got[2:0] == 3'b000, 26);
    end
  endtask

  task work;
    begin
      spent = 20 + draw(60);
      while (spent > 0) begin
        counting      = 1'b1;
        progress      = 1'b1;
        add           = {bits(0), bits(0), bits(0), bits(0), bits(0), bits(0), bits(0), bits(0)};
        bytes_read    = draw(4) == 0 ? bits(0) : 0;
        bytes_written = draw(4) == 0 ? bits(0) : 0;
        // The short registers hold what comes when reads of counters leave half the cycles.
        spent = spent - 1;
        @(negedge clk);
      end
      counting = 1'b0;
      {add, bytes_read, bytes_written} = 0;
      repeat (draw(4)) begin
        poke;
      end
      must(resets == 0 && aborts == 0 && calls == 0 && !interrupt, 27);
      progress = 1'b0;
    end
  endtask

  task fail;
    begin
      ports_idle = 1'b0;
      report(1'b1);
      @(negedge clk);
      must(abort, 28);
      if (draw(2) == 0) report(1'b0); // too late
      repeat (draw(20)) @(negedge clk);
      must(abort && resets == 0, 29);
      if (ending != HANGING) ports_idle = 1'b1;
    end
  endtask

  task end_job;
    begin
      case (ending)
        ERROR, HANGING: fail;
        SILENT: begin
          code  = `TULLE_STATUS_WATCHDOG;
          queue = `TULLE_QUEUE_COMMAND;
          // Any progress puts it off.
          since = cycles;
          repeat (PATIENCE - 20) @(negedge clk);
          progress = 1'b1;
          @(negedge clk) progress = 1'b0;
          repeat (PATIENCE - 20) @(negedge clk);
          must(calls == 0, 30);
          repeat (25) @(negedge clk);
          must(calls != 0 && last_call && !abort, 31);
          repeat (70) @(negedge clk);
          must(calls >= 60 && calls <= 66, 32);
        end
        CALLED: begin
          since = cycles;
          while (!last_call && cycles < since + 2 * PATIENCE) @(negedge clk);
          repeat (draw(50)) @(negedge clk);
          must(last_call, 33);
          fail;
        end
        default: begin
          // At rest between packets, that is not the end.
          if (draw(2) == 0) begin
            idle = 1'b1;
            repeat (2 + draw(8)) @(negedge clk);
            reads(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_NONE, `TULLE_STATUS_RUNNING} & 32'h00FFFFFF, 35);
            idle = 1'b0;
          end
          job_sent = 1'b1;
          repeat (1 + draw(30)) @(negedge clk);
          must(resets == 0 && bursts == 0, 34);
          // What comes in the last cycles counts, too.
          repeat (draw(40)) begin
            counting = 1'b1;
            add      = {bits(0), bits(0), bits(0), bits(0), bits(0), bits(0), bits(0), bits(0)};
            @(negedge clk);
          end
          counting = 1'b0;
          add      = 0;
          idle     = 1'b1;
          repeat (draw(2) == 0 || ending == DEAF || ending == UNHEARD ? draw(8) : draw(500)) @(negedge clk);
          // A read waits for the record.
          if (ending != DEAF && ending != UNHEARD && draw(2) == 0) begin
            read(`TULLE_REG_CONTROL);
            must(got[2:0] == 3'b000 && resets == 0, 36);
          end
          if (ending == LATE) fail;
          else if (ending == UNHEARD) begin
            code  = `TULLE_STATUS_WATCHDOG;
            queue = `TULLE_QUEUE_COMMAND;
          end else complete = 1'b1;
        end
      endcase
    end
  endtask

  // Waits for the end, and looks at all that it must have left.
  task see_end;
    begin
      since = cycles;
      if (enabled && mask != 2'd0 && draw(2) == 0) begin
        while (!interrupt && cycles < since + 3000) @(negedge clk);
        must(interrupt, 40);
        acknowledged = draw(2);
        if (acknowledged) begin
          read(`TULLE_REG_CONTROL);
          must(got[3:0] == 4'b1110, 41);
        end
      end else begin
        got = 0;
        while (!got[2] && cycles < since + 3000) read(`TULLE_REG_CONTROL);
        must(got[3:0] == 4'b1110, 41);
        acknowledged = 1'b1;
      end
      lasted = cycles - told;
      if (acknowledged && draw(2) == 0) begin
        read(`TULLE_REG_CONTROL);
        must(got[3:0] == 4'b0100, 42);
      end
      repeat (2) @(negedge clk);
      must(interrupt == (enabled && mask != 2'd0), 43);
      reads(`TULLE_REG_INTERRUPT_STATUS, mask, 44);
      write(`TULLE_REG_INTERRUPT_STATUS, 32'd1, 4'h1);
      reads(`TULLE_REG_INTERRUPT_STATUS, mask & 2'b10, 45);
      write(`TULLE_REG_INTERRUPT_STATUS, 32'd3, 4'h1);
      repeat (2) @(negedge clk);
      must(!interrupt, 46);
      reads(`TULLE_REG_STATUS, {8'd0, queue, code}, 47);
      holds = (code == `TULLE_STATUS_OK && ending != DEAF) ? leaves : 32'd0;
      must(units_hold == holds, 128);
      read(`TULLE_REG_ERROR_PLACE);
      must(got[`TULLE_REG_ERROR_PLACE_ROW] == row && got[`TULLE_REG_ERROR_PLACE_CLUSTER] == cluster &&
           got[`TULLE_REG_ERROR_PLACE_PE] == pe, 48);
      reads(`TULLE_REG_ERROR_OFFSET, offset, 49);
      must(resets == (code == `TULLE_STATUS_OK ? 1 : 2) && starts == 1, 50); // the last one ends the job
      must(flushes == (ending == HANGING) + (ending == DEAF), 51);
      for (c = 0; c < 22; c = c + 1)
        reads(`TULLE_REG_EFFECTIVE_MACS_LOW + 4 * c, COUNTERS == 0 ? 32'd0 : sums[c / 2][32 * (c % 2) +: 32], 60 + c);
      read(`TULLE_REG_CYCLES_LOW);
      must(COUNTERS == 0 ? got == 0 : got <= lasted + 10 && got + 220 >= lasted, 52);
      if (!wanted) must(bursts == 0 && words == 0, 53);
      else if (ending != DEAF) see_record;
    end
  endtask

  task see_record;
    begin
      must(bursts == 2 && words == 32 && first_address == place, 54);
      value = 32'd0;
      for (c = 0; c < 32; c = c + 1) value = value ^ record[c];
      must(value == `TULLE_CHECK_SEED, 55);
      must(record[0] == `TULLE_STATUS_MAGIC_VALUE && record[1][7:0] == `TULLE_ISA_MAJOR && record[1][15:8] == `TULLE_ISA_MINOR, 56);
      must(record[2] == {row, queue, code} && record[3] == {16'd0, pe, cluster}, 57);
      must(record[4] == offset && record[5] == 0 && record[30] == held[52], 58);
      for (c = 0; c < 22; c = c + 1) must(record[8 + c] == (COUNTERS == 0 ? 0 : sums[c / 2][32 * (c % 2) +: 32]), 90 + c);
      must(record[6] <= lasted + 10 && record[7] == 0 && (COUNTERS == 0 || record[6] != 0), 59);
    end
  endtask

  task soft_reset_job;
    begin
      write(`TULLE_REG_RESET, 32'h52455354, 4'hF);
      repeat (3) @(negedge clk);
      must(soft_resets == 1 && !abort && !interrupt, 120);
      acknowledged = 1'b1;
      watchdog     = `TULLE_RESET_WATCHDOG;
      holds        = 32'd0;
      read(`TULLE_REG_CONTROL);
      must(got[3:0] == 4'b0100, 121);
      reads(`TULLE_REG_STATUS, {8'd0, `TULLE_QUEUE_NONE, `TULLE_STATUS_ABORTED} & 32'h00FFFFFF, 122);
      reads(`TULLE_REG_WATCHDOG, watchdog, 123);
      reads(`TULLE_REG_INTERRUPT_ENABLE, 32'd0, 124);
      reads(`TULLE_REG_INTERRUPT_MASK, 32'd0, 125);
      repeat (40) @(negedge clk);
      must(starts == 1 && bursts == 0, 126);
      soft_resets = 0;
    end
  endtask

  integer total;

  initial begin
    {failures, cycles, bursts, words, answered, counting, deaf, acknowledged} = 0;
    {starts, resets, soft_resets, flushes, aborts, calls} = 0;
    acknowledged = 1'b1;
    chance       = 32'd1;
    total        = 60;
    job          = 0;
    ending       = WELL;
    watchdog     = `TULLE_RESET_WATCHDOG;
    if (!$value$plusargs("jobs=%d", total)) total = 60;
    if (!$value$plusargs("seed=%d", chance)) chance = 32'd1;
    for (c = 0; c < 64; c = c + 1) held[c] = 32'd0;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    repeat (40) poke;
    for (job = 0; job < total && failures == 0; job = job + 1) begin
      prepare;
      begin_job;
      work;
      if (ending == RESET) soft_reset_job;
      else begin
        end_job;
        see_end;
      end
      // What ended the job shows until the reset of the next one.
      idle       = 1'b1;
      ports_idle = 1'b1;
      repeat (3) @(negedge clk);
      soft_resets = 0;
      repeat (draw(6)) poke;
    end
    if (failures != 0) begin
      $display("control_tb: FAIL");
      $fatal(1);
    end
    $display("control_tb: PASS, %0d jobs in %0d cycles", job, cycles);
    $finish(0);
  end
endmodule

`default_nettype wire
