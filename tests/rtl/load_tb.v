// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_load with tulle_read_port, a memory and ROWS tulle_storage_units. Random operations, in batches of 1
// to 16; after each batch all units are read and compared with what the operations must leave. Batches of one read at
// once where the last bytes went. Some batches have an operation whose memory answers with an error, some are aborted
// in the middle; then comes a soft reset, while old data are still on their way. At the end, throughput: a long run,
// and runs of one beat.

`default_nettype none

module load_tb;
  parameter MEM         = 512;
  parameter BUS         = 256;
  parameter ROWS        = 2;
  parameter UNIT_BYTES  = 4096;
  parameter OUTSTANDING = 32;
  parameter FILL        = 0;
  parameter BURST       = 1024;
  parameter LATENCY     = 40;
  parameter STALL       = 30;
  parameter BATCHES     = 60;
  parameter SEED        = 1;

  localparam TAG      = 38;
  localparam BANKS    = ((MEM > BUS) ? MEM : BUS) / 64;
  localparam WORD     = $clog2(UNIT_BYTES / 8 / BANKS);
  localparam GRANULES = UNIT_BYTES / 8;
  localparam BEATS    = UNIT_BYTES * 8 / BUS;
  localparam LANES    = BUS / 64;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  reg resetting = 1'b0; // reset of all but the port
  reg flush = 1'b0;
  reg abort = 1'b0;
  always #5 clk = !clk;

  // -- What is tested ------------------------------------------------------------------------------------------

  reg             op_valid = 1'b0;
  wire            op_ready;
  reg  [ROWS-1:0] op_rows;
  reg             op_zero;
  reg  [15:0]     op_fill;
  reg  [63:0]     op_address;
  reg  [20:0]     op_length;
  reg  [15:0]     op_runs, op_planes;
  reg  [31:0]     op_run_pitch, op_plane_pitch;
  reg  [19:0]     op_unit;
  reg  [TAG-1:0]  op_tag;
  wire            request_valid;
  wire [2:0]      request_ready;
  wire [63:0]     request_address;
  wire [7:0]      request_beats;
  wire [2:0]      data_valid;
  wire [MEM-1:0]  data;
  wire            data_last;
  wire [1:0]      data_error;
  wire            write;
  wire [ROWS-1:0] write_rows;
  wire [BANKS-1:0] write_enable;
  wire [BANKS*WORD-1:0] write_word;
  wire [BANKS*64-1:0] write_data;
  wire            done_valid;
  reg             done_ready = 1'b0;
  wire [TAG-1:0]  done_tag;
  wire            bytes_valid;
  wire [40:0]     bytes;
  wire            error;
  wire [15:0]     error_code;
  wire [TAG-1:0]  error_tag;
  wire            load_idle, port_idle, port_beat;

  tulle_load #(
    .MEM(MEM), .BUS(BUS), .ROWS(ROWS), .UNIT_BYTES(UNIT_BYTES), .OUTSTANDING(OUTSTANDING), .TAG(TAG), .FILL(FILL),
    .BURST(BURST)
  ) u_load (
    .clk_i(clk), .rst_ni(rst_n && !resetting), .abort_i(abort),
    .op_valid_i(op_valid), .op_ready_o(op_ready), .op_rows_i(op_rows), .op_zero_i(op_zero), .op_fill_i(op_fill), .op_address_i(op_address),
    .op_length_i(op_length), .op_runs_i(op_runs), .op_planes_i(op_planes), .op_run_pitch_i(op_run_pitch),
    .op_plane_pitch_i(op_plane_pitch), .op_unit_i(op_unit), .op_tag_i(op_tag),
    .request_valid_o(request_valid), .request_ready_i(request_ready[1]), .request_address_o(request_address),
    .request_beats_o(request_beats), .data_valid_i(data_valid[1]), .data_i(data), .data_last_i(data_last),
    .data_error_i(data_error), .write_o(write), .write_rows_o(write_rows), .write_enable_o(write_enable),
    .write_word_o(write_word), .write_data_o(write_data), .done_valid_o(done_valid), .done_ready_i(done_ready),
    .done_tag_o(done_tag), .bytes_valid_o(bytes_valid), .bytes_o(bytes), .error_o(error), .error_code_o(error_code),
    .error_tag_o(error_tag), .idle_o(load_idle));

  wire           arvalid, arready, rvalid, rready, rlast;
  wire [1:0]     arid, arburst, rid, rresp;
  wire [63:0]    araddr;
  wire [7:0]     arlen;
  wire [2:0]     arsize;
  wire [MEM-1:0] rdata;

  tulle_read_port #(.MEM(MEM), .OUTSTANDING(OUTSTANDING), .CLIENTS(3)) u_port (
    .clk_i(clk), .rst_ni(rst_n), .flush_i(flush), .abort_i(abort),
    .request_valid_i({1'b0, request_valid, 1'b0}), .request_ready_o(request_ready),
    .request_address_i({64'd0, request_address, 64'd0}), .request_beats_i({8'd0, request_beats, 8'd0}),
    .data_valid_o(data_valid), .data_o(data), .data_last_o(data_last), .data_error_o(data_error),
    .local_valid_i(3'd0), .local_data_i({MEM{1'b0}}), .local_last_i(1'b0), .hold_i(1'b0),
    .beat_o(port_beat), .idle_o(port_idle), .axi_arvalid_o(arvalid), .axi_arready_i(arready), .axi_arid_o(arid),
    .axi_araddr_o(araddr), .axi_arlen_o(arlen), .axi_arsize_o(arsize), .axi_arburst_o(arburst),
    .axi_rvalid_i(rvalid), .axi_rready_o(rready), .axi_rid_i(rid), .axi_rdata_i(rdata), .axi_rresp_i(rresp),
    .axi_rlast_i(rlast));

  bench_read_memory #(.MEM(MEM), .LATENCY(LATENCY), .STALL(STALL), .LIMIT(OUTSTANDING), .SEED(SEED)) u_memory (
    .clk_i(clk), .rst_ni(rst_n), .dead_i(1'b0), .arvalid_i(arvalid), .arready_o(arready), .arid_i(arid),
    .araddr_i(araddr), .arlen_i(arlen), .arsize_i(arsize), .arburst_i(arburst), .rvalid_o(rvalid), .rready_i(rready),
    .rid_o(rid), .rdata_o(rdata), .rresp_o(rresp), .rlast_o(rlast));

  reg                      unit_read = 1'b0;
  reg  [$clog2(BEATS)-1:0] unit_address;
  wire [ROWS*BUS-1:0]      unit_data;

  genvar r;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_row
      tulle_storage_unit #(.UNIT_BYTES(UNIT_BYTES), .BANKS(BANKS), .BUS(BUS)) u_unit (
        .clk_i(clk), .write_i(write && write_rows[r]), .write_enable_i(write_enable), .write_word_i(write_word),
        .write_data_i(write_data), .enable_i(1'b1), .read_i(unit_read), .read_address_i(unit_address), .data_o(unit_data[r*BUS +: BUS]));
    end
  endgenerate

  // -- What must come ------------------------------------------------------------------------------------------

  reg [63:0]    expected [0:ROWS*GRANULES-1];
  reg [TAG-1:0] tags [0:63]; // of the batch
  reg [40:0]    sizes [0:63];
  integer       given, told, counted, failed; // of the batch: offered, done, bytes seen; failed: which one must fail, or -1
  reg [15:0]    code;
  integer       failure_seen;
  reg [60:0]    granule;
  reg signed [63:0] from;
`include "bench_memory_word.vh"

  integer seed, batch, ops, op, plane, run, g, i, row, unit, wait_for, cycles, beats, checked, mode, last_beat, budget;

  // The same numbers in every simulator.
  function integer draw(input integer below);
    begin
      seed = seed * 1103515245 + 12345;
      draw = {16'd0, seed[30:15]} % below;
    end
  endfunction

  task fail(input [8*40-1:0] what);
    begin
      $display("load_tb: FAIL: batch %0d: %0s", batch, what);
      $fatal(1);
    end
  endtask

  always @(posedge clk) begin
    if (port_beat) beats = beats + 1;
    if (done_valid && done_ready && rst_n && !resetting) begin
      if (told >= given || done_tag !== tags[told]) fail("not the tag that is due");
      if (told == failed) fail("a failed operation is done");
      told = told + 1;
    end
    if (bytes_valid && rst_n && !resetting) begin
      while (counted < given && sizes[counted] == 41'd0) counted = counted + 1;
      if (counted >= given || bytes !== sizes[counted]) fail("not the bytes that are due");
      counted = counted + 1;
    end
    if (error && rst_n && !resetting) begin
      if (failed < 0 || told != failed || error_tag !== tags[failed] || error_code !== code) fail("not the error that is due");
      failure_seen = failure_seen + 1;
    end
  end

  // An operation of at most a unit; `lasting`: its last granule's unit address.
  task make_op(input integer kind); // 0 random, 1 all zero, 2 one long run, 3 runs of a beat
    begin
      op_rows = draw(1 << ROWS);
      if (op_rows == 0 || kind != 0) op_rows = {ROWS{1'b1}};
      op_zero = kind == 1 || (kind == 0 && draw(5) == 0);
      op_fill = draw(65536);
      op_tag  = {draw(65536), draw(65536)};
      op_unit = draw(BEATS) * (BUS / 8);
      op_address = ({32'd0, draw(4096), 16'd0} | draw(65536)) * 64 + (draw(3) == 0 ? 0 : draw(BURST / 8) * 8);
      op_runs = 1;
      op_planes = 1;
      op_run_pitch = draw(65536) * 8 - 262144;
      op_plane_pitch = draw(65536) * 64 - 2097152;
      case (kind)
        1, 2: op_length = UNIT_BYTES;
        3: begin
          op_length  = MEM / 8;
          op_runs    = UNIT_BYTES / (MEM / 8);
          op_address = op_address & ~64'd63;
          op_run_pitch = 1024;
        end
        default: begin
          if (draw(2) == 0) op_runs = draw(6) + 1;
          if (draw(3) == 0) op_planes = draw(4) + 1;
          budget    = GRANULES / (op_runs * op_planes);
          if (draw(2) == 0 && budget > 20) budget = 20;
          op_length = (draw(budget) + 1) * 8;
        end
      endcase
      if (kind == 2) op_address = op_address & ~64'd1023;
      tags[given]  = op_tag;
      sizes[given] = op_zero ? 41'd0 : op_length * op_runs * op_planes;
    end
  endtask

  // What it leaves in the units.
  task effect;
    begin
      unit = op_unit / 8;
      for (plane = 0; plane < op_planes; plane = plane + 1)
        for (run = 0; run < op_runs; run = run + 1)
          for (g = 0; g < op_length / 8; g = g + 1) begin
            from    = $signed(op_address) + $signed(op_run_pitch) * run + $signed(op_plane_pitch) * plane + g * 8;
            granule = from[63:3];
            for (row = 0; row < ROWS; row = row + 1)
              if (op_rows[row]) expected[row * GRANULES + unit] = !op_zero ? memory_word(granule) :
                FILL == 16 ? {4{op_fill}} : FILL == 8 ? {8{op_fill[7:0]}} : 64'd0;
            last_beat = unit / LANES;
            unit      = (unit + 1) % GRANULES;
          end
    end
  endtask

  // Offers the operation until it is taken; 0 when the engine has stopped.
  reg taken;
  task offer;
    begin
      op_valid = 1'b1;
      given    = given + 1;
      taken    = 1'b0;
      wait_for = 0;
      while (!taken && failure_seen == 0 && !abort && wait_for < 300000) begin
        #1 taken = op_ready;
        wait_for = wait_for + 1;
        if (mode == 2 && draw(200) == 0) abort = 1'b1;
        @(negedge clk);
      end
      if (wait_for == 300000) fail("an operation is not taken");
      if (taken) op_valid = 1'b0;
    end
  endtask

  task read_beat(input integer at);
    begin
      unit_read    = 1'b1;
      unit_address = at;
      @(negedge clk);
      unit_read = 1'b0;
      unit_address = at + 1;
      @(negedge clk);
      compare(at);
      @(negedge clk);
      compare(at); // it stays
    end
  endtask

  task compare(input integer at);
    for (row = 0; row < ROWS; row = row + 1)
      for (i = 0; i < LANES; i = i + 1) begin
        checked = checked + 1;
        if (unit_data[row*BUS + i*64 +: 64] !== expected[row * GRANULES + at * LANES + i]) begin
          $display("row %0d granule %0d is %h, must be %h", row, at * LANES + i, unit_data[row*BUS + i*64 +: 64],
                   expected[row * GRANULES + at * LANES + i]);
          fail("a storage unit differs");
        end
      end
  endtask

  // All beats of all units, one a cycle.
  integer at_beat;
  task read_all;
    begin
      repeat (2) @(negedge clk); // the last beat is on its way when its operation is done
      for (at_beat = 0; at_beat < BEATS + 2; at_beat = at_beat + 1) begin
        if (at_beat >= 2) compare(at_beat - 2);
        unit_read    = at_beat < BEATS;
        unit_address = at_beat;
        @(negedge clk);
      end
    end
  endtask

  task soft_reset;
    begin
      op_valid = 1'b0;
      abort    = 1'b1;
      repeat (draw(30) + 1) @(negedge clk);
      resetting  = 1'b1;
      flush = 1'b1;
      @(negedge clk);
      flush = 1'b0;
      repeat (2) @(negedge clk);
      resetting  = 1'b0;
      abort = 1'b0;
      mode  = 1;
      begin_batch;
    end
  endtask

  task begin_batch;
    begin
      given        = 0;
      told         = 0;
      counted      = 0;
      failed       = -1;
      failure_seen = 0;
    end
  endtask

  task finish_batch;
    begin
      wait_for = 0;
      while (told < given && wait_for < 300000) begin
        @(negedge clk);
        wait_for = wait_for + 1;
      end
      if (told < given) fail("operations are not done");
      #1 if (!load_idle) fail("not idle");
      while (counted < given && sizes[counted] == 41'd0) counted = counted + 1;
      if (counted != given) fail("bytes are missing");
    end
  endtask

  task clear_units;
    begin
      begin_batch;
      make_op(1);
      offer;
      effect;
      finish_batch;
    end
  endtask

  always @(negedge clk) done_ready = mode == 3 || draw(100) >= STALL;

  initial begin : watchdog
    repeat (4000000) @(negedge clk);
    $display("load_tb: FAIL: not finished, batch %0d, mode %0d, %0d of %0d told, failed %0d, abort %b", batch, mode, told, given, failed, abort);
    $fatal(1);
  end

  initial begin : main
    seed    = SEED;
    checked = 0;
    batch   = -1;
    mode    = 0;
    beats   = 0;
    begin_batch;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    @(negedge clk);
    clear_units;
    for (batch = 0; batch < BATCHES; batch = batch + 1) begin
      mode = draw(8);          // 0: an error, 2: an abort, 3: one operation, read at once
      ops  = mode == 3 ? 1 : draw(16) + 1;
      begin_batch;
      for (op = 0; op < ops && !abort && failure_seen == 0; op = op + 1) begin
        make_op(0);
        if (mode == 0 && op == ops / 2) begin
          op_zero       = 1'b0;
          i             = draw(2);
          op_address    = op_address | (64'd1 << (40 + i));
          sizes[given]  = 41'd0; // none are counted
          code          = (i == 1) ? 16'd19 : 16'd18;
          failed        = given;
        end
        effect;
        offer;
        if (mode != 3 && draw(4) == 0) repeat (draw(LATENCY + 5)) @(negedge clk);
      end
      if (mode == 2 && !abort && draw(3) != 0) begin
        repeat (draw(LATENCY + 20)) @(negedge clk);
        abort = 1'b1;
      end
      if (failed >= 0) begin
        wait_for = 0;
        while (failure_seen == 0 && wait_for < 300000) begin
          @(negedge clk);
          wait_for = wait_for + 1;
        end
        if (failure_seen == 0) fail("no error");
      end
      if (failed >= 0 || abort) begin
        soft_reset;
        clear_units;
      end else if (mode == 3) begin
        #1;
        while (!done_valid) @(negedge clk) #1;
        repeat (3) @(negedge clk); // no sooner
        read_beat(last_beat);
      end
      finish_batch;
      if (draw(2) == 0 || batch == BATCHES - 1) read_all;
    end

    // At full speed.
    if (STALL == 0) begin
      mode = 3;
      repeat (4000) @(negedge clk); // until memory has answered what was forgotten
      for (op = 2; op <= 3; op = op + 1) begin
        begin_batch;
        beats = 0;
        make_op(op);
        op_unit = 0;
        effect;
        cycles = $time / 10;
        offer;
        finish_batch;
        cycles = $time / 10 - cycles;
        // A burst a cycle, as many as may be under way.
        if (beats != UNIT_BYTES / (MEM / 8)) fail("beats");
        $display("load_tb: %0s: %0d beats in %0d cycles", op == 2 ? "a long run" : "runs of a beat", beats, cycles);
        if (cycles > beats + LATENCY + 16 && (op == 2 || OUTSTANDING > LATENCY + 8)) fail("too slow");
        read_all;
      end
    end
    $display("load_tb: PASS: %0d batches, %0d granules compared", BATCHES, checked);
    $finish(0);
  end
endmodule

`default_nettype wire
