// SPDX-License-Identifier: Apache-2.0
// Of a source of the solver's choosing: it is the one that is kept exactly when it is first.

  (* anyconst *) wire [4:0] source;
  reg              any_q;  // somebody has reported
  reg              mine_q; // and the source was first
  reg  [WIDTH-1:0] said_q;
  wire [31:0]      before = (32'd1 << source) - 32'd1;

  always @(posedge clk_i) begin
    assume (source < PORTS);
    if (!rst_ni) begin
      any_q  <= 1'b0;
      mine_q <= 1'b0;
    end else if (!any_q) begin
      any_q  <= error_i != 0;
      mine_q <= error_i[source] && ({32'd0, error_i} & before) == 0;
      said_q <= data_i[source*WIDTH +: WIDTH];
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (error_o == any_q);
    assert (!any_q || (index_o == source) == mine_q);
    assert (!mine_q || data_o == said_q);
    cover (mine_q && source == PORTS - 1);
  end
