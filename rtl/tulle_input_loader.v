// SPDX-License-Identifier: Apache-2.0
//
// tulle_input_loader: writes activations into the input buffers of all PEs of a cluster, a line a cycle, or scatters
// them over the PEs. It computes the bitmask once for all PEs; a mask bit is 1 if the activation is non-zero or if
// zeros count.
//
// With ZERO_POINTS it subtracts the zero point, once for all PEs, and an activation that equals the zero point is a
// zero. The difference x - z has a sign and a bit more than an activation, and with it takes the place of the mask
// bit: the most negative value, which is no difference, marks a zero that does not count.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   start_i, address_i, wrap_i, block_i
//                                  begins a block: first address, modulus and length in activations, all multiples of
//                                  a line; only when start_ready_o
//   zeros_i                        zeros of the block count too
//   coding_i                       with ZERO_POINTS: {the activations have no sign, their zero point}
//   start_ready_o                  a block can begin; at the earliest in the cycle of the last block's last line
//   near_o                         a block will be able to begin two cycles later, unless lines are late
//   idle_o                         no block is in progress
//   need_o                         a block waits for lines
//   scatter_i                      value i of a block belongs to PE i mod PES, so that a block has PES times as many
//                                  lines; changes only when idle_o
//   valid_i, ready_o, data_i       the packet, line by line
//   write_o                        bit p: write the line to the input buffer of PE p
//   line_o, data_o, mask_o         the line; with ZERO_POINTS data_o and mask_o are the lower bits and the highest bit of
//                                  the differences
//
// Parameters
//   LOAD_WIDTH                     bits of a line
//   DATA_WIDTH                     bits of an activation
//   LINES                          lines of an input buffer
//   PES
//   SCATTER                        0: scatter_i is ignored
//   MAXIMUM                        0: zeros_i is ignored
//   ZERO_POINTS                    0: coding_i is ignored
//
// Latency: a line reaches write_o one cycle after it was taken; with SCATTER three cycles. Scattered lines follow the
// last of PES lines. Blocks follow each other without a gap; scattered blocks have a gap of a few cycles.

