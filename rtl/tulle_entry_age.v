// SPDX-License-Identifier: Apache-2.0
//
// tulle_entry_age: how many MACs ago an entry of the output queue was named. PEs close MACs in order, so they know from
// it whether the entry is still being written, without comparing entries themselves.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset
//   issue_i, entry_i   one cycle: a MAC is issued, which names entry_i
//   age_o              of entry_i: 1, the last MAC named it, to 3; the latest counts; 0: none of the last three did
//
// Parameters
//   ENTRY              bits of an entry's number
//
// Latency: none. After reset it is as if entry 0 had been named, which nobody waits for: no MAC is there.

`default_nettype none

module tulle_entry_age #(
  parameter ENTRY = 6
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             issue_i,
  input  wire [ENTRY-1:0] entry_i,
  output wire [1:0]       age_o
);

  tulle_require #(
    .LEGAL   (ENTRY >= 1),
    .MESSAGE ("tulle_entry_age: ENTRY must be at least 1")
  ) u_require_entry_at_least_1 ();

  reg [ENTRY-1:0] first_q;  // the last MAC's
  reg [ENTRY-1:0] second_q;
  reg [ENTRY-1:0] third_q;

  always @(posedge clk_i) begin
    if (!rst_ni)      {first_q, second_q, third_q} <= {3*ENTRY{1'b0}};
    else if (issue_i) {first_q, second_q, third_q} <= {entry_i, first_q, second_q};
  end

  assign age_o = (entry_i == first_q)  ? 2'd1 :
                 (entry_i == second_q) ? 2'd2 :
                 (entry_i == third_q)  ? 2'd3 : 2'd0;

endmodule

`default_nettype wire
