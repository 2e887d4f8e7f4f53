// SPDX-License-Identifier: Apache-2.0
// MACs are issued, unless hold_o forbids it, and closed, FLIGHT of them at most being open. A store of the solver's
// choosing leaves behind all before it, unchanged, when the MACs before it are closed, and not later; an entry of the
// solver's choosing is busy from its store until it was shifted out.

  localparam FLIGHT = (1 << (NUMBER - 1)) - 1;
  localparam MOST   = (DEPTH + 2 < ENTRIES) ? DEPTH + 2 : ENTRIES; // stores that wait or are on offer
  localparam ADDR   = $clog2(ENTRIES);

  (* anyseq *)   wire            issue;
  (* anyseq *)   wire            close;
  (* anyseq *)   wire            choose;
  (* anyconst *) wire [ADDR-1:0] entry;

  reg  [NUMBER-1:0] open_q;   // MACs that are issued and not closed
  reg  [NUMBER-1:0] issued_q;
  reg  [NUMBER-1:0] closed_q;
  reg               busy_q;
  reg               follow_q; // the store is inside
  reg  [3:0]        ahead_q;  // stores that leave before it
  reg  [3:0]        inside_q;
  reg  [NUMBER-1:0] left_q;   // MACs before it that are open
  reg  [ADDR:0]     word_q;
  reg  [1:0]        still_q;  // cycles in which it was due and not on offer
  reg  [7:0]        cleared_q;

  wire arrives = store_i && choose && !follow_q;
  wire leaves  = follow_q && done_i && ahead_q == 4'd0;
  wire first   = follow_q && ahead_q == 4'd0;

  always @(posedge clk_i) begin
    assume (issued_i == issued_q && closed_i == closed_q);
    if (rst_ni) begin
      assume (!issue || (!hold_o && open_q < FLIGHT));
      assume (!close || open_q != 0);
      assume (!done_i || valid_o);
    end

    if (!rst_ni) begin
      open_q    <= 0;
      issued_q  <= 0;
      closed_q  <= 0;
      busy_q    <= 1'b0;
      follow_q  <= 1'b0;
      inside_q  <= 4'd0;
      cleared_q <= 8'd0;
    end else begin
      open_q   <= open_q + issue - close;
      issued_q <= issued_q + issue;
      closed_q <= closed_q + close;
      inside_q <= inside_q + {3'd0, store_i} - {3'd0, done_i};
      if (store_i && entry_i == entry)     busy_q <= 1'b1;
      else if (done_i && head_o == entry)  busy_q <= 1'b0;
      if (arrives)     follow_q <= 1'b1;
      else if (leaves) follow_q <= 1'b0;
      if (cleared_q != ENTRIES) cleared_q <= cleared_q + 8'd1;
    end
    if (arrives)     ahead_q <= inside_q - {3'd0, done_i};
    else if (done_i) ahead_q <= ahead_q - 4'd1;
    if (arrives)     left_q <= open_q - close;
    else if (close && left_q != 0) left_q <= left_q - 1'b1;
    if (arrives) word_q <= {last_i, entry_i};
    if (!rst_ni || valid_o || !first || left_q != 0) still_q <= 2'd0;
    else                                             still_q <= still_q + 2'd1;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (!done_i || inside_q != 4'd0);
    assert (inside_q <= MOST);
    assert (idle_o == (inside_q == 4'd0));
    assert (!(valid_o && first) || (left_q == 0 && {head_last_o, head_o} == word_q));
    // It is on offer when its turn has come.
    assert (still_q < 2'd3);
    assert (cleared_q != ENTRIES || entry_i != entry || busy_o == busy_q);
    assert (!ready_o || cleared_q == ENTRIES);
    assert (ready_o || cleared_q != ENTRIES || inside_q >= DEPTH);
    cover (leaves && last_i);
    cover (inside_q == MOST);
    cover (hold_o);
  end
