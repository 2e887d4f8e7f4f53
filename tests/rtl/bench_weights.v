// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_weight_feeder: packets of random lengths; every word of every packet is computed here from the beats
// that were taken, entry by entry. Where a weight beat takes several beats of the bus, a packet that ends in the middle
// of one comes last.

`default_nettype none

module bench_weights #(
  parameter BUS     = 64,
  parameter PES     = 2,
  parameter SCAN    = 2,
  parameter ENTRIES = 1,
  parameter DATA    = 8,
  parameter INDEX   = 8,
  parameter IN      = 0,
  parameter OUT     = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam PACKETS   = 24;
  localparam MOST      = 9; // weight beats of a packet
  localparam ENTRY     = DATA + INDEX;
  localparam SHARE     = ENTRIES * ENTRY;
  localparam BUS_BEATS = (PES * SHARE + BUS - 1) / BUS;
  localparam BEATS     = SCAN > ENTRIES ? SCAN / ENTRIES : 1;
  localparam WORDS     = (ENTRIES + SCAN - 1) / SCAN;
  localparam [ENTRY-1:0] SKIP = {1'b0, {INDEX-1{1'b1}}, {DATA{1'b0}}};

  // What packet p is like, and its beats.
  reg  [31:0] packet_q;
  wire [63:0] about;
  bench_hash u_about (.seed_i(32'd31), .index_i(packet_q), .hash_o(about));

  wire [31:0] weight_beats = 1 + about[15:0] % MOST;
  wire        broken       = BUS_BEATS > 1 && packet_q == PACKETS;
  wire [31:0] bus_beats    = weight_beats * BUS_BEATS - (broken ? 1 : 0);
  wire [31:0] words        = WORDS > 1 ? weight_beats * WORDS : (weight_beats + BEATS - 1) / BEATS;
  wire        finished     = packet_q == PACKETS + (BUS_BEATS > 1 ? 1 : 0);

  reg  [31:0]    beat_q;   // of the packet, that is taken next
  reg  [31:0]    number_q; // of all
  wire [BUS-1:0] beat;
  genvar g;
  generate
    for (g = 0; g < BUS / 64; g = g + 1) begin : gen_data
      wire [31:0] seed = g + 40;
      bench_hash u_hash (.seed_i(seed), .index_i(number_q), .hash_o(beat[g*64 +: 64]));
    end
  endgenerate

  wire in_now, out_now;
  bench_pace #(.PACE(IN), .SEED(61)) u_in (.clk_i(clk_i), .now_o(in_now));
  bench_pace #(.PACE(OUT), .SEED(62)) u_out (.clk_i(clk_i), .now_o(out_now));

  reg         valid_q;
  reg         within_q; // a packet was begun and has not ended
  reg         begun_q;  // the PEs know
  reg         failed_q;
  reg         took_q;
  reg  [2:0]  busy_q;   // until what the PEs took is in its place; they say so a cycle late
  reg  [31:0] word_q;   // of the packet, that is due next
  reg  [BUS-1:0] taken [0:MOST*BUS_BEATS-1];

  wire        ready, beat_ready, begins, take, ends, waiting, error;
  wire [15:0] segments;
  wire [PES*SCAN*ENTRY-1:0] word;
  wire        idle  = busy_q == 3'd0;
  wire        start = ready && !within_q && !finished && !failed_q;

  tulle_weight_feeder #(.BUS_WIDTH(BUS), .PES(PES), .SCAN(SCAN), .ENTRIES(ENTRIES), .DATA_WIDTH(DATA),
                        .INDEX_WIDTH(INDEX)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .segments_i(about[31:16]), .ready_o(ready),
    .beat_valid_i(valid_q), .beat_last_i(beat_q + 1 == bus_beats), .beat_data_i(beat), .beat_ready_o(beat_ready),
    .begin_o(begins), .segments_o(segments), .take_o(take), .word_o(word), .end_o(ends), .pe_ready_i(out_now),
    .pe_idle_i(idle), .waiting_o(waiting), .error_o(error));

  // Entry e of PE p of weight beat w of the packet.
  function [ENTRY-1:0] entry(input integer w, input integer p, input integer e);
    reg [BUS_BEATS*BUS-1:0] whole;
    integer b;
    begin
      for (b = 0; b < BUS_BEATS; b = b + 1) whole[b*BUS +: BUS] = taken[w*BUS_BEATS + b];
      entry = whole[p*SHARE + e*ENTRY +: ENTRY];
    end
  endfunction

  // Lane l of PE p in word n of the packet.
  function [ENTRY-1:0] lane(input integer n, input integer p, input integer l);
    integer w;
    integer e;
    begin
      w    = WORDS > 1 ? n / WORDS : n * BEATS + l / ENTRIES;
      e    = WORDS > 1 ? n % WORDS * SCAN + l : l % ENTRIES;
      lane = SKIP;
      if (w < weight_beats && e < ENTRIES && (WORDS > 1 || l < BEATS * ENTRIES)) lane = entry(w, p, e);
    end
  endfunction

  integer p;
  integer l;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      packet_q <= 32'd0;
      beat_q   <= 32'd0;
      number_q <= 32'd0;
      word_q   <= 32'd0;
      valid_q  <= 1'b0;
      within_q <= 1'b0;
      begun_q  <= 1'b0;
      failed_q <= 1'b0;
      took_q   <= 1'b0;
      busy_q   <= 3'd0;
    end else begin
      took_q <= take;
      busy_q <= took_q ? 3'd3 : busy_q == 3'd0 ? 3'd0 : busy_q - 3'd1;
      if (start) begin
        busy_q   <= {1'b0, about[49:48]}; // the last packet's words, still
        within_q <= 1'b1;
        beat_q   <= 32'd0;
        word_q   <= 32'd0;
      end
      // A beat that was offered stays.
      if (!valid_q || beat_ready)
        valid_q <= in_now && within_q && !start && beat_q + (valid_q ? 1 : 0) < bus_beats;
      if (valid_q && beat_ready) begin
        taken[beat_q] <= beat;
        beat_q        <= beat_q + 32'd1;
        number_q      <= number_q + 32'd1;
      end
      if (begins) begun_q <= 1'b1;
      if (take) word_q <= word_q + 32'd1;
      if (ends) begin
        within_q <= 1'b0;
        begun_q  <= 1'b0;
        packet_q <= packet_q + 32'd1;
      end
      if (error) failed_q <= 1'b1;

      if (begins && (!within_q || begun_q || !idle)) begin
        $display("%m: packet %0d begins too early", packet_q);
        $fatal(1);
      end
      if (begun_q && segments !== about[31:16]) begin
        $display("%m: packet %0d has %0d segments, must be %0d", packet_q, segments, about[31:16]);
        $fatal(1);
      end
      if (error !== (broken && valid_q && beat_ready && beat_q + 1 == bus_beats)) begin
        $display("%m: packet %0d, beat %0d: error %b", packet_q, beat_q, error);
        $fatal(1);
      end
      if (take && !broken) begin
        if (!begun_q || !waiting || word_q >= words) begin
          $display("%m: packet %0d: word %0d of %0d", packet_q, word_q, words);
          $fatal(1);
        end
        for (p = 0; p < PES; p = p + 1)
          for (l = 0; l < SCAN; l = l + 1)
            if (word[(p*SCAN + l)*ENTRY +: ENTRY] !== lane(word_q, p, l)) begin
              $display("%m: packet %0d, word %0d, PE %0d, lane %0d is %h, must be %h", packet_q, word_q, p, l,
                       word[(p*SCAN + l)*ENTRY +: ENTRY], lane(word_q, p, l));
              $fatal(1);
            end
      end
      if (ends && !broken && (word_q !== words || beat_q !== bus_beats || took_q || !idle)) begin
        $display("%m: packet %0d ends with %0d of %0d words", packet_q, word_q, words);
        $fatal(1);
      end
    end
  end

  assign done_o = BUS_BEATS > 1 ? failed_q : finished;
endmodule

`default_nettype wire
