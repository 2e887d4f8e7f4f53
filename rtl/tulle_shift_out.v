// SPDX-License-Identifier: Apache-2.0
//
// tulle_shift_out: gathers a result from each PE of the cluster and sends them to the collector, PE 0 in lane 0
// of the first beat, each sign-extended to an element.
//
// Ports
//   clk_i, rst_ni                    clock, synchronous reset
//   start_i, last_i                  PEs were told to store a result each; it is the packet's last set
//   ready_o                          another set can be announced
//   result_valid_i, result_i         bit and word p: PE p's result
//   result_take_o                    all are taken
//   valid_o, ready_i, data_o, last_o beats for the collector; last_o marks the packet's last
//   idle_o                           no set is under way
//
// Parameters
//   BUS_WIDTH                        bits of a beat
//   ELEMENT_WIDTH                    bits of an element in a beat: 32 or 64
//   ACC_WIDTH                        bits of a result, at most ELEMENT_WIDTH
//   PES                              PEs of the cluster
//   SETS                             sets that can be announced ahead
//
// Latency: none: the beat is selected from the PEs' output registers, which keep their results until the last
// beat of the set is taken. Without a stall, sets follow each other without a gap.

`default_nettype none

module tulle_shift_out #(
  parameter BUS_WIDTH     = 128,
  parameter ELEMENT_WIDTH = 32,
  parameter ACC_WIDTH     = 32,
  parameter PES           = 8,
  parameter SETS          = 4
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  input  wire                     last_i,
  output wire                     ready_o,

  input  wire [PES-1:0]           result_valid_i,
  input  wire [PES*ACC_WIDTH-1:0] result_i,
  output wire                     result_take_o,

  output wire                     valid_o,
  input  wire                     ready_i,
  output wire [BUS_WIDTH-1:0]     data_o,
  output wire                     last_o,
  output wire                     idle_o
);

  localparam LANES = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS = (PES + LANES - 1) / LANES; // of a set

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES * ELEMENT_WIDTH == BUS_WIDTH && PES >= 1),
    .MESSAGE ("tulle_shift_out: BUS_WIDTH must be a multiple of ELEMENT_WIDTH, PES at least 1")
  ) u_require_bus_width_multiple_of_element_width ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 1 && ACC_WIDTH <= ELEMENT_WIDTH),
    .MESSAGE ("tulle_shift_out: ACC_WIDTH must be 1..ELEMENT_WIDTH")
  ) u_require_acc_width_1_to_element_width ();

  // -- Sets that were announced ----------------------------------------------------------------------------

  wire announced;
  wire announced_last;
  wire set_done;

  tulle_fifo #(
    .WIDTH (1),
    .DEPTH (SETS)
  ) u_sets (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (start_i),
    .ready_o (ready_o),
    .data_i  (last_i),
    .valid_o (announced),
    .ready_i (set_done),
    .data_o  (announced_last)
  );

  // -- Elements: sign-extended, lanes without a PE are 0 ----------------------------------------------------

  wire [BEATS*BUS_WIDTH-1:0] elements;

  genvar e;
  generate
    for (e = 0; e < BEATS * LANES; e = e + 1) begin : gen_element
      if (e >= PES) begin : gen_no_pe
        assign elements[e*ELEMENT_WIDTH +: ELEMENT_WIDTH] = {ELEMENT_WIDTH{1'b0}};
      end else if (ACC_WIDTH == ELEMENT_WIDTH) begin : gen_same_width
        assign elements[e*ELEMENT_WIDTH +: ELEMENT_WIDTH] = result_i[e*ACC_WIDTH +: ACC_WIDTH];
      end else begin : gen_extend
        assign elements[e*ELEMENT_WIDTH +: ELEMENT_WIDTH] = {
          {ELEMENT_WIDTH-ACC_WIDTH{result_i[e*ACC_WIDTH + ACC_WIDTH - 1]}},
          result_i[e*ACC_WIDTH +: ACC_WIDTH]
        };
      end
    end
  endgenerate

  // -- Beats -----------------------------------------------------------------------------------------------

  wire at_last_beat;
  wire take = valid_o && ready_i;

  generate
    if (BEATS == 1) begin : gen_one_beat
      assign data_o       = elements;
      assign at_last_beat = 1'b1;
    end else begin : gen_beats
      localparam COUNT_WIDTH = $clog2(BEATS);
      localparam LAST        = BEATS - 1;

      reg [COUNT_WIDTH-1:0] beat_q;

      always @(posedge clk_i) begin
        if (!rst_ni)   beat_q <= {COUNT_WIDTH{1'b0}};
        else if (take) beat_q <= at_last_beat ? {COUNT_WIDTH{1'b0}} : beat_q + 1'b1;
      end

      assign data_o       = elements[beat_q*BUS_WIDTH +: BUS_WIDTH];
      assign at_last_beat = beat_q == LAST[COUNT_WIDTH-1:0];
    end
  endgenerate

  assign valid_o       = announced && result_valid_i == {PES{1'b1}};
  assign last_o        = announced_last && at_last_beat;
  assign set_done      = take && at_last_beat;
  assign result_take_o = set_done;
  assign idle_o        = !announced;

  tulle_assert #(
    .MESSAGE("a set is announced only when there is room")
  ) u_start_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || ready_o)
  );

endmodule

`default_nettype wire
