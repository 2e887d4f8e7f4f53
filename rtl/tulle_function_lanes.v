// SPDX-License-Identifier: Apache-2.0
//
// tulle_function_lanes: applies a function record to a stream of sums, LANES of them a cycle, and narrows the results
// to the record's element. The results are bit-identical to those of tulle_functions, which is smaller and slower
// (docs/numerics.md, "Functions").
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset (empties the pipeline)
//   record_write_i,  a function record, as in a configuration; the pipeline must be empty
//   record_i
//   ready_o          1: the last record is set up. It is 0 for up to 15 cycles after record_write_i, during which
//                    valid_i must be 0.
//   enable_i         0: the pipeline stops; no sums are taken, and the outputs stay
//   valid_i, data_i  LANES sums
//   valid_o, data_o  their results, sign-extended to ACC_WIDTH
//   mark_i, mark_o   with MARK, a number that goes with the sums to their results; else 0
//   with CHANNELS, what each lane has of its own (tulle_channel_table):
//   by_channel_i     bit 0: a bias, which is added to the sum; bit 1: a factor and a shift in place of the record's; bit 2:
//                    limits in place of the record's, to which the function narrows, not to the element. Stable from
//                    record_write_i to the next. Bit 1 only if the record's function scales, bit 2 only if it limits
//   bias_i, factor_i with valid_i: biases, and multipliers times 2^(15 - shift mod 16)
//   place_i          with valid_i: where shifts and limits are
//   late_o, late_place_o
//                    they are read from this place, and come in the next cycle:
//   shift_i, low_i, high_i
//   with JOINS, sums that are joined with an operand pass twice (tulle_join_lanes):
//   first_i          with valid_i: the result is joined next; the record's zero point is not added to it
//   second_i, rest_i, minus_i, up_i
//                    with valid_i: the sum is data_i + rest_i + up_i, with minus_i data_i + ~rest_i + up_i, and has nothing
//                    of its own
//   first_o          with valid_o: first_i of the sums
//
// Parameters
//   LANES            1..32
//   MARK             bits of mark_i; 0: there is none
//   ACC_WIDTH        24..64
//   FUNCTIONS        bit f: the variant has function f (values of function in docs/isa.md). Logic that only absent
//                    functions need is not built; a record that names an absent function acts like none.
//   CHANNELS         0: lanes have nothing of their own; else bits of a place. Then FUNCTIONS has one that scales
//   ROUNDINGS        1: rounding of a record has an effect; 0: halves go up
//   JOINS            1: sums may pass twice; only with CHANNELS
//
// LATENCY, in cycles with enable_i, is the same for all functions:
//   3    without leaky relu (2), sigmoid, tanh (4, 5), requantise and average (6, 9)
//   6    with leaky relu alone of these functions
//   7    with any of the others; 8 for ACC_WIDTH above 35, 9 above 52; one more with ROUNDINGS
//   +8   with sigmoid or tanh, else
//   +6   with user (10); this is the latency of tulle_late_functions
// A lane has no DSP block, or 2, or two for each limb of tulle_product. With sigmoid or tanh it has one more DSP
// block and a RAMB18.

`default_nettype none

`include "tulle_isa.vh"

