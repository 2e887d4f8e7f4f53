// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_pack: narrows elements and packs them into the beats of a store's bursts.
//
// It works in pieces: the elements of a chunk that go to the same beat, one piece a cycle. The chunk is rotated so
// that its elements are at their positions, the elements' bytes are repeated over the beat, and each byte of the beat
// that was not written before takes the byte at its position.
//
// With TAKE above 1, where a chunk has several groups, a piece may reach into the next beat: bytes repeat at the same
// positions there. The beat that it completes leaves while the rest begins the next one. So chunks that do not begin with
// a beat take no second cycle, and only a run's end divides one.
//
// Ports
//   clk_i, rst_ni                       clock, synchronous reset
//   burst_valid_i, burst_ready_o,       a burst to fill: its first byte modulo 1024, its bytes, and log2 of an
//   burst_low_i, burst_bytes_i,         element's bytes; both are multiples of an element. unsigned: int8 or int16 is written
//   burst_element_i, burst_unsigned_i   plus 2^7 or 2^15, so its highest bit is inverted
//   chunk_valid_i, chunk_ready_o,       chunks of LANES elements, PE 0 first; the last chunk of each group of PES has
//   chunk_i, chunk_more_i               the rest. With TAKE above 1 chunk_more_i + 1 groups, one behind the other
//   chunk_room_o                        the same as chunk_ready_o, from a register of its own
//   pair_i                              the chunk has two elements only, or one with a lane, and belongs to no group; it may
//                                       be withdrawn. They are int16 or int32 at an even place
//   data_valid_o, data_ready_i,
//   data_o, strobe_o                    the beats
//   idle_o                              no burst is being filled
//
// Parameters
//   MEM                                 bits of a beat: 64, 128, 256 or 512
//   ACC                                 bits of an element in a chunk, 24..64
//   PES                                 elements of a group
//   LANES                               elements of a chunk: a power of two, at most the next one from TAKE * PES on
//   TAKE                                groups that a chunk may have: 1, or 2 or 4 with as many lanes
//
// Narrowing (docs/numerics.md): int8 and int16 saturate, int32 takes the low bits, int64 is sign-extended.
// Latency: three cycles from a chunk to the beat that it completes, four with TAKE above 1. A piece a cycle; for int64 with
// ACC up to 32, a piece is half a chunk. chunk_ready_o is a register; a second chunk register holds the chunk that arrives
// meanwhile. With eight lanes and TAKE 1 the rotation takes ACC DSP blocks.

