// SPDX-License-Identifier: Apache-2.0
//
// tulle_weight_feeder: builds words of SCAN entries for every PE from the weight beats of a packet, and delivers a
// word to all PEs of the cluster in the same cycle, when all have room.
//
// A weight beat holds ENTRIES entries for each PE, PE 0 lowest. It takes one row-bus beat or, if ENTRIES is 1,
// several. A word consists of as many whole beats as fit, or a beat gives several words. Empty lanes, and the missing
// lanes of a packet's last word, are skips.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   start_i, segments_i           a packet begins that brings segments_i segments for each PE; only when ready_o
//   ready_o                       a packet can begin
//   beat_valid_i, beat_last_i, beat_data_i, beat_ready_o
//                                 the packet's beats
//   begin_o                       one cycle, before the first word of the packet
//   segments_o                    segments of the packet, from the cycle after begin_o to the next one; 0 after reset
//   take_o, word_o                one cycle: a word for each PE, entry 0 of PE 0 lowest
//   end_o                         one cycle, after the packet's last word
//   pe_ready_i                    all PEs have room for a word
//   pe_idle_i                     all PEs have stored the words that they took
//   waiting_o                     a word waits for a PE
//   error_o                       one cycle: the packet is not a whole number of weight beats
//
// Parameters
//   BUS_WIDTH                     bits of a beat of the row bus
//   PES                           PEs of the cluster
//   SCAN                          entries of a word
//   ENTRIES                       entries of a weight beat for each PE
//   DATA_WIDTH, INDEX_WIDTH       of an entry
//
// Latency: a word is at word_o in the cycle after its last beat. One word a cycle.

