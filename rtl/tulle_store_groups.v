// SPDX-License-Identifier: Apache-2.0
//
// tulle_store_groups: takes groups of PES results from the collectors in the order of a store, adds them as the
// setting demands, and delivers the sums in chunks of LANES elements.
//
// A store takes its groups from streams, one for each cluster and row. Clusters (or rows) that are added count as one
// stream; the streams of a row are consecutive. With interleave, the store takes one group of each stream in turn,
// otherwise all groups of a stream first.
//
// With TAKE above 1 up to TAKE groups that follow each other are taken in a cycle, and leave together: those of one stream,
// or, with interleave, of neighbouring clusters of a row, as many as are there and in the right banks. That needs no
// waiting, so nothing depends on groups that have not come.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   start_i, rows_i, clusters_i, interleave_i, groups_i
//                                  a store, while ready_o: masks (not 0), and groups of each stream (not 0)
//   sum_clusters_i, sum_rows_i     clusters are added; rows are added
//   source_i                       partial sums are added
//   alone_i                        nothing is taken, and the chunks are 0; rows_i and clusters_i have one bit each
//   several_i                      several groups may leave together: nothing is added and nothing alone. All these
//                                  five may change only while idle_o
//   has_i, bank_i                  word r: has_o and bank_o of the collector of row r
//   take_o, take_cluster_o         take_i of the collectors, word r for that of row r, and take_cluster_i of all
//   group_i                        word r: group_o of the collector of row r
//   partial_valid_i, partial_ready_o, partial_group_i
//                                  partial sums, a group at a time
//   valid_o, ready_i, data_o       chunks of LANES elements, PE 0 first; the last chunk of a group may have fewer. With
//                                  TAKE above 1 a chunk is up to TAKE groups, one behind the other, and has lanes for as
//                                  many times LANES
//   more_o                         groups of the chunk, minus 1
//   waits_o                        the next group is not available
//   wants_partial_o                partial sums for the current group are not available
//   ready_o                        all groups of the store are taken; those that are not added come before the next one's
//   idle_o                         all groups of the store are taken and added
//
// Parameters
//   ACC, PES, CLUSTERS, ROWS       bits of a result, K, clusters of a row, rows
//   LANES                          elements of a chunk, at least PES if TAKE is above 1
//   TAKE                           groups that are taken in a cycle: 1, 2 or 4
//   GROUPS                         bits of groups_i
//
// Latency: two cycles from take_o to valid_o, three with more than two rows, four with TAKE above 1. Each added group,
// partial sums and each chunk take a cycle. take_o and partial_ready_o depend on ready_i in the same cycle.

