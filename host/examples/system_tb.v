// SPDX-License-Identifier: Apache-2.0
//
// A design around a Tulle device, and its test bench: the device and a memory of 128 KiB, both reached by a host that here is
// the test bench. It puts a program into memory, starts a job, waits for the interrupt and reads the status record.
// docs/tutorial-design.md goes through it.
//
//     iverilog -g2005 -s system_tb -o system -c tulle.f .../tulle_board_*.v .../system_tb.v    (in the emitted folder)
//     vvp -n system +program=FILE.hex
//
// `system` is what a design of your own has, with its own bus in the place of the two AXI4-Lite ports and its own memory
// behind m_axi_mem0. Signals of AXI4 that the memory does not need are left open: bursts are always INCR, of whole words.

`timescale 1ns / 1ps
`default_nettype none

`include "tulle_registers.vh"
`include "tulle_params.vh"

module system #(
  parameter BYTES = 131072
) (
  input  wire        clk_i,
  input  wire        rst_ni,
  output wire        interrupt_o,

  // AXI4-Lite; memory_i says whether an access is of the memory or of the device's registers
  input  wire        memory_i,
  input  wire        valid_i,   // an access
  input  wire        write_i,
  input  wire [31:0] address_i,
  input  wire [31:0] data_i,
  output wire        taken_o,   // of a write both address and data
  output wire        done_o,
  output wire [31:0] data_o
);

  wire        to_device = valid_i && !memory_i;
  wire        to_memory = valid_i && memory_i;
  wire        device_awready, device_wready, device_arready, device_bvalid, device_rvalid;
  wire        memory_awready, memory_wready, memory_arready, memory_bvalid, memory_rvalid;
  wire [31:0] device_rdata, memory_rdata;

  assign taken_o = write_i ? (memory_i ? memory_awready && memory_wready : device_awready && device_wready)
                           : (memory_i ? memory_arready : device_arready);
  assign done_o  = device_bvalid || device_rvalid || memory_bvalid || memory_rvalid;
  assign data_o  = memory_rvalid ? memory_rdata : device_rdata;

  localparam MEM = `TULLE_MEMORY_WIDTH;

  wire             awvalid, awready, wvalid, wready, wlast, bvalid, bready, arvalid, arready, rvalid, rready, rlast;
  wire [1:0]       awid, bid, bresp, arid, rid, rresp;
  wire [63:0]      awaddr, araddr;
  wire [7:0]       arlen;
  wire [MEM-1:0]   wdata, rdata;
  wire [MEM/8-1:0] wstrb;

  tulle_top u_device (
    .ap_clk (clk_i), .ap_rst_n (rst_ni), .interrupt (interrupt_o),

    .s_axi_control_awvalid (to_device && write_i), .s_axi_control_awready (device_awready),
    .s_axi_control_awaddr (address_i[11:0]),
    .s_axi_control_wvalid (to_device && write_i), .s_axi_control_wready (device_wready),
    .s_axi_control_wdata (data_i), .s_axi_control_wstrb (4'b1111),
    .s_axi_control_bvalid (device_bvalid), .s_axi_control_bready (1'b1), .s_axi_control_bresp (),
    .s_axi_control_arvalid (to_device && !write_i), .s_axi_control_arready (device_arready),
    .s_axi_control_araddr (address_i[11:0]),
    .s_axi_control_rvalid (device_rvalid), .s_axi_control_rready (1'b1),
    .s_axi_control_rdata (device_rdata), .s_axi_control_rresp (),

    .m_axi_mem0_awvalid (awvalid), .m_axi_mem0_awready (awready), .m_axi_mem0_awid (awid), .m_axi_mem0_awaddr (awaddr),
    .m_axi_mem0_awlen (), .m_axi_mem0_awsize (), .m_axi_mem0_awburst (), .m_axi_mem0_awcache (), .m_axi_mem0_awprot (),
    .m_axi_mem0_wvalid (wvalid), .m_axi_mem0_wready (wready), .m_axi_mem0_wdata (wdata), .m_axi_mem0_wstrb (wstrb),
    .m_axi_mem0_wlast (wlast),
    .m_axi_mem0_bvalid (bvalid), .m_axi_mem0_bready (bready), .m_axi_mem0_bid (bid), .m_axi_mem0_bresp (bresp),
    .m_axi_mem0_arvalid (arvalid), .m_axi_mem0_arready (arready), .m_axi_mem0_arid (arid), .m_axi_mem0_araddr (araddr),
    .m_axi_mem0_arlen (arlen), .m_axi_mem0_arsize (), .m_axi_mem0_arburst (), .m_axi_mem0_arcache (),
    .m_axi_mem0_arprot (),
    .m_axi_mem0_rvalid (rvalid), .m_axi_mem0_rready (rready), .m_axi_mem0_rid (rid), .m_axi_mem0_rdata (rdata),
    .m_axi_mem0_rresp (rresp), .m_axi_mem0_rlast (rlast)
  );

  tulle_board_memory #(.MEM (MEM), .BYTES (BYTES), .ID (2)) u_memory (
    .clk_i (clk_i), .rst_ni (rst_ni),

    .axi_awvalid_i (awvalid), .axi_awready_o (awready), .axi_awid_i (awid), .axi_awaddr_i (awaddr),
    .axi_wvalid_i (wvalid), .axi_wready_o (wready), .axi_wdata_i (wdata), .axi_wstrb_i (wstrb), .axi_wlast_i (wlast),
    .axi_bvalid_o (bvalid), .axi_bready_i (bready), .axi_bid_o (bid), .axi_bresp_o (bresp),
    .axi_arvalid_i (arvalid), .axi_arready_o (arready), .axi_arid_i (arid), .axi_araddr_i (araddr), .axi_arlen_i (arlen),
    .axi_rvalid_o (rvalid), .axi_rready_i (rready), .axi_rid_o (rid), .axi_rdata_o (rdata), .axi_rresp_o (rresp),
    .axi_rlast_o (rlast),

    .host_awvalid_i (to_memory && write_i), .host_awready_o (memory_awready), .host_awaddr_i (address_i),
    .host_wvalid_i (to_memory && write_i), .host_wready_o (memory_wready), .host_wdata_i (data_i), .host_wstrb_i (4'b1111),
    .host_bvalid_o (memory_bvalid), .host_bready_i (1'b1), .host_bresp_o (),
    .host_arvalid_i (to_memory && !write_i), .host_arready_o (memory_arready), .host_araddr_i (address_i),
    .host_rvalid_o (memory_rvalid), .host_rready_i (1'b1), .host_rdata_o (memory_rdata), .host_rresp_o ()
  );

endmodule

module system_tb;

  localparam PROGRAM = 32'h0000; // where it lies in memory, and the status record behind it
  localparam STATUS  = 32'h1000;
  localparam LIMIT   = 100000;   // cycles until the test bench gives up

  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  reg         memory = 1'b0;
  reg         valid = 1'b0;
  reg         write = 1'b0;
  reg  [31:0] address = 32'd0;
  reg  [31:0] data = 32'd0;
  wire        interrupt, taken, done;
  wire [31:0] answer;

  always #5 clk = !clk;

  system u_system (
    .clk_i (clk), .rst_ni (rst_n), .interrupt_o (interrupt), .memory_i (memory), .valid_i (valid), .write_i (write),
    .address_i (address), .data_i (data), .taken_o (taken), .done_o (done), .data_o (answer)
  );

  // One access: held until it is taken, then until it is answered.
  task access(input in_memory, input is_write, input [31:0] at, input [31:0] value);
    begin
      @(negedge clk);
      memory = in_memory;
      write = is_write;
      address = at;
      data = value;
      valid = 1'b1;
      while (!taken) @(negedge clk);
      @(negedge clk);
      valid = 1'b0;
      while (!done) @(negedge clk);
      data = answer;
    end
  endtask

  task set(input [11:0] register, input [31:0] value);
    access(1'b0, 1'b1, {20'd0, register}, value);
  endtask

  task buffer(input [11:0] address_register, input [11:0] size_register, input [31:0] at, input [31:0] bytes);
    begin
      set(address_register, at);
      set(address_register + 12'd4, 32'd0);
      set(size_register, bytes);
      set(size_register + 12'd4, 32'd0);
    end
  endtask

  // The program, a line of 64 bytes each time.
  reg [8191:0] path;
  reg [511:0]  line;
  integer      file, bytes, word, cycles;

  initial begin
    if (!$value$plusargs("program=%s", path)) begin
      $display("FAIL: +program=FILE, of tulle-asm --format hex");
      $finish;
    end
    file = $fopen(path, "r");
    if (file == 0) $display("FAIL: there is no such program");
    repeat (10) @(negedge clk);
    rst_n = 1'b1;

    access(1'b0, 1'b0, {20'd0, `TULLE_REG_MAGIC}, 32'd0);
    $display("magic     %h", data);
    bytes = 0;
    while (file != 0 && $fscanf(file, "%h\n", line) == 1)
      for (word = 0; word < 16; word = word + 1) begin
        access(1'b1, 1'b1, PROGRAM + bytes, line[32 * word +: 32]);
        bytes = bytes + 4;
      end
    buffer(`TULLE_REG_ADDRESS_PROGRAM_LOW, `TULLE_REG_SIZE_PROGRAM_LOW, PROGRAM, bytes);
    buffer(`TULLE_REG_ADDRESS_STATUS_LOW, `TULLE_REG_SIZE_STATUS_LOW, STATUS, 32'd128);
    set(`TULLE_REG_JOB, 32'd7);
    set(`TULLE_REG_INTERRUPT_MASK, 32'd1);
    set(`TULLE_REG_INTERRUPT_ENABLE, 32'd1);
    set(`TULLE_REG_CONTROL, 32'd1);
    for (cycles = 0; cycles < LIMIT && !interrupt; cycles = cycles + 1) @(negedge clk);

    access(1'b1, 1'b0, STATUS + 32'd8, 32'd0);
    $display("code      %0d", data[15:0]);
    access(1'b1, 1'b0, STATUS + 32'd120, 32'd0);
    $display("job       %0d", data);
    access(1'b0, 1'b0, {20'd0, `TULLE_REG_CYCLES_LOW}, 32'd0);
    $display("cycles    %0d", data);
    if (interrupt) $display("PASS: interrupt");
    else $display("FAIL: no interrupt");
    $finish;
  end

endmodule

`default_nettype wire
