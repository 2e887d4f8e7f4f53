// SPDX-License-Identifier: Apache-2.0
//
// Bench of the emitted tulle_pe: three of them in a ring, random segments, MACs and stalls against sums computed here.
// A first packet brings segments that stay and are read in several rounds (rq); then they and those of a second packet are read
// once each (sq). Every MAC that keeps its sum resumes from its entry, but for the first one of each, so that the entries at
// the end tell of all of them; a MAC that does not keep it leaves the entry as it is. With +buffers=N (in variants with
// accumulation buffers) MACs take one of N buffers each; some resume, and some, or with +every=N every Nth, write their sums.
//
// Plus arguments: +seed=N, +macs=N (of a segment, at most 16), +length=N (mean of a segment), +dense=N (per cent of activations that
// are not 0), +heavy=N (how many times longer PE 0's segments are), +stall=N (per cent of cycles without a word), +entries=N
// (of the output queue that the MACs take in turn), +keep=N (per cent of MACs that keep their sum), +resident=N (segments of the
// first packet, at most 4; at random unless given), +busy=N (per mille of the cycles that the PEs must multiply in, at least).

`default_nettype none
`timescale 1ns / 1ps

`include "tulle_params.vh"

module pe_tb;

  localparam PES      = 3;
  localparam D        = `TULLE_DATA_WIDTH;
  localparam A        = `TULLE_ACC_WIDTH;
  localparam ENTRY    = `TULLE_ENTRY_BITS;
  localparam SCAN     = `TULLE_SCAN;
  localparam DEPTH    = `TULLE_INPUT_BUFFER_DEPTH;
  localparam IA       = $clog2(DEPTH);
  localparam OUT      = `TULLE_OUTPUT_QUEUE_DEPTH;
  localparam OA       = $clog2(OUT);
  localparam LINE     = `TULLE_LOAD_WIDTH * 8 / D;
  localparam LINES    = DEPTH / LINE;
  localparam LA       = (LINES > 1) ? $clog2(LINES) : 1;
  localparam MOVE     = 2 * D + 2;
  localparam BITS     = 2 * D + $clog2(`TULLE_WEIGHT_QUEUE_DEPTH);
  localparam RETURN   = 1 + ((BITS < A) ? BITS : A);
  localparam SEGMENTS = 40;    // of the second packet
  localparam RESIDENT = (`TULLE_SEGMENT_QUEUE_DEPTH / 4 < 4) ? `TULLE_SEGMENT_QUEUE_DEPTH / 4 : 4; // of the first, at most
`ifdef PE_ACCUMULATORS
  localparam HOLDS    = 1'b1;  // a sum that is not kept stays in its accumulation buffer
