// SPDX-License-Identifier: Apache-2.0
//
// tulle_softmax: softmax of rows of int8, by a table of exponentials (docs/numerics.md, "Softmax"). It keeps a row and looks at
// it three times: for the largest element while the row comes, for the sum of exponentials, and for the exponentials that
// the function lanes then turn into results. Between the last two it computes the reciprocal of the sum, which becomes the
// multiplier of the lanes.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset; it does not change the table
//   table_start_i                  the next entry of the table is that of the largest element
//   table_write_i, table_entry_i   an entry; that of the first one follows the last
//   begin_i, row_i, shift_i        one cycle: rows have so many elements, and the function's shift is this or more
//   restart_i                      the next chunk is the first one of a row
//   want_i                         a row may be read
//   operand_valid_i, operand_ready_o, operand_i
//                                  chunks of LANES elements. A row begins with a chunk, and takes whole groups of PES
//   waits_o                        a chunk is wanted
//   scale_write_o, multiplier_o, shift_o
//                                  one cycle: multiplier and shift of the results that follow. They stay
//   scale_ready_i                  they are set up; it counts from the cycle after scale_write_o on
//   enable_i                       the function lanes move
//   valid_o, ready_i, data_o       exponentials, LANES of 31 bits: a chunk for each one that was read; 0 behind the end of a row,
//                                  from the third cycle after a row's last chunk on, and from the fourth after begin_i or restart_i;
//                                  no chunk is wanted in the cycle after these
//
// Parameters
//   LANES, PES                     powers of two, LANES at most PES
//   ROW                            elements of the longest row, a power of two, at least 4 PES
//   LATENCY                        moves of the function lanes after which a chunk has left them
//
// Latency: a row takes three cycles a chunk, LANES + 42, and at most 12 for its sum and 15 to set up the scale.

