// SPDX-License-Identifier: Apache-2.0
//
// tulle_shift_out: takes a result from each PE of a cluster and sends the set to the collector, with PE 0 in lane 0
// of the first beat and each result sign-extended to an element. A beat is the or of all parts of data_o, so that the
// multiplexer between clusters also selects the beat of a set with the same LUTs.
//
// Ports
//   clk_i, rst_ni                    clock, synchronous reset
//   valid_i, last_i                  a result of every PE is available; the set is the packet's last
//   done_o                           one cycle: the last beat of the set is requested
//   result_i                         word p: the result of PE p, in the cycle after the request
//   result_take_o                    one cycle: results are requested
//   valid_o, ready_i, data_o, last_o beats for the collector: part b holds the b-th beat of a set, and is 0 while
//                                    another beat is offered; last_o marks the packet's last beat
//   set_o                            the last beat of a set
//   idle_o                           no beat is in this module
//
// Parameters
//   BUS_WIDTH                        bits of a beat
//   ELEMENT_WIDTH                    bits of an element in a beat: 32 or 64
//   ACC_WIDTH                        bits of a result, at most ELEMENT_WIDTH
//   PES                              PEs of the cluster
//
// Latency: one cycle; beats are registers. A beat a cycle, also between sets.

`default_nettype none

module tulle_shift_out #(
  parameter BUS_WIDTH     = 128,
  parameter ELEMENT_WIDTH = 32,
  parameter ACC_WIDTH     = 32,
  parameter PES           = 8
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     valid_i,
  input  wire                     last_i,
  output wire                     done_o,

  input  wire [PES*ACC_WIDTH-1:0] result_i,
  output wire                     result_take_o,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [(PES*ELEMENT_WIDTH+BUS_WIDTH-1)/BUS_WIDTH*BUS_WIDTH-1:0] data_o,
  output wire                     last_o,
  output wire                     set_o,
  output wire                     idle_o
);

  localparam LANES = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS = (PES + LANES - 1) / LANES; // beats of a set

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES * ELEMENT_WIDTH == BUS_WIDTH && PES >= 1),
    .MESSAGE ("tulle_shift_out: BUS_WIDTH must be a multiple of ELEMENT_WIDTH, PES at least 1")
  ) u_require_bus_width_multiple_of_element_width ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 1 && ACC_WIDTH <= ELEMENT_WIDTH),
    .MESSAGE ("tulle_shift_out: ACC_WIDTH must be 1..ELEMENT_WIDTH")
  ) u_require_acc_width_1_to_element_width ();

  // -- Accumulators in the lanes of beats; lanes without a PE are 0 -----------------------------------------

  wire [BEATS*LANES*ACC_WIDTH-1:0] lanes;

  genvar e;
  generate
    for (e = 0; e < BEATS * LANES; e = e + 1) begin : gen_lane
      if (e >= PES) begin : gen_no_pe
        assign lanes[e*ACC_WIDTH +: ACC_WIDTH] = {ACC_WIDTH{1'b0}};
      end else begin : gen_pe
        assign lanes[e*ACC_WIDTH +: ACC_WIDTH] = result_i[e*ACC_WIDTH +: ACC_WIDTH];
      end
    end
  endgenerate

  // -- Beats -----------------------------------------------------------------------------------------------
  // At most two beats are requested, in the first register or on offer, so that a requested beat always has a place.

  localparam PART = LANES * ACC_WIDTH;

  wire                  at_last_beat;
  wire [BEATS-1:0]      asked_mine; // the part of the requested beat

  reg                   asked_q;
  reg                   asked_last_q;
  reg                   asked_set_q;
  reg                   first_valid_q;
  reg                   first_last_q;
  reg                   first_set_q;
  reg  [BEATS*PART-1:0] first_q;
  reg                   valid_q;
  reg                   last_q;
  reg                   set_q;
  reg  [BEATS*PART-1:0] beat_q;

  wire beat_stays  = valid_q && !ready_i;
  wire first_moves = first_valid_q && !beat_stays;
  wire room        = !(beat_stays && first_valid_q) && !(beat_stays && asked_q) && !(first_valid_q && asked_q);
  wire take        = valid_i && room;

  generate
    if (BEATS == 1) begin : gen_one_beat
      assign asked_mine   = 1'b1;
      assign at_last_beat = 1'b1;
    end else begin : gen_beats
      localparam COUNT_WIDTH = $clog2(BEATS);
      localparam LAST        = BEATS - 1;

      reg [COUNT_WIDTH-1:0] count_q;
      reg [COUNT_WIDTH-1:0] asked_count_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   count_q <= {COUNT_WIDTH{1'b0}};
        else if (take) count_q <= at_last_beat ? {COUNT_WIDTH{1'b0}} : count_q + 1'b1;
        asked_count_q <= count_q;
      end

      assign asked_mine   = {{BEATS-1{1'b0}}, 1'b1} << asked_count_q;
      assign at_last_beat = count_q == LAST[COUNT_WIDTH-1:0];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) {asked_q, first_valid_q, valid_q} <= 3'd0;
    else begin
      asked_q       <= take;
      first_valid_q <= asked_q || (first_valid_q && !first_moves);
      valid_q       <= first_moves || beat_stays;
    end
  end

  always @(posedge clk_i) begin
    asked_last_q <= last_i && at_last_beat;
    asked_set_q  <= at_last_beat;
    if (asked_q) begin
      first_last_q <= asked_last_q;
      first_set_q  <= asked_set_q;
    end
    if (first_moves) begin
      beat_q <= first_q;
      last_q <= first_last_q;
      set_q  <= first_set_q;
    end
  end

  // A register's reset precedes its enable, so this takes no LUTs.
  generate
    for (e = 0; e < BEATS; e = e + 1) begin : gen_part
      wire other = asked_q && !asked_mine[e];

      always @(posedge clk_i) begin
        if (other)        first_q[e*PART +: PART] <= {PART{1'b0}};
        else if (asked_q) first_q[e*PART +: PART] <= lanes[e*PART +: PART];
      end
    end
  endgenerate

  tulle_assert #(
    .MESSAGE ("what was asked for has a place")
  ) u_no_overflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(asked_q && first_valid_q && !first_moves))
  );

  generate
    for (e = 0; e < BEATS * LANES; e = e + 1) begin : gen_element
      wire [ACC_WIDTH-1:0] value = beat_q[e*ACC_WIDTH +: ACC_WIDTH];
      if (ACC_WIDTH == ELEMENT_WIDTH) begin : gen_same_width
        assign data_o[e*ELEMENT_WIDTH +: ELEMENT_WIDTH] = value;
      end else begin : gen_extend
        assign data_o[e*ELEMENT_WIDTH +: ELEMENT_WIDTH] = {{ELEMENT_WIDTH-ACC_WIDTH{value[ACC_WIDTH-1]}}, value};
      end
    end
  endgenerate

  assign valid_o       = valid_q;
  assign last_o        = last_q;
  assign set_o         = set_q;
  assign done_o        = take && at_last_beat;
  assign result_take_o = take;
  assign idle_o        = !valid_q && !first_valid_q && !asked_q;

endmodule

`default_nettype wire