`default_nettype none

module tulle_weight_feeder #(
  parameter BUS_WIDTH   = 256,
  parameter PES         = 8,
  parameter SCAN        = 2,
  parameter ENTRIES     = 2,
  parameter DATA_WIDTH  = 8,
  parameter INDEX_WIDTH = 8
) (
  input  wire                                          clk_i,
  input  wire                                          rst_ni,

  input  wire                                          start_i,
  input  wire [15:0]                                   segments_i,
  output wire                                          ready_o,

  input  wire                                          beat_valid_i,
  input  wire                                          beat_last_i,
  input  wire [BUS_WIDTH-1:0]                          beat_data_i,
  output wire                                          beat_ready_o,

  output wire                                          begin_o,
  output wire [15:0]                                   segments_o,
  output wire                                          take_o,
  output wire [PES*SCAN*(DATA_WIDTH+INDEX_WIDTH)-1:0]  word_o,
  output wire                                          end_o,
  input  wire                                          pe_ready_i,
  input  wire                                          pe_idle_i,

  output wire                                          waiting_o,
  output wire                                          error_o
);

  localparam ENTRY      = DATA_WIDTH + INDEX_WIDTH;
  localparam WORD       = SCAN * ENTRY;                    // bits of a PE's word
  localparam SHARE      = ENTRIES * ENTRY;                 // bits of a PE's share of a beat
  localparam BEAT       = PES * SHARE;                     // bits of a weight beat
  localparam BUS_BEATS  = (BEAT + BUS_WIDTH - 1) / BUS_WIDTH;
  localparam BEATS      = (SCAN > ENTRIES) ? SCAN / ENTRIES : 1; // weight beats of a word
  localparam WORDS      = (ENTRIES + SCAN - 1) / SCAN;     // words of a weight beat
  localparam PHASES     = BEATS * BUS_BEATS;               // row-bus beats of a word
  localparam PHASE      = $clog2((PHASES > 1) ? PHASES : 2);
  localparam LAST_PHASE = PHASES - 1;

  // The skip escape: a gap of all ones and value 0.
  localparam [ENTRY-1:0] SKIP = {1'b0, {INDEX_WIDTH-1{1'b1}}, {DATA_WIDTH{1'b0}}};

  tulle_require #(
    .LEGAL   (ENTRIES >= 1 && (BUS_BEATS == 1 || ENTRIES == 1)),
    .MESSAGE ("tulle_weight_feeder: a weight beat of several row-bus beats has one entry for each PE")
  ) u_require_one_entry_when_several_bus_beats ();

  localparam [1:0] IDLE  = 2'd0;
  localparam [1:0] BEGIN = 2'd1; // until the PEs can begin
  localparam [1:0] FEED  = 2'd2;
  localparam [1:0] DRAIN = 2'd3; // until the last word is stored

  reg  [1:0]       state_q;
  reg  [15:0]      segments_q;
  reg  [15:0]      begun_segments_q;
  reg  [PHASE-1:0] phase_q; // number of the next beat
  reg              valid_q; // words are available
  reg              ended_q; // the packet's last beat is in the word
  reg              settle_q; // pe_idle_i does not yet include the word taken

  wire last_word;  // the last of the available words
  wire last_phase = phase_q == LAST_PHASE[PHASE-1:0];
  wire word_done  = take_o && last_word;
  wire free       = !valid_q || (pe_ready_i && last_word); // without take_o, which all PEs share and which arrives late
  wire accept     = state_q == FEED && !ended_q && beat_valid_i && free;
  wire complete   = accept && (last_phase || beat_last_i);

  assign beat_ready_o = state_q == FEED && !ended_q && free;
  assign take_o       = valid_q && pe_ready_i;
  assign begin_o      = state_q == BEGIN && pe_idle_i;
  assign end_o        = state_q == DRAIN && !settle_q && pe_idle_i;
  assign segments_o   = begun_segments_q;
  assign ready_o      = state_q == IDLE;
  assign waiting_o    = valid_q;

  generate
    if (BUS_BEATS == 1) begin : gen_whole
      assign error_o = 1'b0;
    end else begin : gen_parts
      // The last beat must complete a weight beat, not only a word.
      localparam PART = $clog2(BUS_BEATS);
      localparam LAST_PART = BUS_BEATS - 1;
      reg [PART-1:0] part_q;

      always @(posedge clk_i) begin
        if (state_q != FEED) part_q <= {PART{1'b0}};
        else if (accept)     part_q <= part_q == LAST_PART[PART-1:0] ? {PART{1'b0}} : part_q + 1'b1;
      end

      assign error_o = accept && beat_last_i && part_q != LAST_PART[PART-1:0];
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q  <= IDLE;
      phase_q  <= {PHASE{1'b0}};
      {valid_q, ended_q, settle_q} <= 3'd0;
    end else begin
      case (state_q)
        IDLE:    if (start_i) state_q <= BEGIN;
        BEGIN:   if (begin_o) state_q <= FEED;
        FEED:    if (ended_q && word_done) state_q <= DRAIN;
        default: if (end_o) state_q <= IDLE;
      endcase
      if (accept) phase_q <= complete ? {PHASE{1'b0}} : phase_q + 1'b1;
      if (complete)       valid_q <= 1'b1;
      else if (word_done) valid_q <= 1'b0;
      ended_q  <= state_q == FEED && (ended_q || (accept && beat_last_i)) && !(ended_q && word_done);
      settle_q <= take_o;
    end
  end

  always @(posedge clk_i) begin
    if (start_i) segments_q <= segments_i;
    if (!rst_ni)      begun_segments_q <= 16'd0;
    else if (begin_o) begun_segments_q <= segments_q;
  end

  // -- Words -------------------------------------------------------------------------------------------------

  genvar p, l;
  generate
    if (WORDS == 1) begin : gen_assemble
      // Each entry of a word comes from one of the beats; a new word begins as skips.
      reg [PES*WORD-1:0] word_q;
      for (p = 0; p < PES; p = p + 1) begin : gen_pe
        for (l = 0; l < SCAN; l = l + 1) begin : gen_lane
          if (l >= BEATS * ENTRIES) begin : gen_none
            always @(posedge clk_i) word_q[p*WORD + l*ENTRY +: ENTRY] <= SKIP;
          end else begin : gen_entry
            localparam FIRST = p * SHARE + (l % ENTRIES) * ENTRY; // bit of the weight beat
            localparam BUS   = FIRST / BUS_WIDTH;
            localparam AT    = l / ENTRIES * BUS_BEATS + BUS;

            if (FIRST % BUS_WIDTH + ENTRY <= BUS_WIDTH) begin : gen_one_beat
              always @(posedge clk_i) begin
                if (accept && phase_q == AT[PHASE-1:0])
                  word_q[p*WORD + l*ENTRY +: ENTRY] <= beat_data_i[FIRST % BUS_WIDTH +: ENTRY];
                else if (accept && phase_q == {PHASE{1'b0}})
                  word_q[p*WORD + l*ENTRY +: ENTRY] <= SKIP;
              end
            end else begin : gen_two_beats
              // The entry crosses the border between two beats of the bus.
              localparam LOW = BUS_WIDTH - FIRST % BUS_WIDTH;
              localparam NEXT = AT + 1;
              always @(posedge clk_i) begin
                if (accept && phase_q == AT[PHASE-1:0])
                  word_q[p*WORD + l*ENTRY +: LOW] <= beat_data_i[BUS_WIDTH-1 -: LOW];
                else if (accept && phase_q == {PHASE{1'b0}})
                  word_q[p*WORD + l*ENTRY +: LOW] <= SKIP[LOW-1:0];
                if (accept && phase_q == NEXT[PHASE-1:0])
                  word_q[p*WORD + l*ENTRY + LOW +: ENTRY - LOW] <= beat_data_i[ENTRY-LOW-1:0];
                else if (accept && phase_q == {PHASE{1'b0}})
                  word_q[p*WORD + l*ENTRY + LOW +: ENTRY - LOW] <= SKIP[ENTRY-1:LOW];
              end
            end
          end
        end
      end
      assign word_o    = word_q;
      assign last_word = 1'b1;
    end else begin : gen_divide
      // The beat is kept and shifted down by a word for each PE.
      localparam KEPT  = WORDS * WORD;
      localparam COUNT = $clog2(WORDS);
      localparam LAST  = WORDS - 1;

      reg [COUNT-1:0] count_q;

      always @(posedge clk_i) begin
        if (!rst_ni)     count_q <= {COUNT{1'b0}};
        else if (take_o) count_q <= last_word ? {COUNT{1'b0}} : count_q + 1'b1;
      end
      assign last_word = count_q == LAST[COUNT-1:0];

      for (p = 0; p < PES; p = p + 1) begin : gen_pe
        reg  [KEPT-1:0] kept_q;
        wire [KEPT-1:0] fresh;
        for (l = 0; l < WORDS * SCAN; l = l + 1) begin : gen_lane
          if (l < ENTRIES) begin : gen_entry
            assign fresh[l*ENTRY +: ENTRY] = beat_data_i[p*SHARE + l*ENTRY +: ENTRY];
          end else begin : gen_none
            assign fresh[l*ENTRY +: ENTRY] = SKIP;
          end
        end
        always @(posedge clk_i) begin
          if (accept)      kept_q <= fresh;
          else if (take_o) kept_q <= {SKIP, kept_q[KEPT-1:ENTRY]} >> (WORD - ENTRY);
        end
        assign word_o[p*WORD +: WORD] = kept_q[WORD-1:0];
      end
    end
  endgenerate

  // Bits of a bus beat beyond the weight beat.
  wire unused = &{1'b0, beat_data_i};

  tulle_assert #(
    .MESSAGE ("a packet begins when the last one is over")
  ) u_start_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || ready_o)
  );

endmodule

`default_nettype wire