`default_nettype none

module tulle_store_pack #(
  parameter MEM   = 512,
  parameter ACC   = 32,
  parameter PES   = 8,
  parameter LANES = 4,
  parameter TAKE  = 1,
  // Derived; not to be set.
  parameter BANK  = (TAKE > 1) ? $clog2(TAKE) : 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,

  input  wire                 burst_valid_i,
  output wire                 burst_ready_o,
  input  wire [9:0]           burst_low_i,
  input  wire [10:0]          burst_bytes_i,
  input  wire [1:0]           burst_element_i,
  input  wire                 burst_unsigned_i,

  input  wire                 chunk_valid_i,
  output wire                 chunk_ready_o,
  output wire                 chunk_room_o,
  input  wire                 pair_i,
  input  wire [LANES*ACC-1:0] chunk_i,
  input  wire [BANK-1:0]      chunk_more_i,

  output wire                 data_valid_o,
  input  wire                 data_ready_i,
  output wire [MEM-1:0]       data_o,
  output wire [MEM/8-1:0]     strobe_o,
  output wire                 idle_o
);

  localparam BYTES  = MEM / 8;
  localparam LINE   = $clog2(BYTES);
  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam SHIFT  = (LANES > 1) ? $clog2(LANES) : 1; // bits of a lane number
  localparam LANE   = (LANES > 16) ? SHIFT : 4;        // bits of a count of lanes, minus 1
  localparam [LANES-1:0] ONE_LANE = 1;

  // Bytes of a beat after which the elements of a rotated chunk repeat, for the widest elements; narrower ones repeat
  // earlier.
  localparam NATURAL = LANES * ((ACC > 32) ? 8 : 4);
  localparam RING    = (NATURAL >= BYTES) ? BYTES : (NATURAL < 8) ? 8 : NATURAL;

  tulle_require #(
    .LEGAL   (MEM == 64 || MEM == 128 || MEM == 256 || MEM == 512),
    .MESSAGE ("tulle_store_pack: MEM must be 64, 128, 256 or 512")
  ) u_require_mem_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (ACC >= 24 && ACC <= 64 && PES >= 1 && LANES >= 1 && LANES <= 16 * ((TAKE > 1) ? 2 : 1) &&
              (LANES & (LANES - 1)) == 0 && LANES < 2 * PES * TAKE),
    .MESSAGE ("tulle_store_pack: ACC must be 24..64, LANES a power of two, 1..16, or 32 with TAKE, below 2 * PES * TAKE")
  ) u_require_acc_24_to_64_lanes_power_of_two ();

  tulle_require #(
    .LEGAL   (TAKE == 1 || ((TAKE == 2 || TAKE == 4) && LANES >= TAKE * PES)),
    .MESSAGE ("tulle_store_pack: TAKE must be 1, 2 or 4, with lanes for all groups")
  ) u_require_take_1_2_or_4 ();

  // -- The current chunk, and whether it saturates -----------------------------------------------------------------

  reg                  chunk_q;
  reg                  pair_q;
  reg  [LANES*ACC-1:0] value_q;
  reg  [LANES-1:0]     beyond8_q;     // the element exceeds int8
  reg  [LANES-1:0]     beyond16_q;
  reg                  kept_q;        // a chunk arrived before the last one was finished
  reg                  room_q;        // the inverse of kept_q
  reg                  kept_pair_q;
  reg  [LANES*ACC-1:0] kept_value_q;
  reg  [BANK-1:0]      more_q;
  reg  [BANK-1:0]      kept_more_q;
  wire                 chunk_done;    // its last piece leaves
  wire                 chunk_moves = !chunk_q || chunk_done;
  wire [LANES*ACC-1:0] coming      = kept_q ? kept_value_q : chunk_i;

  genvar e, b;
  generate
    for (e = 0; e < LANES; e = e + 1) begin : gen_beyond
      // Bits that must equal the sign are compared with it, which takes half the logic of testing for all 0 and all
      // 1.
      wire            sign     = coming[e*ACC+ACC-1];
      wire            beyond16 = (coming[e*ACC+15 +: ACC-16] ^ {ACC-16{sign}}) != {ACC-16{1'b0}};
      wire            beyond8  = beyond16 || (coming[e*ACC+7 +: 8] ^ {8{sign}}) != 8'd0;

      always @(posedge clk_i) begin
        if (chunk_moves) begin
          beyond8_q[e]  <= beyond8;
          beyond16_q[e] <= beyond16;
        end
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {chunk_q, kept_q} <= 2'd0;
      room_q  <= 1'b1;
    end else begin
      if (chunk_moves) chunk_q <= kept_q || chunk_valid_i;
      kept_q <= !chunk_moves && (kept_q || chunk_valid_i);
      room_q <= chunk_moves || !(kept_q || chunk_valid_i);
    end
  end

  always @(posedge clk_i) begin
    if (chunk_moves) begin
      value_q  <= coming;
      pair_q <= kept_q ? kept_pair_q : pair_i;
      more_q   <= kept_q ? kept_more_q : chunk_more_i;
    end
    if (!kept_q) begin
      kept_value_q  <= chunk_i;
      kept_pair_q <= pair_i;
      kept_more_q   <= chunk_more_i;
    end
  end

  // Registers, because all sources of chunks depend on them.
  assign chunk_ready_o = !kept_q;
  assign chunk_room_o  = room_q;

  // -- Pieces -----------------------------------------------------------------------------------------------------
  // Everything is in elements, and counts are stored minus 1.

  reg         burst_q;
  reg  [1:0]  element_q;
  reg         invert8_q;    // the highest bit of int8
  reg         invert16_q;
  reg  [9:0]  place_q;      // position of the next element, modulo 1024 bytes
  reg  [9:0]  left_q;       // elements left of the burst
  wire [LANE-1:0] lane;      // lane of the next element in its chunk
  wire [LANE-1:0] full_lane; // the last lane of a full chunk
  localparam [LANE-1:0] PAIR_LANE = (LANES > 1) ? 1 : 0; // the last lane of a pair
  wire [LANE-1:0] last_lane = pair_q ? PAIR_LANE : full_lane;

  reg  [5:0]  line_mask_q;  // elements of a line, minus 1
  reg  [5:0]  ring_mask_q;  // elements until a chunk repeats, if that ends a piece, minus 1
  wire [5:0]  line_mask_d  = 6'd63 >> (3'd6 - LINE[2:0] + {1'b0, burst_element_i});
  wire [5:0]  ring_mask_d;
  wire        piece      = burst_q && chunk_q;
  wire        piece_moves;
  wire        fire       = piece && piece_moves;

  generate
    if (RING == BYTES || ACC > 32 || LANES == 1) begin : gen_whole
      assign ring_mask_d = line_mask_d;
    end else begin : gen_half
      // With eight bytes an element, the ring holds half of the chunk.
      localparam HALF = RING / 8 - 1;
      assign ring_mask_d = (burst_element_i == 2'd3) ? HALF[5:0] : line_mask_d;
    end
  endgenerate

  wire [5:0] to_line  = ~place_q[5:0] & line_mask_q;
  wire [5:0] to_ring  = ~place_q[5:0] & ring_mask_q;
  wire [LANE-1:0] to_chunk = last_lane - lane;

  // A piece that reaches into the next beat has the rest of the chunk, and the burst more than that.
  wire crosses;

  // Selects the smallest of three limits; several are selected if they are equal.
  wire ring_first  = to_ring <= {{6-LANE{1'b0}}, to_chunk};
  wire left_ring   = left_q <= {4'd0, to_ring};
  wire left_chunk  = left_q <= {{10-LANE{1'b0}}, to_chunk};
  wire left_ends   = left_ring && left_chunk;
  wire [LANE-1:0] count = left_ends ? left_q[LANE-1:0] : (ring_first && !crosses) ? to_ring[LANE-1:0] : to_chunk;

  wire burst_ends  = left_ends;

  // Compared separately from the number of elements, because less time is available.
  wire [5:0] ring_rest  = to_ring >> SHIFT;
  wire [9:0] left_rest  = left_q >> SHIFT;
  wire       ring_reach = ring_rest != 6'd0 || to_ring[SHIFT-1:0] >= to_chunk[SHIFT-1:0];
  wire       left_reach = left_rest != 10'd0 || left_q[SHIFT-1:0] >= to_chunk[SHIFT-1:0];
  wire       chunk_ends = (ring_reach && left_reach) || crosses;

  wire line_ends   = left_ends || (ring_first && to_ring == to_line);

  assign chunk_done = fire && chunk_ends;

  wire [10:0] burst_elements = burst_bytes_i >> burst_element_i;

  assign burst_ready_o = !burst_q || (fire && burst_ends);
  assign idle_o        = !burst_q;

  always @(posedge clk_i) begin
    if (!rst_ni)            burst_q <= 1'b0;
    else if (burst_ready_o) burst_q <= burst_valid_i;
  end

  wire [10:0] burst_left = burst_elements - 11'd1;

  always @(posedge clk_i) begin
    if (burst_ready_o) begin
      element_q   <= burst_element_i;
      invert8_q   <= burst_unsigned_i && burst_element_i == 2'd0;
      invert16_q  <= burst_unsigned_i;
      line_mask_q <= line_mask_d;
      ring_mask_q <= ring_mask_d;
      place_q   <= burst_low_i >> burst_element_i;
      left_q    <= burst_left[9:0];
    end else if (fire) begin
      place_q <= place_q + {{10-LANE{1'b0}}, count} + 10'd1;
      left_q  <= left_q - {{10-LANE{1'b0}}, count} - 10'd1;
    end
  end

  generate
    if (TAKE == 1) begin : gen_within
      assign crosses = 1'b0;
    end else begin : gen_across
      reg  across_q; // a chunk repeats within a beat
      wire beyond_chunk = left_rest != 10'd0 || left_q[SHIFT-1:0] > to_chunk[SHIFT-1:0];

      always @(posedge clk_i)
        if (burst_ready_o) across_q <= ring_mask_d == line_mask_d && LANES << burst_element_i <= BYTES;

      assign crosses = across_q && !ring_reach && beyond_chunk;
    end

    if (LANES == 1) begin : gen_one_lane
      assign lane = {LANE{1'b0}};
    end else begin : gen_lanes
      reg [LANE-1:0] lane_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   lane_q <= {LANE{1'b0}};
        else if (fire) lane_q <= chunk_ends ? {LANE{1'b0}} : lane_q + count + 1'b1;
      end

      assign lane = lane_q;
    end

    if (TAKE > 1) begin : gen_several
      localparam integer    LAST_LANE = PES - 1; // of one group
      localparam integer    GROUP     = PES;
      wire [LANE-1:0]       further   = GROUP[LANE-1:0] * {{LANE-BANK{1'b0}}, more_q};

      assign full_lane = LAST_LANE[LANE-1:0] + further;
    end else if (PES % LANES == 0) begin : gen_full_chunks
      localparam LAST_LANE = LANES - 1;

      assign full_lane = LAST_LANE[LANE-1:0];
    end else begin : gen_short_chunk
      localparam LAST_LANE = LANES - 1;
      localparam LAST_SHORT = (PES - 1) % LANES;

      if (CHUNKS == 1) begin : gen_only
        assign full_lane = LAST_SHORT[LANE-1:0];
      end else begin : gen_last
        localparam COUNT = $clog2(CHUNKS);
        localparam LAST  = CHUNKS - 1;

        reg [COUNT-1:0] number_q;

        wire short_one = number_q == LAST[COUNT-1:0];

        always @(posedge clk_i) begin
          if (!rst_ni)         number_q <= {COUNT{1'b0}};
          else if (chunk_done) number_q <= short_one ? {COUNT{1'b0}} : number_q + 1'b1;
        end

        assign full_lane = short_one ? LAST_SHORT[LANE-1:0] : LAST_LANE[LANE-1:0];
      end
    end
  endgenerate

  // -- Narrowing and rotation -------------------------------------------------------------------------------------

  localparam INFO = 2 + 6 + LANE + 2;

  reg                  piece_q;
  reg  [INFO-1:0]      info_q;
  wire [1:0]           size;
  wire [5:0]           begins;     // in elements of the line
  wire [LANE-1:0]      elements;   // minus 1
  wire                 completes;  // a beat
  wire                 goes_on;    // in the next one
  reg  [LANES*ACC-1:0] rotated_q;
  wire [LANES*ACC-1:0] narrowed;
  wire [LANE-1:0]      by          = (place_q[LANE-1:0] & ring_mask_q[LANE-1:0]) - lane;
  wire [LANES-1:0]     power       = ONE_LANE << by[SHIFT-1:0];
  wire [INFO-1:0]      info        = {element_q, place_q[5:0] & line_mask_q, count, line_ends, crosses};
  wire                 turned;     // a piece whose elements may be rotated by multiples of four lanes
  wire [INFO-1:0]      turned_info;
  wire                 turned_moves;
  wire                 line_moves;

  assign turned_moves = !piece_q || line_moves;
  assign {size, begins, elements, completes, goes_on} = info_q;

  generate
    for (e = 0; e < LANES; e = e + 1) begin : gen_narrow
      wire beyond = (element_q == 2'd0 && beyond8_q[e]) || (element_q == 2'd1 && beyond16_q[e]);
      wire sign   = value_q[e*ACC+ACC-1];

      // The largest and the smallest value: bit 7 of int8 and bit 15 of int16 are the sign, the bits below are its
      // inverse.
      wire [15:0] limit = {sign, {7{!sign}}, (element_q == 2'd0) ? sign : !sign, {7{!sign}}};

      wire [15:0] invert = {invert16_q, 7'd0, invert8_q, 7'd0};

      assign narrowed[e*ACC +: ACC] = {value_q[e*ACC+16 +: ACC-16], (beyond ? limit : value_q[e*ACC +: 16]) ^ invert};
    end

    if (TAKE == 1) begin : gen_one_turn
      assign piece_moves = turned_moves;
      assign turned      = piece;
      assign turned_info = info;
    end else begin : gen_first_turn
      reg            turned_q;
      reg [INFO-1:0] turned_info_q;

      assign piece_moves = !turned_q || turned_moves;
      assign turned      = turned_q;
      assign turned_info = turned_info_q;

      always @(posedge clk_i) begin
        if (!rst_ni)          turned_q <= 1'b0;
        else if (piece_moves) turned_q <= piece;
      end

      always @(posedge clk_i) if (piece_moves) turned_info_q <= info;
    end

    // Bit by bit, because an index into words whose length is no power of two becomes a shifter.
    for (b = 0; b < ACC; b = b + 1) begin : gen_bit
      wire [LANES-1:0] column;
      wire [LANES-1:0] value;

      for (e = 0; e < LANES; e = e + 1) begin : gen_lane
        assign column[e] = narrowed[e*ACC + b];

        always @(posedge clk_i) begin
          if (turned_moves) rotated_q[e*ACC + b] <= value[e];
        end
      end

      if (TAKE > 1) begin : gen_turns
        // In two steps, by up to three lanes and by multiples of four.
        localparam FINE   = (SHIFT > 2) ? 2 : SHIFT;
        localparam COARSE = (SHIFT > FINE) ? SHIFT - FINE : 1;

        reg  [LANES-1:0]  column_q;
        reg  [COARSE-1:0] coarse_q;

        always @(posedge clk_i) if (piece_moves) coarse_q <= (SHIFT > FINE) ? by[SHIFT-1 -: COARSE] : {COARSE{1'b0}};

        for (e = 0; e < LANES; e = e + 1) begin : gen_from
          localparam integer     PLACE = e;
          localparam [SHIFT-1:0] ME    = PLACE[SHIFT-1:0];

          wire [SHIFT-1:0] near = ME - {{SHIFT-FINE{1'b0}}, by[FINE-1:0]};
          wire [SHIFT-1:0] far  = (SHIFT > FINE) ? ME - {coarse_q, {SHIFT-COARSE{1'b0}}} : ME;

          always @(posedge clk_i) if (piece_moves) column_q[e] <= column[near];

          assign value[e] = column_q[far];
        end
      end else if (LANES == 8) begin : gen_rotate
        // The column beside itself times a power of two: in a DSP block, because a selection takes three LUTs for each bit.
        wire [2*LANES-1:0] product = {column, column} * {{LANES{1'b0}}, power};

        assign value = product[LANES +: LANES];
        wire unused_low = &{1'b0, product};
      end else begin : gen_select
        for (e = 0; e < LANES; e = e + 1) begin : gen_from
          localparam integer     PLACE = e;
          localparam [SHIFT-1:0] ME    = PLACE[SHIFT-1:0];

          wire [SHIFT-1:0] from = (LANES == 1) ? ME : ME - by[SHIFT-1:0];

          assign value[e] = column[from];
        end
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)           piece_q <= 1'b0;
    else if (turned_moves) piece_q <= turned;
  end

  always @(posedge clk_i) if (turned_moves) info_q <= turned_info;

  // -- The beat ---------------------------------------------------------------------------------------------------

  reg              line_q;        // a beat is complete and on offer
  reg              open_q;        // a beat is begun
  reg  [5:0]       line_start_q;  // its first byte
  reg  [MEM-1:0]   data_q;
  reg  [BYTES-1:0] strobe_q;

  assign line_moves = !line_q || data_ready_i;

  wire       put        = piece_q && line_moves;
  wire [5:0] start      = begins << size;
  wire [5:0] stop       = goes_on ? 6'd63 : ((begins + {{6-LANE{1'b0}}, elements}) << size) | ~(6'd63 << size); // its last byte
  wire [5:0] line_start = open_q ? line_start_q : start;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {line_q, open_q} <= 2'd0;
    end else if (line_moves) begin
      line_q <= piece_q && completes;
      if (piece_q) open_q <= !completes || goes_on;
    end
  end

  always @(posedge clk_i) begin
    if (put) line_start_q <= goes_on ? 6'd0 : line_start;
  end

  // Sign-extended elements.
  wire [LANES*32-1:0] word;
  wire [LANES*64-1:0] long;

  generate
    for (e = 0; e < LANES; e = e + 1) begin : gen_extend
      wire [ACC-1:0] value = rotated_q[e*ACC +: ACC];

      if (ACC >= 32) begin : gen_word
        assign word[e*32 +: 32] = value[31:0];
      end else begin : gen_narrow_word
        assign word[e*32 +: 32] = {{32-ACC{value[ACC-1]}}, value};
      end
      if (ACC == 64) begin : gen_long
        assign long[e*64 +: 64] = value;
      end else begin : gen_narrow_long
        assign long[e*64 +: 64] = {{64-ACC{value[ACC-1]}}, value};
      end
    end
  endgenerate

  // All bytes from the piece's first on are written; later pieces overwrite those beyond the piece. Positions are
  // compared in two halves of three bits, which all bytes share.
  wire [7:0] start_below = 8'hFE << start[5:3];       // bit n: the upper half of the first byte's position is below n
  wire [7:0] start_at    = 8'h01 << start[5:3];       // bit n: it is n
  wire [7:0] start_low   = 8'hFF << start[2:0];       // bit n: the lower half is at most n
  wire [7:0] line_below  = 8'hFE << line_start[5:3];  // the same for the line's first byte
  wire [7:0] line_at     = 8'h01 << line_start[5:3];
  wire [7:0] line_low    = 8'hFF << line_start[2:0];
  wire [7:0] stop_above  = ~(8'hFF << stop[5:3]);     // bit n: the upper half of the last byte's position is above n
  wire [7:0] stop_at     = 8'h01 << stop[5:3];
  wire [7:0] stop_high   = ~(8'hFE << stop[2:0]);     // bit n: the lower half is at least n

  wire [BYTES-1:0] from_start;
  wire [BYTES-1:0] written;

  generate
    for (b = 0; b < BYTES; b = b + 1) begin : gen_place
      assign from_start[b] = start_below[b/8] || (start_at[b/8] && start_low[b%8]);
      assign written[b]    = (line_below[b/8] || (line_at[b/8] && line_low[b%8])) &&
                             (stop_above[b/8] || (stop_at[b/8] && stop_high[b%8]));
    end
  endgenerate

  wire unused_eighths = &{1'b0, start_below, start_at, line_below, line_at, stop_above, stop_at};

  always @(posedge clk_i) begin
    if (put) strobe_q <= written;
  end

  wire [MEM-1:0] leaves; // the beat that leaves, if it is not the one that is filled

  generate
    for (b = 0; b < BYTES; b = b + 1) begin : gen_byte
      localparam integer RB = b % RING;
      localparam integer E0 = RB % LANES;
      localparam integer E1 = (RB / 2) % LANES;
      localparam integer E2 = (RB / 4) % LANES;
      localparam integer E3 = (RB / 8) % LANES;

      // Two two-way choices take one LUT for each bit; a case takes more.
      wire [7:0] byte_d = size[1] ? (size[0] ? long[E3*64 + 8*(b%8) +: 8] : word[E2*32 + 8*(b%4) +: 8])
                                  : (size[0] ? rotated_q[E1*ACC + 8*(b%2) +: 8] : rotated_q[E0*ACC +: 8]);

      always @(posedge clk_i) begin
        if (put && (from_start[b] || goes_on)) data_q[8*b +: 8] <= byte_d;
      end

      if (TAKE == 1) begin : gen_same
        assign leaves[8*b +: 8] = data_q[8*b +: 8];
      end else begin : gen_other
        reg [7:0] leaves_q;

        always @(posedge clk_i) if (put) leaves_q <= from_start[b] ? byte_d : data_q[8*b +: 8];

        assign leaves[8*b +: 8] = leaves_q;
      end
    end
  endgenerate

  assign data_valid_o = line_q;
  assign data_o       = leaves;
  assign strobe_o     = strobe_q;

  wire unused = &{1'b0, burst_left[10], by, power, long, word, more_q};

  tulle_assert #(
    .MESSAGE ("both registers of readiness say the same")
  ) u_ready_is_room (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (chunk_room_o == chunk_ready_o)
  );

  tulle_stream_check #(
    .WIDTH (23)
  ) u_burst_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (burst_valid_i),
    .ready_i (burst_ready_o),
    .data_i  ({burst_low_i, burst_bytes_i, burst_element_i})
  );

  tulle_stream_check #(
    .WIDTH (LANES*ACC + 1 + BANK)
  ) u_chunk_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !pair_i),
    .valid_i (chunk_valid_i),
    .ready_i (chunk_ready_o),
    .data_i  ({chunk_more_i, pair_i, chunk_i & ({LANES*ACC{1'b1}} >> (pair_i && LANES > 2 ? (LANES-2)*ACC : 0))})
  );

endmodule

`default_nettype wire
