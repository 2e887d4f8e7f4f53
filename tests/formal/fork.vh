// SPDX-License-Identifier: Apache-2.0
// A port of the solver's choosing, which stands for all, gets every word that has its bit set, once, and no other.

  (* anyconst *) wire [4:0] port;
  reg              due_q;
  reg  [WIDTH-1:0] word_q;
  wire             push = valid_i && ready_o;

  always @(posedge clk_i) begin
    assume (port < PORTS);
    if (!rst_ni)                             due_q <= 1'b0;
    else if (push)                           due_q <= mask_i[port];
    else if (valid_o[port] && ready_i[port]) due_q <= 1'b0;
    if (push) word_q <= data_i;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (valid_o[port] == due_q);
    assert (!due_q || data_o == word_q);
    // The next word does not push this one out.
    assert (!(push && due_q) || ready_i[port]);
    // Nothing but a port that does not take its word holds the next one up.
    assert (ready_o || (valid_o & ~ready_i) != 0);
    cover (push && mask_i == 0);
    cover (push && &mask_i && due_q);
  end
