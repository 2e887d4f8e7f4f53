// SPDX-License-Identifier: Apache-2.0
//
// tulle_multiplier: a PE's multiplier and the sum of its own products. Takes a pair a cycle: one that the right
// neighbour gave away when there is one, else one of its own. The neighbour's product
// goes back to it; own products are added until the MAC ends; the sum then waits until it is taken, while the next
// MACs are already being summed.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   own_valid_i, own_ready_o      a pair {weight, activation} or none, and the end of a MAC or not
//   own_load_i, own_end_i, own_i
//   help_valid_i, help_ready_o    a neighbour's pair and whose MAC it is of {tag, weight, activation}; as many as the
//   help_i                        queue has places beyond HELP may still come when help_ready_o falls
//   return_valid_o, return_o      its product {tag, product}
//   sum_valid_o, sum_o            the oldest MAC's own products, all of them
//   sum_take_i                    the sum is taken
//   ended_o                       one cycle: the last own pair of a MAC goes to the multiplier
//   empty_o                       nothing is here
//
// Parameters
//   DATA_WIDTH, ACC_WIDTH
//   SUMS                          sums that may wait or be on their way: the accumulation buffers; a power of two
//   HELP                          a neighbour's pairs at which help_ready_o falls; 0: there is no neighbour to help
//
// Latency: four cycles from own_valid_i to sum_valid_o, from help_valid_i to return_valid_o.

