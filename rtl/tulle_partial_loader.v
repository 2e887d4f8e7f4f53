// SPDX-License-Identifier: Apache-2.0
//
// tulle_partial_loader: takes a set of partial sums from the packet, one for each PE, lane by lane, and writes them
// to the same entry of every PE's output queue. Every set of PES elements begins in lane 0 of a beat; the rest of the
// last beat is dropped.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset
//   start_i                    begins a set; only when idle_o, and at the first piece of a beat
//   idle_o                     no set is in progress
//   valid_i, ready_o, data_i   the packet, piece by piece
//   drop_o                     drops the rest of the beat; used instead of ready_o
//   write_o, data_o            bit and word p: an element for PE p
//
// Parameters
//   PIECE_WIDTH                bits of a piece of a beat, at least 32
//   ELEMENT_WIDTH              bits of an element in the packet: 32 or 64
//   ACC_WIDTH                  bits of a partial sum, at most ELEMENT_WIDTH: the lower bits of an element
//   PES                        PEs of the cluster
//
// Latency: none; a piece is taken when it arrives. An element that is longer than a piece is written with its upper
// part.

`default_nettype none

module tulle_partial_loader #(
  parameter PIECE_WIDTH   = 64,
  parameter ELEMENT_WIDTH = 32,
  parameter ACC_WIDTH     = 32,
  parameter PES           = 8
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,

  input  wire                     start_i,
  output wire                     idle_o,

  input  wire                     valid_i,
  output wire                     ready_o,
  output wire                     drop_o,
  input  wire [PIECE_WIDTH-1:0]   data_i,

  output wire [PES-1:0]           write_o,
  output wire [PES*ACC_WIDTH-1:0] data_o
);

  localparam HALVES      = (ELEMENT_WIDTH > PIECE_WIDTH) ? ELEMENT_WIDTH / PIECE_WIDTH : 1; // pieces of an element
  localparam LANES       = (ELEMENT_WIDTH > PIECE_WIDTH) ? 1 : PIECE_WIDTH / ELEMENT_WIDTH;
  localparam PIECES      = (PES + LANES - 1) / LANES * HALVES; // pieces of a set
  localparam COUNT_WIDTH = $clog2((PIECES > 1) ? PIECES : 2);
  localparam LAST        = PIECES - 1;

  tulle_require #(
    .LEGAL   ((LANES * ELEMENT_WIDTH == PIECE_WIDTH || (HALVES == 2 && 2 * PIECE_WIDTH == ELEMENT_WIDTH)) && PES >= 1),
    .MESSAGE ("tulle_partial_loader: PIECE_WIDTH must be a multiple of ELEMENT_WIDTH or half of it, PES at least 1")
  ) u_require_piece_width_multiple_of_element_width ();

  tulle_require #(
    .LEGAL   (ACC_WIDTH >= 1 && ACC_WIDTH <= ELEMENT_WIDTH),
    .MESSAGE ("tulle_partial_loader: ACC_WIDTH must be 1..ELEMENT_WIDTH")
  ) u_require_acc_width_1_to_element_width ();

  reg                   busy_q;
  reg [COUNT_WIDTH-1:0] piece_q; // piece of the set

  // PEs that receive an element from this piece.
  wire [PES-1:0] pe_here;

  wire take     = busy_q && valid_i;
  wire set_over = take && piece_q == LAST[COUNT_WIDTH-1:0];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      busy_q  <= 1'b0;
      piece_q <= {COUNT_WIDTH{1'b0}};
    end else begin
      if (start_i)   busy_q     <= 1'b1;
      else if (set_over) busy_q <= 1'b0;
      if (take)      piece_q <= set_over ? {COUNT_WIDTH{1'b0}} : piece_q + 1'b1;
    end
  end

  wire [LANES*ELEMENT_WIDTH-1:0] elements;

  generate
    if (HALVES == 1) begin : gen_whole
      assign elements = data_i;
    end else begin : gen_halves
      reg [PIECE_WIDTH-1:0] lower_q;
      always @(posedge clk_i) if (take) lower_q <= data_i;
      assign elements = {data_i, lower_q};
    end
  endgenerate

  genvar p;
  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      localparam PIECE = p / LANES * HALVES + HALVES - 1;
      localparam LANE  = p % LANES;

      assign pe_here[p] = piece_q == PIECE[COUNT_WIDTH-1:0];
      assign data_o[p*ACC_WIDTH +: ACC_WIDTH] = elements[LANE*ELEMENT_WIDTH +: ACC_WIDTH];
    end
  endgenerate

  assign write_o = take ? pe_here : {PES{1'b0}};
  assign ready_o = take;
  assign drop_o  = set_over;
  assign idle_o  = !busy_q;

  // Lanes without a PE, and the upper bits of elements that are wider than an accumulator.
  wire unused = &{1'b0, elements};

  tulle_assert #(
    .MESSAGE("a set begins only when the last one is over")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || !busy_q)
  );

endmodule

`default_nettype wire
