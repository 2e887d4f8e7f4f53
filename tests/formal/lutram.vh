// SPDX-License-Identifier: Apache-2.0
`include "ram.vh"
  always @(posedge clk_i) begin
    assert (!(written_q && raddr_i == place) || rdata_o == word_q);
    cover (written_q && raddr_i == place && write && wdata_i != rdata_o);
  end
