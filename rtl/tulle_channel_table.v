// SPDX-License-Identifier: Apache-2.0
//
// tulle_channel_table: bias, multiplier, shift and limits of output channels, for the functions of the store engine.
// It is loaded column by column, a group of PES channels at a time, and read in the order of a store's results, a
// chunk of LANES channels at a time.
//
// Multipliers are kept as tulle_function_lanes uses them: times 2^(15 - shift mod 16). They take the shift that the
// table holds when they are loaded, and with ROUNDINGS shift_o has its lower four bits, not those of a shift that was
// loaded later.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset; it does not change the content
//   load_i, column_i, first_i      one cycle, while !loading_o: a column is loaded, from this group on
//   loading_o                      it still loads
//   entry_start_o, entry_write_o, entry_o
//                                  the column is a table of 256 entries, that of tulle_lookup (bit 0) or of tulle_softmax
//                                  (bit 1): it begins; an entry
//   group_valid_i, group_ready_o, group_i, exhausted_i
//                                  its elements; exhausted_i: there is no group, and none follows. It counts from the
//                                  cycle after load_i on
//   start_i, walk_first_i, walk_run_i, walk_repeats_i, walk_holds_i
//                                  a store begins: its first group, and `run` groups that are passed `repeats` times
//                                  before the next `run` follow, each of them for `holds` groups of results; run 0:
//                                  groups follow each other; repeats and holds 0 count as 1
//   step_i                         the store's next chunk is read
//   bias_o, factor_o, place_o      its biases and multipliers, from the next cycle on until the next step; and its
//                                  place, for late reads
//   late_i, late_place_i           shifts and limits of this place are read; not while loading_o
//   shift_o, low_o, high_o         from the next cycle on until the next late read
//
// Parameters
//   ACC, PES, LANES                bits of a sum, K, channels of a chunk (a power of two)
//   GROUPS                         groups of PES that the table holds, a power of two; numbers of groups wrap
//   LOOKUP, SOFTMAX                not 0: there is a tulle_lookup, a tulle_softmax, which is loaded likewise
//   ROUNDINGS                      1: what a product was shifted by matters, to its rounding
//
// Latency: a group of a column takes its chunks of LANES channels in cycles, of multipliers LANES + 2 cycles a chunk,
// since all share one shifter.

`default_nettype none

`include "tulle_isa.vh"

