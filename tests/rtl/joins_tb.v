// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_join_lanes: plays the scales and pairs of a file (joins/pairs.c) with pauses, and compares the results. Between
// pairs, and while the pipeline stops, the inputs are anything.
//
// Plusarg: +pairs=FILE

`default_nettype none

`include "tulle_isa.vh"

module joins_tb #(
  parameter LANES = 4,
  parameter ACC   = 32
);
  localparam LINE_END = 0, LINE_SCALE = 1, LINE_PAIRS = 2;
  localparam DEPTH = 8, STUCK = 1000;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg [63:0] random = 64'h2545F4914F6CDD1D;
  always @(posedge clk) random <= {random[62:0], random[63] ^ random[62] ^ random[60] ^ random[59]};

  reg  [LANES*16-1:0]  first, second;
  reg  [LANES*ACC-1:0] result;
  reg  [LANES*ACC-1:0] expected [0:DEPTH-1]; // of pairs under way, a ring
  reg                  set_first = 1'b0, set_second = 1'b0, offered = 1'b0, enable = 1'b0;
  reg  [15:0]          first_zero, second_zero;
  reg  [31:0]          multiplier;
  reg  [5:0]           shift;
  reg  [1:0]           join_number;
  reg                  scale_first, fraction_15, alone, two_steps;
  wire                 ready, valid, minus;
  wire [LANES*ACC-1:0] base, rest;
  wire [LANES-1:0]     up;

  tulle_join_lanes #(
    .ACC   (ACC),
    .LANES (LANES)
  ) u_dut (
    .clk_i         (clk),
    .rst_ni        (rst_n),
    .set_first_i   (set_first),
    .set_second_i  (set_second),
    .zero_i        (set_first ? first_zero : set_second ? second_zero : random[15:0]),
    .multiplier_i  (set_second ? multiplier : random[31:0]),
    .shift_i       (set_second ? shift : random[37:32]),
    .scale_first_i (set_second ? scale_first : random[38]),
    .fraction_15_i (set_second ? fraction_15 : random[39]),
    .ready_o       (ready),
    .join_i        (join_number),
    .alone_i       (alone),
    .two_steps_i   (two_steps),
    .enable_i      (enable),
    .valid_i       (offered),
    .first_i       (offered && alone ? first : {LANES{random[55:40]}}),
    .result_i      (offered && !alone ? first : {LANES{random[47:32]}}),
    .second_i      (offered ? second : {LANES{random[63:48]}}),
    .valid_o       (valid),
    .base_o        (base),
    .minus_o       (minus),
    .rest_o        (rest),
    .up_o          (up)
  );

  // The register behind base_o, and the sum.
  reg  [LANES*ACC-1:0] base_q;
  reg                  valid_q = 1'b0;
  wire [LANES*ACC-1:0] sum;
  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire [ACC-1:0] other = rest[l*ACC +: ACC] ^ {ACC{minus}};
      assign sum[l*ACC +: ACC] = base_q[l*ACC +: ACC] + other + {{ACC-1{1'b0}}, up[l]};
    end
  endgenerate

  integer taken = 0, given = 0, scales = 0, waited = 0;

  always @(posedge clk) begin
    if (enable) begin
      base_q  <= base;
      valid_q <= valid;
      if (offered) begin
        expected[taken % DEPTH] <= result;
        taken = taken + 1;
      end
      if (valid_q) begin
        if (sum !== expected[given % DEPTH]) begin
          $display("joins_tb: scale %0d, chunk %0d: %h, must be %h", scales, given, sum, expected[given % DEPTH]);
          $fatal(1);
        end
        given = given + 1;
      end
    end
    enable <= random[9:8] != 2'd0;
  end

  integer      file, got, kind;
  reg [31:0]   f1, f2, f3, f4, f5, f6, f7, f8, f9;
  reg [8191:0] name;

  // Everything under way leaves before the scale changes.
  task drain;
    begin
      waited = 0;
      while (given < taken) begin
        @(negedge clk);
        waited = waited + 1;
        if (waited == STUCK) begin
          $display("joins_tb: scale %0d: %0d of %0d chunks", scales, given, taken);
          $fatal(1);
        end
      end
    end
  endtask

  task set_scale;
    begin
      drain;
      first_zero  = f1[15:0];
      second_zero = f2[15:0];
      multiplier  = f3;
      shift       = f4[5:0];
      scale_first = f5[0];
      fraction_15 = f6[0];
      join_number = `TULLE_JOIN_ADD + f7[1:0];
      alone       = f8[0];
      two_steps   = f9[0];
      set_first   = 1'b1;
      @(negedge clk);
      set_first   = 1'b0;
      set_second  = 1'b1;
      @(negedge clk);
      set_second  = 1'b0;
      @(negedge clk);
      waited = 0;
      while (!ready) begin
        @(negedge clk);
        waited = waited + 1;
        if (waited > 15) begin
          $display("joins_tb: scale %0d: not ready in 15 cycles", scales);
          $fatal(1);
        end
      end
      scales = scales + 1;
    end
  endtask

  task offer;
    begin
      if (random[21:20] == 2'd0) @(negedge clk);
      offered = 1'b1;
      waited  = taken;
      while (taken == waited) @(negedge clk);
      offered = 1'b0;
    end
  endtask

  initial begin
    if (!$value$plusargs("pairs=%s", name)) $fatal(1);
    file = $fopen(name, "r");
    if (file == 0) $fatal(1);
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    kind  = LINE_SCALE;
    while (kind != LINE_END) begin
      got = $fscanf(file, "%d", kind);
      if (kind == LINE_SCALE) begin
        got = $fscanf(file, "%h %h %h %h %h %h %h %h %h", f1, f2, f3, f4, f5, f6, f7, f8, f9);
        set_scale;
      end else if (kind == LINE_PAIRS) begin
        got = $fscanf(file, "%h %h %h", first, second, result);
        offer;
      end
    end
    drain;
    if (given == 0) $fatal(1);
    $display("joins_tb: PASS, %0d chunks of %0d scales", given, scales);
    $finish(0);
  end
endmodule

`default_nettype wire
