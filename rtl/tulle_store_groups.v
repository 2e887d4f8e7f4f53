// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_groups: takes groups of PES results from the collectors in the order of a store, adds them as the
// setting demands, and delivers the sums in chunks of LANES elements.
//
// A store takes its groups from streams, one for each cluster and row. Clusters (or rows) that are added count as one
// stream; the streams of a row are consecutive. With interleave, the store takes one group of each stream in turn,
// otherwise all groups of a stream first.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   start_i, rows_i, clusters_i, interleave_i, groups_i
//                                  a store, while idle_o: masks (not 0), and groups of each stream (not 0)
//   sum_clusters_i, sum_rows_i     clusters are added; rows are added
//   source_i                       partial sums are added
//   alone_i                        nothing is taken, and the chunks are 0; rows_i and clusters_i have one bit each.
//                                  All these four may change only while idle_o
//   has_i                          bit r * CLUSTERS + c: the collector of row r has a group of cluster c
//   take_o, take_cluster_o         take from the collectors: bit r: from row r, the group of the cluster whose bit is
//                                  set
//   group_i                        word r: the group that row r's collector delivered for the last take
//   partial_valid_i, partial_ready_o, partial_group_i
//                                  partial sums, a group at a time
//   valid_o, ready_i, data_o       chunks of LANES elements, PE 0 first; the last chunk of a group may have fewer
//   waits_o                        the next group is not available
//   wants_partial_o                partial sums for the current group are not available
//   idle_o                         all groups of the store are taken and added
//
// Parameters
//   ACC, PES, CLUSTERS, ROWS       bits of a result, K, clusters of a row, rows
//   LANES                          elements of a chunk
//   GROUPS                         bits of groups_i
//
// Latency: two cycles from take_o to valid_o, three with more than two rows. Each added group, partial sums and each
// chunk take a cycle. take_o and partial_ready_o depend on ready_i in the same cycle.

