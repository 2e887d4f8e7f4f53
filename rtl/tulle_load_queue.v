// SPDX-License-Identifier: Apache-2.0
//
// tulle_load_queue: the load queue of a PE. The effective pairs of weight and activation of a word (up to SCAN), and
// possibly the end of a MAC, wait here as a group. A group releases one pair a cycle to the PE's own multiplier, and
// one pair a cycle to the left neighbour if the neighbour helps. The last pair of a MAC stays with the PE, because it
// carries the end. With SCAN 2, only the second pair of a word moves, which saves a selection without a measurable
// loss.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   reserve_i                     a word that may bring a group is read
//   credit_o                      another word may be read
//   valid_i, end_i, move_i        a word arrives, even without pairs; whether it ends its MAC; whether its pairs may
//                                 move
//   maximum_i                     its MAC keeps the largest product, so that its pairs must not move
//   effective_i                   which pairs are effective
//   values_i, activations_i       the pairs
//   own_valid_o, own_ready_i      output stream to the PE's own multiplier:
//   own_load_o, own_end_o, own_o  whether there is a pair, whether the MAC ends, and the pair {weight, activation}
//   own_maximum_o                 its MAC keeps the largest product
//   move_valid_o, move_want_i     a pair to the left neighbour, in a cycle in which the neighbour wants one
//   move_o
//   empty_o                       no group is here or on its way
//
// Parameters
//   DATA_WIDTH, SCAN
//   ACTIVATION_WIDTH              bits of an activation
//   DEPTH                         groups that wait
//   FLIGHT                        maximum number of words between reserve_i and valid_i
//   MAXIMUM                       0: maximum_i is ignored
//
// Latency: the first pair of a group leaves two cycles after the group arrived.

