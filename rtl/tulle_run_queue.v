// SPDX-License-Identifier: Apache-2.0
//
// tulle_run_queue: keeps the work of a cluster in the order of its packets: runs of sequences that compute, and loads
// of activations beside them, one at a time.
//
// A run is announced, started, ended (all its instructions are issued) and complete (its last MAC is closed in all
// PEs). A run starts when the load that was pending at its announcement is complete. A load begins when the runs that
// it must not overtake are complete.
//
// Ports
//   clk_i, rst_ni                   clock, synchronous reset
//   ready_o                         there is room for a run
//   announce_i, announce_*_i        one cycle: a run is announced: instruction buffer, entry point, iterations,
//                                   iterations that a segment serves, whether stores happen, whether the weights stay
//                                   in their queue, whether MACs write their sums (kept with ACCUMULATORS, else they
//                                   do), and the packet's tag
//   oldest_tag_o                    tag of the oldest run that is not complete
//   load_i, load_after_i, load_after_buffer_i
//                                   one cycle: a load is announced, only when none is pending; whether it waits for
//                                   the incomplete runs of a buffer, and for which buffer
//   load_done_i                     one cycle: the load is complete
//   load_pending_o, load_go_o       a load is pending; it may begin
//   run_valid_o, run_*_o            the oldest run that was not handed out; it may start
//   feeding_i                       weights are arriving; a run whose weights stay waits for the last of them
//   run_next_i                      one cycle: the run is completely handed out
//   run_end_i, number_i             one cycle: the oldest run that had not ended has ended; the number of its last
//                                   MAC, plus 1
//   closed_i                        MACs closed in all PEs, modulo 2^NUMBER
//   rotating_o                      a run whose weights stay is not complete
//   open_o                          number of runs that are not complete
//   ended_o                         every run has ended
//   idle_o                          every run is complete
//
// Parameters
//   SLOTS                           maximum number of incomplete runs, a power of two
//   BUFFER                          bits of an instruction buffer's number
//   PLACE                           bits of an entry point
//   NUMBER                          bits of a MAC's number
//   ACCUMULATORS                    1: a run says whether MACs write their sums
//
// Latency: a run appears at run_valid_o in the cycle after its announcement.

`default_nettype none

`include "tulle_isa.vh"

