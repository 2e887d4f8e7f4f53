// SPDX-License-Identifier: Apache-2.0
//
// tulle_top, a stand-in: the registers and one memory port of a device whose only job is to copy. It is what the
// simulated board (sim/board) is tested with, without a whole accelerator: sim/board/build --top.
//
// A job copies size_input bytes from address_input to address_output, both multiples of the port's width, in bursts
// that go up to the next 4 KiB, four of them in flight; writes the job number and the status code, 64 bits, to
// address_status; and raises the interrupt. An error response ends it with the code of docs/isa.md.
//
// Registers as in docs/registers.md, as far as a job needs them. Two more, to misbehave on purpose:
//   0x3F0 mischief  1: a burst crosses 4 KiB; 2: a read address is taken back; 3: an assertion fails;
//                   4: the interrupt never comes; 5: registers do not answer any more;
//                   6: no waiting for write responses before the status is written and the job ends
//   0x3F4 beats     longest burst - 1

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"
`include "tulle_params.vh"

module tulle_top (
  input  wire         ap_clk,
  input  wire         ap_rst_n,

  input  wire         s_axi_control_awvalid,
  output wire         s_axi_control_awready,
  input  wire [11:0]  s_axi_control_awaddr,
  input  wire         s_axi_control_wvalid,
  output wire         s_axi_control_wready,
  input  wire [31:0]  s_axi_control_wdata,
  input  wire [3:0]   s_axi_control_wstrb,
  output wire         s_axi_control_bvalid,
  input  wire         s_axi_control_bready,
  output wire [1:0]   s_axi_control_bresp,
  input  wire         s_axi_control_arvalid,
  output wire         s_axi_control_arready,
  input  wire [11:0]  s_axi_control_araddr,
  output wire         s_axi_control_rvalid,
  input  wire         s_axi_control_rready,
  output wire [31:0]  s_axi_control_rdata,
  output wire [1:0]   s_axi_control_rresp,
  /* verilator lint_off SYMRSVDWORD */ // the Vitis flow wants this name
  output wire         interrupt,
  /* verilator lint_on SYMRSVDWORD */

  output wire         m_axi_mem0_awvalid,
  input  wire         m_axi_mem0_awready,
  output wire [1:0]   m_axi_mem0_awid,
  output wire [63:0]  m_axi_mem0_awaddr,
  output wire [7:0]   m_axi_mem0_awlen,
  output wire [2:0]   m_axi_mem0_awsize,
  output wire [1:0]   m_axi_mem0_awburst,
  output wire [3:0]   m_axi_mem0_awcache,
  output wire [2:0]   m_axi_mem0_awprot,
  output wire         m_axi_mem0_wvalid,
  input  wire         m_axi_mem0_wready,
  output wire [`TULLE_MEMORY_WIDTH-1:0]   m_axi_mem0_wdata,
  output wire [`TULLE_MEMORY_WIDTH/8-1:0] m_axi_mem0_wstrb,
  output wire         m_axi_mem0_wlast,
  input  wire         m_axi_mem0_bvalid,
  output wire         m_axi_mem0_bready,
  input  wire [1:0]   m_axi_mem0_bid,
  input  wire [1:0]   m_axi_mem0_bresp,
  output wire         m_axi_mem0_arvalid,
  input  wire         m_axi_mem0_arready,
  output wire [1:0]   m_axi_mem0_arid,
  output wire [63:0]  m_axi_mem0_araddr,
  output wire [7:0]   m_axi_mem0_arlen,
  output wire [2:0]   m_axi_mem0_arsize,
  output wire [1:0]   m_axi_mem0_arburst,
  output wire [3:0]   m_axi_mem0_arcache,
  output wire [2:0]   m_axi_mem0_arprot,
  input  wire         m_axi_mem0_rvalid,
  output wire         m_axi_mem0_rready,
  input  wire [1:0]   m_axi_mem0_rid,
  input  wire [`TULLE_MEMORY_WIDTH-1:0] m_axi_mem0_rdata,
  input  wire [1:0]   m_axi_mem0_rresp,
  input  wire         m_axi_mem0_rlast
);

  localparam BYTES = `TULLE_MEMORY_WIDTH / 8;
  localparam SHIFT = $clog2(BYTES);
  localparam [2:0] SIZE = SHIFT[2:0];

  // -- Registers -----------------------------------------------------------------------------------------

  reg [31:0] register_q [0:255];
  reg        start_q, running_q, done_q, enable_q, mask_q, pending_q;
  reg [15:0] code_q;
  reg [63:0] cycles_q;

  reg  [31:0] mischief_q;
  reg  [7:0]  longest_q;
  wire        deaf = mischief_q == 32'd5;

  reg        awheld_q, wheld_q, bvalid_q, arheld_q, rvalid_q;
  reg [11:0] awaddr_q, araddr_q;
  reg [31:0] wdata_q, rdata_q;

  wire write = awheld_q && wheld_q && !bvalid_q;
  wire read  = arheld_q && !rvalid_q;

  assign s_axi_control_awready = !awheld_q && !deaf;
  assign s_axi_control_wready  = !wheld_q && !deaf;
  assign s_axi_control_bvalid  = bvalid_q;
  assign s_axi_control_bresp   = 2'b00;
  assign s_axi_control_arready = !arheld_q && !deaf;
  assign s_axi_control_rvalid  = rvalid_q;
  assign s_axi_control_rdata   = rdata_q;
  assign s_axi_control_rresp   = 2'b00;

  reg interrupt_q;

  always @(posedge ap_clk) interrupt_q <= ap_rst_n && enable_q && pending_q && mischief_q != 32'd4;

  assign interrupt = interrupt_q;

  wire stop;
  wire take = start_q && !running_q && !done_q;
  wire [15:0] result;

  always @(posedge ap_clk) begin
    if (!ap_rst_n) begin
      {awheld_q, wheld_q, bvalid_q, arheld_q, rvalid_q} <= 5'd0;
      {start_q, running_q, done_q, enable_q, mask_q, pending_q} <= 6'd0;
      code_q <= 16'd0;
      {mischief_q, longest_q} <= {32'd0, 8'd0};
    end else begin
      if (s_axi_control_awvalid && s_axi_control_awready) {awheld_q, awaddr_q} <= {1'b1, s_axi_control_awaddr};
      if (s_axi_control_wvalid && s_axi_control_wready)   {wheld_q, wdata_q}   <= {1'b1, s_axi_control_wdata};
      if (s_axi_control_arvalid && s_axi_control_arready) {arheld_q, araddr_q} <= {1'b1, s_axi_control_araddr};
      if (bvalid_q && s_axi_control_bready) bvalid_q <= 1'b0;
      if (rvalid_q && s_axi_control_rready) rvalid_q <= 1'b0;
      if (take) {start_q, running_q, code_q} <= {1'b0, 1'b1, `TULLE_STATUS_RUNNING};
      if (stop) {running_q, done_q, pending_q, code_q} <= {1'b0, 1'b1, pending_q || mask_q, result};
      if (write) begin
        {awheld_q, wheld_q, bvalid_q} <= 3'b001;
        register_q[awaddr_q[9:2]] <= wdata_q;
        case (awaddr_q[9:0])
          `TULLE_REG_CONTROL: begin
            start_q <= start_q || wdata_q[`TULLE_REG_CONTROL_AP_START];
            if (wdata_q[`TULLE_REG_CONTROL_AP_CONTINUE]) done_q <= 1'b0;
          end
          `TULLE_REG_INTERRUPT_ENABLE: enable_q <= wdata_q[0];
          `TULLE_REG_INTERRUPT_MASK:   mask_q <= wdata_q[0];
          `TULLE_REG_INTERRUPT_STATUS: if (wdata_q[0]) pending_q <= 1'b0;
          10'h3F0: mischief_q <= wdata_q;
          10'h3F4: longest_q <= wdata_q[7:0];
          default: ;
        endcase
      end
      if (read) begin
        {arheld_q, rvalid_q} <= 2'b01;
        rdata_q <= register_q[araddr_q[9:2]];
        case (araddr_q[9:0])
          `TULLE_REG_CONTROL:          rdata_q <= {28'd0, done_q, !running_q, done_q, start_q};
          `TULLE_REG_INTERRUPT_STATUS: rdata_q <= {31'd0, pending_q};
          `TULLE_REG_MAGIC:            rdata_q <= `TULLE_RESET_MAGIC;
          `TULLE_REG_VARIANT_LOW:      rdata_q <= `TULLE_RESET_VARIANT_LOW;
          `TULLE_REG_VARIANT_HIGH:     rdata_q <= `TULLE_RESET_VARIANT_HIGH;
          `TULLE_REG_STATUS:           rdata_q <= {16'd0, code_q};
          `TULLE_REG_CYCLES_LOW:       rdata_q <= cycles_q[31:0];
          default: ;
        endcase
      end
    end
    if (ap_rst_n && mischief_q == 32'd3) begin
      $display("%m: mischief");
      $stop;
    end
  end

  // -- Reading -------------------------------------------------------------------------------------------

  wire [63:0] source      = {register_q[8'h0E], register_q[8'h0D]}; // 0x34: address_input
  wire [63:0] target      = {register_q[8'h11], register_q[8'h10]}; // 0x40: address_output
  wire [63:0] status      = {register_q[8'h08], register_q[8'h07]}; // 0x1C: address_status
  wire [63:0] beats_given = {register_q[8'h26], register_q[8'h25]} >> SHIFT; // 0x94: size_input
  wire [31:0] beats       = beats_given[31:0];
  wire [31:0] job         = register_q[8'h34];
  wire [8:0]  longest     = {1'b0, longest_q} + 9'd1;

  // Beats of the burst that begins `done` beats behind an address.
  function [8:0] burst_of;
    input [11:0] address;
    input [31:0] done;
    input [31:0] all;
    input [8:0]  most;
    reg [11:0] at;
    reg [31:0] room;
    begin
      at   = address + (done[11:0] << SHIFT);
      room = (32'd4096 - {20'd0, at}) >> SHIFT;
      if (room > all - done) room = all - done;
      if (room > {23'd0, most}) room = {23'd0, most};
      burst_of = room[8:0];
    end
  endfunction

  wire unused = &{1'b0, s_axi_control_wstrb, awaddr_q[11:10], araddr_q[11:10], m_axi_mem0_bid, m_axi_mem0_rid,
                   m_axi_mem0_rlast, beats_given[63:32]};

  localparam ROOM = 4; // bursts in flight, each of at most 256 beats

  reg [31:0] asked_q;    // beats asked for
  reg [31:0] announced_q; // beats of writes announced
  reg [31:0] read_q;     // beats that came
  reg [31:0] sent_q;     // beats sent
  reg [31:0] bursts_q, answers_q; // writes announced, answered
  reg [15:0] failed_q;
  reg [`TULLE_MEMORY_WIDTH-1:0] data_q [0:256*ROOM-1];

  reg        arvalid_q, awvalid_q;
  reg [63:0] araddr_m_q, awaddr_m_q;
  reg [7:0]  arlen_q, awlen_q;
  reg [8:0]  owed_q;     // beats of the announced write that were not sent
  reg        record_q;   // the status record is announced
  reg        recorded_q; // and sent
  reg        withdrawn_q;

  wire [8:0] ask      = mischief_q == 32'd1 ? 9'd255 : burst_of(source[11:0], asked_q, beats, longest);
  wire [8:0] announce = burst_of(target[11:0], announced_q, beats, longest);
  wire       failed   = failed_q != `TULLE_STATUS_OK;
  wire       may_ask  = running_q && !failed && !arvalid_q && asked_q < beats &&
                        asked_q + {23'd0, ask} - sent_q <= 32'd256 * ROOM;
  // What was read goes out when all of a burst is there.
  wire may_announce = running_q && !failed && !awvalid_q && owed_q == 9'd0 && announced_q < beats &&
                      read_q - announced_q >= {23'd0, announce};
  wire all_sent     = (failed || announced_q == beats) && owed_q == 9'd0 && !awvalid_q;
  wire all_read     = read_q == asked_q && !arvalid_q;
  wire all_written  = mischief_q == 32'd6 || bursts_q == answers_q;
  wire may_record   = running_q && all_sent && all_read && all_written && !record_q;

  assign result = failed_q;
  assign stop   = running_q && recorded_q && all_written;

  wire w_fire = m_axi_mem0_wvalid && m_axi_mem0_wready;

  always @(posedge ap_clk) begin
    if (!ap_rst_n || !running_q) begin
      {asked_q, announced_q, read_q, sent_q, bursts_q, answers_q} <= 192'd0;
      failed_q <= `TULLE_STATUS_OK;
      {arvalid_q, awvalid_q, record_q, recorded_q, withdrawn_q} <= 5'd0;
      owed_q <= 9'd0;
      if (take || !ap_rst_n) cycles_q <= 64'd0;
    end else begin
      cycles_q <= cycles_q + 64'd1;
      // Read addresses
      if (arvalid_q && m_axi_mem0_arready) arvalid_q <= 1'b0;
      if (arvalid_q && !m_axi_mem0_arready && mischief_q == 32'd2) {arvalid_q, withdrawn_q} <= 2'b01;
      if (may_ask && !withdrawn_q) begin
        arvalid_q  <= 1'b1;
        araddr_m_q <= source + ({32'd0, asked_q} << SHIFT);
        arlen_q    <= ask[7:0] - 8'd1;
        asked_q    <= asked_q + {23'd0, ask};
      end
      // Read data
      if (m_axi_mem0_rvalid) begin
        data_q[read_q[9:0]] <= m_axi_mem0_rdata;
        read_q <= read_q + 32'd1;
        if (m_axi_mem0_rresp[1] && !failed)
          failed_q <= m_axi_mem0_rresp[0] ? `TULLE_STATUS_READ_DECODE_ERROR : `TULLE_STATUS_READ_SLAVE_ERROR;
      end
      // Write addresses, data and responses
      if (awvalid_q && m_axi_mem0_awready) awvalid_q <= 1'b0;
      if (w_fire) owed_q <= owed_q - 9'd1;
      if (w_fire && !record_q) sent_q <= sent_q + 32'd1;
      if (w_fire && record_q) recorded_q <= 1'b1;
      if (may_announce) begin
        awvalid_q   <= 1'b1;
        awaddr_m_q  <= target + ({32'd0, announced_q} << SHIFT);
        awlen_q     <= announce[7:0] - 8'd1;
        owed_q      <= announce;
        announced_q <= announced_q + {23'd0, announce};
        bursts_q    <= bursts_q + 32'd1;
      end
      if (may_record) begin
        awvalid_q  <= 1'b1;
        awaddr_m_q <= status;
        awlen_q    <= 8'd0;
        owed_q     <= 9'd1;
        record_q   <= 1'b1;
        bursts_q   <= bursts_q + 32'd1;
      end
      if (m_axi_mem0_bvalid) begin
        answers_q <= answers_q + 32'd1;
        if (m_axi_mem0_bresp[1] && !failed)
          failed_q <= m_axi_mem0_bresp[0] ? `TULLE_STATUS_WRITE_DECODE_ERROR : `TULLE_STATUS_WRITE_SLAVE_ERROR;
      end
    end
  end

  assign m_axi_mem0_arvalid = arvalid_q;
  assign m_axi_mem0_arid    = 2'd0;
  assign m_axi_mem0_araddr  = araddr_m_q;
  assign m_axi_mem0_arlen   = arlen_q;
  assign m_axi_mem0_arsize  = SIZE;
  assign m_axi_mem0_arburst = 2'b01;
  assign m_axi_mem0_arcache = 4'b0011;
  assign m_axi_mem0_arprot  = 3'b000;
  assign m_axi_mem0_rready  = 1'b1;

  assign m_axi_mem0_awvalid = awvalid_q;
  assign m_axi_mem0_awid    = 2'd0;
  assign m_axi_mem0_awaddr  = awaddr_m_q;
  assign m_axi_mem0_awlen   = awlen_q;
  assign m_axi_mem0_awsize  = SIZE;
  assign m_axi_mem0_awburst = 2'b01;
  assign m_axi_mem0_awcache = 4'b0011;
  assign m_axi_mem0_awprot  = 3'b000;
  assign m_axi_mem0_wvalid  = owed_q != 9'd0;
  assign m_axi_mem0_wdata   = record_q ? {{`TULLE_MEMORY_WIDTH-64{1'b0}}, job, 16'd0, failed_q} : data_q[sent_q[9:0]];
  assign m_axi_mem0_wstrb   = record_q ? {{BYTES-8{1'b0}}, 8'hFF} : {BYTES{1'b1}};
  assign m_axi_mem0_wlast   = owed_q == 9'd1;
  assign m_axi_mem0_bready  = 1'b1;

endmodule

`default_nettype wire
