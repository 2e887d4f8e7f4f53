//: # SPDX-License-Identifier: Apache-2.0
//: # Clock, reset, control registers and interrupt of a top module.
  input  wire		ap_clk,
  input  wire		ap_rst_n,

  // Control registers, AXI4-Lite: docs/registers.md
  input  wire		s_axi_control_awvalid,
  output wire		s_axi_control_awready,
  input  wire	[11:0]	s_axi_control_awaddr,
  input  wire		s_axi_control_wvalid,
  output wire		s_axi_control_wready,
  input  wire	[31:0]	s_axi_control_wdata,
  input  wire	[3:0]	s_axi_control_wstrb,
  output wire		s_axi_control_bvalid,
  input  wire		s_axi_control_bready,
  output wire	[1:0]	s_axi_control_bresp,
  input  wire		s_axi_control_arvalid,
  output wire		s_axi_control_arready,
  input  wire	[11:0]	s_axi_control_araddr,
  output wire		s_axi_control_rvalid,
  input  wire		s_axi_control_rready,
  output wire	[31:0]	s_axi_control_rdata,
  output wire	[1:0]	s_axi_control_rresp,
  /* verilator lint_off SYMRSVDWORD */ // the Vitis flow wants this name
  output wire		interrupt,
  /* verilator lint_on SYMRSVDWORD */
