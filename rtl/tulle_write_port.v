// SPDX-License-Identifier: Apache-2.0
//
// tulle_write_port: an AXI4 write master that several clients share. It takes a burst from a client and then its
// beats, while addresses of further bursts proceed. Responses go to the client of the burst, in order.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset (not the soft reset)
//   flush_i                       one cycle: soft reset; all bursts and their responses are discarded. Offered
//                                 signals stay on the bus, and the missing beats of taken or offered addresses are
//                                 sent with strobes 0, as AXI demands
//   abort_i                       take no more bursts from client 0; its missing beats are sent with strobes 0
//   burst_valid_i, burst_ready_o, burst_address_i, burst_beats_i
//                                 bursts: bit c or word c belongs to client c. A burst has burst_beats_i + 1 beats,
//                                 begins at a whole beat and does not cross a multiple of 4 KiB. The lowest client
//                                 goes first
//   data_valid_i, data_ready_o, data_i, strobe_i
//                                 the beats of a client's bursts
//   response_valid_o              one cycle: bit c: the oldest burst of client c is answered
//   response_error_o              0, or BRESP: 2 (SLVERR), 3 (DECERR)
//   beat_o                        a beat was sent
//   idle_o                        nothing is on offer, no beat is missing, and no response is outstanding
//   axi_*                         AXI4; bready is always 1. All bursts since a soft reset have the same ID, so that
//                                 responses arrive in order
//
// Parameters
//   MEM                           bits of a beat
//   OUTSTANDING                   maximum number of outstanding bursts
//   CLIENTS                       clients
//   EVERY_CYCLE                   1: a beat a cycle; a second beat register holds the beat that arrives while the
//                                 slave stalls. 0: at most a beat every other cycle, without it
//
// Latency: address and beats are issued one cycle after they were taken; responses are delivered one cycle after
// their arrival. A burst a cycle. burst_ready_o depends on burst_valid_i of lower clients and on axi_awready_i in the
// same cycle. data_ready_o depends on registers of this module and on abort_i. All other outputs are registers,
// except idle_o.
// Limits: a slave that never takes a missing beat keeps the port busy until reset. See also tulle_burst_id.

