// SPDX-License-Identifier: Apache-2.0
//
// Ends of a stream for the benches of leaf modules: a source that sends COUNT words of a known sequence and a
// sink that expects them. PACE: 0 always, 1 every other cycle on average, 2 rarely.

`default_nettype none

// The sequence: looks random, the same everywhere.
module bench_hash (
  input  wire [31:0] seed_i,
  input  wire [31:0] index_i,
  output wire [63:0] hash_o
);
  function [31:0] mix(input [31:0] seed, input [31:0] index);
    reg [31:0] x;
    begin
      x = (seed * 32'h9E3779B1) ^ (index * 32'h85EBCA77) ^ 32'h27D4EB2F;
      x = (x ^ (x >> 15)) * 32'h2C1B3C6D;
      x = (x ^ (x >> 12)) * 32'h297A2D39;
      mix = x ^ (x >> 15);
    end
  endfunction

  assign hash_o = {mix(seed_i + 32'd77, index_i), mix(seed_i, index_i)};
endmodule

// Whether something happens in this cycle: a shift register with feedback, cheaper than the sequence.
module bench_pace #(
  parameter        PACE = 0,
  parameter [31:0] SEED = 1
) (
  input  wire clk_i,
  output wire now_o
);
  reg [31:0] state_q = (SEED ^ 32'h5A5A1234) | 32'd1;

  always @(posedge clk_i) begin
    if (PACE != 0)
      state_q <= {state_q[30:0], state_q[31] ^ state_q[21] ^ state_q[1] ^ state_q[0]};
  end

  assign now_o = (PACE == 0) ? 1'b1 : (PACE == 1) ? state_q[0] : {state_q[28], state_q[17], state_q[5]} == 3'd0;
endmodule

module bench_source #(
  parameter WIDTH = 8,
  parameter COUNT = 100,
  parameter PACE  = 0,
  parameter SEED  = 1
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  output reg              valid_o,
  input  wire             ready_i,
  output reg  [WIDTH-1:0] data_o,
  output wire             done_o
);
  reg [31:0]  index_q;
  wire        now;
  wire [63:0] word;

  bench_pace #(.PACE(PACE), .SEED(SEED + 1000)) u_pace (.clk_i(clk_i), .now_o(now));
  wire [31:0] seed = SEED;
  bench_hash u_hash (.seed_i(seed), .index_i(index_q), .hash_o(word));

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_o <= 1'b0;
      index_q <= 32'd0;
    end else if (!valid_o || ready_i) begin
      valid_o <= now && index_q != COUNT;
      if (now && index_q != COUNT) begin
        data_o  <= word[WIDTH-1:0];
        index_q <= index_q + 32'd1;
      end
    end
  end

  assign done_o = index_q == COUNT && !valid_o;
endmodule

module bench_sink #(
  parameter WIDTH = 8,
  parameter COUNT = 100,
  parameter PACE  = 0,
  parameter SEED  = 1
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             valid_i,
  output reg              ready_o,
  input  wire [WIDTH-1:0] data_i,
  output wire             done_o
);
  reg [31:0]  index_q;
  wire        now;
  wire [63:0] word;

  bench_pace #(.PACE(PACE), .SEED(SEED + 2000)) u_pace (.clk_i(clk_i), .now_o(now));
  wire [31:0] seed = SEED;
  bench_hash u_hash (.seed_i(seed), .index_i(index_q), .hash_o(word));

  always @(posedge clk_i) begin
    ready_o <= now;
    if (!rst_ni) begin
      index_q <= 32'd0;
    end else if (valid_i && ready_o) begin
      index_q <= index_q + 32'd1;
      if (data_i !== word[WIDTH-1:0] || index_q == COUNT) begin
        $display("%m: word %0d is %h, must be %h", index_q, data_i, word[WIDTH-1:0]);
        $fatal(1);
      end
    end
  end

  assign done_o = index_q == COUNT;
endmodule

`default_nettype wire
