// SPDX-License-Identifier: Apache-2.0
//
// tulle_scan: walks the segment at the head of the weight queue once for each MAC that was issued, a word a
// cycle, one MAC behind the other without a gap. A word is read only when the load queue surely has room for what
// comes of it.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset
//   mac_valid_i, mac_advance_i    a MAC waits; the head segment is done with after it; and stays in the queue
//   mac_rotate_i
//   mac_done_o                    its last word is read in this cycle
//   head_*_i                      the head segment (tulle_weight_queue)
//   pop_o                         the head segment is done with
//   release_o                     the word that is read is done with
//   credit_i                      the load queue has room for another word
//   read_o, word_o                read a word of the weight queue; word_o is not meaningful for an empty segment
//   first_o, end_o, lanes_o       with read_o: the MAC's first word, its last one, the entries that belong to it
//
// Parameters
//   SCAN, WORDS                   as tulle_weight_queue
//
// Latency: none; read_o and what belongs to it depend on the inputs of the same cycle.

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
  input  wire [$clog2(WORDS)-1:0]               head_start_word_i,
  input  wire [$clog2((SCAN > 1) ? SCAN : 2)-1:0] head_start_lane_i,
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

  reg            inside_q; // the MAC's first word was read
  reg [ADDR-1:0] word_q;   // then: the next one

  wire [ADDR-1:0] word = inside_q ? word_q : head_start_word_i;
  wire            last = head_empty_i || word == head_end_word_i;
  wire            go   = mac_valid_i && head_valid_i && credit_i;

  always @(posedge clk_i) begin
    if (!rst_ni) inside_q <= 1'b0;
    else if (go) inside_q <= !last;
  end

  always @(posedge clk_i) begin
    if (go) word_q <= word + 1'b1;
  end

  localparam [SCAN-1:0] ALL = {SCAN{1'b1}};
  wire [SCAN-1:0] from_start;
  wire [SCAN-1:0] upto_end;
  generate
    if (SCAN == 1) begin : gen_one_lane
      assign from_start = ALL;
      assign upto_end   = ALL;
      wire unused = &{1'b0, head_start_lane_i, head_end_lane_i};
    end else begin : gen_lanes
      assign from_start = ALL << head_start_lane_i;
      assign upto_end   = ALL >> ~head_end_lane_i;
    end
  endgenerate
  assign lanes_o = (inside_q ? ALL : from_start) & (last ? upto_end : ALL) & {SCAN{!head_empty_i}};

  assign read_o     = go;
  assign word_o     = word;
  assign first_o    = !inside_q;
  assign end_o      = last;
  assign mac_done_o = go && last;
  assign pop_o      = go && last && mac_advance_i;
  assign release_o  = go && mac_advance_i && !mac_rotate_i && !head_empty_i && (!last || upto_end[SCAN-1]);

endmodule

`default_nettype wire
