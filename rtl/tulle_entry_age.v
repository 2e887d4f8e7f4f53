// SPDX-License-Identifier: Apache-2.0
//
// tulle_entry_age: computes how many MACs ago an output-queue entry was last named. PEs close MACs in order, so this
// age tells them whether the entry is still to be written, without comparing entry numbers.
//
// Ports
//   clk_i, rst_ni      clock, synchronous reset
//   issue_i, entry_i   one cycle: a MAC that names entry_i is issued
//   age_o              how many MACs ago entry_i was last named: 1 to 3, where 1 is the last MAC; 0: none of the last
//                      three MACs named it
//
// Parameters
//   ENTRY              bits of an entry's number
//
// Latency: none. After reset the ages are as if entry 0 had been named. No MAC waits for it, because none is issued.

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

  reg [ENTRY-1:0] first_q;  // the entry of the last MAC
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
