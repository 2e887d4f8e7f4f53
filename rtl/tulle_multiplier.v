// SPDX-License-Identifier: Apache-2.0
//
// tulle_multiplier: a PE's multiplier and the accumulator after it. It takes a pair a cycle: a pair that the right
// neighbour gave away if there is one, otherwise one of its own. Own products are accumulated until the MAC ends.
// Products of the neighbour's MAC are accumulated separately by the same adder, and their sum returns after each of
// them. With MAXIMUM, a MAC may keep its largest own product instead of the sum; without any product, the result is
// below every product.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   own_valid_i, own_ready_o      an own pair {weight, activation} or none, and whether the MAC ends
//   own_load_i, own_end_i, own_i
//   own_maximum_i                 its MAC keeps the largest product
//   room_i                        the end of another MAC may be taken
//   help_valid_i, help_i          a neighbour's pair {tag of its MAC, first of that MAC, weight, activation}
//   return_valid_o, return_o      {tag of the MAC, the sum of its products up to this one}
//   sum_valid_o, sum_o            one cycle: the sum of all own products of a MAC, or the largest one
//   sum_maximum_o                 with sum_valid_o: it is the largest one
//   ended_o                       one cycle: the last own pair of a MAC enters the multiplier
//
// Parameters
//   DATA_WIDTH                    bits of a weight; a product has twice as many, also with ACTIVATION_WIDTH one bit wider,
//                                 because the most negative activation of that width does not occur
//   ACTIVATION_WIDTH              bits of an activation
//   SUM_WIDTH                     bits of a sum of the largest number of products that a MAC may have
//   MAXIMUM                       1: there are MACs that keep the largest product
//
// Latency: three cycles from own_ready_o to sum_valid_o and from help_valid_i to return_valid_o.

