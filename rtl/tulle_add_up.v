// SPDX-License-Identifier: Apache-2.0
//
// tulle_add_up: adds up the event counts of several sources, field by field.
//
// Ports
//   clk_i       clock
//   words_i     word p: the counts of source p in this cycle
//   sum_o       the sum of each field, a cycle later
//
// Parameters
//   PORTS       sources
//   FIELDS      fields of a word
//   WIDTH       bits of a field of a word
//   USED        how many of these bits can be non-zero
//   SUM         bits of a field of the sum
//   NEED        bits that the sum needs, at least USED; the bits above are 0
//
// Latency: one cycle.

`default_nettype none

module tulle_add_up #(
  parameter PORTS  = 2,
  parameter FIELDS = 1,
  parameter WIDTH  = 1,
  parameter USED   = WIDTH,
  parameter SUM    = 4,
  parameter NEED   = SUM
) (
  input  wire                          clk_i,
  input  wire [PORTS*FIELDS*WIDTH-1:0] words_i,
  output wire [FIELDS*SUM-1:0]         sum_o
);

  tulle_require #(
    .LEGAL   (SUM >= NEED && NEED >= USED && WIDTH >= USED),
    .MESSAGE ("tulle_add_up: SUM must be at least NEED, that at least USED, and WIDTH as well")
  ) u_require_sum_at_least_need_at_least_used ();

  genvar f;
  generate
    for (f = 0; f < FIELDS; f = f + 1) begin : gen_field
      reg [NEED-1:0] sum_q;
      reg [NEED-1:0] sum_d;
      reg [NEED-1:0] word;
      integer        p;

      always @* begin
        sum_d = {NEED{1'b0}};
        word  = {NEED{1'b0}};
        for (p = 0; p < PORTS; p = p + 1) begin
          word[USED-1:0] = words_i[(p*FIELDS + f)*WIDTH +: USED];
          sum_d          = sum_d + word;
        end
      end

      always @(posedge clk_i) sum_q <= sum_d;

      if (SUM > NEED) begin : gen_extend
        assign sum_o[f*SUM +: SUM] = {{SUM-NEED{1'b0}}, sum_q};
      end else begin : gen_same
        assign sum_o[f*SUM +: SUM] = sum_q;
      end
    end
  endgenerate

  // The bits of a field above USED are 0.
  wire unused = &{1'b0, words_i};

endmodule

`default_nettype wire