`else
  localparam HOLDS    = 1'b0;
`endif
  localparam ROUNDS   = 3;     // of rotation, at most
  localparam MACS     = 16 * (SEGMENTS + RESIDENT * (ROUNDS + 1));
  localparam STREAM   = 16384; // entries of a PE in a packet, at most
  localparam ESCAPE   = ((1 << (`TULLE_INDEX_WIDTH - 1)) - 1) << D;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = ~clk;

  // -- The PEs in their ring -----------------------------------------------------------------------------------

  reg            issue_start = 1'b0;
  reg [IA-1:0]   issue_address;
  reg [IA:0]     issue_wrap;
  reg [OA-1:0]   issue_result;
  reg [1:0]      issue_acc;
  reg            issue_resume;
  reg            issue_keep;
  reg [1:0]      issue_age;
  reg            issue_advance;
  reg            issue_rotate;
  wire [PES-1:0] issue_ready;
  reg            weight_begin = 1'b0;
  reg [15:0]     weight_segments;
  reg  [PES-1:0] weight_take = {PES{1'b0}}; // at its own pace each: what paces streams is not under test here
  reg            weight_end = 1'b0;
  wire [PES-1:0] weight_ready;
  wire [PES-1:0] weight_idle;
  reg [PES*SCAN*ENTRY-1:0] weight_word;
  reg            line_write = 1'b0;
  reg [LA-1:0]   line;
  reg [LINE*D-1:0] line_data;
  reg [LINE-1:0] line_mask;
  reg            store_take = 1'b0;
  reg [OA-1:0]   store_address;
  wire [PES*A-1:0] store;
  wire [PES-1:0] closed;
  wire [PES-1:0] idle;
  wire [PES-1:0] starved;
  wire [PES-1:0] error;
  wire [PES-1:0] stuck;
  wire [PES*(SCAN+4)-1:0] counts;
  wire [PES*2-1:0]  error_kind;
  wire [PES-1:0] chain_valid;
  wire [PES*A-1:0] chain;
  wire [PES*5-1:0] chain_buffer;

  wire [PES-1:0] move_valid;
  wire [PES-1:0] return_valid;
  wire [PES-1:0] hungry;
  wire [PES*MOVE-1:0] move;
  wire [PES*RETURN-1:0] sum;
  wire [PES-1:0] ended;

  genvar p;
  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      localparam LEFT  = (p + PES - 1) % PES;
      localparam RIGHT = (p + 1) % PES;
      tulle_pe u_pe (
        .clk_i              (clk),
        .rst_ni             (rst_n),
        .issue_start_i      (issue_start),
        .issue_address_i    (issue_address),
        .issue_wrap_i       (issue_wrap),
        .issue_base_i       ({1'b0, issue_address} - issue_wrap),
        .issue_result_i     (issue_result),
        .issue_age_i        (issue_age),
        .issue_resume_i     (issue_resume),
        .issue_keep_i       (issue_keep),
`ifdef PE_ACCUMULATORS
        .issue_acc_i        (issue_acc),
        .partial_acc_i      (2'd0),
        .partial_stays_i    (1'b0),
`endif
        .issue_chain_i      (1'b0),
        .issue_buffer_i     (5'd0),
        .issue_way_i        (2'b01), // its work may move; bit 1 only where maxima are
        .issue_advance_i    (issue_advance),
        .issue_rotate_i     (issue_rotate),
        .issue_ready_o      (issue_ready[p]),
        .weight_begin_i     (weight_begin),
        .weight_segments_i  (weight_segments),
        .weight_take_i      (weight_take[p]),
        .weight_word_i      (weight_word[p*SCAN*ENTRY +: SCAN*ENTRY]),
        .weight_end_i       (weight_end),
        .weight_ready_o     (weight_ready[p]),
        .weight_idle_o      (weight_idle[p]),
        .line_write_i       (line_write),
        .line_i             (line),
        .line_data_i        (line_data),
        .line_mask_i        (line_mask),
        .partial_write_i    (1'b0),
        .partial_address_i  ({OA{1'b0}}),
        .store_take_i       (store_take),
        .store_address_i    (store_address),
        .store_o            (store[p*A +: A]),
        .closed_o           (closed[p]),
        .idle_o             (idle[p]),
        .starved_o          (starved[p]),
`ifdef PE_RING
        .help_valid_i       (move_valid[RIGHT]),
        .help_load_i        (move[RIGHT*MOVE +: MOVE]),
        .return_valid_o     (return_valid[p]),
        .return_o           (sum[p*RETURN +: RETURN]),
        .ended_o            (ended[p]),
        .hungry_o           (hungry[p]),
        .move_valid_o       (move_valid[p]),
        .move_load_o        (move[p*MOVE +: MOVE]),
        .return_valid_i     (return_valid[LEFT]),
        .return_i           (sum[LEFT*RETURN +: RETURN]),
        .helper_ended_i     (ended[LEFT]),
        .helper_hungry_i    (hungry[LEFT]),
`endif
        .chain_valid_o      (chain_valid[p]),
        .chain_o            (chain[p*A +: A]),
        .chain_shift_i      (1'b0),
        .chain_buffer_o     (chain_buffer[p*5 +: 5]),
        .function_valid_i   (1'b0),
        .given_i            ({A{1'b0}}),
        .stuck_o            (stuck[p]),
        .counts_o           (counts[p*(SCAN+4) +: SCAN+4]),
        .error_o            (error[p]),
        .error_kind_o       (error_kind[p*2 +: 2])
      );
    end
  endgenerate

  // -- The case ------------------------------------------------------------------------------------------------

  integer case_seed, pass;
  integer seed, macs, mean, dense, heavy, stall, entries, keep, resident, rounds, turns, busy, least, buffers, every;
  integer count [0:2*PES-1];               // entries of each stream: those of the first packet, then of the second
  reg [ENTRY-1:0] stream [0:2*PES*STREAM-1];
  reg signed [D-1:0] input_buffer [0:DEPTH-1];
  reg [A-1:0] expected [0:PES*OUT-1];
  reg         begun [0:OUT-1];
  // By number of the MAC, as they are issued:
  reg         keeps [0:MACS-1];
  reg         resumes [0:MACS-1];
  reg [1:0]   accs [0:MACS-1];
  reg [A-1:0] total [0:PES*MACS-1];        // of its products, by PE
  reg [A-1:0] held [0:PES*4-1];            // by the accumulation buffers
  integer address [0:15];                  // of each MAC of a segment
  integer wraps [0:15];
  integer latest [0:2];                    // entries that the last three MACs named, the last one first
  integer furthest;                        // position of a weight

  integer position, length, gap, value, i, m, s, q, n, t, index, failures, cycles, work, issued;
  reg signed [2*D-1:0] product_now;

  // The same numbers in every simulator.
  function integer draw(input integer unused);
    begin
      seed = seed * 1103515245 + 12345;
      draw = {16'd0, seed[30:15]};
    end
  endfunction

  function integer pick(input integer below);
    pick = draw(0) % below;
  endfunction

  task add_entry(input integer of, input [ENTRY-1:0] entry);
    begin
      stream[of * STREAM + count[of]] = entry;
      count[of] = count[of] + 1;
    end
  endtask

  // In turn t the MACs read segment segment_of(t), which stays (rq) in the first rounds.
  function rotates(input integer turn);
    rotates = turn < rounds * resident;
  endfunction

  function integer segment_of(input integer turn);
    segment_of = rotates(turn) ? turn % resident : turn - rounds * resident;
  endfunction

  // Only an entry that was written is read.
  task choose_flags;
    for (i = 0; i < turns * macs; i = i + 1) begin
      q          = i % entries;
      accs[i]    = buffers == 0 ? 0 : pick(buffers);
      resumes[i] = begun[q] && (buffers == 0 || (every == 0 && pick(4) == 0));
      if (buffers != 0) keeps[i] = every == 0 ? pick(3) == 0 : i % every == every - 1;
      begun[q]   = begun[q] || keeps[i];
    end
  endtask

  // What the MACs leave in the entries of a PE, one after another.
  task close_macs(input integer pe);
    for (i = 0; i < turns * macs; i = i + 1) begin
      q = pe * OUT + i % entries;
      m = pe * 4 + accs[i];
      total[pe*MACS+i] = total[pe*MACS+i] + (resumes[i] ? expected[q] : held[m]);
      if (keeps[i]) expected[q] = total[pe*MACS+i];
      held[m] = keeps[i] || !HOLDS ? {A{1'b0}} : total[pe*MACS+i];
    end
  endtask

  // What the weight of the segment at a position adds to the sums of a PE, over all turns that read the segment.
  task add_products(input integer pe, input integer number);
    for (t = number + ((number < resident) ? 0 : rounds * resident); t < turns && segment_of(t) == number;
         t = t + ((number < resident) ? resident : turns))
      for (m = 0; m < macs; m = m + 1) begin
        index = (address[m] + position) % wraps[m];
        product_now = $signed(value[D-1:0]) * input_buffer[index];
        q = pe * MACS + t * macs + m;
        total[q] = total[q] + {{A-2*D{product_now[2*D-1]}}, product_now};
        if (input_buffer[index] != 0) work = work + 1;
      end
  endtask

  // Segment `number` of a PE: its entries, and what its MACs add. The first packet must fit the queue.
  task add_segment(input integer pe, input integer number);
    integer of;
    begin
      of       = (number < resident) ? pe : PES + pe;
      length   = pick(2 * mean + 1);
      if (pe == 0) length = length * heavy;
      if (length > SCAN * `TULLE_WEIGHT_WORDS * 3 / 4) length = SCAN * `TULLE_WEIGHT_WORDS * 3 / 4;
      if (number < resident && length > SCAN * `TULLE_WEIGHT_WORDS / (4 * RESIDENT))
        length = SCAN * `TULLE_WEIGHT_WORDS / (4 * RESIDENT);
      position = 0;
      if (length == 0) add_entry(of, ESCAPE | (2 << (D - 3)));
      for (n = 0; n < length; n = n + 1) begin
        gap = pick(3) == 0 ? pick(6) : 0;
        if (n == 1 && pick(4) == 0) begin
          add_entry(of, ESCAPE | (1 << (D - 3)));
          position = position + (1 << (`TULLE_INDEX_WIDTH - 2));
        end
        if (pick(16) == 0) add_entry(of, ESCAPE);
        value    = draw(0);
        position = position + gap;
        if (position > furthest) furthest = position;
        add_entry(of, ((n + 1 == length) << (ENTRY - 1)) | (gap << D) | (value & ((1 << D) - 1)));
        add_products(pe, number);
        position = position + 1;
      end
    end
  endtask

  // -- Run -----------------------------------------------------------------------------------------------------

  reg done = 1'b0;

  always @(posedge clk) begin
    if (rst_n && (error | stuck) != {PES{1'b0}}) begin
      $display("pe_tb: FAIL: error %b, kinds %h", error, error_kind);
      $fatal(1);
    end
  end

  initial begin : watchdog
    repeat (400000) @(posedge clk);
    $display("pe_tb: FAIL: not finished; %0d MACs issued; ready %b, idle %b, starved %b", issued, weight_ready, idle, starved);
    $fatal(1);
  end

  reg [1:0] fed_packets = 2'b00; // packets whose last word has come
  reg [1:0] may_feed = 2'b00;
  integer w, wp, we, index_fed, packet, words;
  integer fed [0:PES-1];

  initial begin : feed
    wait (done);
    for (packet = 0; packet < 2; packet = packet + 1) begin
      wait (may_feed[packet]);
      words = 0;
      for (wp = 0; wp < PES; wp = wp + 1) begin
        w = (count[packet * PES + wp] + SCAN - 1) / SCAN;
        if (w > words) words = w;
        fed[wp] = 0;
      end
      @(negedge clk) weight_begin = 1'b1;
      weight_segments = (packet == 0) ? resident[15:0] : SEGMENTS;
      @(negedge clk) weight_begin = 1'b0;
      w = 0;
      while (w < PES) begin
        w = 0;
        for (wp = 0; wp < PES; wp = wp + 1) begin
          weight_take[wp] = fed[wp] < words && weight_ready[wp] && pick_feed(100) >= stall;
          for (we = 0; we < SCAN; we = we + 1) begin
            index_fed = fed[wp] * SCAN + we;
            weight_word[(wp * SCAN + we) * ENTRY +: ENTRY] =
              (index_fed < count[packet * PES + wp]) ? stream[(packet * PES + wp) * STREAM + index_fed] : ESCAPE;
          end
          if (weight_take[wp]) fed[wp] = fed[wp] + 1;
          if (fed[wp] == words) w = w + 1;
        end
        @(negedge clk);
      end
      weight_take = {PES{1'b0}};
      while (!(&weight_idle)) @(negedge clk);
      weight_end = 1'b1;
      @(negedge clk) weight_end = 1'b0;
      fed_packets[packet] = 1'b1;
    end
  end

  integer feed_seed;
  function integer pick_feed(input integer below);
    begin
      feed_seed = feed_seed * 1103515245 + 12345;
      pick_feed = {16'd0, feed_seed[30:15]} % below;
    end
  endfunction

  initial begin : main
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("macs=%d", macs)) macs = 4;
    if (!$value$plusargs("length=%d", mean)) mean = 10;
    if (!$value$plusargs("dense=%d", dense)) dense = 70;
    if (!$value$plusargs("heavy=%d", heavy)) heavy = 1;
    if (!$value$plusargs("stall=%d", stall)) stall = 20;
    if (!$value$plusargs("entries=%d", entries)) entries = OUT;
    if (!$value$plusargs("keep=%d", keep)) keep = 75;
    if (!$value$plusargs("busy=%d", least)) least = 0;
    if (!$value$plusargs("buffers=%d", buffers)) buffers = 0;
    if (!$value$plusargs("every=%d", every)) every = 0;
    feed_seed = seed + 1000;
    failures  = 0;
    work      = 0;
    issued    = 0;
    if (!$value$plusargs("resident=%d", resident)) resident = pick(RESIDENT + 1);
    rounds    = pick(ROUNDS + 1);
    turns     = SEGMENTS + resident * (rounds + 1);
    for (i = 0; i < OUT; i = i + 1) begun[i] = 1'b0;
    for (i = 0; i < MACS; i = i + 1) keeps[i] = pick(100) < keep;
    choose_flags;
    for (i = 0; i < DEPTH; i = i + 1) input_buffer[i] = (pick(100) < dense) ? draw(0) : 0;
    for (i = 0; i < macs; i = i + 1) begin
      wraps[i]   = DEPTH - ((i % 2 == 1) ? pick(DEPTH / 4) : 0);
      address[i] = pick(wraps[i]);
    end

    // Twice: when it is known how far positions go, the first MAC wraps just behind that.
    furthest  = 0;
    case_seed = seed;
    for (pass = 0; pass < 2; pass = pass + 1) begin
      seed = case_seed;
      work = 0;
      for (i = 0; i < 2 * PES; i = i + 1) count[i] = 0;
      for (i = 0; i < PES * OUT; i = i + 1) expected[i] = {A{1'b0}};
      for (i = 0; i < PES * MACS; i = i + 1) total[i] = {A{1'b0}};
      for (i = 0; i < PES * 4; i = i + 1) held[i] = {A{1'b0}};
      for (s = 0; s < resident + SEGMENTS; s = s + 1) for (i = 0; i < PES; i = i + 1) add_segment(i, s);
      wraps[0]   = furthest + 1;
      address[0] = address[0] % wraps[0];
    end

    for (n = 0; n < PES; n = n + 1) close_macs(n);

    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    repeat (4) @(negedge clk);
    for (i = 0; i < LINES; i = i + 1) begin
      line_write = 1'b1;
      line       = i[LA-1:0];
      for (n = 0; n < LINE; n = n + 1) begin
        line_data[n*D +: D] = input_buffer[i * LINE + n];
        line_mask[n]        = input_buffer[i * LINE + n] != 0;
      end
      @(negedge clk);
    end
    line_write = 1'b0;
    done        = 1'b1;
    may_feed[0] = 1'b1;
    cycles      = $time / 10;

    for (s = 0; s < turns; s = s + 1) begin
      // Segments rotate when all of them are there; more are loaded when a round is over.
      if (s == 0) while (!fed_packets[0]) @(negedge clk);
      if (s == rounds * resident) begin
        while (!(&idle)) @(negedge clk);
        may_feed[1] = 1'b1;
      end
      for (m = 0; m < macs; m = m + 1) begin
        while (!(&issue_ready)) @(negedge clk);
        q             = (s * macs + m) % entries;
        issue_keep    = keeps[s * macs + m];
        issue_rotate  = rotates(s);
        issue_start   = 1'b1;
        issue_address = address[m];
        issue_wrap    = wraps[m][IA:0];
        issue_result  = q[OA-1:0];
        issue_acc     = accs[s * macs + m];
        issue_resume  = resumes[s * macs + m];
        issue_age     = (issued >= 1 && latest[0] == q) ? 2'd1 : (issued >= 2 && latest[1] == q) ? 2'd2 :
                        (issued >= 3 && latest[2] == q) ? 2'd3 : 2'd0;
        latest[2]     = latest[1];
        latest[1]     = latest[0];
        latest[0]     = q;
        issue_advance = m + 1 == macs;
        issued        = issued + 1;
        @(negedge clk) issue_start = 1'b0;
      end
    end
    while (!(&idle)) @(negedge clk);
    cycles = $time / 10 - cycles;
    @(negedge clk); // what is closed last is written

    for (q = 0; q < OUT; q = q + 1) begin
      store_take    = 1'b1;
      store_address = q[OA-1:0];
      @(negedge clk);
      if (begun[q])
        for (i = 0; i < PES; i = i + 1)
          if (store[i*A +: A] !== expected[i * OUT + q]) begin
            failures = failures + 1;
            if (failures < 10)
              $display("pe_tb: PE %0d entry %0d: %h, expected %h", i, q, store[i*A +: A], expected[i * OUT + q]);
          end
    end
    busy = work * 1000 / (PES * cycles);
    if (failures != 0)
      $display("pe_tb: FAIL: %0d entries differ", failures);
    else if (busy < least)
      $display("pe_tb: FAIL: %0d products in %0d cycles: %0d per mille busy, not %0d", work, cycles, busy, least);
    else
      $display("pe_tb: PASS: %0d MACs of %0d PEs, %0d products in %0d cycles: %0d per mille busy", issued, PES, work, cycles, busy);
    if (failures != 0 || busy < least) $fatal(1);
    $finish;
  end

endmodule

`default_nettype wire
