// SPDX-License-Identifier: Apache-2.0
// The rule, said in another way: a source that keeps it is never accused.

  reg              owed_q;
  reg  [WIDTH-1:0] offered_q;
  initial owed_q = 1'b0;
  always @(posedge clk_i) begin
    owed_q <= rst_ni && valid_i && !ready_i;
    if (valid_i) offered_q <= data_i;
    assume (!rst_ni || !owed_q || (valid_i && data_i == offered_q));
    cover (rst_ni && owed_q && ready_i);
  end
