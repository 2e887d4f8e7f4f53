// SPDX-License-Identifier: Apache-2.0
//
// tulle_functions: the special-function unit of a cluster in chained mode. It takes the accumulators that the PEs
// offer, in turn, and answers with the function of the request's buffer (docs/numerics.md, "Functions"), narrowed to
// the record's element. docs/functions.md explains the arithmetic.
//
// Ports
//   clk_i, rst_ni                     clock, synchronous reset
//   table_write_i, table_buffer_i,    a function record, as in a configuration, and its number from 0 (below RECORDS).
//   table_index_i, table_record_i     No request for this buffer may be waiting.
//   chain_valid_i, chain_i,           requests, one for each PE, stable until the answer
//   chain_buffer_i
//   index_i, copies_i                 with RECORDS above 1: the number of the record for all requests that are waiting,
//                                     and that it is not a record, but a function that changes nothing
//   chain_shift_o                     the PE whose bit is set shifts its accumulator right by one step, with sign
//                                     extension
//   function_valid_o, function_o      one cycle: the result for the PE whose bit is set
//   idle_o                            no request is waiting
//
// Parameters
//   PES                               1..17: PEs, and one more for reductions beside MACs
//   ACC_WIDTH                         24..64
//   BUFFERS                           1..32, instruction buffers
//   FUNCTIONS                         bit f: the variant has function f (values of function in docs/isa.md). Logic
//                                     that only absent functions need is not built.
//   ROUNDINGS                         1: rounding of a record has an effect; 0: halves go up
//   RECORDS                           function records of a buffer, 1 to 4
//   DIGITS                            1 or 2: radix-4 digits multiplied in a cycle
//
// A request is multiplied digit by digit. At the same time the last request is limited and the next one is searched
// for. With STEP = 2 x DIGITS bits a cycle, X = ceil(ACC_WIDTH / STEP) and S = ceil(shift / STEP), a result takes
//   X + 1 cycles       functions that do not scale (none, relu, clamp, sum, max; leaky relu of x >= 0)
//   S + 1 cycles       requantise and average with shift >= X x STEP
//   X + S + 1 cycles   with a smaller shift; leaky relu of x < 0 is one with shift 31
// if requests are waiting (sigmoid and tanh take as long as requantise, user as none). A request at an idle unit
// takes ten cycles more, plus up to PES cycles for the search, which looks at one PE a cycle, so that each PE is
// served once in a round. With sigmoid or tanh all results come 8 cycles later, otherwise with user 6 cycles later
// (tulle_late_functions).

`default_nettype none

`include "tulle_isa.vh"

