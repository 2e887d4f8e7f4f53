// SPDX-License-Identifier: Apache-2.0
//
// tulle_board_ram: a single-port RAM with byte enables, for boards without external memory. A folder of boards/ may
// have a module of the same name that uses a vendor's primitive.
//
// Ports
//   clk_i                       clock
//   en_i, we_i, addr_i          an access, at the rising edge: a write of the bytes whose bit in we_i is set, or a read
//   wdata_i
//   rdata_o                     the word that was read; it stays until the next read
//
// Parameters
//   WIDTH                       bits of a word, a multiple of 8
//   DEPTH                       words
//
// Latency: rdata_o follows a read by one cycle.
// Limits: after a write, rdata_o is undefined until the next read. Reset does not change the content.

`default_nettype none

module tulle_board_ram #(
  parameter WIDTH = 64,
  parameter DEPTH = 1024
) (
  input  wire                     clk_i,
  input  wire                     en_i,
  input  wire [WIDTH/8-1:0]       we_i,
  input  wire [$clog2(DEPTH)-1:0] addr_i,
  input  wire [WIDTH-1:0]         wdata_i,
  output wire [WIDTH-1:0]         rdata_o
);

  // Each byte has a RAM of its own, because block RAM has no byte enables on some FPGAs.
  genvar b;
  generate
    for (b = 0; b < WIDTH / 8; b = b + 1) begin : gen_byte
      (* ram_style = "block" *)
      reg [7:0] memory [0:DEPTH-1];
      reg [7:0] rdata_q;

      always @(posedge clk_i) begin
        if (en_i && we_i[b]) memory[addr_i] <= wdata_i[8*b +: 8];
        if (en_i && !we_i[b]) rdata_q <= memory[addr_i];
      end

      assign rdata_o[8*b +: 8] = rdata_q;
    end
  endgenerate

endmodule

`default_nettype wire
