// SPDX-License-Identifier: Apache-2.0
//
// tulle_first_error: keeps the first error of several sources until reset. Of several errors in the same cycle it
// keeps that of the lowest source.
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset
//   error_i, data_i  bit and word p: source p reports an error, with this description
//   error_o, data_o  an error was reported, with the description of the first
//   index_o          the source of the first error
//
// Parameters
//   WIDTH            bits of a word
//   PORTS            sources
//
// Latency: one cycle.

`default_nettype none

module tulle_first_error #(
  parameter WIDTH = 16,
  parameter PORTS = 2
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,
  input  wire [PORTS-1:0]                       error_i,
  input  wire [PORTS*WIDTH-1:0]                 data_i,
  output wire                                   error_o,
  output wire [WIDTH-1:0]                       data_o,
  output wire [$clog2((PORTS > 1) ? PORTS : 2)-1:0] index_o
);

  localparam INDEX_WIDTH = $clog2((PORTS > 1) ? PORTS : 2);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && PORTS >= 1),
    .MESSAGE ("tulle_first_error: WIDTH and PORTS must be at least 1")
  ) u_require_width_and_ports_at_least_1 ();

  reg                    error_q;
  reg  [INDEX_WIDTH-1:0] index_q;
  reg  [WIDTH-1:0]       data;
  wire [PORTS*WIDTH-1:0] kept;   // the word of the first source; 0 for all others
  integer                i;

  always @(posedge clk_i) begin
    if (!rst_ni) error_q <= 1'b0;
    else         error_q <= error_q || error_i != {PORTS{1'b0}};
  end

  // The last assignment wins, which is that of the lowest source.
  always @(posedge clk_i) begin
    if (!error_q) begin
      for (i = PORTS - 1; i >= 0; i = i - 1) begin
        if (error_i[i]) index_q <= i[INDEX_WIDTH-1:0];
      end
    end
  end

  // Each source has a register that its reset keeps at 0 unless the source is the first, so an or selects the word.
  // This takes fewer LUTs than a choice by priority.
  genvar p;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : gen_source
      localparam [PORTS-1:0] BEFORE = ~({PORTS{1'b1}} << p);

      reg  [WIDTH-1:0] data_q;
      wire             first = error_i[p] && (error_i & BEFORE) == {PORTS{1'b0}} && !error_q;

      always @(posedge clk_i) begin
        if (!first && !error_q) data_q <= {WIDTH{1'b0}};
        else if (first) data_q <= data_i[p*WIDTH +: WIDTH];
      end

      assign kept[p*WIDTH +: WIDTH] = data_q;
    end
  endgenerate

  always @* begin
    data = {WIDTH{1'b0}};
    for (i = 0; i < PORTS; i = i + 1) data = data | kept[i*WIDTH +: WIDTH];
  end

  assign error_o = error_q;
  assign data_o  = data;
  assign index_o = index_q;

endmodule

`default_nettype wire
