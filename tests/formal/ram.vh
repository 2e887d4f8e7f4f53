// SPDX-License-Identifier: Apache-2.0
// A word of the solver's choosing is read as it was last written.

  (* anyconst *) wire [7:0] place;
  reg              written_q;
  reg  [WIDTH-1:0] word_q;
  wire             write = we_i && waddr_i == place;

  initial written_q = 1'b0;
  always @(posedge clk_i) begin
    assume (place < DEPTH);
    assume (!we_i || waddr_i < DEPTH);
    if (write) begin
      written_q <= 1'b1;
      word_q    <= wdata_i;
    end
  end
