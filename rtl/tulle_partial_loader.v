// SPDX-License-Identifier: Apache-2.0
//
// tulle_partial_loader: takes partial sums from the packet's beats, one for each PE, lane by lane, and writes
// them into the same entry of every PE's output queue. Every set of PES elements begins in lane 0 of a beat.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset
//   start_i                    take one set; only when idle_o
//   idle_o                     no set is at work
//   beat_valid_i, beat_data_i  the packet
//   beat_ready_o               the beat is taken
//   write_o, data_o            bit and word p: an element for PE p
//
// Parameters
//   BUS_WIDTH                  bits of a beat
//   ELEMENT_WIDTH              bits of an element in the packet: 32 or 64
//   ACC_WIDTH                  bits of a partial sum, at most ELEMENT_WIDTH; the lower bits of an element
//   PES                        PEs of the cluster
//
// Latency: none; a beat is taken as it comes.

`default_nettype none

module tulle_partial_loader #(
  parameter BUS_WIDTH     = 256,
  parameter ELEMENT_WIDTH = 32,
  parameter ACC_WIDTH     = 32,
  parameter PES           = 8
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  output wire                     idle_o,

  input  wire                     beat_valid_i,
  input  wire [BUS_WIDTH-1:0]     beat_data_i,
  output wire                     beat_ready_o,

  output wire [PES-1:0]           write_o,
  output wire [PES*ACC_WIDTH-1:0] data_o
);

  localparam LANES       = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS       = (PES + LANES - 1) / LANES; // of a set
  localparam COUNT_WIDTH = $clog2((BEATS > 1) ? BEATS : 2);
  localparam LAST        = BEATS - 1;

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES * ELEMENT_WIDTH == BUS_WIDTH && PES >= 1),
    .MESSAGE ("tulle_partial_loader: BUS_WIDTH must be a multiple of ELEMENT_WIDTH, PES at least 1")
  ) u_require_bus_width_multiple_of_element_width ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 1 && ACC_WIDTH <= ELEMENT_WIDTH),
    .MESSAGE ("tulle_partial_loader: ACC_WIDTH must be 1..ELEMENT_WIDTH")
  ) u_require_acc_width_1_to_element_width ();

  reg                   busy_q;
  reg [COUNT_WIDTH-1:0] beat_q; // of the set

  // PEs that get an element from this beat.
  wire [PES-1:0] here;

  wire take = busy_q && beat_valid_i;
  wire over = take && beat_q == LAST[COUNT_WIDTH-1:0];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      beat_q <= {COUNT_WIDTH{1'b0}};
    end else begin
      if (start_i)   busy_q <= 1'b1;
      else if (over) busy_q <= 1'b0;
      if (take)      beat_q <= over ? {COUNT_WIDTH{1'b0}} : beat_q + 1'b1;
    end
  end

  genvar p;
  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      localparam BEAT = p / LANES;
      localparam LANE = p % LANES;

      assign here[p] = beat_q == BEAT[COUNT_WIDTH-1:0];
      assign data_o[p*ACC_WIDTH +: ACC_WIDTH] = beat_data_i[LANE*ELEMENT_WIDTH +: ACC_WIDTH];
    end
  endgenerate

  assign write_o      = take ? here : {PES{1'b0}};
  assign beat_ready_o = take;
  assign idle_o       = !busy_q;

  // Lanes without a PE, and the upper bits of elements that are wider than an accumulator.
  wire unused = &{1'b0, beat_data_i};

  tulle_assert #(
    .MESSAGE("a set begins only when the last one is over")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || !busy_q)
  );

endmodule

`default_nettype wire
