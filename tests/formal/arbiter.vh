// SPDX-License-Identifier: Apache-2.0
// Words come from one port at a time, packets are not mixed, nobody waits for more packets than there are other
// ports. A port of the solver's choosing stands for all.

  (* anyconst *) wire [4:0] port;
  reg        within_q;  // a packet has begun and not ended
  reg  [4:0] from_q;    // where it comes from
  reg  [4:0] served_q;  // packets that ended while the port waited
  reg  [2:0] still_q;   // cycles in which words were waiting and none was offered
  wire       take      = valid_o && ready_i;
  wire       abandoned = abandon_i[from_q] && !valid_i[from_q];
  wire [PORTS-1:0] taken = valid_i & ready_o;
  reg  [PORTS-1:0] allowed_q; // to begin, since the last one began

  always @(posedge clk_i) begin
    assume (port < PORTS);
    if (!rst_ni)        within_q <= 1'b0;
    else if (take)      within_q <= !last_o;
    else if (abandoned) within_q <= 1'b0;
    if (!within_q)      from_q <= index_o;
    if (!rst_ni) allowed_q <= {PORTS{1'b0}};
    else         allowed_q <= may_begin_i | (valid_o && !within_q && !ready_i ? allowed_q : {PORTS{1'b0}});

    if (!rst_ni || !valid_i[port] || !may_begin_i[port] || (take && index_o == port)) served_q <= 5'd0;
    else if (take && last_o)                                    served_q <= served_q + 5'd1;

    if (!rst_ni || valid_o || (valid_i & may_begin_i) == 0 || (within_q && !abandoned)) still_q <= 3'd0;
    else                                                                still_q <= still_q + 3'd1;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (take ? taken == {{PORTS-1{1'b0}}, 1'b1} << index_o : taken == 0);
    assert (!valid_o || (valid_i[index_o] && last_o == last_i[index_o]));
    assert (!valid_o || data_o == data_i[index_o*WIDTH +: WIDTH]);
    assert (!(valid_o && !within_q) || allowed_q[index_o]);
    assert (!(within_q && valid_o) || index_o == from_q);
    assert (served_q < PORTS);
    // A port that was granted and took its word back would still be waited for.
    assert (still_q <= 3'd2);
    cover (take && last_o && index_o == port && port == PORTS - 1);
    cover (within_q && (valid_i & ~taken) != 0);
  end

  genvar stream;
  generate
    for (stream = 0; stream < PORTS; stream = stream + 1) begin : gen_stream
      reg           stalled_q;
      reg [WIDTH:0] kept_q;
      wire [WIDTH:0] now = {last_i[stream], data_i[stream*WIDTH +: WIDTH]};
      initial stalled_q = 1'b0;
      always @(posedge clk_i) begin
        stalled_q <= rst_ni && valid_i[stream] && !ready_o[stream];
        kept_q    <= now;
        assume (!rst_ni || !stalled_q || (valid_i[stream] && now == kept_q));
      end
    end
  endgenerate

  tulle_stream_check #(.WIDTH(WIDTH + 1)) u_output_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_o), .ready_i(ready_i), .data_i({last_o, data_o}));
