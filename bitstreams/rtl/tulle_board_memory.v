// SPDX-License-Identifier: Apache-2.0
//
// tulle_board_memory: the memory of a board without external memory: an AXI4 slave for a memory port of the device
// and an AXI4-Lite slave for the bridge, which share one single-port RAM.
//
// Ports
//   clk_i, rst_ni     clock, synchronous reset
//   axi_*             AXI4: INCR bursts of whole words, one in each direction at a time, answered in order
//   host_*            AXI4-Lite, 32 bits, whole words
//
// Parameters
//   MEM               bits of a word of the device's port, 64 or more
//   BYTES             bytes of the memory, a power of two
//   ID                bits of an ID
//
// Latency: a beat follows its address or the last beat by two cycles; a beat a cycle without competing accesses.
// Host, writes and reads take turns if more than one requests the RAM. Accesses outside the memory are answered with
// DECERR, and write nothing.

`default_nettype none

module tulle_board_memory #(
  parameter MEM   = 64,
  parameter BYTES = 131072,
  parameter ID    = 2
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             axi_awvalid_i,
  output wire             axi_awready_o,
  input  wire [ID-1:0]    axi_awid_i,
  input  wire [63:0]      axi_awaddr_i,
  input  wire             axi_wvalid_i,
  output wire             axi_wready_o,
  input  wire [MEM-1:0]   axi_wdata_i,
  input  wire [MEM/8-1:0] axi_wstrb_i,
  input  wire             axi_wlast_i,
  output wire             axi_bvalid_o,
  input  wire             axi_bready_i,
  output wire [ID-1:0]    axi_bid_o,
  output wire [1:0]       axi_bresp_o,
  input  wire             axi_arvalid_i,
  output wire             axi_arready_o,
  input  wire [ID-1:0]    axi_arid_i,
  input  wire [63:0]      axi_araddr_i,
  input  wire [7:0]       axi_arlen_i,
  output wire             axi_rvalid_o,
  input  wire             axi_rready_i,
  output wire [ID-1:0]    axi_rid_o,
  output wire [MEM-1:0]   axi_rdata_o,
  output wire [1:0]       axi_rresp_o,
  output wire             axi_rlast_o,

  input  wire             host_awvalid_i,
  output wire             host_awready_o,
  input  wire [31:0]      host_awaddr_i,
  input  wire             host_wvalid_i,
  output wire             host_wready_o,
  input  wire [31:0]      host_wdata_i,
  input  wire [3:0]       host_wstrb_i,
  output wire             host_bvalid_o,
  input  wire             host_bready_i,
  output wire [1:0]       host_bresp_o,
  input  wire             host_arvalid_i,
  output wire             host_arready_o,
  input  wire [31:0]      host_araddr_i,
  output wire             host_rvalid_o,
  input  wire             host_rready_i,
  output wire [31:0]      host_rdata_o,
  output wire [1:0]       host_rresp_o
);

  localparam SIZE  = $clog2(MEM / 8);
  localparam TOP   = $clog2(BYTES);
  localparam WORDS = BYTES / (MEM / 8);
  localparam ADDR  = TOP - SIZE;
  localparam LANES = MEM / 32;
  localparam [1:0] OKAY   = 2'b00;
  localparam [1:0] DECERR = 2'b11;

  tulle_require #(
    .LEGAL   (MEM >= 64 && MEM == 8 << SIZE && BYTES == 1 << TOP && WORDS >= 2 && TOP < 32),
    .MESSAGE ("tulle_board_memory: MEM must be a power of two from 64 on, BYTES a power of two below 4 GiB")
  ) u_require_sizes ();

  wire unused = &{1'b0, axi_awaddr_i[SIZE-1:0], axi_araddr_i[SIZE-1:0], host_awaddr_i[1:0], host_araddr_i[1:0]};

  // -- Bursts under way ------------------------------------------------------------------------------------------------

  reg             writing_q; // an address was taken, but not all of its beats
  reg  [ADDR-1:0] waddr_q;
  reg             woff_q;    // the address is outside the memory
  reg  [ID-1:0]   wid_q;
  reg             answer_q;  // a response is on offer to the device

  reg             reading_q;
  reg  [ADDR-1:0] raddr_q;
  reg             roff_q;
  reg  [ID-1:0]   rid_q;
  reg  [7:0]      rleft_q;   // beats after the next one
  reg             beat_q;    // a beat is on offer
  reg             last_q;

  // -- Turns -----------------------------------------------------------------------------------------------------------

  // A host write needs both address and data; the response to the last one must be taken.
  reg        hanswer_q, hdata_q, hoff_q;
  wire       hwrite = host_awvalid_i && host_wvalid_i && !hanswer_q;
  wire       hread  = !hwrite && host_arvalid_i && !hdata_q;
  wire [31:0] haddr = hwrite ? host_awaddr_i : host_araddr_i;

  wire       want_host  = hwrite || hread;
  wire       want_write = writing_q && axi_wvalid_i && !answer_q;
  wire       want_read  = reading_q && (!beat_q || axi_rready_i);

  // The requester that was served last has the lowest priority.
  reg  [1:0] turn_q; // highest priority: 0 host, 1 write, 2 read
  wire       go_host  = want_host  && (turn_q == 2'd0 || (turn_q == 2'd1 ? !want_write && !want_read : !want_read));
  wire       go_write = want_write && (turn_q == 2'd1 || (turn_q == 2'd2 ? !want_read && !want_host : !want_host));
  wire       go_read  = want_read  && (turn_q == 2'd2 || (turn_q == 2'd0 ? !want_host && !want_write : !want_write));

  wire [LANES-1:0] lane = {{(LANES-1){1'b0}}, 1'b1} << (haddr[SIZE-1:0] >> 2);
  wire [MEM/8-1:0] host_strobe;
  genvar l;
  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      assign host_strobe[4*l +: 4] = lane[l] ? host_wstrb_i : 4'd0;
    end
  endgenerate

  wire             host_off = haddr >> TOP != 32'd0;
  wire             writes   = go_host ? hwrite && !host_off : go_write && !woff_q;
  wire             reads    = go_host ? hread : go_read;
  wire [MEM-1:0]   rdata;

  tulle_board_ram #(
    .WIDTH (MEM),
    .DEPTH (WORDS)
  ) u_ram (
    .clk_i   (clk_i),
    .en_i    (writes || reads),
    .we_i    (!writes ? {(MEM/8){1'b0}} : go_host ? host_strobe : axi_wstrb_i),
    .addr_i  (go_host ? haddr[TOP-1:SIZE] : go_write ? waddr_q : raddr_q),
    .wdata_i (go_host ? {LANES{host_wdata_i}} : axi_wdata_i),
    .rdata_o (rdata)
  );

  // A word that was read is kept for a requester that does not take it at once.
  reg            fresh_q, host_fresh_q;
  reg  [MEM-1:0] kept_q;
  reg  [31:0]    host_kept_q;
  reg  [SIZE-3:0] hlane_q;
  wire [31:0]    host_word = rdata[{hlane_q, 5'd0} +: 32];

  always @(posedge clk_i) begin
    fresh_q      <= go_read;
    host_fresh_q <= go_host && hread;
    if (fresh_q) kept_q <= rdata;
    if (host_fresh_q) host_kept_q <= host_word;
  end

  always @(posedge clk_i) begin
    if (go_host) turn_q <= 2'd1;
    if (go_write) turn_q <= 2'd2;
    if (go_read) turn_q <= 2'd0;

    // Writes of the device
    if (axi_awvalid_i && axi_awready_o) begin
      writing_q <= 1'b1;
      waddr_q   <= axi_awaddr_i[TOP-1:SIZE];
      woff_q    <= axi_awaddr_i >> TOP != 64'd0;
      wid_q     <= axi_awid_i;
    end
    if (go_write) begin
      waddr_q <= waddr_q + 1'b1;
      if (axi_wlast_i) begin
        writing_q <= 1'b0;
        answer_q  <= 1'b1;
      end
    end
    if (answer_q && axi_bready_i) answer_q <= 1'b0;

    // Reads of the device
    if (axi_arvalid_i && axi_arready_o) begin
      reading_q <= 1'b1;
      raddr_q   <= axi_araddr_i[TOP-1:SIZE];
      roff_q    <= axi_araddr_i >> TOP != 64'd0;
      rid_q     <= axi_arid_i;
      rleft_q   <= axi_arlen_i;
    end
    if (beat_q && axi_rready_i) beat_q <= 1'b0;
    if (go_read) begin
      beat_q  <= 1'b1;
      last_q  <= rleft_q == 8'd0;
      raddr_q <= raddr_q + 1'b1;
      rleft_q <= rleft_q - 8'd1;
      if (rleft_q == 8'd0) reading_q <= 1'b0;
    end

    // Accesses of the host
    if (hanswer_q && host_bready_i) hanswer_q <= 1'b0;
    if (hdata_q && host_rready_i) hdata_q <= 1'b0;
    if (go_host) begin
      hanswer_q <= hwrite;
      hdata_q   <= hread;
      hoff_q    <= host_off;
      hlane_q   <= haddr[SIZE-1:2];
    end

    if (!rst_ni) begin
      turn_q    <= 2'd0;
      writing_q <= 1'b0;
      answer_q  <= 1'b0;
      reading_q <= 1'b0;
      beat_q    <= 1'b0;
      hanswer_q <= 1'b0;
      hdata_q   <= 1'b0;
    end
  end

  // An address is taken only after the last burst is complete, because its ID stays on the bus so long.
  assign axi_awready_o = !writing_q && !answer_q;
  assign axi_wready_o  = go_write;
  assign axi_bvalid_o  = answer_q;
  assign axi_bid_o     = wid_q;
  assign axi_bresp_o   = woff_q ? DECERR : OKAY;
  assign axi_arready_o = !reading_q && !beat_q;
  assign axi_rvalid_o  = beat_q;
  assign axi_rid_o     = rid_q;
  assign axi_rdata_o   = fresh_q ? rdata : kept_q;
  assign axi_rresp_o   = roff_q ? DECERR : OKAY;
  assign axi_rlast_o   = last_q;

  assign host_awready_o = go_host && hwrite;
  assign host_wready_o  = go_host && hwrite;
  assign host_bvalid_o  = hanswer_q;
  assign host_bresp_o   = hoff_q ? DECERR : OKAY;
  assign host_arready_o = go_host && hread;
  assign host_rvalid_o  = hdata_q;
  assign host_rdata_o   = host_fresh_q ? host_word : host_kept_q;
  assign host_rresp_o   = hoff_q ? DECERR : OKAY;

endmodule

`default_nettype wire
