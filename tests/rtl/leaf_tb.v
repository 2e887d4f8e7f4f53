// SPDX-License-Identifier: Apache-2.0
//
// All benches of leaf modules, each with its matrix of parameters and paces. A bench ends the run with an error
// when something is wrong; all must be done in time.

`default_nettype none

module leaf_tb #(
  parameter PACES = 4 // of those that gen_pace names
);
  reg clk = 1'b0;
  reg rst_n = 1'b0;

  always #5 clk = !clk;
  initial begin
    repeat (5) @(negedge clk);
    rst_n = 1'b1;
  end

  localparam QUEUES  = 22 * PACES;      // benches before the others
  localparam BENCHES = QUEUES + 8 + 9 + 2 * 7 + 2 * 5;
  wire [BENCHES-1:0] done;

  integer n;
  genvar  c, d;
  generate
    // Nobody waits, both do now and then, the far end is slow, the near end is slow.
    for (c = 0; c < PACES; c = c + 1) begin : gen_pace
      localparam IN  = c == 1 ? 1 : c == 3 ? 2 : 0;
      localparam OUT = c == 1 ? 1 : c == 2 ? 2 : 0;
      localparam AT  = 22 * c;

      // Depth 0 is the slice. Width 1 and 33, and depths that are and are not powers of two.
      for (d = 0; d < 7; d = d + 1) begin : gen_depth
        bench_queue #(.WIDTH(d == 2 ? 1 : 33), .DEPTH(d < 6 ? d : 16), .IN(IN), .OUT(OUT)) u_queue (
          .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + d]));
      end

      for (d = 0; d < 4; d = d + 1) begin : gen_ports
        bench_fork #(.PORTS(d < 3 ? d + 1 : 7), .IN(IN), .OUT(OUT)) u_fork (
          .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 7 + d]));
        bench_arbiter #(.PORTS(d < 3 ? d + 1 : 7), .IN(IN), .OUT(OUT)) u_arbiter (
          .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 11 + d]));
      end

      // 5 PEs, 1 PE, 16 PEs; accumulators as wide as an element and not; a piece of a beat is half an element, two, four.
      bench_results #(.BUS(64), .PIECE(64), .OUT_BUS(128), .ELEMENT(32), .ACC(32), .PES(5), .IN(IN), .OUT(OUT)) u_results5 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 15]));
      bench_results #(.BUS(128), .PIECE(32), .OUT_BUS(128), .ELEMENT(64), .ACC(48), .PES(1), .IN(IN), .OUT(OUT)) u_results1 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 16]));
      bench_results #(.BUS(512), .PIECE(128), .OUT_BUS(512), .ELEMENT(32), .ACC(24), .PES(16), .IN(IN), .OUT(OUT)) u_results16 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 17]));

      // 1, 2, 4, 16 lines in a beat; one buffer of two lines.
      bench_inputs #(.BUS(64), .LOAD(64), .DATA(8), .LINES(16), .IN(IN)) u_inputs_1 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 18]));
      bench_inputs #(.BUS(64), .LOAD(32), .DATA(16), .LINES(32), .ZERO(1), .IN(IN)) u_inputs_2 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 19]));
      bench_inputs #(.BUS(256), .LOAD(64), .DATA(8), .LINES(2), .ZERO(1), .IN(IN)) u_inputs_4 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 20]));
      bench_inputs #(.BUS(512), .LOAD(32), .DATA(8), .LINES(16), .IN(IN)) u_inputs_16 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[AT + 21]));
    end

    for (d = 0; d < 4; d = d + 1) begin : gen_ram
      bench_ram #(.WIDTH(1), .DEPTH(d == 3 ? 33 : d + 1)) u_narrow (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 2*d]));
      bench_ram #(.WIDTH(40), .DEPTH(d == 3 ? 64 : d + 1)) u_wide (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 1 + 2*d]));
    end
  endgenerate

  bench_first_error #(.PORTS(1)) u_first_of_1 (.clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 8]));
  bench_first_error #(.PORTS(3)) u_first_of_3 (.clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 9]));
  bench_first_error #(.PORTS(16)) u_first_of_16 (.clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 10]));

  bench_store #(.BUFFERS(4), .DEPTH(8), .ENTRIES(16)) u_store (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 11]));
  bench_store #(.BUFFERS(8), .DEPTH(16), .ENTRIES(64)) u_store_base (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 12]));
  bench_store #(.BUFFERS(1), .DEPTH(1), .ENTRIES(4)) u_store_one (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 13]));
  bench_store #(.BUFFERS(24), .DEPTH(1), .ENTRIES(4)) u_store_short (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 14]));
  bench_store #(.BUFFERS(5), .DEPTH(3), .ENTRIES(9)) u_store_odd (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 15]));
  bench_store #(.BUFFERS(32), .DEPTH(32), .ENTRIES(256)) u_store_large (
    .clk_i(clk), .rst_ni(rst_n), .done_o(done[QUEUES + 16]));

  // At full pace, and with pauses on both sides: one entry for each PE in a beat, more than a word has, a part of a word,
  // and words and beats that do not divide each other; entries that lie across two beats of the bus.
  generate
    for (c = 0; c < 2; c = c + 1) begin : gen_weights
      localparam W = QUEUES + 17 + 7 * c;
      bench_weights #(.BUS(128), .PES(8), .SCAN(1), .ENTRIES(1), .IN(c), .OUT(c)) u_one (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W]));
      bench_weights #(.BUS(128), .PES(2), .SCAN(2), .ENTRIES(4), .IN(c), .OUT(c)) u_two_words (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 1]));
      bench_weights #(.BUS(128), .PES(1), .SCAN(4), .ENTRIES(7), .DATA(8), .INDEX(10), .IN(c), .OUT(c)) u_seven (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 2]));
      bench_weights #(.BUS(64), .PES(1), .SCAN(4), .ENTRIES(3), .DATA(8), .INDEX(13), .IN(c), .OUT(c)) u_three (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 3]));
      bench_weights #(.BUS(64), .PES(2), .SCAN(4), .ENTRIES(2), .IN(c), .OUT(c)) u_two_beats (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 4]));
      bench_weights #(.BUS(64), .PES(3), .SCAN(2), .ENTRIES(1), .DATA(16), .INDEX(8), .IN(c), .OUT(c)) u_across (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 5]));
      bench_weights #(.BUS(64), .PES(7), .SCAN(4), .ENTRIES(1), .DATA(8), .INDEX(9), .IN(c), .OUT(c)) u_two_bus_beats (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[W + 6]));
    end

    for (c = 0; c < 2; c = c + 1) begin : gen_scatter
      localparam S = QUEUES + 17 + 2 * 7 + 5 * c;
      // As many PEs as values in a line, fewer, more; numbers of PEs that are no powers of two.
      bench_scatter #(.LOAD(64), .DATA(8), .LINES(16), .PES(8), .ZERO(1), .IN(c)) u_scatter_8 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[S]));
      bench_scatter #(.LOAD(64), .DATA(8), .LINES(2), .PES(2), .IN(c)) u_scatter_2 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[S + 1]));
      bench_scatter #(.LOAD(32), .DATA(16), .LINES(8), .PES(16), .ZERO(1), .IN(c)) u_scatter_16 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[S + 2]));
      bench_scatter #(.LOAD(32), .DATA(8), .LINES(16), .PES(5), .IN(c)) u_scatter_5 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[S + 3]));
      bench_scatter #(.LOAD(128), .DATA(8), .LINES(8), .PES(11), .IN(c)) u_scatter_11 (
        .clk_i(clk), .rst_ni(rst_n), .done_o(done[S + 4]));
    end
  endgenerate

  initial begin
    repeat (7000) begin
      @(negedge clk);
      if (&done) begin
        $display("leaf_tb: PASS, %0d benches", BENCHES);
        $finish(0);
      end
    end
    for (n = 0; n < BENCHES; n = n + 1)
      if (done[n] !== 1'b1) $display("leaf_tb: bench %0d is not done", n);
    $display("leaf_tb: FAIL");
    $fatal(1);
  end
endmodule

`default_nettype wire
