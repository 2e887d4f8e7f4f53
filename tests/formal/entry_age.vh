// SPDX-License-Identifier: Apache-2.0
// An entry of the solver's choosing has the age that counting the MACs since one named it gives.

  (* anyconst *) wire [ENTRY-1:0] entry;
  reg [1:0] since_q; // MACs since the last one that named it, itself included; 0: three or more others

  always @(posedge clk_i) begin
    if (!rst_ni)      since_q <= (entry == {ENTRY{1'b0}}) ? 2'd1 : 2'd0;
    else if (issue_i) since_q <= (entry_i == entry) ? 2'd1 : (since_q == 2'd0) ? 2'd0 : since_q + 2'd1;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    if (entry_i == entry) assert (age_o == since_q);
    cover (issue_i && age_o == 2'd3);
    cover (issue_i && age_o == 2'd0);
  end