`default_nettype none

module tulle_input_loader #(
  parameter LOAD_WIDTH = 64,
  parameter DATA_WIDTH = 8,
  parameter LINES      = 256,
  parameter PES        = 1,
  parameter SCATTER    = 0,
  parameter MAXIMUM    = 0,
  parameter ZERO_POINTS = 0
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire                                   start_i,
  input  wire [15:0]                            address_i,
  input  wire [16:0]                            wrap_i,
  input  wire [15:0]                            block_i,
  input  wire                                   zeros_i,
  input  wire [DATA_WIDTH:0]                    coding_i,
  output wire                                   start_ready_o,
  output wire                                   near_o,
  output wire                                   idle_o,
  output wire                                   need_o,

  input  wire                                   scatter_i,
  input  wire                                   valid_i,
  output wire                                   ready_o,
  input  wire [LOAD_WIDTH-1:0]                  data_i,

  output wire [PES-1:0]                         write_o,
  output wire [$clog2((LINES > 1) ? LINES : 2)-1:0] line_o,
  output wire [LOAD_WIDTH-1:0]                  data_o,
  output wire [LOAD_WIDTH/DATA_WIDTH-1:0]       mask_o
);

  localparam LINE       = LOAD_WIDTH / DATA_WIDTH;  // activations in a line
  localparam LINE_SHIFT = $clog2(LINE);
  localparam LINE_WIDTH = $clog2((LINES > 1) ? LINES : 2);

  tulle_require #(
    .LEGAL   (LINE * DATA_WIDTH == LOAD_WIDTH && LINE >= 1 && (LINE & (LINE - 1)) == 0),
    .MESSAGE ("tulle_input_loader: LOAD_WIDTH must be DATA_WIDTH times a power of two")
  ) u_require_load_width_data_width_times_power_of_two ();

  tulle_require #(
    .LEGAL   (LINES >= 1 && LINES * LINE <= 65536),
    .MESSAGE ("tulle_input_loader: LINES must be at least 1 and hold at most 65536 activations")
  ) u_require_lines_1_to_65536_activations ();

  // -- The current block -----------------------------------------------------------------------------------

  reg [LINE_WIDTH:0]   remaining_q; // lines
  reg [LINE_WIDTH-1:0] line_q;
  reg [LINE_WIDTH-1:0] wrap_q;      // in lines, modulo the range of a line address
  reg                  zeros_q;
  reg [DATA_WIDTH:0]   coding_q;

  // Registers, because many signals depend on them: lines remain, exactly one remains, at most two remain.
  reg         busy_q;
  reg         single_q;
  reg         near_q;
  wire        take     = busy_q && valid_i;
  wire        round;                // the current line completes a line of the input buffers
  wire        step     = take && round;
  wire        over     = valid_i && round && single_q; // without step, which arrives late
  wire [15:0] first    = address_i >> LINE_SHIFT;
  wire [15:0] blocks   = block_i >> LINE_SHIFT;
  wire [16:0] boundary = wrap_i >> LINE_SHIFT;

  wire [LINE_WIDTH-1:0] next = line_q + 1'b1;

  // The block's lines, or one less; written as a difference for the reason given in tulle_sum.
  wire [LINE_WIDTH:0]   left   = start_i ? blocks[LINE_WIDTH:0] : remaining_q;
  wire [LINE_WIDTH+1:0] twice  = {{LINE_WIDTH+1{!start_i}}, 1'b0} - {~left, 1'b1};
  wire [LINE_WIDTH:0]   left_d = twice[LINE_WIDTH+1:1];
  wire                  few      = (left_d >> 2) == {LINE_WIDTH+1{1'b0}};
  wire                  alone;

  always @(posedge clk_i) begin
    if (!rst_ni)              remaining_q <= {LINE_WIDTH+1{1'b0}};
    else if (start_i || step) remaining_q <= left_d;

    if (!rst_ni) begin
      {busy_q, single_q} <= 2'd0;
      near_q   <= 1'b1;
    end else if (start_i || step) begin
      busy_q   <= !few || left_d[1:0] != 2'b00;
      single_q <= few && left_d[1:0] == 2'b01;
      near_q   <= few && (alone ? left_d[1:0] != 2'b11 : left_d[1:0] == 2'b00);
    end
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      line_q <= first[LINE_WIDTH-1:0];
      wrap_q <= boundary[LINE_WIDTH-1:0];
      zeros_q <= MAXIMUM != 0 && zeros_i;
      coding_q <= coding_i & {DATA_WIDTH+1{ZERO_POINTS != 0}};
    end else if (step) begin
      line_q <= next == wrap_q ? {LINE_WIDTH{1'b0}} : next;
    end
  end

  // -- Distribution to the PEs -------------------------------------------------------------------------------

  wire                  moves;      // a line proceeds
  wire [PES-1:0]        moves_to;
  wire [LINE_WIDTH-1:0] moves_line;
  wire [LOAD_WIDTH-1:0] moves_data;
  wire                  moves_zeros; // its zeros count
  wire [DATA_WIDTH:0]   moves_coding;
  wire                  moved;      // no line is inside

  generate
    if (SCATTER != 0 && PES > 1) begin : gen_scatter
      localparam PE    = $clog2(PES);
      localparam ZEROS = LINE_WIDTH + ((MAXIMUM != 0) ? 1 : 0);
      localparam PLACE = ZEROS + ((ZERO_POINTS != 0) ? DATA_WIDTH + 1 : 0);
      wire [LINE_WIDTH:0] here = {zeros_q, line_q};
      wire [PLACE-1:0]    place;
      wire [PLACE-1:0]    moved_place;
      reg           read_q;
      wire          read;
      wire [PE-1:0] pe;

      tulle_scatter #(
        .LOAD_WIDTH (LOAD_WIDTH),
        .DATA_WIDTH (DATA_WIDTH),
        .PES        (PES),
        .PLACE      (PLACE)
      ) u_scatter (
        .clk_i     (clk_i),
        .rst_ni    (rst_ni),
        .scatter_i (scatter_i),
        .take_i    (take),
        .data_i    (data_i),
        .place_i   (place),
        .round_o   (round),
        .idle_o    (moved),
        .read_o    (read),
        .data_o    (moves_data),
        .pe_o      (pe),
        .place_o   (moved_place)
      );

      assign moves_line  = moved_place[LINE_WIDTH-1:0];
      assign moves_zeros = MAXIMUM != 0 && moved_place[ZEROS-1];
      assign place[ZEROS-1:0] = here[ZEROS-1:0];

      if (ZERO_POINTS != 0) begin : gen_coding
        assign place[PLACE-1:ZEROS] = coding_q;
        assign moves_coding         = moved_place[PLACE-1:ZEROS];
      end else begin : gen_no_coding
        assign moves_coding         = coding_q;
      end

      wire unused_zeros = &{1'b0, here};

      always @(posedge clk_i) read_q <= rst_ni && read;

      assign moves = read_q;
      assign alone = !scatter_i;

      genvar p;
      for (p = 0; p < PES; p = p + 1) begin : gen_pe
        assign moves_to[p] = !scatter_i || pe == p[PE-1:0];
      end
    end else begin : gen_all
      assign round      = 1'b1;
      assign alone      = 1'b1;
      assign moved      = 1'b1;
      assign moves      = take;
      assign moves_to   = {PES{1'b1}};
      assign moves_line = line_q;
      assign moves_data = data_i;
      assign moves_zeros = zeros_q;
      assign moves_coding = coding_q;

      wire unused_scatter = &{1'b0, scatter_i};
    end
  endgenerate

  // -- Bitmask or differences, and output register ----------------------------------------------------------

  wire [LINE-1:0]       counts;     // the activation is not its zero point, or zeros count
  wire [LOAD_WIDTH-1:0] lower;
  wire [LINE-1:0]       highest;
  wire                  has_sign = !moves_coding[DATA_WIDTH];
  wire [DATA_WIDTH-1:0] zero     = moves_coding[DATA_WIDTH-1:0];

  genvar v;
  generate
    for (v = 0; v < LINE; v = v + 1) begin : gen_value
      wire [DATA_WIDTH-1:0] value = moves_data[v*DATA_WIDTH +: DATA_WIDTH];

      assign counts[v] = moves_zeros || value != zero;

      if (ZERO_POINTS != 0) begin : gen_difference
        wire [DATA_WIDTH:0] difference = {has_sign && value[DATA_WIDTH-1], value} -
                                         {has_sign && zero[DATA_WIDTH-1], zero};

        assign lower[v*DATA_WIDTH +: DATA_WIDTH] = difference[DATA_WIDTH-1:0];
        assign highest[v]                        = difference[DATA_WIDTH] || !counts[v];
      end else begin : gen_value_and_mask
        assign lower[v*DATA_WIDTH +: DATA_WIDTH] = value;
        assign highest[v]                        = counts[v];
      end
    end
  endgenerate

  reg [PES-1:0]        write_q;
  reg [LINE_WIDTH-1:0] write_line_q;
  reg [LOAD_WIDTH-1:0] write_data_q;
  reg [LINE-1:0]       write_mask_q;

  always @(posedge clk_i) begin
    if (!rst_ni) write_q <= {PES{1'b0}};
    else         write_q <= moves_to & {PES{moves}};
  end

  always @(posedge clk_i) begin
    if (moves) begin
      write_line_q <= moves_line;
      write_data_q <= lower;
      write_mask_q <= highest;
    end
  end

  assign start_ready_o = !busy_q || over;
  assign near_o  = near_q;
  assign idle_o  = !busy_q && moved;
  assign need_o  = busy_q;
  assign ready_o = take;
  assign write_o = write_q;
  assign line_o  = write_line_q;
  assign data_o  = write_data_q;
  assign mask_o  = write_mask_q;

  // Addresses beyond the buffer are refused before they reach this module.
  wire unused = &{1'b0, first, blocks, boundary, twice[0], has_sign};

  tulle_assert #(
    .MESSAGE("a block begins only when the loader is ready")
  ) u_start_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || start_ready_o)
  );

  tulle_assert #(
    .MESSAGE("a block lies within the buffer")
  ) u_block_within_buffer (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || ({1'b0, address_i} < wrap_i && wrap_i <= LINES * LINE))
  );

endmodule

`default_nettype wire