`default_nettype none

module tulle_softmax #(
  parameter LANES   = 4,
  parameter PES     = 8,
  parameter ROW     = 1024,
  parameter LATENCY = 31
) (
  input  wire                clk_i,
  input  wire                rst_ni,

  input  wire                table_start_i,
  input  wire                table_write_i,
  input  wire [30:0]         table_entry_i,

  input  wire                begin_i,
  input  wire [15:0]         row_i,
  input  wire [5:0]          shift_i,
  input  wire                restart_i,

  input  wire                want_i,
  input  wire                operand_valid_i,
  output wire                operand_ready_o,
  input  wire [LANES*8-1:0]  operand_i,
  output wire                waits_o,

  output wire                scale_write_o,
  output wire [31:0]         multiplier_o,
  output wire [5:0]          shift_o,
  input  wire                scale_ready_i,

  input  wire                enable_i,
  output wire                valid_o,
  input  wire                ready_i,
  output wire [LANES*31-1:0] data_o
);

  localparam LANE_LOG = $clog2(LANES);
  localparam PLACE    = $clog2(ROW);        // bits of an element's place in its row
  localparam CHUNK    = PLACE - LANE_LOG;   // of a chunk's place
  localparam SUMMAND  = 20;                 // bits of an exponential that are added: it is rounded to one less
  localparam SUM      = SUMMAND + LANE_LOG;
  localparam MOST     = PES / LANES - 1;    // chunks of a group, minus 1
  localparam LAST     = LANES - 1;

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES <= PES && (LANES & (LANES - 1)) == 0 && (PES & (PES - 1)) == 0 && (ROW & (ROW - 1)) == 0 &&
              ROW >= 4 * PES && ROW <= 4096),
    .MESSAGE ("tulle_softmax: LANES, PES and ROW must be powers of two, LANES at most PES, ROW 4 PES to 4096")
  ) u_require_powers_of_two ();

  tulle_require #(
    .LEGAL   (LATENCY >= 1 && LATENCY <= 31),
    .MESSAGE ("tulle_softmax: LATENCY must be 1..31")
  ) u_require_latency_1_to_31 ();

  genvar l;

  // -- The setting ------------------------------------------------------------------------------------------------

  reg  [PLACE-1:0] end_q;   // the last element of a row
  reg  [5:0]       shift_q; // of a sum below 2^20
  wire [15:0]      row_end = row_i - 16'd1;
  reg              restart_q; // begin_i and restart_i come late

  always @(posedge clk_i) begin
    restart_q <= !rst_ni || begin_i || restart_i;
    if (begin_i) {end_q, shift_q} <= {row_end[PLACE-1:0], shift_i};
  end

  wire [CHUNK-1:0] end_chunk  = end_q[PLACE-1:LANE_LOG];
  wire [CHUNK-1:0] last_chunk = end_chunk | MOST[CHUNK-1:0]; // of its last group
  wire [LANES-1:0] end_lanes;                                // of end_chunk that have an element

  generate
    if (LANES == 1) begin : gen_whole_end
      assign end_lanes = 1'b1;
    end else begin : gen_end
      assign end_lanes = ~(({LANES{1'b1}} << end_q[LANE_LOG-1:0]) << 1);
    end
  endgenerate

  // -- States -----------------------------------------------------------------------------------------------------

  localparam [2:0] FILL       = 3'd0; // the row comes
  localparam [2:0] FOLD       = 3'd1; // the largest element of each lane is known
  localparam [2:0] ADD        = 3'd2; // exponentials are added
  localparam [2:0] NORMALISE  = 3'd3; // the sum is shifted to bit 31
  localparam [2:0] RECIPROCAL = 3'd4;
  localparam [2:0] SCALE      = 3'd5; // the function lanes have the last row's results
  localparam [2:0] SET_UP     = 3'd6;
  localparam [2:0] GIVE       = 3'd7; // exponentials leave

  reg  [2:0]       state_q;
  reg  [CHUNK-1:0] at_q;      // the next chunk, in FILL, ADD and GIVE
  reg              all_q;     // all were asked for
  reg  [3:0]       fold_q;    // comparisons that are left
  reg  [4:0]       still_q;   // moves until the function lanes are empty
  wire             take    = operand_valid_i && operand_ready_o;
  wire             moves;     // the look-ups
  wire             looks   = (state_q == ADD || state_q == GIVE) && !all_q;
  wire             at_last = at_q == last_chunk;
  wire             added;     // the sum is complete
  wire             normal;
  wire             computed;  // the reciprocal
  wire             gives   = valid_o && ready_i;
  wire             gave;      // the row's last chunk leaves

  assign operand_ready_o = state_q == FILL && want_i;
  assign waits_o         = operand_ready_o;
  assign scale_write_o   = state_q == SCALE && still_q == 5'd0 && !restart_q;

  always @(posedge clk_i) begin
    if (restart_q) state_q <= FILL;
    else begin
      case (state_q)
        FILL:       if (take && at_last) state_q <= FOLD;
        FOLD:       if (fold_q == 4'd0) state_q <= ADD;
        ADD:        if (added) state_q <= NORMALISE;
        NORMALISE:  if (normal) state_q <= RECIPROCAL;
        RECIPROCAL: if (computed) state_q <= SCALE;
        SCALE:      if (scale_write_o) state_q <= SET_UP;
        SET_UP:     if (scale_ready_i) state_q <= GIVE;
        default:    if (gave) state_q <= FILL;
      endcase
    end

    if (restart_q) at_q <= {CHUNK{1'b0}};
    else if (take || (looks && moves))   at_q <= at_last ? {CHUNK{1'b0}} : at_q + 1'b1;

    all_q  <= (state_q == ADD || state_q == GIVE) && (all_q || (at_last && moves));
    fold_q <= (state_q == FILL) ? LAST[3:0] : fold_q - {3'd0, fold_q != 4'd0};

    if (!rst_ni)                          still_q <= 5'd0;
    else if (gives)                       still_q <= LATENCY[4:0];
    else if (enable_i && still_q != 5'd0) still_q <= still_q - 5'd1;
  end

  // -- The row, and its largest element -----------------------------------------------------------------------------

  wire               beyond   = at_q > end_chunk;
  wire [LANES-1:0]   here     = {LANES{!beyond}} & (end_lanes | {LANES{at_q != end_chunk}}); // lanes that have an element
  wire [LANES*8-1:0] elements;
  reg  [LANES*8-1:0] largest_q; // of each lane, and then that of lane 0 of all

  tulle_block_ram #(
    .WIDTH (LANES*8),
    .DEPTH (ROW / LANES)
  ) u_row (
    .clk_i   (clk_i),
    .we_i    (take),
    .waddr_i (at_q),
    .wdata_i (operand_i),
    .re_i    (looks && moves),
    .raddr_i (at_q),
    .rdata_o (elements)
  );

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_largest
      wire [7:0] next; // of the next lane, while they are folded
      wire [7:0] own    = largest_q[8*l +: 8];
      wire [7:0] other  = (state_q == FILL || l != 0) ? operand_i[8*l +: 8] : next; // only lane 0 compares while they are folded
      wire       larger = $signed(other) > $signed(own);

      if (l + 1 < LANES) begin : gen_next
        assign next = largest_q[8*(l+1) +: 8];
      end else begin : gen_no_next
        assign next = 8'h80;
      end

      // Lane 0 collects what the others pass on.
      always @(posedge clk_i) begin
        if (take)
          largest_q[8*l +: 8] <= !here[l] ? (at_q == {CHUNK{1'b0}} ? 8'h80 : own)
                               : (larger || at_q == {CHUNK{1'b0}}) ? other : own;
        else if (state_q == FOLD)
          largest_q[8*l +: 8] <= (l == 0) ? (larger ? other : own) : next;
      end
    end
  endgenerate

  // -- Look-ups: element, distance from the largest, exponential ----------------------------------------------------

  reg                [2:0] looked_q;    // by step
  reg                [2:0] ends_q;      // the row's last chunk
  reg  [LANES-1:0]         here_q;
  reg  [LANES*9-1:0]       distance_q;  // or, for what is no element, the first entry of the table's upper half, which is 0
  wire [LANES*31-1:0]      exponentials;
  wire [LANES*SUMMAND-1:0] summands;
  reg  [LANES*SUMMAND-1:0] summands_q;

  assign moves = state_q == ADD || !looked_q[2] || ready_i;

  always @(posedge clk_i) begin
    if (restart_q) looked_q <= 3'd0;
    else if (moves)                      looked_q <= {looked_q[1:0], looks};
    if (moves) begin
      ends_q <= {ends_q[1:0], at_last};
      here_q <= here;
    end
  end

  reg [7:0] entry_q; // the next one that is written

  always @(posedge clk_i) begin
    if (table_start_i)      entry_q <= 8'd0;
    else if (table_write_i) entry_q <= entry_q + 8'd1;
  end

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire       counts   = looked_q[0] && here_q[l];
      wire [7:0] distance = largest_q[7:0] - elements[8*l +: 8];

      always @(posedge clk_i) begin
        if (moves && !counts) distance_q[9*l +: 9] <= 9'h100;
        else if (moves)       distance_q[9*l +: 9] <= {1'b0, distance};
      end

      tulle_block_ram #(
        .WIDTH (31),
        .DEPTH (512),
        .ZERO  (1)
      ) u_table (
        .clk_i   (clk_i),
        .we_i    (table_write_i),
        .waddr_i ({1'b0, entry_q}),
        .wdata_i (table_entry_i),
        .re_i    (moves),
        .raddr_i (distance_q[9*l +: 9]),
        .rdata_o (exponentials[31*l +: 31])
      );

      assign summands[SUMMAND*l +: SUMMAND] = exponentials[31*l+11 +: SUMMAND];
    end
  endgenerate

  assign valid_o = looked_q[2] && state_q == GIVE;
  assign data_o  = exponentials;
  assign gave    = gives && ends_q[2];

  // -- The sum of exponentials, each rounded half up to a multiple of 2^12 --------------------------------------------
  // The bit that rounds an exponential is the carry of an adder: that of lane l, of node l in a tree, whose root is node 1; that
  // of lane 0, of the sum over the chunks.

  wire [2*LANES*SUM-1:0]   nodes;
  reg  [SUM-1:0]           chunk_sum_q;
  reg                      chunk_round_q;
  reg  [2:0]               part_q;   // summands are there, their sum is, it was added
  reg  [2:0]               part_ends_q;
  reg  [31:0]              sum_q;
  reg  [3:0]               places_q; // by which the sum may still be shifted

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_leaf
      assign nodes[(LANES+l)*SUM +: SUM] = {{SUM+1-SUMMAND{1'b0}}, summands_q[SUMMAND*l+1 +: SUMMAND-1]};
    end

    for (l = 1; l < LANES; l = l + 1) begin : gen_node
      tulle_sum #(
        .WIDTH (SUM)
      ) u_sum (
        .zero_i   (1'b0),
        .second_i (1'b0),
        .a_i      (nodes[(2*l+1)*SUM +: SUM]),
        .b_i      ({SUM{1'b0}}),
        .c_i      (nodes[2*l*SUM +: SUM]),
        .carry_i  (summands_q[SUMMAND*l]),
        .sum_o    (nodes[l*SUM +: SUM])
      );
    end
  endgenerate

  assign nodes[SUM-1:0] = {SUM{1'b0}};

  wire [31:0] sum_d;

  tulle_sum #(
    .WIDTH (32)
  ) u_total (
    .zero_i   (1'b0),
    .second_i (1'b0),
    .a_i      ({{32-SUM{1'b0}}, chunk_sum_q}),
    .b_i      (32'd0),
    .c_i      (sum_q),
    .carry_i  (chunk_round_q),
    .sum_o    (sum_d)
  );

  assign added  = part_q[2] && part_ends_q[2];
  assign normal = sum_q[31] || places_q == 4'd0;

  always @(posedge clk_i) begin
    summands_q  <= summands;
    part_q      <= (state_q == ADD) ? {part_q[1:0], looked_q[2]} : 3'd0;
    part_ends_q <= {part_ends_q[1:0], ends_q[2]};
    chunk_sum_q   <= nodes[SUM +: SUM];
    chunk_round_q <= summands_q[0];
    if (state_q == FOLD)                       sum_q <= 32'd0;
    else if (part_q[1])                        sum_q <= sum_d;
    else if (state_q == NORMALISE && !normal)  sum_q <= {sum_q[30:0], 1'b0};
    if (state_q == FOLD)                       places_q <= 4'd12;
    else if (state_q == NORMALISE && !normal)  places_q <= places_q - 4'd1;
  end

  // -- The reciprocal: seven products, rounded after 31 places, each in two halves ------------------------------------
  // With h the half of the sum, whose leading bit is bit 30: y = FIRST + h SLOPE, and then three times y = y + 4 y (2^29 - h y).

  localparam [31:0] FIRST = 32'd1515870810;       // 48/17 in units of 2^-29
  localparam [31:0] SLOPE = -32'd1010580540;      // -32/17
  localparam [31:0] ONE   = 32'h20000000;
  localparam [2:0]  STEPS  = 3'd6;
  localparam [2:0]  PHASES = 3'd4;

  reg [2:0]  step_q;  // number of the product
  reg [2:0]  phase_q;
  reg [31:0] y_q;     // FIRST during the first product, to which the product is added
  reg [31:0] rest_q;  // 2^29 - h y; SLOPE during the first product
  wire [31:0] h       = {2'b01, sum_q[30:1]};
  wire        to_rest = step_q[0];
  wire [31:0] first   = (step_q == 3'd0 || to_rest) ? h : y_q;
  wire [31:0] second  = to_rest ? y_q : rest_q;
  wire        ends    = state_q == RECIPROCAL && phase_q == PHASES; // the product is there
  wire [31:0] y_d;

  reg  signed [31:0] first_q;
  reg  signed [16:0] second_q;
  reg  signed [48:0] product_q;
  reg  signed [32:0] low_q;     // rounded
  reg         [31:0] rounded_q;
  wire signed [48:0] rounding = product_q + 49'sd1073741824;
  wire signed [48:0] whole    = product_q + {{16{low_q[32]}}, low_q};

  assign computed = step_q == STEPS && phase_q == PHASES;

  tulle_sum #(
    .WIDTH (32)
  ) u_y (
    .zero_i   (1'b0),
    .second_i (step_q == 3'd0),
    .a_i      ({rounded_q[29:0], 2'b00}),
    .b_i      (rounded_q),
    .c_i      (y_q),
    .carry_i  (1'b0),
    .sum_o    (y_d)
  );

  always @(posedge clk_i) begin
    if (state_q != RECIPROCAL) {step_q, phase_q} <= 6'd0;
    else begin
      phase_q <= (phase_q == PHASES) ? 3'd0 : phase_q + 3'd1;
      if (phase_q == PHASES) step_q <= step_q + 3'd1;
    end

    first_q   <= first;
    second_q  <= (phase_q == 3'd0) ? {1'b0, second[15:0]} : {second[31], second[31:16]};
    product_q <= first_q * second_q;
    low_q     <= rounding[48:16];
    rounded_q <= whole[46:15];

    if (state_q == NORMALISE)  y_q <= FIRST;
    else if (ends && !to_rest) y_q <= y_d;

    if (state_q == NORMALISE)  rest_q <= SLOPE;
    else if (ends && to_rest)  rest_q <= ONE - rounded_q;
  end

  // Twice y, saturated.
  wire [6:0] shift = {1'b0, shift_q} + {3'd0, places_q};

  assign multiplier_o = {1'b0, y_q[29:0] | {30{y_q[30]}}, y_q[30]};
  assign shift_o      = shift[5:0] | {6{shift[6]}};

  wire unused = &{1'b0, nodes[SUM-1:0], row_end, y_q[31], rounding, whole, LAST[3:0]};

  tulle_assert #(
    .MESSAGE ("the row fits")
  ) u_row_fits (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!begin_i || {16'd0, row_end} < ROW)
  );

endmodule

`default_nettype wire