module tulle_run_queue #(
  parameter SLOTS  = 8,
  parameter BUFFER = 3,
  parameter PLACE  = 4,
  parameter NUMBER = 8,
  parameter ACCUMULATORS = 0
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  output wire              ready_o,
  input  wire              announce_i,
  input  wire [BUFFER-1:0] announce_buffer_i,
  input  wire [PLACE-1:0]  announce_place_i,
  input  wire [15:0]       announce_count_i,
  input  wire [15:0]       announce_hold_i,
  input  wire              announce_shift_out_i,
  input  wire              announce_rotate_i,
  input  wire              announce_writes_i,
  input  wire [`TULLE_PACKET_TAG_WIDTH-1:0] announce_tag_i,
  output wire [`TULLE_PACKET_TAG_WIDTH-1:0] oldest_tag_o,

  input  wire              load_i,
  input  wire              load_after_i,
  input  wire [BUFFER-1:0] load_after_buffer_i,
  input  wire              load_done_i,
  output wire              load_pending_o,
  output wire              load_go_o,

  output wire              run_valid_o,
  output wire [BUFFER-1:0] run_buffer_o,
  output wire [PLACE-1:0]  run_place_o,
  output wire [15:0]       run_count_o,
  output wire [15:0]       run_hold_o,
  output wire              run_shift_out_o,
  output wire              run_rotate_o,
  output wire              run_writes_o,
  input  wire              feeding_i,
  input  wire              run_next_i,

  input  wire              run_end_i,
  input  wire [NUMBER-1:0] number_i,
  input  wire [NUMBER-1:0] closed_i,

  output wire              rotating_o,
  output wire [$clog2(SLOTS):0] open_o,
  output wire              ended_o,
  output wire              idle_o
);

  localparam SLOT = $clog2(SLOTS);
  localparam integer LIMIT = SLOTS;
  localparam [SLOT:0] FULL = LIMIT[SLOT:0];

  tulle_require #(
    .LEGAL   (SLOTS >= 2 && (SLOTS & (SLOTS - 1)) == 0),
    .MESSAGE ("tulle_run_queue: SLOTS must be a power of two, at least 2")
  ) u_require_slots_power_of_two ();

  // -- Slots: a ring with a pointer for each stage of a run; one bit more than a slot's number -----------------

  reg  [SLOT:0] tail_q;     // the next run to be announced
  reg  [SLOT:0] start_q;    // the next run to be handed out
  reg  [SLOT:0] end_q;      // the next run to end
  reg  [SLOT:0] complete_q; // the next run to be complete
  reg           ready_q;

  wire [NUMBER-1:0] last_number;   // number of the last MAC of the oldest ended run
  wire [NUMBER-1:0] lead     = closed_i - last_number;
  wire              complete = complete_q != end_q && !lead[NUMBER-1];
  wire [SLOT:0]     tail_d     = tail_q + {{SLOT{1'b0}}, announce_i};
  wire [SLOT:0]     complete_d = complete_q + {{SLOT{1'b0}}, complete};
  wire [SLOT:0]     used       = tail_d - complete_d;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      tail_q     <= {SLOT+1{1'b0}};
      start_q    <= {SLOT+1{1'b0}};
      end_q      <= {SLOT+1{1'b0}};
      complete_q <= {SLOT+1{1'b0}};
      ready_q    <= 1'b0;
    end else begin
      tail_q     <= tail_d;
      start_q    <= start_q + {{SLOT{1'b0}}, run_next_i};
      end_q      <= end_q + {{SLOT{1'b0}}, run_end_i};
      complete_q <= complete_d;
      ready_q    <= used != FULL;
    end
  end

  initial start_q = {SLOT+1{1'b0}}; // tulle_lutram says why

  localparam RECORD = BUFFER + PLACE + 34; // bits of a run, without the one of ACCUMULATORS

  wire [RECORD:0]                announced = {announce_writes_i, announce_buffer_i, announce_place_i, announce_count_i,
                                              announce_hold_i, announce_shift_out_i, announce_rotate_i};
  wire [RECORD+ACCUMULATORS-1:0] run;

  tulle_lutram #(
    .WIDTH (RECORD + ACCUMULATORS),
    .DEPTH (SLOTS)
  ) u_slots (
    .clk_i   (clk_i),
    .we_i    (announce_i),
    .waddr_i (tail_q[SLOT-1:0]),
    .wdata_i (announced[RECORD+ACCUMULATORS-1:0]),
    .raddr_i (start_q[SLOT-1:0]),
    .rdata_o (run)
  );

  assign {run_buffer_o, run_place_o, run_count_o, run_hold_o, run_shift_out_o, run_rotate_o} = run[RECORD-1:0];
  assign run_writes_o = ACCUMULATORS == 0 || run[RECORD+ACCUMULATORS-1];

  initial complete_q = {SLOT+1{1'b0}}; // tulle_lutram says why

  tulle_lutram #(
    .WIDTH (NUMBER),
    .DEPTH (SLOTS)
  ) u_numbers (
    .clk_i   (clk_i),
    .we_i    (run_end_i),
    .waddr_i (end_q[SLOT-1:0]),
    .wdata_i (number_i),
    .raddr_i (complete_q[SLOT-1:0]),
    .rdata_o (last_number)
  );

  // -- Dependencies of loads and runs -----------------------------------------------------------------------

  wire [SLOTS-1:0] awaited;  // runs that the load waits for
  wire [SLOTS-1:0] rotating;

  genvar s;
  generate
    for (s = 0; s < SLOTS; s = s + 1) begin : gen_slot
      reg              live_q;
      reg              awaited_q; // the load waits for this run, if it waits for any
      reg              rotate_q;
      reg [BUFFER-1:0] buffer_q;

      wire begins    = announce_i && tail_q[SLOT-1:0] == s[SLOT-1:0];
      wire ends      = complete && complete_q[SLOT-1:0] == s[SLOT-1:0];
      wire slot_over = !rst_ni || ends;

      // A slot never begins and ends in the same cycle, and no run is announced in the cycle of a load.
      always @(posedge clk_i) begin
        if (slot_over)        live_q <= 1'b0;
        else if (begins) live_q      <= 1'b1;

        if (begins)      awaited_q <= 1'b0;
        else if (load_i) awaited_q <= buffer_q == load_after_buffer_i;
      end

      always @(posedge clk_i) begin
        if (begins) begin
          buffer_q <= announce_buffer_i;
          rotate_q <= announce_rotate_i;
        end
      end

      assign awaited[s]  = live_q && awaited_q;
      assign rotating[s] = live_q && rotate_q;
    end
  endgenerate

  // Runs announced before the load precede it; the first run after it is the fence.
  reg          load_q;
  reg          waits_q;
  reg          go_q;
  reg [SLOT:0] fence_q;

  always @(posedge clk_i) begin
    if (!rst_ni) {load_q, go_q} <= 2'd0;
    else begin
      load_q <= load_i || (load_q && !load_done_i);
      go_q   <= load_q && !load_done_i && !(waits_q && awaited != {SLOTS{1'b0}});
    end
  end

  always @(posedge clk_i) begin
    if (load_i) {waits_q, fence_q} <= {load_after_i, tail_q};
  end

  assign ready_o        = ready_q;
  assign load_pending_o = load_q;
  assign load_go_o      = go_q;
  assign run_valid_o    = start_q != tail_q && !(load_q && start_q == fence_q) && !(run_rotate_o && feeding_i);
  tulle_lutram #(
    .WIDTH (`TULLE_PACKET_TAG_WIDTH),
    .DEPTH (SLOTS)
  ) u_tags (
    .clk_i   (clk_i),
    .we_i    (announce_i),
    .waddr_i (tail_q[SLOT-1:0]),
    .wdata_i (announce_tag_i),
    .raddr_i (complete_q[SLOT-1:0]),
    .rdata_o (oldest_tag_o)
  );

  assign rotating_o     = rotating != {SLOTS{1'b0}};
  assign open_o         = tail_q - complete_q;
  assign ended_o        = end_q == tail_q;
  assign idle_o         = complete_q == tail_q;

  wire unused = &{1'b0, lead, announced};

  tulle_assert #(
    .MESSAGE ("a run is announced only when there is room, a load only when there is none")
  ) u_announce_when_ready (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i ((!announce_i || ready_q) && (!load_i || !load_q) && !(announce_i && load_i))
  );

  tulle_assert #(
    .MESSAGE ("runs are handed out, end and are complete in order")
  ) u_in_order (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i ((!run_next_i || start_q != tail_q) && (!run_end_i || end_q != tail_q))
  );

endmodule

`default_nettype wire
