// SPDX-License-Identifier: Apache-2.0
//
// tulle_byte_ram: a block RAM with one write port, which writes any of the bytes of a word, and one synchronous read port.
//
// To use a vendor's primitive, replace the body of this wrapper.
//
// Ports
//   clk_i                    clock of both ports
//   we_i, waddr_i, wdata_i   write, at the rising edge: bit b writes byte b
//   re_i, raddr_i            read, at the rising edge
//   rdata_o                  the word that was read; it stays until the next read
//
// Parameters
//   BYTES                    bytes of a word
//   DEPTH                    words, at least two
//
// Latency: rdata_o follows a read by one cycle. A write is visible to reads from the next cycle on.
// Limits: reading a word in the cycle in which it is written is undefined on some FPGAs, so an assertion forbids it.
// Reset does not change the content.

`default_nettype none

module tulle_byte_ram #(
  parameter BYTES = 8,
  parameter DEPTH = 64
) (
  input  wire                     clk_i,
  input  wire [BYTES-1:0]         we_i,
  input  wire [$clog2(DEPTH)-1:0] waddr_i,
  input  wire [BYTES*8-1:0]       wdata_i,
  input  wire                     re_i,
  input  wire [$clog2(DEPTH)-1:0] raddr_i,
  output wire [BYTES*8-1:0]       rdata_o
);

  tulle_require #(
    .LEGAL   (BYTES >= 1 && DEPTH >= 2),
    .MESSAGE ("tulle_byte_ram: BYTES must be at least 1, DEPTH at least 2")
  ) u_require_bytes_at_least_1_and_depth_at_least_2 ();

  (* ram_style = "block", no_rw_check *)
  reg [BYTES*8-1:0] memory [0:DEPTH-1];
  reg [BYTES*8-1:0] rdata_q;
  integer           b;

  always @(posedge clk_i) begin
    for (b = 0; b < BYTES; b = b + 1) if (we_i[b]) memory[waddr_i][8*b +: 8] <= wdata_i[8*b +: 8];
    if (re_i) rdata_q <= memory[raddr_i];
  end

  assign rdata_o = rdata_q;

  tulle_assert #(
    .MESSAGE ("a word is not read while it is written")
  ) u_no_collision (
    .clk_i   (clk_i),
    .rst_ni  (1'b1),
    .holds_i (!(we_i !== {BYTES{1'b0}} && re_i === 1'b1 && waddr_i === raddr_i))
  );

endmodule

`default_nettype wire
