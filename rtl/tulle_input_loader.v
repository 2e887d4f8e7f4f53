// SPDX-License-Identifier: Apache-2.0
//
// tulle_input_loader: takes activations, a line a cycle, and writes them into the input buffers of all PEs of the
// cluster. The bitmask (1: not zero) is made here, once for all PEs.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   start_i, address_i, wrap_i, block_i
//                                  begin a block: first address, modulus and length, in activations, all
//                                  multiples of a line; start only when start_ready_o
//   start_ready_o                  a block can begin, in the cycle of the last one's last line at the earliest
//   near_o                         two cycles later one will be able to, unless lines are late
//   idle_o                         no block is at work
//   valid_i, ready_o, data_i       the packet, line by line
//   write_o, line_o, data_o, mask_o
//                                  a line for the input buffers
//
// Parameters
//   LOAD_WIDTH                     bits of a line
//   DATA_WIDTH                     bits of an activation
//   LINES                          lines of an input buffer
//
// Latency: a line reaches write_o one cycle after it was taken. Blocks follow each other without a gap.

`default_nettype none

module tulle_input_loader #(
  parameter LOAD_WIDTH = 64,
  parameter DATA_WIDTH = 8,
  parameter LINES      = 256
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire                                   start_i,
  input  wire [15:0]                            address_i,
  input  wire [16:0]                            wrap_i,
  input  wire [15:0]                            block_i,
  output wire                                   start_ready_o,
  output wire                                   near_o,
  output wire                                   idle_o,

  input  wire                                   valid_i,
  output wire                                   ready_o,
  input  wire [LOAD_WIDTH-1:0]                  data_i,

  output wire                                   write_o,
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

  // -- The block at work -----------------------------------------------------------------------------------

  reg [LINE_WIDTH:0]   remaining_q; // lines
  reg [LINE_WIDTH-1:0] line_q;
  reg [LINE_WIDTH-1:0] wrap_q;      // lines, modulo those that the address can tell

  wire        busy     = remaining_q != {LINE_WIDTH+1{1'b0}};
  wire        take     = busy && valid_i;
  wire        over     = take && remaining_q == {{LINE_WIDTH{1'b0}}, 1'b1};
  wire [15:0] first    = address_i >> LINE_SHIFT;
  wire [15:0] blocks   = block_i >> LINE_SHIFT;
  wire [16:0] boundary = wrap_i >> LINE_SHIFT;

  wire [LINE_WIDTH-1:0] next = line_q + 1'b1;

  // The block's, or one less: written as a difference, as in tulle_sum.
  wire [LINE_WIDTH:0]   left   = start_i ? blocks[LINE_WIDTH:0] : remaining_q;
  wire [LINE_WIDTH+1:0] twice  = {{LINE_WIDTH+1{!start_i}}, 1'b0} - {~left, 1'b1};
  wire [LINE_WIDTH:0]   left_d = twice[LINE_WIDTH+1:1];
  reg                   near_q; // at most two lines; a register, because much follows from it in a cycle

  always @(posedge clk_i) begin
    if (!rst_ni)              remaining_q <= {LINE_WIDTH+1{1'b0}};
    else if (start_i || take) remaining_q <= left_d;

    if (!rst_ni)              near_q <= 1'b1;
    else if (start_i || take) near_q <= (left_d >> 2) == {LINE_WIDTH+1{1'b0}} && left_d[1:0] != 2'b11;
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      line_q <= first[LINE_WIDTH-1:0];
      wrap_q <= boundary[LINE_WIDTH-1:0];
    end else if (take) begin
      line_q <= next == wrap_q ? {LINE_WIDTH{1'b0}} : next;
    end
  end

  // -- Bitmask and output register --------------------------------------------------------------------------

  reg                  write_q;
  reg [LINE_WIDTH-1:0] write_line_q;
  reg [LOAD_WIDTH-1:0] write_data_q;
  reg [LINE-1:0]       write_mask_q;
  integer              i;

  always @(posedge clk_i) begin
    if (!rst_ni) write_q <= 1'b0;
    else         write_q <= take;
  end

  always @(posedge clk_i) begin
    if (take) begin
      write_line_q <= line_q;
      write_data_q <= data_i;
      for (i = 0; i < LINE; i = i + 1)
        write_mask_q[i] <= data_i[i*DATA_WIDTH +: DATA_WIDTH] != {DATA_WIDTH{1'b0}};
    end
  end

  assign start_ready_o = !busy || over;
  assign near_o  = near_q;
  assign idle_o  = !busy;
  assign ready_o = take;
  assign write_o = write_q;
  assign line_o  = write_line_q;
  assign data_o  = write_data_q;
  assign mask_o  = write_mask_q;

  // Addresses beyond this variant's buffer are refused before they get here.
  wire unused = &{1'b0, first, blocks, boundary, twice[0]};

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
