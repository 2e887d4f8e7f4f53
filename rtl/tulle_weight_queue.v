// SPDX-License-Identifier: Apache-2.0
//
// tulle_weight_queue: a PE's weights, in words of SCAN entries as they arrive from the bus, and the end of each
// segment. A segment is offered when it is complete. It can be read repeatedly; afterwards it is dropped, or it stays
// and follows the last segment again.
//
// Words without a weight or a jump are not stored. A word with several segment ends takes a cycle for each of them.
// Segments without an entry are counted, not stored.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   begin_i                       a packet begins; only when idle_o
//   segments_i                    segments that the packet brings, from the cycle after begin_i to the next one; 0
//                                 after reset
//   take_i, word_i                a word, entry 0 in the lowest bits; only when ready_o
//   end_i                         the packet is over; only when idle_o
//   ready_o                       a word may come
//   idle_o                        every word that arrived is stored
//   head_valid_o                  a segment is at the head
//   head_around_o                 one cycle: from the next cycle on, the head is the oldest segment again
//   head_empty_o                  the head has no entry; otherwise:
//   head_end_word_o, _lane_o      its last entry
//   pop_i, rotate_i               the head has been read for the last time; with rotate_i (a level, the same for the
//                                 whole time of the head) it stays and comes round again
//   release_i                     the oldest word is read for the last time
//   read_i, read_word_i, word_o   a word of the queue, in the next cycle;
//   moves_o, weights_o            its entries that are a weight or a jump, and those that are a weight
//   error_o, error_code_o         one cycle: the stream or the packet's length is wrong
//
// Parameters
//   DATA_WIDTH, INDEX_WIDTH       of an entry
//   SCAN                          entries of a word
//   WORDS                         places, a power of two
//   SEGMENTS                      segment ends that can be held, a power of two
//   LONG_JUMPS                    1: an escape with the flag of a last entry is a long jump, whose value is its distance
//
// Latency: a segment is offered three cycles after the word that ends it.
// Limits: the line escape of convolutions is refused (no_feature).

`default_nettype none

`include "tulle_isa.vh"

