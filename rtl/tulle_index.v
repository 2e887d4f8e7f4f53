// SPDX-License-Identifier: Apache-2.0
//
// tulle_index: the first half of the index comparator. It turns the gaps of a word's entries into input-buffer
// addresses: the MAC's address plus the position in the segment, modulo wrap. The second half is the input buffer,
// which has a copy for each entry of a word and tells which activations are non-zero.
//
// A place is address plus position minus wrap: it is negative while the address has not reached wrap. The stages are:
// word, entries, (pairs, if SCAN is 4,) places, wrap and read, data, registered data.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   valid_i                       a word is read from the weight queue; word_i is valid in the next cycle
//   first_i, end_i, lanes_i       whether the word is the MAC's first, its last, and which entries belong to the MAC
//   tag_i                         is delayed with the word
//   address_i, wrap_i, base_i     operands of the MAC; base_i is address_i - wrap_i
//   word_i, moves_i, weights_i    the entries, a cycle after valid_i; which entries are a weight or a jump; which are
//                                 a weight
//   read_o, address_o             read of the input buffer for each entry; its data come two cycles later
//   valid_o, end_o, tag_o         the word, together with the input buffer's data
//   weights_o, values_o           which entries are weights, and their values
//   factors_o                     which entries are weights that are multiplied
//   error_o                       one cycle: the position of a weight is not below wrap
//
// Parameters
//   DATA_WIDTH, INDEX_WIDTH       of an entry
//   SCAN                          entries of a word
//   DEPTH                         of the input buffer
//   TAG                           bits of tag_i
//   LONG_JUMPS                    1: a jump with the flag of a last entry has its distance in all bits of its value
//   PASS_ZEROS                    1: weights of 0 are not multiplied; 0: all weights are
//
// Stages: word, entries, (pairs, when SCAN is 4,) places, wrap and read, data, data in a register.

