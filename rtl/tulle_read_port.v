// SPDX-License-Identifier: Apache-2.0
//
// tulle_read_port: an AXI4 read master that several clients share. It takes bursts from the clients in turn and
// delivers to each client the data of its bursts, in the order of its requests.
//
// The lowest client goes first. A client that was served waits until all other requesting clients were served, so a
// client waits for at most two bursts of each other client.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset (not the soft reset)
//   flush_i                       one cycle: soft reset; all bursts and their data are discarded. An offered address
//                                 stays on the bus, as AXI demands
//   abort_i                       take no more bursts
//   request_valid_i, request_ready_o, request_address_i, request_beats_i
//                                 bursts: bit c or word c belongs to client c. A burst has request_beats_i + 1 beats,
//                                 begins at a whole beat and does not cross a multiple of 4 KiB
//   data_valid_o                  bit c: a beat for client c, which must take it
//   data_o, data_last_o           the beat, and whether it is the last of its burst
//   data_error_o                  0, or RRESP: 2 (SLVERR), 3 (DECERR)
//   local_valid_i, local_data_i, local_last_i
//                                 with LOCAL: a beat that is not from memory, for the client of this bit; it is
//                                 delivered as memory's would be, whose beat waits meanwhile
//   hold_i                        with LOCAL: the beats of the last client must wait
//   beat_o                        a beat arrived for any client
//   idle_o                        no burst is outstanding
//   axi_*                         AXI4; rready is always 1 without LOCAL. All bursts since a soft reset have the same
//                                 ID, so that data arrive in order
//
// Parameters
//   MEM                           bits of a beat
//   OUTSTANDING                   maximum number of outstanding bursts
//   CLIENTS                       clients
//   LOCAL                         1: there are beats from elsewhere (tulle_bank_reader)
//
// Latency: an address is issued one cycle after its request; data are delivered one cycle after their arrival. A
// burst and a beat a cycle. request_ready_o depends on request_valid_i of all clients and on axi_arready_i in the
// same cycle; all other outputs are registers, except idle_o.
// Limits: see tulle_burst_id.

