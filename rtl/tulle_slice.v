// SPDX-License-Identifier: Apache-2.0
//
// tulle_slice: register slice of a valid/ready stream: cuts every path, keeps full throughput.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   valid_i, ready_o, data_i  the stream in
//   valid_o, ready_i, data_o  the stream out
//
// Parameters
//   WIDTH                     bits of data
//
// Latency: one cycle. All outputs are registers; a second register takes what arrives in the cycle in which
// the output turns out to be stalled.

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
  reg             ready_q;
  reg [WIDTH-1:0] data_q;
  reg [WIDTH-1:0] spare_q; // full when ready_q is 0

  wire move = ready_i || !valid_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      ready_q <= 1'b1;
    end else begin
      if (move) valid_q <= valid_i || !ready_q;
      ready_q <= move || (ready_q && !valid_i);
    end
  end

  always @(posedge clk_i) begin
    if (move) data_q <= ready_q ? data_i : spare_q;
    if (ready_q) spare_q <= data_i;
  end

  assign valid_o = valid_q;
  assign ready_o = ready_q;
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
