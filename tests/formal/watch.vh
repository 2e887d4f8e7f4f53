// SPDX-License-Identifier: Apache-2.0
// An error is said when all PEs have been stuck for 2^PATIENCE - 1 cycles, and every 2^PATIENCE cycles from then on,
// two cycles later, and at no other time.

  reg [PATIENCE-1:0] streak_q; // cycles on end, until the last but one
  reg                stuck_q;

  always @(posedge clk_i) begin
    stuck_q  <= rst_ni && starved_i == {PES{1'b1}} && !moving_i && (waiting_i || (unfinished_i && !feeding_i));
    streak_q <= rst_ni && stuck_q ? streak_q + 1'b1 : {PATIENCE{1'b0}};
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (error_o == (streak_q == {PATIENCE{1'b1}}));
    assert (error_code_o == (waiting_i ? 16'd39 : 16'd43));
    cover (error_o && waiting_i);
    cover (error_o && !waiting_i);
  end
