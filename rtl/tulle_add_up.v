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
//   SUM         bits of the sum
//   NEED        bits that it needs, at least WIDTH; the others are 0
//
// Latency: one cycle.

`default_nettype none

module tulle_add_up #(
  parameter PORTS = 2,
  parameter WIDTH = 1,
  parameter SUM   = 4,
  parameter NEED  = SUM
) (
  input  wire                   clk_i,
  input  wire [PORTS*WIDTH-1:0] words_i,
  output wire [SUM-1:0]         sum_o
);

  tulle_require #(
    .LEGAL   (SUM >= NEED && NEED >= WIDTH),
    .MESSAGE ("tulle_add_up: SUM must be at least NEED, and that at least WIDTH")
  ) u_require_sum_at_least_need_at_least_width ();

  reg [NEED-1:0] sum_q;
  reg [NEED-1:0] sum_d;
  reg [NEED-1:0] word;
  integer        p;

  always @* begin
    sum_d = {NEED{1'b0}};
    word  = {NEED{1'b0}};
    for (p = 0; p < PORTS; p = p + 1) begin
      word[WIDTH-1:0] = words_i[p*WIDTH +: WIDTH];
      sum_d           = sum_d + word;
    end
  end

  always @(posedge clk_i) sum_q <= sum_d;

  generate
    if (SUM > NEED) begin : gen_extend
      assign sum_o = {{SUM-NEED{1'b0}}, sum_q};
    end else begin : gen_same
      assign sum_o = sum_q;
    end
  endgenerate

endmodule

`default_nettype wire
