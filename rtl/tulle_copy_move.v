// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_move: moves a range of bytes from one memory port to another. Bursts are read ahead into a queue in
// block RAM. A burst is written after all its bytes were read without an error. If a read is refused, all bursts
// before it are written and nothing of the refused data is, and no write address is issued without its data.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   start_i                   one cycle: a move begins; only when no move is under way
//   from_i, to_i, bytes_i     the ranges; they must not reach beyond the last address; bytes_i is at least 1
//   give_up_i                 one cycle: end the move, even if it is incomplete
//   done_o                    one cycle: the move is over, and the following results are valid
//   moved_o                   number of bytes, from the first on, that are certainly written; valid until start_i
//   from_error_o, to_error_o  RRESP or BRESP of the first refused read or write; 0: none was refused. At most one of
//                             them is non-zero.
//   fault_o                   address of the refused access, or of the access that was not answered in time
//   to_waits_o                level: written bursts are not all answered
//   flush_from_o, flush_to_o  one cycle: the port must discard its bursts
//   request_*, data_*         client of a read port (the source)
//   burst_*, out_*, response_*
//                             client of a write port (the destination)
//
// Parameters
//   MEM                       bits of a beat
//   BURST                     maximum bytes of a burst (tulle_copy_bursts)
//   DEPTH                     beats of the queue, a power of two, at least two bursts: an incomplete burst to be
//                             written, and the burst that completes it
//   OUTSTANDING               maximum number of outstanding bursts of each port
//   COUNT                     bits of bytes_i
//
// Latency: the first address is issued three cycles after start_i; then a beat moves every cycle. A burst is written
// when all its data have arrived.

