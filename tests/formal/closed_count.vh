// SPDX-License-Identifier: Apache-2.0
// PEs close what was issued, FLIGHT of them at most being open in a PE. Of those that are closed in all PEs all are
// counted but one, which is in the next cycle.

  reg  [PES*8-1:0] open_q; // of each PE: issued and not closed
  reg  [7:0]       most;
  reg              late_q; // a MAC was closed in all PEs and not counted
  reg [NUMBER-1:0] counted_q;
  reg [NUMBER-1:0] issued_q;
  integer          p;

  always @* begin
    most = 8'd0;
    for (p = 0; p < PES; p = p + 1)
      if (open_q[p*8 +: 8] > most) most = open_q[p*8 +: 8];
  end

  wire [NUMBER-1:0] behind = issued_o - closed_o;
  wire              late   = behind != most;

  always @(posedge clk_i) begin
    for (p = 0; p < PES; p = p + 1) begin
      if (!rst_ni) open_q[p*8 +: 8] <= 8'd0;
      else         open_q[p*8 +: 8] <= open_q[p*8 +: 8] + {7'd0, issue_i} - {7'd0, closed_i[p]};
      assume (!rst_ni || !closed_i[p] || open_q[p*8 +: 8] != 8'd0);
      assume (!rst_ni || !issue_i || open_q[p*8 +: 8] < FLIGHT);
    end
    late_q    <= rst_ni && late;
    counted_q <= rst_ni ? closed_o : {NUMBER{1'b0}};
    issued_q  <= rst_ni ? issued_o + issue_i : {NUMBER{1'b0}};
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (issued_o == issued_q);
    assert (behind == most || behind == most + 8'd1);
    assert (behind <= FLIGHT);
    assert (closed_o == (late_q ? counted_q + 1'b1 : counted_q));
    cover (most == FLIGHT);
    cover (late && late_q);
  end
