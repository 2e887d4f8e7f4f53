// SPDX-License-Identifier: Apache-2.0
//
// tulle_scatter: gives each PE activations of its own. Lines come with the values of all PEs in turn: value i of a round
// is PE i mod PES's, and a round is as many values as make a line for each PE, which is PES lines. When the round is
// complete, its lines leave, one PE's after the other. Or every line is for all PEs.
//
// A block RAM for each value of a line does the choosing: RAM m keeps the lines that value m of any PE's line may
// be in, whole, and is read a value at a time. What is for all PEs takes the same way: every RAM keeps the whole line, and
// RAM m gives value m of it. So there is no multiplexer for data.
//
// Ports
//   clk_i, rst_ni        clock, synchronous reset
//   scatter_i            values belong to the PEs in turn; changes only when idle_o
//   take_i, data_i       a line, value 0 in the lowest bits
//   place_i              where the line belongs, or all lines of the round
//   round_o              it is the round's last
//   idle_o               nothing is between take_i and read_o
//   read_o               a line leaves: in the next cycle it is at data_o,
//   data_o               where it stays for that cycle,
//   pe_o, place_o        with the PE that it is for, unless it is for all, and its place
//
// Parameters
//   LOAD_WIDTH           bits of a line
//   DATA_WIDTH           bits of a value
//   PES                  at least 2
//   PLACE                bits of a place
//
// Latency: read_o follows the round's last line, or a line for all, by a cycle. A line a cycle, in and out.

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
  // Lines that PES values behind each other may be in, as a power of two, whatever the first of them is.
  localparam EACH = ((PES % LINE) == 0 || (LINE % PES) == 0) ? (PES + LINE - 1) / LINE : (PES + LINE - 2) / LINE + 1;
  localparam PART = $clog2(EACH);
  localparam LAST = PES - 1;

  tulle_require #(
    .LEGAL   (PES >= 2 && LINE * DATA_WIDTH == LOAD_WIDTH && LINE >= 2 && (LINE & (LINE - 1)) == 0),
    .MESSAGE ("tulle_scatter: PES must be at least 2, LOAD_WIDTH DATA_WIDTH times a power of two, at least 2")
  ) u_require_pes_and_lines ();

  reg [PE-1:0]    count_q;  // lines of the round that came; 0 unless scatter_i
  reg             half_q;   // the half of each RAM that they are in
  reg             read_q;
  reg             read_half_q;
  reg [PE-1:0]    read_pe_q; // 0 unless scatter_i
  reg [PE-1:0]    pe_q;
  reg [PLACE-1:0] round_q;  // place of what is being read
  reg [PLACE-1:0] place_q;

  wire round   = !scatter_i || count_q == LAST[PE-1:0];
  wire begins  = take_i && round;
  wire read_on = scatter_i && read_pe_q != LAST[PE-1:0]; // there is more of the round behind it

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q <= {PE{1'b0}};
      half_q  <= 1'b0;
      read_q  <= 1'b0;
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
      localparam FIRST = m * PES;         // the first PE's value m, of the round's values
      localparam LOW   = FIRST / LINE;    // the lines of all PEs' values m
      localparam HIGH  = (FIRST + LAST) / LINE;
      localparam ADDR  = PART + STEP;

      wire [31:0]     scattered = FIRST + {{32-PE{1'b0}}, read_pe_q};
      wire [ADDR-1:0] value     = scatter_i ? scattered[ADDR-1:0] : m[ADDR-1:0];
      wire            late;  // LOW's line has come
      wire            soon;   // HIGH's is still to come, or comes

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
