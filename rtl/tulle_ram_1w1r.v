// SPDX-License-Identifier: Apache-2.0
//
// tulle_ram_1w1r: a RAM with one write port and one synchronous read port. FPGAs build it from block RAM, or from LUT
// RAM if it is small.
//
// To use a vendor's primitive, replace the body of this wrapper.
//
// Ports
//   clk_i                    clock of both ports
//   we_i, waddr_i, wdata_i   write, at the rising edge
//   re_i, raddr_i            read, at the rising edge
//   rdata_o                  the word that was read; it stays until the next read
//
// Parameters
//   WIDTH                    bits of a word
//   DEPTH                    words; need not be a power of two
//
// Latency: rdata_o follows a read by one cycle. A write is visible to reads from the next cycle on.
// Limits: reading a word in the cycle in which it is written is undefined on some FPGAs, so an assertion forbids it.
// Reset does not change the content.

`default_nettype none

module tulle_ram_1w1r #(
  parameter WIDTH = 8,
  parameter DEPTH = 64
) (
  input  wire                                   clk_i,
  input  wire                                   we_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] waddr_i,
  input  wire [WIDTH-1:0]                       wdata_i,
  input  wire                                   re_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] raddr_i,
  output wire [WIDTH-1:0]                       rdata_o
);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && DEPTH >= 1),
    .MESSAGE ("tulle_ram_1w1r: WIDTH and DEPTH must be at least 1")
  ) u_require_width_and_depth_at_least_1 ();

  reg [WIDTH-1:0] rdata_q;
  assign rdata_o = rdata_q;

  generate
    if (DEPTH == 1) begin : gen_register
      reg [WIDTH-1:0] word_q;

      always @(posedge clk_i) begin
        if (we_i) word_q <= wdata_i;
        if (re_i) rdata_q <= word_q;
      end
    end else begin : gen_memory
      (* no_rw_check *)
      reg [WIDTH-1:0] memory [0:DEPTH-1];

      always @(posedge clk_i) begin
        if (we_i) memory[waddr_i] <= wdata_i;
        if (re_i) rdata_q <= memory[raddr_i];
      end
    end
  endgenerate

  tulle_assert #(
    .MESSAGE("a word is not read while it is written")
  ) u_no_collision (
    .clk_i   (clk_i),
    .rst_ni  (1'b1),
    .holds_i (!(we_i === 1'b1 && re_i === 1'b1 && waddr_i === raddr_i))
  );

endmodule

`default_nettype wire