`default_nettype none

module tulle_store_groups #(
  parameter ACC      = 32,
  parameter PES      = 8,
  parameter CLUSTERS = 2,
  parameter ROWS     = 2,
  parameter LANES    = 4,
  parameter GROUPS   = 40,
  parameter TAKE     = 1,
  // Derived; not to be set.
  parameter BANK     = (TAKE > 1) ? $clog2(TAKE) : 1
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
  input  wire                     several_i,

  input  wire [ROWS*TAKE*CLUSTERS-1:0] has_i,
  input  wire [ROWS*CLUSTERS*BANK-1:0] bank_i,
  output wire [ROWS*TAKE-1:0]          take_o,
  output wire [TAKE*CLUSTERS-1:0]      take_cluster_o,
  input  wire [ROWS*TAKE*PES*ACC-1:0]  group_i,

  input  wire                     partial_valid_i,
  output wire                     partial_ready_o,
  input  wire [PES*ACC-1:0]       partial_group_i,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [TAKE*LANES*ACC-1:0] data_o,
  output wire [BANK-1:0]          more_o,

  output wire                     waits_o,
  output wire                     wants_partial_o,
  output wire                     ready_o,
  output wire                     idle_o
);

  localparam WIDTH  = PES * ACC;
  localparam CHUNKS = (PES + LANES - 1) / LANES;
  localparam STAGED = ROWS > 2 || TAKE > 1; // a register follows the multiplexer of the rows
  localparam TOGETHER = TAKE * WIDTH;

  tulle_require #(
    .LEGAL   (ACC >= 1 && PES >= 1 && CLUSTERS >= 1 && ROWS >= 1 && LANES >= 1 && GROUPS >= 2),
    .MESSAGE ("tulle_store_groups: all parameters must be at least 1, GROUPS 2")
  ) u_require_parameters_at_least_1 ();

  tulle_require #(
    .LEGAL   (TAKE == 1 || ((TAKE == 2 || TAKE == 4) && CHUNKS == 1)),
    .MESSAGE ("tulle_store_groups: TAKE must be 1, 2 or 4, and LANES at least PES if it is above 1")
  ) u_require_take_1_2_or_4 ();

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

  wire [CLUSTERS-1:0] cluster_rest; // above the last cluster of those that are taken together
  wire                last_count;   // its group is the stream's last one, or this is the last turn
  wire cluster_more = |cluster_rest;
  wire row_more     = |row_rest_q;

  // Groups to add follow each other: over the clusters, then over the rows.
  wire add_cluster = sum_clusters_i && cluster_more;
  wire add_row     = !add_cluster && sum_rows_i && row_more;
  wire last        = !add_cluster && !add_row;

  // Then comes the next stream, at once or when this one is finished.
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
  wire [TAKE-1:0]     with_it;  // bit i: at least i + 1 groups are taken, if any
  wire [BANK-1:0]     more;     // groups that are taken, minus 1
  wire [BANK-1:0]     first_bank;

  genvar r, p, t;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_there
      assign there[r] = |(has_i[r*TAKE*CLUSTERS +: CLUSTERS] & cluster_q);
      assign take_o[r*TAKE +: TAKE] = with_it & {TAKE{row_q[r] && take && !alone_i}};
    end

    assign take_cluster_o[0 +: CLUSTERS] = cluster_q;

    if (TAKE == 1) begin : gen_one_source
      assign cluster_rest = cluster_rest_q;
      reg [GROUPS-1:0] count_q; // number of the next group in its stream, or number of turns over all streams

      assign last_count   = count_q == groups_q;

      always @(posedge clk_i) begin
        if (start_i || (take && counts && last_count)) count_q <= {{GROUPS-1{1'b0}}, 1'b1};
        else if (take && counts)                       count_q <= count_q + 1'b1;
      end

      assign with_it      = 1'b1;
      assign more         = 1'b0;
      assign first_bank   = 1'b0;

      wire unused_banks = &{1'b0, bank_i, several_i, first_bank};
    end else begin : gen_sources
      reg  [GROUPS-1:0]        left_q;    // groups of the stream, or turns over all streams, from this one on
      reg                      stream_q;  // groups that follow each other are of one stream
      reg  [TAKE*CLUSTERS-1:0] has;       // of the row
      reg  [CLUSTERS*BANK-1:0] banks;
      reg  [BANK-1:0]          bank;
      reg  [TAKE*BANK-1:0]     own_bank;  // of the group that a word names
      reg  [TAKE*CLUSTERS-1:0] named;     // word i: the cluster of group i
      reg  [TAKE*CLUSTERS-1:0] rests;     // word i: clusters above it
      reg  [TAKE-1:0]          in_place;  // group i is in the right bank
      reg  [TAKE-1:0]          together;
      reg  [TAKE-1:0]          lasts;     // group i is the last of its stream, or of the last turn
      wire [TAKE*GROUPS-1:0]   less;      // word i: left_q behind group i
      reg  [TAKE-1:0]          beyond;    // the stream has more than i groups
      wire                     many = left_q[GROUPS-1:3] != {GROUPS-3{1'b0}};
      wire [TAKE-1:0]          nth = together & ~(together >> 1); // the last group that is taken

      always @(posedge clk_i)
        if (start_i) stream_q <= !interleave_i || ((rows_i & (rows_i - 1'b1)) == {ROWS{1'b0}} &&
                                                   (clusters_i & (clusters_i - 1'b1)) == {CLUSTERS{1'b0}});

      integer i, c;
      always @* begin
        has   = {TAKE*CLUSTERS{1'b0}};
        banks = {CLUSTERS*BANK{1'b0}};
        for (i = 0; i < ROWS; i = i + 1) begin
          has   = has | (has_i[i*TAKE*CLUSTERS +: TAKE*CLUSTERS] & {TAKE*CLUSTERS{row_q[i]}});
          banks = banks | (bank_i[i*CLUSTERS*BANK +: CLUSTERS*BANK] & {CLUSTERS*BANK{row_q[i]}});
        end

        named[0 +: CLUSTERS] = cluster_q;
        rests[0 +: CLUSTERS] = cluster_rest_q;
        for (i = 1; i < TAKE; i = i + 1) begin
          rests[i*CLUSTERS +: CLUSTERS] = stream_q ? cluster_rest_q : rests[(i-1)*CLUSTERS +: CLUSTERS] &
                                                                      (rests[(i-1)*CLUSTERS +: CLUSTERS] - 1'b1);
          named[i*CLUSTERS +: CLUSTERS] = stream_q ? cluster_q : rests[(i-1)*CLUSTERS +: CLUSTERS] &
                                                                 ~rests[i*CLUSTERS +: CLUSTERS];
        end

        own_bank = {TAKE*BANK{1'b0}};
        for (i = 0; i < TAKE; i = i + 1)
          for (c = 0; c < CLUSTERS; c = c + 1)
            own_bank[i*BANK +: BANK] = own_bank[i*BANK +: BANK] | (banks[c*BANK +: BANK] & {BANK{named[i*CLUSTERS + c]}});
        bank = own_bank[0 +: BANK];

        together = {{TAKE-1{1'b0}}, 1'b1};
        for (i = 0; i < TAKE; i = i + 1) begin
          beyond[i]   = many || left_q[2:0] > i[2:0];
          lasts[i]    = !many && left_q[2:0] == (stream_q ? i[2:0] : 3'd0) + 3'd1;
          in_place[i] = stream_q || own_bank[i*BANK +: BANK] == bank + i[BANK-1:0];
          if (i != 0)
            together[i] = together[i-1] && several_i && in_place[i] &&
                          (stream_q ? beyond[i] && |(has[i*CLUSTERS +: CLUSTERS] & cluster_q)
                                    : |(has[0 +: CLUSTERS] & named[i*CLUSTERS +: CLUSTERS]));
        end
      end

      // What depends on has_i comes late, so all cases are computed for it to choose.
      reg [CLUSTERS-1:0] rest;
      reg [BANK-1:0]     number;
      reg [GROUPS-1:0]   left;
      integer n;
      always @* begin
        rest   = {CLUSTERS{1'b0}};
        number = {BANK{1'b0}};
        left   = {GROUPS{1'b0}};
        for (n = 0; n < TAKE; n = n + 1) begin
          rest   = rest | (rests[n*CLUSTERS +: CLUSTERS] & {CLUSTERS{nth[n]}});
          number = number | (n[BANK-1:0] & {BANK{nth[n]}});
          left   = left | (less[n*GROUPS +: GROUPS] & {GROUPS{nth[n]}});
        end
      end

      for (t = 0; t < TAKE; t = t + 1) begin : gen_less
        localparam integer NUMBER = t + 1;
        assign less[t*GROUPS +: GROUPS] = left_q - (stream_q ? {{GROUPS-3{1'b0}}, NUMBER[2:0]} : {{GROUPS-1{1'b0}}, 1'b1});
      end

      for (t = 1; t < TAKE; t = t + 1) begin : gen_named
        assign take_cluster_o[t*CLUSTERS +: CLUSTERS] = named[t*CLUSTERS +: CLUSTERS] & {CLUSTERS{in_place[t]}};
      end

      assign cluster_rest = rest;
      assign last_count   = |(nth & lasts);
      assign with_it      = together;
      assign more         = number;
      assign first_bank   = bank;

      always @(posedge clk_i) begin
        if (start_i)                           left_q <= groups_i;
        else if (take && counts && last_count) left_q <= groups_q;
        else if (take && counts)               left_q <= left;
      end
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni)      on_q <= 1'b0;
    else if (start_i) on_q <= 1'b1;
    else if (take)    on_q <= !(turn_end && last_count);
  end

  wire [ROWS-1:0]     row_mask     = start_i ? rows_i : rows_q;
  wire [CLUSTERS-1:0] cluster_mask = start_i ? clusters_i : clusters_q;
  wire                load_row     = start_i || (take && row_first);
  wire                load_cluster = start_i || (take && cluster_first);
  wire [ROWS-1:0]     row_from     = load_row ? row_mask : row_rest_q;
  wire [CLUSTERS-1:0] cluster_from = load_cluster ? cluster_mask : cluster_rest;
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

  // -- What was taken, in the collectors' registers ------------------------------------------------------

  reg             taken_q;
  reg             taken_last_q;
  reg  [ROWS-1:0] taken_row_q;
  reg  [2*BANK-1:0] taken_order_q; // {groups minus 1, bank of the first}

  always @(posedge clk_i) begin
    if (!rst_ni)    taken_q <= 1'b0;
    else if (moves) taken_q <= take;
  end

  always @(posedge clk_i) begin
    if (moves) begin
      taken_last_q <= last;
      taken_row_q  <= row_q;
      taken_order_q <= {more, first_bank};
    end
  end

  // taken_row_q is one-hot.
  reg [TOGETHER-1:0] selected; // word b: from bank b
  generate
    if (ROWS == 1) begin : gen_one_row
      always @* selected = group_i;

      wire unused = &{1'b0, taken_row_q};
    end else if (ROWS == 2) begin : gen_two_rows
      always @* selected = taken_row_q[1] ? group_i[TOGETHER +: TOGETHER] : group_i[0 +: TOGETHER];

      wire unused = &{1'b0, taken_row_q};
    end else begin : gen_rows
      integer i;
      always @* begin
        selected = {TOGETHER{1'b0}};
        for (i = 0; i < ROWS; i = i + 1)
          selected = selected | (group_i[i*TOGETHER +: TOGETHER] & {TOGETHER{taken_row_q[i]}});
      end
    end
  endgenerate

  wire                row_valid;
  wire                row_last;
  wire [TOGETHER-1:0] row_banks;
  wire [2*BANK-1:0]   row_order; // {groups minus 1, bank of the first}
  wire                row_moves;
  wire                row_idle;

  generate
    if (STAGED) begin : gen_staged
      reg                valid_q;
      reg                last_q;
      reg [TOGETHER-1:0] banks_q;
      reg [2*BANK-1:0]   order_q;

      assign moves = !valid_q || row_moves;

      always @(posedge clk_i) begin
        if (!rst_ni)    valid_q <= 1'b0;
        else if (moves) valid_q <= taken_q;
      end

      always @(posedge clk_i) begin
        if (moves) begin
          last_q  <= taken_last_q;
          banks_q <= selected;
          order_q <= taken_order_q;
        end
      end

      assign row_valid = valid_q;
      assign row_last  = last_q;
      assign row_banks = banks_q;
      assign row_order = order_q;
      assign row_idle  = !on_q && !taken_q && !valid_q;
    end else begin : gen_direct
      assign moves     = !taken_q || row_moves;
      assign row_valid = taken_q;
      assign row_last  = taken_last_q;
      assign row_banks = selected;
      assign row_order = taken_order_q;
      assign row_idle  = !on_q && !taken_q;
    end
  endgenerate

  // -- Groups in their order, from the banks ------------------------------------------------------------------------

  wire                add_valid;
  wire                add_last;
  wire [TOGETHER-1:0] add_group;
  wire [BANK-1:0]     add_more;
  wire                add_moves;

  generate
    if (TAKE == 1) begin : gen_one_bank
      assign row_moves = add_moves;
      assign add_valid = row_valid;
      assign add_last  = row_last;
      assign add_group = row_banks;
      assign add_more  = 1'b0;
      assign idle_o    = row_idle;

      wire unused_order = &{1'b0, row_order};
    end else begin : gen_banks
      reg                valid_q;
      reg                last_q;
      reg [BANK-1:0]     more_q;
      reg [TOGETHER-1:0] group_q;
      reg [TOGETHER-1:0] ordered;
      reg [BANK-1:0]     from;

      integer i, b;
      always @* begin
        ordered = {TOGETHER{1'b0}};
        from    = {BANK{1'b0}};
        for (i = 0; i < TAKE; i = i + 1) begin
          from = row_order[0 +: BANK] + i[BANK-1:0];
          for (b = 0; b < TAKE; b = b + 1)
            if (from == b[BANK-1:0]) ordered[i*WIDTH +: WIDTH] = row_banks[b*WIDTH +: WIDTH];
        end
      end

      assign row_moves = !valid_q || add_moves;

      always @(posedge clk_i) begin
        if (!rst_ni)        valid_q <= 1'b0;
        else if (row_moves) valid_q <= row_valid;
      end

      always @(posedge clk_i) begin
        if (row_moves) begin
          last_q  <= row_last;
          more_q  <= row_order[BANK +: BANK];
          group_q <= ordered;
        end
      end

      assign add_valid = valid_q;
      assign add_last  = last_q;
      assign add_group = group_q;
      assign add_more  = more_q;
      assign idle_o    = row_idle && !valid_q;
    end
  endgenerate

  // -- Sums: partial sums are one more group after the last --------------------------------------------------------

  reg              partial_q; // partial sums are added next
  reg  [WIDTH-1:0] sum_q;     // sum of the current group so far; 0 before its first addend
  reg              valid_q;
  reg  [WIDTH-1:0] group_q;   // the complete sum, which leaves in chunks
  wire [TOGETHER-1:0] groups; // and the groups behind it
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

  generate
    if (TAKE == 1) begin : gen_alone
      assign groups = group_q;
      assign more_o = 1'b0;

      wire unused_more = &{1'b0, add_more};
    end else begin : gen_behind
      reg [TOGETHER-WIDTH-1:0] behind_q;
      reg [BANK-1:0]           more_q;

      always @(posedge clk_i) begin
        if (complete) begin
          behind_q <= add_group[TOGETHER-1:WIDTH];
          more_q   <= add_more;
        end
      end

      assign groups = {behind_q, group_q};
      assign more_o = more_q;
    end
  endgenerate

  assign partial_ready_o = complete && source_i;

  // -- Chunks -----------------------------------------------------------------------------------------------------

  wire last_chunk;

  always @(posedge clk_i) begin
    if (!rst_ni) valid_q <= 1'b0;
    else         valid_q <= complete || !free;
  end

  generate
    if (CHUNKS == 1) begin : gen_one_chunk
      assign last_chunk           = 1'b1;
      assign data_o[TOGETHER-1:0] = groups;
      if (LANES > PES) begin : gen_empty_lanes
        assign data_o[TAKE*LANES*ACC-1:TOGETHER] = {TAKE*(LANES-PES)*ACC{1'b0}};
      end
    end else begin : gen_chunks
      localparam COUNT = $clog2(CHUNKS);
      localparam LAST  = CHUNKS - 1;

      reg  [COUNT-1:0]            chunk_q;
      wire [CHUNKS*LANES*ACC-1:0] padded;

      assign padded[WIDTH-1:0] = groups;
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

  assign ready_o         = !on_q;
  assign waits_o         = on_q && !there_now;
  assign wants_partial_o = add_valid && source_i && partial_q && !partial_valid_i;

endmodule

`default_nettype wire
