// SPDX-License-Identifier: Apache-2.0
//
// tulle_lutram: a RAM with one write port and one asynchronous read port, for small memories. FPGAs build it from LUT
// RAM.
//
// To use a vendor's primitive, replace the body of this wrapper.
//
// Ports
//   clk_i                    clock of the write port
//   we_i, waddr_i, wdata_i   write, at the rising edge
//   raddr_i, rdata_o         combinational read; a write is visible from the next cycle on
//
// Parameters
//   WIDTH                    bits of a word
//   DEPTH                    words; need not be a power of two
//   ZERO                     1: the content is 0 after configuration of the FPGA; 0: undefined
//
// Limits: addresses from DEPTH on must not be written, and read as undefined. Reset does not change the content.
//
// A register that drives raddr_i directly must have an initial value. Otherwise Yosys merges the register into the
// memory, which LUT RAM does not support, and builds it a second time, with its enable and reset in LUTs.

`default_nettype none

module tulle_lutram #(
  parameter WIDTH = 8,
  parameter DEPTH = 16,
  parameter ZERO  = 0
) (
  input  wire                                   clk_i,
  input  wire                                   we_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] waddr_i,
  input  wire [WIDTH-1:0]                       wdata_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] raddr_i,
  output wire [WIDTH-1:0]                       rdata_o
);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && DEPTH >= 1),
    .MESSAGE ("tulle_lutram: WIDTH and DEPTH must be at least 1")
  ) u_require_width_and_depth_at_least_1 ();

  generate
    if (DEPTH == 1) begin : gen_register
      reg [WIDTH-1:0] word_q;

      always @(posedge clk_i) begin
        if (we_i) word_q <= wdata_i;
      end

      if (ZERO != 0) begin : gen_zero
        initial word_q = {WIDTH{1'b0}};
      end

      assign rdata_o = word_q;

      wire unused = &{1'b0, waddr_i, raddr_i};
    end else begin : gen_memory
      (* ram_style = "distributed" *)
      reg [WIDTH-1:0] memory [0:DEPTH-1];

      always @(posedge clk_i) begin
        if (we_i) memory[waddr_i] <= wdata_i;
      end

      if (ZERO != 0) begin : gen_zero
        integer i;
        initial for (i = 0; i < DEPTH; i = i + 1) memory[i] = {WIDTH{1'b0}};
      end

      assign rdata_o = memory[raddr_i];
    end
  endgenerate

endmodule

`default_nettype wire
