// SPDX-License-Identifier: Apache-2.0
//
// tulle_add_up: the sum of what several parts count in a cycle.
//
// Ports
//   clk_i       clock
//   words_i     word p: what part p counts
//   sum_o       their sum, a cycle later
//
// Parameters
//   PORTS       parts
//   WIDTH       bits of a word
//   SUM         bits of the sum, at least WIDTH: it must hold the sum
//
// Latency: one cycle.

`default_nettype none

module tulle_add_up #(
  parameter PORTS = 2,
  parameter WIDTH = 1,
  parameter SUM   = 4
) (
  input  wire                   clk_i,
  input  wire [PORTS*WIDTH-1:0] words_i,
  output wire [SUM-1:0]         sum_o
);

  tulle_require #(
    .LEGAL   (SUM >= WIDTH),
    .MESSAGE ("tulle_add_up: SUM must be at least WIDTH")
  ) u_require_sum_at_least_width ();

  reg [SUM-1:0] sum_q;
  reg [SUM-1:0] sum_d;
  reg [SUM-1:0] word;
  integer       p;

  always @* begin
    sum_d = {SUM{1'b0}};
    word  = {SUM{1'b0}};
    for (p = 0; p < PORTS; p = p + 1) begin
      word[WIDTH-1:0] = words_i[p*WIDTH +: WIDTH];
      sum_d           = sum_d + word;
    end
  end

  always @(posedge clk_i) sum_q <= sum_d;

  assign sum_o = sum_q;

endmodule

`default_nettype wire
