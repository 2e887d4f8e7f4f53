// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_align: realigns a range of bytes from input beats to output beats; the range may begin at any byte of
// the first beat of each. A beat is rotated by the difference of the two positions. Lanes that wrap around belong to
// the next output beat and are held until it. When bytes move towards lane 0, the first input beat only fills the
// held lanes.
//
// Ports
//   clk_i                     clock; start_i is the reset
//   start_i                   one cycle: a new range begins; the last range is discarded
//   from_i, to_i              position of the range's first byte in the first input beat and the first output beat
//   bytes_i                   bytes of the range, at least 1
//   valid_i, ready_o, data_i  input beats: exactly those that contain bytes of the range
//   valid_o, ready_i, data_o, strobe_o
//                             output beats, likewise; lanes without a strobe are undefined
//
// Parameters
//   MEM                       bits of a beat
//   COUNT                     bits of bytes_i
//
// Latency: one cycle, or two when bytes move towards lane 0; a beat a cycle. ready_o depends on ready_i in the same
// cycle.

`default_nettype none

module tulle_copy_align #(
  parameter MEM   = 512,
  parameter COUNT = 25
) (
  input  wire                     clk_i,

  input  wire                     start_i,
  input  wire [$clog2(MEM/8)-1:0] from_i,
  input  wire [$clog2(MEM/8)-1:0] to_i,
  input  wire [COUNT-1:0]         bytes_i,

  input  wire                     valid_i,
  output wire                     ready_o,
  input  wire [MEM-1:0]           data_i,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [MEM-1:0]           data_o,
  output wire [MEM/8-1:0]         strobe_o
);

  localparam BYTES = MEM / 8;
  localparam SIZE  = $clog2(BYTES);
  localparam BEATS = COUNT + 1 - SIZE; // bits of a beat count

  tulle_require #(
    .LEGAL   (MEM >= 16 && MEM == 8 << SIZE),
    .MESSAGE ("tulle_copy_align: MEM must be a power of two, at least 16")
  ) u_require_mem_power_of_two_at_least_16 ();

  // -- Number of beats -------------------------------------------------------------------------------------------

  localparam [COUNT:0] ROUND = {{COUNT+1-SIZE{1'b0}}, {SIZE{1'b1}}}; // rounds up to whole beats

  wire [COUNT:0]  in_bytes  = {1'b0, bytes_i} + {{COUNT+1-SIZE{1'b0}}, from_i} + ROUND;
  wire [COUNT:0]  out_bytes = {1'b0, bytes_i} + {{COUNT+1-SIZE{1'b0}}, to_i} + ROUND;
  wire            unused    = &{1'b0, in_bytes[SIZE-1:0]};

  reg  [BEATS-1:0] in_left_q;  // input beats that the second stage has not taken
  reg  [BEATS-1:0] out_left_q;
  reg  [SIZE-1:0]  shift_q;    // rotation, upwards in lanes
  reg              prime_q;    // the next beat only fills the held lanes
  reg              first_q;
  reg  [SIZE-1:0]  to_q;
  reg  [SIZE-1:0]  last_lane_q;

  wire             turned_valid;
  wire             in_none = in_left_q == {BEATS{1'b0}};
  wire             prime   = prime_q && turned_valid;
  wire             step    = valid_o && ready_i;
  wire             take    = prime || (step && !in_none);

  always @(posedge clk_i) begin
    if (start_i) begin
      in_left_q   <= in_bytes[COUNT:SIZE];
      out_left_q  <= out_bytes[COUNT:SIZE];
      shift_q     <= to_i - from_i;
      prime_q     <= to_i < from_i;
      first_q     <= 1'b1;
      to_q        <= to_i;
      last_lane_q <= out_bytes[SIZE-1:0];
    end else begin
      if (take)  in_left_q <= in_left_q - {{BEATS-1{1'b0}}, 1'b1};
      if (step)  out_left_q <= out_left_q - {{BEATS-1{1'b0}}, 1'b1};
      if (prime) prime_q <= 1'b0;
      if (step)  first_q <= 1'b0;
    end
  end

  // -- Rotation, in two stages: by whole groups of four lanes, then by the rest -----------------------------------

  localparam FINE = (SIZE > 2) ? 2 : SIZE;

  reg             turned_q;
  reg  [MEM-1:0]  word_q;
  reg  [MEM-1:0]  held_q;
  wire [MEM-1:0]  coarse;
  wire [MEM-1:0]  word;

  generate
    if (SIZE > FINE) begin : gen_coarse
      tulle_rotate #(
        .PIECE (8 << FINE),
        .STEPS (SIZE - FINE),
        .WIDTH (MEM)
      ) u_rotate (
        .data_i (data_i),
        .by_i   (shift_q[SIZE-1:FINE]),
        .data_o (coarse)
      );
    end else begin : gen_none
      assign coarse = data_i;
    end
  endgenerate

  tulle_rotate #(
    .PIECE (8),
    .STEPS (FINE),
    .WIDTH (MEM)
  ) u_fine (
    .data_i (word_q),
    .by_i   (shift_q[FINE-1:0]),
    .data_o (word)
  );

  always @(posedge clk_i) begin
    turned_q <= !start_i && ((valid_i && ready_o) || (turned_q && !take));
    if (ready_o) word_q <= coarse;
    if (take)    held_q <= word;
  end

  assign turned_valid = turned_q;
  assign ready_o      = !turned_q || take;

  // -- Output beats ------------------------------------------------------------------------------------------------

  localparam [BYTES-1:0] ALL = {BYTES{1'b1}};
  localparam [BYTES-1:0] ONE = 1;

  wire             last_beat = out_left_q == {{BEATS-1{1'b0}}, 1'b1};
  wire [BYTES-1:0] fresh     = ALL << shift_q;              // lanes that come from the current beat
  wire [BYTES-1:0] early     = first_q ? ~(ALL << to_q) : {BYTES{1'b0}};
  wire [BYTES-1:0] late      = last_beat ? (ALL ^ ONE) << last_lane_q : {BYTES{1'b0}};

  genvar l;
  generate
    for (l = 0; l < BYTES; l = l + 1) begin : gen_lane
      assign data_o[8*l +: 8] = fresh[l] ? word[8*l +: 8] : held_q[8*l +: 8];
    end
  endgenerate

  assign strobe_o = ~(early | late);
  assign valid_o  = out_left_q != {BEATS{1'b0}} && !prime_q && (turned_q || in_none);

endmodule

`default_nettype wire