`default_nettype none

module tulle_store_groups #(
  parameter ACC      = 32,
  parameter PES      = 8,
  parameter CLUSTERS = 2,
  parameter ROWS     = 2,
  parameter LANES    = 4,
  parameter GROUPS   = 40
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  input  wire [ROWS-1:0]          rows_i,
  input  wire [CLUSTERS-1:0]      clusters_i,
  input  wire                     interleave_i,
  input  wire [GROUPS-1:0]        groups_i,

  input  wire                     sum_clusters_i,
  input  wire                     sum_rows_i,
  input  wire                     source_i,
  input  wire                     alone_i,

  input  wire [ROWS*CLUSTERS-1:0] has_i,
  output wire [ROWS-1:0]          take_o,
  output wire [CLUSTERS-1:0]      take_cluster_o,
  input  wire [ROWS*PES*ACC-1:0]  group_i,

  input  wire                     partial_valid_i,
  output wire                     partial_ready_o,
  input  wire [PES*ACC-1:0]       partial_group_i,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [LANES*ACC-1:0]     data_o,

  output wire                     waits_o,
  output wire                     wants_partial_o,
  output wire                     idle_o
);

  localparam WIDTH  = PES * ACC;
  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam STAGED = ROWS > 2; // a register follows the multiplexer of the rows

  tulle_require #(
    .LEGAL   (ACC >= 1 && PES >= 1 && CLUSTERS >= 1 && ROWS >= 1 && LANES >= 1 && GROUPS >= 2),
    .MESSAGE ("tulle_store_groups: all parameters must be at least 1, GROUPS 2")
  ) u_require_parameters_at_least_1 ();

  // -- The source of the next group: one-hot row_q and cluster_q, and the mask bits above ---------------------------

  reg                 on_q;
  reg                 interleave_q;
  reg  [ROWS-1:0]     rows_q;
  reg  [ROWS-1:0]     row_q;
  reg  [ROWS-1:0]     row_rest_q;
  reg  [CLUSTERS-1:0] clusters_q;
  reg  [CLUSTERS-1:0] cluster_q;
  reg  [CLUSTERS-1:0] cluster_rest_q;
  reg  [GROUPS-1:0]   groups_q;
  reg  [GROUPS-1:0]   count_q;    // number of the next group in its stream, or number of turns over all streams

  wire cluster_more = |cluster_rest_q;
  wire row_more     = |row_rest_q;

  // Groups to add follow each other: over the clusters, then over the rows.
  wire add_cluster = sum_clusters_i && cluster_more;
  wire add_row     = !add_cluster && sum_rows_i && row_more;
  wire last        = !add_cluster && !add_row;

  // Then comes the next stream, at once or when this one is finished.
  wire last_count     = count_q == groups_q;
  wire step           = last && (interleave_q || last_count);
  wire step_cluster   = step && !sum_clusters_i && cluster_more;
  wire step_row       = step && !step_cluster && !sum_rows_i && row_more;
  wire turn_end       = step && !step_cluster && !step_row;

  wire cluster_next   = add_cluster || step_cluster;
  wire cluster_first  = !cluster_more && (sum_clusters_i || step);
  wire row_next       = add_row || step_row;
  wire row_first      = !row_more && !add_cluster && (sum_rows_i || turn_end);
  wire counts         = last && (!interleave_q || turn_end);

  wire [ROWS-1:0]     there;
  wire                moves; // a group may be taken
  wire                there_now = |(there & row_q) || alone_i;
  wire                take      = on_q && there_now && moves;

  genvar r, p;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_there
      assign there[r] = |(has_i[r*CLUSTERS +: CLUSTERS] & cluster_q);
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)      on_q <= 1'b0;
    else if (start_i) on_q <= 1'b1;
    else if (take)    on_q <= !(turn_end && last_count);
  end

  wire restart_count = start_i || (take && counts && last_count);

  always @(posedge clk_i) begin
    if (restart_count)       count_q <= {{GROUPS-1{1'b0}}, 1'b1};
    else if (take && counts) count_q <= count_q + 1'b1;
  end

  wire [ROWS-1:0]     row_mask     = start_i ? rows_i : rows_q;
  wire [CLUSTERS-1:0] cluster_mask = start_i ? clusters_i : clusters_q;
  wire                load_row     = start_i || (take && row_first);
  wire                load_cluster = start_i || (take && cluster_first);
  wire [ROWS-1:0]     row_from     = load_row ? row_mask : row_rest_q;
  wire [CLUSTERS-1:0] cluster_from = load_cluster ? cluster_mask : cluster_rest_q;
  wire [ROWS-1:0]     row_above    = row_from & (row_from - 1'b1);
  wire [CLUSTERS-1:0] cluster_above = cluster_from & (cluster_from - 1'b1);

  always @(posedge clk_i) begin
    if (start_i) begin
      interleave_q <= interleave_i;
      rows_q       <= rows_i;
      clusters_q   <= clusters_i;
      groups_q     <= groups_i;
    end
    if (load_row || (take && row_next)) begin
      row_q      <= row_from & ~row_above;
      row_rest_q <= row_above;
    end
    if (load_cluster || (take && cluster_next)) begin
      cluster_q      <= cluster_from & ~cluster_above;
      cluster_rest_q <= cluster_above;
    end
  end

  assign take_o         = row_q & {ROWS{take && !alone_i}};
  assign take_cluster_o = cluster_q;

  // -- The group that was taken, in the collectors' registers ------------------------------------------------------

  reg             taken_q;
  reg             taken_last_q;
  reg  [ROWS-1:0] taken_row_q;

  always @(posedge clk_i) begin
    if (!rst_ni)    taken_q <= 1'b0;
    else if (moves) taken_q <= take;
  end

  always @(posedge clk_i) begin
    if (moves) begin
      taken_last_q <= last;
      taken_row_q  <= row_q;
    end
  end

  // taken_row_q is one-hot.
  reg [WIDTH-1:0] selected;
  generate
    if (ROWS == 1) begin : gen_one_row
      always @* selected = group_i;

      wire unused = &{1'b0, taken_row_q};
    end else if (ROWS == 2) begin : gen_two_rows
      always @* selected = taken_row_q[1] ? group_i[WIDTH +: WIDTH] : group_i[0 +: WIDTH];

      wire unused = &{1'b0, taken_row_q};
    end else begin : gen_rows
      integer i;
      always @* begin
        selected = {WIDTH{1'b0}};
        for (i = 0; i < ROWS; i = i + 1)
          selected = selected | (group_i[i*WIDTH +: WIDTH] & {WIDTH{taken_row_q[i]}});
      end
    end
  endgenerate

  wire             add_valid;
  wire             add_last;
  wire [WIDTH-1:0] add_group;
  wire             add_moves;

  generate
    if (STAGED) begin : gen_staged
      reg             valid_q;
      reg             last_q;
      reg [WIDTH-1:0] group_q;

      assign moves = !valid_q || add_moves;

      always @(posedge clk_i) begin
        if (!rst_ni)    valid_q <= 1'b0;
        else if (moves) valid_q <= taken_q;
      end

      always @(posedge clk_i) begin
        if (moves) begin
          last_q  <= taken_last_q;
          group_q <= selected;
        end
      end

      assign add_valid = valid_q;
      assign add_last  = last_q;
      assign add_group = group_q;
      assign idle_o    = !on_q && !taken_q && !valid_q;
    end else begin : gen_direct
      assign moves     = !taken_q || add_moves;
      assign add_valid = taken_q;
      assign add_last  = taken_last_q;
      assign add_group = selected;
      assign idle_o    = !on_q && !taken_q;
    end
  endgenerate

  // -- Sums: partial sums are one more group after the last --------------------------------------------------------

  reg              partial_q; // partial sums are added next
  reg  [WIDTH-1:0] sum_q;     // sum of the current group so far; 0 before its first addend
  reg              valid_q;
  reg  [WIDTH-1:0] group_q;   // the complete sum, which leaves in chunks
  wire [WIDTH-1:0] sum;
  wire             free;      // group_q can take another sum

  wire completes = source_i ? partial_q : add_last;
  wire complete  = add_valid && completes && free && (!source_i || partial_valid_i);
  wire to_partial = add_valid && source_i && add_last && !partial_q;

  assign add_moves = complete || (add_valid && !add_last);

  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      tulle_sum #(
        .WIDTH (ACC)
      ) u_sum (
        .zero_i   (1'b0),
        .second_i (partial_q),
        .a_i      (add_group[p*ACC +: ACC]),
        .b_i      (partial_group_i[p*ACC +: ACC]),
        .c_i      (sum_q[p*ACC +: ACC]),
          .carry_i  (1'b0),
        .sum_o    (sum[p*ACC +: ACC])
      );
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)         partial_q <= 1'b0;
    else if (complete)   partial_q <= 1'b0;
    else if (to_partial) partial_q <= 1'b1;
  end

  always @(posedge clk_i) begin
    if (!rst_ni || complete)          sum_q <= {WIDTH{1'b0}};
    else if (add_moves || to_partial) sum_q <= sum;
  end

  always @(posedge clk_i) begin
    if (alone_i)       group_q <= {WIDTH{1'b0}};
    else if (complete) group_q <= sum;
  end

  assign partial_ready_o = complete && source_i;

  // -- Chunks -----------------------------------------------------------------------------------------------------

  wire last_chunk;

  always @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= complete || !free;
  end

  generate
    if (CHUNKS == 1) begin : gen_one_chunk
      assign last_chunk        = 1'b1;
      assign data_o[WIDTH-1:0] = group_q;
      if (LANES > PES) begin : gen_empty_lanes
        assign data_o[LANES*ACC-1:WIDTH] = {(LANES-PES)*ACC{1'b0}};
      end
    end else begin : gen_chunks
      localparam COUNT = $clog2(CHUNKS);
      localparam LAST  = CHUNKS - 1;

      reg  [COUNT-1:0]            chunk_q;
      wire [CHUNKS*LANES*ACC-1:0] padded;

      assign padded[WIDTH-1:0] = group_q;
      if (CHUNKS * LANES > PES) begin : gen_empty_lanes
        assign padded[CHUNKS*LANES*ACC-1:WIDTH] = {(CHUNKS*LANES-PES)*ACC{1'b0}};
      end

      always @(posedge clk_i) begin
        if (!rst_ni)                 chunk_q <= {COUNT{1'b0}};
        else if (valid_q && ready_i) chunk_q <= last_chunk ? {COUNT{1'b0}} : chunk_q + 1'b1;
      end

      assign last_chunk = chunk_q == LAST[COUNT-1:0];
      // Bit by bit, because an index into words whose length is no power of two becomes a shifter.
      for (p = 0; p < LANES * ACC; p = p + 1) begin : gen_bit
        wire [CHUNKS-1:0] column;

        for (r = 0; r < CHUNKS; r = r + 1) begin : gen_chunk
          assign column[r] = padded[r*LANES*ACC + p];
        end

        assign data_o[p] = column[chunk_q];
      end
    end
  endgenerate

  assign free    = !valid_q || (last_chunk && ready_i);
  assign valid_o = valid_q;

  assign waits_o         = on_q && !there_now;
  assign wants_partial_o = add_valid && source_i && partial_q && !partial_valid_i;

endmodule

`default_nettype wire
