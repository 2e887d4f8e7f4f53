// SPDX-License-Identifier: Apache-2.0
//
// tulle_lookup: a function given by a table of 256 entries, applied to results that are LANES a cycle. Entry v modulo
// 256 is the function of v. Each lane has a copy of the table; all are loaded at once, entry by entry.
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset (empties the pipeline; the table keeps its content)
//   start_i          the next entry is entry 0
//   write_i, entry_i an entry, eight bits with a sign; entry 0 follows entry 255
//   use_i            1: results are looked up, 0: they pass. Stable while results are under way
//   enable_i         0: the pipeline stops; no results are taken, and the outputs stay
//   valid_i, data_i  LANES results; those that are looked up lie within int8
//   valid_o, data_o  two cycles with enable_i later
//   mark_i, mark_o   a number that goes with the results
//
// Parameters
//   LANES, ACC       1..32; bits of a result
//   MARK             bits of mark_i, at least 1

`default_nettype none

module tulle_lookup #(
  parameter LANES = 4,
  parameter ACC   = 32,
  parameter MARK  = 1
) (
  input  wire                 clk_i,
  input  wire                 rst_ni,

  input  wire                 start_i,
  input  wire                 write_i,
  input  wire [7:0]           entry_i,

  input  wire                 use_i,
  input  wire                 enable_i,
  input  wire                 valid_i,
  input  wire [LANES*ACC-1:0] data_i,
  input  wire [MARK-1:0]      mark_i,
  output wire                 valid_o,
  output wire [LANES*ACC-1:0] data_o,
  output wire [MARK-1:0]      mark_o
);

  tulle_require #(
    .LEGAL   (LANES >= 1 && LANES <= 32 && ACC >= 24 && ACC <= 64),
    .MESSAGE ("tulle_lookup: LANES must be 1..32, ACC 24..64")
  ) u_require_lanes_and_acc ();

  reg [7:0] place_q; // of the next entry

  always @(posedge clk_i) begin
    if (start_i)      place_q <= 8'd0;
    else if (write_i) place_q <= place_q + 8'd1;
  end

  reg                 read_q;
  reg                 valid_q;
  reg [LANES*ACC-1:0] passing_q;
  reg [LANES*ACC-1:0] data_q;
  reg [MARK-1:0]      read_mark_q;
  reg [MARK-1:0]      mark_q;

  always @(posedge clk_i) if (enable_i) {mark_q, read_mark_q} <= {read_mark_q, mark_i};

  always @(posedge clk_i) begin
    if (!rst_ni)       {read_q, valid_q} <= 2'd0;
    else if (enable_i) {read_q, valid_q} <= {valid_i, read_q};
  end

  // What passes is 0 if results are looked up, so that the bits above an entry take no multiplexer.
  always @(posedge clk_i) begin
    if (use_i)         passing_q <= {LANES*ACC{1'b0}};
    else if (enable_i) passing_q <= data_i;
  end

  genvar l;

  generate
    for (l = 0; l < LANES; l = l + 1) begin : gen_lane
      wire [7:0] entry;
      wire       negative = use_i && entry[7];

      tulle_block_ram #(
        .WIDTH (8),
        .DEPTH (256)
      ) u_table (
        .clk_i   (clk_i),
        .we_i    (write_i),
        .waddr_i (place_q),
        .wdata_i (entry_i),
        .re_i    (enable_i && valid_i),
        .raddr_i (data_i[l*ACC +: 8]),
        .rdata_o (entry)
      );

      always @(posedge clk_i) begin
        if (enable_i) data_q[l*ACC +: 8] <= use_i ? entry : passing_q[l*ACC +: 8];

        if (enable_i && negative) data_q[l*ACC+8 +: ACC-8] <= {ACC-8{1'b1}};
        else if (enable_i)        data_q[l*ACC+8 +: ACC-8] <= passing_q[l*ACC+8 +: ACC-8];
      end
    end
  endgenerate

  assign valid_o = valid_q;
  assign data_o  = data_q;
  assign mark_o  = mark_q;

endmodule

`default_nettype wire
