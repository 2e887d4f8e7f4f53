// SPDX-License-Identifier: Apache-2.0
//
// tulle_bitmap: makes the entries of bitmap packets of masks and weights, behind the reads of a distribution unit.
//
// Ports
//   clk_i, rst_ni               clock, synchronous reset
//   valid_i, ready_o, last_i    a beat of a packet, and whether it is the packet's last one
//   bitmap_i, masks_i           its packet is a bitmap, whose segments have masks_i masks, ENTRIES to MASKS
//   beat_i                      entries; of a bitmap their lower bytes are masks and weights
//   side_i                      what goes with the beat
//   valid_o, ready_i, last_o,   the beat, in which bytes of a bitmap have become entries
//   beat_o, side_o
//   idle_o                      there is no beat
//
// Parameters
//   BUS                         bits of a beat
//   PES, ENTRIES                PEs of a cluster, and entries of each in a beat
//   MASKS                       most masks of a segment, a power of two
//   SIDE                        bits of side_i
//
// Latency: two cycles, and a beat every cycle. The first stage tells masks from weights: it counts the weights that are
// still to come. The second one makes gaps of the mask of these weights, and counts the masks of a segment. In both, a
// byte of a PE depends on those before it in the beat, so paths grow with ENTRIES. ready_o depends on ready_i in the
// same cycle.