`default_nettype none

module tulle_multiplier #(
  parameter DATA_WIDTH = 8,
  parameter ACC_WIDTH  = 32,
  parameter SUMS       = 8,
  parameter HELP       = 4
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    own_valid_i,
  output wire                    own_ready_o,
  input  wire                    own_load_i,
  input  wire                    own_end_i,
  input  wire [2*DATA_WIDTH-1:0] own_i,

  input  wire                    help_valid_i,
  output wire                    help_ready_o,
  input  wire [2*DATA_WIDTH:0]   help_i,
  output wire                    return_valid_o,
  output wire [2*DATA_WIDTH:0]   return_o,

  output wire                    sum_valid_o,
  output wire [ACC_WIDTH-1:0]    sum_o,
  input  wire                    sum_take_i,

  output wire                    ended_o,
  output wire                    empty_o
);

  localparam PAIR = 2 * DATA_WIDTH;

  // -- Pairs of the right neighbour --------------------------------------------------------------------------

  wire            help_valid;
  wire            help_tag;
  wire [PAIR-1:0] help_pair;
  wire            help_empty;

  generate
    if (HELP > 0) begin : gen_help
      localparam PLACES = 2 << $clog2(HELP);
      localparam ADDR   = $clog2(PLACES);
      localparam [ADDR:0] LIMIT = HELP;

      reg [ADDR-1:0] tail_q;
      reg [ADDR-1:0] head_q;
      reg [ADDR:0]   count_q;
      reg            valid_q;
      reg            ready_q;
      wire [ADDR:0]  count_d = count_q + {{ADDR{1'b0}}, help_valid_i} - {{ADDR{1'b0}}, valid_q};

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          tail_q  <= {ADDR{1'b0}};
          head_q  <= {ADDR{1'b0}};
          count_q <= {ADDR+1{1'b0}};
          valid_q <= 1'b0;
          ready_q <= 1'b0;
        end else begin
          if (help_valid_i) tail_q <= tail_q + 1'b1;
          if (valid_q)      head_q <= head_q + 1'b1;
          count_q <= count_d;
          valid_q <= count_d != {ADDR+1{1'b0}};
          ready_q <= count_d < LIMIT;
        end
      end

      tulle_lutram #(
        .WIDTH (1 + PAIR),
        .DEPTH (PLACES)
      ) u_pairs (
        .clk_i   (clk_i),
        .we_i    (help_valid_i),
        .waddr_i (tail_q),
        .wdata_i (help_i),
        .raddr_i (head_q),
        .rdata_o ({help_tag, help_pair})
      );

      assign help_valid   = valid_q;
      assign help_ready_o = ready_q;
      assign help_empty   = !valid_q;

      tulle_assert #(
        .MESSAGE ("a neighbour's pair comes only where there is a place")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(help_valid_i && count_q == PLACES[ADDR:0]))
      );
    end else begin : gen_no_help
      assign help_valid   = 1'b0;
      assign help_tag     = 1'b0;
      assign help_pair    = {PAIR{1'b0}};
      assign help_ready_o = 1'b0;
      assign help_empty   = 1'b1;
      wire unused = &{1'b0, help_valid_i, help_i};
    end
  endgenerate

  // -- Multiplication ----------------------------------------------------------------------------------------

  reg  ending_1_q;
  reg  ending_2_q;
  reg  ending_3_q;
  reg  room_q; // another MAC may end

  // Ready without a register between: what is offered may change as long as it is not taken.
  assign own_ready_o = own_valid_i && !help_valid && (room_q || !own_end_i);

  reg                         own_1_q;
  reg                         own_2_q;
  reg                         help_1_q;
  reg                         help_2_q;
  reg                         tag_1_q;
  reg                         tag_2_q;
  reg  signed [DATA_WIDTH-1:0] weight_q;
  reg  signed [DATA_WIDTH-1:0] activation_q;
  reg  signed [PAIR-1:0]       product_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      own_1_q    <= 1'b0;
      own_2_q    <= 1'b0;
      help_1_q   <= 1'b0;
      help_2_q   <= 1'b0;
      ending_1_q <= 1'b0;
      ending_2_q <= 1'b0;
      ending_3_q <= 1'b0;
    end else begin
      own_1_q    <= own_ready_o && own_load_i;
      own_2_q    <= own_1_q;
      help_1_q   <= help_valid;
      help_2_q   <= help_1_q;
      ending_1_q <= own_ready_o && own_end_i;
      ending_2_q <= ending_1_q;
      ending_3_q <= ending_2_q;
    end
  end

  always @(posedge clk_i) begin
    {weight_q, activation_q} <= help_valid ? help_pair : own_i;
    product_q <= weight_q * activation_q;
    tag_1_q   <= help_tag;
    tag_2_q   <= tag_1_q;
  end

  assign return_valid_o = help_2_q;
  assign return_o       = {tag_2_q, product_q};

  // -- Own sum -----------------------------------------------------------------------------------------------

  reg                  fresh_q; // the sum begins anew
  reg  [ACC_WIDTH-1:0] acc_q;
  wire [ACC_WIDTH-1:0] wide  = {{ACC_WIDTH-PAIR{product_q[PAIR-1]}}, product_q};
  wire [ACC_WIDTH-1:0] acc_d;

  tulle_sum #(
    .WIDTH (ACC_WIDTH)
  ) u_acc (
    .zero_i   (fresh_q),
    .second_i (1'b0),
    .a_i      (acc_q),
    .b_i      ({ACC_WIDTH{1'b0}}),
    .c_i      (wide),
    .sum_o    (acc_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      fresh_q <= 1'b1;
    end else begin
      fresh_q <= ending_2_q || (fresh_q && !own_2_q);
    end
  end

  always @(posedge clk_i) begin
    if (own_2_q)                    acc_q <= acc_d;
    else if (ending_2_q && fresh_q) acc_q <= {ACC_WIDTH{1'b0}};
  end

  // -- Sums that wait ----------------------------------------------------------------------------------------

  localparam SUM = $clog2(SUMS);
  localparam [SUM:0] SUMS_MAX = SUMS;

  reg  [SUM-1:0] tail_q;
  reg  [SUM-1:0] head_q;
  reg  [SUM:0]   here_q;  // sums that wait
  reg  [SUM:0]   all_q;   // and those on their way
  reg            sum_valid_q;
  wire           ended  = own_ready_o && own_end_i;
  wire [SUM:0]   here_d = here_q + {{SUM{1'b0}}, ending_3_q} - {{SUM{1'b0}}, sum_take_i};
  wire [SUM:0]   all_d  = all_q + {{SUM{1'b0}}, ended} - {{SUM{1'b0}}, sum_take_i};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      tail_q      <= {SUM{1'b0}};
      head_q      <= {SUM{1'b0}};
      here_q      <= {SUM+1{1'b0}};
      all_q       <= {SUM+1{1'b0}};
      sum_valid_q <= 1'b0;
      room_q      <= 1'b0;
    end else begin
      if (ending_3_q) tail_q <= tail_q + 1'b1;
      if (sum_take_i) head_q <= head_q + 1'b1;
      here_q      <= here_d;
      all_q       <= all_d;
      sum_valid_q <= here_d != {SUM+1{1'b0}};
      room_q      <= all_d < SUMS_MAX;
    end
  end

  tulle_lutram #(
    .WIDTH (ACC_WIDTH),
    .DEPTH (SUMS)
  ) u_sums (
    .clk_i   (clk_i),
    .we_i    (ending_3_q),
    .waddr_i (tail_q),
    .wdata_i (acc_q),
    .raddr_i (head_q),
    .rdata_o (sum_o)
  );

  assign sum_valid_o = sum_valid_q;
  assign ended_o     = ended;
  assign empty_o     = help_empty && all_q == {SUM+1{1'b0}} && !help_1_q && !help_2_q;

  tulle_assert #(
    .MESSAGE ("never more sums than places")
  ) u_no_loss (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (all_q <= SUMS_MAX && !(sum_take_i && !sum_valid_q))
  );

endmodule

`default_nettype wire