`default_nettype none

module tulle_read_port #(
  parameter MEM         = 512,
  parameter OUTSTANDING = 32,
  parameter CLIENTS     = 3,
  parameter LOCAL       = 0
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  flush_i,
  input  wire                  abort_i,

  input  wire [CLIENTS-1:0]    request_valid_i,
  output wire [CLIENTS-1:0]    request_ready_o,
  input  wire [CLIENTS*64-1:0] request_address_i,
  input  wire [CLIENTS*8-1:0]  request_beats_i,

  output wire [CLIENTS-1:0]    data_valid_o,
  output wire [MEM-1:0]        data_o,
  output wire                  data_last_o,
  output wire [1:0]            data_error_o,

  input  wire [CLIENTS-1:0]    local_valid_i,
  input  wire [MEM-1:0]        local_data_i,
  input  wire                  local_last_i,
  input  wire                  hold_i,

  output wire                  beat_o,
  output wire                  idle_o,

  output wire                  axi_arvalid_o,
  input  wire                  axi_arready_i,
  output wire [1:0]            axi_arid_o,
  output wire [63:0]           axi_araddr_o,
  output wire [7:0]            axi_arlen_o,
  output wire [2:0]            axi_arsize_o,
  output wire [1:0]            axi_arburst_o,
  input  wire                  axi_rvalid_i,
  output wire                  axi_rready_o,
  input  wire [1:0]            axi_rid_i,
  input  wire [MEM-1:0]        axi_rdata_i,
  input  wire [1:0]            axi_rresp_i,
  input  wire                  axi_rlast_i
);

  localparam SIZE        = $clog2(MEM / 8);
  localparam INDEX_WIDTH = $clog2((CLIENTS > 1) ? CLIENTS : 2);
  localparam [CLIENTS-1:0] ONE = 1;

  tulle_require #(
    .LEGAL   (MEM >= 8 && MEM <= 1024 && MEM == 8 << SIZE),
    .MESSAGE ("tulle_read_port: MEM must be a power of two, 8..1024")
  ) u_require_mem_power_of_two_8_to_1024 ();

  tulle_require #(
    .LEGAL   (OUTSTANDING >= 1 && OUTSTANDING <= 256 && CLIENTS >= 1),
    .MESSAGE ("tulle_read_port: OUTSTANDING must be 1..256, CLIENTS at least 1")
  ) u_require_outstanding_1_to_256_and_clients_at_least_1 ();

  // -- Selection of a client -----------------------------------------------------------------------------------

  reg  [CLIENTS-1:0]     served_q; // served in this round
  wire [CLIENTS-1:0]     unserved = request_valid_i & ~served_q;
  wire                   again    = unserved == {CLIENTS{1'b0}};
  wire [CLIENTS-1:0]     wanted   = again ? request_valid_i : unserved;
  wire [CLIENTS-1:0]     grant;
  wire [INDEX_WIDTH-1:0] index;

  tulle_lowest #(
    .PORTS (CLIENTS)
  ) u_grant (
    .mask_i   (wanted),
    .lowest_o (grant),
    .index_o  (index)
  );

  // -- Addresses -----------------------------------------------------------------------------------------------

  reg         arvalid_q;
  reg  [1:0]  arid_q;
  reg  [63:0] araddr_q;
  reg  [7:0]  arlen_q;

  wire [1:0]  id;
  wire        id_ready;
  wire        room;   // for another outstanding burst
  wire        accept  = (!arvalid_q || axi_arready_i) && room && id_ready && !abort_i;
  wire        request = accept && request_valid_i != {CLIENTS{1'b0}};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      arvalid_q <= 1'b0;
      served_q  <= {CLIENTS{1'b0}};
    end else begin
      if (request)            arvalid_q <= 1'b1;
      else if (axi_arready_i) arvalid_q <= 1'b0;
      if (request)            served_q <= (again ? {CLIENTS{1'b0}} : served_q) | grant;
    end
  end

  always @(posedge clk_i) begin
    if (request) begin
      arid_q   <= id;
      araddr_q <= request_address_i[index*64 +: 64];
      arlen_q  <= request_beats_i[index*8 +: 8];
    end
  end

  assign request_ready_o = accept ? grant : {CLIENTS{1'b0}};
  assign axi_arvalid_o   = arvalid_q;
  assign axi_arid_o      = arid_q;
  assign axi_araddr_o    = araddr_q;
  assign axi_arlen_o     = arlen_q;
  assign axi_arsize_o    = SIZE[2:0];
  assign axi_arburst_o   = 2'b01;

  // -- Data ----------------------------------------------------------------------------------------------------

  wire                   ours;
  wire                   stale;
  wire                   owned;
  wire [INDEX_WIDTH-1:0] owner; // client of the oldest burst
  wire [CLIENTS-1:0]     to_owner = ONE << owner;
  wire [CLIENTS-1:0]     from_local = (LOCAL != 0) ? local_valid_i : {CLIENTS{1'b0}};
  wire                   elsewhere  = from_local != {CLIENTS{1'b0}};
  wire                   held     = LOCAL != 0 && hold_i && owned && to_owner[CLIENTS-1];
  wire                   arrives  = axi_rvalid_i && axi_rready_o;
  wire                   take     = arrives && ours;

  tulle_burst_id #(
    .OUTSTANDING (OUTSTANDING)
  ) u_id (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .flush_i       (flush_i),
    .open_i        (request),
    .id_o          (id),
    .ready_o       (id_ready),
    .close_i       (arrives && axi_rlast_i),
    .answered_id_i (axi_rid_i),
    .ours_o        (ours),
    .stale_o       (stale),
    .idle_o        (idle_o)
  );

  tulle_fifo #(
    .WIDTH (INDEX_WIDTH),
    .DEPTH (OUTSTANDING)
  ) u_owners (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !flush_i),
    .valid_i (request),
    .ready_o (room),
    .data_i  (index),
    .valid_o (owned),
    .ready_i (take && axi_rlast_i),
    .data_o  (owner)
  );

  reg  [CLIENTS-1:0] valid_q;
  reg                beat_q;
  reg  [MEM-1:0]     data_q;
  reg                last_q;
  reg  [1:0]         error_q;
  wire               unused   = &{1'b0, stale, local_valid_i, local_data_i, local_last_i, hold_i}; // ours is sufficient for a response

  always @(posedge clk_i) begin
    if (!rst_ni || flush_i) begin
      valid_q <= {CLIENTS{1'b0}};
      beat_q  <= 1'b0;
    end else begin
      valid_q <= (take ? to_owner : {CLIENTS{1'b0}}) | from_local;
      beat_q  <= take || elsewhere;
    end
  end

  always @(posedge clk_i) begin
    data_q  <= elsewhere ? local_data_i : axi_rdata_i;
    last_q  <= elsewhere ? local_last_i : axi_rlast_i;
    error_q <= (axi_rresp_i[1] && !elsewhere) ? axi_rresp_i : 2'b00;
  end

  assign data_valid_o = valid_q;
  assign data_o       = data_q;
  assign data_last_o  = last_q;
  assign data_error_o = error_q;
  assign beat_o       = beat_q;
  assign axi_rready_o = !elsewhere && !held;

  // -- Rules ---------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE("data have an owner")
  ) u_owned (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !flush_i),
    .holds_i (!take || owned)
  );

  tulle_assert #(
    .MESSAGE("a beat from elsewhere is for one client")
  ) u_one_client (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !flush_i),
    .holds_i ((from_local & (from_local - ONE)) == {CLIENTS{1'b0}})
  );

  genvar p;
  generate
    for (p = 0; p < CLIENTS; p = p + 1) begin : gen_client
      tulle_burst_check #(
        .MEM (MEM)
      ) u_request_check (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni && !flush_i && !abort_i),
        .valid_i   (request_valid_i[p]),
        .ready_i   (request_ready_o[p]),
        .address_i (request_address_i[p*64 +: 64]),
        .beats_i   (request_beats_i[p*8 +: 8])
      );
    end
  endgenerate

endmodule

`default_nettype wire
