// SPDX-License-Identifier: Apache-2.0
//
// tulle_serial_board: the top level for a board with only an FPGA, a clock and a serial line. It contains a bridge, a
// memory and a device with one memory port. docs/serial.md describes the protocol with the host.
//
// Ports
//   clk_i, rst_ni     clock, synchronous reset
//   rx_i, tx_o        the serial line
//   busy_o            a job runs or its interrupt is pending, for an LED
//
// Parameters
//   MEM               bits of the device's memory port
//   BYTES             of memory, a power of two
//   CLOCK_HZ          of clk_i
//   BAUD              bits a second of the serial line
//   SILENCE           clock cycles after which an incomplete frame is dropped; 20 ms by default
//   PATIENCE          clock cycles that the device may take for a register access

`default_nettype none

module tulle_serial_board #(
  parameter MEM      = 64,
  parameter BYTES    = 131072,
  parameter CLOCK_HZ = 12000000,
  parameter BAUD     = 115200,
  parameter SILENCE  = CLOCK_HZ / 50,
  parameter PATIENCE = 65536
) (
  input  wire clk_i,
  input  wire rst_ni,
  input  wire rx_i,
  output wire tx_o,
  output wire busy_o
);

  localparam DIVISOR = (CLOCK_HZ + BAUD / 2) / BAUD;
  localparam [1:0] DECERR = 2'b11;

  wire       rx_valid;
  wire [7:0] rx_byte;
  wire       tx_valid;
  wire       tx_ready;
  wire [7:0] tx_byte;

  tulle_uart_receive #(
    .DIVISOR (DIVISOR)
  ) u_receive (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .line_i  (rx_i),
    .valid_o (rx_valid),
    .byte_o  (rx_byte)
  );

  tulle_uart_send #(
    .DIVISOR (DIVISOR)
  ) u_send (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (tx_valid),
    .ready_o (tx_ready),
    .byte_i  (tx_byte),
    .line_o  (tx_o)
  );

  // -- The bridge's bus goes to the device's registers or to memory ----------------------------------------------------

  wire        reset;
  wire        memory;
  wire        awvalid, awready, wvalid, wready, bvalid, bready;
  wire        arvalid, arready, rvalid, rready;
  wire [31:0] awaddr, wdata, araddr, rdata;
  wire [3:0]  wstrb;
  wire [1:0]  bresp, rresp;

  wire        device_awready, device_wready, device_bvalid, device_arready, device_rvalid;
  wire        memory_awready, memory_wready, memory_bvalid, memory_arready, memory_rvalid;
  wire [1:0]  device_bresp, device_rresp, memory_bresp, memory_rresp;
  wire [31:0] device_rdata, memory_rdata;

  tulle_serial_bridge #(
    .MEMORY_BYTES (BYTES),
    .CLOCK_HZ     (CLOCK_HZ),
    .SILENCE      (SILENCE),
    .PATIENCE     (PATIENCE)
  ) u_bridge (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .rx_valid_i    (rx_valid),
    .rx_byte_i     (rx_byte),
    .tx_valid_o    (tx_valid),
    .tx_ready_i    (tx_ready),
    .tx_byte_o     (tx_byte),
    .reset_o       (reset),
    .memory_o      (memory),
    .axi_awvalid_o (awvalid),
    .axi_awready_i (awready),
    .axi_awaddr_o  (awaddr),
    .axi_wvalid_o  (wvalid),
    .axi_wready_i  (wready),
    .axi_wdata_o   (wdata),
    .axi_wstrb_o   (wstrb),
    .axi_bvalid_i  (bvalid),
    .axi_bready_o  (bready),
    .axi_bresp_i   (bresp),
    .axi_arvalid_o (arvalid),
    .axi_arready_i (arready),
    .axi_araddr_o  (araddr),
    .axi_rvalid_i  (rvalid),
    .axi_rready_o  (rready),
    .axi_rdata_i   (rdata),
    .axi_rresp_i   (rresp)
  );

  // The device decodes 12 address bits, so accesses to registers above are answered with an error here.
  wire far_write = !memory && awaddr >> 12 != 32'd0;
  wire far_read  = !memory && araddr >> 12 != 32'd0;
  reg  far_q;    // for the current transaction

  always @(posedge clk_i) if (awvalid || arvalid) far_q <= awvalid ? far_write : far_read;

  assign awready = far_write || (memory ? memory_awready : device_awready);
  assign wready  = far_write || (memory ? memory_wready : device_wready);
  assign arready = far_read || (memory ? memory_arready : device_arready);
  assign bvalid  = memory ? memory_bvalid : far_q || device_bvalid;
  assign bresp   = memory ? memory_bresp : far_q ? DECERR : device_bresp;
  assign rvalid  = memory ? memory_rvalid : far_q || device_rvalid;
  assign rresp   = memory ? memory_rresp : far_q ? DECERR : device_rresp;
  assign rdata   = memory ? memory_rdata : device_rdata;

  // -- Device and memory ---------------------------------------------------------------------------------------------------

  reg             run_nq = 1'b0;
  wire            interrupt;
  wire            mem_awvalid, mem_awready, mem_wvalid, mem_wready, mem_wlast, mem_bvalid, mem_bready;
  wire            mem_arvalid, mem_arready, mem_rvalid, mem_rready, mem_rlast;
  wire [1:0]      mem_awid, mem_bid, mem_arid, mem_rid, mem_bresp, mem_rresp;
  wire [63:0]     mem_awaddr, mem_araddr;
  wire [7:0]      mem_arlen;
  wire [MEM-1:0]  mem_wdata, mem_rdata;
  wire [MEM/8-1:0] mem_wstrb;

  always @(posedge clk_i) run_nq <= rst_ni && !reset;

  // Bursts end with their last beat and are always INCR bursts of whole words.
  /* verilator lint_off PINCONNECTEMPTY */
  tulle_top u_device (
    .ap_clk                (clk_i),
    .ap_rst_n              (run_nq),
    .s_axi_control_awvalid (awvalid && !memory && !far_write),
    .s_axi_control_awready (device_awready),
    .s_axi_control_awaddr  (awaddr[11:0]),
    .s_axi_control_wvalid  (wvalid && !memory && !far_write),
    .s_axi_control_wready  (device_wready),
    .s_axi_control_wdata   (wdata),
    .s_axi_control_wstrb   (wstrb),
    .s_axi_control_bvalid  (device_bvalid),
    .s_axi_control_bready  (bready && !memory),
    .s_axi_control_bresp   (device_bresp),
    .s_axi_control_arvalid (arvalid && !memory && !far_read),
    .s_axi_control_arready (device_arready),
    .s_axi_control_araddr  (araddr[11:0]),
    .s_axi_control_rvalid  (device_rvalid),
    .s_axi_control_rready  (rready && !memory),
    .s_axi_control_rdata   (device_rdata),
    .s_axi_control_rresp   (device_rresp),
    .interrupt             (interrupt),
    .m_axi_mem0_awvalid    (mem_awvalid),
    .m_axi_mem0_awready    (mem_awready),
    .m_axi_mem0_awid       (mem_awid),
    .m_axi_mem0_awaddr     (mem_awaddr),
    .m_axi_mem0_awlen      (),
    .m_axi_mem0_awsize     (),
    .m_axi_mem0_awburst    (),
    .m_axi_mem0_awcache    (),
    .m_axi_mem0_awprot     (),
    .m_axi_mem0_wvalid     (mem_wvalid),
    .m_axi_mem0_wready     (mem_wready),
    .m_axi_mem0_wdata      (mem_wdata),
    .m_axi_mem0_wstrb      (mem_wstrb),
    .m_axi_mem0_wlast      (mem_wlast),
    .m_axi_mem0_bvalid     (mem_bvalid),
    .m_axi_mem0_bready     (mem_bready),
    .m_axi_mem0_bid        (mem_bid),
    .m_axi_mem0_bresp      (mem_bresp),
    .m_axi_mem0_arvalid    (mem_arvalid),
    .m_axi_mem0_arready    (mem_arready),
    .m_axi_mem0_arid       (mem_arid),
    .m_axi_mem0_araddr     (mem_araddr),
    .m_axi_mem0_arlen      (mem_arlen),
    .m_axi_mem0_arsize     (),
    .m_axi_mem0_arburst    (),
    .m_axi_mem0_arcache    (),
    .m_axi_mem0_arprot     (),
    .m_axi_mem0_rvalid     (mem_rvalid),
    .m_axi_mem0_rready     (mem_rready),
    .m_axi_mem0_rid        (mem_rid),
    .m_axi_mem0_rdata      (mem_rdata),
    .m_axi_mem0_rresp      (mem_rresp),
    .m_axi_mem0_rlast      (mem_rlast)
  );
  /* verilator lint_on PINCONNECTEMPTY */

  tulle_board_memory #(
    .MEM   (MEM),
    .BYTES (BYTES),
    .ID    (2)
  ) u_memory (
    .clk_i          (clk_i),
    .rst_ni         (run_nq),
    .axi_awvalid_i  (mem_awvalid),
    .axi_awready_o  (mem_awready),
    .axi_awid_i     (mem_awid),
    .axi_awaddr_i   (mem_awaddr),
    .axi_wvalid_i   (mem_wvalid),
    .axi_wready_o   (mem_wready),
    .axi_wdata_i    (mem_wdata),
    .axi_wstrb_i    (mem_wstrb),
    .axi_wlast_i    (mem_wlast),
    .axi_bvalid_o   (mem_bvalid),
    .axi_bready_i   (mem_bready),
    .axi_bid_o      (mem_bid),
    .axi_bresp_o    (mem_bresp),
    .axi_arvalid_i  (mem_arvalid),
    .axi_arready_o  (mem_arready),
    .axi_arid_i     (mem_arid),
    .axi_araddr_i   (mem_araddr),
    .axi_arlen_i    (mem_arlen),
    .axi_rvalid_o   (mem_rvalid),
    .axi_rready_i   (mem_rready),
    .axi_rid_o      (mem_rid),
    .axi_rdata_o    (mem_rdata),
    .axi_rresp_o    (mem_rresp),
    .axi_rlast_o    (mem_rlast),
    .host_awvalid_i (awvalid && memory),
    .host_awready_o (memory_awready),
    .host_awaddr_i  (awaddr),
    .host_wvalid_i  (wvalid && memory),
    .host_wready_o  (memory_wready),
    .host_wdata_i   (wdata),
    .host_wstrb_i   (wstrb),
    .host_bvalid_o  (memory_bvalid),
    .host_bready_i  (bready && memory),
    .host_bresp_o   (memory_bresp),
    .host_arvalid_i (arvalid && memory),
    .host_arready_o (memory_arready),
    .host_araddr_i  (araddr),
    .host_rvalid_o  (memory_rvalid),
    .host_rready_i  (rready && memory),
    .host_rdata_o   (memory_rdata),
    .host_rresp_o   (memory_rresp)
  );

  assign busy_o = interrupt || mem_awvalid || mem_arvalid;

endmodule

`default_nettype wire
