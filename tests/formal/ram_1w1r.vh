// SPDX-License-Identifier: Apache-2.0
`include "ram.vh"
  // What was read stays until the next read.
  reg              known_q;
  reg  [WIDTH-1:0] read_q;
  initial known_q = 1'b0;
  always @(posedge clk_i) begin
    if (re_i) begin
      known_q <= written_q && raddr_i == place;
      read_q  <= word_q;
    end
    assert (!known_q || rdata_o == read_q);
    cover (known_q && write && wdata_i != read_q);
  end
