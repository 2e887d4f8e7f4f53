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

  // Division without restoring: what a step subtracted too much the next one adds.
  reg  [15:0] quotient_q; // the dividend leaves at the top, the quotient comes in below
  reg  [16:0] rest_q;     // the remainder, or hold less than it
  reg         none_q;     // the last step's remainder and the bit behind it are 0, so that hold less is 0
  reg  [4:0]  left_q;     // steps
  reg         valid_q;

  wire        minus = rest_q[16];
  wire [17:0] next  = {rest_q[15:0], quotient_q[15], 1'b0} - {{1'b0, hold_i} ^ {17{minus}}, minus};
  wire        none  = rest_q == 17'd0 || none_q; // no remainder

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
    if (start_i)              quotient_q <= count_i;
    else if (left_q != 5'd0) quotient_q <= {quotient_q[14:0], !next[17]};

    if (start_i)              rest_q <= 17'd0;
    else if (left_q != 5'd0) rest_q <= next[17:1];

    if (start_i)              none_q <= 1'b0;
    else if (left_q != 5'd0) none_q <= none && !quotient_q[15];
  end

  assign valid_o    = valid_q;
  assign segments_o = quotient_q;
  assign rest_o     = !none;

  wire unused = &{1'b0, next[0]};

endmodule

`default_nettype wire
