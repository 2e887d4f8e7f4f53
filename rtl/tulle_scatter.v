// SPDX-License-Identifier: Apache-2.0
//
// tulle_scatter: gives each PE its own activations. Lines bring the values of all PEs in turn: value i of a round
// belongs to PE i mod PES. A round has PES lines, and so a full line for each PE. When a round is complete, it leaves
// one PE's line after the other. Without scatter_i, every line is for all PEs.
//
// Each value of a line has a block RAM. RAM m keeps those whole lines that can contain value m of any PE's line, and
// is read a value at a time, so that no data multiplexer is needed. A line for all PEs takes the same path: every RAM
// keeps the whole line, and RAM m gives its value m.
//
// Ports
//   clk_i, rst_ni        clock, synchronous reset
//   scatter_i            values belong to the PEs in turn; changes only when idle_o
//   take_i, data_i       a line, with value 0 in the lowest bits
//   place_i              destination of the line, or of all lines of the round
//   round_o              the current line is the last of its round
//   idle_o               no line is between take_i and read_o
//   read_o               a line leaves; in the next cycle it is on
//   data_o               data_o, for this cycle only,
//   pe_o, place_o        with its PE, unless it is for all PEs, and its destination
//
// Parameters
//   LOAD_WIDTH           bits of a line
//   DATA_WIDTH           bits of a value
//   PES                  at least 2
//   PLACE                bits of a place
//
// Latency: read_o follows the last line of a round, or a line for all PEs, by a cycle. A line a cycle, in and out.

`default_nettype none

module tulle_scatter #(
  parameter LOAD_WIDTH = 64,
  parameter DATA_WIDTH = 8,
  parameter PES        = 8,
  parameter PLACE      = 9
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   scatter_i,
  input  wire                   take_i,
  input  wire [LOAD_WIDTH-1:0]  data_i,
  input  wire [PLACE-1:0]       place_i,
  output wire                   round_o,
  output wire                   idle_o,

  output wire                   read_o,
  output wire [LOAD_WIDTH-1:0]  data_o,
  output wire [$clog2(PES)-1:0] pe_o,
  output wire [PLACE-1:0]       place_o
);

  localparam LINE = LOAD_WIDTH / DATA_WIDTH;
  localparam STEP = $clog2(LINE);
  localparam PE   = $clog2(PES);
  // Number of lines that PES consecutive values can touch, as a power of two, for any first value.
  localparam EACH = ((PES % LINE) == 0 || (LINE % PES) == 0) ? (PES + LINE - 1) / LINE : (PES + LINE - 2) / LINE + 1;
  localparam PART = $clog2(EACH);
  localparam LAST = PES - 1;

  tulle_require #(
    .LEGAL   (PES >= 2 && LINE * DATA_WIDTH == LOAD_WIDTH && LINE >= 2 && (LINE & (LINE - 1)) == 0),
    .MESSAGE ("tulle_scatter: PES must be at least 2, LOAD_WIDTH DATA_WIDTH times a power of two, at least 2")
  ) u_require_pes_and_lines ();

  reg [PE-1:0]    count_q;  // lines of the round that have arrived; 0 unless scatter_i
  reg             half_q;   // the half of each RAM that is written
  reg             read_q;
  reg             read_half_q;
  reg [PE-1:0]    read_pe_q; // 0 unless scatter_i
  reg [PE-1:0]    pe_q;
  reg [PLACE-1:0] round_q;  // destination of the line that is read
  reg [PLACE-1:0] place_q;

  wire round   = !scatter_i || count_q == LAST[PE-1:0];
  wire begins  = take_i && round;
  wire read_on = scatter_i && read_pe_q != LAST[PE-1:0]; // the round has more lines after this one

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= {PE{1'b0}};
      {half_q, read_q} <= 2'd0;
    end else begin
      if (take_i) count_q <= round ? {PE{1'b0}} : count_q + 1'b1;
      half_q <= half_q ^ begins;
      read_q <= begins || (read_q && read_on);
    end
  end

  always @(posedge clk_i) begin
    if (begins) begin
      read_half_q <= half_q;
      round_q     <= place_i;
    end
    if (begins)      read_pe_q <= {PE{1'b0}};
    else if (read_q) read_pe_q <= read_pe_q + 1'b1;
    pe_q    <= read_pe_q;
    place_q <= round_q;
  end

  genvar m;
  generate
    for (m = 0; m < LINE; m = m + 1) begin : gen_value
      localparam FIRST = m * PES;         // position of the first PE's value m in the round
      localparam LOW   = FIRST / LINE;    // first and last line with values m of any PE
      localparam HIGH  = (FIRST + LAST) / LINE;
      localparam ADDR  = PART + STEP;

      wire [31:0]     scattered = FIRST + {{32-PE{1'b0}}, read_pe_q};
      wire [ADDR-1:0] value     = scatter_i ? scattered[ADDR-1:0] : m[ADDR-1:0];
      wire            late;  // line LOW has arrived
      wire            soon;   // line HIGH has not arrived before this cycle

      if (LOW == 0) begin : gen_from_first
        assign late = 1'b1;
      end else begin : gen_from
        assign late = count_q >= LOW[PE-1:0];
      end
      if (HIGH == LAST) begin : gen_to_last
        assign soon = 1'b1;
      end else begin : gen_to
        assign soon = count_q <= HIGH[PE-1:0];
      end

      wire [PART:0]   at;
      if (PART == 0) begin : gen_whole
        assign at = half_q;
      end else begin : gen_part
        assign at = {half_q, count_q[PART-1:0]};
      end

      tulle_block_ram #(
        .WIDTH  (LOAD_WIDTH),
        .PIECES (LINE),
        .DEPTH  (2 << PART)
      ) u_lines (
        .clk_i   (clk_i),
        .we_i    (take_i && (!scatter_i || (late && soon))),
        .waddr_i (at),
        .wdata_i (data_i),
        .re_i    (read_q),
        .raddr_i ({read_half_q, value}),
        .rdata_o (data_o[m*DATA_WIDTH +: DATA_WIDTH])
      );

      wire unused = &{1'b0, scattered};
    end
  endgenerate

  assign round_o = round;
  assign idle_o  = !read_q && count_q == {PE{1'b0}};
  assign read_o  = read_q;
  assign pe_o    = pe_q;
  assign place_o = place_q;

  tulle_assert #(
    .MESSAGE("a round is complete only when the one before it has left")
  ) u_rounds_apart (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(begins && read_q && read_on))
  );

endmodule

`default_nettype wire
