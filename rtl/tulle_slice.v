// SPDX-License-Identifier: Apache-2.0
//
// tulle_slice: a register for a valid/ready stream. It cuts the paths of valid and data, but not that of ready.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   valid_i, ready_o, data_i  the input stream
//   valid_o, ready_i, data_o  the output stream
//
// Parameters
//   WIDTH                     bits of data
//
// Latency: one cycle, a word a cycle. ready_o depends on ready_i in the same cycle; the other outputs are registers.

`default_nettype none

module tulle_slice #(
  parameter WIDTH = 8
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             valid_i,
  output wire             ready_o,
  input  wire [WIDTH-1:0] data_i,

  output wire             valid_o,
  input  wire             ready_i,
  output wire [WIDTH-1:0] data_o
);

  tulle_require #(
    .LEGAL   (WIDTH >= 1),
    .MESSAGE ("tulle_slice: WIDTH must be at least 1")
  ) u_require_width_at_least_1 ();

  reg             valid_q;
  reg [WIDTH-1:0] data_q;

  wire move = ready_i || !valid_q;

  always @(posedge clk_i) begin
    if (!rst_ni)   valid_q <= 1'b0;
    else if (move) valid_q <= valid_i;
  end

  always @(posedge clk_i) begin
    if (move) data_q <= data_i;
  end

  assign valid_o = valid_q;
  assign ready_o = move;
  assign data_o  = data_q;

  tulle_stream_check #(
    .WIDTH (WIDTH)
  ) u_input_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (valid_i),
    .ready_i (ready_o),
    .data_i  (data_i)
  );

endmodule

`default_nettype wire
