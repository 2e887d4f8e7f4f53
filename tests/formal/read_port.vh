// SPDX-License-Identifier: Apache-2.0
// AXI4's rules for addresses, and whose the data are. A burst of the solver's choosing, from the moment in which its
// address is taken, stands for all: its beats go, unchanged, to the client that asked for it, unless a soft reset came
// in between; then to nobody. With LOCAL, a beat from elsewhere goes to its client in the same way, while memory's waits; and the last
// client gets none of memory's while hold_i is set. Memory answers the bursts of an ID in order, those of different IDs in any, beat by beat.

  localparam [CLIENTS-1:0] NONE = 0;
  localparam [CLIENTS-1:0] ONE  = 1;

`include "of_id.vh"
  reg  [11:0] under_q; // bursts of each ID that memory has
  reg        ar_old_q;      // the address on offer is from before a soft reset
  reg  [7:0] ar_client_q;   // who asked for it
  reg  [63:0] ar_address_q;
  reg  [7:0] ar_beats_q;
  reg        follow_q;
  reg        old_q;
  reg  [1:0] id_q;
  reg  [7:0] client_q;
  reg  [2:0] ahead_q;
  (* anyseq *) wire choose;
  wire [1:0] other = id_q + 2'd3; // the ID before
  (* anyconst *) wire [7:0] one; // a client
  integer    i;

  wire [CLIENTS-1:0] asked    = request_valid_i & request_ready_o;
  wire               addressed = axi_arvalid_o && axi_arready_i;
  wire               came     = axi_rvalid_i && axi_rready_o;
  wire               last     = came && axi_rlast_i;
  wire [CLIENTS-1:0] elsewhere = (LOCAL != 0) ? local_valid_i : NONE;
  wire               arrives  = addressed && choose && !follow_q;
  wire               mine     = follow_q && came && axi_rid_i == id_q && ahead_q == 3'd0;

  always @(posedge clk_i) begin
    assume (one < CLIENTS);
    assume (!axi_rvalid_i || of_id(under_q, axi_rid_i) != 3'd0);
    assume (rst_ni || !axi_rvalid_i);
    // A beat that waits stays.
    waits_q <= rst_ni && axi_rvalid_i && !axi_rready_o;
    beat_is_q <= {axi_rid_i, axi_rdata_i, axi_rresp_i, axi_rlast_i};
    assume (!waits_q || (axi_rvalid_i && beat_is_q == {axi_rid_i, axi_rdata_i, axi_rresp_i, axi_rlast_i}));
    for (i = 0; i < 4; i = i + 1)
      if (!rst_ni) under_q[3*i +: 3] <= 3'd0;
      else under_q[3*i +: 3] <= under_q[3*i +: 3] + {2'd0, addressed && axi_arid_o == i} - {2'd0, last && axi_rid_i == i};

    for (i = 0; i < CLIENTS; i = i + 1)
      if (asked[i]) begin
        ar_client_q  <= i;
        ar_address_q <= request_address_i[i*64 +: 64];
        ar_beats_q   <= request_beats_i[i*8 +: 8];
      end
    ar_old_q <= asked != NONE ? 1'b0 : ar_old_q || flush_i;

    if (!rst_ni)              follow_q <= 1'b0;
    else if (arrives)         follow_q <= 1'b1;
    else if (mine && axi_rlast_i) follow_q <= 1'b0;
    if (arrives) begin
      id_q     <= axi_arid_o;
      client_q <= ar_client_q;
      ahead_q  <= of_id(under_q, axi_arid_o) - {2'd0, last && axi_rid_i == axi_arid_o};
    end else if (last && axi_rid_i == id_q) begin
      ahead_q <= ahead_q - 3'd1;
    end
    old_q <= arrives ? ar_old_q || flush_i : old_q || flush_i;
  end

  // What must come a cycle later.
  reg           waits_q;
  reg [MEM+4:0] beat_is_q;
  reg [CLIENTS-1:0] elsewhere_q;
  reg [MEM-1:0] local_data_q;
  reg           local_last_q;
  reg           hold_q;
  reg           due_q;
  reg           drop_q;
  reg [MEM-1:0] data_q;
  reg           last_q;
  reg [1:0]     error_q;
  reg           came_q;
  reg           asked_q;
  reg [7:0]     due_client_q;
  always @(posedge clk_i) begin
    due_q   <= rst_ni && mine && !old_q && !flush_i;
    drop_q  <= rst_ni && mine && (old_q || flush_i);
    came_q  <= rst_ni && came;
    elsewhere_q  <= (rst_ni && !flush_i) ? elsewhere : NONE;
    local_data_q <= local_data_i;
    local_last_q <= local_last_i;
    hold_q       <= LOCAL != 0 && hold_i;
    asked_q <= rst_ni && asked != NONE;
    data_q  <= axi_rdata_i;
    last_q  <= axi_rlast_i;
    error_q <= axi_rresp_i[1] ? axi_rresp_i : 2'd0;
    due_client_q <= client_q;
  end

  // Nobody waits for more than two bursts of each other client; nothing stands still.
  reg [4:0] passed_q;
  reg [2:0] still_q;
  always @(posedge clk_i) begin
    if (!rst_ni || !request_valid_i[one] || asked[one] || flush_i || abort_i) passed_q <= 5'd0;
    else if (asked != NONE)                                         passed_q <= passed_q + 5'd1;
    if (!rst_ni || request_valid_i == NONE || asked != NONE || flush_i || abort_i || axi_arvalid_o ||
        under_q != 12'd0) still_q <= 3'd0;
    else if (still_q != 3'd7) still_q <= still_q + 3'd1;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (LOCAL != 0 || axi_rready_o);
    assert (elsewhere == NONE || !axi_rready_o);
    assert (axi_rready_o || elsewhere != NONE || (LOCAL != 0 && hold_i));
    assert (elsewhere_q == NONE || (data_valid_o == elsewhere_q && beat_o && data_o == local_data_q &&
                                    data_last_o == local_last_q && data_error_o == 2'd0));
    assert (!hold_q || elsewhere_q != NONE || !data_valid_o[CLIENTS-1]);
    assert (!asked_q || (axi_arvalid_o && axi_araddr_o == ar_address_q && axi_arlen_o == ar_beats_q));
    assert (asked == NONE || (!abort_i && !flush_i && (asked & (asked - ONE)) == NONE));
    assert (!due_q || (data_valid_o == ONE << due_client_q && beat_o && data_o == data_q && data_last_o == last_q &&
                       data_error_o == error_q));
    assert (!drop_q || (data_valid_o == NONE && !beat_o));
    assert (came_q || elsewhere_q != NONE || (data_valid_o == NONE && !beat_o));
    assert (under_q[3*0 +: 3] <= OUTSTANDING && under_q[3*1 +: 3] <= OUTSTANDING && under_q[3*2 +: 3] <= OUTSTANDING &&
            under_q[3*3 +: 3] <= OUTSTANDING);
    assert (!(follow_q && !old_q) || !idle_o);
    assert (!(axi_arvalid_o && !ar_old_q) || !idle_o);
    assert (passed_q <= 2 * (CLIENTS - 1));
    assert (still_q <= 3'd3);
    cover (drop_q);
    cover (LOCAL == 0 || (mine && waits_q));
    cover (due_q && last_q);
    cover (due_q && of_id(under_q, other) != 3'd0);
    cover (axi_arvalid_o && ar_old_q);
    cover (!axi_arvalid_o && of_id(under_q, axi_arid_o) == OUTSTANDING);
  end

  // A soft reset excuses nothing on the bus.
  tulle_burst_check #(.MEM(MEM)) u_address_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(axi_arvalid_o), .ready_i(axi_arready_i), .address_i(axi_araddr_o),
    .beats_i(axi_arlen_o));
  tulle_stream_check #(.WIDTH(2)) u_id_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(axi_arvalid_o), .ready_i(axi_arready_i), .data_i(axi_arid_o));
