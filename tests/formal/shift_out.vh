// SPDX-License-Identifier: Apache-2.0
// A beat, the or of its parts, of the solver's choosing leaves behind those asked for before it, and element e of it, e
// of the solver's choosing, is the sign-extended result of its PE in the cycle after it was asked for, 0 where there is
// no PE; the last beat of the last set is marked. Beats are asked for as long as at most two are on their way, and come
// in two cycles when nothing is before them.

  localparam LANES = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS = (PES + LANES - 1) / LANES;

  (* anyconst *) wire [5:0] lane;
  (* anyseq *)   wire       choose;
  reg  [5:0]               beat_q;   // that is asked for next
  reg  [1:0]               inside_q; // beats that were asked for and have not left
  reg                      follow_q; // the chosen one is among them
  reg  [1:0]               ahead_q;  // of those, before it
  reg                      last_q;
  reg                      came_q;   // it was asked for in the cycle before
  reg  [9:0]               pe_q;
  reg  [ELEMENT_WIDTH-1:0] element_q;
  reg  [1:0]               still_q;  // cycles in which beats were inside and none on offer
  reg                      owed_q;
  reg                      kept_q;
  wire                     leaves  = valid_o && ready_i;
  wire                     take    = valid_i && inside_q - {1'b0, leaves} <= 2'd1;
  wire                     chosen  = take && choose && !follow_q;
  wire [ACC_WIDTH-1:0]     result  = result_i >> (pe_q * ACC_WIDTH);
  reg  [BUS_WIDTH-1:0]     data;
  wire [ELEMENT_WIDTH-1:0] element = data >> (lane * ELEMENT_WIDTH);
  integer                  b;
  integer                  part;

  always @* begin
    data = {BUS_WIDTH{1'b0}};
    for (part = 0; part < BEATS; part = part + 1) data = data | data_o[part*BUS_WIDTH +: BUS_WIDTH];
  end

  always @(posedge clk_i) begin
    assume (lane < LANES);
    // A set stays until it is done.
    owed_q <= rst_ni && valid_i && !done_o;
    kept_q <= last_i;
    if (started_q) assume (!rst_ni || !owed_q || (valid_i && last_i == kept_q));

    if (!rst_ni) begin
      beat_q   <= 6'd0;
      inside_q <= 2'd0;
      follow_q <= 1'b0;
      came_q   <= 1'b0;
      still_q  <= 2'd0;
    end else begin
      if (take) beat_q <= beat_q == BEATS - 1 ? 6'd0 : beat_q + 6'd1;
      inside_q <= inside_q + {1'b0, take} - {1'b0, leaves};
      follow_q <= chosen || (follow_q && !(leaves && ahead_q == 2'd0));
      came_q   <= chosen;
      still_q  <= inside_q == 2'd0 || valid_o ? 2'd0 : still_q + 2'd1;
    end
    if (chosen) begin
      ahead_q <= inside_q - {1'b0, leaves};
      last_q  <= last_i && beat_q == BEATS - 1;
      pe_q    <= beat_q * LANES + lane;
    end else if (leaves) begin
      ahead_q <= ahead_q - 2'd1;
    end
    if (came_q)
      for (b = 0; b < ELEMENT_WIDTH; b = b + 1)
        element_q[b] <= pe_q < PES && result[b < ACC_WIDTH ? b : ACC_WIDTH - 1];
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (idle_o == (inside_q == 2'd0));
    assert (!valid_o || inside_q != 2'd0);
    assert (result_take_o == take);
    assert (done_o == (take && beat_q == BEATS - 1));
    assert (still_q < 2'd3);
    assert (!(follow_q && ahead_q == 2'd0 && valid_o) || (element == element_q && last_o == last_q));
    cover (follow_q && valid_o && last_o && ahead_q == 2'd0);
    cover (inside_q == 2'd2 && take);
  end

  tulle_stream_check #(.WIDTH(BEATS * BUS_WIDTH + 1)) u_output_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_o), .ready_i(ready_i), .data_i({last_o, data_o}));