`default_nettype none

module tulle_index #(
  parameter DATA_WIDTH  = 8,
  parameter INDEX_WIDTH = 8,
  parameter SCAN        = 2,
  parameter DEPTH       = 4096,
  parameter TAG         = 1,
  parameter LONG_JUMPS  = 0,
  parameter PASS_ZEROS  = 0
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
  input  wire [$clog2(DEPTH):0]         base_i,
  input  wire [SCAN*(DATA_WIDTH+INDEX_WIDTH)-1:0] word_i,
  input  wire [SCAN-1:0]                moves_i,
  input  wire [SCAN-1:0]                weights_i,

  output wire                           read_o,
  output wire [SCAN*$clog2(DEPTH)-1:0]  address_o,

  output wire                           valid_o,
  output wire                           end_o,
  output wire [TAG-1:0]                 tag_o,
  output wire [SCAN-1:0]                weights_o,
  output wire [SCAN*DATA_WIDTH-1:0]     values_o,
  output wire [SCAN-1:0]                factors_o,

  output wire                           error_o
);

  localparam ENTRY = DATA_WIDTH + INDEX_WIDTH;
  localparam ADDR  = $clog2(DEPTH);
  localparam COUNT = DATA_WIDTH - 3;
  localparam UNIT  = INDEX_WIDTH - 2;       // shift of a jump's payload
  localparam FULL  = UNIT + (LONG_JUMPS != 0 ? 1 + DATA_WIDTH : COUNT); // bits of an entry's step, minus one
  localparam STEP  = (FULL < ADDR) ? FULL : ADDR; // bits of a legal step
  localparam PAD   = (SCAN > 1) ? $clog2(SCAN) : 0;
  localparam OFF   = STEP + PAD;            // bits of the distance from the beginning of a word
  localparam WIDE  = ((OFF > ADDR) ? OFF : ADDR) + 2; // bits of a signed place, including illegal places
  localparam SIDE  = 2 + TAG;
  localparam LAST  = SCAN - 1;

  // -- Stage 1: the word comes out of the weight queue --------------------------------------------------------

  reg                  valid_1_q;
  reg                  valid_2_q;
  reg                  first_1_q;
  reg                  end_1_q;
  reg [SCAN-1:0]       lanes_1_q;
  reg [TAG-1:0]        tag_1_q;
  reg [SIDE-1:0]       side_2_q;   // first, end, tag

  // The MAC's operands change only with its first word and follow it through the stages.
  localparam OPERANDS = 3 * ADDR + 2;
  reg [OPERANDS-1:0]   operands_1_q;
  reg [OPERANDS-1:0]   operands_2_q;

  // Registers with a reset stay registers; without one, synthesis would build shift registers of LUTs. The same holds
  // throughout this module.
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_1_q, valid_2_q} <= 2'd0;
      side_2_q     <= {SIDE{1'b0}};
      operands_2_q <= {OPERANDS{1'b0}};
    end else begin
      valid_1_q    <= valid_i;
      valid_2_q    <= valid_1_q;
      side_2_q     <= {first_1_q, end_1_q, tag_1_q};
      operands_2_q <= operands_1_q;
    end
  end

  always @(posedge clk_i) begin
    first_1_q    <= first_i;
    end_1_q      <= end_i;
    lanes_1_q    <= lanes_i;
    tag_1_q      <= tag_i;
    operands_1_q <= {base_i, wrap_i, address_i};
  end

  // -- Stage 2: how far each entry advances the position, minus one, and whether it does ------------------------

  reg  [SCAN-1:0]      weights_2_q;
  reg  [SCAN-1:0]      moves_2_q;  // a weight or a jump
  wire [SCAN-1:0]      far_2;    // the step is beyond any legal place
  wire [SCAN*STEP-1:0] steps_2;
  reg  [SCAN*DATA_WIDTH-1:0] values_2_q;

  genvar l;
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_entry
      wire [DATA_WIDTH-1:0]  value  = word_i[l*ENTRY +: DATA_WIDTH];
      wire [INDEX_WIDTH-2:0] gap    = word_i[l*ENTRY+DATA_WIDTH +: INDEX_WIDTH-1];
      wire                   moves  = lanes_1_q[l] && moves_i[l];
      wire                   weight = weights_i[l];
      reg  [FULL-1:0]        step_q;

      // A long jump's units are twice as large, so all bits of its gap are correct, too.
      wire                   leap;
      wire [FULL-UNIT-2:0]   units;
      if (LONG_JUMPS != 0) begin : gen_long
        assign leap  = word_i[l*ENTRY+ENTRY-1] && !weight;
        assign units = leap ? value : {{DATA_WIDTH-COUNT+1{1'b0}}, value[COUNT-1:1]};
      end else begin : gen_short
        assign leap  = 1'b0;
        assign units = value[COUNT-1:1];
      end

      // A jump advances by payload + 1 units. All bits of an escape's gap are 1, so the lower bits are correct for a
      // jump. The registers' reset clears the bits that are 0 for other entries, at no cost.
      always @(posedge clk_i) begin
        values_2_q[l*DATA_WIDTH +: DATA_WIDTH] <= value;
        if (!lanes_1_q[l]) {weights_2_q[l], moves_2_q[l]} <= 2'b00;
        else               {weights_2_q[l], moves_2_q[l]} <= {weights_i[l], moves_i[l]};
        if (!moves) step_q[UNIT:0] <= {UNIT+1{1'b0}};
        else        step_q[UNIT:0] <= {weight || leap ? gap[UNIT] : value[0], gap[UNIT-1:0]};
        if (!moves || weight) step_q[FULL-1:UNIT+1] <= {FULL-UNIT-1{1'b0}};
        else                  step_q[FULL-1:UNIT+1] <= units;
      end

      assign steps_2[l*STEP +: STEP] = step_q[STEP-1:0];
      if (FULL > STEP) begin : gen_far
        assign far_2[l] = |step_q[FULL-1:STEP];
      end else begin : gen_near
        assign far_2[l] = 1'b0;
      end
    end
  endgenerate

  // -- Distances within the word: one stage, or two for four entries ---------------------------------------------

  localparam WITH = 3 + SIDE + OPERANDS + SCAN + SCAN * DATA_WIDTH; // signals that are delayed along

  wire [WITH-1:0]     with_2 = {valid_2_q, far_2 != {SCAN{1'b0}}, moves_2_q[LAST], side_2_q, operands_2_q, weights_2_q,
                                values_2_q};
  reg [WITH-1:0]      with_3_q;
  reg [SCAN*OFF-1:0]  offsets_3_q;

  generate
    if (SCAN == 1) begin : gen_offsets_of_1
      always @(posedge clk_i) begin
        if (!rst_ni) with_3_q <= {WITH{1'b0}};
        else         with_3_q <= with_2;
        offsets_3_q <= steps_2;
      end
    end else if (SCAN == 2) begin : gen_offsets_of_2
      wire [OFF-1:0] pair;

      tulle_sum #(
        .WIDTH (OFF)
      ) u_pair (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      ({1'b0, steps_2[0 +: STEP]}),
        .b_i      ({OFF{1'b0}}),
        .c_i      ({1'b0, steps_2[STEP +: STEP]}),
        .carry_i  (moves_2_q[0]),
        .sum_o    (pair)
      );

      always @(posedge clk_i) begin
        if (!rst_ni) with_3_q <= {WITH{1'b0}};
        else         with_3_q <= with_2;
        offsets_3_q <= {pair, 1'b0, steps_2[0 +: STEP]};
      end
    end else begin : gen_offsets_of_4
      reg [WITH-1:0]    with_q;
      reg [1:0]         moves_q; // moves of entries 1 and 2
      reg [2*STEP-1:0]  steps_q; // steps of entries 0 and 2
      reg [2*STEP+1:0]  pairs_q;
      wire [2*STEP+1:0] pairs;
      wire [OFF-1:0]    third;
      wire [OFF-1:0]    fourth;

      for (l = 0; l < 2; l = l + 1) begin : gen_pair
        tulle_sum #(
          .WIDTH (STEP + 1)
        ) u_pair (
          .zero_i   (1'b0),
          .second_i (1'b0),
          .a_i      ({1'b0, steps_2[2*l*STEP +: STEP]}),
          .b_i      ({STEP+1{1'b0}}),
          .c_i      ({1'b0, steps_2[(2*l+1)*STEP +: STEP]}),
          .carry_i  (moves_2_q[2*l]),
          .sum_o    (pairs[l*(STEP+1) +: STEP+1])
        );
      end

      tulle_sum #(
        .WIDTH (OFF)
      ) u_third (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      ({1'b0, pairs_q[0 +: STEP+1]}),
        .b_i      ({OFF{1'b0}}),
        .c_i      ({2'b0, steps_q[STEP +: STEP]}),
        .carry_i  (moves_q[0]),
        .sum_o    (third)
      );

      tulle_sum #(
        .WIDTH (OFF)
      ) u_fourth (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      ({1'b0, pairs_q[0 +: STEP+1]}),
        .b_i      ({OFF{1'b0}}),
        .c_i      ({1'b0, pairs_q[STEP+1 +: STEP+1]}),
        .carry_i  (moves_q[0]),
        .sum_o    (fourth)
      );

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          with_q   <= {WITH{1'b0}};
          with_3_q <= {WITH{1'b0}};
        end else begin
          with_q   <= with_2;
          with_3_q <= with_q;
        end
      end

      always @(posedge clk_i) begin
        moves_q     <= moves_2_q[2:1];
        steps_q     <= {steps_2[2*STEP +: STEP], steps_2[0 +: STEP]};
        pairs_q     <= pairs;
        offsets_3_q <= {fourth, third, 1'b0, pairs_q[0 +: STEP+1], 2'b0, steps_q[0 +: STEP]};
      end

      wire unused_moves = &{1'b0, moves_q[1]};
    end
  endgenerate

  // -- Stage 3: places -----------------------------------------------------------------------------------------

  wire                 valid_3;
  wire                 far_3;
  wire                 moves_3; // whether the last entry moves
  wire [SIDE-1:0]      side_3;
  wire [ADDR:0]        base_3;
  wire [ADDR:0]        wrap_3;
  wire [ADDR-1:0]      address_3;
  wire [SCAN-1:0]      weights_3;
  wire [SCAN*DATA_WIDTH-1:0] values_3;
  wire                 first_3 = side_3[SIDE-1];

  assign {valid_3, far_3, moves_3, side_3, base_3, wrap_3, address_3, weights_3, values_3} = with_3_q;

  reg                  valid_4_q;
  reg                  far_4_q;
  reg                  moves_4_q;  // whether the last entry of the last word moves
  reg                  end_4_q;
  reg [TAG-1:0]        tag_4_q;
  reg [ADDR:0]         wrap_4_q;
  reg [ADDR-1:0]       address_4_q;
  reg [SCAN-1:0]       weights_4_q;
  reg [SCAN*DATA_WIDTH-1:0] values_4_q;
  reg [WIDE-1:0]       last_4_q;   // place of the last entry; the next word begins there, or one further if moves_4_q
  wire [SCAN*ADDR+SCAN-1:0] places_4; // places of all entries

  wire [WIDE-1:0]      last_d;

  tulle_sum #(
    .WIDTH (WIDE)
  ) u_last (
    .zero_i   (1'b0),
    .second_i (first_3),
    .a_i      (last_4_q),
    .b_i      ({{WIDE-ADDR-1{base_3[ADDR]}}, base_3}),
    .c_i      ({{WIDE-OFF{1'b0}}, offsets_3_q[LAST*OFF +: OFF]}),
    .carry_i  (moves_4_q && !first_3),
    .sum_o    (last_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_4_q, far_4_q, end_4_q} <= 3'd0;
      tag_4_q     <= {TAG{1'b0}};
      wrap_4_q    <= {ADDR+1{1'b0}};
      address_4_q <= {ADDR{1'b0}};
      weights_4_q <= {SCAN{1'b0}};
      values_4_q  <= {SCAN*DATA_WIDTH{1'b0}};
    end else begin
      valid_4_q   <= valid_3;
      far_4_q     <= far_3;
      end_4_q     <= side_3[SIDE-2];
      tag_4_q     <= side_3[TAG-1:0];
      wrap_4_q    <= wrap_3;
      address_4_q <= address_3;
      weights_4_q <= weights_3;
      values_4_q  <= values_3;
    end
  end

  always @(posedge clk_i) begin
    if (valid_3) begin
      last_4_q  <= last_d;
      moves_4_q <= moves_3;
    end
  end

  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_place
      if (l == LAST) begin : gen_last
        assign places_4[l*(ADDR+1) +: ADDR+1] = last_4_q[ADDR:0];
      end else begin : gen_other
        wire [ADDR:0] place_d;
        reg  [ADDR:0] place_4_q;
        wire [ADDR+OFF:0] offset = {{ADDR+1{1'b0}}, offsets_3_q[l*OFF +: OFF]};

        tulle_sum #(
          .WIDTH (ADDR + 1)
        ) u_place (
          .zero_i   (1'b0),
          .second_i (first_3),
          .a_i      (last_4_q[ADDR:0]),
          .b_i      (base_3),
          .c_i      (offset[ADDR:0]),
          .carry_i  (moves_4_q && !first_3),
          .sum_o    (place_d)
        );

        always @(posedge clk_i) begin
          place_4_q <= place_d;
        end

        assign places_4[l*(ADDR+1) +: ADDR+1] = place_4_q;
        wire unused_offset = &{1'b0, offset};
      end
    end
  endgenerate

  // -- Stage 4: modulo wrap, and the read ----------------------------------------------------------------------

  // A negative place has not reached wrap.
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_wrap
      tulle_sum #(
        .WIDTH (ADDR)
      ) u_wrap (
        .zero_i   (!places_4[l*(ADDR+1) + ADDR]),
        .second_i (1'b0),
        .a_i      (wrap_4_q[ADDR-1:0]),
        .b_i      ({ADDR{1'b0}}),
        .c_i      (places_4[l*(ADDR+1) +: ADDR]),
        .carry_i  (1'b0),
        .sum_o    (address_o[l*ADDR +: ADDR])
      );
    end
  endgenerate

  // beyond: the next word would begin beyond address + wrap, now or in an earlier word of the MAC. Positions ascend,
  // so a word is legal if the word after it may be.
  wire [WIDE:0] twice  = {{WIDE-ADDR{1'b0}}, address_4_q, !moves_4_q} + {~last_4_q, 1'b1};
  reg           beyond_q;
  wire          beyond = twice[WIDE] || far_4_q || beyond_q;

  // -- Stages 5 and 6: the input buffer --------------------------------------------------------------------------

  localparam BACK = 1 + TAG + SCAN + SCAN * DATA_WIDTH;

  reg            valid_5_q;
  reg            valid_6_q;
  reg [BACK-1:0] back_5_q;
  reg [BACK-1:0] back_6_q;
  reg            error_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {beyond_q, valid_5_q, valid_6_q} <= 3'd0;
      back_5_q  <= {BACK{1'b0}};
      back_6_q  <= {BACK{1'b0}};
      error_q   <= 1'b0;
    end else begin
      if (valid_4_q) beyond_q <= beyond && !end_4_q;
      valid_5_q <= valid_4_q;
      valid_6_q <= valid_5_q;
      back_5_q  <= {end_4_q, tag_4_q, weights_4_q, values_4_q};
      back_6_q  <= back_5_q;
      error_q   <= valid_4_q && weights_4_q != {SCAN{1'b0}} && beyond;
    end
  end

  assign read_o    = valid_4_q;
  assign valid_o   = valid_6_q;
  assign {end_o, tag_o, weights_o, values_o} = back_6_q;
  assign error_o   = error_q;

  // Six bits of a value are looked at a stage before. The other two fit into the LUT that asks for the activation.
  generate
    if (PASS_ZEROS != 0) begin : gen_factors
      reg [SCAN-1:0] some_6_q; // one of the lower bits is 1

      for (l = 0; l < SCAN; l = l + 1) begin : gen_value
        always @(posedge clk_i) some_6_q[l] <= back_5_q[l*DATA_WIDTH +: DATA_WIDTH-2] != {DATA_WIDTH-2{1'b0}};
        assign factors_o[l] = weights_o[l] && (some_6_q[l] || values_o[l*DATA_WIDTH+DATA_WIDTH-2 +: 2] != 2'b00);
      end
    end else begin : gen_weights
      assign factors_o = weights_o;
    end
  endgenerate

  // The flag of the last entry was evaluated when the word arrived.
  wire unused = &{1'b0, word_i, wrap_4_q, twice, offsets_3_q};

endmodule

`default_nettype wire
