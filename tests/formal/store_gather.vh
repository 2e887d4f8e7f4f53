// SPDX-License-Identifier: Apache-2.0
// Bursts leave in the order of the pieces that end them, whether they wait in lines or not. One of the solver's choosing, of a piece of its
// own, stands for all: its beats come when those before it have left, with the piece's data, and with strobes from its first byte to
// its last. No other piece takes its lines meanwhile, which is what who hands pieces over promises.

  localparam BYTES = MEM / 8;

  (* anyseq *) wire choose;
  (* anyconst *) wire [2:0] one;   // the byte
  (* anyconst *) wire [1:0] beat;  // of that beat
  reg       follow_q;
  reg       gather_q;
  reg [9:0] place_q;
  reg [1:0] beats_q;               // of the chosen piece, minus 1
  reg [5:0] first_q, last_q;       // its bytes
  reg [4:0] in_owed_q;             // beats of pieces that have not come
  reg [4:0] out_owed_q;            // beats of bursts that have not left
  reg [4:0] in_ahead_q;            // those before the chosen piece
  reg [4:0] out_ahead_q;
  reg [2:0] in_q, out_q;           // beats of the chosen one that have come, and left
  reg [7:0] byte_q;                // the byte as it came
  reg       strobe_q;

  wire       piece    = piece_valid_i && piece_ready_o;
  wire       comes    = data_valid_i && data_ready_o;
  wire       leaves   = data_valid_o && data_ready_i;
  wire       is_burst = !piece_gather_i || piece_ends_i;
  wire [4:0] lines    = {3'd0, piece_lines_i[1:0]} + 5'd1;
  wire [4:0] beats    = piece_gather_i ? {3'd0, piece_beats_i[1:0]} + 5'd1 : lines;
  wire       own      = !piece_gather_i || (piece_ends_i && piece_first_i == piece_place_i && piece_beats_i == piece_lines_i[2:0]);
  wire       begins   = piece && choose && own && !follow_q;
  wire       mine_in  = follow_q && in_ahead_q == 5'd0 && in_q <= {1'b0, beats_q};
  wire       mine_out = follow_q && out_ahead_q == 5'd0;

  always @(posedge clk_i) begin
    assume (one < BYTES);
    assume (!piece_valid_i || piece_ready_o); // as tulle_store does
    assume (piece_lines_i < LINES && piece_lines_i < 7'd4 && piece_beats_i < LINES && piece_beats_i < 3'd4);
    assume (piece_place_i + piece_lines_i < LINES && piece_first_i + piece_beats_i < LINES);
    assume (piece_first_byte_i < BYTES && piece_last_byte_i < BYTES);
    assume (piece_beats_i != 3'd0 || piece_first_byte_i <= piece_last_byte_i);
    // Lines of the chosen piece belong to it until it has left.
    assume (!(piece && follow_q && gather_q && piece_gather_i) || piece_place_i > place_q + beats_q ||
            piece_place_i + piece_lines_i < place_q);
    assume (!(piece && follow_q && gather_q && piece_gather_i) || !piece_ends_i || piece_first_i > place_q + beats_q ||
            piece_first_i + piece_beats_i < place_q);

    in_owed_q  <= !rst_ni ? 5'd0 : in_owed_q + (piece ? lines : 5'd0) - {4'd0, comes};
    out_owed_q <= !rst_ni ? 5'd0 : out_owed_q + (piece && is_burst ? beats : 5'd0) - {4'd0, leaves};
    follow_q   <= rst_ni && (begins || (follow_q && !(mine_out && leaves && out_q == {1'b0, beats_q})));
    if (begins) begin
      gather_q    <= piece_gather_i;
      place_q     <= piece_place_i;
      beats_q     <= piece_lines_i[1:0];
      first_q     <= piece_first_byte_i;
      last_q      <= piece_last_byte_i;
      in_ahead_q  <= in_owed_q - {4'd0, comes};
      out_ahead_q <= out_owed_q - {4'd0, leaves};
      in_q        <= 3'd0;
      out_q       <= 3'd0;
    end else begin
      if (comes && in_ahead_q != 5'd0)   in_ahead_q  <= in_ahead_q - 5'd1;
      if (leaves && out_ahead_q != 5'd0) out_ahead_q <= out_ahead_q - 5'd1;
      if (comes && mine_in)              in_q        <= in_q + 3'd1;
      if (leaves && mine_out)            out_q       <= out_q + 3'd1;
    end
    if (comes && mine_in && in_q[1:0] == beat) begin
      byte_q   <= data_i[8*one +: 8];
      strobe_q <= strobe_i[one];
    end
    // All of a gathered piece's bytes have strobes: none was there before.
    assume (!(comes && mine_in && gather_q) || strobe_i == {BYTES{1'b1}});
  end

  wire checked  = mine_out && data_valid_o && out_q[1:0] == beat;
  wire reaches  = (beat != 2'd0 || {3'd0, one} >= first_q) && (beat != beats_q || {3'd0, one} <= last_q);
  wire at_once  = mine_in && in_q[1:0] == beat && data_valid_i; // a beat that is not gathered leaves as it comes

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!data_valid_o || out_owed_q != 5'd0);
    assert (!(checked && gather_q) || (in_q > {1'b0, beat} && data_o[8*one +: 8] == byte_q && strobe_o[one] == reaches));
    assert (!(checked && !gather_q) || (at_once && data_o[8*one +: 8] == data_i[8*one +: 8] && strobe_o[one] == strobe_i[one]));
    assert (!idle_o || out_owed_q == 5'd0 || in_owed_q == 5'd0);
    cover (checked && gather_q && leaves && byte_q == 8'd5);
    cover (checked && !gather_q && leaves);
  end
