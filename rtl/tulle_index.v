// SPDX-License-Identifier: Apache-2.0
//
// tulle_index: the index comparator's first half. Turns the gaps of a word's entries into addresses of the input
// buffer: the MAC's address plus the position in the segment, modulo wrap. The other half is the input buffer,
// which has a copy for each entry of a word and says which activations are not zero.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   valid_i                       a word was read from the weight queue: it is at word_i in the next cycle
//   first_i, end_i, lanes_i       the MAC's first word, its last one, the entries that belong to it
//   tag_i                         goes with the word
//   address_i, wrap_i             of the MAC
//   word_i                        the entries, a cycle after valid_i
//   read_o, address_o             of each entry: for the input buffer, whose data come in the next cycle
//   valid_o, end_o, tag_o         the word, LATENCY cycles after valid_i, together with the input buffer's data
//   weights_o, values_o           which entries are weights; their values
//   error_o                       one cycle: a weight's position is not below wrap
//
// Parameters
//   DATA_WIDTH, INDEX_WIDTH       of an entry
//   SCAN                          entries of a word
//   DEPTH                         of the input buffer
//   TAG                           bits of tag_i
//
// Stages: word, entries, (pairs, when SCAN is 4,) positions, wrap and read, data.

`default_nettype none

`include "tulle_isa.vh"

