// SPDX-License-Identifier: Apache-2.0
//
// tulle_collector: buffers the results of a row in groups of one result of each PE, until a store takes them. Each
// cluster has its own queue; all queues share one block RAM.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset (empties all queues)
//   result_valid_i, result_ready_o,    the row's result port: PES elements of 32 bits (64 for ACC above 32), with PE
//   result_data_i, result_cluster_i    0 in lane 0 of a new beat. The beats of a group follow each other.
//   room_o                             bit c: cluster c may begin a group. A row that sends only groups with room is
//                                      never stopped.
//   has_o                              bit c: a group of cluster c is complete
//   take_i, take_cluster_i             takes the oldest group of the cluster whose bit is set; has_o must be set for
//                                      it
//   group_o                            the group taken, from the next cycle until the next take
//   idle_o                             no group is present or arriving
//
// Parameters
//   COLLECTOR   bits of a beat
//   ACC         bits of a result
//   PES         PEs of a cluster
//   CLUSTERS    clusters of the row
//   DEPTH       groups that a cluster's queue holds: a power of two, at least 2
//
// Latency: has_o and room_o are registers that follow a group's last beat, or a take, by one cycle. A group a cycle
// in and out. result_ready_o depends on result_cluster_i.

`default_nettype none

module tulle_collector #(
  parameter COLLECTOR = 128,
  parameter ACC       = 32,
  parameter PES       = 8,
  parameter CLUSTERS  = 2,
  parameter DEPTH     = 16
) (
  input  wire                                       clk_i,
  input  wire                                       rst_ni,

  input  wire                                       result_valid_i,
  output wire                                       result_ready_o,
  input  wire [COLLECTOR-1:0]                       result_data_i,
  input  wire [$clog2((CLUSTERS > 1) ? CLUSTERS : 2)-1:0] result_cluster_i,

  output wire [CLUSTERS-1:0]                        room_o,
  output wire [CLUSTERS-1:0]                        has_o,
  input  wire                                       take_i,
  input  wire [CLUSTERS-1:0]                        take_cluster_i,
  output wire [PES*ACC-1:0]                         group_o,
  output wire                                       idle_o
);

  localparam ELEMENT = (ACC > 32) ? 64 : 32;
  localparam LANES   = COLLECTOR / ELEMENT;
  localparam BEATS   = (PES + LANES - 1) / LANES; // of a group
  localparam PLACE   = $clog2(DEPTH);
  localparam ADDRESS = $clog2(CLUSTERS * DEPTH);
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

  // -- Queues ---------------------------------------------------------------------------------------------------

  wire                        beat  = result_valid_i && result_ready_o;
  wire                        last_beat;
  wire                        write = beat && last_beat;
  wire [CLUSTERS-1:0]         full;
  wire [CLUSTERS*ADDRESS-1:0] tail; // where the cluster's next group goes, and where its oldest group is
  wire [CLUSTERS*ADDRESS-1:0] head;
  reg  [ADDRESS-1:0]          write_address;
  reg  [ADDRESS-1:0]          read_address;

  genvar c, b;
  generate
    for (c = 0; c < CLUSTERS; c = c + 1) begin : gen_cluster
      localparam [INDEX-1:0] ME = c;

      reg  [PLACE-1:0] tail_q;
      reg  [PLACE-1:0] head_q;
      reg  [PLACE:0]   count_q;
      reg              has_q;
      reg              room_q;
      wire             push    = write && result_cluster_i == ME;
      wire             pop     = take_i && take_cluster_i[c];

      // The take signal arrives late in the cycle, so the next values are computed for both cases.
      wire             any     = count_q != {PLACE+1{1'b0}};
      wire             many    = any && count_q != {{PLACE{1'b0}}, 1'b1};
      wire             room    = count_q <= NEARLY[PLACE:0];
      wire             fits    = room && count_q != NEARLY[PLACE:0]; // there is room even after one more group

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          tail_q  <= {PLACE{1'b0}};
          head_q  <= {PLACE{1'b0}};
          count_q <= {PLACE+1{1'b0}};
          {has_q, room_q} <= 2'd0;
        end else begin
          if (push) tail_q <= tail_q + 1'b1;
          if (pop)  head_q <= head_q + 1'b1;
          if (push != pop) count_q <= count_q + {{PLACE{!push}}, 1'b1};
          has_q  <= pop ? (push ? any : many) : (push || any);
          room_q <= pop ? (push ? room : !full[c]) : (push ? fits : room);
        end
      end

      assign full[c]   = count_q == FULL[PLACE:0];
      assign has_o[c]  = has_q;
      assign room_o[c] = room_q;

      assign tail[c*ADDRESS +: PLACE] = tail_q;
      assign head[c*ADDRESS +: PLACE] = head_q;
      if (ADDRESS > PLACE) begin : gen_base
        assign tail[c*ADDRESS+PLACE +: ADDRESS-PLACE] = ME[ADDRESS-PLACE-1:0];
        assign head[c*ADDRESS+PLACE +: ADDRESS-PLACE] = ME[ADDRESS-PLACE-1:0];
      end

      tulle_assert #(
        .MESSAGE ("only a group that is there is taken")
      ) u_take_what_is_there (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (!pop || has_q)
      );
    end
  endgenerate

  // -- The RAM: cluster c uses the DEPTH words from c * DEPTH on --------------------------------------------------

  integer i;
  always @* begin
    write_address = {ADDRESS{1'b0}};
    read_address  = {ADDRESS{1'b0}};
    for (i = 0; i < CLUSTERS; i = i + 1) begin
      if (result_cluster_i == i[INDEX-1:0]) write_address = write_address | tail[i*ADDRESS +: ADDRESS];
      if (take_cluster_i[i])                read_address  = read_address | head[i*ADDRESS +: ADDRESS];
    end
  end

  generate
    if (BEATS == 1) begin : gen_one_beat
      assign last_beat = 1'b1;
      assign idle_o    = !(|has_o);
    end else begin : gen_beats
      localparam COUNT = $clog2(BEATS);
      localparam LAST  = BEATS - 1;

      reg [COUNT-1:0] beat_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   beat_q <= {COUNT{1'b0}};
        else if (beat) beat_q <= last_beat ? {COUNT{1'b0}} : beat_q + 1'b1;
      end

      assign last_beat = beat_q == LAST[COUNT-1:0];
      assign idle_o    = !(|has_o) && beat_q == {COUNT{1'b0}};
    end

    // Each beat of a group has a RAM of its own, so that beats are written as they arrive.
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
        localparam COUNT = $clog2(BEATS);
        assign mine = gen_beats.beat_q == b[COUNT-1:0];
      end

      tulle_block_ram #(
        .WIDTH (HERE*ACC),
        .DEPTH (CLUSTERS*DEPTH)
      ) u_groups (
        .clk_i   (clk_i),
        .we_i    (beat && mine),
        .waddr_i (write_address),
        .wdata_i (data),
        .re_i    (take_i),
        .raddr_i (read_address),
        .rdata_o (group_o[FIRST*ACC +: HERE*ACC])
      );
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
