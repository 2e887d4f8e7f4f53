// SPDX-License-Identifier: Apache-2.0
// AXI4's rules for addresses and beats, whose the beats are, and whose the responses. A burst of the solver's choosing
// stands for all: as many beats as its address says, the last marked, those that its client gave, in order, unchanged;
// made up, with strobes 0, only when a soft reset or, for client 0, an abort came in between; and the response goes to
// its client, unless a soft reset came. Memory answers the bursts of an ID in order, those of different IDs in any, and
// none before its last beat. Bursts have at most four beats here.

  localparam [CLIENTS-1:0] NONE = 0;
  localparam [CLIENTS-1:0] ONE  = 1;

`include "of_id.vh"
  localparam RING = 4; // more than the bursts that can wait for their beats at a time

  reg  [11:0] done_q;     // bursts of each ID that have their beats and are not answered
  reg  [11:0] under_q;    // bursts of each ID that are not answered
  reg  [2*RING-1:0] ids_q; // of bursts without all their beats, the oldest first
  reg  [3:0] count_q;     // those bursts
  reg  [3:0] owing_q;     // and those whose beats the port has not all put on offer
  reg        follow_q;
  reg        fed_q;       // all its beats were put on offer
  reg        old_q;
  reg  [1:0] id_q;
  reg  [7:0] client_q;
  reg  [7:0] beats_q;
  reg  [7:0] sent_q;      // its beats that were put on offer
  reg  [3:0] ahead_q;     // bursts whose beats come first
  reg  [2:0] before_q;    // bursts of its ID that are answered first
  reg        accepted_q;
  (* anyseq *) wire choose;
  integer    i;

  wire [CLIENTS-1:0] accepted = burst_valid_i & burst_ready_o;
  wire [CLIENTS-1:0] given    = data_valid_i & data_ready_o;
  wire               accept   = accepted != NONE;
  wire               finished = axi_wvalid_o && axi_wready_i && axi_wlast_o;
  wire [1:0]         id_now   = axi_awid_o; // in the cycle after a burst was taken

  // What must come a cycle later.
  reg        was_old_q;
  reg        answer_q;
  reg        drop_q;
  reg        came_q;
  reg  [7:0] answer_client_q;
  reg  [1:0] error_q;
  reg        must_q;
  // A beat was put on offer in the last cycle; a client had given it, then or, with EVERY_CYCLE, before: it was kept until
  // the one in front of it was taken.
  wire       moves = !axi_wvalid_o || axi_wready_i;
  reg        moved_q;
  reg        given_q;
  reg        kept_q;
  reg        given_old_q; // the burst of the solver's choosing was forgotten when it was given
  reg        aborted_q;   // an abort came since that burst was taken
  reg  [7:0] giver_q;
  reg [MEM-1:0] data_q;
  reg [MEM/8-1:0] strobe_q;
  reg        abort_q;
  wire       offered = moved_q && axi_wvalid_o;
  wire       its     = offered && follow_q && !fed_q && ahead_q == 4'd0;
  // And the burst that was taken in it.
  reg  [7:0] taker_q;
  reg  [7:0] taken_beats_q;
  reg  [63:0] taken_address_q;
  wire       arrives = accepted_q && choose && !follow_q;
  wire       leaves  = follow_q && axi_bvalid_i && axi_bid_i == id_q && before_q == 3'd0;

  wire [1:0] first_id = ids_q[1:0];

  always @(posedge clk_i) begin
    for (i = 0; i < CLIENTS; i = i + 1) assume (burst_beats_i[8*i +: 8] < 8'd4);
    assume (!axi_bvalid_i || of_id(done_q, axi_bid_i) != 3'd0);
    moved_q    <= rst_ni && moves;
    given_q    <= rst_ni && moves && (given != NONE || kept_q);
    kept_q     <= rst_ni && !moves && (given != NONE || kept_q);
    aborted_q  <= abort_i || (aborted_q && !arrives);
    if (given != NONE) given_old_q <= !arrives && old_q;
    abort_q    <= abort_i;
    accepted_q <= rst_ni && accept;
    for (i = 0; i < CLIENTS; i = i + 1) begin
      if (given[i]) begin
        giver_q  <= i;
        data_q   <= data_i[i*MEM +: MEM];
        strobe_q <= strobe_i[i*(MEM/8) +: MEM/8];
      end
      if (accepted[i]) begin
        taker_q         <= i;
        taken_beats_q   <= burst_beats_i[8*i +: 8];
        taken_address_q <= burst_address_i[64*i +: 64];
      end
    end
    if (!rst_ni) begin
      done_q  <= 12'd0;
      under_q <= 12'd0;
      count_q <= 4'd0;
      owing_q <= 4'd0;
    end else begin
      for (i = 0; i < 4; i = i + 1) begin
        done_q[3*i +: 3]  <= done_q[3*i +: 3] + {2'd0, finished && first_id == i} - {2'd0, axi_bvalid_i && axi_bid_i == i};
        under_q[3*i +: 3] <= under_q[3*i +: 3] + {2'd0, accepted_q && id_now == i} - {2'd0, axi_bvalid_i && axi_bid_i == i};
      end
      count_q <= count_q + {3'd0, accepted_q} - {3'd0, finished};
      owing_q <= owing_q + {3'd0, accepted_q} - {3'd0, offered && axi_wlast_o};
    end
    for (i = 0; i < RING; i = i + 1)
      if (accepted_q && count_q - {3'd0, finished} == i) ids_q[2*i +: 2] <= id_now;
      else if (finished && i + 1 < RING)                 ids_q[2*i +: 2] <= ids_q[2*((i + 1) % RING) +: 2];

    if (!rst_ni)      follow_q <= 1'b0;
    else if (arrives) follow_q <= 1'b1;
    else if (leaves)  follow_q <= 1'b0;
    if (arrives) begin
      id_q     <= id_now;
      client_q <= taker_q;
      beats_q  <= taken_beats_q;
      sent_q   <= 8'd0;
      fed_q    <= 1'b0;
      old_q    <= flush_i;
      ahead_q  <= owing_q - {3'd0, offered && axi_wlast_o};
      before_q <= of_id(under_q, id_now) - {2'd0, axi_bvalid_i && axi_bid_i == id_now};
    end else begin
      if (its) sent_q <= sent_q + 8'd1;
      if (its && axi_wlast_o) fed_q <= 1'b1;
      if (offered && axi_wlast_o && ahead_q != 4'd0) ahead_q <= ahead_q - 4'd1;
      if (axi_bvalid_i && axi_bid_i == id_q) before_q <= before_q - 3'd1;
      old_q <= old_q || flush_i;
    end
    was_old_q <= !arrives && old_q;
    answer_q  <= rst_ni && leaves && !old_q && !flush_i;
    drop_q    <= rst_ni && leaves && (old_q || flush_i);
    came_q    <= rst_ni && axi_bvalid_i;
    answer_client_q <= client_q;
    error_q   <= axi_bresp_i[1] ? axi_bresp_i : 2'd0;
    // The burst is the port's to finish, and it can.
    must_q    <= rst_ni && follow_q && !fed_q && ahead_q == 4'd0 && !offered && old_q &&
                  (!axi_wvalid_o || (axi_wready_i && EVERY_CYCLE != 0));
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (axi_bready_o);
    assert (!accepted_q || (axi_awvalid_o && axi_awaddr_o == taken_address_q && axi_awlen_o == taken_beats_q));
    assert (!accept || ((accepted & (accepted - ONE)) == NONE && !flush_i && !(abort_i && accepted[0])));
    assert (given == NONE || ((given & (given - ONE)) == NONE && !flush_i && !(abort_i && given[0])));
    // Beats: no more than are owed; a client's as it gave them, others with strobes 0.
    assert (!offered || owing_q != 4'd0);
    assert (!axi_wvalid_o || count_q != 4'd0);
    assert (!kept_q || EVERY_CYCLE != 0);
    assert (!given_q || (offered && axi_wdata_o == data_q && axi_wstrb_o == strobe_q));
    assert (!offered || given_q || axi_wstrb_o == {MEM/8{1'b0}});
    assert (!its || axi_wlast_o == (sent_q == beats_q));
    assert (!(its && given_q) || (giver_q == client_q && !given_old_q));
    assert (!(its && !given_q) || was_old_q || ((EVERY_CYCLE != 0 ? aborted_q : abort_q) && client_q == 8'd0));
    assert (!must_q || offered);
    // Responses.
    assert (!answer_q || (response_valid_o == ONE << answer_client_q && response_error_o == error_q));
    assert (!drop_q || response_valid_o == NONE);
    assert (came_q || response_valid_o == NONE);
    assert (!idle_o || !(axi_awvalid_o || axi_wvalid_o || count_q != 4'd0 || (follow_q && !old_q)));
    cover (its && was_old_q && axi_wlast_o);
    cover (its && !was_old_q && !given_q);
    cover (its && given_q && giver_q == 8'd1);
    cover (drop_q);
    cover (answer_q && response_error_o == 2'd3);
  end

  // A soft reset excuses nothing on the bus.
  tulle_burst_check #(.MEM(MEM)) u_address_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(axi_awvalid_o), .ready_i(axi_awready_i), .address_i(axi_awaddr_o),
    .beats_i(axi_awlen_o));
  tulle_stream_check #(.WIDTH(2)) u_id_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(axi_awvalid_o), .ready_i(axi_awready_i), .data_i(axi_awid_o));
  tulle_stream_check #(.WIDTH(MEM + MEM / 8 + 1)) u_beat_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(axi_wvalid_o), .ready_i(axi_wready_i),
    .data_i({axi_wdata_o, axi_wstrb_o, axi_wlast_o}));
