// SPDX-License-Identifier: Apache-2.0
//
// tulle_lutram: RAM with one write port and one asynchronous read port, for small memories.
//
// The wrapper of this kind: replace its body to use a vendor's primitive. FPGAs build it from LUT RAM.
//
// Ports
//   clk_i                    clock of the write port
//   we_i, waddr_i, wdata_i   write, at the rising edge
//   raddr_i, rdata_o         read, combinational; a write is seen from the next cycle on
//
// Parameters
//   WIDTH                    bits of a word
//   DEPTH                    words; need not be a power of two
//   ZERO                     1: the content is 0 after configuration of the FPGA; 0: undefined
//
// Limits: addresses from DEPTH on must not be written and read as undefined. Reset does not touch the content.
//
// Give a register that raddr_i comes from, with nothing between, an initial value. Without, Yosys makes it part of the
// memory, which LUT RAM does not have, so builds it a second time, its enable and its reset of LUTs.

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
