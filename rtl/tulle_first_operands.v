// SPDX-License-Identifier: Apache-2.0
//
// tulle_first_operands: computes the operands that an instruction starts with from its configuration record, and
// checks them. It has one adder, with one step a cycle. base x block is added to the address or the result. A stride,
// and the sum of stride and pitch, become steps in 0..wrap - 1, modulo wrap; with PLANES the sum of stride, pitch and
// plane, too.
//
// Ports
//   clk_i                            clock
//   run_i                            the fields are stable and the operands are requested; low for at least one cycle
//                                    before the next request
//   base_i, base_is_address_i, loads_i
//                                    the instruction's base; whether the base concerns the address and not the
//                                    result; whether the instruction loads activations
//   block_i, address_i, ...          the fields of the record, and the block of the header
//   done_o                           the results are valid, while run_i
//   address_o, result_o, stride_o, turn_o, wrap_o
//                                    operands. stride_o and turn_o are to be subtracted; turn_o is for stride +
//                                    pitch, or for stride without an inner count. The value INPUT_DEPTH is
//                                    represented as 0.
//   plane_o                          with PLANES: a step like turn_o, for stride + pitch + plane; turn_o without an
//                                    outer count
//   outside_o                        an operand or a step is outside its buffer
//   unfit_o                          the block is not a number of whole lines within wrap
//
// Parameters
//   INPUT_DEPTH                      activations in an input buffer, a power of two; a wrap of 0 stands for it
//   OUTPUT_DEPTH                     entries of an output queue, a power of two
//   LINE                             activations in a line, a power of two
//   PLANES                           1: there is a second turn
//
// Latency: 5 cycles, plus 3 with a base and 1 for each bit of it, 3 with an inner count, 4 with an outer count, 1 for each
// negative step, and 2 for a load. Without a base, 2 less when the address is 0, and 4 when the stride is 0, too.

