// SPDX-License-Identifier: Apache-2.0
// A byte of the solver's choosing stands for all of a range: it leaves in the lane and the beat where it belongs. Lanes
// have strobes where the range has bytes, and nowhere else; beats in and out are as many as it needs.

  localparam BYTES = MEM / 8;
  localparam SIZE  = $clog2(BYTES);

  (* anyconst *) reg [COUNT-1:0] number; // of the byte
  reg  [SIZE-1:0] from_q;
  reg  [SIZE-1:0] to_q;
  reg  [COUNT-1:0] bytes_q;
  reg  [COUNT:0]  in_q;  // beats that came
  reg  [COUNT:0]  out_q; // beats that left
  reg  [7:0]      byte_q;
  reg             begun_q;
  reg  [2:0]      still_q;
  initial begun_q = 1'b0;

  wire [COUNT+1:0] in_place  = number + from_q;
  wire [COUNT+1:0] out_place = number + to_q;
  wire [COUNT+1:0] in_beats  = (from_q + bytes_q + BYTES - 1) / BYTES;
  wire [COUNT+1:0] out_beats = (to_q + bytes_q + BYTES - 1) / BYTES;
  wire             into      = valid_i && ready_o;
  wire             outof     = valid_o && ready_i;
  integer          i;

  always @(posedge clk_i) begin
    assume (started_q || start_i);
    assume (!start_i || bytes_i != {COUNT{1'b0}});
    // As many beats as there are; a beat that waits stays.
    assume (start_i || in_q < in_beats || !valid_i);
    begun_q <= begun_q || start_i;
    if (start_i) begin
      from_q  <= from_i;
      to_q    <= to_i;
      bytes_q <= bytes_i;
      in_q    <= 0;
      out_q   <= 0;
      still_q <= 3'd0;
    end else begin
      in_q  <= in_q + into;
      out_q <= out_q + outof;
      if (into && in_q == in_place / BYTES) byte_q <= data_i[8 * (in_place % BYTES) +: 8];
      still_q <= valid_o || out_q == out_beats || (!valid_i && in_q != in_beats) ? 3'd0 : still_q + 3'd1;
    end
  end

  always @(posedge clk_i) if (begun_q && !start_i) begin
    assert (!valid_o || out_q < out_beats);
    assert (!(valid_o && number < bytes_q && out_q == out_place / BYTES) ||
            data_o[8 * (out_place % BYTES) +: 8] == byte_q);
    for (i = 0; i < BYTES; i = i + 1)
      assert (!valid_o || strobe_o[i] == (out_q * BYTES + i >= to_q && out_q * BYTES + i < to_q + bytes_q));
    assert (still_q < 3'd4);
    cover (outof && out_q + 1 == out_beats && out_beats > 2 && to_q < from_q);
    cover (outof && out_q + 1 == out_beats && out_beats > 2 && to_q > from_q);
    cover (outof && out_q != 0 && into);
  end

  tulle_stream_check #(.WIDTH(BYTES)) u_output_check (
    .clk_i(clk_i), .rst_ni(begun_q && !start_i), .valid_i(valid_o), .ready_i(ready_i), .data_i(strobe_o));
