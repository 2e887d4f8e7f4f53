// SPDX-License-Identifier: Apache-2.0
//
// tulle_segment_count: computes how many segments a packet brings: its iterations divided by the iterations that a
// segment serves.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset
//   start_i            one cycle: begin a division
//   count_i, hold_i    iterations; iterations that a segment serves, not 0; stable until valid_o
//   valid_o            the result is valid, until the next start
//   segments_o         the quotient
//   rest_o             the division leaves a remainder
//
// Latency: one cycle if hold_i is 1, otherwise 17.

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

  // Non-restoring division: the next step corrects a subtraction that was too large.
  reg  [15:0] quotient_q;     // the dividend leaves at the top, and the quotient enters at the bottom
  reg  [16:0] rest_q;         // the remainder, or the remainder minus hold
  reg         no_remainder_q; // the last step's remainder and its next bit are 0, so that subtracting hold gives -hold
  reg  [4:0]  steps_left_q;   // steps left
  reg         valid_q;

  wire        rest_negative = rest_q[16];
  wire [17:0] next          = {rest_q[15:0], quotient_q[15], 1'b0} - {{1'b0, hold_i} ^ {17{rest_negative}}, rest_negative};
  wire        no_remainder  = rest_q == 17'd0 || no_remainder_q; // there is no remainder

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {steps_left_q, valid_q} <= 6'd0;
    end else if (start_i) begin
      steps_left_q <= hold_i == 16'd1 ? 5'd0 : 5'd16;
      valid_q      <= hold_i == 16'd1;
    end else if (steps_left_q != 5'd0) begin
      steps_left_q <= steps_left_q - 5'd1;
      valid_q      <= steps_left_q == 5'd1;
    end
  end

  always @(posedge clk_i) begin
    if (start_i)              quotient_q <= count_i;
    else if (steps_left_q != 5'd0) quotient_q <= {quotient_q[14:0], !next[17]};

    if (start_i)              rest_q <= 17'd0;
    else if (steps_left_q != 5'd0) rest_q <= next[17:1];

    if (start_i)              no_remainder_q <= 1'b0;
    else if (steps_left_q != 5'd0) no_remainder_q <= no_remainder && !quotient_q[15];
  end

  assign valid_o    = valid_q;
  assign segments_o = quotient_q;
  assign rest_o     = !no_remainder;

  wire unused = &{1'b0, next[0]};

endmodule

`default_nettype wire