`default_nettype none

module tulle_copy_move #(
  parameter MEM         = 512,
  parameter BURST       = 1024,
  parameter DEPTH       = 512,
  parameter OUTSTANDING = 32,
  parameter COUNT       = 25
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             start_i,
  input  wire [63:0]      from_i,
  input  wire [63:0]      to_i,
  input  wire [COUNT-1:0] bytes_i,
  input  wire             give_up_i,
  output wire             done_o,
  output wire [COUNT-1:0] moved_o,
  output wire [1:0]       from_error_o,
  output wire [1:0]       to_error_o,
  output wire [63:0]      fault_o,
  output wire             to_waits_o,
  output wire             flush_from_o,
  output wire             flush_to_o,

  output wire             request_valid_o,
  input  wire             request_ready_i,
  output wire [63:0]      request_address_o,
  output wire [7:0]       request_beats_o,
  input  wire             data_valid_i,
  input  wire [MEM-1:0]   data_i,
  input  wire             data_last_i,
  input  wire [1:0]       data_error_i,

  output wire             burst_valid_o,
  input  wire             burst_ready_i,
  output wire [63:0]      burst_address_o,
  output wire [7:0]       burst_beats_o,
  output wire             out_valid_o,
  input  wire             out_ready_i,
  output wire [MEM-1:0]   out_data_o,
  output wire [MEM/8-1:0] out_strobe_o,
  input  wire             response_valid_i,
  input  wire [1:0]       response_error_i
);

  localparam SIZE  = $clog2(MEM / 8);
  localparam PIECE = $clog2(BURST);
  localparam PLACE = $clog2(DEPTH);

  localparam [COUNT-1:0] NONE = 0;

  tulle_require #(
    .LEGAL   (DEPTH >= 2 && DEPTH == 1 << PLACE && PLACE <= 14 && DEPTH >= 2 * (BURST / (MEM / 8))),
    .MESSAGE ("tulle_copy_move: DEPTH must be a power of two, at most 16384, and take two bursts")
  ) u_require_depth_power_of_two_that_takes_two_bursts ();

  reg              active_q;
  reg  [COUNT-1:0] bytes_q;
  reg  [63:0]      from_q;
  reg  [63:0]      to_q;
  reg  [COUNT-1:0] read_q;  // bytes of bursts that were read without an error
  reg  [COUNT-1:0] moved_q; // bytes of bursts that were written without an error
  reg  [1:0]       from_error_q;
  reg  [1:0]       to_error_q;
  reg              flushed_q; // the source port has discarded its bursts

  // The first error ends the move. If a read and a write are refused, the write comes first in the range.
  wire failed      = from_error_q != 2'd0 || to_error_q != 2'd0;
  wire in_progress = active_q && !start_i;
  wire arrives     = data_valid_i && in_progress && !failed;
  wire refused     = arrives && data_error_i != 2'd0;
  wire answered    = response_valid_i && in_progress;
  wire rejected    = answered && response_error_i != 2'd0 && to_error_q == 2'd0;

  wire all_answered;     // all offered and written bursts are answered
  wire all_moved = moved_q == bytes_q;
  wire done      = in_progress && (all_moved || (failed && all_answered) || give_up_i);

  always @(posedge clk_i) begin
    if (!rst_ni)      active_q <= 1'b0;
    else if (start_i) active_q <= 1'b1;
    else if (done)    active_q <= 1'b0;
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      bytes_q      <= bytes_i;
      from_q       <= from_i;
      to_q         <= to_i;
      {from_error_q, to_error_q} <= 4'd0;
    end else if (rejected) begin
      from_error_q <= 2'd0;
      to_error_q   <= response_error_i;
    end else if (refused) begin
      from_error_q <= data_error_i;
    end
  end

  always @(posedge clk_i) flushed_q <= !start_i && (flushed_q || flush_from_o);

  // -- Reads -------------------------------------------------------------------------------------------------------

  wire             read_valid;
  wire             read_taken = request_valid_o && request_ready_i;
  wire [PIECE:0]   read_bytes;
  wire             note_ready;
  wire             note_valid;
  wire [PIECE:0]   note_bytes; // bytes of the burst whose beats arrive
  wire             beat_taken; // a beat left the queue
  reg  [PLACE:0]   held_q;     // places of the queue that are occupied or reserved
  reg  [7:0]       beat_q;     // beats of the current burst that have arrived
  wire [15:0]      would_hold = {{15-PLACE{1'b0}}, held_q} + {8'd0, request_beats_o} + 16'd1;
  wire             room       = would_hold <= DEPTH[15:0];

  tulle_copy_bursts #(
    .MEM   (MEM),
    .BURST (BURST),
    .COUNT (COUNT)
  ) u_reads (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni && !flush_from_o),
    .start_i   (start_i),
    .address_i (from_i),
    .bytes_i   (bytes_i),
    .valid_o   (read_valid),
    .ready_i   (read_taken),
    .address_o (request_address_o),
    .beats_o   (request_beats_o),
    .bytes_o   (read_bytes)
  );

  tulle_fifo #(
    .WIDTH (PIECE + 1),
    .DEPTH (OUTSTANDING)
  ) u_read_notes (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !start_i),
    .valid_i (read_taken),
    .ready_o (note_ready),
    .data_i  (read_bytes),
    .valid_o (note_valid),
    .ready_i (arrives && data_last_i),
    .data_o  (note_bytes)
  );

  always @(posedge clk_i) begin
    if (start_i) begin
      held_q <= {PLACE+1{1'b0}};
      read_q <= NONE;
      beat_q <= 8'd0;
    end else begin
      held_q <= (read_taken ? would_hold[PLACE:0] : held_q) - {{PLACE{1'b0}}, beat_taken};
      if (arrives && !refused) beat_q <= data_last_i ? 8'd0 : beat_q + 8'd1;
      if (arrives && data_last_i && !refused) read_q <= read_q + {{COUNT-PIECE-1{1'b0}}, note_bytes};
    end
  end

  assign request_valid_o = read_valid && room && note_ready;

  // -- Realignment ---------------------------------------------------------------------------------------------------

  wire           queued;
  wire           queue_ready;
  wire [MEM-1:0] queue_data;
  wire           align_ready;
  wire           aligned;
  wire           beat_kept = arrives && !refused;
  wire [2:0]     unused_flags;

  assign beat_taken = queued && align_ready;

  tulle_activation_queue #(
    .WIDTH  (MEM),
    .PIECES (1),
    .DEPTH  (DEPTH)
  ) u_queue (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !start_i),
    .valid_i (beat_kept),
    .ready_o (queue_ready),
    .data_i  (data_i),
    .last_i  (1'b0),
    .valid_o (queued),
    .ready_i (align_ready),
    .data_o  (queue_data),
    .last_o  (unused_flags[0]),
    .end_o   (unused_flags[1]),
    .open_o  (unused_flags[2]),
    .drop_i  (1'b0)
  );

  tulle_copy_align #(
    .MEM   (MEM),
    .COUNT (COUNT)
  ) u_align (
    .clk_i    (clk_i),
    .start_i  (start_i),
    .from_i   (from_i[SIZE-1:0]),
    .to_i     (to_i[SIZE-1:0]),
    .bytes_i  (bytes_i),
    .valid_i  (queued),
    .ready_o  (align_ready),
    .data_i   (queue_data),
    .valid_o  (aligned),
    .ready_i  (out_ready_i),
    .data_o   (out_data_o),
    .strobe_o (out_strobe_o)
  );

  // -- Writes ------------------------------------------------------------------------------------------------------

  wire             write_valid;
  wire             write_taken = burst_valid_o && burst_ready_i;
  wire [PIECE:0]   write_bytes;
  wire             due_ready;
  wire             due_valid;  // a written burst is not answered
  wire [PIECE:0]   due_bytes;  // bytes of the oldest unanswered burst
  reg  [COUNT-1:0] written_q;  // bytes of bursts that the destination port has taken
  reg              offered_q;  // an offered burst must stay
  wire [COUNT-1:0] would_write = written_q + {{COUNT-PIECE-1{1'b0}}, write_bytes};

  tulle_copy_bursts #(
    .MEM   (MEM),
    .BURST (BURST),
    .COUNT (COUNT)
  ) u_writes (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni && !flush_to_o),
    .start_i   (start_i),
    .address_i (to_i),
    .bytes_i   (bytes_i),
    .valid_o   (write_valid),
    .ready_i   (write_taken),
    .address_o (burst_address_o),
    .beats_o   (burst_beats_o),
    .bytes_o   (write_bytes)
  );

  tulle_fifo #(
    .WIDTH (PIECE + 1),
    .DEPTH (OUTSTANDING)
  ) u_due (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !start_i),
    .valid_i (write_taken),
    .ready_o (due_ready),
    .data_i  (write_bytes),
    .valid_o (due_valid),
    .ready_i (answered),
    .data_o  (due_bytes)
  );

  always @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      written_q <= NONE;
      moved_q   <= NONE;
      offered_q <= 1'b0;
    end else begin
      if (write_taken) written_q <= would_write;
      if (answered && !rejected && to_error_q == 2'd0) moved_q <= moved_q + {{COUNT-PIECE-1{1'b0}}, due_bytes};
      offered_q <= burst_valid_o && !burst_ready_i;
    end
  end

  // A burst needs all its bytes and a place for its response. No burst begins after a refused write.
  assign out_valid_o   = aligned && active_q;
  assign burst_valid_o = write_valid && due_ready && would_write <= read_q && (to_error_q == 2'd0 || offered_q);
  assign all_answered  = !due_valid && !burst_valid_o;
  assign to_waits_o    = !all_answered;

  // -- Results -----------------------------------------------------------------------------------------------------

  // All bursts except the first begin at whole beats, so only the range's first beat may begin inside a beat.
  wire [63:0] read_place  = from_q + {{64-COUNT{1'b0}}, read_q};
  wire [63:0] write_place = to_q + {{64-COUNT{1'b0}}, moved_q};
  wire [63:0] beat_place  = {read_place[63:SIZE] + {{56-SIZE{1'b0}}, beat_q}, {SIZE{1'b0}}};

  wire        late_write  = to_error_q != 2'd0 || (from_error_q == 2'd0 && to_waits_o);

  assign done_o       = done;
  assign moved_o      = moved_q;
  assign from_error_o = from_error_q;
  assign to_error_o   = to_error_q;
  assign fault_o      = late_write ? write_place : (beat_q == 8'd0) ? read_place : beat_place;
  assign flush_from_o = in_progress && !flushed_q && (failed || (done && !all_moved));
  assign flush_to_o   = in_progress && done && !all_moved;

  // -- Rules ---------------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE("beats that come have a place")
  ) u_room (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !start_i),
    .holds_i (!beat_kept || queue_ready)
  );

  tulle_assert #(
    .MESSAGE("beats and answers belong to bursts")
  ) u_owned (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni && !start_i),
    .holds_i ((!arrives || note_valid) && (!answered || due_valid))
  );

  tulle_assert #(
    .MESSAGE("a copy begins when none is under way")
  ) u_start_when_idle (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || !active_q)
  );

endmodule

`default_nettype wire
