// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_bursts: cuts a range of bytes into bursts for a memory port: none crosses a multiple of BURST bytes, all
// are of whole beats. The first and the last beat of the range may have bytes around it.
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset (nothing is left)
//   start_i          one cycle: a new range; what was left of the one before is forgotten
//   address_i, bytes_i
//                    the range, which does not reach beyond the last address
//   valid_o, ready_i, address_o, beats_o, bytes_o
//                    bursts: address of the first beat, beats - 1, and how many bytes of the range are in it
//
// Parameters
//   MEM              bits of a beat
//   BURST            bytes, a power of two: at least a beat, at most 256 beats and 4096
//   COUNT            bits of bytes_i, more than $clog2(BURST)
//
// Latency: a burst two cycles after start_i, and two after the one before was taken.

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
  reg [COUNT-1:0] left_q;
  reg             valid_q;
  reg [PIECE:0]   bytes_q; // of the burst on offer

  // To the next multiple of BURST, or to the end of the range.
  wire [PIECE:0]   room  = BURST[PIECE:0] - {1'b0, address_q[PIECE-1:0]};
  wire             whole = left_q >= {{COUNT-PIECE-1{1'b0}}, room};
  wire             taken = valid_q && ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      left_q  <= {COUNT{1'b0}};
      valid_q <= 1'b0;
    end else if (start_i) begin
      left_q  <= bytes_i;
      valid_q <= 1'b0;
    end else begin
      if (taken) left_q <= left_q - {{COUNT-PIECE-1{1'b0}}, bytes_q};
      valid_q <= valid_q ? !ready_i : left_q != {COUNT{1'b0}};
    end
  end

  always @(posedge clk_i) begin
    if (start_i)    address_q <= address_i;
    else if (taken) address_q <= {address_q[63:PIECE] + {{63-PIECE{1'b0}}, 1'b1}, {PIECE{1'b0}}};
    if (!valid_q)   bytes_q <= whole ? room : left_q[PIECE:0];
  end

  // The place of the last byte, counted from the beginning of the first beat.
  wire [PIECE:0] last = bytes_q + {{PIECE+1-SIZE{1'b0}}, address_q[SIZE-1:0]} - {{PIECE{1'b0}}, 1'b1};
  wire [8:0]     beat = {{8-PIECE+SIZE{1'b0}}, last[PIECE:SIZE]};

  assign valid_o   = valid_q;
  assign address_o = {address_q[63:SIZE], {SIZE{1'b0}}};
  assign beats_o   = beat[7:0];
  assign bytes_o   = bytes_q;

  wire unused = &{1'b0, beat[8], last[SIZE-1:0]};

endmodule

`default_nettype wire