`default_nettype none

module tulle_multiplier #(
  parameter DATA_WIDTH = 8,
  parameter ACTIVATION_WIDTH = DATA_WIDTH,
  parameter SUM_WIDTH  = 25,
  parameter MAXIMUM    = 0
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    own_valid_i,
  output wire                    own_ready_o,
  input  wire                    own_load_i,
  input  wire                    own_end_i,
  input  wire [DATA_WIDTH+ACTIVATION_WIDTH-1:0] own_i,
  input  wire                    own_maximum_i,
  input  wire                    room_i,

  input  wire                    help_valid_i,
  input  wire [DATA_WIDTH+ACTIVATION_WIDTH+1:0] help_i,
  output wire                    return_valid_o,
  output wire [SUM_WIDTH:0]      return_o,

  output wire                    sum_valid_o,
  output wire [SUM_WIDTH-1:0]    sum_o,
  output wire                    sum_maximum_o,

  output wire                    ended_o
);

  localparam PAIR    = DATA_WIDTH + ACTIVATION_WIDTH;
  localparam PRODUCT = 2 * DATA_WIDTH;

  tulle_require #(
    .LEGAL   (SUM_WIDTH >= 2 * DATA_WIDTH),
    .MESSAGE ("tulle_multiplier: SUM_WIDTH must be at least 2 * DATA_WIDTH")
  ) u_require_sum_width_at_least_product ();

  // -- Multiplication ----------------------------------------------------------------------------------------

  // Combinational ready: an offered pair may change as long as it is not taken.
  wire own = own_valid_i && !help_valid_i && (room_i || !own_end_i);

  reg                          own_1_q;
  reg                          own_2_q;
  reg                          ending_1_q;
  reg                          ending_2_q;
  reg                          ending_3_q;
  reg                          help_1_q;
  reg                          help_2_q;
  reg                          help_3_q;
  reg                          tag_1_q;
  reg                          tag_2_q;
  reg                          tag_3_q;
  reg                          first_1_q;
  reg                          first_2_q;
  reg  signed [DATA_WIDTH-1:0] weight_q;
  reg  signed [ACTIVATION_WIDTH-1:0] activation_q;
  reg  signed [PRODUCT-1:0]    product_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {own_1_q, own_2_q, ending_1_q, ending_2_q, ending_3_q, help_1_q, help_2_q, help_3_q, tag_1_q, tag_2_q,
       tag_3_q, first_1_q, first_2_q} <= 13'd0;
    end else begin
      own_1_q    <= own;
      own_2_q    <= own_1_q;
      ending_1_q <= own && own_end_i;
      ending_2_q <= ending_1_q;
      ending_3_q <= ending_2_q;
      help_1_q   <= help_valid_i;
      help_2_q   <= help_1_q;
      help_3_q   <= help_2_q;
      tag_1_q    <= help_i[PAIR+1];
      tag_2_q    <= tag_1_q;
      tag_3_q    <= tag_2_q;
      first_1_q  <= help_i[PAIR];
      first_2_q  <= first_1_q;
    end
  end

  // An end without a pair adds 0.
  always @(posedge clk_i) begin
    if (!help_valid_i && !own_load_i) {weight_q, activation_q} <= {PAIR{1'b0}};
    else                              {weight_q, activation_q} <= help_valid_i ? help_i[PAIR-1:0] : own_i;
    product_q <= weight_q * activation_q;
  end

  // -- Sums --------------------------------------------------------------------------------------------------

  reg                  fresh_q; // the own sum starts anew
  reg  [SUM_WIDTH-1:0] own_sum_q;
  reg  [SUM_WIDTH-1:0] help_sum_q;
  wire                 replaces; // the own product replaces the sum
  wire                 keeps;    // the own sum stays
  wire                 nothing;  // the own sum becomes a value below every product
  wire [SUM_WIDTH-1:0] wide;
  wire [SUM_WIDTH-1:0] sum;

  generate
    if (SUM_WIDTH > PRODUCT) begin : gen_extend
      assign wide = {{SUM_WIDTH-PRODUCT{product_q[PRODUCT-1]}}, product_q};
    end else begin : gen_same_width
      assign wide = product_q;
    end
  endgenerate

  tulle_sum #(
    .WIDTH (SUM_WIDTH)
  ) u_sum (
    .zero_i   (help_2_q ? first_2_q : replaces),
    .second_i (help_2_q),
    .a_i      (own_sum_q),
    .b_i      (help_sum_q),
    .c_i      (wide),
    .carry_i  (1'b0),
    .sum_o    (sum)
  );

  always @(posedge clk_i) begin
    if (!rst_ni)      fresh_q <= 1'b1;
    else if (own_2_q) fresh_q <= ending_2_q;
  end

  generate
    if (MAXIMUM != 0) begin : gen_maximum
      reg  load_1_q;
      reg  load_2_q;
      reg  maximum_1_q;
      reg  maximum_2_q;
      reg  maximum_3_q;
      wire larger = $signed(product_q) > $signed(own_sum_q[PRODUCT-1:0]);

      always @(posedge clk_i) begin
        load_1_q    <= own_load_i;
        load_2_q    <= load_1_q;
        maximum_1_q <= own_maximum_i;
        maximum_2_q <= maximum_1_q;
        maximum_3_q <= maximum_2_q;
      end

      assign sum_maximum_o = maximum_3_q;

      assign replaces = fresh_q || maximum_2_q;
      assign nothing  = own_2_q && maximum_2_q && fresh_q && !load_2_q;
      assign keeps    = maximum_2_q && !fresh_q && !(load_2_q && larger);
    end else begin : gen_no_maximum
      assign sum_maximum_o = 1'b0;

      assign replaces = fresh_q;
      assign nothing  = 1'b0;
      assign keeps    = 1'b0;
      wire unused = &{1'b0, own_maximum_i};
    end
  endgenerate

  localparam [SUM_WIDTH-1:0] NOTHING = {SUM_WIDTH{1'b1}} << (PRODUCT - 1);

  always @(posedge clk_i) begin
    if (nothing)                own_sum_q <= NOTHING;
    else if (own_2_q && !keeps) own_sum_q <= sum;
    if (help_2_q) help_sum_q <= sum;
  end

  assign own_ready_o    = own;
  assign ended_o        = own && own_end_i;
  assign return_valid_o = help_3_q;
  assign return_o       = {tag_3_q, help_sum_q};
  assign sum_valid_o    = ending_3_q;
  assign sum_o          = own_sum_q;

endmodule

`default_nettype wire
