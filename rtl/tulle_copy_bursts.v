// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_bursts: cuts a range of bytes into bursts of whole beats for a memory port. No burst crosses a multiple
// of BURST bytes. The first and the last beat may contain bytes outside the range.
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset (discards the range)
//   start_i          one cycle: a new range begins; the rest of the last range is discarded
//   address_i, bytes_i
//                    the range; it must not reach beyond the last address
//   valid_o, ready_i, address_o, beats_o, bytes_o
//                    bursts: address of the first beat, beats minus 1, and the number of bytes of the range in the
//                    burst
//
// Parameters
//   MEM              bits of a beat
//   BURST            maximum bytes of a burst, a power of two: at least a beat, at most 256 beats and 4096
//   COUNT            bits of bytes_i, more than $clog2(BURST)
//
// Latency: the first burst is offered two cycles after start_i, each further burst two cycles after the last one was
// taken.

`default_nettype none

module tulle_copy_bursts #(
  parameter MEM   = 512,
  parameter BURST = 1024,
  parameter COUNT = 25
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  input  wire [63:0]              address_i,
  input  wire [COUNT-1:0]         bytes_i,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [63:0]              address_o,
  output wire [7:0]               beats_o,
  output wire [$clog2(BURST):0]   bytes_o
);

  localparam SIZE  = $clog2(MEM / 8);
  localparam PIECE = $clog2(BURST);

  tulle_require #(
    .LEGAL   (MEM >= 16 && MEM == 8 << SIZE && BURST == 1 << PIECE && PIECE >= SIZE && PIECE <= 12 && PIECE - SIZE <= 8),
    .MESSAGE ("tulle_copy_bursts: BURST must be a power of two, a beat to 256 beats and 4096")
  ) u_require_burst_power_of_two_a_beat_to_256 ();

  tulle_require #(
    .LEGAL   (COUNT > PIECE),
    .MESSAGE ("tulle_copy_bursts: COUNT must be more than the bits of a burst's place")
  ) u_require_count_more_than_place ();

  reg [63:0]      address_q;
  reg [COUNT-1:0] bytes_left_q;
  reg             valid_q;
  reg [PIECE:0]   bytes_q; // bytes of the range in the current burst

  // The burst ends at the next multiple of BURST or at the end of the range.
  wire [PIECE:0]   room        = BURST[PIECE:0] - {1'b0, address_q[PIECE-1:0]};
  wire             to_boundary = bytes_left_q >= {{COUNT-PIECE-1{1'b0}}, room};
  wire             taken       = valid_q && ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      bytes_left_q <= {COUNT{1'b0}};
      valid_q      <= 1'b0;
    end else if (start_i) begin
      bytes_left_q <= bytes_i;
      valid_q      <= 1'b0;
    end else begin
      if (taken) bytes_left_q <= bytes_left_q - {{COUNT-PIECE-1{1'b0}}, bytes_q};
      valid_q <= valid_q ? !ready_i : bytes_left_q != {COUNT{1'b0}};
    end
  end

  always @(posedge clk_i) begin
    if (start_i)    address_q <= address_i;
    else if (taken) address_q <= {address_q[63:PIECE] + {{63-PIECE{1'b0}}, 1'b1}, {PIECE{1'b0}}};
    if (!valid_q)   bytes_q <= to_boundary ? room : bytes_left_q[PIECE:0];
  end

  // Position of the last byte, relative to the beginning of the first beat.
  wire [PIECE:0] last = bytes_q + {{PIECE+1-SIZE{1'b0}}, address_q[SIZE-1:0]} - {{PIECE{1'b0}}, 1'b1};
  wire [8:0]     beat = {{8-PIECE+SIZE{1'b0}}, last[PIECE:SIZE]};

  assign valid_o   = valid_q;
  assign address_o = {address_q[63:SIZE], {SIZE{1'b0}}};
  assign beats_o   = beat[7:0];
  assign bytes_o   = bytes_q;

  wire unused = &{1'b0, beat[8], last[SIZE-1:0]};

endmodule

`default_nettype wire