`default_nettype none

module tulle_write_port #(
  parameter MEM         = 512,
  parameter OUTSTANDING = 16,
  parameter CLIENTS     = 2,
  parameter EVERY_CYCLE = 1
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire                     flush_i,
  input  wire                     abort_i,

  input  wire [CLIENTS-1:0]       burst_valid_i,
  output wire [CLIENTS-1:0]       burst_ready_o,
  input  wire [CLIENTS*64-1:0]    burst_address_i,
  input  wire [CLIENTS*8-1:0]     burst_beats_i,

  input  wire [CLIENTS-1:0]       data_valid_i,
  output wire [CLIENTS-1:0]       data_ready_o,
  input  wire [CLIENTS*MEM-1:0]   data_i,
  input  wire [CLIENTS*MEM/8-1:0] strobe_i,

  output wire [CLIENTS-1:0]       response_valid_o,
  output wire [1:0]               response_error_o,

  output wire                     beat_o,
  output wire                     idle_o,

  output wire                     axi_awvalid_o,
  input  wire                     axi_awready_i,
  output wire [1:0]               axi_awid_o,
  output wire [63:0]              axi_awaddr_o,
  output wire [7:0]               axi_awlen_o,
  output wire [2:0]               axi_awsize_o,
  output wire [1:0]               axi_awburst_o,
  output wire                     axi_wvalid_o,
  input  wire                     axi_wready_i,
  output wire [MEM-1:0]           axi_wdata_o,
  output wire [MEM/8-1:0]         axi_wstrb_o,
  output wire                     axi_wlast_o,
  input  wire                     axi_bvalid_i,
  output wire                     axi_bready_o,
  input  wire [1:0]               axi_bid_i,
  input  wire [1:0]               axi_bresp_i
);

  localparam SIZE        = $clog2(MEM / 8);
  localparam INDEX_WIDTH = $clog2((CLIENTS > 1) ? CLIENTS : 2);
  localparam [CLIENTS-1:0] ONE = 1;

  tulle_require #(
    .LEGAL   (MEM >= 8 && MEM <= 1024 && MEM == 8 << SIZE),
    .MESSAGE ("tulle_write_port: MEM must be a power of two, 8..1024")
  ) u_require_mem_power_of_two_8_to_1024 ();

  tulle_require #(
    .LEGAL   (OUTSTANDING >= 1 && OUTSTANDING <= 256 && CLIENTS >= 1),
    .MESSAGE ("tulle_write_port: OUTSTANDING must be 1..256, CLIENTS at least 1")
  ) u_require_outstanding_1_to_256_and_clients_at_least_1 ();

  // -- Addresses -----------------------------------------------------------------------------------------------

  wire [CLIENTS-1:0]     aborted = abort_i ? ONE : {CLIENTS{1'b0}};
  wire [CLIENTS-1:0]     wanted  = burst_valid_i & ~aborted;
  wire [CLIENTS-1:0]     grant;
  wire [INDEX_WIDTH-1:0] index;

  tulle_lowest #(
    .PORTS (CLIENTS)
  ) u_grant (
    .mask_i   (wanted),
    .lowest_o (grant),
    .index_o  (index)
  );

  reg         awvalid_q;
  reg  [1:0]  awid_q;
  reg  [63:0] awaddr_q;
  reg  [7:0]  awlen_q;

  wire [1:0]  id;
  wire        id_ready;
  wire        stale;
  wire        owed_ready;    // room for another burst with missing beats
  wire        waiting_ready; // room for another outstanding response
  wire        accept = (!awvalid_q || axi_awready_i) && owed_ready && waiting_ready && id_ready;
  wire        burst  = accept && wanted != {CLIENTS{1'b0}};

  always @(posedge clk_i) begin
    if (!rst_ni)            awvalid_q <= 1'b0;
    else if (burst)         awvalid_q <= 1'b1;
    else if (axi_awready_i) awvalid_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (burst) begin
      awid_q   <= id;
      awaddr_q <= burst_address_i[index*64 +: 64];
      awlen_q  <= burst_beats_i[index*8 +: 8];
    end
  end

  assign burst_ready_o = accept ? grant : {CLIENTS{1'b0}};
  assign axi_awvalid_o = awvalid_q;
  assign axi_awid_o    = awid_q;
  assign axi_awaddr_o  = awaddr_q;
  assign axi_awlen_o   = awlen_q;
  assign axi_awsize_o  = SIZE[2:0];
  assign axi_awburst_o = 2'b01;

  // -- Beats ---------------------------------------------------------------------------------------------------

  wire                   owed; // the oldest burst has missing beats
  wire [INDEX_WIDTH-1:0] owed_index;
  wire [INDEX_WIDTH-1:0] owed_client = (CLIENTS == 1) ? {INDEX_WIDTH{1'b0}} : owed_index;
  wire [7:0]             owed_beats;
  wire [1:0]             owed_id;

  localparam WORD = MEM + MEM / 8 + 1;

  reg             wvalid_q;
  reg  [WORD-1:0] word_q; // data, strobes, last
  reg             beat_q;
  reg  [7:0]      sent_q; // beats of the burst that were sent

  // A burst from before the soft reset has another ID, or the same ID in its next use; in this case no new burst
  // begins before all old ones are answered, and so sent.
  wire orphan   = owed_id != id || stale || aborted[owed_client];
  wire move     = !wvalid_q || axi_wready_i;
  wire room;
  wire supplied = data_valid_i[owed_client] && !flush_i;
  wire step     = room && owed && (orphan || supplied);
  wire last     = sent_q == owed_beats;

  wire [CLIENTS-1:0] from_client = ONE << owed_client;

  // The oldest burst is in registers, because clients wait for what follows from it in the same cycle.
  localparam OWED = INDEX_WIDTH + 8 + 2;

  reg             owed_q;
  reg  [OWED-1:0] oldest_q;
  wire            later; // the next burst waits
  wire [OWED-1:0] later_burst;
  wire [OWED-1:0] new_burst  = {index, burst_beats_i[index*8 +: 8], id};
  wire            owed_moves = !owed_q || (step && last);

  generate
    if (OUTSTANDING == 1) begin : gen_one
      assign {later, later_burst} = {1'b0, new_burst};
      assign owed_ready           = !owed_q;
    end else begin : gen_several
      tulle_fifo #(
        .WIDTH (OWED),
        .DEPTH (OUTSTANDING - 1)
      ) u_later (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .valid_i (burst && (later || !owed_moves)),
        .ready_o (owed_ready),
        .data_i  (new_burst),
        .valid_o (later),
        .ready_i (owed_moves),
        .data_o  (later_burst)
      );
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)         owed_q <= 1'b0;
    else if (owed_moves) owed_q <= later || burst;
  end

  always @(posedge clk_i) begin
    if (owed_moves && (later || burst)) oldest_q <= later ? later_burst : new_burst;
  end

  assign owed = owed_q;
  assign {owed_index, owed_beats, owed_id} = oldest_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {beat_q, sent_q} <= 9'd0;
    else begin
      beat_q <= wvalid_q && axi_wready_i;
      if (step) sent_q <= last ? 8'd0 : sent_q + 8'd1;
    end
  end

  wire [WORD-1:0] word = {data_i[owed_client*MEM +: MEM],
                          orphan ? {MEM/8{1'b0}} : strobe_i[owed_client*(MEM/8) +: MEM/8], last};

  generate
    if (EVERY_CYCLE != 0) begin : gen_every_cycle
      reg            kept_q;      // a beat that arrived before the last one was taken
      reg [WORD-1:0] kept_word_q;

      always @(posedge clk_i) begin
        if (!rst_ni) {wvalid_q, kept_q} <= 2'd0;
        else begin
          if (move) wvalid_q <= kept_q || step;
          kept_q <= !move && (kept_q || step);
        end
      end

      always @(posedge clk_i) begin
        if (move) word_q <= kept_q ? kept_word_q : word;
        if (!kept_q) kept_word_q <= word;
      end

      assign room = !kept_q;
    end else begin : gen_every_other
      always @(posedge clk_i) begin
        if (!rst_ni) wvalid_q <= 1'b0;
        else         wvalid_q <= step || !move;
      end

      always @(posedge clk_i) begin
        if (step) word_q <= word;
      end

      assign room = !wvalid_q;
    end
  endgenerate

  assign data_ready_o = (room && owed && !orphan && !flush_i) ? from_client : {CLIENTS{1'b0}};
  assign axi_wvalid_o = wvalid_q;
  assign {axi_wdata_o, axi_wstrb_o, axi_wlast_o} = word_q;
  assign beat_o       = beat_q;

  // -- Responses -----------------------------------------------------------------------------------------------

  wire                   ours;
  wire                   take = axi_bvalid_i && ours;
  wire                   waiting;
  wire [INDEX_WIDTH-1:0] waiting_client;
  wire                   id_idle;

  tulle_burst_id #(
    .OUTSTANDING (OUTSTANDING)
  ) u_id (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .flush_i       (flush_i),
    .open_i        (burst),
    .id_o          (id),
    .ready_o       (id_ready),
    .close_i       (axi_bvalid_i),
    .answered_id_i (axi_bid_i),
    .ours_o        (ours),
    .stale_o       (stale),
    .idle_o        (id_idle)
  );

  tulle_fifo #(
    .WIDTH (INDEX_WIDTH),
    .DEPTH (OUTSTANDING)
  ) u_waiting (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !flush_i),
    .valid_i (burst),
    .ready_o (waiting_ready),
    .data_i  (index),
    .valid_o (waiting),
    .ready_i (take),
    .data_o  (waiting_client)
  );

  reg [CLIENTS-1:0] response_q;
  reg [1:0]         error_q;
  wire [CLIENTS-1:0] to_client = ONE << waiting_client;

  always @(posedge clk_i) begin
    response_q <= (rst_ni && !flush_i && take) ? to_client : {CLIENTS{1'b0}};
    error_q    <= axi_bresp_i[1] ? axi_bresp_i : 2'b00;
  end

  assign response_valid_o = response_q;
  assign response_error_o = error_q;
  assign axi_bready_o     = 1'b1;
  assign idle_o           = id_idle && !awvalid_q && !owed && !wvalid_q;

  // -- Rules ---------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE("a response has an owner")
  ) u_waited_for (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !flush_i),
    .holds_i (!take || waiting)
  );

  genvar p;
  generate
    for (p = 0; p < CLIENTS; p = p + 1) begin : gen_client
      wire listened = rst_ni && !flush_i && !aborted[p];

      tulle_burst_check #(
        .MEM (MEM)
      ) u_burst_check (
        .clk_i     (clk_i),
        .rst_ni    (listened),
        .valid_i   (burst_valid_i[p]),
        .ready_i   (burst_ready_o[p]),
        .address_i (burst_address_i[p*64 +: 64]),
        .beats_i   (burst_beats_i[p*8 +: 8])
      );

      tulle_stream_check #(
        .WIDTH (MEM + MEM / 8)
      ) u_data_check (
        .clk_i   (clk_i),
        .rst_ni  (listened),
        .valid_i (data_valid_i[p]),
        .ready_i (data_ready_o[p]),
        .data_i  ({data_i[p*MEM +: MEM], strobe_i[p*(MEM/8) +: MEM/8]})
      );
    end
  endgenerate

endmodule

`default_nettype wire
