// SPDX-License-Identifier: Apache-2.0
// A burst of the solver's choosing: its answer is ours until a soft reset and never again after it. Answers come in the
// order of the bursts of an ID, and only for bursts that are under way. A new ID is taken up when it is free.

`include "of_id.vh"
  reg  [11:0] under_q; // bursts of each ID under way, as memory sees it
  reg        follow_q;
  reg        old_q;
  reg  [1:0] id_q;
  reg  [2:0] ahead_q;       // bursts of its ID that are answered before
  reg  [1:0] before_q;      // the ID before the last soft reset
  reg        flushed_q;
  (* anyseq *) wire choose;
  integer    i;

  wire arrives = open_i && choose && !follow_q;
  wire leaves  = follow_q && close_i && answered_id_i == id_q && ahead_q == 3'd0;

  always @(posedge clk_i) begin
    assume (!open_i || of_id(under_q, id_o) < OUTSTANDING);
    assume (!close_i || of_id(under_q, answered_id_i) != 3'd0);
    for (i = 0; i < 4; i = i + 1)
      if (!rst_ni) under_q[3*i +: 3] <= 3'd0;
      else under_q[3*i +: 3] <= under_q[3*i +: 3] + {2'd0, open_i && id_o == i} - {2'd0, close_i && answered_id_i == i};

    if (!rst_ni)      follow_q <= 1'b0;
    else if (arrives) follow_q <= 1'b1;
    else if (leaves)  follow_q <= 1'b0;
    if (arrives) begin
      id_q    <= id_o;
      ahead_q <= of_id(under_q, id_o) - {2'd0, close_i && answered_id_i == id_o};
    end else if (close_i && answered_id_i == id_q) begin
      ahead_q <= ahead_q - 3'd1;
    end
    old_q     <= arrives ? 1'b0 : old_q || flush_i;
    before_q  <= id_o;
    flushed_q <= rst_ni && flush_i;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (!leaves || ours_o == !old_q);
    assert (!(follow_q && !old_q) || (!idle_o && !stale_o && id_o == id_q));
    assert (!flushed_q || id_o == before_q + 2'd1);
    assert (!(open_i && of_id(under_q, id_o) == 3'd0) || idle_o);
    // It is free again when all its answers are there, a cycle after the soft reset at the earliest.
    assert (!stale_o || flushed_q || of_id(under_q, id_o) != 3'd0 || waited_q < 2'd2);
    cover (leaves && old_q);
    cover (follow_q && old_q && open_i && id_o != id_q);
    cover (stale_o && of_id(under_q, id_o) != 3'd0);
  end

  reg [1:0] waited_q;
  always @(posedge clk_i)
    if (!rst_ni || flush_i || of_id(under_q, id_o) != 3'd0) waited_q <= 2'd0;
    else if (waited_q != 2'd3)                       waited_q <= waited_q + 2'd1;
