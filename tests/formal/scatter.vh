// SPDX-License-Identifier: Apache-2.0
// Lines of a round, or a line for all: each PE gets its own values in order, a line a cycle, from the cycle behind the
// round's last line on, with the round's place; the next round may come at full pace.

  localparam LINE  = LOAD_WIDTH / DATA_WIDTH;
  localparam ROUND = PES * LOAD_WIDTH;

  reg              scatter_q;
  reg [7:0]        came_q;    // lines of the round
  reg [ROUND-1:0]  coming_q;
  reg [ROUND-1:0]  held_q;
  reg [7:0]        left_q;    // lines that leave
  reg [PLACE-1:0]  held_place_q;
  reg              left_behind_q;
  reg [7:0]        pe_at_q;
  reg [DATA_WIDTH-1:0] value_q;
  reg [PLACE-1:0]  out_place_q;

  (* anyconst *) wire [7:0] lane;
  wire [ROUND-1:0] shifted = {{ROUND-LOAD_WIDTH{1'b0}}, data_i} << (came_q * LOAD_WIDTH);
  wire [ROUND-1:0] coming  = (came_q == 8'd0 ? {ROUND{1'b0}} : coming_q) | shifted;
  wire             last    = !scatter_i || came_q == PES - 1;
  wire [7:0]       pe_at   = scatter_i ? PES - left_q : 8'd0;
  wire [7:0]       place_at = scatter_i ? lane * PES + pe_at : lane;

  always @(posedge clk_i) begin
    assume (lane < LINE);
    assume (idle_o || scatter_i == scatter_q);
    scatter_q <= scatter_i;
    if (!rst_ni) begin
      came_q        <= 8'd0;
      left_q        <= 8'd0;
      left_behind_q <= 1'b0;
    end else begin
      if (take_i) came_q <= last ? 8'd0 : came_q + 8'd1;
      if (take_i && last)     left_q <= scatter_i ? PES : 8'd1;
      else if (left_q != 8'd0) left_q <= left_q - 8'd1;
      left_behind_q <= left_q != 8'd0;
    end
    if (take_i) coming_q <= coming;
    if (take_i && last) begin
      held_q       <= coming;
      held_place_q <= place_i;
    end
    value_q     <= held_q >> (place_at * DATA_WIDTH);
    pe_at_q     <= pe_at;
    out_place_q <= held_place_q;
  end

  wire [DATA_WIDTH-1:0] value = data_o >> (lane * DATA_WIDTH);

  always @(posedge clk_i) if (rst_ni) begin
    assert (round_o == last);
    assert (read_o == (left_q != 8'd0));
    assert (idle_o == (left_q == 8'd0 && came_q == 8'd0));
    assert (!left_behind_q || (value == value_q && place_o == out_place_q && pe_o == pe_at_q));
    cover (left_behind_q && pe_at_q == PES - 1 && take_i && scatter_i);
    cover (left_behind_q && !scatter_i && value_q != {DATA_WIDTH{1'b0}});
  end
