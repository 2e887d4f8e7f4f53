// SPDX-License-Identifier: Apache-2.0
// Element e of every beat, e of the solver's choosing, is the sign-extended result of its PE as it was when the beat
// was taken, 0 where there is no PE; beats come in order; the last beat of the last set is marked.

  localparam LANES = BUS_WIDTH / ELEMENT_WIDTH;
  localparam BEATS = (PES + LANES - 1) / LANES;

  (* anyconst *) wire [5:0] lane;
  reg  [5:0]               beat_q;  // that is taken next
  reg                      full_q;  // a beat is on offer
  reg                      last_q;
  reg  [ELEMENT_WIDTH-1:0] element_q;
  reg                      owed_q;
  reg                      kept_q;
  wire                     take    = valid_i && (!full_q || ready_i);
  wire [9:0]               pe      = beat_q * LANES + lane;
  wire [ACC_WIDTH-1:0]     result  = result_i >> (pe * ACC_WIDTH);
  wire [ELEMENT_WIDTH-1:0] element = data_o >> (lane * ELEMENT_WIDTH);
  integer                  b;

  always @(posedge clk_i) begin
    assume (lane < LANES);
    // A set stays until it is done.
    owed_q <= rst_ni && valid_i && !done_o;
    kept_q <= last_i;
    if (started_q) assume (!rst_ni || !owed_q || (valid_i && last_i == kept_q));

    if (!rst_ni) begin
      beat_q <= 6'd0;
      full_q <= 1'b0;
    end else begin
      full_q <= take || (full_q && !ready_i);
      if (take) beat_q <= beat_q == BEATS - 1 ? 6'd0 : beat_q + 6'd1;
    end
    if (take) begin
      last_q <= last_i && beat_q == BEATS - 1;
      for (b = 0; b < ELEMENT_WIDTH; b = b + 1)
        element_q[b] <= pe < PES && result[b < ACC_WIDTH ? b : ACC_WIDTH - 1];
    end
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (valid_o == full_q && idle_o == !full_q);
    assert (result_take_o == take);
    assert (done_o == (take && beat_q == BEATS - 1));
    assert (!full_q || (element == element_q && last_o == last_q));
    cover (full_q && last_o && take);
  end

  tulle_stream_check #(.WIDTH(BUS_WIDTH + 1)) u_output_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_o), .ready_i(ready_i), .data_i({last_o, data_o}));
