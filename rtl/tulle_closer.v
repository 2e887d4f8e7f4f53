// SPDX-License-Identifier: Apache-2.0
//
// tulle_closer: closes a PE's MACs in order and writes their sums to the output queue. The sum of a MAC consists of
// its own products, the products that the left neighbour multiplied for it, and, if the MAC resumes, its output-queue
// entry. The sum goes to the entry directly, or first through the cluster's function unit. Partial sums for the
// output queue use the same path.
//
// With ACCUMULATORS there are four accumulation buffers. A sum that does not resume starts from the MAC's buffer. If it
// is written, the buffer is empty afterwards, else it stays in the buffer. A maximum has no buffer.
//
// A MAC passes three stages. The first reads the entry from block RAM (one cycle) and looks up the MAC's own sum. The
// second adds own and foreign products. The third adds the entry. For a maximum that resumes, either the products or
// the entry are replaced by 0. A buffer is read in the first stage and written in the second, when its sum leaves the
// adder. If the MAC behind it is of the same buffer, it takes the sum from the adder, so that MACs of a buffer follow
// each other without a wait.
//
// The closer does not wait for foreign sums. A pair that goes to the neighbour returns within five cycles, and the
// MAC's own sum takes as long. The last pair of a MAC stays and leaves at least one cycle later, so the foreign sum
// is always present in time (an assertion checks this).
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   split_end_i                   the load queue releases the end of a MAC; only when room_o
//   room_o
//   moved_i                       the load queue gives a pair to the neighbour
//   may_move_o                    a pair may be given to the neighbour
//   move_tag_o, move_first_o      the tag of the pair's MAC; whether the pair is the first that moves from this MAC
//   return_valid_i, return_i      {the MAC's tag, the sum of its products at the neighbour so far} comes back
//   sum_valid_i, sum_i            one cycle: the sum of the own products of the next MAC
//   sum_maximum_i                 with it: it is the largest of them. When the MAC resumes, its result is the larger of its
//                                 entry and this product
//   result_i, age_i, resume_i, keep_i, chain_i, buffer_i, take_o
//                                 the oldest MAC that is not summed up, and that it is taken. age_i: the latest of the three preceding MACs that has the same result_i, 1 being the last
//                                 MAC; 0: none of them
//   chain_valid_o, chain_o, chain_buffer_o
//                                 a request to the function unit with the MAC's sum, until the answer
//   chain_shift_i                 the function unit takes the next digit: the sum shifts right, with sign extension
//   function_valid_i              the function unit's answer is on given_i
//   acc_i                         the MAC's accumulation buffer
//   partial_write_i, partial_address_i
//                                 a partial sum is on given_i; only while empty_o, or still_o after stop_i
//   partial_stays_i, partial_acc_i
//                                 it goes to this accumulation buffer, not to the output queue
//   given_i                       the function unit's answer, or a partial sum
//   read_o, read_address_o, read_i
//                                 read of the output queue; read_i is valid in the next cycle
//   read_busy_i                   the read port of the output queue is taken in this cycle
//   write_o, write_address_o, write_data_o
//   stop_i, still_o               no MAC is taken; then, that none is in a stage, so that a partial sum may come
//   closed_o                      one cycle: a MAC is closed; its entry can be read from the next cycle but one on
//   empty_o                       no MAC is in this module
//
// Parameters
//   SUM_WIDTH                     bits of a sum of products
//   ACC_WIDTH                     bits of an entry, at least SUM_WIDTH
//   DEPTH                         entries of the output queue
//   SUMS                          maximum number of MACs released and not summed up, plus one; a power of two
//   MOVE                          1: pairs may move
//   CHAIN                         1: there is a function unit
//   DIGIT                         bits of a digit of the function unit
//   MAXIMUM                       bits of a product; 0: sum_maximum_i is ignored
//   ACCUMULATORS                  1: there are accumulation buffers
//
// Latency: three cycles from sum_valid_i to closed_o. One MAC a cycle, also of the same buffer. A MAC that resumes from
// an entry that one of the three preceding MACs writes waits until the entry is written.

