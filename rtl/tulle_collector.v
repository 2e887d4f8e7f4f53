// SPDX-License-Identifier: Apache-2.0
//
// tulle_collector: buffers the results of a row in groups of one result of each PE, until a store takes them. Each
// cluster has its own queue; all queues share one block RAM.
//
// With TAKE above 1 a store takes several groups at once: the oldest ones of a cluster, or one of each of several
// clusters. The RAM is then TAKE banks, of which each gives a group in a cycle. Group g of cluster c is in bank
// (c + g) mod TAKE, so groups that follow each other are in different banks, and so are those of neighbouring clusters
// that gave equally many.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset (empties all queues)
//   result_valid_i, result_ready_o,    the row's result port: PES elements of 32 bits (64 for ACC above 32), with PE
//   result_data_i, result_cluster_i    0 in lane 0 of a new beat. The beats of a group follow each other.
//   room_o                             bit c: cluster c may begin a group. A row that sends only groups with room is
//                                      never stopped.
//   has_o                              bit i * CLUSTERS + c: more than i groups of cluster c are complete
//   bank_o                             word c: the bank of the oldest group of cluster c; 0 with TAKE 1
//   take_i, take_cluster_i             bit i: takes the oldest group of the cluster whose bit is set in word i, of a
//                                      cluster that is named before, the next one; only with bit i - 1. has_o must be set
//                                      for it. Word i names a group of the bank behind that of word i - 1, or none
//   group_o                            word b: the group taken from bank b, from the next cycle until the next take
//   idle_o                             no group is present or arriving
//
// Parameters
//   COLLECTOR   bits of a beat
//   ACC         bits of a result
//   PES         PEs of a cluster
//   CLUSTERS    clusters of the row
//   DEPTH       groups that a cluster's queue holds: a power of two, at least 2, and at least 2 * TAKE
//   TAKE        groups that are taken in a cycle: 1, 2 or 4
//
// Latency: has_o and room_o are registers that follow a group's last beat, or a take, by one cycle. A group a cycle
// in and out. result_ready_o depends on result_cluster_i.