module tulle_index #(
  parameter DATA_WIDTH  = 8,
  parameter INDEX_WIDTH = 8,
  parameter SCAN        = 2,
  parameter DEPTH       = 4096,
  parameter TAG         = 1
) (
  input  wire                           clk_i,
  input  wire                           rst_ni,

  input  wire                           valid_i,
  input  wire                           first_i,
  input  wire                           end_i,
  input  wire [SCAN-1:0]                lanes_i,
  input  wire [TAG-1:0]                 tag_i,
  input  wire [$clog2(DEPTH)-1:0]       address_i,
  input  wire [$clog2(DEPTH):0]         wrap_i,
  input  wire [SCAN*(DATA_WIDTH+INDEX_WIDTH)-1:0] word_i,

  output wire                           read_o,
  output wire [SCAN*$clog2(DEPTH)-1:0]  address_o,

  output wire                           valid_o,
  output wire                           end_o,
  output wire [TAG-1:0]                 tag_o,
  output wire [SCAN-1:0]                weights_o,
  output wire [SCAN*DATA_WIDTH-1:0]     values_o,

  output wire                           error_o
);

  localparam ENTRY = DATA_WIDTH + INDEX_WIDTH;
  localparam ADDR  = $clog2(DEPTH);
  localparam COUNT = DATA_WIDTH - 3;
  localparam UNIT  = INDEX_WIDTH - 2;       // bits that a jump's payload is shifted by
  localparam STEP  = ADDR + 1;              // bits of an advance; larger ones are as good as the largest
  localparam PAD   = (SCAN > 1) ? $clog2(SCAN) : 1;
  localparam SUM   = STEP + PAD + 1;        // of a base and SCAN advances
  localparam PLACE = ADDR + 1;              // bits of an address before it is taken modulo wrap
  localparam SIDE  = 2 + SCAN + TAG;        // first, end, lanes, tag

  // -- Stage 1: the word comes out of the weight queue --------------------------------------------------------
  // -- Stage 2: it is in a register: memories are slow ---------------------------------------------------------

  reg                  valid_1_q;
  reg                  valid_2_q;
  reg [SIDE-1:0]       side_1_q;
  reg [SIDE-1:0]       side_2_q;
  reg [SCAN*ENTRY-1:0] word_2_q;

  // The MAC's operands change only with its first word; they follow it stage by stage.
  reg [ADDR-1:0]       address_1_q;
  reg [ADDR:0]         wrap_1_q;
  reg [ADDR-1:0]       address_2_q;
  reg [ADDR:0]         wrap_2_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_1_q   <= 1'b0;
      valid_2_q   <= 1'b0;
      side_2_q    <= {SIDE{1'b0}};
      address_2_q <= {ADDR{1'b0}};
      wrap_2_q    <= {ADDR+1{1'b0}};
    end else begin
      valid_1_q   <= valid_i;
      valid_2_q   <= valid_1_q;
      // With a reset they are registers; without, synthesis takes LUTs as shift registers.
      side_2_q    <= side_1_q;
      address_2_q <= address_1_q;
      wrap_2_q    <= wrap_1_q;
    end
  end

  always @(posedge clk_i) begin
    side_1_q    <= {first_i, end_i, lanes_i, tag_i};
    address_1_q <= address_i;
    wrap_1_q    <= wrap_i;
    word_2_q    <= word_i;
  end

  // -- Stage 2: entry by entry: how far it advances the position, and where in it the weight is ----------------

  wire [SCAN-1:0]      lanes_2 = side_2_q[TAG +: SCAN];
  wire [SCAN-1:0]      weights_2;
  wire [SCAN*STEP-1:0] gaps_2;
  wire [SCAN*STEP-1:0] steps_2;

  genvar l;
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_entry
      wire [ENTRY-2:0] entry  = word_2_q[l*ENTRY +: ENTRY-1]; // but for the flag of the last one
      wire [INDEX_WIDTH-2:0] gap = entry[ENTRY-2:DATA_WIDTH];
      wire             escape = &gap;
      wire             jump   = escape && entry[DATA_WIDTH-1 -: 3] == `TULLE_ESCAPE_JUMP;

      wire [COUNT:0]      units = {1'b0, entry[COUNT-1:0]} + 1'b1;
      wire [COUNT+UNIT:0] jumps = {units, {UNIT{1'b0}}};
      wire [STEP-1:0]     leap;
      if (COUNT + UNIT + 1 > STEP) begin : gen_far
        assign leap = (|jumps[COUNT+UNIT:STEP]) ? {{STEP-1{1'b1}}, 1'b0} : jumps[STEP-1:0];
      end else if (COUNT + UNIT + 1 < STEP) begin : gen_near
        assign leap = {{STEP-COUNT-UNIT-1{1'b0}}, jumps};
      end else begin : gen_just
        assign leap = jumps;
      end

      wire [INDEX_WIDTH-1:0] behind = {1'b0, gap} + 1'b1;
      wire [STEP-1:0]        step;
      if (INDEX_WIDTH > STEP) begin : gen_far_gap
        assign step = (|behind[INDEX_WIDTH-1:STEP]) ? {{STEP-1{1'b1}}, 1'b0} : behind[STEP-1:0];
        assign gaps_2[l*STEP +: STEP] = (|gap[INDEX_WIDTH-2:STEP-1]) ? {{STEP-1{1'b1}}, 1'b0} : gap[STEP-1:0];
      end else begin : gen_near_gap
        assign step = {{STEP-INDEX_WIDTH{1'b0}}, behind};
        assign gaps_2[l*STEP +: STEP] = {{STEP-INDEX_WIDTH+1{1'b0}}, gap};
      end

      assign weights_2[l] = lanes_2[l] && !escape;
      assign steps_2[l*STEP +: STEP] = !lanes_2[l] ? {STEP{1'b0}} : !escape ? step : jump ? leap : {STEP{1'b0}};
    end
  endgenerate

  // -- Offsets within the word, and its length: one stage, or two for four entries ------------------------------

  reg                 valid_3_q;
  reg [SIDE-1:0]      side_3_q;
  reg [ADDR-1:0]      address_3_q;
  reg [ADDR:0]        wrap_3_q;
  reg [SCAN-1:0]      weights_3_q;
  reg [SCAN*DATA_WIDTH-1:0] values_3_q;
  reg [SCAN*PLACE-1:0] offsets_3_q;
  reg [ADDR+1:0]      limit_3_q;   // address + wrap: no position is as far as that
  reg [SUM-1:0]       length_3_q;

  wire [SCAN*DATA_WIDTH-1:0] values_2;
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_value
      assign values_2[l*DATA_WIDTH +: DATA_WIDTH] = word_2_q[l*ENTRY +: DATA_WIDTH];
    end

    if (SCAN == 1) begin : gen_offsets_of_1
      always @(posedge clk_i) begin
        valid_3_q   <= rst_ni && valid_2_q;
        side_3_q    <= side_2_q;
        address_3_q <= address_2_q;
        wrap_3_q    <= wrap_2_q;
        limit_3_q   <= {2'b0, address_2_q} + {1'b0, wrap_2_q};
        weights_3_q <= weights_2;
        values_3_q  <= values_2;
        offsets_3_q <= gaps_2;
        length_3_q  <= {{PAD+1{1'b0}}, steps_2};
      end
    end else if (SCAN == 2) begin : gen_offsets_of_2
      always @(posedge clk_i) begin
        valid_3_q   <= rst_ni && valid_2_q;
        side_3_q    <= side_2_q;
        address_3_q <= address_2_q;
        wrap_3_q    <= wrap_2_q;
        limit_3_q   <= {2'b0, address_2_q} + {1'b0, wrap_2_q};
        weights_3_q <= weights_2;
        values_3_q  <= values_2;
        offsets_3_q <= {steps_2[0 +: STEP] + gaps_2[STEP +: STEP], gaps_2[0 +: STEP]};
        length_3_q  <= {{PAD+1{1'b0}}, steps_2[0 +: STEP]} + {{PAD+1{1'b0}}, steps_2[STEP +: STEP]};
      end
    end else begin : gen_offsets_of_4
      reg                 valid_q;
      reg [SIDE-1:0]      side_q;
      reg [ADDR-1:0]      address_q;
      reg [ADDR:0]        wrap_q;
      reg [ADDR+1:0]      limit_q;
      reg [SCAN-1:0]      weights_q;
      reg [SCAN*DATA_WIDTH-1:0] values_q;
      reg [STEP-1:0]      offset_0_q; // from the start of the first pair
      reg [STEP-1:0]      offset_1_q;
      reg [STEP-1:0]      offset_2_q; // from the start of the second pair
      reg [STEP-1:0]      offset_3_q;
      reg [STEP:0]        pair_0_q;
      reg [STEP:0]        pair_1_q;
      always @(posedge clk_i) begin
        valid_q     <= rst_ni && valid_2_q;
        side_q      <= side_2_q;
        address_q   <= address_2_q;
        wrap_q      <= wrap_2_q;
        limit_q     <= {2'b0, address_2_q} + {1'b0, wrap_2_q};
        weights_q   <= weights_2;
        values_q    <= values_2;
        offset_0_q  <= gaps_2[0 +: STEP];
        offset_1_q  <= steps_2[0 +: STEP] + gaps_2[STEP +: STEP];
        pair_0_q    <= {1'b0, steps_2[0 +: STEP]} + {1'b0, steps_2[STEP +: STEP]};
        offset_2_q  <= gaps_2[2*STEP +: STEP];
        offset_3_q  <= steps_2[2*STEP +: STEP] + gaps_2[3*STEP +: STEP];
        pair_1_q    <= {1'b0, steps_2[2*STEP +: STEP]} + {1'b0, steps_2[3*STEP +: STEP]};
        valid_3_q   <= rst_ni && valid_q;
        side_3_q    <= side_q;
        address_3_q <= address_q;
        wrap_3_q    <= wrap_q;
        limit_3_q   <= limit_q;
        weights_3_q <= weights_q;
        values_3_q  <= values_q;
        offsets_3_q <= {pair_0_q[STEP-1:0] + offset_3_q, pair_0_q[STEP-1:0] + offset_2_q, offset_1_q, offset_0_q};
        length_3_q  <= {{PAD{1'b0}}, pair_0_q} + {{PAD{1'b0}}, pair_1_q};
      end
    end
  endgenerate

  // -- Stage 3: address plus position --------------------------------------------------------------------------

  reg                 valid_4_q;
  reg [SIDE-1:0]      side_4_q;
  reg [ADDR:0]        wrap_4_q;
  reg [SCAN-1:0]      weights_4_q;
  reg [SCAN*DATA_WIDTH-1:0] values_4_q;
  reg [SCAN*PLACE-1:0] places_4_q;
  reg [SUM-1:0]       base_q;   // where the next word begins
  reg                 beyond_q; // it is beyond any legal place, and stays there
  reg                 outside_4_q;

  wire           first_3 = side_3_q[SIDE-1];
  wire [SUM-1:0] base_d;
  wire           beyond  = base_d[SUM-1] || (beyond_q && !first_3);

  tulle_sum #(
    .WIDTH (SUM)
  ) u_base (
    .zero_i   (1'b0),
    .second_i (first_3),
    .a_i      (base_q),
    .b_i      ({{SUM-ADDR{1'b0}}, address_3_q}),
    .c_i      (length_3_q),
    .carry_i  (1'b0),
    .sum_o    (base_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_4_q   <= 1'b0;
      wrap_4_q    <= {ADDR+1{1'b0}};
      side_4_q    <= {SIDE{1'b0}};
      outside_4_q <= 1'b0;
    end else begin
      valid_4_q   <= valid_3_q;
      wrap_4_q    <= wrap_3_q;
      side_4_q    <= side_3_q;
      // Positions ascend, so the word is in order when what comes behind it may be.
      outside_4_q <= valid_3_q && weights_3_q != {SCAN{1'b0}} && (beyond || base_d > {{SUM-ADDR-2{1'b0}}, limit_3_q});
    end
  end

  always @(posedge clk_i) begin
    weights_4_q <= weights_3_q;
    values_4_q  <= values_3_q;
    if (valid_3_q) begin
      base_q   <= base_d;
      beyond_q <= beyond;
    end
  end

  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_place
      wire [PLACE-1:0] place;
      tulle_sum #(
        .WIDTH (PLACE)
      ) u_place (
        .zero_i   (1'b0),
        .second_i (first_3),
        .a_i      (base_q[PLACE-1:0]),
        .b_i      ({1'b0, address_3_q}),
        .c_i      (offsets_3_q[l*PLACE +: PLACE]),
        .carry_i  (1'b0),
        .sum_o    (place)
      );
      always @(posedge clk_i) begin
        places_4_q[l*PLACE +: PLACE] <= place;
      end
    end
  endgenerate

  // -- Stage 4: modulo wrap, and the read ----------------------------------------------------------------------

  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_wrap
      wire [PLACE-1:0] place   = places_4_q[l*PLACE +: PLACE];
      wire [PLACE:0]   lowered = {1'b0, place} - {1'b0, wrap_4_q};
      assign address_o[l*ADDR +: ADDR] = lowered[PLACE] ? place[ADDR-1:0] : lowered[ADDR-1:0];
      wire unused_place = &{1'b0, lowered};
    end
  endgenerate

  reg             valid_5_q;
  reg             end_5_q;
  reg [TAG-1:0]   tag_5_q;
  reg [SCAN-1:0]  weights_5_q;
  reg [SCAN*DATA_WIDTH-1:0] values_5_q;
  reg             error_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_5_q <= 1'b0;
      error_q   <= 1'b0;
    end else begin
      valid_5_q <= valid_4_q;
      error_q   <= outside_4_q;
    end
  end

  always @(posedge clk_i) begin
    end_5_q     <= side_4_q[SIDE-2];
    tag_5_q     <= side_4_q[TAG-1:0];
    weights_5_q <= weights_4_q;
    values_5_q  <= values_4_q;
  end

  assign read_o    = valid_4_q;
  assign valid_o   = valid_5_q;
  assign end_o     = end_5_q;
  assign tag_o     = tag_5_q;
  assign weights_o = weights_5_q;
  assign values_o  = values_5_q;
  assign error_o   = error_q;

  // The flag of the last entry was looked at when the word came.
  wire unused = &{1'b0, side_4_q, word_2_q};

endmodule

`default_nettype wire