`default_nettype none

module tulle_closer #(
  parameter SUM_WIDTH = 25,
  parameter ACC_WIDTH = 32,
  parameter DEPTH     = 64,
  parameter SUMS      = 8,
  parameter MOVE      = 1,
  parameter CHAIN     = 1,
  parameter DIGIT     = 4,
  parameter MAXIMUM   = 0,
  parameter ACCUMULATORS = 0
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     split_end_i,
  output wire                     room_o,
  input  wire                     moved_i,
  output wire                     may_move_o,
  output wire                     move_tag_o,
  output wire                     move_first_o,
  input  wire                     return_valid_i,
  input  wire [SUM_WIDTH:0]       return_i,

  input  wire                     sum_valid_i,
  input  wire [SUM_WIDTH-1:0]     sum_i,
  input  wire                     sum_maximum_i,

  input  wire [$clog2(DEPTH)-1:0] result_i,
  input  wire [1:0]               age_i,
  input  wire                     resume_i,
  input  wire                     keep_i,
  input  wire                     chain_i,
  input  wire [4:0]               buffer_i,
  input  wire [1:0]               acc_i,
  output wire                     take_o,

  output wire                     chain_valid_o,
  output wire [ACC_WIDTH-1:0]     chain_o,
  output wire [4:0]               chain_buffer_o,
  input  wire                     chain_shift_i,
  input  wire                     function_valid_i,

  input  wire                     partial_write_i,
  input  wire [$clog2(DEPTH)-1:0] partial_address_i,
  input  wire                     partial_stays_i,
  input  wire [1:0]               partial_acc_i,
  input  wire [ACC_WIDTH-1:0]     given_i,

  output wire                     read_o,
  output wire [$clog2(DEPTH)-1:0] read_address_o,
  input  wire                     read_busy_i,
  input  wire [ACC_WIDTH-1:0]     read_i,
  output wire                     write_o,
  output wire [$clog2(DEPTH)-1:0] write_address_o,
  output wire [ACC_WIDTH-1:0]     write_data_o,

  input  wire                     stop_i,
  output wire                     still_o,

  output wire                     closed_o,
  output wire                     empty_o
);

  localparam ADDR = $clog2(DEPTH);
  localparam SUM  = $clog2(SUMS);
  localparam integer AHEAD_MAX = SUMS - 1;

  tulle_require #(
    .LEGAL   (SUMS >= 4 && (SUMS & (SUMS - 1)) == 0 && ACC_WIDTH >= SUM_WIDTH),
    .MESSAGE ("tulle_closer: SUMS must be a power of two, at least 4, and ACC_WIDTH at least SUM_WIDTH")
  ) u_require_sums_power_of_two_and_sum_fits ();

  wire           take;     // the oldest MAC enters the first stage
  reg            first_q;  // the first stage holds a MAC; one cycle
  reg [SUM-1:0]  head_1_q; // its sum
  reg [ADDR-1:0] place_1_q;
  reg            resume_1_q;
  reg            keep_1_q;
  reg            chain_1_q;

  // -- Own sums that wait for the neighbour's sums -----------------------------------------------------------

  reg  [SUM-1:0]       ahead_q; // MACs released and not summed up
  reg                  room_q;
  reg                  near_q;  // the MAC whose pairs are being released is the oldest or the next one
  reg                  none_q;
  reg  [SUM-1:0]       tail_q;
  reg  [SUM-1:0]       head_q;
  reg                  waiting_q;
  // Adding a signed 1 or -1 takes one adder; all counters here do so.
  wire [SUM-1:0]       ahead_d = ahead_q + {{SUM-1{take && !split_end_i}}, take ^ split_end_i};
  wire [SUM-1:0]       next_d  = head_q + 1'b1;
  wire [SUM_WIDTH-1:0] own;
  wire                 maximum; // it is the largest product

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      ahead_q   <= {SUM{1'b0}};
      room_q    <= 1'b0;
      near_q    <= 1'b1;
      none_q    <= 1'b1;
      tail_q    <= {SUM{1'b0}};
      head_q    <= {SUM{1'b0}};
      waiting_q <= 1'b0;
    end else begin
      ahead_q   <= ahead_d;
      room_q    <= ahead_d != AHEAD_MAX[SUM-1:0];
      near_q    <= ahead_d[SUM-1:1] == {SUM-1{1'b0}};
      none_q    <= ahead_d == {SUM{1'b0}};
      if (sum_valid_i) tail_q <= tail_q + 1'b1;
      if (take)        head_q <= next_d;
      waiting_q <= sum_valid_i || (take ? tail_q != next_d : waiting_q);
    end
  end

  initial head_1_q = {SUM{1'b0}}; // tulle_lutram says why

  localparam SUM_WORD = SUM_WIDTH + ((MAXIMUM != 0) ? 1 : 0);

  wire [SUM_WIDTH:0]  coming = {sum_maximum_i, sum_i};
  wire [SUM_WORD-1:0] word;

  tulle_lutram #(
    .WIDTH (SUM_WORD),
    .DEPTH (SUMS)
  ) u_sums (
    .clk_i   (clk_i),
    .we_i    (sum_valid_i),
    .waddr_i (tail_q),
    .wdata_i (coming[SUM_WORD-1:0]),
    .raddr_i (head_1_q),
    .rdata_o (word)
  );

  assign own     = word[SUM_WIDTH-1:0];
  assign maximum = MAXIMUM != 0 && word[SUM_WORD-1];

  // -- The neighbour's sums ----------------------------------------------------------------------------------

  wire                 tag = head_1_q[0]; // of the MAC in the first stage
  wire [SUM_WIDTH-1:0] foreign_0;       // by tag
  wire [SUM_WIDTH-1:0] foreign_1;

  generate
    if (MOVE != 0) begin : gen_move
      // Two MACs may have pairs at the neighbour: the oldest that is not summed up, and the next one.
      reg       split_tag_q; // of the MAC whose pairs are being released
      reg       moved_q;     // some of its pairs were moved
      reg [3:0] out_0_q;     // pairs at the neighbour, for the assertions only
      reg [3:0] out_1_q;
      reg [SUM_WIDTH-1:0] sum_0_q;
      reg [SUM_WIDTH-1:0] sum_1_q;

      wire       back_tag = return_i[SUM_WIDTH];
      wire       go_0    = moved_i && !split_tag_q;
      wire       go_1    = moved_i && split_tag_q;
      wire       back_0  = return_valid_i && !back_tag;
      wire       back_1  = return_valid_i && back_tag;

      always @(posedge clk_i) begin
        if (!rst_ni) {split_tag_q, moved_q, out_0_q, out_1_q} <= 10'd0;
        else begin
          split_tag_q <= split_tag_q ^ split_end_i;
          moved_q     <= !split_end_i && (moved_q || moved_i);
          out_0_q     <= out_0_q + {{3{back_0 && !go_0}}, back_0 ^ go_0};
          out_1_q     <= out_1_q + {{3{back_1 && !go_1}}, back_1 ^ go_1};
        end
      end

      always @(posedge clk_i) begin
        if (!rst_ni || (first_q && !tag)) sum_0_q <= {SUM_WIDTH{1'b0}};
        else if (back_0)                  sum_0_q <= return_i[SUM_WIDTH-1:0];
        if (!rst_ni || (first_q && tag))  sum_1_q <= {SUM_WIDTH{1'b0}};
        else if (back_1)                  sum_1_q <= return_i[SUM_WIDTH-1:0];
      end

      assign may_move_o   = near_q;
      assign move_tag_o   = split_tag_q;
      assign move_first_o = !moved_q;
      assign foreign_0    = sum_0_q;
      assign foreign_1    = sum_1_q;

      tulle_assert #(
        .MESSAGE ("no more comes back than went out")
      ) u_no_underflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(return_valid_i && (back_tag ? out_1_q : out_0_q) == 4'd0))
      );

      tulle_assert #(
        .MESSAGE ("what was given away is back when the own sum is here")
      ) u_all_back (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(first_q && (tag ? out_1_q : out_0_q) != 4'd0))
      );

      tulle_assert #(
        .MESSAGE ("no more is out than can be counted")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(moved_i && (split_tag_q ? out_1_q : out_0_q) == 4'd15))
      );

      tulle_assert #(
        .MESSAGE ("the last pair of a MAC stays")
      ) u_last_stays (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!(moved_i && split_end_i))
      );
    end else begin : gen_no_move
      assign may_move_o   = 1'b0;
      assign move_tag_o   = 1'b0;
      assign move_first_o = 1'b0;
      assign foreign_0    = {SUM_WIDTH{1'b0}};
      assign foreign_1    = {SUM_WIDTH{1'b0}};
      wire unused = &{1'b0, moved_i, return_valid_i, return_i, near_q};
    end
  endgenerate

  // -- Own and foreign products, and the entry ---------------------------------------------------------------

  reg                  valid_q;  // the second stage holds a MAC; one cycle
  reg                  chain_q;  // its sum goes to the function unit
  reg                  keep_q;
  reg  [ADDR-1:0]      place_q;
  reg  [SUM_WIDTH-1:0] sum_q;
  reg  [ACC_WIDTH-1:0] entry_q;  // what the sum starts from: the entry if the MAC resumes, else its buffer, if any
  reg                  busy_q;   // from take to the function unit's answer; no other MAC is taken
  reg                  closed_q; // a MAC is closed: its sum is in sum_q, or the answer in result_q
  reg                  write_q;  // result_q is written
  reg                  offer_q;  // result_q is a request to the function unit
  reg  [ADDR-1:0]      write_place_q;
  wire [SUM_WIDTH-1:0] products;
  wire                 without_entry;    // the result is either the entry or the own products
  wire                 without_products;
  wire                 is_maximum;       // the MAC in the first stage
  wire [ACC_WIDTH-1:0] start;            // what its sum starts from
  wire                 from_zero;        // it starts from 0
  wire                 to_buffer;        // a partial sum goes to a buffer
  wire [ACC_WIDTH-1:0] result;           // the sum of the MAC in the second stage, or what is given

  generate
    if (MAXIMUM != 0) begin : gen_maximum
      // Products are narrower than an entry. The entry's upper bits decide unless they all equal its sign.
      wire upper_alike  = read_i[ACC_WIDTH-1:MAXIMUM-1] == {ACC_WIDTH-MAXIMUM+1{read_i[ACC_WIDTH-1]}};
      wire lower_larger = $signed(read_i[MAXIMUM-1:0]) > $signed(own[MAXIMUM-1:0]);
      wire entry_larger = upper_alike ? lower_larger : !read_i[ACC_WIDTH-1];

      assign without_entry    = maximum && !entry_larger;
      assign without_products = first_q && resume_1_q && maximum && entry_larger;
      assign is_maximum       = maximum;
    end else begin : gen_no_maximum
      assign without_entry    = 1'b0;
      assign without_products = 1'b0;
      assign is_maximum       = 1'b0;
      wire unused = &{1'b0, coming, maximum};
    end

    if (ACCUMULATORS != 0) begin : gen_accumulators
      reg  [1:0] acc_1_q;
      reg  [1:0] acc_q;
      reg        adds_q;   // the second stage holds a MAC that has a buffer; one cycle
      reg  [3:0] filled_q; // buffers that hold a sum; the others are 0
      wire [ACC_WIDTH-1:0] kept;

      wire       stays   = !keep_q && !chain_q;
      wire       changes = adds_q || to_buffer;
      wire [1:0] changed = to_buffer ? partial_acc_i : acc_q;
      wire       same    = adds_q && acc_q == acc_1_q; // the MAC in the second stage has the buffer of the one in the first

      assign to_buffer = partial_write_i && partial_stays_i;

      always @(posedge clk_i) begin
        if (!rst_ni) adds_q <= 1'b0;
        else         adds_q <= first_q && !is_maximum;
        if (!rst_ni)      filled_q          <= 4'd0;
        else if (changes) filled_q[changed] <= stays || to_buffer;
      end

      always @(posedge clk_i) begin
        if (take)    acc_1_q <= acc_i;
        if (first_q) acc_q   <= acc_1_q;
      end

      initial acc_1_q = 2'd0; // tulle_lutram says why

      tulle_lutram #(
        .WIDTH (ACC_WIDTH),
        .DEPTH (4)
      ) u_buffers (
        .clk_i   (clk_i),
        .we_i    (changes),
        .waddr_i (changed),
        .wdata_i (result),
        .raddr_i (acc_1_q),
        .rdata_o (kept)
      );

      assign start     = resume_1_q ? read_i : same ? result : kept;
      assign from_zero = resume_1_q ? without_entry : is_maximum || !(same ? stays : filled_q[acc_1_q]);
    end else begin : gen_no_accumulators
      assign to_buffer = 1'b0;
      assign start     = read_i;
      assign from_zero = !resume_1_q || without_entry;
      wire unused = &{1'b0, acc_i, partial_stays_i, partial_acc_i, is_maximum};
    end
  endgenerate

  tulle_sum #(
    .WIDTH (SUM_WIDTH)
  ) u_products (
    .zero_i   (1'b0),
    .second_i (tag),
    .a_i      (foreign_0),
    .b_i      (foreign_1),
    .c_i      (own),
    .carry_i  (1'b0),
    .sum_o    (products)
  );

  // The MACs in the stages are the latest ones, in order, so their number says whether the MAC with the same entry
  // has written it.
  wire [1:0] on_way    = {1'b0, first_q} + {1'b0, valid_q} + {1'b0, write_q};
  wire       unwritten = age_i != 2'd0 && age_i <= on_way;
  wire chain     = CHAIN != 0 && chain_i;
  wire answer    = CHAIN != 0 && function_valid_i;

  assign take = waiting_q && !busy_q && !stop_i && !(resume_i && (read_busy_i || unwritten));

  always @(posedge clk_i) begin
    if (!rst_ni) {first_q, valid_q, busy_q, offer_q, closed_q, write_q} <= 6'd0;
    else begin
      first_q  <= take;
      valid_q  <= first_q;
      busy_q   <= (take && chain) || (busy_q && !answer);
      offer_q  <= (valid_q && chain_q) || (offer_q && !answer);
      closed_q <= (first_q && !chain_1_q) || answer;
      write_q  <= (valid_q && !chain_q && keep_q) || answer || (partial_write_i && !to_buffer);
    end
  end

  always @(posedge clk_i) begin
    if (take) begin
      head_1_q   <= head_q;
      place_1_q  <= result_i;
      resume_1_q <= resume_i;
      keep_1_q   <= keep_i;
      chain_1_q  <= chain;
    end
    if (!first_q || from_zero) entry_q <= {ACC_WIDTH{1'b0}};
    else                       entry_q <= start;
    if (without_products) sum_q <= {SUM_WIDTH{1'b0}};
    else if (first_q)     sum_q <= products;
    if (first_q) begin
      place_q <= place_1_q;
      keep_q  <= keep_1_q;
      chain_q <= chain_1_q;
    end
    write_place_q <= partial_write_i ? partial_address_i : place_q;
  end

  // -- The result --------------------------------------------------------------------------------------------

  wire [ACC_WIDTH-1:0] wide;
  // The shift of the function unit's request takes the same path, because its LUTs have a free input.
  reg  [ACC_WIDTH-1:0] result_q;
  wire [ACC_WIDTH-1:0] digits = {{DIGIT{result_q[ACC_WIDTH-1]}}, result_q[ACC_WIDTH-1:DIGIT]};
  wire                 shift  = CHAIN != 0 && chain_shift_i;
  wire [ACC_WIDTH-1:0] given  = shift ? digits : given_i;

  generate
    if (ACC_WIDTH > SUM_WIDTH) begin : gen_extend
      assign wide = {{ACC_WIDTH-SUM_WIDTH{sum_q[SUM_WIDTH-1]}}, sum_q};
    end else begin : gen_same_width
      assign wide = sum_q;
    end
  endgenerate

  tulle_sum #(
    .WIDTH (ACC_WIDTH)
  ) u_result (
    .zero_i   (1'b0),
    .second_i (partial_write_i || answer || shift),
    .a_i      (wide),
    .b_i      (given),
    .c_i      (entry_q),
    .carry_i  (1'b0),
    .sum_o    (result)
  );

  generate
    if (CHAIN != 0) begin : gen_chain
      reg [4:0] buffer_q;
      always @(posedge clk_i) begin
        if (take) buffer_q <= buffer_i;
        if (valid_q || answer || partial_write_i || shift) result_q <= result;
      end
      assign chain_buffer_o = buffer_q;
    end else begin : gen_no_chain
      always @(posedge clk_i) begin
        if (valid_q || partial_write_i) result_q <= result;
      end
      assign chain_buffer_o = 5'd0;
      wire unused = &{1'b0, buffer_i, chain_i, function_valid_i, chain_shift_i};
    end
  endgenerate

  assign room_o          = room_q;
  assign take_o          = take;
  assign chain_valid_o   = offer_q;
  assign chain_o         = result_q;
  assign read_o          = take && resume_i;
  assign read_address_o  = result_i;
  assign write_o         = write_q;
  assign write_address_o = write_place_q;
  assign write_data_o    = result_q;
  assign still_o         = !first_q && !valid_q && !busy_q;
  assign closed_o        = closed_q;
  assign empty_o         = none_q && !first_q && !valid_q && !busy_q && !closed_q;

  tulle_assert #(
    .MESSAGE ("a MAC is given out only where its sum has a place")
  ) u_no_overflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(split_end_i && ahead_q == AHEAD_MAX[SUM-1:0]))
  );

  tulle_assert #(
    .MESSAGE ("a partial sum, an answer or a shift comes when nothing is in its way")
  ) u_no_collision (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(valid_q && (partial_write_i || answer || shift)) && !(partial_write_i && answer) &&
              !(shift && (partial_write_i || answer)))
  );

endmodule

`default_nettype wire