`default_nettype none

module tulle_collector #(
  parameter COLLECTOR = 128,
  parameter ACC       = 32,
  parameter PES       = 8,
  parameter CLUSTERS  = 2,
  parameter DEPTH     = 16,
  parameter TAKE      = 1,
  // Derived; not to be set.
  parameter BANK      = (TAKE > 1) ? $clog2(TAKE) : 1
) (
  input  wire                                       clk_i,
  input  wire                                       rst_ni,

  input  wire                                       result_valid_i,
  output wire                                       result_ready_o,
  input  wire [COLLECTOR-1:0]                       result_data_i,
  input  wire [$clog2((CLUSTERS > 1) ? CLUSTERS : 2)-1:0] result_cluster_i,

  output wire [CLUSTERS-1:0]                        room_o,
  output wire [TAKE*CLUSTERS-1:0]                   has_o,
  output wire [CLUSTERS*BANK-1:0]                   bank_o,
  input  wire [TAKE-1:0]                            take_i,
  input  wire [TAKE*CLUSTERS-1:0]                   take_cluster_i,
  output wire [TAKE*PES*ACC-1:0]                    group_o,
  output wire                                       idle_o
);

  localparam ELEMENT = (ACC > 32) ? 64 : 32;
  localparam LANES   = COLLECTOR / ELEMENT;
  localparam BEATS   = (PES + LANES - 1) / LANES; // of a group
  localparam BANKED  = DEPTH / TAKE;                // groups of a cluster in a bank
  localparam COUNT   = $clog2(DEPTH) + 1;           // bits of a number of groups
  localparam PLACE   = $clog2(BANKED);
  localparam ADDRESS = $clog2(CLUSTERS * BANKED);
  localparam INDEX   = $clog2((CLUSTERS > 1) ? CLUSTERS : 2);
  localparam FULL    = DEPTH;
  localparam NEARLY  = DEPTH - 2;

  tulle_require #(
    .LEGAL   (ACC >= 1 && ACC <= 64 && LANES >= 1 && LANES * ELEMENT == COLLECTOR && PES >= 1 && CLUSTERS >= 1),
    .MESSAGE ("tulle_collector: COLLECTOR must be a multiple of an element, PES and CLUSTERS at least 1")
  ) u_require_collector_multiple_of_element ();

  tulle_require #(
    .LEGAL   (DEPTH >= 2 && (DEPTH & (DEPTH - 1)) == 0),
    .MESSAGE ("tulle_collector: DEPTH must be a power of two, at least 2")
  ) u_require_depth_power_of_two ();

  tulle_require #(
    .LEGAL   (TAKE == 1 || ((TAKE == 2 || TAKE == 4) && DEPTH >= 2 * TAKE)),
    .MESSAGE ("tulle_collector: TAKE must be 1, 2 or 4, at most half of DEPTH")
  ) u_require_take_1_2_or_4 ();

  // -- Queues ---------------------------------------------------------------------------------------------------

  wire                        beat  = result_valid_i && result_ready_o;
  wire                        last_beat;
  wire                        write = beat && last_beat;
  wire [CLUSTERS-1:0]         full;
  wire [CLUSTERS*ADDRESS-1:0] tail; // where the cluster's next group goes
  wire [CLUSTERS*TAKE-1:0]    into; // and into which bank
  wire [TAKE*CLUSTERS*ADDRESS-1:0] head; // where its oldest group of each bank is
  wire [CLUSTERS*TAKE-1:0]    reads;     // it is what the bank gives
  reg  [ADDRESS-1:0]          write_address;
  reg  [TAKE-1:0]             write_bank;
  reg  [TAKE*ADDRESS-1:0]     read_address;
  reg  [BANK-1:0]             first_bank; // of the groups that are named
  wire [TAKE-1:0]             bank_read;

  genvar c, b, k;
  generate
    for (c = 0; c < CLUSTERS; c = c + 1) begin : gen_cluster
      localparam [INDEX-1:0] ME = c;

      reg  [COUNT-1:0] count_q;
      reg              room_q;
      wire             push = write && result_cluster_i == ME;

      assign full[c]   = count_q == FULL[COUNT-1:0];
      assign room_o[c] = room_q;

      if (TAKE == 1) begin : gen_one
        reg  [PLACE-1:0] tail_q;
        reg  [PLACE-1:0] head_q;
        reg              has_q;
        wire             pop  = take_i[0] && take_cluster_i[c];

        // The take signal arrives late in the cycle, so the next values are computed for both cases.
        wire             any  = count_q != {COUNT{1'b0}};
        wire             many = any && count_q != {{COUNT-1{1'b0}}, 1'b1};
        wire             room = count_q <= NEARLY[COUNT-1:0];
        wire             fits = room && count_q != NEARLY[COUNT-1:0]; // there is room even after one more group

        always @(posedge clk_i) begin
          if (!rst_ni) begin
            tail_q  <= {PLACE{1'b0}};
            head_q  <= {PLACE{1'b0}};
            count_q <= {COUNT{1'b0}};
            {has_q, room_q} <= 2'd0;
          end else begin
            if (push) tail_q <= tail_q + 1'b1;
            if (pop)  head_q <= head_q + 1'b1;
            if (push != pop) count_q <= count_q + {{COUNT-1{!push}}, 1'b1};
            has_q  <= pop ? (push ? any : many) : (push || any);
            room_q <= pop ? (push ? room : !full[c]) : (push ? fits : room);
          end
        end

        assign has_o[c]                     = has_q;
        assign bank_o[c]                    = 1'b0;
        assign into[c]                      = 1'b1;
        assign reads[c]                     = take_cluster_i[c];
        assign tail[c*ADDRESS +: PLACE]     = tail_q;
        assign head[c*ADDRESS +: PLACE]     = head_q;

        tulle_assert #(
          .MESSAGE ("only a group that is there is taken")
        ) u_take_what_is_there (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .holds_i (!pop || has_q)
        );
      end else begin : gen_several
        localparam integer     BEGIN = c % TAKE;
        localparam [BANK-1:0]  FIRST = BEGIN[BANK-1:0];

        reg  [PLACE+BANK-1:0] tail_q;
        reg  [TAKE*PLACE-1:0] head_q;   // of each bank
        reg  [BANK-1:0]       bank_q;   // of the oldest group
        reg  [TAKE-1:0]       has_q;
        reg  [TAKE-1:0]       has_d;
        reg                   room_d;
        reg  [COUNT-1:0]      pops;     // groups that are taken
        reg  [COUNT-1:0]      named;    // words that name this cluster
        wire [COUNT:0]        level = {1'b0, count_q} + {{COUNT{1'b0}}, push};
        wire [BANK-1:0]       to    = tail_q[BANK-1:0] + FIRST;

        integer i, n;
        always @* begin
          pops  = {COUNT{1'b0}};
          named = {COUNT{1'b0}};
          for (i = 0; i < TAKE; i = i + 1) begin
            pops  = pops + {{COUNT-1{1'b0}}, take_i[i] && take_cluster_i[i*CLUSTERS + c]};
            named = named + {{COUNT-1{1'b0}}, take_cluster_i[i*CLUSTERS + c]};
          end
          // The take signals arrive late in the cycle, so the next values are computed for all cases.
          has_d  = {TAKE{1'b0}};
          room_d = 1'b0;
          for (n = 0; n <= TAKE; n = n + 1) begin
            if (pops == n[COUNT-1:0]) begin
              for (i = 0; i < TAKE; i = i + 1) has_d[i] = level > n[COUNT:0] + i[COUNT:0];
              room_d = level <= NEARLY[COUNT:0] + n[COUNT:0];
            end
          end
        end

        always @(posedge clk_i) begin
          if (!rst_ni) begin
            tail_q  <= {PLACE+BANK{1'b0}};
            bank_q  <= FIRST;
            count_q <= {COUNT{1'b0}};
            has_q   <= {TAKE{1'b0}};
            room_q  <= 1'b0;
          end else begin
            if (push) tail_q <= tail_q + 1'b1;
            bank_q  <= bank_q + pops[BANK-1:0];
            count_q <= level[COUNT-1:0] - pops;
            has_q   <= has_d;
            room_q  <= room_d;
          end
        end

        for (b = 0; b < TAKE; b = b + 1) begin : gen_bank
          localparam integer    NUMBER = b;
          wire [BANK-1:0]       behind = NUMBER[BANK-1:0] - bank_q; // the group that the bank has, from the oldest on

          always @(posedge clk_i) begin
            if (!rst_ni)                            head_q[b*PLACE +: PLACE] <= {PLACE{1'b0}};
            else if ({{COUNT-BANK{1'b0}}, behind} < pops) head_q[b*PLACE +: PLACE] <= head_q[b*PLACE +: PLACE] + 1'b1;
          end

          assign into[c*TAKE + b]  = to == NUMBER[BANK-1:0];
          assign reads[c*TAKE + b] = {{COUNT-BANK{1'b0}}, behind} < named;
          assign head[(b*CLUSTERS + c)*ADDRESS +: PLACE] = head_q[b*PLACE +: PLACE];
          assign has_o[b*CLUSTERS + c] = has_q[b];
        end

        assign bank_o[c*BANK +: BANK]   = bank_q;
        assign tail[c*ADDRESS +: PLACE] = tail_q[BANK +: PLACE];

        tulle_assert #(
          .MESSAGE ("only groups that are there are taken")
        ) u_take_what_is_there (
          .clk_i   (clk_i),
          .rst_ni  (rst_ni),
          .holds_i (pops <= count_q)
        );
      end

      if (ADDRESS > PLACE) begin : gen_base
        assign tail[c*ADDRESS+PLACE +: ADDRESS-PLACE] = ME[ADDRESS-PLACE-1:0];
        for (b = 0; b < TAKE; b = b + 1) begin : gen_bank
          assign head[(b*CLUSTERS + c)*ADDRESS+PLACE +: ADDRESS-PLACE] = ME[ADDRESS-PLACE-1:0];
        end
      end
    end
  endgenerate

  // -- The RAM: cluster c uses the BANKED words of each bank from c * BANKED on -----------------------------------

  integer i, j;
  always @* begin
    write_address = {ADDRESS{1'b0}};
    write_bank    = {TAKE{1'b0}};
    read_address  = {TAKE*ADDRESS{1'b0}};
    first_bank    = {BANK{1'b0}};
    for (i = 0; i < CLUSTERS; i = i + 1) begin
      if (result_cluster_i == i[INDEX-1:0]) begin
        write_address = write_address | tail[i*ADDRESS +: ADDRESS];
        write_bank    = write_bank | into[i*TAKE +: TAKE];
      end
      if (take_cluster_i[i]) first_bank = first_bank | bank_o[i*BANK +: BANK];
      for (j = 0; j < TAKE; j = j + 1)
        if (reads[i*TAKE + j])
          read_address[j*ADDRESS +: ADDRESS] = read_address[j*ADDRESS +: ADDRESS] |
                                               head[(j*CLUSTERS + i)*ADDRESS +: ADDRESS];
    end
  end

  generate
    if (BEATS == 1) begin : gen_one_beat
      assign last_beat = 1'b1;
      assign idle_o    = !(|has_o);
    end else begin : gen_beats
      localparam NUMBER = $clog2(BEATS);
      localparam LAST   = BEATS - 1;

      reg [NUMBER-1:0] beat_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   beat_q <= {NUMBER{1'b0}};
        else if (beat) beat_q <= last_beat ? {NUMBER{1'b0}} : beat_q + 1'b1;
      end

      assign last_beat = beat_q == LAST[NUMBER-1:0];
      assign idle_o    = !(|has_o) && beat_q == {NUMBER{1'b0}};
    end

    for (k = 0; k < TAKE; k = k + 1) begin : gen_read
      localparam integer  NUMBER = k;
      wire [BANK-1:0]     behind = NUMBER[BANK-1:0] - first_bank;

      assign bank_read[k] = (TAKE == 1) ? take_i[0] : take_i[behind];
    end

    // Each beat of a group has RAMs of its own, so that beats are written as they arrive.
    for (b = 0; b < BEATS; b = b + 1) begin : gen_part
      localparam FIRST = b * LANES;
      localparam HERE  = (PES - FIRST < LANES) ? PES - FIRST : LANES;

      wire [HERE*ACC-1:0] data;
      wire                mine;

      for (c = 0; c < HERE; c = c + 1) begin : gen_result
        assign data[c*ACC +: ACC] = result_data_i[c*ELEMENT +: ACC];
      end

      if (BEATS == 1) begin : gen_always
        assign mine = 1'b1;
      end else begin : gen_turn
        localparam NUMBER = $clog2(BEATS);
        assign mine = gen_beats.beat_q == b[NUMBER-1:0];
      end

      for (k = 0; k < TAKE; k = k + 1) begin : gen_bank
        tulle_block_ram #(
          .WIDTH (HERE*ACC),
          .DEPTH (CLUSTERS*BANKED)
        ) u_groups (
          .clk_i   (clk_i),
          .we_i    (beat && mine && write_bank[k]),
          .waddr_i (write_address),
          .wdata_i (data),
          .re_i    (bank_read[k]),
          .raddr_i (read_address[k*ADDRESS +: ADDRESS]),
          .rdata_o (group_o[(k*PES + FIRST)*ACC +: HERE*ACC])
        );
      end
    end
  endgenerate

  assign result_ready_o = !full[result_cluster_i];

  // Upper bits of elements, and lanes without a PE.
  wire unused = &{1'b0, result_data_i};

  tulle_stream_check #(
    .WIDTH (COLLECTOR + INDEX)
  ) u_result_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (result_valid_i),
    .ready_i (result_ready_o),
    .data_i  ({result_cluster_i, result_data_i})
  );

endmodule

`default_nettype wire
