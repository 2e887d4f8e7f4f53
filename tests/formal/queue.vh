// SPDX-License-Identifier: Apache-2.0
// A queue of MOST words, a word of which is on offer SLOW cycles after it is the first: what comes out is what went in,
// in order, unchanged. One word of the solver's choosing is followed from input to output, which stands for every word.

  reg              follow_q; // the word is inside
  reg  [4:0]       ahead_q;  // words that leave before it
  reg  [4:0]       inside_q;
  reg  [WIDTH-1:0] word_q;
  reg  [1:0]       still_q;  // cycles in which there was a word and none on offer
  (* anyseq *) wire choose;

  wire push    = valid_i && ready_o;
  wire pop     = valid_o && ready_i;
  wire arrives = push && choose && !follow_q;
  wire leaves  = follow_q && pop && ahead_q == 5'd0;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      follow_q <= 1'b0;
      inside_q <= 5'd0;
    end else begin
      inside_q <= inside_q + {4'd0, push} - {4'd0, pop};
      if (arrives)     follow_q <= 1'b1;
      else if (leaves) follow_q <= 1'b0;
    end
    if (!rst_ni || valid_o || inside_q == 5'd0) still_q <= 2'd0;
    else                                        still_q <= still_q + 2'd1;
    if (arrives) word_q <= data_i;
    if (arrives)  ahead_q <= inside_q - {4'd0, pop};
    else if (pop) ahead_q <= ahead_q - 5'd1;
  end

  always @(posedge clk_i) if (rst_ni) begin
    assert (!pop || inside_q != 5'd0);
    assert (inside_q <= MOST);
    assert (!leaves || data_o == word_q);
    // Nothing is stuck inside.
    assert (inside_q == 5'd0 || valid_o || still_q < SLOW);
    cover (inside_q == MOST);
    cover (leaves);
  end

  tulle_stream_check #(.WIDTH(WIDTH)) u_output_check (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_o), .ready_i(ready_i), .data_i(data_o));
