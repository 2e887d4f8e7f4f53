// SPDX-License-Identifier: Apache-2.0
//
// tulle_bank_writer: sends the bursts of the store engine to the write port or to the activation bank, each as it says, their beats
// where their burst went, and the responses of both to the store engine, in the order of the bursts.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset, together with the store engine's
//   burst_valid_i, burst_ready_o, burst_local_i, burst_word_i, burst_beats_i
//                                 a burst of the store engine: whether it is for the bank, its first word there, and its beats
//                                 minus 1. It does not cross a multiple of 1024 bytes
//   port_burst_valid_o, port_burst_ready_i
//                                 the burst, if it is for the write port, which has its address from the store engine
//   data_valid_i, data_ready_o    a beat of the oldest burst whose beats are not all taken
//   port_data_valid_o, port_data_ready_i
//                                 the beat, for the write port
//   bank_valid_o, bank_ready_i, bank_word_o
//                                 the beat, for this word of the bank
//   port_response_valid_i, port_response_error_i
//                                 the write port's responses (tulle_write_port)
//   response_valid_o, response_error_o
//                                 responses to the store engine: one for each burst, in order; 0, or BRESP
//
// Parameters
//   MEM                           bits of a beat
//   WORD                          bits of a word's number in the bank
//   BURSTS                        maximum number of bursts without a response
//
// Latency: none for the write port's signals. The response of a burst for the bank comes in the cycle after its last beat was taken, if
// earlier bursts have had theirs.

`default_nettype none

module tulle_bank_writer #(
  parameter MEM    = 512,
  parameter WORD   = 11,
  parameter BURSTS = 32
) (
  input  wire            clk_i,
  input  wire            rst_ni,

  input  wire            burst_valid_i,
  output wire            burst_ready_o,
  input  wire            burst_local_i,
  input  wire [WORD-1:0] burst_word_i,
  input  wire [7:0]      burst_beats_i,
  output wire            port_burst_valid_o,
  input  wire            port_burst_ready_i,

  input  wire            data_valid_i,
  output wire            data_ready_o,
  output wire            port_data_valid_o,
  input  wire            port_data_ready_i,
  output wire            bank_valid_o,
  input  wire            bank_ready_i,
  output wire [WORD-1:0] bank_word_o,

  input  wire            port_response_valid_i,
  input  wire [1:0]      port_response_error_i,
  output wire            response_valid_o,
  output wire [1:0]      response_error_o
);

  localparam BEAT  = $clog2(1024 / (MEM / 8)); // bits of the place of a beat in its 1024 bytes
  localparam COUNT = $clog2(BURSTS + 1);

  tulle_require #(
    .LEGAL   (MEM >= 32 && MEM <= 4096 && BEAT <= WORD && BURSTS >= 1),
    .MESSAGE ("tulle_bank_writer: MEM must be 32..4096, the bank at least 1024 bytes, BURSTS at least 1")
  ) u_require_mem_32_to_4096_bank_at_least_1024_bytes ();

  // -- Bursts ----------------------------------------------------------------------------------------------------

  wire            supply_ready; // room for a burst whose beats are to come
  wire            order_ready;  // room for a burst whose response is to come
  wire            room  = supply_ready && order_ready;
  wire            burst = burst_valid_i && burst_ready_o;

  assign port_burst_valid_o = burst_valid_i && room && !burst_local_i;
  assign burst_ready_o      = room && (burst_local_i || port_burst_ready_i);

  // -- Beats -----------------------------------------------------------------------------------------------------

  wire            supply_valid;
  wire            to_bank;
  wire [WORD-1:0] word;
  wire [BEAT-1:0] beats;
  reg  [BEAT-1:0] sent_q;
  wire            moves = data_valid_i && data_ready_o;
  wire            ends  = moves && sent_q == beats;
  wire [BEAT-1:0] place = word[BEAT-1:0] + sent_q;

  tulle_fifo #(
    .WIDTH (1 + WORD + BEAT),
    .DEPTH (BURSTS)
  ) u_supply (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (burst),
    .ready_o (supply_ready),
    .data_i  ({burst_local_i, burst_word_i, burst_beats_i[BEAT-1:0]}),
    .valid_o (supply_valid),
    .ready_i (ends),
    .data_o  ({to_bank, word, beats})
  );

  always @(posedge clk_i) begin
    if (!rst_ni)    sent_q <= {BEAT{1'b0}};
    else if (moves) sent_q <= ends ? {BEAT{1'b0}} : sent_q + 1'b1;
  end

  assign port_data_valid_o = data_valid_i && supply_valid && !to_bank;
  assign bank_valid_o      = data_valid_i && supply_valid && to_bank;
  assign data_ready_o      = supply_valid && (to_bank ? bank_ready_i : port_data_ready_i);

  generate
    if (WORD > BEAT) begin : gen_blocks
      assign bank_word_o = {word[WORD-1:BEAT], place};
    end else begin : gen_one_block
      assign bank_word_o = place;
    end
  endgenerate

  // -- Responses -------------------------------------------------------------------------------------------------
  // Those of the write port that come while bursts for the bank have theirs to give wait in a queue.

  wire             order_valid;
  wire             order_local;
  wire             kept_valid;
  wire             kept_ready;
  wire [1:0]       kept_error;
  reg  [COUNT-1:0] written_q;  // bursts in the bank that have not been told
  wire             written = written_q != {COUNT{1'b0}};
  wire             tells   = order_valid && order_local && written;
  wire             passes  = order_valid && !order_local && !kept_valid;
  wire             in_bank = ends && to_bank;

  tulle_fifo #(
    .WIDTH (1),
    .DEPTH (BURSTS)
  ) u_order (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (burst),
    .ready_o (order_ready),
    .data_i  (burst_local_i),
    .valid_o (order_valid),
    .ready_i (response_valid_o),
    .data_o  (order_local)
  );

  tulle_fifo #(
    .WIDTH (2),
    .DEPTH (BURSTS)
  ) u_kept (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (port_response_valid_i && !passes),
    .ready_o (kept_ready),
    .data_i  (port_response_error_i),
    .valid_o (kept_valid),
    .ready_i (order_valid && !order_local),
    .data_o  (kept_error)
  );

  always @(posedge clk_i) begin
    if (!rst_ni) written_q <= {COUNT{1'b0}};
    else         written_q <= written_q + {{COUNT-1{tells && !in_bank}}, tells != in_bank};
  end

  assign response_valid_o = tells || (order_valid && !order_local && (kept_valid || port_response_valid_i));
  assign response_error_o = tells ? 2'd0 : kept_valid ? kept_error : port_response_error_i;

  // -- Rules -----------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("a response of the write port belongs to a burst, and there is room for it")
  ) u_response_has_a_place (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!port_response_valid_i || (order_valid && kept_ready))
  );

  tulle_assert #(
    .MESSAGE ("a burst for the bank stays within 1024 bytes")
  ) u_burst_within_block (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(burst_valid_i && burst_local_i) || {8'd0, burst_beats_i} + {{16-BEAT{1'b0}}, burst_word_i[BEAT-1:0]} < 16'd1 << BEAT)
  );

  wire unused = &{1'b0, burst_beats_i};

endmodule

`default_nettype wire