module tulle_functions #(
  parameter        PES       = 8,
  parameter        ACC_WIDTH = 32,
  parameter        BUFFERS   = 8,
  parameter [15:0] FUNCTIONS = 16'd1,
  parameter        ROUNDINGS = 0,
  parameter        DIGITS    = 2,
  parameter        RECORDS   = 1
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     table_write_i,
  input  wire [4:0]               table_buffer_i,
  input  wire [1:0]               table_index_i,
  input  wire [`TULLE_CONFIG_WIDTH-1:0]             table_record_i,

  input  wire [PES-1:0]           chain_valid_i,
  input  wire [PES*ACC_WIDTH-1:0] chain_i,
  input  wire [PES*5-1:0]         chain_buffer_i,
  input  wire [1:0]               index_i,
  input  wire                     copies_i,

  output wire [PES-1:0]           chain_shift_o,

  output wire [PES-1:0]           function_valid_o,
  output wire [ACC_WIDTH-1:0]     function_o,

  output wire                     idle_o
);

  localparam [63:0] HAS = {48'd0, FUNCTIONS}; // by number of the function

  localparam HAS_RELU  = HAS[`TULLE_FUNCTION_RELU];
  localparam HAS_LEAKY = HAS[`TULLE_FUNCTION_LEAKY_RELU];
  localparam HAS_CURVE = HAS[`TULLE_FUNCTION_SIGMOID] || HAS[`TULLE_FUNCTION_TANH];
  localparam HAS_USER  = HAS[`TULLE_FUNCTION_USER];
  localparam HAS_LATE  = HAS_CURVE || HAS_USER;
  localparam HAS_SCALE = HAS[`TULLE_FUNCTION_REQUANTISE] || HAS[`TULLE_FUNCTION_AVERAGE] || HAS_CURVE;
  localparam HAS_ROUND = ROUNDINGS != 0 && (HAS_SCALE || HAS_LEAKY);
  localparam HAS_LIMIT = HAS[`TULLE_FUNCTION_CLAMP] || HAS_SCALE;

  localparam STEP      = 2 * DIGITS;
  localparam STEP_LOG  = DIGITS;                                   // log2 of STEP
  localparam X_DIGITS  = (ACC_WIDTH + STEP - 1) / STEP;            // digits of an accumulator
  localparam LOW       = X_DIGITS * STEP;                          // bits of the low half of the product
  localparam HIGH      = 33;                                       // bits of the high half
  localparam COUNT     = $clog2(X_DIGITS + (63 + STEP - 1) / STEP + 1);
  localparam FIRST_PE  = 1;
  localparam BUF_WIDTH = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam INDEXES   = $clog2(RECORDS);                          // bits of the number of a record
  localparam ROWS      = (RECORDS > 1) ? 1 << (BUF_WIDTH + INDEXES) : BUFFERS;

  tulle_require #(
    .LEGAL   (PES >= 1 && PES <= 17),
    .MESSAGE ("tulle_functions: PES must be 1..17")
  ) u_require_pes_1_to_17 ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 24 && ACC_WIDTH <= 64),
    .MESSAGE ("tulle_functions: ACC_WIDTH must be 24..64")
  ) u_require_acc_width_24_to_64 ();

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32),
    .MESSAGE ("tulle_functions: BUFFERS must be 1..32")
  ) u_require_buffers_1_to_32 ();

  tulle_require #(
    .LEGAL   ((FUNCTIONS >> `TULLE_FUNCTION_USER) <= 16'd1),
    .MESSAGE ("tulle_functions: FUNCTIONS must not have a number above user")
  ) u_require_functions_that_are_there ();

  tulle_require #(
    .LEGAL   (DIGITS == 1 || DIGITS == 2),
    .MESSAGE ("tulle_functions: DIGITS must be 1 or 2")
  ) u_require_digits_1_or_2 ();

  genvar g, h;

  wire unused_bits = &{1'b0, table_buffer_i, table_index_i, index_i, copies_i, table_record_i, chain_buffer_i};

  // -- Function table --------------------------------------------------------------------------------------
  // A slope is stored as the upper half of a multiplier, with a shift of 31 instead of 15.

  wire [5:0]  record_function = table_record_i[`TULLE_CONFIG_FUNCTION_FUNCTION];
  wire [5:0]  record_shift    = table_record_i[`TULLE_CONFIG_FUNCTION_SHIFT];
  wire [1:0]  record_element  = table_record_i[`TULLE_CONFIG_FUNCTION_ELEMENT];
  wire [31:0] record_multiplier = table_record_i[`TULLE_CONFIG_FUNCTION_MULTIPLIER];

  // The argument of a curve is scaled to int16 without a zero point; the user's function takes the whole sum.
  wire write_leaky = record_function == `TULLE_FUNCTION_LEAKY_RELU;
  wire write_curve = HAS_CURVE && (record_function == `TULLE_FUNCTION_SIGMOID || record_function == `TULLE_FUNCTION_TANH);
  wire write_user  = HAS_USER && record_function == `TULLE_FUNCTION_USER;
  wire write_zero  = record_function == `TULLE_FUNCTION_REQUANTISE || record_function == `TULLE_FUNCTION_AVERAGE;
  wire write_scale = write_zero || write_curve;
  wire write_limit = record_function == `TULLE_FUNCTION_CLAMP || write_zero;

  wire [1:0]  write_element = write_curve ? `TULLE_ELEMENT_INT16 : write_user ? `TULLE_ELEMENT_INT64 : record_element;
  wire [15:0] write_point   = write_curve ? 16'd0 : table_record_i[`TULLE_CONFIG_FUNCTION_ZERO];

  wire [15:0] write_upper = (HAS_LEAKY && write_leaky) ?
                            table_record_i[`TULLE_CONFIG_FUNCTION_SLOPE] : record_multiplier[31:16];
  wire [5:0]  write_shift = (HAS_LEAKY && write_leaky) ? 6'd31 : record_shift;

  // Fields that fewer functions need stand higher; the table is as wide as the last field needed.
  localparam TABLE_ALL = 92;
  localparam TABLE = HAS_SCALE ? TABLE_ALL : HAS_LEAKY ? 60 : HAS_LIMIT ? 38 : 6;

  wire [TABLE_ALL-1:0] write_all = {write_point, record_multiplier[15:0], write_shift, write_upper,
                                    table_record_i[`TULLE_CONFIG_FUNCTION_HIGH],
                                    table_record_i[`TULLE_CONFIG_FUNCTION_LOW],
                                    record_function == `TULLE_FUNCTION_RELU, write_leaky, write_limit, write_scale,
                                    write_element};
  wire [TABLE-1:0]     read;
  wire [TABLE_ALL-1:0] read_all;

  reg [BUF_WIDTH-1:0] row_buffer_q; // the buffer of the request that is multiplied

  wire [BUF_WIDTH+1:0] write_row = {table_index_i, table_buffer_i[BUF_WIDTH-1:0]};
  wire [BUF_WIDTH+1:0] read_row  = {index_i, row_buffer_q};
  wire                 copies    = RECORDS > 1 && copies_i;

  initial row_buffer_q = {BUF_WIDTH{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (TABLE),
    .DEPTH (ROWS)
  ) u_table (
    .clk_i   (clk_i),
    .we_i    (table_write_i),
    .waddr_i (write_row[BUF_WIDTH+INDEXES-1:0]),
    .wdata_i (write_all[TABLE-1:0]),
    .raddr_i (read_row[BUF_WIDTH+INDEXES-1:0]),
    .rdata_o (read)
  );

  generate
    if (TABLE < TABLE_ALL) begin : gen_part
      assign read_all = {{TABLE_ALL-TABLE{1'b0}}, read};
      wire unused_fields = &{1'b0, write_all[TABLE_ALL-1:TABLE]};
    end else begin : gen_whole
      assign read_all = read;
    end
  endgenerate

  wire [1:0]  element    = copies ? `TULLE_ELEMENT_INT64 : read_all[1:0];
  wire        is_scale   = HAS_SCALE && !copies && read_all[2];
  wire        is_limit   = HAS_LIMIT && !copies && read_all[3];
  wire        is_leaky   = HAS_LEAKY && !copies && read_all[4];
  wire        is_relu    = HAS_RELU && !copies && read_all[5];
  wire [15:0] low        = read_all[21:6];
  wire [15:0] high       = read_all[37:22];
  wire [31:0] multiplier = {read_all[53:38], read_all[75:60]};
  wire [5:0]  shift      = read_all[59:54];
  wire [15:0] zero       = read_all[91:76];
  wire [1:0]  rounding;

  generate
    if (HAS_ROUND) begin : gen_rounding
      tulle_lutram #(
        .WIDTH (2),
        .DEPTH (ROWS)
      ) u_roundings (
        .clk_i   (clk_i),
        .we_i    (table_write_i),
        .waddr_i (write_row[BUF_WIDTH+INDEXES-1:0]),
        .wdata_i (table_record_i[`TULLE_CONFIG_FUNCTION_ROUNDING]),
        .raddr_i (read_row[BUF_WIDTH+INDEXES-1:0]),
        .rdata_o (rounding)
      );
    end else begin : gen_up
      assign rounding = `TULLE_ROUNDING_UP;
    end
  endgenerate

  // -- Search: one PE a cycle -------------------------------------------------------------------------------

  // PEs are selected by one-hot masks here and below, which need no decoding.

  reg  [PES-1:0] search_q;
  reg            found_q;
  reg  [PES-1:0] taken_q;    // PEs that are being served
  reg  [PES-1:0] issue_pe_q;
  wire           start;

  wire [PES-1:0] turn  = search_q << 1 | search_q >> (PES - 1);
  wire           hit   = (chain_valid_i & ~taken_q & search_q) != {PES{1'b0}} && !found_q;
  wire           go_on = found_q ? start : !hit;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      search_q <= FIRST_PE[PES-1:0];
      found_q  <= 1'b0;
      taken_q  <= {PES{1'b0}};
    end else begin
      if (go_on) search_q <= turn;
      found_q <= hit || (found_q && !start);
      taken_q <= (taken_q | (search_q & {PES{hit}})) & ~function_valid_o;
    end
    if (start) issue_pe_q <= search_q;
  end

  assign idle_o = chain_valid_i == {PES{1'b0}};

  // -- Issue: a digit a cycle, and one cycle without a digit at the end --------------------------------------

  reg              busy_q;
  reg [COUNT-1:0]  count_q;
  reg [COUNT-1:0]  steps_q;  // valid from the fifth cycle on; every request has at least six steps
  reg [1:0]        first_q;  // bit i: the first digit was issued i + 1 cycles ago
  reg [2:0]        step_q;   // bit i: a digit was issued i + 1 cycles ago
  reg [6:0]        end_q;    // bit i: the cycle without a digit was i + 1 cycles ago

  wire at_end  = busy_q && count_q == steps_q;
  wire at_step = busy_q && !at_end;
  wire first   = busy_q && count_q == {COUNT{1'b0}};

  assign start = found_q && (!busy_q || at_end);

  always @(posedge clk_i) begin
    if (!rst_ni) {busy_q, first_q, step_q, end_q} <= 13'd0;
    else begin
      busy_q  <= start || at_step;
      first_q <= {first_q[0], first};
      step_q  <= {step_q[1:0], at_step};
      end_q   <= {end_q[5:0], at_end};
    end
    if (start) count_q <= {COUNT{1'b0}};
    else       count_q <= count_q + 1'b1;
  end

  // -- The digits of the accumulator -------------------------------------------------------------------------
  // The PE shifts its accumulator, and its lowest digit is used. Digits after the last one are the sign.

  reg  [PES-1:0]       shift_pe_q;
  reg  [PES-1:0]       digit_pe_q;
  reg  [STEP-1:0]      digit_q;
  reg  [STEP-1:0]      before_q; // the previous digit
  reg  [STEP-1:0]      digit;
  reg                  sign_bit; // of the issued PE
  reg  [BUF_WIDTH-1:0] buffer;
  integer              i;

  always @* begin
    digit    = {STEP{1'b0}};
    sign_bit = 1'b0;
    buffer   = {BUF_WIDTH{1'b0}};
    for (i = 0; i < PES; i = i + 1) begin
      digit    = digit | (chain_i[i*ACC_WIDTH +: STEP] & {STEP{digit_pe_q[i]}});
      sign_bit = sign_bit | (chain_i[i*ACC_WIDTH + ACC_WIDTH - 1] & issue_pe_q[i]);
      buffer   = buffer | (chain_buffer_i[i*5 +: BUF_WIDTH] & {BUF_WIDTH{issue_pe_q[i]}});
    end
  end

  always @(posedge clk_i) begin
    shift_pe_q <= rst_ni && at_step ? issue_pe_q : {PES{1'b0}};
    digit_pe_q <= issue_pe_q;
    digit_q    <= digit;
    before_q   <= first_q[0] ? {STEP{1'b0}} : digit_q;
  end

  assign chain_shift_o = shift_pe_q;

  wire unused_rows   = &{1'b0, write_row, read_row};
  wire unused_middle = &{1'b0, chain_i};

  // -- Multiplicand and shift ----------------------------------------------------------------------------------
  // The table shows the record of a request from the second cycle after its first digit to the cycle after its end.

  reg  [PES-1:0]      row_pe_q;
  reg                 negative_q;
  reg  [31:0]         factor_q;
  reg  [5:0]          shift_q;
  reg                 low_q;      // the result is in the low half of the product
  reg                 rounds_q;   // the result is rounded after the shift
  reg                 slope_q;    // the result is scaled by a slope

  wire scales_slope = is_leaky && negative_q;
  wire scales       = is_scale || scales_slope;

  // Conditions are written out, here and below, because a register's reset precedes its enable.
  wire unscaled     = first_q[1] && !scales;
  wire no_lower     = first_q[1] && !is_scale;

  wire [6:0] whole = ({1'b0, shift_q} + (STEP[6:0] - 7'd1)) >> STEP_LOG;

  always @(posedge clk_i) begin
    if (first_q[0]) begin
      row_pe_q     <= issue_pe_q;
      row_buffer_q <= buffer;
      negative_q   <= sign_bit;
    end
    if (first_q[1]) begin
      rounds_q <= is_scale && shift != 6'd0;
      slope_q  <= scales_slope;
    end

    if (!rst_ni || unscaled) low_q <= 1'b1; // steps_q, which depends on it, must be valid for the first request
    else if (first_q[1])     low_q <= !is_scale || {1'b0, shift} < LOW[6:0];

    if (!rst_ni || unscaled) shift_q <= 6'd0;
    else if (first_q[1])     shift_q <= shift;

    if (unscaled)            factor_q[31:16] <= 16'd0;
    else if (first_q[1])     factor_q[31:16] <= multiplier[31:16];

    if (no_lower)            factor_q[15:1] <= 15'd0;
    else if (first_q[1])     factor_q[15:1] <= multiplier[15:1];

    if (first_q[1])          factor_q[0] <= unscaled || (is_scale && multiplier[0]);
  end

  wire unused_whole = &{1'b0, whole};

  // The digits are shifted left by the difference of the shift to a multiple of STEP.
  always @(posedge clk_i) begin
    steps_q <= whole[COUNT-1:0] + (low_q ? X_DIGITS[COUNT-1:0] : {COUNT{1'b0}});
  end

  wire [STEP_LOG-1:0] missing = scales ? ~shift[STEP_LOG-1:0] + 1'b1 : {STEP_LOG{1'b0}};
  wire [2*STEP-1:0]   two_digits = {digit_q, before_q};
  wire [STEP:0]       window = two_digits[STEP - 1 - missing +: STEP + 1]; // including the bit below

  // -- Multiplication: Booth digits, full product ---------------------------------------------------------------
  // high_q holds the product above the bits that were shifted out; |high_q| < 2^31 + 2^31 / 16.

  reg [HIGH-1:0]   high_q;
  reg [LOW:0]      low_half_q; // the lowest bit is the rounding bit

  wire [HIGH-1:0] high_d;
  wire [STEP-1:0] out;

  generate
    if (HAS_SCALE || HAS_LEAKY) begin : gen_multiply
      reg [DIGITS-1:0] one_q;
      reg [DIGITS-1:0] two_q;
      reg [DIGITS-1:0] minus_q;

      for (h = 0; h < DIGITS; h = h + 1) begin : gen_row
        wire [HIGH-1:0] from;
        wire [HIGH-1:0] next;
        if (h == 0) begin : gen_first
          assign from = high_q;
        end else begin : gen_next
          assign from = gen_row[h-1].next;
        end

        wire [2:0] bits = window[2*h +: 3];
        always @(posedge clk_i) begin
          one_q[h]   <= bits[1] ^ bits[0];
          two_q[h]   <= bits == 3'b100 || bits == 3'b011;
          minus_q[h] <= bits[2];
        end

        wire [HIGH+1:0] once  = {{HIGH-30{factor_q[31]}}, factor_q};
        wire [HIGH+1:0] twice = {{HIGH-31{factor_q[31]}}, factor_q, 1'b0};
        wire [HIGH+1:0] term  = ({HIGH+2{one_q[h]}} & once | {HIGH+2{two_q[h]}} & twice) ^ {HIGH+2{minus_q[h]}};
        wire [HIGH+2:0] sum   = {{2{from[HIGH-1]}}, from, 1'b0} - {~term, !minus_q[h]};
        wire            unused_sum = sum[0];

        assign out[2*h +: 2] = sum[2:1];
        assign next            = sum[HIGH+2:3];
      end
      assign high_d = gen_row[DIGITS-1].next;
    end else begin : gen_pass
      assign out    = before_q;
      assign high_d = {HIGH{before_q[STEP-1]}};
      wire unused_product = &{1'b0, window, factor_q, high_q};
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!step_q[2]) high_q <= {HIGH{1'b0}};
    else            high_q <= high_d;
    // Adds half a unit to the result of a slope, which keeps all bits and is not rounded later.
    if (!step_q[2]) high_q[31] <= scales_slope;
    low_half_q <= {out, low_half_q[LOW:STEP]};
  end

  // -- Rounding -------------------------------------------------------------------------------------------------
  // The half is the highest of the bits that are shifted out. As in tulle_round_up it remains to know of the bits below
  // whether all of them are 0, or 1: of all for halves to even, and of those from bit 30 of the product on for two steps.
  // They are looked at digit by digit, one bit later than they leave, so that the half is never among them. Without
  // ROUNDINGS halves go up.

  wire [LOW-1:0] low_half = low_half_q[LOW:1];
  wire           half     = low_q ? low_half_q[0] : low_half_q[LOW];
  wire           odd      = low_q ? low_half[0] : high_q[0];
  wire           up;   // the result is rounded up
  wire           back; // the half that was added to a slope's product makes an odd number of a half, and is taken back

  generate
    if (HAS_ROUND) begin : gen_round
      localparam FIRST = 32 / STEP; // the digit that has bit 31 of the product and the one above, unless it is shifted

      reg              even_q;
      reg              two_steps_q;
      reg              down_q;    // a half alone is not rounded up
      reg [STEP_LOG-1:0] missing_q;
      reg [COUNT-1:0]  place_q;   // number of the digit
      reg              fraction_q; // the digit is shifted out
      reg              last_q;    // highest bit of the last digit
      reg              flat_q;    // all bits so far are 0, or 1 if down_q is 0

      wire [STEP-1:0]  bits   = {out[STEP-2:0], last_q};
      wire             begins = place_q == FIRST[COUNT-1:0] - 1'b1;
      wire             second = place_q == FIRST[COUNT-1:0];
      wire             later  = place_q > FIRST[COUNT-1:0];
      wire [COUNT-1:0] next   = place_q + 1'b1;
      reg  [STEP-1:0]  counts; // the bits that count
      integer          b;

      always @* begin
        for (b = 0; b < STEP; b = b + 1)
          counts[b] = even_q || later || (second && b + 1 >= {{32-STEP_LOG{1'b0}}, missing_q}) ||
                      (begins && b == STEP - 1 && missing_q == {STEP_LOG{1'b0}});
      end

      always @(posedge clk_i) begin
        if (first_q[1]) begin
          even_q      <= rounding == `TULLE_ROUNDING_EVEN;
          two_steps_q <= rounding == `TULLE_ROUNDING_TWO_STEPS && shift[5];
          down_q      <= rounding == `TULLE_ROUNDING_EVEN || (negative_q != multiplier[31]);
          missing_q   <= missing;
        end
        place_q    <= step_q[2] ? next : {COUNT{1'b0}};
        fraction_q <= !step_q[2] || (fraction_q && next != whole[COUNT-1:0]);
        if (!step_q[2] || fraction_q) last_q <= step_q[2] && out[STEP-1];
        if (!step_q[2] || fraction_q) flat_q <= !step_q[2] || (flat_q && ((bits ^ {STEP{!down_q}}) & counts) == {STEP{1'b0}});
      end

      assign up   = rounds_q && (!(even_q || two_steps_q) ? half :
                                 down_q                   ? half && (!flat_q || (even_q && odd)) :
                                                            half || flat_q);
      assign back = slope_q && even_q && flat_q && !half;
    end else begin : gen_half
      assign up   = rounds_q && half;
      assign back = 1'b0;
      wire unused_rounding = &{1'b0, rounding};
    end
  endgenerate

  // -- Limits ---------------------------------------------------------------------------------------------------
  // Zero point, low, high, selection and int8 take a cycle each while the next request is multiplied.

  localparam VALUE = 19; // 18 bits, and the carry of the zero point

  reg [PES-1:0]      limit_pe_q;
  reg [15:0]         zero_q;
  reg [15:0]         bound_low_q;
  reg [15:0]         bound_high_q;
  reg                relu_q;
  reg                full_q;      // the result keeps all bits
  reg                int8_q;
  reg                int32_q;

  wire unlimited = end_q[1] && !is_limit;
  wire no_zero   = end_q[1] && !is_scale;

  // Unlimited results have the limits of int16; int8 is a further limit.
  always @(posedge clk_i) begin
    if (end_q[1]) begin
      limit_pe_q <= row_pe_q;
      relu_q     <= is_relu;
      full_q     <= element[1] && !is_limit;
      int8_q     <= element == `TULLE_ELEMENT_INT8;
      int32_q    <= element == `TULLE_ELEMENT_INT32;
    end

    if (unlimited) begin
      bound_low_q  <= 16'h8000;
      bound_high_q <= 16'h7FFF;
    end else if (end_q[1]) begin
      bound_low_q  <= low;
      bound_high_q <= high;
    end

    if (no_zero)       zero_q <= 16'd0;
    else if (end_q[1]) zero_q <= zero;
  end

  wire           sign     = high_q[HIGH-1];

  wire [17:0]      value_bits = {low_q ? low_half[17:1] : high_q[17:1], odd && !back};
  wire [VALUE:0]   value_sum  = {{3{zero_q[15]}}, zero_q, 1'b0} - {~{value_bits[17], value_bits}, !up};

  // More than 18 bits: the bits above differ from the sign.
  wire above_window = (high_q[HIGH-2:17] ^ {HIGH-18{sign}}) != {HIGH-18{1'b0}};
  wire in_high_half = (high_q[16:0] ^ {17{sign}}) != 17'd0;
  wire in_low_half  = (low_half[LOW-1:17] ^ {LOW-17{sign}}) != {LOW-17{1'b0}};

  reg [VALUE-1:0] value_q;
  reg             large_q;
  reg             sign_q;
  reg             below_q;

  wire [VALUE-1:0] bound    = end_q[3] ? {{VALUE-16{bound_low_q[15]}}, bound_low_q} :
                                        {{VALUE-16{bound_high_q[15]}}, bound_high_q};
  wire [VALUE-1:0] distance = value_q - bound; // a value equal to high gives the same result either way
  wire             under    = large_q ? sign_q : distance[VALUE-1];
  wire            unused   = &{1'b0, value_sum[0], distance[VALUE-2:0]};

  always @(posedge clk_i) begin
    if (end_q[2]) begin
      value_q <= value_sum[VALUE:1];
      large_q <= above_window || (low_q && (in_high_half || in_low_half));
      sign_q  <= sign;
    end
    if (end_q[3]) below_q <= under;
  end

  // -- Result ---------------------------------------------------------------------------------------------------

  reg  [15:0]          result_q;
  wire [ACC_WIDTH-1:16] upper;    // upper bits of a full result
  wire                  saturates_now; // saturation to 64 bits, in the cycle of the upper bits
  wire                  saturates;     // the same, later

  localparam [2:0] VALUE_IS = 3'd0, LOW_IS = 3'd1, HIGH_IS = 3'd2, ZEROS = 3'd4, ONES = 3'd5;

  reg [2:0] choice_q;

  always @(posedge clk_i) begin
    choice_q <= (relu_q && sign_q) ? ZEROS :
                saturates          ? ONES :
                full_q             ? VALUE_IS :
                below_q            ? LOW_IS :
                !under             ? HIGH_IS :
                                     VALUE_IS;
  end

  // In the second pass, values outside int8 become -128 or 127.
  wire       too_wide = int8_q && result_q[15:7] != {9{result_q[15]}};
  wire [2:0] upper_choice = end_q[6] ? {2'b10, result_q[15]} : choice_q;
  wire [2:0] lower_choice = end_q[6] ? {2'b10, !result_q[15]} : choice_q;

  generate
    for (g = 0; g < 16; g = g + 1) begin : gen_result
      wire [2:0] choice = g < 7 ? lower_choice : upper_choice;
      always @(posedge clk_i) begin
        if (end_q[5] || (end_q[6] && too_wide && g != 15))
          result_q[g] <= choice[2] ? choice[0] : choice[1] ? bound_high_q[g] :
                         choice[0] ? bound_low_q[g] : value_q[g];
      end
    end

    if (ACC_WIDTH == 64 && HAS_LEAKY) begin : gen_saturate
      reg saturates_q;
      always @(posedge clk_i) if (end_q[2]) saturates_q <= saturates_now;
      assign saturates_now = slope_q && full_q && !sign && low_half[63];
      assign saturates     = saturates_q;
    end else begin : gen_wrap
      assign saturates_now = 1'b0;
      assign saturates     = 1'b0;
      wire unused_slope = slope_q;
    end
  endgenerate

  reg [ACC_WIDTH-1:16] upper_q;
  wire                  cut = end_q[2] && relu_q && sign;

  generate
    for (g = 16; g < ACC_WIDTH; g = g + 1) begin : gen_upper
      wire bits   = (g >= 32 && int32_q) ? low_half[g >= 32 ? 31 : g] : low_half[g];
      wire fitted = (g == 63 && saturates_now && !int32_q) ? 1'b0 : saturates_now || bits;
      always @(posedge clk_i) begin
        if (cut)           upper_q[g] <= 1'b0;
        else if (end_q[2]) upper_q[g] <= fitted;
      end
      assign upper[g] = full_q ? upper_q[g] : result_q[15];
    end
  endgenerate

  reg [PES-1:0] answer_q;
  always @(posedge clk_i) answer_q <= (rst_ni && end_q[6]) ? limit_pe_q : {PES{1'b0}};

  // -- Late functions -------------------------------------------------------------------------------------------
  // The fields that late functions need are in a second table. They stay from the first cycle of a row until the next
  // one's.

  generate
    if (HAS_LATE) begin : gen_late
      localparam LATENCY = HAS_CURVE ? 8 : 6; // as in tulle_late_functions
      localparam RECORD  = HAS_USER ? `TULLE_CONFIG_WIDTH : 16;

      wire [RECORD-1:0] row;
      reg  [RECORD-1:0] row_q;     // the record of the request that is limited, until two cycles after its result
      reg               sigmoid_q; // of the last request, for as long as the curve needs it
      reg  [1:0]        element_q;
      wire [`TULLE_CONFIG_WIDTH-1:0]      record;
      wire [5:0]        late_function = row_q[`TULLE_CONFIG_FUNCTION_FUNCTION];

      tulle_lutram #(
        .WIDTH (RECORD),
        .DEPTH (ROWS)
      ) u_records (
        .clk_i   (clk_i),
        .we_i    (table_write_i),
        .waddr_i (write_row[BUF_WIDTH+INDEXES-1:0]),
        .wdata_i (table_record_i[RECORD-1:0]),
        .raddr_i (read_row[BUF_WIDTH+INDEXES-1:0]),
        .rdata_o (row)
      );

      if (HAS_USER) begin : gen_record
        assign record = row_q;
      end else begin : gen_no_record
        assign record = {`TULLE_CONFIG_WIDTH{1'b0}};
      end

      always @(posedge clk_i) begin
        if (end_q[1]) row_q <= copies ? {RECORD{1'b0}} : row;
        if (end_q[6]) sigmoid_q <= late_function == `TULLE_FUNCTION_SIGMOID;
        if (end_q[6]) element_q <= row_q[`TULLE_CONFIG_FUNCTION_ELEMENT];
      end

      tulle_late_functions #(
        .ACC_WIDTH (ACC_WIDTH),
        .FUNCTIONS (FUNCTIONS)
      ) u_late_functions (
        .clk_i     (clk_i),
        .enable_i  (1'b1),
        .curve_i   (HAS_CURVE && (late_function == `TULLE_FUNCTION_SIGMOID || late_function == `TULLE_FUNCTION_TANH)),
        .user_i    (HAS_USER && late_function == `TULLE_FUNCTION_USER),
        .sigmoid_i (sigmoid_q),
        .element_i (element_q),
        .record_i  (record),
        .value_i   ({upper, result_q}),
        .value_o   (function_o)
      );

      reg [LATENCY-1:0] valid_q;
      reg [PES-1:0]     pe_q [0:LATENCY-1];

      always @(posedge clk_i) begin
        if (!rst_ni) valid_q <= {LATENCY{1'b0}};
        else         valid_q <= {valid_q[LATENCY-2:0], answer_q != {PES{1'b0}}};
      end

      for (g = 0; g < LATENCY; g = g + 1) begin : gen_pe
        if (g == 0) begin : gen_first
          always @(posedge clk_i) pe_q[g] <= answer_q;
        end else begin : gen_next
          always @(posedge clk_i) pe_q[g] <= pe_q[g-1];
        end
      end

      assign function_valid_o = pe_q[LATENCY-1] & {PES{valid_q[LATENCY-1]}};

      wire unused_row = &{1'b0, row_q, sigmoid_q};

      tulle_assert #(
        .MESSAGE ("a curve has its record for seven cycles")
      ) u_answers_apart (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(answer_q != {PES{1'b0}} && valid_q[5:0] != 6'd0))
      );
    end else begin : gen_at_once
      assign function_valid_o = answer_q;
      assign function_o       = {upper, result_q};
    end
  endgenerate

  // -- Properties -----------------------------------------------------------------------------------------------

  generate
    for (g = 0; g < PES; g = g + 1) begin : gen_check
      tulle_stream_check #(
        .WIDTH (6)
      ) u_request_check (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .valid_i (chain_valid_i[g]),
        .ready_i (function_valid_o[g]),
        .data_i  ({chain_buffer_i[g*5 +: 5], chain_i[(g+1)*ACC_WIDTH-1]})
      );
    end
  endgenerate

  tulle_assert #(
    .MESSAGE ("no request has fewer than six digits, so steps_q is right in time")
  ) u_enough_steps (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!at_end || count_q >= 6)
  );

endmodule

`default_nettype wire
