// SPDX-License-Identifier: Apache-2.0
//
// tulle_segment_count: how many segments a packet brings: its iterations divided by those that a segment serves.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset
//   start_i            one cycle: divide
//   count_i, hold_i    iterations; iterations a segment serves, not 0; stable until valid_o
//   valid_o            the answer is there, until the next start
//   segments_o         the quotient
//   rest_o             it does not divide
//
// Latency: one cycle when hold is 1, else 17.

`default_nettype none

module tulle_segment_count (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        start_i,
  input  wire [15:0] count_i,
  input  wire [15:0] hold_i,
  output wire        valid_o,
  output wire [15:0] segments_o,
  output wire        rest_o
);

  reg  [15:0] quotient_q; // the dividend leaves at the top, the quotient comes in below
  reg  [15:0] rest_q;
  reg  [4:0]  left_q;     // steps
  reg         valid_q;

  wire [16:0] next = {rest_q, quotient_q[15]};
  wire [17:0] less = {1'b0, next} - {2'b00, hold_i};
  wire        fits = !less[17];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q  <= 5'd0;
      valid_q <= 1'b0;
    end else if (start_i) begin
      left_q  <= hold_i == 16'd1 ? 5'd0 : 5'd16;
      valid_q <= hold_i == 16'd1;
    end else if (left_q != 5'd0) begin
      left_q  <= left_q - 5'd1;
      valid_q <= left_q == 5'd1;
    end
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      quotient_q <= count_i;
      rest_q     <= 16'd0;
    end else if (left_q != 5'd0) begin
      quotient_q <= {quotient_q[14:0], fits};
      rest_q     <= fits ? less[15:0] : next[15:0];
    end
  end

  assign valid_o    = valid_q;
  assign segments_o = quotient_q;
  assign rest_o     = rest_q != 16'd0;

  wire unused = &{1'b0, less[16]};

endmodule

`default_nettype wire