module tulle_channel_table #(
  parameter ACC    = 32,
  parameter PES    = 8,
  parameter LANES  = 4,
  parameter GROUPS = 512,
  parameter LOOKUP = 0,
  parameter SOFTMAX = 0,
  parameter ROUNDINGS = 0,
  // Derived; not to be set.
  parameter PLACE  = $clog2((PES + LANES - 1) / LANES) + $clog2(GROUPS)
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,

  input  wire                 load_i,
  input  wire [2:0]           column_i,
  input  wire [15:0]          first_i,
  output wire                 loading_o,
  output wire [1:0]           entry_start_o,
  output wire [1:0]           entry_write_o,
  output wire [31:0]          entry_o,
  input  wire                 group_valid_i,
  output wire                 group_ready_o,
  input  wire [PES*ACC-1:0]   group_i,
  input  wire                 exhausted_i,

  input  wire                 start_i,
  input  wire [15:0]          walk_first_i,
  input  wire [15:0]          walk_run_i,
  input  wire [15:0]          walk_repeats_i,
  input  wire [15:0]          walk_holds_i,
  input  wire                 step_i,
  output wire [LANES*ACC-1:0] bias_o,
  output wire [LANES*47-1:0]  factor_o,
  output wire [PLACE-1:0]     place_o,

  input  wire                 late_i,
  input  wire [PLACE-1:0]     late_place_i,
  output wire [LANES*6-1:0]   shift_o,
  output wire [LANES*16-1:0]  low_o,
  output wire [LANES*16-1:0]  high_o
);

  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam GROUP  = $clog2(GROUPS);
  localparam CHUNK  = PLACE - GROUP;    // bits of a chunk's number, may be 0
  localparam WORDS  = GROUPS << CHUNK;
  localparam LAST   = CHUNKS - 1;
  localparam FACTOR = 47;

  tulle_require #(
    .LEGAL   (GROUPS >= 2 && (GROUPS & (GROUPS - 1)) == 0 && GROUPS <= 65536),
    .MESSAGE ("tulle_channel_table: GROUPS must be a power of two, 2..65536")
  ) u_require_groups_power_of_two ();

  tulle_require #(
    .LEGAL   (PES >= 1 && LANES >= 1 && LANES <= 16 && (LANES & (LANES - 1)) == 0 && ACC >= 24 && ACC <= 64),
    .MESSAGE ("tulle_channel_table: PES must be at least 1, LANES a power of two to 16, ACC 24..64")
  ) u_require_pes_lanes_and_acc ();

  genvar l;

  // -- The walk: places of a store's chunks -------------------------------------------------------------------------

  wire [PLACE-1:0] place;      // of the next chunk
  wire             group_step; // the chunk is the last of its group
  reg  [GROUP-1:0] group_q;
  reg  [15:0]      run_q;      // groups of a run, minus 1
  reg  [15:0]      rest_q;     // groups of the run that follow this one
  reg  [15:0]      repeats_q;  // 0 counts as 1, also in what follows
  reg  [15:0]      turns_q;    // times that the run comes, including this one
  reg  [15:0]      holds_q;
  reg  [15:0]      held_q;     // groups of results that have the same group of channels, including this one
  reg              endless_q;  // run 0
  wire             run_ends = rest_q == 16'd0 && !endless_q;
  wire             again    = run_ends && turns_q[15:1] != 15'd0;
  wire             holds    = held_q[15:1] != 15'd0;

  always @(posedge clk_i) begin
    if (start_i) begin
      group_q   <= walk_first_i[GROUP-1:0];
      run_q     <= walk_run_i - 16'd1;
      rest_q    <= walk_run_i - 16'd1;
      repeats_q <= walk_repeats_i;
      turns_q   <= walk_repeats_i;
      holds_q   <= walk_holds_i;
      held_q    <= walk_holds_i;
      endless_q <= walk_run_i == 16'd0;
    end else if (step_i && group_step && holds) begin
      held_q <= held_q - 16'd1;
    end else if (step_i && group_step) begin
      held_q <= holds_q;
      group_q <= again ? group_q - run_q[GROUP-1:0] : group_q + 1'b1;
      rest_q  <= run_ends ? run_q : rest_q - 16'd1;
      if (run_ends) turns_q <= again ? turns_q - 16'd1 : repeats_q;
    end
  end

  reg [PLACE-1:0] place_q;

  always @(posedge clk_i) if (step_i) place_q <= place;

  assign place_o = place_q;

  // -- Columns: groups are written chunk by chunk -----------------------------------------------------------------

  localparam integer LANE_STEPS       = LANES + 1;
  localparam [4:0]   MULTIPLIER_STEPS = LANE_STEPS[4:0];

  reg              loading_q;
  reg  [2:0]       column_q;
  reg  [GROUP-1:0] to_q;       // the group that is written
  reg  [4:0]       turn_q;     // of a chunk of multipliers: its shifts are read; then one lane after another
  wire [PLACE-1:0] to;
  wire             to_last;    // its last chunk
  wire             multiplies = column_q == `TULLE_COLUMN_MULTIPLIER;
  wire [1:0]       has_tables = {SOFTMAX != 0, LOOKUP != 0};
  wire [1:0]       entries    = has_tables & {column_q == `TULLE_COLUMN_EXPONENTIAL, column_q == `TULLE_COLUMN_LOOKUP};
  wire             looked_up  = entries != 2'd0;
  wire             one_by_one = multiplies || looked_up;
  wire             writes     = loading_q && group_valid_i;
  wire             chunk_ends = writes && (!one_by_one || turn_q == MULTIPLIER_STEPS);

  always @(posedge clk_i) begin
    if (!rst_ni) loading_q <= 1'b0;
    else         loading_q <= load_i || (loading_q && !exhausted_i);

    if (load_i) begin
      column_q <= column_i;
      to_q     <= first_i[GROUP-1:0];
    end else if (chunk_ends && to_last) begin
      to_q <= to_q + 1'b1;
    end

    if (load_i || chunk_ends)      turn_q <= 5'd0;
    else if (writes && one_by_one) turn_q <= turn_q + 5'd1;
  end

  assign loading_o     = loading_q;
  assign entry_start_o = has_tables & {2{load_i}};
  assign group_ready_o = chunk_ends && to_last;

  wire [LANES*ACC-1:0] chunk; // the chunk that is written

  localparam integer LAST_CHUNK = PES - LAST * LANES;
  localparam integer EVERY      = (LANES < PES) ? LANES : PES;
  localparam [4:0]   LAST_LANES = LAST_CHUNK[4:0];
  localparam [4:0]   ALL_LANES  = EVERY[4:0];
  wire [4:0] lanes_filled; // lanes of the chunk that have an element

  generate
    if (CHUNKS == 1) begin : gen_one_chunk
      assign place      = group_q;
      assign to         = to_q;
      assign group_step = 1'b1;
      assign to_last    = 1'b1;
      assign lanes_filled = ALL_LANES;
      assign chunk[PES*ACC-1:0] = group_i;
      if (LANES > PES) begin : gen_empty_lanes
        assign chunk[LANES*ACC-1:PES*ACC] = {(LANES-PES)*ACC{1'b0}};
      end
    end else begin : gen_chunks
      reg  [CHUNK-1:0]            chunk_q;
      reg  [CHUNK-1:0]            to_chunk_q;
      wire [CHUNKS*LANES*ACC-1:0] padded;

      always @(posedge clk_i) begin
        if (start_i)     chunk_q <= {CHUNK{1'b0}};
        else if (step_i) chunk_q <= group_step ? {CHUNK{1'b0}} : chunk_q + 1'b1;
        if (load_i)          to_chunk_q <= {CHUNK{1'b0}};
        else if (chunk_ends) to_chunk_q <= to_last ? {CHUNK{1'b0}} : to_chunk_q + 1'b1;
      end

      assign place      = {group_q, chunk_q};
      assign to         = {to_q, to_chunk_q};
      assign group_step = chunk_q == LAST[CHUNK-1:0];
      assign to_last    = to_chunk_q == LAST[CHUNK-1:0];
      assign lanes_filled = to_last ? LAST_LANES : ALL_LANES;
      assign padded[PES*ACC-1:0] = group_i;
      if (CHUNKS * LANES > PES) begin : gen_empty_lanes
        assign padded[CHUNKS*LANES*ACC-1:PES*ACC] = {(CHUNKS*LANES-PES)*ACC{1'b0}};
      end

      // Bit by bit, because an index into words whose length is no power of two becomes a shifter.
      for (l = 0; l < LANES * ACC; l = l + 1) begin : gen_bit
        wire [CHUNKS-1:0] column;
        genvar c;
        for (c = 0; c < CHUNKS; c = c + 1) begin : gen_chunk
          assign column[c] = padded[c*LANES*ACC + l];
        end
        assign chunk[l] = column[to_chunk_q];
      end
    end
  endgenerate

  // -- Multipliers: one shifter -----------------------------------------------------------------------------------

  wire [LANES*32-1:0] words;       // lower 32 bits of the chunk's elements, sign-extended
  wire [LANES*6-1:0] loaded; // shifts of the chunk
  reg  [31:0]       multiplier_q;
  reg  [3:0]        fine_q;
  reg  [LANES-1:0]  lane_write_q;  // the lane whose multiplier is in multiplier_q
  reg               entry_q;       // an entry of a table is
  reg  [31:0]       multiplier;
  reg  [3:0]        fine;
  wire [4:0]        lane      = turn_q - 5'd1;
  wire [31:0]       one_lane  = 32'd1 << lane;
  wire [FACTOR-1:0] widened   = {{FACTOR-32{multiplier_q[31]}}, multiplier_q};
  wire [FACTOR-1:0] factor    = widened << ~fine_q;
  wire              unused_lane = &{1'b0, one_lane};

  integer i;
  always @* begin
    multiplier = 32'd0;
    fine       = 4'd0;
    for (i = 0; i < LANES; i = i + 1) begin
      if (lane == i[4:0]) begin
        multiplier = multiplier | words[i*32 +: 32];
        fine       = fine | loaded[i*6 +: 4];
      end
    end
  end

  always @(posedge clk_i) begin
    lane_write_q <= (writes && multiplies && turn_q != 5'd0 && turn_q != MULTIPLIER_STEPS) ? one_lane[LANES-1:0]
                                                                                            : {LANES{1'b0}};
    entry_q      <= writes && looked_up && turn_q != 5'd0 && turn_q != MULTIPLIER_STEPS && lane < lanes_filled;
    multiplier_q <= multiplier;
    fine_q       <= fine;
  end

  assign entry_write_o = entries & {2{entry_q}};
  assign entry_o       = multiplier_q;

  // -- Memories ----------------------------------------------------------------------------------------------------

  wire               writes_now = writes && !one_by_one;
  wire               late       = late_i || (writes && multiplies && turn_q == 5'd0);
  wire [PLACE-1:0]   late_place = loading_q ? to : late_place_i;
  wire [LANES*6-1:0] shifts;
  wire [LANES*16-1:0] halves;

  tulle_block_ram #(
    .WIDTH (LANES*ACC),
    .DEPTH (WORDS)
  ) u_bias (
    .clk_i   (clk_i),
    .we_i    (writes_now && column_q == `TULLE_COLUMN_BIAS),
    .waddr_i (to),
    .wdata_i (chunk),
    .re_i    (step_i),
    .raddr_i (place),
    .rdata_o (bias_o)
  );

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      if (ACC >= 32) begin : gen_word
        assign words[l*32 +: 32] = chunk[l*ACC +: 32];
      end else begin : gen_extend
        assign words[l*32 +: 32] = {{32-ACC{chunk[(l+1)*ACC-1]}}, chunk[l*ACC +: ACC]};
      end
      assign shifts[l*6 +: 6]   = chunk[l*ACC +: 6];
      assign halves[l*16 +: 16] = chunk[l*ACC +: 16];

      tulle_block_ram #(
        .WIDTH (FACTOR),
        .DEPTH (WORDS)
      ) u_factor (
        .clk_i   (clk_i),
        .we_i    (lane_write_q[l]),
        .waddr_i (to),
        .wdata_i (factor),
        .re_i    (step_i),
        .raddr_i (place),
        .rdata_o (factor_o[l*FACTOR +: FACTOR])
      );
    end
  endgenerate

  tulle_block_ram #(
    .WIDTH (LANES*6),
    .DEPTH (WORDS)
  ) u_shift (
    .clk_i   (clk_i),
    .we_i    (writes_now && column_q == `TULLE_COLUMN_SHIFT),
    .waddr_i (to),
    .wdata_i (shifts),
    .re_i    (late),
    .raddr_i (late_place),
    .rdata_o (loaded)
  );

  generate
    if (ROUNDINGS != 0) begin : gen_taken
      wire [LANES*4-1:0] fines;
      wire [LANES*4-1:0] taken;

      tulle_block_ram #(
        .WIDTH (LANES*4),
        .DEPTH (WORDS)
      ) u_taken (
        .clk_i   (clk_i),
        .we_i    (chunk_ends && multiplies),
        .waddr_i (to),
        .wdata_i (fines),
        .re_i    (late_i),
        .raddr_i (late_place_i),
        .rdata_o (taken)
      );

      for (l = 0; l < LANES; l = l + 1) begin : gen_shift
        assign fines[l*4 +: 4]   = loaded[l*6 +: 4];
        assign shift_o[l*6 +: 6] = {loaded[l*6+4 +: 2], taken[l*4 +: 4]};
      end
    end else begin : gen_loaded
      assign shift_o = loaded;
    end
  endgenerate

  tulle_block_ram #(
    .WIDTH (LANES*16),
    .DEPTH (WORDS)
  ) u_low (
    .clk_i   (clk_i),
    .we_i    (writes_now && column_q == `TULLE_COLUMN_LOW),
    .waddr_i (to),
    .wdata_i (halves),
    .re_i    (late_i),
    .raddr_i (late_place_i),
    .rdata_o (low_o)
  );

  tulle_block_ram #(
    .WIDTH (LANES*16),
    .DEPTH (WORDS)
  ) u_high (
    .clk_i   (clk_i),
    .we_i    (writes_now && column_q == `TULLE_COLUMN_HIGH),
    .waddr_i (to),
    .wdata_i (halves),
    .re_i    (late_i),
    .raddr_i (late_place_i),
    .rdata_o (high_o)
  );

  wire unused = &{1'b0, first_i, walk_first_i, run_q, chunk, lane};

  tulle_assert #(
    .MESSAGE ("a column begins when the last one is loaded, and no store reads meanwhile")
  ) u_one_at_a_time (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!loading_q || !(load_i || step_i || start_i || late_i))
  );

endmodule

`default_nettype wire