module tulle_weight_queue #(
  parameter DATA_WIDTH  = 8,
  parameter INDEX_WIDTH = 8,
  parameter SCAN        = 2,
  parameter WORDS       = 256,
  parameter SEGMENTS    = 64,
  parameter LONG_JUMPS  = 0
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire                                   begin_i,
  input  wire [15:0]                            segments_i,
  input  wire                                   take_i,
  input  wire [SCAN*(DATA_WIDTH+INDEX_WIDTH)-1:0] word_i,
  input  wire                                   end_i,
  output wire                                   ready_o,
  output wire                                   idle_o,

  output wire                                   head_valid_o,
  output wire                                   head_empty_o,
  output wire                                   head_around_o,
  output wire [$clog2(WORDS)-1:0]               head_end_word_o,
  output wire [$clog2((SCAN > 1) ? SCAN : 2)-1:0] head_end_lane_o,
  input  wire                                   pop_i,
  input  wire                                   release_i,
  input  wire                                   rotate_i,

  input  wire                                   read_i,
  input  wire [$clog2(WORDS)-1:0]               read_word_i,
  output wire [SCAN*(DATA_WIDTH+INDEX_WIDTH)-1:0] word_o,
  output wire [SCAN-1:0]                        moves_o,
  output wire [SCAN-1:0]                        weights_o,

  output wire                                   error_o,
  output wire [15:0]                            error_code_o
);

  localparam ENTRY   = DATA_WIDTH + INDEX_WIDTH;
  localparam ADDR    = $clog2(WORDS);
  localparam LANE    = $clog2((SCAN > 1) ? SCAN : 2);
  localparam SEGMENT = $clog2(SEGMENTS);
  localparam COUNT   = DATA_WIDTH - 3; // bits of an escape's payload

  // A segment's record: whether it is empty, and the place of its last entry, or the number of segments without an
  // entry, minus one. A segment begins after the last one.
  localparam PLACE = ADDR + LANE;
  localparam BODY  = (PLACE > COUNT) ? PLACE : COUNT;

  tulle_require #(
    .LEGAL   (SCAN == 1 || SCAN == 2 || SCAN == 4),
    .MESSAGE ("tulle_weight_queue: SCAN must be 1, 2 or 4")
  ) u_require_scan_1_2_or_4 ();

  tulle_require #(
    .LEGAL   (WORDS >= 2 && (WORDS & (WORDS - 1)) == 0 && SEGMENTS >= 2 * SCAN &&
              (SEGMENTS & (SEGMENTS - 1)) == 0),
    .MESSAGE ("tulle_weight_queue: WORDS and SEGMENTS must be powers of two, SEGMENTS at least 2 * SCAN")
  ) u_require_words_and_segments_powers_of_two ();

  // -- Arriving entries ----------------------------------------------------------------------------------

  wire [SCAN-1:0] in_holds;   // a weight or a jump: part of a segment
  wire [SCAN-1:0] in_weights;
  wire [SCAN-1:0] in_closes;  // ends a segment
  wire [SCAN-1:0] in_bad;
  wire [SCAN-1:0] in_line;

  genvar l;
  generate
    for (l = 0; l < SCAN; l = l + 1) begin : gen_lane
      wire [ENTRY-1:0]      entry   = word_i[l*ENTRY +: ENTRY];
      wire                  last    = entry[ENTRY-1];
      wire                  escape  = &entry[ENTRY-2:DATA_WIDTH];
      wire [2:0]            kind    = entry[DATA_WIDTH-1 -: 3];
      wire [COUNT-1:0]      payload = entry[COUNT-1:0];

      wire leap  = LONG_JUMPS != 0 && escape && last;
      wire plain = escape && !leap; // the other escapes have a kind
      wire skip  = plain && kind == `TULLE_ESCAPE_SKIP;
      wire jump  = (plain && kind == `TULLE_ESCAPE_JUMP) || leap;
      wire ends  = plain && kind == `TULLE_ESCAPE_END;
      assign in_line[l]    = plain && kind == `TULLE_ESCAPE_LINE;
      assign in_holds[l]   = !escape || jump;
      assign in_weights[l] = !escape;
      assign in_closes[l]  = (!escape && last) || ends;
      assign in_bad[l]     = plain && (last || kind > `TULLE_ESCAPE_LINE ||
                                       (skip && payload != {COUNT{1'b0}}));
    end
  endgenerate

  // -- The word that is being stored -----------------------------------------------------------------------

  reg                  valid_q;
  reg                  fresh_q;   // it arrived in the last cycle
  reg [SCAN*ENTRY-1:0] word_q;
  reg [SCAN-1:0]       weights_q;
  reg [SCAN-1:0]       holds_q;   // not yet part of a closed segment
  reg [SCAN-1:0]       closes_q;  // not yet recorded
  reg                  bad_q;
  reg                  line_q;
  reg [ADDR-1:0]       place_q;   // place of the word

  reg                  open_q;    // a segment has begun in an earlier word

  // The first end that is not recorded, and the entries after it.
  wire            closing = closes_q != {SCAN{1'b0}};
  wire [SCAN-1:0] first   = closes_q & (~closes_q + {{SCAN-1{1'b0}}, 1'b1});
  wire [SCAN-1:0] upto    = first | (first - {{SCAN-1{1'b0}}, 1'b1});
  wire [SCAN-1:0] closes_rest = closes_q & ~first;
  wire [SCAN-1:0] holds_rest  = closing ? holds_q & ~upto : holds_q;
  wire            recorded    = closes_rest == {SCAN{1'b0}}; // the word is finished in this cycle

  wire [LANE-1:0] lane;      // lane of the end
  wire [COUNT-1:0] count;    // payload of that entry
  wire             empty = |(first & ~weights_q); // the end is not a weight, and so ends segments without an entry
  generate
    if (SCAN == 1) begin : gen_lane_of_1
      assign lane  = 1'b0;
      assign count = word_q[COUNT-1:0];
    end else if (SCAN == 2) begin : gen_lane_of_2
      assign lane  = first[1];
      assign count = first[1] ? word_q[ENTRY +: COUNT] : word_q[COUNT-1:0];
    end else begin : gen_lane_of_4
      assign lane  = {first[3] | first[2], first[3] | first[1]};
      assign count = word_q[lane*ENTRY +: COUNT];
    end
  endgenerate

  wire             amid       = open_q || (holds_q & upto & ~first) != {SCAN{1'b0}};

  // The segment ends of the next word.
  wire [SCAN-1:0] closes_d = take_i ? in_closes : closes_rest;
  wire            several_d = (closes_d & (closes_d - {{SCAN-1{1'b0}}, 1'b1})) != {SCAN{1'b0}};

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, fresh_q} <= 2'd0;
      closes_q <= {SCAN{1'b0}};
      holds_q  <= {SCAN{1'b0}};
      {open_q, bad_q, line_q} <= 3'd0;
    end else begin
      valid_q  <= take_i || (valid_q && !recorded);
      fresh_q  <= take_i;
      closes_q <= closes_d;
      holds_q  <= take_i ? in_holds : recorded ? {SCAN{1'b0}} : holds_rest;
      bad_q    <= take_i && in_bad != {SCAN{1'b0}};
      line_q   <= take_i && in_line != {SCAN{1'b0}};
      if (valid_q) open_q <= (recorded && holds_rest != {SCAN{1'b0}}) || (open_q && !closing);
    end
  end

  always @(posedge clk_i) begin
    if (take_i) begin
      word_q    <= word_i;
      weights_q <= in_weights;
      place_q   <= tail_q[ADDR-1:0];
    end
  end

  // -- Places ------------------------------------------------------------------------------------------------

  // Place counters have an extra bit; the queue is full when only this bit differs.
  reg  [ADDR:0]    tail_q;  // place of the next word
  reg  [ADDR:0]    freed_q; // place of the oldest word
  reg              ready_q;
  reg              release_q;

  reg  [15:0]      brought_q; // segments that the packet has brought, modulo 2^16
  reg  [SEGMENT:0] written_q; // ends recorded
  reg  [SEGMENT:0] oldest_q;  // the oldest segment held
  reg  [SEGMENT:0] fetch_q;   // the one after the head
  reg              head_valid_q;
  reg              turned_q;  // the head is not the oldest
  reg              head_empty_q;
  reg [BODY-1:0]   head_q;

  wire             keeps  = take_i && in_holds != {SCAN{1'b0}}; // the word takes a place
  wire [ADDR:0]    tail_d  = tail_q + {{ADDR{1'b0}}, keeps};
  wire [ADDR:0]    freed_d = freed_q + {{ADDR{1'b0}}, release_q};
  wire             full_d  = tail_d == (freed_d ^ {1'b1, {ADDR{1'b0}}});
  wire [SEGMENT:0] held    = written_q - oldest_q;

  // There must be room for the ends of the word that is being stored and of the next one.
  localparam integer HELD_LIMIT = SEGMENTS - 2 * SCAN;
  localparam [SEGMENT:0] HELD_MAX = HELD_LIMIT[SEGMENT:0];

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      tail_q    <= {ADDR+1{1'b0}};
      freed_q   <= {ADDR+1{1'b0}};
      {ready_q, release_q} <= 2'd0;
    end else begin
      tail_q    <= tail_d;
      freed_q   <= freed_d;
      release_q <= release_i;
      ready_q   <= !several_d && !full_d && held <= HELD_MAX;
    end
  end

  wire push = valid_q && closing;

  tulle_ram_1w1r #(
    .WIDTH (SCAN * (2 + ENTRY)),
    .DEPTH (WORDS)
  ) u_words (
    .clk_i   (clk_i),
    .we_i    (fresh_q && holds_q != {SCAN{1'b0}}),
    .waddr_i (place_q),
    .wdata_i ({holds_q, weights_q, word_q}), // in the first cycle holds_q is unchanged
    .re_i    (read_i && !head_empty_q),
    .raddr_i (read_word_i),
    .rdata_o ({moves_o, weights_o, word_o})
  );

  // -- Segments ----------------------------------------------------------------------------------------------

  wire            all_here   = brought_q == segments_i;
  reg             coming_q;  // more of the packet was to come in the last cycle
  wire            more       = fetch_q != written_q;
  wire            around     = rotate_i && !more && !coming_q; // the oldest segment comes next
  wire [SEGMENT:0] fetch     = around ? oldest_q : fetch_q;
  wire            drop_one   = head_empty_q && head_q[COUNT-1:0] != {COUNT{1'b0}};
  wire            leave      = pop_i && !drop_one;
  wire            load       = (leave || !head_valid_q) && (more || (around && oldest_q != written_q));

  wire            fetch_empty;
  wire [BODY-1:0] fetch_body;
  wire [BODY-1:0] push_body;
  generate
    if (COUNT > PLACE) begin : gen_wide_count
      assign push_body = empty ? count : {{COUNT-PLACE{1'b0}}, place_q, lane};
    end else if (COUNT < PLACE) begin : gen_wide_place
      // Bits above the count are ignored.
      wire [PLACE-1:0] end_at = {place_q, lane};
      assign push_body = {end_at[PLACE-1:COUNT], empty ? count : end_at[COUNT-1:0]};
    end else begin : gen_equal
      assign push_body = empty ? count : {place_q, lane};
    end
  endgenerate

  tulle_lutram #(
    .WIDTH (1 + BODY),
    .DEPTH (SEGMENTS)
  ) u_segments (
    .clk_i   (clk_i),
    .we_i    (push),
    .waddr_i (written_q[SEGMENT-1:0]),
    .wdata_i ({empty, push_body}),
    .raddr_i (fetch[SEGMENT-1:0]),
    .rdata_o ({fetch_empty, fetch_body})
  );

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      written_q    <= {SEGMENT+1{1'b0}};
      oldest_q     <= {SEGMENT+1{1'b0}};
      fetch_q      <= {SEGMENT+1{1'b0}};
      {head_valid_q, turned_q, coming_q} <= 3'd0;
    end else begin
      coming_q <= begin_i || take_i || valid_q || !all_here;
      if (push) written_q <= written_q + 1'b1;
      if (leave && !rotate_i) oldest_q <= oldest_q + 1'b1;
      if (load) fetch_q <= fetch + 1'b1;
      if (leave || !head_valid_q) head_valid_q <= load;
      if (leave || load) turned_q <= rotate_i && !around && (leave || turned_q);
    end
  end

  always @(posedge clk_i) begin
    if (load) begin
      head_empty_q <= fetch_empty;
      head_q       <= fetch_body;
    end else if (pop_i && drop_one) begin
      head_q[COUNT-1:0] <= head_q[COUNT-1:0] - 1'b1;
    end
  end

  assign head_valid_o = head_valid_q;
  assign head_empty_o = head_empty_q;
  assign head_around_o = load && around;
  assign {head_end_word_o, head_end_lane_o} = head_q[PLACE-1:0];

  // -- Errors ------------------------------------------------------------------------------------------------

  // Adds one plus count. It counts up from 0, because counting down would need a multiplexer.
  wire [15:0] brought_d;

  tulle_sum #(
    .WIDTH (16)
  ) u_brought (
    .zero_i   (1'b0),
    .second_i (1'b0),
    .a_i      ({{16-COUNT{1'b0}}, count & {COUNT{empty}}}),
    .b_i      (16'd0),
    .c_i      (brought_q),
    .carry_i  (1'b1),
    .sum_o    (brought_d)
  );

  always @(posedge clk_i) begin
    if (!rst_ni || begin_i) brought_q <= 16'd0;
    else if (push)          brought_q <= brought_d;
  end

  wire miscounted = end_i && (!all_here || open_q);
  wire misplaced = push && empty && amid;
  wire broken    = turned_q && (begin_i || (pop_i && !rotate_i)); // a round was aborted

  assign error_o      = miscounted || misplaced || bad_q || line_q || broken;
  assign error_code_o = (bad_q || misplaced)  ? `TULLE_STATUS_BAD_ESCAPE :
                        line_q                ? `TULLE_STATUS_NO_FEATURE :
                        broken                ? `TULLE_STATUS_BAD_FIELD :
                                                `TULLE_STATUS_PACKET_LENGTH;
  assign ready_o      = ready_q;
  assign idle_o       = !valid_q;

  tulle_assert #(
    .MESSAGE ("a word comes only when there is a place for it")
  ) u_take_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(take_i && !ready_q))
  );

  tulle_assert #(
    .MESSAGE ("a segment is done with only when it is there")
  ) u_pop_when_valid (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(pop_i && !head_valid_q))
  );

  tulle_assert #(
    .MESSAGE ("a packet begins and ends when its words are in place")
  ) u_begin_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!((begin_i || end_i) && valid_q))
  );

endmodule

`default_nettype wire
