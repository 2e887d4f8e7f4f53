// SPDX-License-Identifier: Apache-2.0
//
// tulle_scan: walks the segment at the head of the weight queue once for each issued MAC, a word a cycle, without a
// gap between MACs. It reads a word only when the load queue certainly has room for its pairs. Segments are
// contiguous, so the beginning of a segment follows from the end of the last one.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   mac_valid_i, mac_advance_i    a MAC waits; whether it is the last to read the head segment; whether the segment
//                                 then stays in the queue
//   mac_rotate_i
//   mac_done_o                    the MAC's last word is read in this cycle
//   head_*_i                      the head segment (tulle_weight_queue)
//   head_around_i                 one cycle: from the next cycle on, the head is the oldest segment again
//   pop_o                         the head segment has been read for the last time
//   release_o                     the current word is read for the last time
//   credit_i                      the load queue has room for another word
//   read_o, word_o                reads a word of the weight queue; word_o is meaningless for an empty segment
//   first_o, end_o, lanes_o       with read_o: whether the word is the MAC's first, its last, and which entries
//                                 belong to it; without read_o none does
//
// Parameters
//   SCAN, WORDS                   as tulle_weight_queue
//
// Latency: none; read_o and its companions depend on inputs of the same cycle; word_o is a register.

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
  reg [ADDR-1:0]  word_q;       // the next word to read
  reg [LANE-1:0]  lane_q;
  reg [ADDR-1:0]  start_word_q; // where the head segment begins
  reg [LANE-1:0]  start_lane_q;
  reg [ADDR-1:0]  first_word_q; // where the oldest segment begins
  reg [LANE-1:0]  first_lane_q;

  wire            go             = mac_valid_i && head_valid_i && credit_i;
  wire            last_word      = head_empty_i || word_q == head_end_word_i;
  wire            ends_word      = head_end_lane_i == LAST_LANE; // the segment ends with its word
  wire            reads          = go && !head_empty_i;
  wire            repeats        = last_word && !mac_advance_i;       // the next MAC reads the same segment
  wire            leaves_segment = reads && last_word && mac_advance_i;

  wire [ADDR-1:0] next_word = word_q + {{ADDR-1{1'b0}}, !last_word || ends_word};
  wire [LANE-1:0] next_lane = (last_word && !ends_word) ? head_end_lane_i + 1'b1 : {LANE{1'b0}};
  wire [ADDR-1:0] word_d    = head_around_i ? first_word_q : repeats ? start_word_q : next_word;
  wire [LANE-1:0] lane_d    = head_around_i ? first_lane_q : repeats ? start_lane_q : next_lane;

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
      if (go) inside_q <= !last_word;
      if (reads || head_around_i) begin
        word_q <= word_d;
        lane_q <= lane_d;
      end
      if (leaves_segment || head_around_i) begin
        start_word_q <= word_d;
        start_lane_q <= lane_d;
      end
      if (leaves_segment && !mac_rotate_i) begin
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
  // A choice becomes the reset of the register after it; an and would take a LUT for each bit.
  assign lanes_o = !reads ? {SCAN{1'b0}} : from_start & (last_word ? upto_end : ALL);

  assign read_o     = go;
  assign word_o     = word_q;
  assign first_o    = !inside_q;
  assign end_o      = last_word;
  assign mac_done_o = go && last_word;
  assign pop_o      = go && last_word && mac_advance_i;
  assign release_o  = reads && mac_advance_i && !mac_rotate_i && (!last_word || ends_word);

  tulle_assert #(
    .MESSAGE ("the head turns round only when rotating")
  ) u_around_rotates (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(head_around_i && leaves_segment && !mac_rotate_i))
  );

endmodule

`default_nettype wire
