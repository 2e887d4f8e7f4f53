// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_sequencer: buffers with random sequences, runs of them one behind the other and loads
// beside them, while PEs, loaders, store queue and function unit take their time. Which instructions must
// come, in which order and with which operands, is computed here from the meaning of the fields
// (docs/isa.md): an operand from how often its instruction was executed, not step by step. Some operands
// are such that the sequence must be given up, and now and then the sequencer is told to give up. In calm
// series nobody is late, and MACs must follow one another without a gap. Every series begins with a
// reset. `+series` and `+seed` say how many and which.

`default_nettype none

`include "tulle_isa.vh"

module sequencer_tb #(
  parameter BUFFERS      = 8,
  parameter ENTRIES      = 64,
  parameter INPUT_DEPTH  = 256,
  parameter OUTPUT_DEPTH = 8,
  parameter LINE         = 8,
  parameter REDUCE       = 1,
  parameter ACCUMULATORS = 0,
  parameter ZERO_POINTS  = 0
);
  localparam ADDR     = $clog2(INPUT_DEPTH);
  localparam OUT      = $clog2(OUTPUT_DEPTH);
  localparam BUFFER   = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam CONTENT  = 8 + 4 * ADDR + 16 + 2 * OUT + 2 * ACCUMULATORS;
  localparam LENGTH   = (ENTRIES / BUFFERS < 32) ? ENTRIES / BUFFERS : 32; // instructions of a sequence
  localparam RUNS     = 12; // of a series, at most
  localparam PATIENCE = 4000; // of a long run nothing may be seen

  reg               clk = 1'b0;
  reg               rst_n = 1'b0;
  reg               abort = 1'b0;
  reg               run_valid = 1'b0;
  reg  [BUFFER-1:0] run_buffer, load_buffer;
  reg  [9:0]        run_entry, load_entry;
  reg               run_single, load_single, run_shift_out, run_rotate, run_writes;
  reg  [15:0]       run_count, run_hold, load_count;
  wire              run_next, run_end, load_end;
  reg               load_start = 1'b0, load_go = 1'b0;
  wire [9:0]        entry;
  wire [BUFFER-1:0] buffer;
  wire              passed;
  wire              input_start, input_zeros, partial_start, partial_stays, reduce_start, operand_flush;
  wire [15:0]       input_address, input_block;
  wire [8:0]        input_coding;
  wire [16:0]       input_wrap;
  reg               input_ready, input_near, input_idle, partial_idle, reduce_idle;
  reg               operand_open, pe_ready, mac_hold, store_ready;
  wire              mac_start, mac_resume, mac_keep, mac_chain, mac_balance, mac_advance, mac_rotate;
  wire [1:0]        mac_acc;
  wire [ADDR-1:0]   mac_address;
  wire [ADDR:0]     mac_wrap;
  wire [4:0]        mac_buffer;
  wire [OUT-1:0]    result;
  wire              store_start, store_last, error;
  wire [15:0]       error_code;

  always #5 clk = !clk;

  // -- The instruction store -------------------------------------------------------------------------------

  reg  [CONTENT-1:0] content [0:1023]; // of entries
  reg  [9:0]         behind [0:1023];
  reg  [ADDR+11+9*ZERO_POINTS:0] facts [0:31]; // of buffers
  reg  [31:0]        unrun = 32'd0;
  reg                passed_q;
  reg  [BUFFER-1:0]  passed_buffer_q;
  wire [4:0]         buffer5 = buffer;

  always @(posedge clk) begin
    passed_q        <= passed;
    passed_buffer_q <= buffer;
  end

  // -- Others ----------------------------------------------------------------------------------------------

  reg  [OUTPUT_DEPTH-1:0] busy;   // entries that are being stored
  reg  [OUT-1:0]          leaving [0:15];
  integer                 first_store, next_store, macs_open;
  wire                    quiet = macs_open == 0 && first_store == next_store;

  tulle_sequencer #(
    .BUFFERS      (BUFFERS),
    .ENTRIES      (ENTRIES),
    .INPUT_DEPTH  (INPUT_DEPTH),
    .OUTPUT_DEPTH (OUTPUT_DEPTH),
    .LINE         (LINE),
    .REDUCE       (REDUCE),
    .ACCUMULATORS (ACCUMULATORS),
    .ZERO_POINTS  (ZERO_POINTS)
  ) u_sequencer (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .abort_i         (abort),
    .run_valid_i     (run_valid),
    .run_buffer_i    (run_buffer),
    .run_entry_i     (run_entry),
    .run_single_i    (run_single),
    .run_count_i     (run_count),
    .run_hold_i      (run_hold),
    .run_shift_out_i (run_shift_out),
    .run_rotate_i    (run_rotate),
    .run_writes_i    (run_writes),
    .run_next_o      (run_next),
    .run_end_o       (run_end),
    .load_start_i    (load_start),
    .load_buffer_i   (load_buffer),
    .load_entry_i    (load_entry),
    .load_single_i   (load_single),
    .load_count_i    (load_count),
    .load_go_i       (load_go),
    .load_end_o      (load_end),
    .entry_o         (entry),
    .operands_i      (content[entry]),
    .next_i          (behind[entry]),
    .buffer_o        (buffer),
    .sequence_i      (facts[buffer5]),
    .first_i         (unrun[buffer5]),
    .passed_o        (passed),
    .input_start_o   (input_start),
    .input_address_o (input_address),
    .input_wrap_o    (input_wrap),
    .input_block_o   (input_block),
    .input_ready_i   (input_ready),
    .input_near_i    (input_near),
    .input_zeros_o   (input_zeros),
    .input_coding_o  (input_coding),
    .input_idle_i    (input_idle),
    .partial_start_o (partial_start),
    .partial_stays_o (partial_stays),
    .partial_idle_i  (partial_idle),
    .reduce_start_o  (reduce_start),
    .reduce_idle_i   (reduce_idle),
    .reduce_function_o (),
    .reduce_destination_o (),
    .scalar_write_i  (1'b0),
    .scalar_i        (16'd0),
    .mac_stride_o    (),
    .reduce_ready_i   (1'b1),
    .reduce_owned_i   (1'b0),
    .reduce_awaited_i   (1'b0),
    .operand_open_i  (operand_open),
    .operand_flush_o (operand_flush),
    .pe_ready_i      (pe_ready),
    .quiet_i         (quiet),
    .mac_start_o     (mac_start),
    .mac_address_o   (mac_address),
    .mac_wrap_o      (mac_wrap),
    .mac_resume_o    (mac_resume),
    .mac_keep_o      (mac_keep),
    .mac_chain_o     (mac_chain),
    .mac_way_o       (mac_balance), // one bit without maxima
    .mac_acc_o       (mac_acc),
    .mac_advance_o   (mac_advance),
    .mac_rotate_o    (mac_rotate),
    .mac_buffer_o    (mac_buffer),
    .mac_hold_i      (mac_hold),
    .result_o        (result),
    .busy_i          (busy[result]),
    .store_start_o   (store_start),
    .store_last_o    (store_last),
    .store_ready_i   (store_ready),
    .error_o         (error),
    .error_code_o    (error_code)
  );

  // -- Findings --------------------------------------------------------------------------------------------

`include "bench_draw.vh"

  // Set here, because Verilator 5.006 takes what a process sets once for constant in it.
  integer failures = 0, ended_runs = 0, ended_loads = 0;
  integer series;

  task must(input holds, input [8*70-1:0] what);
    if (holds !== 1'b1) begin
      failures = failures + 1;
      if (failures < 10) $display("sequencer_tb: series %0d: %0s", series, what);
    end
  endtask

  // -- Sequences -------------------------------------------------------------------------------------------

  localparam [1:0] COMPUTES = 2'd0; // what buffers are for: MACs and stores, activations beside a run,
  localparam [1:0] LOADS    = 2'd1;
  localparam [1:0] MIXES    = 2'd2; // or both, alone

  localparam [2:0] MAC     = 3'd0;
  localparam [2:0] STORE   = 3'd1;
  localparam [2:0] INPUT   = 3'd2;
  localparam [2:0] PARTIAL = 3'd3;
  localparam [2:0] REDUCES = 3'd4;
  localparam [2:0] WEIGHTS = 3'd5;

  // Of each buffer
  reg  [1:0]  role [0:31];
  integer     length [0:31], last_store [0:31], last_mac [0:31], block [0:31];
  reg [8:0]   coding [0:31];
  reg         restart [0:31], ran [0:31];
  integer     entries [0:1023];              // 32 for each buffer

  // Of each entry
  reg  [2:0]  operation [0:1023];
  reg  [1:0]  flags [0:1023], kind_flags [0:1023];
  reg  [1:0]  accs [0:1023];    // accumulation buffers
  reg         to_accs [0:1023]; // of partial sums: they go there
  integer     starts [0:1023], strides [0:1023], turns [0:1023], wraps [0:1023], inners [0:1023];
  integer     results [0:1023], result_strides [0:1023], executed [0:1023];
  reg         unfit [0:1023];

  reg     calm, faulty; // series: nobody is late, sequences may have to be given up
  integer pace;         // 0 to 3: how often others are late
  integer b, e, i, n, value;

  // A number of 0 to wrap - 1 that is reached by going back.
  function integer modulo(input integer number, input integer wrap);
    modulo = (number % wrap + wrap) % wrap;
  endfunction

  task pick_operation(input integer index);
    begin
      n = draw(10);
      operation[e] = n < 6 ? MAC : n < 9 ? STORE : REDUCE != 0 ? REDUCES : MAC;
      if (role[b] == MIXES && draw(3) == 0) operation[e] = draw(2) == 0 ? INPUT : PARTIAL;
      if (role[b] == COMPUTES && index == 0 && draw(2) == 0) operation[e] = WEIGHTS;
      if (role[b] == LOADS) operation[e] = INPUT;
      if (calm) operation[e] = MAC;
    end
  endtask

  // Blocks begin with a line; others need not.
  task pick_operands;
    begin
      n        = operation[e] == INPUT ? LINE : 1;
      wraps[e] = n * (1 + draw(INPUT_DEPTH / n));
      starts[e]  = n * draw(wraps[e] / n);
      strides[e] = n * (draw(2 * wraps[e] / n + 1) - wraps[e] / n);
      turns[e]   = n * (draw(2 * wraps[e] / n + 1) - wraps[e] / n);
      inners[e]  = draw(3) == 0 ? 0 : 1 + draw(5);
      if (inners[e] == 0) turns[e] = strides[e];
      results[e]        = draw(OUTPUT_DEPTH);
      result_strides[e] = draw(OUTPUT_DEPTH);
      {kind_flags[e], flags[e]} = operation[e] == MAC ? draw(16) : 0;
      {accs[e], to_accs[e]} = 3'd0;
      if (ACCUMULATORS != 0) {accs[e], to_accs[e]} = draw(8);
      unfit[e]    = faulty && operation[e] == INPUT && draw(30) == 0;
      executed[e] = 0;
      if (faulty && operation[e] == INPUT && draw(30) == 0) strides[e] = draw(wraps[e]);
      if (faulty && operation[e] == INPUT && draw(30) == 0) starts[e] = draw(wraps[e]);
      if (inners[e] == 0) turns[e] = strides[e];
    end
  endtask

  task put_instruction(input integer index);
    reg [3:0]  kind;
    begin
      case (operation[e])
        MAC:     kind = {2'd0, kind_flags[e]};
        STORE:   kind = {2'd2, 2'd0};
        INPUT:   kind = {2'd1, `TULLE_TARGET_INPUT};
        PARTIAL: kind = {2'd1, to_accs[e] ? `TULLE_TARGET_BUFFER : `TULLE_TARGET_ACCUMULATOR};
        REDUCES: kind = {2'd3, 2'd1};
        default: kind = {2'd1, `TULLE_TARGET_WEIGHTS};
      endcase
      content[e] = {accs[e], unfit[e], index + 2 == length[b], kind, flags[e]};
      content[e] = content[e] << ADDR | starts[e];
      content[e] = content[e] << ADDR | modulo(-strides[e], wraps[e]);
      content[e] = content[e] << ADDR | modulo(-turns[e], wraps[e]);
      content[e] = content[e] << ADDR | wraps[e] % INPUT_DEPTH;
      content[e] = content[e] << 16 | inners[e];
      content[e] = content[e] << OUT | results[e];
      content[e] = content[e] << OUT | result_strides[e];
      behind[e]  = index + 1 < length[b] ? entries[32 * b + index + 1] : draw(ENTRIES);
    end
  endtask

  reg taken [0:1023];

  task pick_entry;
    begin
      e = draw(ENTRIES);
      while (taken[e]) e = (e + 1) % ENTRIES;
      taken[e] = 1'b1;
    end
  endtask

  task make_buffer;
    begin
      role[b]       = calm ? COMPUTES : draw(3);
      length[b]     = 1 + draw(draw(4) == 0 ? LENGTH : LENGTH < 4 ? LENGTH : 4);
      last_store[b] = -1;
      last_mac[b]   = -1;
      block[b]      = LINE * draw((INPUT_DEPTH > 65535 ? 65535 : INPUT_DEPTH) / LINE + 1); // the field has 16 bits
      restart[b]    = draw(2);
      ran[b]        = 1'b0;
      for (i = 0; i < length[b]; i = i + 1) begin
        pick_entry;
        entries[32 * b + i] = e;
      end
      for (i = 0; i < length[b]; i = i + 1) begin
        e = entries[32 * b + i];
        pick_operation(i);
        pick_operands;
        put_instruction(i);
        if (operation[e] == STORE) last_store[b] = i;
        if (operation[e] == MAC) last_mac[b] = i;
      end
      coding[b] = ZERO_POINTS != 0 ? draw(512) : 0;
      facts[b] = {coding[b], {ADDR+12{1'b0}}} | {block[b], restart[b], 5'd0, 5'd0} | (last_store[b] < 0 ? draw(32) : last_store[b]) << 5 |
                 (last_mac[b] < 0 ? draw(32) : last_mac[b]);
    end
  endtask

  // -- Runs and loads --------------------------------------------------------------------------------------

  integer r_buffer [0:RUNS-1], r_count [0:RUNS-1], r_hold [0:RUNS-1];
  reg     r_shift_out [0:RUNS-1], r_rotate [0:RUNS-1], r_writes [0:RUNS-1];
  integer runs, offered, loads, l_buffer, l_count;

  // Looks for a buffer from a random one on; -1: there is none.
  task pick_buffer(input loading);
    begin
      value = draw(BUFFERS);
      b     = -1;
      for (i = 0; i < BUFFERS && b < 0; i = i + 1) begin
        if ((role[value] == LOADS) == loading) b = value;
        value = (value + 1) % BUFFERS;
      end
    end
  endtask

  task make_runs;
    begin
      runs = 0;
      n    = 1 + draw(RUNS);
      pick_buffer(1'b0);
      while (b >= 0 && runs < n) begin
        r_buffer[runs]    = b;
        r_count[runs]     = 1 + draw(draw(4) == 0 ? 30 : 8);
        r_hold[runs]      = 1 + draw(5);
        r_shift_out[runs] = draw(3) != 0;
        r_rotate[runs]    = draw(2);
        r_writes[runs]    = 1'b1;
        if (ACCUMULATORS != 0) r_writes[runs] = draw(2);
        runs = runs + 1;
        pick_buffer(1'b0);
      end
      pick_buffer(1'b1);
      loads = b < 0 ? 0 : draw(6);
    end
  endtask

  // -- What must come: the run, 0, and the load, 1 ---------------------------------------------------------

  integer at_buffer [0:1], at_count [0:1], at_pass [0:1], at_index [0:1];
  integer running_run;  // the run that is at work
  reg     load_live;    // the load is not handed out in full
  integer x, w, address;

  task begin_sequence(input integer which, input integer index, input integer count);
    begin
      at_buffer[which] = index;
      at_count[which]  = count;
      at_pass[which]   = 0;
      at_index[which]  = 0;
      if (restart[index] || !ran[index])
        for (x = 0; x < length[index]; x = x + 1) executed[entries[32 * index + x]] = 0;
      ran[index] = 1'b1;
    end
  endtask

  task begin_run;
    if (running_run < runs) begin_sequence(0, r_buffer[running_run], r_count[running_run]);
  endtask

  // The entry that is next, and where its operands are by now.
  task look(input integer which);
    begin
      x       = entries[32 * at_buffer[which] + at_index[which]];
      n       = executed[x];
      w       = inners[x] == 0 ? 0 : n / inners[x];
      address = modulo(starts[x] + (n - w) * strides[x] + w * turns[x], wraps[x]);
      value   = (results[x] + n * result_strides[x]) % OUTPUT_DEPTH;
    end
  endtask

  task advance(input integer which);
    begin
      executed[x]     = executed[x] + 1;
      at_index[which] = at_index[which] + 1;
      if (at_index[which] == length[at_buffer[which]]) begin
        at_index[which] = 0;
        at_pass[which]  = at_pass[which] + 1;
      end
    end
  endtask

  // Of some instructions nothing is seen.
  task pass_silent;
    begin
      look(0);
      while (at_pass[0] < at_count[0] &&
             (operation[x] == WEIGHTS || (operation[x] == STORE && !r_shift_out[running_run]))) begin
        advance(0);
        look(0);
      end
    end
  endtask

  function refused(input integer index, input integer where);
    refused = operation[index] == INPUT && (unfit[index] || where % LINE != 0);
  endfunction

  // -- What is seen ----------------------------------------------------------------------------------------

  reg     running = 1'b0;
  reg     alone;       // a load within a run, or a reduction, is at work
  reg     room, near;  // PEs had room, the loader nearly, when this instruction was fetched or later
  reg     aborted, gave_up;
  integer still, drained, since_mac;
  reg     load_pending;
  integer input_left, partial_left, reduce_left;
  wire [3:0] starting = input_start + partial_start + reduce_start + mac_start + store_start;

  task see_mac;
    begin
      must(operation[x] == MAC, "a MAC that is not there");
      must(!mac_hold, "a MAC is issued while none may be");
      must(room, "a MAC is fetched while PEs have no room");
      w = r_writes[running_run];
      must(!(w && (flags[x][0] || kind_flags[x][0])) || !busy[value], "a MAC writes an entry that is being stored");
      must(mac_address == address && mac_wrap == wraps[x], "a MAC's address");
      must(result == value, "a MAC's result");
      must({mac_balance, mac_chain, mac_resume, mac_keep} == ({kind_flags[x], flags[x]} & (w ? 4'b1111 : 4'b1010)),
           "a MAC's flags");
      must(mac_acc == accs[x], "a MAC's accumulation buffer");
      must(mac_rotate == r_rotate[running_run] && mac_buffer == at_buffer[0], "a MAC's run");
      must(mac_advance ==
           (at_index[0] == last_mac[at_buffer[0]] && (at_pass[0] + 1) % r_hold[running_run] == 0),
           "when MACs go on to the next segment");
      must(!calm || (at_pass[0] == 0 && at_index[0] == 0) ||
           since_mac == (length[at_buffer[0]] == 1 ? 2 : 1),
           "a gap between MACs that nobody caused");
      since_mac = 0;
    end
  endtask

  task see_store;
    begin
      must(operation[x] == STORE && r_shift_out[running_run], "a store that is not there");
      must(store_ready, "a store without room");
      must(!busy[value], "an entry is stored that is being stored");
      must(result == value, "a store's entry");
      must(store_last == (at_index[0] == last_store[at_buffer[0]] && at_pass[0] + 1 == at_count[0]),
           "the packet's last store");
    end
  endtask

  // A load within a run, or a reduction.
  task see_alone;
    begin
      must(!input_start || input_coding == coding[at_buffer[0]], "the zero point of a load within a run");
      must(operation[x] == (input_start ? INPUT : partial_start ? PARTIAL : REDUCES),
           "a load or reduction that is not there");
      must(quiet, "a load or reduction within a run begins too early");
      must(!partial_start || !operand_open, "partial sums begin within a beat");
      must(!input_zeros, "a load whose zeros count, without maxima");
      must(input_start || result == value, "where a load or reduction within a run writes");
      must(partial_stays == (partial_start && to_accs[x]), "where partial sums stay");
      must(!partial_stays || mac_acc == accs[x], "the accumulation buffer of partial sums");
      must(!reduce_start || (mac_address == address && mac_buffer == at_buffer[0]), "what is reduced");
      if (input_start) see_block;
      alone = 1'b1;
    end
  endtask

  task see_block;
    begin
      must(!refused(x, address), "a block that does not fit begins");
      must(input_address == address && input_wrap == wraps[x], "where a block goes");
    end
  endtask

  task see_run;
    begin
      must(running_run < runs, "a run that is not there");
      must(!alone, "something begins while a load or reduction within the run is at work");
      pass_silent;
      must(at_pass[0] < at_count[0], "more than a run has");
      if (mac_start) see_mac;
      else if (store_start) see_store;
      else begin
        see_alone;
        if (input_start) must(input_block == block[at_buffer[0]], "how long a block is");
      end
      advance(0);
      room = 1'b0;
    end
  endtask

  task see_load;
    begin
      must(input_coding == coding[at_buffer[1]], "the zero point of a load");
      look(1);
      must(load_go, "a load begins too early");
      must(input_ready, "a block begins while the loader cannot");
      must(near, "a block is fetched long before the loader can begin it");
      must(at_pass[1] < at_count[1], "more than a load has");
      see_block;
      must(input_block == block[at_buffer[1]], "how long a block is");
      advance(1);
      near = 1'b0;
    end
  endtask

  task see_ends;
    begin
      if (run_end) begin
        must(running_run < runs && !alone, "the end of nothing, or too early");
        pass_silent;
        must(at_pass[0] == at_count[0], "the end of a run before its last instruction");
        running_run = running_run + 1;
        ended_runs  = ended_runs + 1;
        begin_run;
        room = 1'b0;
      end
      if (load_end) begin
        must(load_live && at_pass[1] == at_count[1], "the end of a load before its last instruction");
        load_live   = 1'b0;
        ended_loads = ended_loads + 1;
      end
    end
  endtask

  // It is one of the two that must be given up.
  task see_refusal;
    begin
      must(error_code == `TULLE_STATUS_OUT_OF_BUFFER, "the error's code");
      if (running_run < runs) begin
        pass_silent;
        gave_up = at_pass[0] < at_count[0] && refused(x, address);
      end
      if (load_live && !gave_up) begin
        look(1);
        gave_up = refused(x, address);
      end
      must(gave_up, "an operand is refused that is within its buffer");
    end
  endtask

  task see;
    begin
      if (input_idle && partial_idle && reduce_idle) alone = 1'b0;
      must(starting <= 1, "several instructions at once");
      must(!((aborted || gave_up) && (starting != 0 || run_end || load_end || run_next || passed)),
           "something happens after giving up");
      must(!gave_up || error == !aborted, "how long a refusal shows");
      if (error && !gave_up) see_refusal;
      if (operand_flush && !aborted) begin
        pass_silent;
        must(operation[x] == PARTIAL, "a beat is dropped that is needed");
      end
      if (failures == 0 && !aborted) begin
        if (input_start && load_live) see_load;
        else if (starting != 0) see_run;
        see_ends;
      end
      room = room || pe_ready;
      near = near || input_near;
      aborted = aborted || abort;
    end
  endtask

  // -- What the others do ----------------------------------------------------------------------------------

  task store_and_close;
    begin
      if (mac_start) macs_open <= macs_open + 1;
      else if (macs_open > 0 && draw(3) == 0) macs_open <= macs_open - 1;
      if (store_start) begin
        leaving[next_store % 16] <= result;
        busy[result]             <= 1'b1;
        next_store               <= next_store + 1;
      end
      if (first_store != next_store && draw(5) == 0) begin
        busy[leaving[first_store % 16]] <= 1'b0;
        first_store <= first_store + 1;
      end
      store_ready <= next_store - first_store < 6 && draw(4) >= pace;
      pe_ready    <= calm || (macs_open < 6 && draw(4) >= pace);
      mac_hold    <= !calm && draw(12) < pace;
    end
  endtask

  task loaders;
    begin
      if (input_left > 0) input_left = input_left - 1;
      if (partial_left > 0) partial_left = partial_left - 1;
      if (reduce_left > 0) reduce_left = reduce_left - 1;
      if (input_start) input_left = 1 + draw(8);
      if (partial_start) partial_left = 1 + draw(8);
      if (reduce_start) reduce_left = 1 + draw(8);
      input_idle   <= input_left == 0;
      input_ready  <= input_left <= 1 && draw(4) >= pace;
      input_near   <= input_left <= 3 && draw(4) >= pace;
      partial_idle <= partial_left == 0;
      reduce_idle  <= reduce_left == 0;
      // A beat that was used in part stays so until it should be dropped.
      if (operand_flush) operand_open <= operand_open && draw(2) == 0;
      else if (starting != 0) operand_open <= draw(3) == 0;
    end
  endtask

  // A run that mixes, and is offered or at work: no load may be.
  function mixing(input integer unused);
    begin
      mixing = 1'b0;
      for (b = running_run; b < runs && b <= offered; b = b + 1)
        if (role[r_buffer[b]] == MIXES) mixing = 1'b1;
    end
  endfunction

  task offer_run;
    begin
      if (run_valid && run_next) offered = offered + 1;
      if (!run_valid || run_next) begin
        run_valid <= 1'b0;
        run_buffer <= draw(32);
        run_entry  <= draw(ENTRIES);
        {run_single, run_shift_out, run_rotate, run_writes} <= draw(16);
        run_count  <= draw(65536);
        run_hold   <= draw(65536);
        if (offered < runs && draw(4) >= pace &&
            !(role[r_buffer[offered]] == MIXES && (load_pending || load_start))) begin
          run_valid     <= 1'b1;
          run_buffer    <= r_buffer[offered];
          run_entry     <= entries[32 * r_buffer[offered]];
          run_single    <= length[r_buffer[offered]] == 1;
          run_count     <= r_count[offered];
          run_hold      <= r_hold[offered];
          run_shift_out <= r_shift_out[offered];
          run_rotate    <= r_rotate[offered];
          run_writes    <= r_writes[offered];
        end
      end
    end
  endtask

  task offer_load;
    begin
      load_start <= 1'b0;
      load_buffer <= draw(32);
      load_entry  <= draw(ENTRIES);
      load_single <= draw(2);
      load_count  <= draw(65536);
      load_go     <= load_go || (load_live && draw(6) == 0);
      if (load_pending && !load_live && input_left == 0 && draw(4) == 0) begin
        load_pending = 1'b0;
        load_go     <= 1'b0;
      end
      if (!load_pending && loads > 0 && !mixing(0) && draw(8) == 0) begin
        pick_buffer(1'b1);
        l_count      = 1 + draw(8);
        loads        = loads - 1;
        load_pending = 1'b1;
        load_live    = 1'b1;
        load_start  <= 1'b1;
        load_buffer <= b;
        load_entry  <= entries[32 * b];
        load_single <= length[b] == 1;
        load_count  <= l_count;
        load_go     <= 1'b0;
        begin_sequence(1, b, l_count);
      end
    end
  endtask

  always @(posedge clk) if (running) begin
    still     = starting != 0 || run_end || load_end ? 0 : still + 1;
    since_mac = since_mac + 1;
    see;
    must(still < PATIENCE || drained != 0, "nothing happens any more");
    if (aborted || gave_up || (running_run == runs && loads == 0 && !load_pending)) drained = drained + 1;
    if (passed_q) unrun[passed_buffer_q] <= 1'b0;
    abort <= abort || (gave_up ? draw(3) == 0 : faulty && draw(600) == 0);
    store_and_close;
    loaders;
    offer_load;
    offer_run;
  end

  // -- Series ----------------------------------------------------------------------------------------------

  integer total;

  task begin_series;
    begin
      rst_n  = 1'b0;
      calm   = draw(6) == 0;
      faulty = !calm && draw(2) == 0;
      pace   = calm ? 0 : draw(4);
      for (x = 0; x < ENTRIES; x = x + 1) taken[x] = 1'b0;
      for (b = 0; b < BUFFERS; b = b + 1) make_buffer;
      make_runs;
      {run_valid, load_start, load_go, abort} = 4'd0;
      {input_ready, input_near, input_idle, partial_idle, reduce_idle} = 5'b11111;
      {operand_open, pe_ready, mac_hold, store_ready} = 4'd0;
      macs_open   = 0;
      first_store = 0;
      next_store  = 0;
      busy        = {OUTPUT_DEPTH{1'b0}};
      unrun       = {32{1'b1}};
      {alone, room, near, aborted, gave_up, load_live, load_pending} = 7'd0;
      {input_left, partial_left, reduce_left, offered, running_run, still, drained, since_mac} = 0;
      begin_run;
      repeat (2) @(negedge clk);
      rst_n   = 1'b1;
      running = 1'b1;
    end
  endtask

  initial begin
    chance = 32'd1;
    total  = 60;
    if (!$value$plusargs("series=%d", total)) total = 60;
    if (!$value$plusargs("seed=%d", chance)) chance = 32'd1;
    for (series = 0; series < total && failures == 0; series = series + 1) begin
      begin_series;
      while (failures == 0 && drained < 30) @(negedge clk);
      running = 1'b0;
    end
    if (failures != 0) begin
      $display("sequencer_tb: FAIL");
      $fatal(1);
    end
    $display("sequencer_tb: PASS, %0d runs and %0d loads", ended_runs, ended_loads);
    $finish(0);
  end
endmodule

`default_nettype wire
