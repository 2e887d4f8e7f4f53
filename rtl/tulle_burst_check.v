// SPDX-License-Identifier: Apache-2.0
//
// tulle_burst_check: checks the bursts that a client of a memory port requests. A burst must begin at a whole beat,
// must not cross a multiple of 4 KiB (AXI4), and must stay unchanged until it is taken. Synthesis removes the module.
//
// Ports
//   clk_i, rst_ni       clock, synchronous reset
//   valid_i, ready_i    the stream of bursts
//   address_i, beats_i  the burst's address, and its number of beats minus 1
//
// Parameters
//   MEM                 bits of a beat

`default_nettype none

module tulle_burst_check #(
  parameter MEM = 512
) (
  input wire        clk_i,
  input wire        rst_ni,
  input wire        valid_i,
  input wire        ready_i,
  input wire [63:0] address_i,
  input wire [7:0]  beats_i
);

  localparam BYTES = MEM / 8;

  tulle_assert #(
    .MESSAGE("a burst begins at a whole beat")
  ) u_whole_beats (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!valid_i || (address_i[11:0] & (BYTES[11:0] - 12'd1)) == 12'd0)
  );

  tulle_assert #(
    .MESSAGE("a burst does not cross a multiple of 4 KiB")
  ) u_within_4_kib (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!valid_i || {4'd0, address_i[11:0]} + ({8'd0, beats_i} + 16'd1) * BYTES[15:0] <= 16'd4096)
  );

  tulle_stream_check #(
    .WIDTH (72)
  ) u_stays (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (valid_i),
    .ready_i (ready_i),
    .data_i  ({address_i, beats_i})
  );

endmodule

`default_nettype wire
