// SPDX-License-Identifier: Apache-2.0
//
// tulle_closer: finishes a PE's MACs, in order. A MAC's sum is its own products, those that the left neighbour
// multiplied for it, and what is in the output-queue entry when it resumes. The sum goes to the entry, or through
// the cluster's function unit first. Also keeps count of what was given to the neighbour, so that nothing closes
// before all of it is back.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   split_end_i                   the load queue gives out the end of a MAC
//   moved_i                       it gives a pair to the neighbour
//   may_move_o, move_tag_o        it may; whose MAC that is of
//   return_valid_i, return_i      a product {tag, product} comes back
//   sum_valid_i, sum_i, sum_take_o
//                                 own products of the oldest MAC
//   result_i, resume_i, keep_i, chain_i
//                                 of the oldest MAC that is not closed
//   chain_valid_o, chain_o        its sum, for the function unit, until the answer
//   function_valid_i, function_i  the answer
//   read_address_o, read_i        the output queue, asynchronously, unless someone else reads it in this cycle
//   read_busy_i
//   write_o, write_address_o, write_data_o
//   closed_o                      one cycle: the oldest MAC is closed
//   empty_o                       nothing is here
//
// Parameters
//   DATA_WIDTH, ACC_WIDTH
//   DEPTH                         entries of the output queue
//   MOVE                          1: pairs may move
//   CHAIN                         1: there is a function unit
//
// Latency: two cycles from sum_valid_i to closed_o. One MAC a cycle.