`default_nettype none

module tulle_bitmap #(
  parameter BUS     = 256,
  parameter PES     = 8,
  parameter ENTRIES = 2,
  parameter MASKS   = 512,
  parameter SIDE    = 8
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   valid_i,
  output wire                   ready_o,
  input  wire                   last_i,
  input  wire                   bitmap_i,
  input  wire [$clog2(MASKS):0] masks_i,
  input  wire [BUS-1:0]         beat_i,
  input  wire [SIDE-1:0]        side_i,

  output wire                   valid_o,
  input  wire                   ready_i,
  output wire                   last_o,
  output wire [BUS-1:0]         beat_o,
  output wire [SIDE-1:0]        side_o,

  output wire                   idle_o
);

  localparam COUNT = $clog2(MASKS);
  localparam SOME  = $clog2(ENTRIES + 1);
  localparam [7:0] SKIP = 8'h7F; // a gap of all ones; payload 0 is the kind skip
  localparam [ENTRIES:0] NONE = {{ENTRIES{1'b0}}, 1'b1};

  tulle_require #(
    .LEGAL   (BUS >= 16 * PES * ENTRIES && ENTRIES >= 1 && MASKS >= 2 && MASKS == 1 << COUNT && MASKS >= ENTRIES),
    .MESSAGE ("tulle_bitmap: a beat has ENTRIES entries of 16 bits of each PE, and MASKS is a power of two, at least ENTRIES")
  ) u_require_entries_in_a_beat_and_a_power_of_two_of_masks ();

  reg [1:0]      valid_q;
  reg [1:0]      last_q;
  reg [BUS-1:0]  beat_first_q, beat_second_q;
  reg [SIDE-1:0] side_first_q, side_second_q;
  reg            bitmap_q;

  wire [BUS-1:0] beat_d; // of the second stage

  wire move = !valid_q[1] || ready_i;

  always @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 2'b00;
    else if (move) valid_q <= {valid_q[0], valid_i};
  end

  always @(posedge clk_i) begin
    if (move) begin
      last_q        <= {last_q[0], last_i};
      beat_first_q  <= beat_i;
      beat_second_q <= beat_d;
      side_first_q  <= side_i;
      side_second_q <= side_first_q;
      bitmap_q      <= bitmap_i;
    end
  end

  assign ready_o = move;
  assign valid_o = valid_q[1];
  assign last_o  = last_q[1];
  assign beat_o  = beat_second_q;
  assign side_o  = side_second_q;
  assign idle_o  = valid_q == 2'b00;

  genvar p, e;

  generate
    // Masks of the segment that are complete before the last one, less those that bytes of the beat complete.
    for (e = 0; e < ENTRIES; e = e + 1) begin : gen_limit
      localparam integer LESS = 1 + e;
      reg  [COUNT-1:0] limit_q;
      wire [COUNT:0]   limit = masks_i - LESS[COUNT:0];

      always @(posedge clk_i) if (move) limit_q <= limit[COUNT-1:0];

      wire unused_limit = limit[COUNT];
    end

    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      // What the bytes before the beat leave.
      reg [3:0]       left_q;   // weights of the mask that are still to come, of the first stage
      reg [7:0]       rest_q;   // bits of the mask whose weights are still to come, of the second stage
      reg [3:0]       offset_q; // from the number of a bit to its gap
      reg             begun_q;  // masks of the segment are complete
      reg [COUNT-1:0] count_q;  // so many

      wire [ENTRIES-1:0] reached; // count_q and so many masks are all but the last of the segment

      for (e = 0; e < ENTRIES; e = e + 1) begin : gen_reached
        assign reached[e] = count_q == gen_limit[e].limit_q;
      end

      for (e = 0; e < ENTRIES; e = e + 1) begin : gen_byte
        localparam LANE = 16 * (p * ENTRIES + e);

        // -- Masks and weights -------------------------------------------------------------------------------

        wire [3:0] left;
        wire [7:0] coming = beat_i[LANE +: 8];
        wire       masks  = left == 4'd0;
        wire [3:0] ones   = {3'd0, coming[0]} + {3'd0, coming[1]} + {3'd0, coming[2]} + {3'd0, coming[3]} +
                            {3'd0, coming[4]} + {3'd0, coming[5]} + {3'd0, coming[6]} + {3'd0, coming[7]};
        wire [3:0] left_d = masks ? ones : left - 4'd1;
        reg        mask_q;
        reg        empty_q; // a mask of 0
        reg        final_q; // the last weight of a mask

        always @(posedge clk_i) begin
          if (move) begin
            mask_q  <= masks;
            empty_q <= masks && coming == 8'd0;
            final_q <= left == 4'd1;
          end
        end

        // -- Gaps and ends of segments -----------------------------------------------------------------------

        wire [7:0]         rest;
        wire [3:0]         offset;
        wire               begun;
        wire               ended; // a byte of the beat has ended a segment
        wire [ENTRIES-1:0] some;  // masks that bytes of the beat have completed, one-hot; of the last segment
        wire [7:0]         lowest;
        wire [2:0]         place;

        tulle_lowest #(
          .PORTS (8)
        ) u_lowest (
          .mask_i   (rest),
          .lowest_o (lowest),
          .index_o  (place)
        );

        // An empty mask is a weight of 0 in its last place, but where a segment begins.
        wire [15:0] entry    = beat_first_q[LANE +: 16];
        wire        stored   = empty_q && begun;
        wire        complete = final_q || stored;
        wire        last     = complete && !ended && (some & reached) != {ENTRIES{1'b0}};
        wire [3:0]  gap      = (mask_q ? 4'd7 : {1'b0, place}) + offset;
        wire [7:0]  index    = (mask_q && !stored) ? SKIP : {last, 3'd0, gap};

        assign beat_d[LANE +: 16] = bitmap_q ? {index, entry[7:0] & {8{!mask_q}}} : entry;

        wire [7:0]         rest_d   = mask_q ? entry[7:0] : rest & ~lowest;
        wire [3:0]         offset_d = (last || empty_q) ? 4'd0 : mask_q ? offset : {!final_q, ~place};
        wire               begun_d  = (begun || complete) && !last;
        wire               ended_d  = ended || last;
        wire [ENTRIES:0]   some_d   = last ? NONE : complete ? {some, 1'b0} : {1'b0, some};

        wire unused_some = some_d[ENTRIES]; // only of the last byte it may be set

        if (e == 0) begin : gen_first
          assign left   = left_q;
          assign rest   = rest_q;
          assign offset = offset_q;
          assign begun  = begun_q;
          assign ended  = 1'b0;
          assign some   = NONE[ENTRIES-1:0];
        end else begin : gen_next
          assign left   = gen_byte[e-1].left_d;
          assign rest   = gen_byte[e-1].rest_d;
          assign offset = gen_byte[e-1].offset_d;
          assign begun  = gen_byte[e-1].begun_d;
          assign ended  = gen_byte[e-1].ended_d;
          assign some   = gen_byte[e-1].some_d[ENTRIES-1:0];
        end
      end

      wire [ENTRIES:0]      lowest; // one-hot, as it was
      wire [SOME-1:0]       some;
      wire [COUNT+SOME-1:0] count_d = {{SOME{1'b0}}, gen_byte[ENTRIES-1].ended_d ? {COUNT{1'b0}} : count_q} +
                                      {{COUNT{1'b0}}, some};

      tulle_lowest #(
        .PORTS (ENTRIES + 1)
      ) u_some (
        .mask_i   (gen_byte[ENTRIES-1].some_d),
        .lowest_o (lowest),
        .index_o  (some)
      );

      always @(posedge clk_i) begin
        if (!rst_ni || (valid_i && move && last_i)) left_q <= 4'd0;
        else if (valid_i && move) left_q <= gen_byte[ENTRIES-1].left_d;
        if (!rst_ni || (valid_q[0] && move && last_q[0])) begin
          rest_q   <= 8'd0;
          offset_q <= 4'd0;
          begun_q  <= 1'b0;
          count_q  <= {COUNT{1'b0}};
        end else if (valid_q[0] && move) begin
          rest_q   <= gen_byte[ENTRIES-1].rest_d;
          offset_q <= gen_byte[ENTRIES-1].offset_d;
          begun_q  <= gen_byte[ENTRIES-1].begun_d;
          count_q  <= count_d[COUNT-1:0];
        end
      end

      wire unused_pe = &{1'b0, lowest, count_d};
    end

    if (16 * PES * ENTRIES < BUS) begin : gen_rest
      assign beat_d[BUS-1:16*PES*ENTRIES] = beat_first_q[BUS-1:16*PES*ENTRIES];
    end
  endgenerate

endmodule

`default_nettype wire
