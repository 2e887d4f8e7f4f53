// SPDX-License-Identifier: Apache-2.0
//
// tulle_serial_bus: an AXI4-Lite master that reads or writes a number of words, one after the other.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset
//   start_i                    one cycle: begins a transfer:
//   write_i, words_i, address_i
//                              direction, 1 to 64 words, and address; stable until done_o
//   take_o, index_o, word_i    one cycle: requests the word of this index, which follows in the next cycle (writes)
//   give_o, index_o, word_o    one cycle: a word was read
//   done_o, status_o           one cycle: the transfer is over: 0 complete, 1 ended by an error response, 2 no
//                              response in time
//   axi_*                      AXI4-Lite
//
// Parameters
//   PATIENCE                   maximum clock cycles of the bus for a word, at least 2
//
// Limits: after a timeout, a transaction stays open. The instantiating module must then reset the bus and this
// module.

`default_nettype none

module tulle_serial_bus #(
  parameter PATIENCE = 65536
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        start_i,
  input  wire        write_i,
  input  wire [6:0]  words_i,
  input  wire [31:0] address_i,

  output wire        take_o,
  output wire        give_o,
  output wire [5:0]  index_o,
  input  wire [31:0] word_i,
  output wire [31:0] word_o,

  output wire        done_o,
  output wire [1:0]  status_o,

  output wire        axi_awvalid_o,
  input  wire        axi_awready_i,
  output wire [31:0] axi_awaddr_o,
  output wire        axi_wvalid_o,
  input  wire        axi_wready_i,
  output wire [31:0] axi_wdata_o,
  output wire [3:0]  axi_wstrb_o,
  input  wire        axi_bvalid_i,
  output wire        axi_bready_o,
  input  wire [1:0]  axi_bresp_i,
  output wire        axi_arvalid_o,
  input  wire        axi_arready_i,
  output wire [31:0] axi_araddr_o,
  input  wire        axi_rvalid_i,
  output wire        axi_rready_o,
  input  wire [31:0] axi_rdata_i,
  input  wire [1:0]  axi_rresp_i
);

  localparam WAIT = $clog2(PATIENCE + 1);

  localparam [1:0] IDLE  = 2'd0;
  localparam [1:0] TAKE  = 2'd1; // requests the word to write
  localparam [1:0] OFFER = 2'd2; // offers address and data
  localparam [1:0] REPLY = 2'd3;

  reg [1:0]      state_q;
  reg [5:0]      index_q;
  reg [31:0]     address_q;
  reg            address_open_q; // not taken yet
  reg            data_open_q;
  reg [31:0]     data_q;
  reg            fresh_q;        // the word to write arrives in this cycle
  reg [WAIT-1:0] wait_q;

  wire       address_taken = write_i ? axi_awready_i : axi_arready_i;
  wire       replied       = state_q == REPLY && (write_i ? axi_bvalid_i : axi_rvalid_i);
  wire       refused       = (write_i ? axi_bresp_i : axi_rresp_i) != 2'b00;
  wire       last          = {1'b0, index_q} == words_i - 7'd1;
  wire       late          = state_q != IDLE && wait_q == {WAIT{1'b0}} && !replied;

  assign take_o        = state_q == TAKE;
  assign give_o        = replied && !write_i && !refused;
  assign index_o       = index_q;
  assign word_o        = axi_rdata_i;
  assign done_o        = (replied && (refused || last)) || late;
  assign status_o      = late ? 2'd2 : refused ? 2'd1 : 2'd0;
  assign axi_awvalid_o = state_q == OFFER && write_i && address_open_q;
  assign axi_wvalid_o  = state_q == OFFER && write_i && data_open_q;
  assign axi_arvalid_o = state_q == OFFER && !write_i && address_open_q;
  assign axi_awaddr_o  = address_q;
  assign axi_araddr_o  = address_q;
  assign axi_wdata_o   = fresh_q ? word_i : data_q;
  assign axi_wstrb_o   = 4'hF;
  assign axi_bready_o  = state_q == REPLY && write_i;
  assign axi_rready_o  = state_q == REPLY && !write_i;

  always @(posedge clk_i) begin
    fresh_q <= take_o;
    wait_q  <= wait_q - 1'b1;
    if (fresh_q) data_q <= word_i;
    case (state_q)
      IDLE: begin
        wait_q    <= PATIENCE[WAIT-1:0];
        index_q   <= 6'd0;
        address_q <= address_i;
        if (start_i) state_q <= write_i ? TAKE : OFFER;
        address_open_q <= 1'b1;
        data_open_q    <= write_i;
      end
      TAKE: state_q <= OFFER;
      OFFER: begin
        if (address_taken) address_open_q <= 1'b0;
        if (axi_wready_i) data_open_q <= 1'b0;
        if ((!address_open_q || address_taken) && (!data_open_q || axi_wready_i)) state_q <= REPLY;
      end
      default: if (replied) begin
        state_q        <= write_i ? TAKE : OFFER;
        wait_q         <= PATIENCE[WAIT-1:0];
        index_q        <= index_q + 6'd1;
        address_q      <= address_q + 32'd4;
        address_open_q <= 1'b1;
        data_open_q    <= write_i;
      end
    endcase
    if (done_o) state_q <= IDLE;
    if (!rst_ni) begin
      state_q <= IDLE;
      fresh_q <= 1'b0;
    end
  end

endmodule

`default_nettype wire
