// SPDX-License-Identifier: Apache-2.0
// Every set gives the PE of the solver's choosing one element, its own, and drops the rest of the beat with its last piece.

  localparam HALVES = ELEMENT_WIDTH > PIECE_WIDTH ? 2 : 1; // pieces of an element
  localparam LANES  = ELEMENT_WIDTH > PIECE_WIDTH ? 1 : PIECE_WIDTH / ELEMENT_WIDTH;
  localparam PIECES = (PES + LANES - 1) / LANES * HALVES;

  (* anyconst *) wire [5:0] pe;
  reg        busy_q;
  reg  [5:0] piece_q;
  reg  [PIECE_WIDTH-1:0] lower_q;
  wire       take = busy_q && valid_i;
  wire       over = take && piece_q == PIECES - 1;
  wire       mine = take && piece_q == pe / LANES * HALVES + HALVES - 1;
  wire [2*PIECE_WIDTH-1:0] both  = {data_i, HALVES == 2 ? lower_q : data_i};
  wire [ACC_WIDTH-1:0] element = both >> ((pe % LANES) * ELEMENT_WIDTH);
  wire [ACC_WIDTH-1:0] given   = data_o >> (pe * ACC_WIDTH);

  always @(posedge clk_i) begin
    assume (pe < PES);
    if (!rst_ni)      busy_q <= 1'b0;
    else if (start_i) busy_q <= 1'b1;
    else if (over)    busy_q <= 1'b0;
    if (!rst_ni)   piece_q <= 6'd0;
    else if (take) piece_q <= over ? 6'd0 : piece_q + 6'd1;
    if (take) lower_q <= data_i;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (idle_o == !busy_q);
    assert (ready_o == take);
    assert (drop_o == over);
    assert (write_o[pe] == mine);
    assert (!mine || given == element);
    cover (over && mine);
  end
