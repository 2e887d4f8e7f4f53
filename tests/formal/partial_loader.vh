// SPDX-License-Identifier: Apache-2.0
// Every set gives the PE of the solver's choosing one element, its own, and ends with the last beat.

  localparam LANES = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS = (PES + LANES - 1) / LANES;

  (* anyconst *) wire [5:0] pe;
  reg        busy_q;
  reg  [5:0] beat_q;
  wire       take = busy_q && beat_valid_i;
  wire       over = take && beat_q == BEATS - 1;
  wire       mine = take && beat_q == pe / LANES;
  wire [ACC_WIDTH-1:0] element = beat_data_i >> ((pe % LANES) * ELEMENT_WIDTH);
  wire [ACC_WIDTH-1:0] given   = data_o >> (pe * ACC_WIDTH);

  always @(posedge clk_i) begin
    assume (pe < PES);
    if (!rst_ni)      busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (over)    busy_q <= 1'b0;
    if (!rst_ni)   beat_q <= 6'd0;
    else if (take) beat_q <= over ? 6'd0 : beat_q + 6'd1;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (idle_o == !busy_q);
    assert (beat_ready_o == take);
    assert (write_o[pe] == mine);
    assert (!mine || given == element);
    cover (over && mine);
  end