`default_nettype none

module tulle_first_operands #(
  parameter INPUT_DEPTH  = 64,
  parameter OUTPUT_DEPTH = 16,
  parameter LINE         = 8,
  parameter PLANES       = 0
) (
  input  wire                            clk_i,

  input  wire                            run_i,
  input  wire [3:0]                      base_i,
  input  wire                            base_is_address_i,
  input  wire                            loads_i,
  input  wire [15:0]                     block_i,
  input  wire [15:0]                     address_i,
  input  wire [15:0]                     stride_i,
  input  wire [15:0]                     inner_i,
  input  wire [15:0]                     pitch_i,
  input  wire [15:0]                     outer_i,
  input  wire [15:0]                     plane_i,
  input  wire [15:0]                     wrap_i,
  input  wire [15:0]                     result_i,

  output wire                            done_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]  address_o,
  output wire [$clog2(OUTPUT_DEPTH)-1:0] result_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]  stride_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]  turn_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]  plane_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]  wrap_o,
  output wire                            outside_o,
  output wire                            unfit_o
);

  localparam ADDR  = $clog2(INPUT_DEPTH);
  localparam OUT   = $clog2(OUTPUT_DEPTH);
  localparam WIDTH = 21; // base x block plus an operand

  tulle_require #(
    .LEGAL   (INPUT_DEPTH >= 2 && INPUT_DEPTH <= 65536 && (INPUT_DEPTH & (INPUT_DEPTH - 1)) == 0),
    .MESSAGE ("tulle_first_operands: INPUT_DEPTH must be a power of two, 2..65536")
  ) u_require_input_depth_power_of_two_2_to_65536 ();

  tulle_require #(
    .LEGAL   (OUTPUT_DEPTH >= 2 && OUTPUT_DEPTH <= 32768 && (OUTPUT_DEPTH & (OUTPUT_DEPTH - 1)) == 0),
    .MESSAGE ("tulle_first_operands: OUTPUT_DEPTH must be a power of two, 2..32768")
  ) u_require_output_depth_power_of_two_2_to_32768 ();

  // The content of the accumulator in each step; the next content is computed from it.
  localparam [3:0] PRODUCT  = 4'd0;  // four steps, one for each bit of base: base x block so far
  localparam [3:0] BASED    = 4'd4;  // base x block
  localparam [3:0] FIRST    = 4'd5;  // the operand that the base concerns
  localparam [3:0] FIRST_IN = 4'd6;  // wrap minus this operand
  localparam [3:0] OTHER    = 4'd7;  // the other operand. Without a base, FIRST is the address, and the result needs no sum
  localparam [3:0] OTHER_IN = 4'd8;
  localparam [3:0] STRIDE   = 4'd9;
  localparam [3:0] SUMMED   = 4'd10; // stride + pitch
  localparam [3:0] FOLDED   = 4'd11; // a negative step plus wrap
  localparam [3:0] BACK     = 4'd12; // wrap minus the step
  localparam [3:0] BLOCK    = 4'd13;
  localparam [3:0] LAST     = 4'd14; // wrap minus the block; undefined without a load
  localparam [3:0] PLANED   = 4'd15; // stride + pitch + plane

  reg [3:0]       step_q;
  reg [3:0]       step_d;
  reg             second_q; // the second of the steps, stride + pitch, is computed, or the third
  reg             third_q;  // the third, stride + pitch + plane
  reg [WIDTH-1:0] sum_q;

  wire based   = base_i != 4'd0;
  wire placed  = based || address_i != 16'd0; // an address that is 0 and stays so is inside
  wire still   = !placed && stride_i == 16'd0;         // it stays there, so the first step is to subtract 0
  wire planing = PLANES != 0 && outer_i != 16'd0 && second_q && !third_q; // there is a third step
  wire turning = (inner_i != 16'd0 && !second_q) || planing;               // there is another step
  wire below   = sum_q[WIDTH-1];
  wire planed  = PLANES != 0 && step_q == PLANED;
  wire folds   = (step_q == STRIDE && !second_q) || (step_q == SUMMED && !third_q) || planed;

  always @* begin
    step_d = step_q + 4'd1;
    if (step_q == FIRST_IN && !based) step_d = STRIDE;
    if (step_q == STRIDE && second_q) step_d = SUMMED;
    if (step_q == SUMMED)             step_d = PLANED;
    if (folds)                        step_d = below ? FOLDED : BACK;
    if (step_q == BACK)               step_d = turning ? STRIDE : loads_i ? BLOCK : LAST;
    if (step_q == LAST)               step_d = LAST;
    if (!run_i)                       step_d = still ? BACK : !placed ? FIRST_IN : !based ? BASED : base_i[3] ? PRODUCT : base_i[2] ? PRODUCT + 4'd1 :
                                               base_i[1] ? PRODUCT + 4'd2 : PRODUCT + 4'd3;
  end

  always @(posedge clk_i) begin
    step_q <= step_d;
    if (!run_i)              second_q <= 1'b0;
    else if (step_q == BACK) second_q <= 1'b1;
    if (!run_i)              third_q <= 1'b0;
    else if (step_q == BACK) third_q <= planing;
  end

  // -- The adder -----------------------------------------------------------------------------------------------

  // wrap is at most INPUT_DEPTH, and 0 stands for INPUT_DEPTH; larger values are refused.
  wire [16:0] wrap       = {1'b0, wrap_i} | ((wrap_i == 16'd0) ? INPUT_DEPTH[16:0] : 17'd0);
  wire        on_address = !based || base_is_address_i == (step_q == BASED || step_q == FIRST || step_q == FIRST_IN);
  wire        at_operand = step_q == FIRST || step_q == OTHER;
  wire        negates    = at_operand || (folds && !below) || step_q == FOLDED || step_q == BLOCK;
  wire        keeps      = step_q == BASED || step_q == STRIDE || step_q == SUMMED || planed;
  wire        doubles    = step_q[3:2] == 2'd0;

  // The addend of a step is selected one step ahead.
  localparam [3:0] ADD_NOTHING = 4'd0; // the upper two bits select the kind, the lower two an operand of the record
  localparam [3:0] ADD_PLANE   = 4'd1;
  localparam [3:0] ADD_BLOCK   = 4'd4;
  localparam [3:0] ADD_WRAP    = 4'd8;
  localparam [3:0] ADD_ADDRESS = 4'd12;
  localparam [3:0] ADD_RESULT  = 4'd13;
  localparam [3:0] ADD_STRIDE  = 4'd14;
  localparam [3:0] ADD_PITCH   = 4'd15;

  reg [3:0] choice_d;
  reg [3:0] choice_q;

  always @* begin
    case (step_d)
      4'd0, 4'd1, 4'd2, 4'd3: choice_d = base_i[~step_d[1:0]] ? ADD_BLOCK : ADD_NOTHING;
      BASED:                  choice_d = (base_is_address_i || !based) ? ADD_ADDRESS : ADD_RESULT;
      FIRST_IN:               choice_d = !based ? ADD_STRIDE : base_is_address_i ? ADD_RESULT : ADD_ADDRESS;
      OTHER_IN:               choice_d = ADD_STRIDE;
      STRIDE:                 choice_d = step_q == BACK ? ADD_PITCH : ADD_WRAP;
      SUMMED:                 choice_d = third_q ? ADD_PLANE : ADD_WRAP;
      BACK:                   choice_d = turning ? ADD_STRIDE : ADD_BLOCK;
      default:                choice_d = ADD_WRAP;
    endcase
  end

  always @(posedge clk_i) choice_q <= choice_d;

  wire [4*16-1:0]  operands = {pitch_i, stride_i, result_i, address_i};
  wire [15:0]      operand  = operands[choice_q[1:0]*16 +: 16];
  wire [16:0]      plane    = {plane_i[15], plane_i} & {17{PLANES != 0 && choice_q[0]}};
  wire [4*17-1:0]  choices  = {choice_q[1] && operand[15], operand, wrap, 1'b0, block_i, plane};
  wire [16:0]      chosen   = choices[choice_q[3:2]*17 +: 17];
  wire             sign     = choice_q[3:1] == 3'b111 && operand[15] || // stride, pitch and plane are signed
                              (choice_q[3:2] == 2'd0 && plane[16]);
  wire [WIDTH-1:0] addend   = {{WIDTH-17{sign}}, chosen};

  // The lowest bit carries in: wrap - x, or one less for an operand, which must be below wrap. It is written as a
  // difference for the reason given in tulle_sum.
  wire [WIDTH-1:0] kept  = doubles ? {sum_q[WIDTH-2:0], 1'b0} : negates ? ~sum_q : keeps ? sum_q : {WIDTH{1'b0}};
  wire             carry = negates && !at_operand;
  wire [WIDTH:0]   sum   = {addend, 1'b0} - {~kept, !carry};

  always @(posedge clk_i) begin
    if (!run_i) sum_q <= {WIDTH{1'b0}};
    else        sum_q <= sum[WIDTH:1];
  end

  // -- Results -------------------------------------------------------------------------------------------------

  reg  [ADDR-1:0] address_q;
  reg  [OUT-1:0]  result_q;
  reg  [ADDR-1:0] stride_q;
  reg  [ADDR-1:0] turn_q;
  reg  [ADDR-1:0] plane_q;
  reg             outside_q;
  reg             unfit_q;

  localparam [16:0] LINE_MASK = LINE - 1;

  always @(posedge clk_i) begin
    if (!run_i)                        address_q <= {ADDR{1'b0}};
    else if (at_operand && on_address) address_q <= sum_q[ADDR-1:0];
    if (!based)                       result_q  <= result_i[OUT-1:0];
    else if (at_operand && !on_address) result_q <= sum_q[OUT-1:0];
    if (step_q == BACK && !second_q) stride_q  <= sum_q[ADDR-1:0];
    if (step_q == BACK && !third_q)   turn_q    <= sum_q[ADDR-1:0];
    if (step_q == BACK)               plane_q   <= sum_q[ADDR-1:0];
    if (!run_i)
      outside_q <= wrap > INPUT_DEPTH[16:0] || (!based && result_i[15:OUT] != {16-OUT{1'b0}});
    else if ((at_operand && !on_address && sum_q[WIDTH-1:OUT] != {WIDTH-OUT{1'b0}}) ||
             ((step_q == FIRST_IN || step_q == OTHER_IN) && on_address && below) ||
             ((step_q == FOLDED || step_q == BACK) && below))
      outside_q <= 1'b1;
    if (step_q != LAST)         unfit_q <= block_i == 16'd0 || (({1'b0, block_i} | wrap) & LINE_MASK) != 17'd0;
    else if (loads_i && below) unfit_q <= 1'b1;
  end

  // A load also waits for the comparison of the block.
  assign done_o    = run_i && (step_q == LAST || (step_q == BACK && !turning && !loads_i));
  assign address_o = address_q;
  assign result_o  = result_q;
  assign stride_o  = stride_q;
  assign turn_o    = turn_q;
  assign plane_o   = plane_q;
  assign wrap_o    = wrap[ADDR-1:0];
  assign outside_o = outside_q;
  assign unfit_o   = unfit_q;

  wire unused = &{1'b0, sum[0], outer_i, plane_i};

endmodule

`default_nettype wire