`default_nettype none

module tulle_closer #(
  parameter DATA_WIDTH = 8,
  parameter ACC_WIDTH  = 32,
  parameter DEPTH      = 64,
  parameter MOVE       = 1,
  parameter CHAIN      = 1
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     split_end_i,
  input  wire                     moved_i,
  output wire                     may_move_o,
  output wire                     move_tag_o,
  input  wire                     return_valid_i,
  input  wire [2*DATA_WIDTH:0]    return_i,

  input  wire                     sum_valid_i,
  input  wire [ACC_WIDTH-1:0]     sum_i,
  output wire                     sum_take_o,

  input  wire [$clog2(DEPTH)-1:0] result_i,
  input  wire                     resume_i,
  input  wire                     keep_i,
  input  wire                     chain_i,

  output wire                     chain_valid_o,
  output wire [ACC_WIDTH-1:0]     chain_o,
  input  wire                     function_valid_i,
  input  wire [ACC_WIDTH-1:0]     function_i,

  output wire [$clog2(DEPTH)-1:0] read_address_o,
  input  wire                     read_busy_i,
  input  wire [ACC_WIDTH-1:0]     read_i,
  output wire                     write_o,
  output wire [$clog2(DEPTH)-1:0] write_address_o,
  output wire [ACC_WIDTH-1:0]     write_data_o,

  output wire                     closed_o,
  output wire                     empty_o
);

  localparam PAIR = 2 * DATA_WIDTH;

  wire take; // the own sum goes on
  wire done; // the MAC is closed

  wire                 all_back; // what the oldest MAC gave away
  wire                 foreign_tag;
  wire [ACC_WIDTH-1:0] foreign_0;  // its sum, by tag
  wire [ACC_WIDTH-1:0] foreign_1;

  generate
    if (MOVE != 0) begin : gen_move
      // Two MACs at a time may have pairs at the neighbour: the oldest that is not summed up, and the next one.
      reg       split_tag_q; // of the MAC whose pairs are being given out
      reg       oldest_tag_q;
      reg [4:0] ahead_q;     // MACs given out and not summed up
      reg       near_q;
      reg [3:0] out_0_q;     // pairs that are not back
      reg [3:0] out_1_q;
      reg       none_0_q;
      reg       none_1_q;
      reg                  return_valid_q;
      reg                  return_tag_q;
      reg [PAIR-1:0]       product_q;
      reg [ACC_WIDTH-1:0]  sum_0_q;
      reg [ACC_WIDTH-1:0]  sum_1_q;

      wire [4:0] ahead_d = ahead_q + {4'd0, split_end_i} - {4'd0, take};
      wire [3:0] out_0_d = out_0_q + {3'd0, moved_i && !split_tag_q} - {3'd0, return_valid_q && !return_tag_q};
      wire [3:0] out_1_d = out_1_q + {3'd0, moved_i && split_tag_q} - {3'd0, return_valid_q && return_tag_q};

      wire [ACC_WIDTH-1:0] wide = {{ACC_WIDTH-PAIR{product_q[PAIR-1]}}, product_q};
      wire [ACC_WIDTH-1:0] sum;

      tulle_sum #(
        .WIDTH (ACC_WIDTH)
      ) u_foreign (
        .zero_i   (1'b0),
        .second_i (return_tag_q),
        .a_i      (sum_0_q),
        .b_i      (sum_1_q),
        .c_i      (wide),
        .sum_o    (sum)
      );

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          split_tag_q    <= 1'b0;
          oldest_tag_q   <= 1'b0;
          ahead_q        <= 5'd0;
          near_q         <= 1'b1;
          out_0_q        <= 4'd0;
          out_1_q        <= 4'd0;
          none_0_q       <= 1'b1;
          none_1_q       <= 1'b1;
          return_valid_q <= 1'b0;
        end else begin
          if (split_end_i) split_tag_q  <= !split_tag_q;
          if (take)        oldest_tag_q <= !oldest_tag_q;
          ahead_q        <= ahead_d;
          near_q         <= ahead_d <= 5'd1;
          out_0_q        <= out_0_d;
          out_1_q        <= out_1_d;
          none_0_q       <= out_0_d == 4'd0;
          none_1_q       <= out_1_d == 4'd0;
          return_valid_q <= return_valid_i;
        end
      end

      always @(posedge clk_i) begin
        {return_tag_q, product_q} <= return_i;
        if (!rst_ni || (take && !oldest_tag_q))        sum_0_q <= {ACC_WIDTH{1'b0}};
        else if (return_valid_q && !return_tag_q)      sum_0_q <= sum;
        if (!rst_ni || (take && oldest_tag_q))         sum_1_q <= {ACC_WIDTH{1'b0}};
        else if (return_valid_q && return_tag_q)       sum_1_q <= sum;
      end

      assign may_move_o = near_q;
      assign move_tag_o = split_tag_q;
      assign all_back   = oldest_tag_q ? none_1_q : none_0_q;
      assign foreign_tag = oldest_tag_q;
      assign foreign_0  = sum_0_q;
      assign foreign_1  = sum_1_q;

      tulle_assert #(
        .MESSAGE ("no more comes back than went out")
      ) u_no_underflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(return_valid_q && (return_tag_q ? out_1_q : out_0_q) == 4'd0))
      );

      tulle_assert #(
        .MESSAGE ("no more is out than can be counted")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(moved_i && (split_tag_q ? out_1_q : out_0_q) == 4'd15))
      );
    end else begin : gen_no_move
      assign may_move_o = 1'b0;
      assign move_tag_o = 1'b0;
      assign all_back   = 1'b1;
      assign foreign_tag = 1'b0;
      assign foreign_0  = {ACC_WIDTH{1'b0}};
      assign foreign_1  = {ACC_WIDTH{1'b0}};
      wire unused = &{1'b0, split_end_i, moved_i, return_valid_i, return_i};
    end
  endgenerate

  // -- Own and foreign products, then the entry --------------------------------------------------------------

  reg                 valid_q;
  reg                 chained_q; // the sum is complete and offered to the function unit
  reg [ACC_WIDTH-1:0] sum_q;
  wire [ACC_WIDTH-1:0] products;
  wire [ACC_WIDTH-1:0] result;

  tulle_sum #(
    .WIDTH (ACC_WIDTH)
  ) u_products (
    .zero_i   (1'b0),
    .second_i (foreign_tag),
    .a_i      (foreign_0),
    .b_i      (foreign_1),
    .c_i      (sum_i),
    .sum_o    (products)
  );

  tulle_sum #(
    .WIDTH (ACC_WIDTH)
  ) u_result (
    .zero_i   (!resume_i),
    .second_i (1'b0),
    .a_i      (read_i),
    .b_i      ({ACC_WIDTH{1'b0}}),
    .c_i      (sum_q),
    .sum_o    (result)
  );

  assign take = sum_valid_i && all_back && (!valid_q || done);
  wire   readable = !resume_i || !read_busy_i;
  assign done     = valid_q && (chain_i ? chained_q && function_valid_i : readable);

  wire complete = valid_q && chain_i && !chained_q && readable;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q   <= 1'b0;
      chained_q <= 1'b0;
    end else begin
      valid_q   <= take || (valid_q && !done);
      chained_q <= complete || (chained_q && !done);
    end
  end

  generate
    if (CHAIN != 0) begin : gen_chain
      always @(posedge clk_i) begin
        if (take)          sum_q <= products;
        else if (complete) sum_q <= result;
      end
    end else begin : gen_no_chain
      always @(posedge clk_i) begin
        if (take) sum_q <= products;
      end
    end
  endgenerate

  assign sum_take_o      = take;
  assign chain_valid_o   = chained_q;
  assign chain_o         = sum_q;
  assign read_address_o  = result_i;
  assign write_o         = done && (keep_i || chain_i);
  assign write_address_o = result_i;
  assign write_data_o    = chain_i ? function_i : result;
  assign closed_o        = done;
  assign empty_o         = !valid_q && !sum_valid_i;

endmodule

`default_nettype wire
