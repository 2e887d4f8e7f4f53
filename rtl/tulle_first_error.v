// SPDX-License-Identifier: Apache-2.0
//
// tulle_first_error: the first of several sources that reports an error; kept until reset. Of sources that do
// in the same cycle, the lowest one.
//
// Ports
//   clk_i, rst_ni    clock, synchronous reset
//   error_i, data_i  bit and word p: source p reports an error; what it says about it
//   error_o, data_o  an error was reported; what the first source said
//   index_o          which source that was
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

  reg                   error_q;
  reg [WIDTH-1:0]       data_q;
  reg [INDEX_WIDTH-1:0] index_q;
  integer               i;

  always @(posedge clk_i) begin
    if (!rst_ni) error_q <= 1'b0;
    else         error_q <= error_q || error_i != {PORTS{1'b0}};
  end

  // The last assignment, of the lowest port, counts.
  always @(posedge clk_i) begin
    if (!error_q) begin
      for (i = PORTS - 1; i >= 0; i = i - 1) begin
        if (error_i[i]) begin
          data_q  <= data_i[i*WIDTH +: WIDTH];
          index_q <= i[INDEX_WIDTH-1:0];
        end
      end
    end
  end

  assign error_o = error_q;
  assign data_o  = data_q;
  assign index_o = index_q;

endmodule

`default_nettype wire
