// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_selector: packets of all kinds, right ones and such that must be refused, for buffers
// that are configured anew now and then, that trigger one another, and in rings; run queue, loaders,
// weight feeder, segment count and parser take their time, and now and then one of them reports an error.
// What a packet must come to is planned here before the module looks at it: the announcements in order,
// who gets the beats, and how it fails; then what the module does is held against the plan, and against
// what each of the others was ready for. Every series of packets begins with a reset. `+series` and
// `+seed` say how many and which.

`default_nettype none

`include "tulle_isa.vh"

module selector_tb #(
  parameter BUFFERS = 5,
  parameter PLACE   = 4,
  parameter ACCUMULATORS = 0
);
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam FACTS  = 22 + 2 * BUFFER + ACCUMULATORS;
  localparam SLOTS  = 8;   // runs that are not complete
  localparam PACKETS = 25; // of a series
  localparam PATIENCE = 400;

  reg         clk = 1'b0;
  reg         rst_n = 1'b0;
  reg         beat_valid = 1'b0, beat_last = 1'b0;
  wire        beat_ready;
  reg  [5:0]  tag;
  wire [5:0]  tag_looked_at;
  reg         command_illegal, command_exec, command_empty, command_shift_out, command_last;
  reg  [4:0]  command_buffer;
  reg  [15:0] command_count;
  wire [BUFFER-1:0] look_buffer, after_buffer;
  wire [4:0]  buffer;
  wire [PLACE-1:0] place;
  wire [15:0] count, hold;
  wire        config_start, segments_start, weight_start, weight_valid, operand_valid;
  reg         config_done = 1'b0, segments_valid = 1'b0, segments_rest = 1'b0;
  reg         weight_ready = 1'b1, weight_beat_ready = 1'b0, operand_ready = 1'b0, operand_done = 1'b0;
  wire        run, load, consuming, shift_out, rotate, writes, after;
  reg         run_ready = 1'b0, load_pending = 1'b0;
  reg         other_error = 1'b0;
  reg  [15:0] other_code;
  reg  [10:0] other_place;
  wire        error, idle;
  wire [15:0] error_code;
  wire [10:0] error_place;

  always #5 clk = !clk;

  // -- Buffers ---------------------------------------------------------------------------------------------

  reg                configured [0:31];
  reg  [FACTS-1:0]   facts [0:31];
  reg  [PLACE-1:0]   places [0:31];

  wire [4:0] look = look_buffer;

  // -- Runs that are not complete: a ring, and of each whether its weights stay ----------------------------

  reg  [15:0] stay = 16'd0;
  reg  [15:0] live = 16'd0;
  integer     oldest, newest;

  tulle_selector #(
    .BUFFERS (BUFFERS),
    .PLACE   (PLACE),
    .ACCUMULATORS (ACCUMULATORS)
  ) u_selector (
    .clk_i               (clk),
    .rst_ni              (rst_n),
    .beat_valid_i        (beat_valid),
    .beat_last_i         (beat_last),
    .beat_ready_o        (beat_ready),
    .tag_i               (tag),
    .tag_o               (tag_looked_at),
    .command_illegal_i   (command_illegal),
    .command_exec_i      (command_exec),
    .command_empty_i     (command_empty),
    .command_buffer_i    (command_buffer),
    .command_shift_out_i (command_shift_out),
    .command_last_i      (command_last),
    .count_i             (command_count),
    .look_buffer_o       (look_buffer),
    .configured_i        (configured[look]),
    .packet_i            (facts[look]),
    .place_i             (places[look]),
    .buffer_o            (buffer),
    .place_o             (place),
    .count_o             (count),
    .config_start_o      (config_start),
    .config_done_i       (config_done),
    .segments_start_o    (segments_start),
    .segments_valid_i    (segments_valid),
    .segments_rest_i     (segments_rest),
    .weight_start_o      (weight_start),
    .weight_ready_i      (weight_ready),
    .weight_valid_o      (weight_valid),
    .weight_beat_ready_i (weight_beat_ready),
    .operand_valid_o     (operand_valid),
    .operand_ready_i     (operand_ready),
    .operand_done_i      (operand_done),
    .run_o               (run),
    .load_o              (load),
    .consuming_o         (consuming),
    .shift_out_o         (shift_out),
    .rotate_o            (rotate),
    .writes_o            (writes),
    .after_o             (after),
    .after_buffer_o      (after_buffer),
    .hold_o              (hold),
    .run_ready_i         (run_ready),
    .rotating_i          ((live & stay) != 16'd0),
    .runs_idle_i         (live == 16'd0),
    .load_pending_i      (load_pending),
    .error_i             (other_error),
    .error_code_i        (other_code),
    .error_place_i       (other_place),
    .error_o             (error),
    .error_code_o        (error_code),
    .error_place_o       (error_place),
    .idle_o              (idle)
  );

  // -- Findings --------------------------------------------------------------------------------------------

`include "bench_draw.vh"

  // Set here, because Verilator 5.006 takes what a process sets once for constant in it.
  integer failures = 0, packet = 0;
  integer series;

  task must(input holds, input [8*70-1:0] what);
    if (holds !== 1'b1) begin
      failures = failures + 1;
      if (failures < 10) $display("selector_tb: series %0d, packet %0d: %0s", series, packet, what);
    end
  endtask

  // -- A packet, and what it must come to ------------------------------------------------------------------

  localparam [1:0] CONFIG = 2'd0; // announcements
  localparam [1:0] RUN    = 2'd1;
  localparam [1:0] LOAD   = 2'd2;

  localparam [1:0] NOBODY   = 2'd0; // who gets the beats
  localparam [1:0] WEIGHTS  = 2'd1;
  localparam [1:0] OPERANDS = 2'd2;

  localparam [1:0] KIND_LOAD    = 2'd1; // of buffers
  localparam [1:0] KIND_WEIGHTS = 2'd2;
  localparam [1:0] KIND_OTHER   = 2'd3;

  integer     beats, beat;    // of the packet at the head; those of it that were taken
  reg         planned;
  reg  [1:0]  announcement;   // the first
  reg  [1:0]  consumer;
  integer     planned_for [0:33]; // buffers: the packet's, and those that are triggered
  integer     announcements, announced, own; // own: those before what is triggered
  reg         fails;
  reg  [15:0] code;
  reg         nothing, consumes, weighs, rests;
  reg  [5:0]  p_tag;
  reg  [15:0] p_count;
  reg         p_shift_out, p_last;
  integer     b, hops;

  reg              missing, f_rotate, trigger, f_after, defers;
  reg [1:0]        kind;
  reg [BUFFER-1:0] trigger_buffer, f_after_buffer;
  reg [15:0]       f_hold;

  task look_at(input integer index);
    {defers, missing, f_rotate, kind, trigger, trigger_buffer, f_after, f_after_buffer, f_hold} = facts[index];
  endtask

  task fail_with(input [15:0] why);
    begin
      fails = 1'b1;
      code  = why;
    end
  endtask

  // What is at the head.
  task plan;
    begin
      planned       = 1'b1;
      announcements = 0;
      announced     = 0;
      own           = 0;
      hops          = 0;
      late          = 0;
      consumer      = NOBODY;
      {fails, nothing, consumes, weighs, rests, takes, all_taken, dividing} = 8'd0;
      {p_tag, p_count, p_shift_out, p_last} = {tag, command_count, command_shift_out, command_last};
      b = command_buffer;
      if (command_illegal)       fail_with(`TULLE_STATUS_BAD_COMMAND);
      else if (b >= BUFFERS)     fail_with(`TULLE_STATUS_NOT_CONFIGURED);
      else if (!command_exec) begin
        takes          = 1'b1;
        announcement   = CONFIG;
        consumer       = OPERANDS;
        planned_for[0] = b;
        announcements  = 1;
        own            = 1;
      end else if (!configured[b]) fail_with(`TULLE_STATUS_NOT_CONFIGURED);
      else plan_sequences;
    end
  endtask

  task plan_sequences;
    begin
      look_at(b);
      nothing  = command_count == 16'd0;
      weighs   = kind == KIND_WEIGHTS && !nothing && !missing;
      consumes = kind == KIND_OTHER && !nothing;
      rests    = weighs && command_count % f_hold != 0;
      if (ACCUMULATORS != 0 && p_last && !defers) begin
        fail_with(`TULLE_STATUS_BAD_COMMAND);
        weighs = 1'b0;
        rests  = 1'b0;
      end else if (missing) fail_with(`TULLE_STATUS_NO_FEATURE);
      else if (command_empty == (kind != 2'd0 && !nothing)) begin
        fail_with(`TULLE_STATUS_PACKET_LENGTH);
        weighs = 1'b0;
        rests  = 1'b0;
      end else if (rests) fail_with(`TULLE_STATUS_PACKET_LENGTH);
      else begin
        takes        = 1'b1;
        announcement = kind == KIND_LOAD ? LOAD : RUN;
        consumer     = nothing || kind == 2'd0 ? NOBODY : weighs ? WEIGHTS : OPERANDS;
        if (!nothing) begin
          planned_for[0] = b;
          announcements  = 1;
          own            = 1;
        end
        while (!fails && trigger) plan_trigger;
      end
    end
  endtask

  // As many can follow one another as there are; with one more it is a ring.
  task plan_trigger;
    begin
      b    = trigger_buffer;
      hops = hops + 1;
      look_at(b);
      if (hops > BUFFERS)      fail_with(`TULLE_STATUS_BAD_LOOP);
      else if (!configured[b]) fail_with(`TULLE_STATUS_NOT_CONFIGURED);
      else if (missing)        fail_with(`TULLE_STATUS_NO_FEATURE);
      else if (kind != 2'd0)   fail_with(`TULLE_STATUS_PACKET_LENGTH);
      else begin
        planned_for[announcements] = b;
        announcements = announcements + 1;
      end
    end
  endtask

  // -- Packets ---------------------------------------------------------------------------------------------

  integer sent;    // packets of the series that were offered
  reg     careful; // few of them fail
  integer n;

  reg [FACTS-1:0] made; // what a buffer does
  reg             empty;

  // A careful one triggers only what can be triggered.
  task make_facts(input integer index);
    begin
      missing        = draw(careful ? 100 : 20) == 0;
      f_rotate       = draw(2);
      kind           = draw(2) == 0 ? 0 : draw(4);
      trigger_buffer = draw(BUFFERS);
      trigger        = draw(3) == 0;
      if (careful && trigger) begin
        n = facts[trigger_buffer] >> (17 + 2 * BUFFER); // missing, rotate, kind, trigger
        trigger = configured[trigger_buffer] && !n[4] && n[2:0] == 3'd0 && trigger_buffer != index;
      end
      f_after        = draw(2);
      f_after_buffer = draw(BUFFERS);
      f_hold         = 1 + draw(4);
      defers = 1'b0;
      if (ACCUMULATORS != 0) defers = draw(2);
      made = {defers, missing, f_rotate, kind, trigger, trigger_buffer, f_after, f_after_buffer, f_hold};
    end
  endtask

  // Most are for buffers that are there, and divide; mostly only what takes data has some.
  task next_packet;
    begin
      packet = packet + 1;
      sent   = sent + 1;
      beats  = 1;
      beat   = 0;
      n      = draw(careful ? 200 : 20) == 0 ? draw(32) : draw(BUFFERS);
      look_at(n);
      beat_valid        <= 1'b1;
      tag               <= draw(64);
      command_illegal   <= draw(careful ? 300 : 30) == 0;
      command_shift_out <= draw(2);
      command_last      <= draw(3) == 0 && (defers || draw(careful ? 100 : 10) == 0);
      command_buffer    <= n;
      if (draw(6) == 0 || (!configured[n] && draw(12) != 0)) begin
        command_exec  <= 1'b0;
        command_count <= draw(65536);
        beats = 1 + draw(5);
      end else begin
        command_exec <= 1'b1;
        n = draw(8) == 0 ? 0 : f_hold * (1 + draw(3));
        command_count <= draw(careful ? 60 : 10) == 0 ? n + 1 : n;
        empty = (n == 0 || kind == 2'd0) != (draw(careful ? 60 : 10) == 0);
        command_empty <= empty;
        if (!empty) beats = 1 + draw(5);
      end
      beat_last <= beats == 1;
    end
  endtask

  // The next beat; what nobody offers is not looked at. Without pauses the next packet is there while the
  // last one is being dealt with.
  task offer;
    begin
      if (beat_valid && beat_ready) beat = beat + 1;
      if (!beat_valid || beat_ready) begin
        beat_valid <= 1'b0;
        beat_last  <= draw(2);
        if (beat < beats) begin
          beat_valid <= draw(4) >= pace;
          beat_last  <= beat + 1 == beats;
        end else begin
          {command_illegal, command_exec, command_empty, command_shift_out, command_last} <= draw(32);
          tag            <= draw(64);
          command_buffer <= draw(32);
          command_count  <= draw(65536);
          if (sent < PACKETS && draw(4) >= pace) next_packet;
        end
      end
    end
  endtask

  // -- What the others do ----------------------------------------------------------------------------------

  integer pace;                         // 0 to 3: how often they are late
  integer divides, parses, eats, feeds; // cycles until they are done; -1: nothing to do
  reg     dividing, consumption;        // segments are counted for this packet; a run takes operands
  reg     run_now, rotates_now;

  // One after another; a run that takes operands not before it has them.
  task complete_runs;
    begin
      if (run_now) begin
        live[newest % 16] <= 1'b1;
        stay[newest % 16] <= rotates_now;
        newest = newest + 1;
      end
      if (newest - oldest > (run_now || consumption ? 1 : 0) && draw(6) == 0) begin
        live[oldest % 16] <= 1'b0;
        oldest = oldest + 1;
      end
      run_ready <= newest - oldest < SLOTS && draw(4) >= pace;
    end
  endtask

  task others;
    begin
      complete_runs;
      config_done  <= parses == 0;
      operand_done <= eats == 0;
      if (parses == 0) begin
        make_facts(buffer);
        configured[buffer] <= 1'b1;
        facts[buffer]      <= made;
        places[buffer]     <= draw(65536);
      end
      if (divides == 0) begin
        segments_valid <= 1'b1;
        segments_rest  <= count % hold != 0;
      end
      if (feeds == 0) weight_ready <= 1'b1;
      if (parses >= 0) parses = parses - 1;
      if (divides >= 0) divides = divides - 1;
      if (eats >= 0) eats = eats - 1;
      if (feeds >= 0) feeds = feeds - 1;
      weight_beat_ready <= draw(4) >= pace;
      operand_ready     <= draw(4) >= pace;
      other_error       <= draw(careful ? 5000 : 300) == 0;
      other_code        <= draw(65536);
      other_place       <= draw(2048);
    end
  endtask

  // -- What the module does --------------------------------------------------------------------------------

  reg         running = 1'b0;
  reg         over;       // no packet is being dealt with
  reg         takes, all_taken;
  reg         may;        // there is something to announce, and everybody is ready for it
  reg         was_weight, was_operand; // a beat was offered and not taken
  reg         was_other;  // somebody's error came in
  reg  [15:0] was_code;
  reg  [10:0] was_place;
  integer     late, rest, quiet, drained;
  wire        taken = beat_valid && beat_ready;
  wire        rests_known = rests && dividing && segments_valid;

  // Everybody that it needs is ready for the next announcement.
  task see_room;
    case (announced >= own ? RUN : announcement)
      CONFIG:  may = live == 16'd0 && !load_pending && weight_ready;
      LOAD:    may = !load_pending;
      default: begin
        may = run_ready;
        if (announced >= own) may = run_ready && all_taken && !consumption;
        else if (weighs)
          may = run_ready && dividing && segments_valid && weight_ready && (live & stay) == 16'd0;
        else if (consumes) may = run_ready && !load_pending;
      end
    endcase
  endtask

  task see_announcement;
    begin
      must(run + load + config_start == 1, "two things are announced at once");
      must(planned && announced < announcements, "more is announced than the packet is for");
      must(may, "somebody was not ready for what is announced");
      must(announced >= own || beat == 0, "beats are taken before the announcement");
      must(announced >= own || announcement == RUN ? run : announcement == LOAD ? load : config_start,
           "something else is announced than the packet is for");
      must(buffer == planned_for[announced], "the wrong buffer");
      must(tag_looked_at == p_tag, "another packet's tag");
      if (!config_start) begin
        look_at(planned_for[announced]);
        must(place == places[planned_for[announced]], "where the sequence begins");
        must(count == (announced >= own ? 1 : p_count), "iterations");
        must(shift_out == p_shift_out, "whether stores happen");
        must(rotate == f_rotate && hold == f_hold, "what happens to weights");
        must(writes == (ACCUMULATORS == 0 || p_last || !defers), "whether sums are written");
        must(after == f_after && after_buffer == f_after_buffer, "what a load waits for");
      end
      must(weight_start == (weighs && announced < own), "when the weight feeder begins");
      if (config_start) configured[buffer] <= 1'b0;
      if (load) load_pending <= 1'b1;
      if (weight_start) weight_ready <= 1'b0;
      run_now     = run;
      rotates_now = rotate;
      if (announced < own) consumption = consumes;
      announced = announced + 1;
      late      = 0;
      rest      = 0;
    end
  endtask

  task see_beat;
    begin
      must(!weight_valid || (planned && consumer == WEIGHTS && announced >= own && !all_taken),
           "the weight feeder is offered what is not for it");
      must(!operand_valid || (planned && consumer == OPERANDS && announced >= own && !all_taken),
           "the activation queue is offered what is not for it");
      must(!was_weight || weight_valid, "a beat for the weight feeder is withdrawn");
      must(!was_operand || operand_valid, "a beat for the activation queue is withdrawn");
      must(taken || !((weight_valid && weight_beat_ready) || (operand_valid && operand_ready)),
           "a beat is given away and stays");
      was_weight  = weight_valid && !weight_beat_ready;
      was_operand = operand_valid && !operand_ready;
      if (taken) begin
        must(planned && takes && !all_taken && announced >= own, "a beat is taken too early");
        must(consumer == WEIGHTS  ? weight_valid && weight_beat_ready :
             consumer == OPERANDS ? operand_valid && operand_ready : 1'b1,
             "a beat that somebody waits for is lost");
        late = 0;
        rest = 0;
        if (beat_last) begin
          all_taken = 1'b1;
          if (consumer == WEIGHTS) feeds = draw(20);
          if (consumer == OPERANDS && announcement == CONFIG) parses = draw(10);
          if (consumer == OPERANDS && announcement != CONFIG) eats = draw(20);
        end
      end
    end
  endtask

  // A packet is over when all of it was taken and announced, and what keeps the next one waiting is done.
  task see_end;
    begin
      if (operand_done) begin
        consumption   = 1'b0;
        load_pending <= 1'b0;
        rest          = 0;
      end
      if (planned && !fails && all_taken && announced == announcements && !consumption &&
          (consumer != OPERANDS || announcement != CONFIG || config_done)) begin
        planned = 1'b0;
        rest    = 0;
      end
      must(!idle || (!planned && !beat_valid), "idle within a packet");
      must(idle || planned || beat_valid || rest < 4, "not idle between packets");
    end
  endtask

  // In the first cycle of an error it is somebody else's of the last cycle, or the packet's own.
  task see_error;
    begin
      if (drained == 0 && !(was_other && error_code == was_code && error_place == was_place)) begin
        must(planned && fails, "an error that nobody made");
        must(announced == announcements, "an error comes too early");
        must(error_code == code, "the error's code");
        must(error_place == {p_tag, 5'd0}, "the error's place");
      end
      if (drained == 0) begin
        was_code  = error_code;
        was_place = error_place;
      end
      must(error_code == was_code && error_place == was_place, "an error is forgotten");
      must(beat_ready, "what comes after an error is not taken");
      must(idle == !beat_valid, "idleness after an error");
      must({run, load, config_start, segments_start, weight_start, weight_valid, operand_valid} == 7'd0,
           "something happens after an error");
      drained = drained + 1;
    end
  endtask

  task see_work;
    begin
      must(!was_other, "an error is not kept");
      must(consuming == consumption, "whether a run takes operands");
      run_now = 1'b0;
      if (planned) see_room;
      else may = 1'b0;
      if (segments_start) begin
        must(planned && weighs && !dividing, "segments are counted for nothing");
        segments_valid <= 1'b0;
        divides         = draw(3) == 0 ? 0 : draw(18);
      end
      // The rest may be found in the cycle of the announcement.
      if ((run || load || config_start) && !rests_known) see_announcement;
      else if (!rests_known) must(!weight_start, "the weight feeder begins without a run");
      if (segments_start) dividing = 1'b1;
      if (planned && takes && may && announced < announcements) late = late + 1;
      if (planned && takes && nothing && !all_taken && !taken) late = late + 1;
      must(late <= 3, "everybody is ready, and the packet waits");
      see_beat;
      see_end;
      // What is at the head may be looked at from here on.
      if (!planned && beat_valid && beat == 0 && !taken) plan;
      was_other = other_error;
      was_code  = other_code;
      was_place = other_place;
    end
  endtask

  always @(posedge clk) if (running) begin
    quiet = quiet + 1;
    rest  = rest + 1;
    if (error) see_error;
    else see_work;
    if (taken || run || load || config_start) quiet = 0;
    must(error || quiet < PATIENCE, "nothing happens any more");
    others;
    offer;
  end

  // -- Series ----------------------------------------------------------------------------------------------

  integer total, i;

  task begin_series;
    begin
      rst_n   = 1'b0;
      careful = draw(2);
      pace    = draw(4) == 0 ? 0 : draw(4);
      for (i = 0; i < 32; i = i + 1) begin
        make_facts(i);
        facts[i]      = made;
        places[i]     = draw(65536);
        configured[i] = i < BUFFERS && draw(8) != 0;
      end
      {beat_valid, config_done, segments_valid, operand_done, run_ready, load_pending, other_error} = 7'd0;
      {live, stay} = 32'd0;
      weight_ready = 1'b1;
      {planned, all_taken, consumption, dividing, was_weight, was_operand, was_other, run_now} = 8'd0;
      {beats, beat, sent, oldest, newest, late, rest, quiet, drained} = 0;
      {divides, parses, eats, feeds} = {4{-32'd1}};
      repeat (2) @(negedge clk);
      rst_n   = 1'b1;
      running = 1'b1;
    end
  endtask

  initial begin
    chance = 32'd1;
    total  = 100;
    if (!$value$plusargs("series=%d", total)) total = 100;
    if (!$value$plusargs("seed=%d", chance)) chance = 32'd1;
    for (i = 0; i < 32; i = i + 1) {configured[i], facts[i]} = 0;
    for (series = 0; series < total && failures == 0; series = series + 1) begin
      begin_series;
      while (failures == 0 && drained < 20 && !(sent == PACKETS && !planned && !beat_valid && rest > 40))
        @(negedge clk);
      running = 1'b0;
    end
    if (failures != 0) begin
      $display("selector_tb: FAIL");
      $fatal(1);
    end
    $display("selector_tb: PASS, %0d packets", packet);
    $finish(0);
  end
endmodule

`default_nettype wire
