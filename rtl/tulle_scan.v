// SPDX-License-Identifier: Apache-2.0
//
// tulle_scan: walks the segment at the head of the weight queue once for each MAC that was issued, a word a
// cycle, one MAC behind the other without a gap. A word is read only when the load queue surely has room for what
// comes of it. Segments lie one behind the other, so the scan knows where they begin: behind the one before.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   mac_valid_i, mac_advance_i    a MAC waits; the head segment is done with after it; and stays in the queue
//   mac_rotate_i
//   mac_done_o                    its last word is read in this cycle
//   head_*_i                      the head segment (tulle_weight_queue)
//   head_around_i                 one cycle: from the next cycle on the oldest segment is the head, once more
//   pop_o                         the head segment is done with
//   release_o                     the word that is read is done with
//   credit_i                      the load queue has room for another word
//   read_o, word_o                read a word of the weight queue; word_o is not meaningful for an empty segment
//   first_o, end_o, lanes_o       with read_o: the MAC's first word, its last one, the entries that belong to it; none
//                                 belongs to it without read_o
//
// Parameters
//   SCAN, WORDS                   as tulle_weight_queue
//
// Latency: none; read_o and what belongs to it depend on the inputs of the same cycle; word_o is a register.

`default_nettype none

module tulle_scan #(
  parameter SCAN  = 2,
  parameter WORDS = 256
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire                                   mac_valid_i,
  input  wire                                   mac_advance_i,
  input  wire                                   mac_rotate_i,
  output wire                                   mac_done_o,

  input  wire                                   head_valid_i,
  input  wire                                   head_empty_i,
  input  wire                                   head_around_i,
  input  wire [$clog2(WORDS)-1:0]               head_end_word_i,
  input  wire [$clog2((SCAN > 1) ? SCAN : 2)-1:0] head_end_lane_i,
  output wire                                   pop_o,
  output wire                                   release_o,

  input  wire                                   credit_i,
  output wire                                   read_o,
  output wire [$clog2(WORDS)-1:0]               word_o,
  output wire                                   first_o,
  output wire                                   end_o,
  output wire [SCAN-1:0]                        lanes_o
);

  localparam ADDR = $clog2(WORDS);
  localparam LANE = $clog2((SCAN > 1) ? SCAN : 2);
  localparam integer LAST = SCAN - 1;
  localparam [LANE-1:0] LAST_LANE = LAST[LANE-1:0];

  // A place is a word and the first entry in it that belongs to the segment.
  reg             inside_q;     // the MAC's first word was read
  reg [ADDR-1:0]  word_q;       // the next to be read
  reg [LANE-1:0]  lane_q;
  reg [ADDR-1:0]  start_word_q; // where the head begins
  reg [LANE-1:0]  start_lane_q;
  reg [ADDR-1:0]  first_word_q; // where the oldest segment begins
  reg [LANE-1:0]  first_lane_q;

  wire            go     = mac_valid_i && head_valid_i && credit_i;
  wire            last   = head_empty_i || word_q == head_end_word_i;
  wire            whole  = head_end_lane_i == LAST_LANE; // the segment ends with its word
  wire            moves  = go && !head_empty_i;
  wire            again  = last && !mac_advance_i;       // the next MAC reads the same segment
  wire            passes = moves && last && mac_advance_i;

  wire [ADDR-1:0] behind      = word_q + {{ADDR-1{1'b0}}, !last || whole};
  wire [LANE-1:0] behind_lane = (last && !whole) ? head_end_lane_i + 1'b1 : {LANE{1'b0}};
  wire [ADDR-1:0] word_d      = head_around_i ? first_word_q : again ? start_word_q : behind;
  wire [LANE-1:0] lane_d      = head_around_i ? first_lane_q : again ? start_lane_q : behind_lane;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q     <= 1'b0;
      word_q       <= {ADDR{1'b0}};
      lane_q       <= {LANE{1'b0}};
      start_word_q <= {ADDR{1'b0}};
      start_lane_q <= {LANE{1'b0}};
      first_word_q <= {ADDR{1'b0}};
      first_lane_q <= {LANE{1'b0}};
    end else begin
      if (go) inside_q <= !last;
      if (moves || head_around_i) begin
        word_q <= word_d;
        lane_q <= lane_d;
      end
      if (passes || head_around_i) begin
        start_word_q <= word_d;
        start_lane_q <= lane_d;
      end
      if (passes && !mac_rotate_i) begin
        first_word_q <= word_d;
        first_lane_q <= lane_d;
      end
    end
  end

  localparam [SCAN-1:0] ALL = {SCAN{1'b1}};
  wire [SCAN-1:0] from_start;
  wire [SCAN-1:0] upto_end;
  generate
    if (SCAN == 1) begin : gen_one_lane
      assign from_start = ALL;
      assign upto_end   = ALL;
      wire unused = &{1'b0, lane_q, head_end_lane_i};
    end else begin : gen_lanes
      assign from_start = ALL << lane_q;
      assign upto_end   = ALL >> ~head_end_lane_i;
    end
  endgenerate
  // A choice, which becomes the reset of the register behind it; an and would be a LUT for each.
  assign lanes_o = !moves ? {SCAN{1'b0}} : from_start & (last ? upto_end : ALL);

  assign read_o     = go;
  assign word_o     = word_q;
  assign first_o    = !inside_q;
  assign end_o      = last;
  assign mac_done_o = go && last;
  assign pop_o      = go && last && mac_advance_i;
  assign release_o  = moves && mac_advance_i && !mac_rotate_i && (!last || whole);

  tulle_assert #(
    .MESSAGE ("the head turns round only when rotating")
  ) u_around_rotates (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(head_around_i && passes && !mac_rotate_i))
  );

endmodule

`default_nettype wire
