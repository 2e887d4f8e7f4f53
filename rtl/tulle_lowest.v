// SPDX-License-Identifier: Apache-2.0
//
// tulle_lowest: selects the lowest bit that is set in a mask.
//
// Ports
//   mask_i              the mask
//   lowest_o, index_o   its lowest set bit alone, and the number of this bit; 0 if no bit is set
//
// Parameters
//   PORTS               bits of the mask
//
// Latency: none.

`default_nettype none

module tulle_lowest #(
  parameter PORTS = 2
) (
  input  wire [PORTS-1:0]                           mask_i,
  output reg  [PORTS-1:0]                           lowest_o,
  output reg  [$clog2((PORTS > 1) ? PORTS : 2)-1:0] index_o
);

  localparam INDEX_WIDTH = $clog2((PORTS > 1) ? PORTS : 2);

  integer p;

  always @* begin
    lowest_o = {PORTS{1'b0}};
    index_o  = {INDEX_WIDTH{1'b0}};
    for (p = PORTS - 1; p >= 0; p = p - 1) begin
      if (mask_i[p]) begin
        lowest_o    = {PORTS{1'b0}};
        lowest_o[p] = 1'b1;
        index_o     = p[INDEX_WIDTH-1:0];
      end
    end
  end

endmodule

`default_nettype wire