`default_nettype none

module tulle_load_queue #(
  parameter DATA_WIDTH = 8,
  parameter ACTIVATION_WIDTH = DATA_WIDTH,
  parameter SCAN       = 2,
  parameter DEPTH      = 8,
  parameter FLIGHT     = 7,
  parameter MAXIMUM    = 0
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,

  input  wire                       reserve_i,
  output wire                       credit_o,

  input  wire                       valid_i,
  input  wire                       end_i,
  input  wire                       move_i,
  input  wire                       maximum_i,
  input  wire [SCAN-1:0]            effective_i,
  input  wire [SCAN*DATA_WIDTH-1:0] values_i,
  input  wire [SCAN*ACTIVATION_WIDTH-1:0] activations_i,

  output wire                       own_valid_o,
  input  wire                       own_ready_i,
  output wire                       own_load_o,
  output wire                       own_end_o,
  output wire                       own_maximum_o,
  output wire [DATA_WIDTH+ACTIVATION_WIDTH-1:0] own_o,

  input  wire                       move_want_i,
  output wire                       move_valid_o,
  output wire [DATA_WIDTH+ACTIVATION_WIDTH-1:0] move_o,

  output wire                       empty_o
);

  localparam PLACES = 1 << $clog2(DEPTH + FLIGHT + 1);
  localparam ADDR   = $clog2(PLACES);
  localparam PAIR   = DATA_WIDTH + ACTIVATION_WIDTH;
  localparam PLAIN  = 2 + SCAN + SCAN * PAIR;
  localparam GROUP  = PLAIN + ((MAXIMUM != 0) ? 1 : 0);

  localparam [ADDR:0] CREDITS = DEPTH + FLIGHT;

  // -- Groups ------------------------------------------------------------------------------------------------

  reg [ADDR-1:0] tail_q;
  reg [ADDR-1:0] head_q;
  reg            waiting_q; // a group is in memory
  reg [ADDR:0]   used_q;    // groups here or on their way
  reg            credit_q;

  wire [SCAN*PAIR-1:0] pairs;
  genvar l;
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_pair
      assign pairs[l*PAIR +: PAIR] = {values_i[l*DATA_WIDTH +: DATA_WIDTH],
                                      activations_i[l*ACTIVATION_WIDTH +: ACTIVATION_WIDTH]};
    end
  endgenerate

  wire push = valid_i && (end_i || effective_i != {SCAN{1'b0}});
  wire drop = valid_i && !push;
  wire take; // the next group moves to the register

  // take arrives late, so it is evaluated last and counted a cycle later.
  wire [ADDR-1:0] next_d = head_q + 1'b1;
  reg             drop_q;
  reg             take_q;

  // Adds 1, -1 or -2, as a signed number.
  wire            odd    = reserve_i ^ drop_q ^ take_q;
  wire            less   = (drop_q && take_q) || (!reserve_i && (drop_q || take_q));
  wire [ADDR:0]   used_d = used_q + {{ADDR{less}}, odd};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      tail_q    <= {ADDR{1'b0}};
      head_q    <= {ADDR{1'b0}};
      {drop_q, take_q, waiting_q} <= 3'd0;
      used_q    <= {ADDR+1{1'b0}};
      credit_q  <= 1'b0;
    end else begin
      if (push) tail_q <= tail_q + 1'b1;
      if (take) head_q <= next_d;
      drop_q    <= drop;
      take_q    <= take;
      waiting_q <= push || (take ? tail_q != next_d : waiting_q);
      used_q    <= used_d;
      credit_q  <= used_d < CREDITS;
    end
  end

  wire [PLAIN:0]   group = {maximum_i, move_i, end_i, effective_i, pairs};
  wire [GROUP-1:0] next;

  initial head_q = {ADDR{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (GROUP),
    .DEPTH (PLACES)
  ) u_groups (
    .clk_i   (clk_i),
    .we_i    (push),
    .waddr_i (tail_q),
    .wdata_i (group[GROUP-1:0]),
    .raddr_i (head_q),
    .rdata_o (next)
  );

  // -- The group at the head, pair by pair ------------------------------------------------------------------

  reg                 valid_q;
  reg                 move_q;
  reg                 end_q;
  reg [SCAN-1:0]      left_q;  // pairs that have not left
  reg [SCAN*PAIR-1:0] pairs_q;

  localparam [SCAN-1:0] ONE = 1;

  wire [SCAN-1:0] low    = left_q & (~left_q + ONE); // the pair for the PE itself
  wire [SCAN-1:0] others = left_q & ~low;
  wire [SCAN-1:0] high;                              // the pair for the neighbour
  wire            one    = others == {SCAN{1'b0}};   // at most one pair is left

  generate
    if (SCAN == 1) begin : gen_high_of_1
      assign high = left_q;
    end else if (SCAN == 2) begin : gen_high_of_2
      assign high = {left_q[1], 1'b0};
    end else begin : gen_high_of_4
      assign high = {left_q[3], left_q[2] && !left_q[3], left_q[1] && left_q[3:2] == 2'b00,
                     left_q[0] && left_q[3:1] == 3'b000};
    end
  endgenerate

  // In a group with an end, a pair moves only if another pair remains after this cycle.
  wire own  = valid_q && own_ready_i;
  wire two  = (others & (others - ONE)) == {SCAN{1'b0}}; // at most two pairs
  wire may  = move_q && high != {SCAN{1'b0}} &&
              (own ? !one && (!end_q || !two) : !end_q || !one);
  wire move = valid_q && move_want_i && may;

  wire [SCAN-1:0] left_d = left_q & ~(own ? low : {SCAN{1'b0}}) & ~(move ? high : {SCAN{1'b0}});
  wire            gone   = valid_q && left_d == {SCAN{1'b0}} && (own || !end_q);

  assign take = waiting_q && (!valid_q || gone);

  always @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else begin
      valid_q <= take || (valid_q && !gone);
    end
  end

  always @(posedge clk_i) begin
    if (take) {move_q, end_q, left_q, pairs_q} <= next[PLAIN-1:0];
    else      left_q <= left_d;
  end

  generate
    if (MAXIMUM != 0) begin : gen_maximum
      reg maximum_q;
      always @(posedge clk_i) if (take) maximum_q <= next[PLAIN];
      assign own_maximum_o = maximum_q;
    end else begin : gen_no_maximum
      assign own_maximum_o = 1'b0;
      wire unused = &{1'b0, group};
    end
  endgenerate

  generate
    if (SCAN == 1) begin : gen_pick_of_1
      assign own_o  = pairs_q;
      assign move_o = pairs_q;
    end else if (SCAN == 2) begin : gen_pick_of_2
      assign own_o  = left_q[0] ? pairs_q[0 +: PAIR] : pairs_q[PAIR +: PAIR];
      assign move_o = pairs_q[PAIR +: PAIR];
    end else begin : gen_pick_of_4
      assign own_o  = left_q[0] ? pairs_q[0 +: PAIR] : left_q[1] ? pairs_q[PAIR +: PAIR] :
                      left_q[2] ? pairs_q[2*PAIR +: PAIR] : pairs_q[3*PAIR +: PAIR];
      assign move_o = left_q[3] ? pairs_q[3*PAIR +: PAIR] : left_q[2] ? pairs_q[2*PAIR +: PAIR] :
                      left_q[1] ? pairs_q[PAIR +: PAIR] : pairs_q[0 +: PAIR];
    end
  endgenerate

  assign credit_o     = credit_q;
  assign own_valid_o  = valid_q;
  assign own_load_o   = left_q != {SCAN{1'b0}};
  assign own_end_o    = end_q && one;
  assign move_valid_o = move;
  assign empty_o      = used_q == {ADDR+1{1'b0}} && !valid_q;

  tulle_assert #(
    .MESSAGE ("the pairs of a maximum stay")
  ) u_maximum_stays (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(valid_i && maximum_i && move_i))
  );

  tulle_assert #(
    .MESSAGE ("never more groups than places")
  ) u_no_overflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (used_q <= CREDITS + 1'b1)
  );

endmodule

`default_nettype wire