module tulle_function_lanes #(
  parameter        LANES     = 4,
  parameter        MARK      = 0,
  parameter        ACC_WIDTH = 32,
  parameter [15:0] FUNCTIONS = 16'd1,
  parameter        ROUNDINGS = 0,
  parameter        CHANNELS  = 0,
  parameter        JOINS     = 0
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       record_write_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0]               record_i,
  output wire                       ready_o,

  input  wire                       enable_i,
  input  wire                       valid_i,
  input  wire [LANES*ACC_WIDTH-1:0] data_i,
  input  wire [((MARK != 0) ? MARK : 1)-1:0] mark_i,
  input  wire [2:0]                 by_channel_i,
  input  wire [LANES*ACC_WIDTH-1:0] bias_i,
  input  wire [LANES*47-1:0]        factor_i,
  input  wire [((CHANNELS != 0) ? CHANNELS : 1)-1:0] place_i,
  output wire                       late_o,
  output wire [((CHANNELS != 0) ? CHANNELS : 1)-1:0] late_place_o,
  input  wire [LANES*6-1:0]         shift_i,
  input  wire [LANES*16-1:0]        low_i,
  input  wire [LANES*16-1:0]        high_i,
  input  wire                       first_i,
  input  wire                       second_i,
  input  wire [LANES*ACC_WIDTH-1:0] rest_i,
  input  wire                       minus_i,
  input  wire [LANES-1:0]           up_i,
  output wire                       first_o,
  output wire                       valid_o,
  output wire [LANES*ACC_WIDTH-1:0] data_o,
  output wire [((MARK != 0) ? MARK : 1)-1:0] mark_o
);

  localparam [63:0] HAS = {48'd0, FUNCTIONS}; // by number of the function

  localparam HAS_RELU    = HAS[`TULLE_FUNCTION_RELU];
  localparam HAS_LEAKY   = HAS[`TULLE_FUNCTION_LEAKY_RELU];
  localparam HAS_CURVE   = HAS[`TULLE_FUNCTION_SIGMOID] || HAS[`TULLE_FUNCTION_TANH];
  localparam HAS_ZERO    = HAS[`TULLE_FUNCTION_REQUANTISE] || HAS[`TULLE_FUNCTION_AVERAGE];
  localparam HAS_SCALE   = HAS_ZERO || HAS_CURVE;
  localparam HAS_USER    = HAS[`TULLE_FUNCTION_USER];
  localparam HAS_LATE    = HAS_CURVE || HAS_USER;
  localparam HAS_PRODUCT = HAS_SCALE || HAS_LEAKY;

  localparam LIMBS      = (ACC_WIDTH <= 35) ? 2 : (ACC_WIDTH <= 52) ? 3 : 4; // as in tulle_product
  localparam TO_PRODUCT = !HAS_PRODUCT ? 0 : HAS_SCALE ? LIMBS + 2 : 3;
  localparam LATE       = HAS_CURVE ? 8 : HAS_USER ? 6 : 0; // as in tulle_late_functions
  localparam TO_ROUND   = (HAS_SCALE && ROUNDINGS != 0) ? 1 : 0;
  localparam LATENCY    = TO_PRODUCT + TO_ROUND + 3 + LATE;

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES <= 32),
    .MESSAGE ("tulle_function_lanes: LANES must be 1..32")
  ) u_require_lanes_1_to_32 ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 24 && ACC_WIDTH <= 64),
    .MESSAGE ("tulle_function_lanes: ACC_WIDTH must be 24..64")
  ) u_require_acc_width_24_to_64 ();

  tulle_require #(
    .LEGAL   (CHANNELS == 0 || HAS_SCALE),
    .MESSAGE ("tulle_function_lanes: CHANNELS needs a function that scales")
  ) u_require_channels_have_a_scale ();

  tulle_require #(
    .LEGAL   (JOINS == 0 || (CHANNELS != 0 && HAS_ZERO)),
    .MESSAGE ("tulle_function_lanes: JOINS needs CHANNELS and requantise or average")
  ) u_require_joins_have_channels ();

  // -- The record -----------------------------------------------------------------------------------------------
  // A lane always does the same steps: it multiplies by a factor, selects bits from bit 15 on in steps of 16, adds
  // the zero point, compares with two bounds, and selects the result. Every function becomes a factor, a step and two
  // bounds:
  // factor: multiplier x 2^(15 - shift mod 16), or 2^15 for functions that do not scale
  // step: shift / 16
  // bounds: low and high of the record, or the range of the element

  localparam FACTOR = HAS_SCALE ? 47 : 17;

  wire [5:0]  record_function = record_i[`TULLE_CONFIG_FUNCTION_FUNCTION];
  wire [5:0]  record_shift    = record_i[`TULLE_CONFIG_FUNCTION_SHIFT];
  wire [1:0]  record_element  = record_i[`TULLE_CONFIG_FUNCTION_ELEMENT];
  wire [1:0]  record_rounding = record_i[`TULLE_CONFIG_FUNCTION_ROUNDING];

  wire write_relu  = HAS_RELU && record_function == `TULLE_FUNCTION_RELU;
  wire write_leaky = HAS_LEAKY && record_function == `TULLE_FUNCTION_LEAKY_RELU;
  wire write_curve = (HAS[`TULLE_FUNCTION_SIGMOID] && record_function == `TULLE_FUNCTION_SIGMOID) ||
                     (HAS[`TULLE_FUNCTION_TANH] && record_function == `TULLE_FUNCTION_TANH);
  wire write_user  = HAS_USER && record_function == `TULLE_FUNCTION_USER;
  wire write_zero  = (HAS[`TULLE_FUNCTION_REQUANTISE] && record_function == `TULLE_FUNCTION_REQUANTISE) ||
                     (HAS[`TULLE_FUNCTION_AVERAGE] && record_function == `TULLE_FUNCTION_AVERAGE);
  wire write_limit = write_zero || (HAS[`TULLE_FUNCTION_CLAMP] && record_function == `TULLE_FUNCTION_CLAMP);
  wire write_scale = write_zero || write_curve;
  wire write_even  = ROUNDINGS != 0 && record_rounding == `TULLE_ROUNDING_EVEN;
  wire write_two   = ROUNDINGS != 0 && record_rounding == `TULLE_ROUNDING_TWO_STEPS;

  reg         relu_q;
  reg         leaky_q;
  reg         curve_q;
  reg         sigmoid_q;
  reg         user_q;
  reg         scale_q;
  reg  [1:0]  element_q;
  reg         full_q;    // the result keeps all bits
  reg  [15:0] low_q;
  reg  [15:0] high_q;
  reg  [15:0] zero_q;
  reg  [1:0]  step_q;
  reg  [3:0]  fine_q;    // shift mod 16
  reg         even_q;
  reg         two_q;        // rounds in two steps with shifts from 32 on
  reg         two_steps_q;  // and the record's shift is one
  reg  [15:0] middle_q;  // for tulle_round_up
  reg  [46:0] part_q;
  reg  [3:0]  shifts_q;  // remaining shifts of part_q

  wire unused_record = &{1'b0, record_i, leaky_q, curve_q, sigmoid_q, user_q, scale_q, step_q, fine_q, zero_q, relu_q, even_q, two_q,
                         two_steps_q, middle_q};

  // middle_i of tulle_round_up
  function [15:0] middle_of;
    input       wide; // a shift from 32 on
    input [3:0] fine; // shift mod 16
    input       even;
    input       two;
    middle_of = {16{wide && (even || two)}} & (16'hFFFF << (~fine & {4{two}}));
  endfunction

  always @(posedge clk_i) begin
    if (record_write_i) begin
      relu_q    <= write_relu;
      leaky_q   <= write_leaky;
      curve_q   <= write_curve;
      sigmoid_q <= HAS[`TULLE_FUNCTION_SIGMOID] && record_function == `TULLE_FUNCTION_SIGMOID;
      user_q    <= write_user;
      scale_q   <= write_scale;
      element_q <= record_element;
      full_q    <= (record_element[1] && !write_limit && !write_curve) || write_user;
      low_q     <= write_limit ? record_i[`TULLE_CONFIG_FUNCTION_LOW] : write_relu ? 16'h0000 : 16'h8000;
      high_q    <= write_limit ? record_i[`TULLE_CONFIG_FUNCTION_HIGH] : 16'h7FFF;
      zero_q    <= write_zero ? record_i[`TULLE_CONFIG_FUNCTION_ZERO] : 16'h0000;
      step_q    <= write_scale ? record_shift[5:4] : 2'd0;
      fine_q    <= record_shift[3:0];
      even_q      <= write_even;
      two_q       <= write_two;
      two_steps_q <= write_two && write_scale && record_shift[5];
      middle_q    <= middle_of(record_shift[5], record_shift[3:0], write_even, write_two);
    end
  end

  // int8 is a further limit after low and high, and is merged with them by narrowing them. The comparison bounds are
  // not narrowed if low is above high: then values below low become low and all others high.
  wire        narrows   = element_q == `TULLE_ELEMENT_INT8 && !(HAS_CURVE && curve_q);
  wire        turned    = $signed(low_q) > $signed(high_q);
  wire        low_wide  = narrows && low_q[15:7] != {9{low_q[15]}};
  wire        high_wide = narrows && high_q[15:7] != {9{high_q[15]}};
  wire [15:0] low_byte  = {{9{low_q[15]}}, {7{!low_q[15]}}};
  wire [15:0] high_byte = {{9{high_q[15]}}, {7{!high_q[15]}}};

  reg [15:0] low_limit_q;
  reg [15:0] high_limit_q;
  reg [15:0] low_result_q;
  reg [15:0] high_result_q;

  always @(posedge clk_i) begin
    low_result_q  <= low_wide ? low_byte : low_q;
    high_result_q <= high_wide ? high_byte : high_q;
    low_limit_q   <= (low_wide && !turned) ? low_byte : low_q;
    high_limit_q  <= (high_wide && !turned) ? high_byte : high_q;
  end

  // The user's function reads the whole record.
  wire [`TULLE_CONFIG_WIDTH-1:0] record;

  generate
    if (HAS_USER) begin : gen_record
      reg [`TULLE_CONFIG_WIDTH-1:0] record_q;
      always @(posedge clk_i) if (record_write_i) record_q <= record_i;
      assign record = record_q;
    end else begin : gen_no_record
      assign record = {`TULLE_CONFIG_WIDTH{1'b0}};
    end

    if (!HAS_LATE) begin : gen_not_late
      wire unused_late = &{1'b0, record};
    end
  endgenerate

  // -- Valid bits of the pipeline --------------------------------------------------------------------------------

  reg [LATENCY-1:0] valid_q;

  always @(posedge clk_i) begin
    if (!rst_ni)       valid_q <= {LATENCY{1'b0}};
    else if (enable_i) valid_q <= {valid_q[LATENCY-2:0], valid_i};
  end

  assign valid_o = valid_q[LATENCY-1];

  generate
    if (MARK == 0) begin : gen_no_mark
      assign mark_o = 1'b0;

      wire unused_mark = &{1'b0, mark_i};
    end else begin : gen_mark
      reg [LATENCY*MARK-1:0] mark_q;

      always @(posedge clk_i) if (enable_i) mark_q <= {mark_q[(LATENCY-1)*MARK-1:0], mark_i};

      assign mark_o = mark_q[(LATENCY-1)*MARK +: MARK];
    end
  endgenerate

  tulle_assert #(
    .MESSAGE ("a record is written when nothing is under way")
  ) u_record_when_empty (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!record_write_i || (!valid_i && valid_q == {LATENCY{1'b0}}))
  );

  tulle_assert #(
    .MESSAGE ("nothing comes before the record is set up")
  ) u_come_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!valid_i || ready_o)
  );

  // -- Places of the lanes' shifts and limits, until the products are there ------------------------------------------
  // What is read waits for a cycle: a RAM gives late what the selection of bits and the comparisons need early.

  wire [LANES*6-1:0]  shifts;
  wire [LANES*16-1:0] lows;
  wire [LANES*16-1:0] highs;

  generate
    if (CHANNELS != 0) begin : gen_places
      reg [CHANNELS*(TO_PRODUCT-2)-1:0] place_q;
      reg [LANES*6-1:0]                 late_shift_q;
      reg [LANES*16-1:0]                late_low_q;
      reg [LANES*16-1:0]                late_high_q;

      always @(posedge clk_i) begin
        if (enable_i) begin
          place_q      <= {place_q[CHANNELS*(TO_PRODUCT-3)-1:0], place_i};
          late_shift_q <= shift_i;
          late_low_q   <= low_i;
          late_high_q  <= high_i;
        end
      end

      assign late_o       = enable_i && valid_q[TO_PRODUCT-3];
      assign late_place_o = place_q[CHANNELS*(TO_PRODUCT-3) +: CHANNELS];
      assign shifts       = late_shift_q;
      assign lows         = late_low_q;
      assign highs        = late_high_q;
    end else begin : gen_no_places
      assign shifts       = {LANES*6{1'b0}};
      assign lows         = {LANES*16{1'b0}};
      assign highs        = {LANES*16{1'b0}};
      assign late_o       = 1'b0;
      assign late_place_o = 1'b0;

      wire unused_channels = &{1'b0, by_channel_i, bias_i, factor_i, place_i, shift_i, low_i, high_i, shifts, lows, highs};
    end
  endgenerate

  // -- Which of two passes the sums are in, if they are joined in between -------------------------------------------------

  localparam TO_LIMITS = TO_PRODUCT + TO_ROUND;

  wire second_scale;   // of sums whose products are there
  wire second_limits;  // whose values are compared with limits next
  wire first_zero;     // of sums to whose values the zero point is added

  generate
    if (JOINS != 0) begin : gen_passes
      reg [TO_LIMITS-1:0] second_q;
      reg [LATENCY-1:0] first_q;

      always @(posedge clk_i) begin
        if (enable_i) begin
          second_q <= {second_q[TO_LIMITS-2:0], second_i};
          first_q  <= {first_q[LATENCY-2:0], first_i};
        end
      end

      assign second_scale   = second_q[TO_PRODUCT-1];
      assign second_limits  = second_q[TO_LIMITS-1];
      assign first_zero     = first_q[TO_LIMITS-1];
      assign first_o        = first_q[LATENCY-1];
    end else begin : gen_one_pass
      assign second_scale   = 1'b0;
      assign second_limits  = 1'b0;
      assign first_zero     = 1'b0;
      assign first_o        = 1'b0;

      wire unused_passes = &{1'b0, first_i, second_i, rest_i, minus_i, up_i, first_zero};
    end
  endgenerate

  wire has_bias    = CHANNELS != 0 && by_channel_i[0];
  wire has_factor  = CHANNELS != 0 && by_channel_i[1] && !(JOINS != 0 && second_i);
  wire has_scale   = CHANNELS != 0 && by_channel_i[1] && !second_scale;
  wire has_limits  = CHANNELS != 0 && by_channel_i[2] && !second_limits;
  wire unused_has  = &{1'b0, has_bias, has_factor, has_scale, has_limits};

  // -- The record's limits, or 0 for values that have their lane's ----------------------------------------------------
  // Both are or-ed in the lanes, since the LUTs behind have an input left for that.

  wire [31:0] record_limits;  // when the value is compared
  wire [31:0] record_results; // what a value beyond them becomes

  generate
    if (CHANNELS != 0) begin : gen_or_record
      reg [63:0] limits_q;

      always @(posedge clk_i) begin
        if (enable_i && has_limits) limits_q <= 64'd0;
        else if (enable_i)          limits_q <= {high_limit_q, low_limit_q, high_result_q, low_result_q};
      end

      assign {record_limits, record_results} = limits_q;
    end else begin : gen_record_only
      assign record_limits  = {high_limit_q, low_limit_q};
      assign record_results = {high_result_q, low_result_q};
    end
  endgenerate

  // -- Lanes -----------------------------------------------------------------------------------------------------

  localparam PRODUCT = ACC_WIDTH + FACTOR;
  localparam PADDED  = 96 + ACC_WIDTH; // the highest bit position that a step can select
  localparam VALUE   = 19;             // 18 bits, and the carry of the zero point

  // The factor is shifted into place, a bit a cycle.
  wire [31:0]       multiplier = record_i[`TULLE_CONFIG_FUNCTION_MULTIPLIER];
  wire [15:0]       slope      = record_i[`TULLE_CONFIG_FUNCTION_SLOPE];
  wire [46:0]       widened    = {{15{multiplier[31]}}, multiplier};
  wire [FACTOR-1:0] factor     = part_q[FACTOR-1:0];

  wire unused_factor = &{1'b0, widened, part_q, factor};

  always @(posedge clk_i) begin
    if (!rst_ni)                shifts_q <= 4'd0;
    else if (record_write_i)    shifts_q <= write_scale ? ~record_shift[3:0] : 4'd0;
    else if (shifts_q != 4'd0)  shifts_q <= shifts_q - 4'd1;
    if (record_write_i)         part_q <= write_scale ? widened : write_leaky ? {{31{slope[15]}}, slope} : 47'h8000;
    else if (shifts_q != 4'd0)  part_q <= {part_q[45:0], 1'b0};
  end

  assign ready_o = shifts_q == 4'd0;

  genvar l, g;

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire [ACC_WIDTH-1:0] sum_in = data_i[l*ACC_WIDTH +: ACC_WIDTH];
      wire [PADDED-1:0]    padded; // the product, or the sum times 2^15
      wire                 sign = padded[PADDED-1];

      if (HAS_PRODUCT) begin : gen_product
        reg  [ACC_WIDTH-1:0] sum_q;
        reg  [FACTOR-1:0]    factor_q;
        wire [PRODUCT-1:0]   product;

        wire [ACC_WIDTH-1:0] sum;
        wire [FACTOR-1:0]    own_factor;

        if (JOINS != 0) begin : gen_operand
          tulle_sum #(
            .WIDTH (ACC_WIDTH)
          ) u_sum (
            .zero_i   (!second_i && !has_bias),
            .second_i (second_i),
            .a_i      (bias_i[l*ACC_WIDTH +: ACC_WIDTH]),
            .b_i      (rest_i[l*ACC_WIDTH +: ACC_WIDTH] ^ {ACC_WIDTH{minus_i}}),
            .c_i      (sum_in),
            .carry_i  (second_i && up_i[l]),
            .sum_o    (sum)
          );
          assign own_factor = has_factor ? factor_i[l*47 +: FACTOR] : factor;
        end else if (CHANNELS != 0) begin : gen_channel
          assign sum        = sum_in + (bias_i[l*ACC_WIDTH +: ACC_WIDTH] & {ACC_WIDTH{has_bias}});
          assign own_factor = has_factor ? factor_i[l*47 +: FACTOR] : factor;
        end else begin : gen_alike
          assign sum        = sum_in;
          assign own_factor = factor;
        end

        always @(posedge clk_i) if (enable_i) sum_q <= sum;

        // A slope applies to negative sums only.
        always @(posedge clk_i) begin
          if (enable_i) begin
            if (leaky_q && !sum[ACC_WIDTH-1]) factor_q <= {{FACTOR-16{1'b0}}, 16'h8000};
            else                              factor_q <= own_factor;
          end
        end

        tulle_product #(
          .A_WIDTH  (ACC_WIDTH),
          .B_WIDTH  (FACTOR),
          .HALF_BIT (14)
        ) u_product (
          .clk_i     (clk_i),
          .enable_i  (enable_i),
          .a_i       (sum_q),
          .b_i       (factor_q),
          .half_i    (HAS_LEAKY && leaky_q),
          .product_o (product)
        );

        // A slope's half was added to the product: the sum of halves with an odd number ends with zeros, and its result
        // is odd by one. Halves to even take it back.
        wire back = HAS_LEAKY && leaky_q && even_q && product[14:0] == 15'd0;

        assign padded = {{PADDED-PRODUCT{product[PRODUCT-1]}}, product[PRODUCT-1:16], product[15] && !back, product[14:0]};
      end else begin : gen_sum
        assign padded = {{PADDED-ACC_WIDTH-15{sum_in[ACC_WIDTH-1]}}, sum_in, 15'd0};
      end

      // The value: 18 bits from the step on; beyond: the product has more bits.

      wire [17:0] bits;
      wire        up;    // rounded up
      wire        beyond;

      if (HAS_SCALE) begin : gen_steps
        // Groups of 16 bits of the product from bit 32 + 16 g on that differ from the sign. Larger steps ignore the
        // first groups.
        localparam TOPS = PRODUCT - 80;
        wire [2:0] more;
        for (g = 0; g < 3; g = g + 1) begin : gen_more
          localparam FROM = 32 + 16*g;
          localparam BITS = (PRODUCT - FROM < 16) ? PRODUCT - FROM : 16;
          assign more[g] = (padded[FROM +: BITS] ^ {BITS{sign}}) != {BITS{1'b0}};
        end
        wire more_top;
        if (TOPS > 0) begin : gen_top
          assign more_top = (padded[80 +: TOPS] ^ {TOPS{sign}}) != {TOPS{1'b0}};
        end else begin : gen_no_top
          assign more_top = 1'b0;
        end
        wire [1:0]  step;
        wire        two_steps;
        wire [15:0] middle;
        wire        higher;
        wire [18:0] window = step[1] ? (step[0] ? padded[62 +: 19] : padded[46 +: 19]) :
                                       (step[0] ? padded[30 +: 19] : padded[14 +: 19]);
        if (CHANNELS != 0) begin : gen_channel
          wire [5:0] shift = has_scale ? shifts[l*6 +: 6] : {step_q, fine_q};
          assign step      = shift[5:4];
          assign two_steps = two_q && shift[5];
          assign middle    = middle_of(shift[5], shift[3:0], even_q, two_q);
        end else begin : gen_alike
          assign step      = step_q;
          assign two_steps = two_steps_q;
          assign middle    = middle_q;
        end
        tulle_round_up u_round_up (
          .product_i   (padded[61:0]),
          .negative_i  (sign),
          .odd_i       (window[1]),
          .half_i      (window[0]),
          .step_i      (step),
          .even_i      (even_q),
          .two_steps_i (two_steps),
          .middle_i    (middle),
          .up_o        (higher)
        );

        assign bits   = window[18:1];
        assign up     = scale_q && higher;
        assign beyond = more_top || (more[2] && step != 2'd3) || (more[1] && !step[1]) ||
                        (more[0] && step == 2'd0);
      end else begin : gen_one
        assign bits  = padded[32:15];
        assign up    = 1'b0;
        assign beyond = padded[15+ACC_WIDTH:32] != {ACC_WIDTH-16{sign}};
      end

      wire unused_bits = &{1'b0, padded};

      // Other roundings than up look at the whole product, and so take a cycle of their own.
      localparam SELECTED = ACC_WIDTH + 21;
      wire [SELECTED-1:0] selected = {sign, beyond, up, bits, padded[15 +: ACC_WIDTH]};
      wire [SELECTED-1:0] rounding;

      if (TO_ROUND != 0) begin : gen_round
        reg [SELECTED-1:0] selected_q;
        always @(posedge clk_i) if (enable_i) selected_q <= selected;
        assign rounding = selected_q;
      end else begin : gen_at_once
        assign rounding = selected;
      end

      wire                 round_sign;
      wire                 round_beyond;
      wire                 round_up;
      wire [17:0]          round_bits;
      wire [ACC_WIDTH-1:0] round_all;

      assign {round_sign, round_beyond, round_up, round_bits, round_all} = rounding;

      reg [VALUE-1:0]     value_q;
      reg                 beyond_q;
      reg                 sign_q;
      reg [ACC_WIDTH-1:0] all_q;
      wire [15:0]         zero    = zero_q & {16{!first_zero}};
      wire [VALUE:0]      rounded = {round_bits[17], round_bits, round_up} + {{3{zero[15]}}, zero, round_up};

      always @(posedge clk_i) begin
        if (enable_i) begin
          if (HAS_ZERO)       value_q <= rounded[VALUE:1];
          else if (HAS_SCALE) value_q <= {round_bits[17], round_bits} + {{VALUE-1{1'b0}}, round_up};
          else                value_q <= {round_bits[17], round_bits};
          beyond_q <= round_beyond;
          sign_q  <= round_sign;
          all_q   <= round_all;
        end
      end

      wire unused_rounded = &{1'b0, rounded};

      // Comparison. A value beyond 18 bits is compared by its sign. With 64 bits, one slope overflows for the most
      // negative sum and saturates; with fewer bits it wraps (docs/numerics.md).

      reg  [1:0]          choice_q; // the source of the result
      reg [15:0]          near_q;
      reg [ACC_WIDTH-1:0] cut_q;
      wire                saturates = ACC_WIDTH == 64 && HAS_LEAKY && !sign_q && all_q[ACC_WIDTH-1];

      localparam [1:0] NEAR = 2'd0, LOW = 2'd1, HIGH = 2'd2, WHOLE = 2'd3;

      wire [15:0] low_limit;  // when the value is compared
      wire [15:0] high_limit;
      wire [15:0] low_result; // when the result is selected
      wire [15:0] high_result;
      wire        below;
      wire        above;

      if (CHANNELS != 0) begin : gen_limits
        wire [31:0] own = {highs[l*16 +: 16], lows[l*16 +: 16]};
        wire [31:0] own_limits;
        reg  [31:0] limits_q; // the lane's own, or 0
        reg  [15:0] result_q; // the one of both that a value beyond the limits becomes
        wire [31:0] results = limits_q | record_results;

        if (TO_ROUND != 0) begin : gen_rounded
          reg [31:0] own_q;
          always @(posedge clk_i) if (enable_i) own_q <= own;
          assign own_limits = own_q;
        end else begin : gen_at_once
          assign own_limits = own;
        end

        always @(posedge clk_i) begin
          if (enable_i && !has_limits) limits_q <= 32'd0;
          else if (enable_i)           limits_q <= own_limits;
          if (enable_i) result_q <= below ? results[15:0] : results[31:16];
        end

        assign {high_limit, low_limit}   = limits_q | record_limits;
        assign {high_result, low_result} = {2{result_q}};
      end else begin : gen_record
        assign {high_limit, low_limit}   = record_limits;
        assign {high_result, low_result} = record_results;
      end

      // Signs of value - low and of value - high - 1/2. The carry chains take the value, so that the limits go through their LUTs.
      wire [VALUE:0]   over_low  = {value_q[VALUE-1], value_q} - {{VALUE-15{low_limit[15]}}, low_limit};
      wire [VALUE+1:0] over_high = {value_q[VALUE-1], value_q, 1'b0} - {{VALUE-15{high_limit[15]}}, high_limit, 1'b1};

      assign below = beyond_q ? sign_q : over_low[VALUE];
      assign above = beyond_q ? !sign_q : !over_high[VALUE+1];

      always @(posedge clk_i) begin
        if (enable_i) begin
          choice_q <= full_q ? WHOLE : below ? LOW : above ? HIGH : NEAR;
          near_q   <= value_q[15:0];
          if (!full_q || (HAS_RELU && relu_q && sign_q)) cut_q <= {ACC_WIDTH{1'b0}};
          else if (saturates)               cut_q <= {1'b0, {ACC_WIDTH-1{1'b1}}};
          else                              cut_q <= all_q;
        end
      end

      // Selection. int32 of a wider sum is its lower half. cut_q is 0 if another source is selected, so that the sign of that one
      // can set the bits above 15, which takes no multiplexer.

      reg  [ACC_WIDTH-1:0] result_q;
      wire [ACC_WIDTH-1:0] whole;

      if (ACC_WIDTH > 32) begin : gen_wide
        assign whole = {(element_q == `TULLE_ELEMENT_INT32 && !user_q) ? {ACC_WIDTH-32{cut_q[31]}} : cut_q[ACC_WIDTH-1:32],
                        cut_q[31:0]};
      end else begin : gen_whole
        assign whole = cut_q;
      end

      wire [15:0] limited  = choice_q[1] ? high_result : choice_q[0] ? low_result : near_q;
      wire        negative = limited[15] && choice_q != WHOLE;

      always @(posedge clk_i) begin
        if (enable_i) result_q[15:0] <= (choice_q == WHOLE) ? whole[15:0] : limited;

        if (enable_i && negative) result_q[ACC_WIDTH-1:16] <= {ACC_WIDTH-16{1'b1}};
        else if (enable_i)        result_q[ACC_WIDTH-1:16] <= whole[ACC_WIDTH-1:16];
      end

      if (HAS_LATE) begin : gen_late
        tulle_late_functions #(
          .ACC_WIDTH (ACC_WIDTH),
          .FUNCTIONS (FUNCTIONS)
        ) u_late_functions (
          .clk_i     (clk_i),
          .enable_i  (enable_i),
          .curve_i   (curve_q),
          .user_i    (user_q),
          .sigmoid_i (sigmoid_q),
          .element_i (element_q),
          .record_i  (record),
          .value_i   (result_q),
          .value_o   (data_o[l*ACC_WIDTH +: ACC_WIDTH])
        );
      end else begin : gen_plain
        assign data_o[l*ACC_WIDTH +: ACC_WIDTH] = result_q;
      end
    end
  endgenerate

endmodule

`default_nettype wire
