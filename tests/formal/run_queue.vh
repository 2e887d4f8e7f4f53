// SPDX-License-Identifier: Apache-2.0
// MACs are issued and closed, FLIGHT of them at most being open; runs are handed out when they are offered, and end
// not before; a load is done at any time. A ring of what was announced says what must be: room, what is offered, which
// runs are complete and when the load may begin. Of the words of a run three bits are followed, rotate, writes and one
// of the count: all are in the same word of the same RAM.

  localparam FLIGHT = (1 << (NUMBER - 1)) - SLOTS;
  localparam SLOT   = $clog2(SLOTS);

  (* anyseq *) wire issue;
  (* anyseq *) wire close;

  reg  [NUMBER-1:0]       open_q;     // MACs that are issued and not closed
  reg  [NUMBER-1:0]       issued_q;
  reg  [NUMBER-1:0]       closed_q;
  reg  [SLOT-1:0]         first_q;    // the oldest run that is not complete
  reg  [SLOT:0]           live_q;     // runs that are announced and not complete
  reg  [SLOT:0]           started_runs_q; // of them
  reg  [SLOT:0]           ended_runs_q;
  reg  [SLOTS-1:0]        count_q;    // bit 0, of each run, by its place in the ring
  reg  [SLOTS-1:0]        rotates_q;
  reg  [SLOTS-1:0]        writes_q;
  reg  [SLOTS-1:0]        awaited_q;
  wire [SLOTS-1:0]        alive;      // announced and not complete
  wire [SLOTS-1:0]        same;       // its buffer is the one that a load names
  wire [SLOTS-1:0]        closed_all; // no MAC is open, of those up to its end
  reg                     pending_q;  // a load is
  reg                     free_q;     // it was, and nothing that it awaits
  reg  [SLOT:0]           before_q;   // runs to be handed out before the load
  reg                     fresh_q;    // the first cycle out of reset

  wire [SLOT-1:0] last    = first_q + live_q[SLOT-1:0];
  wire [SLOT-1:0] start   = first_q + started_runs_q[SLOT-1:0];
  wire [SLOT-1:0] ending  = first_q + ended_runs_q[SLOT-1:0];
  wire            over    = ended_runs_q != 0 && closed_all[first_q];

  genvar s;
  generate
    for (s = 0; s < SLOTS; s = s + 1) begin : gen_run
      reg  [BUFFER-1:0] buffer_q;
      reg  [NUMBER-1:0] left_q;
      wire [SLOT-1:0]   place = s[SLOT-1:0] - first_q;

      always @(posedge clk_i) begin
        if (announce_i && last == s) buffer_q <= announce_buffer_i;
        if (run_end_i && ending == s)  left_q <= open_q + issue - close;
        else if (close && left_q != 0) left_q <= left_q - 1'b1;
      end

      assign alive[s]      = {1'b0, place} < live_q;
      assign same[s]       = buffer_q == load_after_buffer_i;
      assign closed_all[s] = left_q == 0;
    end
  endgenerate

  wire blocked = pending_q && before_q == 0;

  always @(posedge clk_i) begin
    assume (closed_i == closed_q && number_i == issued_q + issue);
    if (rst_ni) begin
      assume (!issue || open_q < FLIGHT);
      assume (!close || open_q != 0);
      assume (!run_next_i || run_valid_o);
      assume (!run_end_i || ended_runs_q < started_runs_q + run_next_i);
      assume (!load_done_i || load_pending_o);
    end

    if (!rst_ni) begin
      open_q         <= 0;
      issued_q       <= 0;
      closed_q       <= 0;
      first_q        <= 0;
      live_q         <= 0;
      started_runs_q <= 0;
      ended_runs_q   <= 0;
      awaited_q      <= 0;
      pending_q      <= 1'b0;
      free_q         <= 1'b0;
    end else begin
      open_q         <= open_q + issue - close;
      issued_q       <= issued_q + issue;
      closed_q       <= closed_q + close;
      first_q        <= first_q + over;
      live_q         <= live_q + announce_i - over;
      started_runs_q <= started_runs_q + run_next_i - over;
      ended_runs_q   <= ended_runs_q + run_end_i - over;
      pending_q      <= load_i || (pending_q && !load_done_i);
      free_q         <= pending_q && !load_done_i && awaited_q == 0;
      if (load_i) awaited_q <= load_after_i ? alive & same & ~({{SLOTS-1{1'b0}}, over} << first_q) : 0;
      else if (over) awaited_q[first_q] <= 1'b0;
    end
    fresh_q <= !rst_ni;
    if (announce_i) begin
      count_q[last]   <= announce_count_i[0];
      rotates_q[last] <= announce_rotate_i;
      writes_q[last]  <= announce_writes_i;
    end
    if (load_i)          before_q <= live_q - started_runs_q - run_next_i;
    else if (run_next_i) before_q <= before_q - 1'b1;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (idle_o == (live_q == 0));
    assert (ended_o == (ended_runs_q == live_q));
    assert (rotating_o == ((alive & rotates_q) != 0));
    assert (ready_o == (live_q < SLOTS && !fresh_q));
    assert (load_pending_o == pending_q);
    assert (load_go_o == free_q);
    assert (!load_go_o || awaited_q == 0);
    assert (run_valid_o == (started_runs_q != live_q && !blocked && !(rotates_q[start] && feeding_i)));
    assert (!run_valid_o || (run_count_o[0] == count_q[start] && run_rotate_o == rotates_q[start]));
    assert (!run_valid_o || run_writes_o == (ACCUMULATORS == 0 || writes_q[start]));
    cover (live_q == SLOTS);
    cover (blocked && live_q == SLOTS);
    cover (load_go_o && live_q != 0);
    cover (ended_runs_q == SLOTS && over);
  end
