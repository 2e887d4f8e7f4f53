// SPDX-License-Identifier: Apache-2.0
//
// tulle_sequencer: runs the sequences of instruction buffers as often as packets demand, one instruction a cycle, and
// updates each instruction's operands. Two sequences can be active: a run, and a load of activations beside it. They
// share the instruction store and the adders.
//
// There are two stages. Fetch reads the instruction store and the running operands. Issue hands out the instruction
// and writes back its next operands. With SCALAR there are four: fetch; operands, which writes back the next operands
// and adds scalar registers to these; compare, which finds a sum that is not below wrap; and issue. In either case a
// sequence of one instruction issues every other cycle, and a longer one an instruction a cycle. An instruction is
// fetched only when it can be issued soon, so that it does not block the other sequence; of a load, only one is past
// fetch at a time. It waits in the issue stage only for an entry that is being stored, and for loads within a run.
//
// A packet begins with the operands of the configuration, or continues with those that the buffer's last packet left.
// After each iteration the address steps back by stride, or by turn after every `inner` iterations, modulo wrap
// (tulle_first_operands derives both from stride and pitch). The result address advances by its own stride, modulo
// the output queue's depth.
//
// With SCALAR, the address also steps by plane after every `outer` turns, and instructions may add scalar registers to
// their operands. The instruction behind a reduction into a register stays in the operand stage until the reduction
// has ended, so the registers are read in time.
//
// A load within a run is exclusive: it begins when all MACs are closed and all stores are shifted out, and nothing is
// issued until it is complete. A reduction is exclusive, too; with BESIDE it goes to tulle_reduce_beside instead, and
// the sequence goes on.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset
//   abort_i                            abort: nothing more is issued
//   run_valid_i, run_*_i               a run: buffer, entry of its first instruction, whether there is no other,
//                                      iterations, iterations that a weight segment serves, whether stores happen,
//                                      whether weights stay, whether MACs write their sums; stable until run_next_o
//   run_next_o                         one cycle: the run's last instruction is fetched
//   run_end_o                          one cycle: the run's last instruction is issued
//   load_start_i, load_*_i             one cycle: a load is announced
//   load_go_i                          the load may be fetched
//   load_end_o                         the load's last instruction is issued
//   entry_o, operands_i, next_i        the instruction store: an entry, its content, and the next entry
//   buffer_o, sequence_i, first_i, passed_o
//                                      its buffer, the buffer's values, whether no packet has run the buffer yet, and
//                                      that a packet has now
//   input_start_o, input_*_o           input loader: address, wrap, block, whether zeros count, and with ZERO_POINTS
//                                      {activations have no sign, their zero point}
//   input_ready_i, input_near_i, input_idle_i
//   partial_start_o, partial_idle_i    loader of partial sums
//   partial_stays_o                    they go to accumulation buffer mac_acc_o; until they are loaded
//   reduce_start_o, reduce_idle_i      reduction of entry mac_address_o of all PEs into result_o, with REDUCE
//   reduce_function_o, reduce_destination_o
//                                      with SCALAR: the function and the destination of the SPU instruction
//   scalar_write_i, scalar_i           with SCALAR: its result for the scalar register reduce_destination_o
//   reduce_ready_i, reduce_owned_i, reduce_awaited_i
//                                      with BESIDE: there is room for a reduction; a reduction is still to read or
//                                      to write result_o; one is still to write it
//   operand_open_i, operand_flush_o    the head beat was used in part; drop the rest of it
//   pe_ready_i                         every PE has room for a MAC
//   quiet_i                            all MACs are closed, and all stores are shifted out
//   mac_start_o, mac_*_o               a MAC for all PEs. mac_resume_o: it resumes from the entry; mac_way_o: bit 0: its
//                                      work may move; with MAXIMUM bit 1: it is a maximum. mac_acc_o is its accumulation buffer, with ACCUMULATORS
//   mac_stride_o                       with PE_OPERANDS: what the address advances by from PE to PE
//   mac_hold_i                         no MAC may be issued
//   result_o, busy_i                   entry of the output queue; the entry is being stored
//   store_start_o, store_last_o, store_ready_i
//                                      store queue: stores the results of result_o; whether it is the packet's last
//                                      store
//   error_o, error_code_o              one cycle: the sequence is aborted with an error
//
// Parameters
//   BUFFERS                            instruction buffers
//   ENTRIES                            entries of the register file
//   INPUT_DEPTH                        activations of an input buffer
//   OUTPUT_DEPTH                       entries of an output queue
//   LINE                               activations in a line of the input buffer
//   REDUCE                             1: the variant has reductions (SPU)
//   BESIDE                             1: reductions run beside MACs of other entries; the sequence goes on
//   MAXIMUM                            1: MACs may keep the largest product
//   ACCUMULATORS                       1: MACs name accumulation buffers, and runs may not write sums
//   SCALAR                             1: there are scalar registers and second turns
//   PE_OPERANDS                        1: the address of a MAC may advance from PE to PE
//   EXTENSION                          bits of the operands for SCALAR and PE_OPERANDS; to be left as it is
//   DATA_WIDTH                         bits of an activation
//   ZERO_POINTS                        1: activations have a zero point, and may have no sign
//   CODING                             bits of sequence_i for ZERO_POINTS; to be left as it is

`default_nettype none

`include "tulle_isa.vh"

module tulle_sequencer #(
  parameter BUFFERS      = 8,
  parameter ENTRIES      = 64,
  parameter INPUT_DEPTH  = 64,
  parameter OUTPUT_DEPTH = 16,
  parameter LINE         = 8,
  parameter REDUCE       = 0,
  parameter MAXIMUM      = 0,
  parameter BESIDE       = 0,
  parameter ACCUMULATORS = 0,
  parameter SCALAR       = 0,
  parameter PE_OPERANDS  = 0,
  parameter EXTENSION    = ((SCALAR != 0) ? `TULLE_BUFFER_EXTENSION_WIDTH + $clog2(INPUT_DEPTH) : 0) +
                           ((PE_OPERANDS != 0) ? $clog2(INPUT_DEPTH) : 0),
  parameter DATA_WIDTH   = 8,
  parameter ZERO_POINTS  = 0,
  parameter CODING       = (ZERO_POINTS != 0) ? DATA_WIDTH + 1 : 0
) (
  input  wire                                        clk_i,
  input  wire                                        rst_ni,

  input  wire                                        abort_i,

  input  wire                                        run_valid_i,
  input  wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] run_buffer_i,
  input  wire [9:0]                                  run_entry_i,
  input  wire                                        run_single_i,
  input  wire [15:0]                                 run_count_i,
  input  wire [15:0]                                 run_hold_i,
  input  wire                                        run_shift_out_i,
  input  wire                                        run_rotate_i,
  input  wire                                        run_writes_i,
  output wire                                        run_next_o,
  output wire                                        run_end_o,

  input  wire                                        load_start_i,
  input  wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] load_buffer_i,
  input  wire [9:0]                                  load_entry_i,
  input  wire                                        load_single_i,
  input  wire [15:0]                                 load_count_i,
  input  wire                                        load_go_i,
  output wire                                        load_end_o,

  output wire [9:0]                                  entry_o,
  input  wire [2*ACCUMULATORS+EXTENSION+MAXIMUM+`TULLE_BUFFER_OPERANDS_WIDTH+4*$clog2(INPUT_DEPTH)+2*$clog2(OUTPUT_DEPTH)-1:0] operands_i,
  input  wire [9:0]                                  next_i,
  output wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] buffer_o,
  input  wire [CODING+$clog2(INPUT_DEPTH)+`TULLE_BUFFER_SEQUENCE_WIDTH-1:0] sequence_i,
  input  wire                                        first_i,
  output wire                                        passed_o,

  output wire                                        input_start_o,
  output wire [15:0]                                 input_address_o,
  output wire [16:0]                                 input_wrap_o,
  output wire [15:0]                                 input_block_o,
  output wire                                        input_zeros_o,
  output wire [DATA_WIDTH:0]                         input_coding_o,
  input  wire                                        input_ready_i,
  input  wire                                        input_near_i,
  input  wire                                        input_idle_i,

  output wire                                        partial_start_o,
  output wire                                        partial_stays_o,
  input  wire                                        partial_idle_i,

  output wire                                        reduce_start_o,
  output wire [1:0]                                  reduce_function_o,
  output wire [3:0]                                  reduce_destination_o,
  input  wire                                        reduce_idle_i,
  input  wire                                        scalar_write_i,
  input  wire [15:0]                                 scalar_i,
  input  wire                                        reduce_ready_i,
  input  wire                                        reduce_owned_i,
  input  wire                                        reduce_awaited_i,

  input  wire                                        operand_open_i,
  output wire                                        operand_flush_o,

  input  wire                                        pe_ready_i,
  input  wire                                        quiet_i,
  output wire                                        mac_start_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]              mac_address_o,
  output wire [$clog2(INPUT_DEPTH):0]                mac_wrap_o,
  output wire                                        mac_resume_o,
  output wire                                        mac_keep_o,
  output wire                                        mac_chain_o,
  output wire [MAXIMUM:0]                            mac_way_o,
  output wire [1:0]                                  mac_acc_o,
  output wire                                        mac_advance_o,
  output wire                                        mac_rotate_o,
  output wire [4:0]                                  mac_buffer_o,
  output wire [$clog2(INPUT_DEPTH)-1:0]              mac_stride_o,
  input  wire                                        mac_hold_i,

  output wire [$clog2(OUTPUT_DEPTH)-1:0]             result_o,
  input  wire                                        busy_i,
  output wire                                        store_start_o,
  output wire                                        store_last_o,
  input  wire                                        store_ready_i,

  output wire                                        error_o,
  output wire [15:0]                                 error_code_o
);

  localparam BUFFER        = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam ENTRY         = $clog2((ENTRIES > 1) ? ENTRIES : 2);
  localparam ADDR          = $clog2(INPUT_DEPTH);
  localparam OUT           = $clog2(OUTPUT_DEPTH);
  localparam TURNS         = (SCALAR != 0) ? 16 : 0;  // bits of the number of turns
  localparam RUNNING_WIDTH = TURNS + ADDR + 16 + OUT; // bits of the running operands of an instruction

  tulle_require #(
    .LEGAL   (LINE >= 1 && LINE <= INPUT_DEPTH && INPUT_DEPTH <= 65536 && (LINE & (LINE - 1)) == 0),
    .MESSAGE ("tulle_sequencer: LINE must be a power of two, 1..INPUT_DEPTH")
  ) u_require_line_power_of_two_1_to_input_depth ();

  tulle_require #(
    .LEGAL   (OUTPUT_DEPTH >= 2 && OUTPUT_DEPTH <= 32768 && (OUTPUT_DEPTH & (OUTPUT_DEPTH - 1)) == 0),
    .MESSAGE ("tulle_sequencer: OUTPUT_DEPTH must be a power of two, 2..32768")
  ) u_require_output_depth_power_of_two_2_to_32768 ();

  tulle_require #(
    .LEGAL   (MAXIMUM == 0 || MAXIMUM == 1),
    .MESSAGE ("tulle_sequencer: MAXIMUM must be 0 or 1")
  ) u_require_maximum_0_or_1 ();

  // -- Fields of the store (tulle_parser describes them) ------------------------------------------------------

  wire              fetch_unfit;
  wire              fetch_soon; // the next instruction is the last of its sequence
  wire [3:0]        fetch_kind;
  wire [1:0]        fetch_flags;
  wire [ADDR-1:0]   fetch_address;
  wire [ADDR-1:0]   fetch_stride;
  wire [ADDR-1:0]   fetch_turn;
  wire [ADDR-1:0]   fetch_wrap;    // 0: the whole input buffer
  wire [15:0]       fetch_inner;
  wire [OUT-1:0]    fetch_result;
  wire [OUT-1:0]    fetch_result_stride;
  wire [ADDR:0]     fetch_block;
  wire [DATA_WIDTH:0] fetch_coding;
  wire              restart;
  wire [4:0]        last_store;
  wire [4:0]        last_mac;
  wire              fetch_maximum;
  wire [1:0]        fetch_acc;

  // Of the extension record
  wire [1:0]        fetch_middle;          // bits 9 and 10 of the instruction
  wire [3:0]        fetch_register;
  wire [3:0]        fetch_result_register;
  wire [15:0]       fetch_outer;
  wire [ADDR-1:0]   fetch_plane;
  wire [ADDR-1:0]   fetch_pe_stride;

  localparam OPERANDS = `TULLE_BUFFER_OPERANDS_WIDTH + 4 * ADDR + 2 * OUT; // without those of MAXIMUM and of the keys

  assign {fetch_unfit, fetch_soon, fetch_kind, fetch_flags, fetch_address, fetch_stride, fetch_turn, fetch_wrap,
          fetch_inner, fetch_result, fetch_result_stride} = operands_i[OPERANDS-1:0];
  assign fetch_maximum = MAXIMUM != 0 && operands_i[OPERANDS+MAXIMUM-1];

  localparam PLAIN  = OPERANDS + MAXIMUM; // operands without those of an extension record
  localparam STRIDE = (PE_OPERANDS != 0) ? ADDR : 0;

  generate
    if (ACCUMULATORS != 0) begin : gen_acc
      assign fetch_acc = operands_i[PLAIN+EXTENSION +: 2];
    end else begin : gen_no_acc
      assign fetch_acc = 2'd0;
    end

    if (PE_OPERANDS != 0) begin : gen_pe_operands
      assign fetch_pe_stride = operands_i[PLAIN +: ADDR];
    end else begin : gen_same_operands
      assign fetch_pe_stride = {ADDR{1'b0}};
    end

    if (SCALAR != 0) begin : gen_extension
      assign {fetch_middle, fetch_register, fetch_result_register, fetch_outer, fetch_plane} =
             operands_i[PLAIN+STRIDE +: `TULLE_BUFFER_EXTENSION_WIDTH+ADDR];
    end else begin : gen_no_extension
      assign {fetch_middle, fetch_register, fetch_result_register, fetch_outer, fetch_plane} = {`TULLE_BUFFER_EXTENSION_WIDTH+ADDR{1'b0}};
    end
  endgenerate

  localparam SEQUENCE = ADDR + `TULLE_BUFFER_SEQUENCE_WIDTH; // without the coding

  assign {fetch_block, restart, last_store, last_mac} = sequence_i[SEQUENCE-1:0];

  generate
    if (ZERO_POINTS != 0) begin : gen_zero_points
      assign fetch_coding = sequence_i[SEQUENCE +: DATA_WIDTH+1];
    end else begin : gen_no_zero_points
      assign fetch_coding = {DATA_WIDTH+1{1'b0}};
    end
  endgenerate

  // -- The two sequences ---------------------------------------------------------------------------------------

  reg              run_active_q;
  reg              run_begins_q;    // in its first iteration
  reg [BUFFER-1:0] run_buffer_q;
  reg [ENTRY-1:0]  run_entry_q;     // the next instruction
  reg              run_last_q;      // the next instruction is the last of the sequence
  reg [4:0]        run_index_q;
  reg [15:0]       run_left_q;      // iterations left after this one
  reg [15:0]       run_hold_q;      // iterations left of those that the weight segment serves
  reg              last_run_q;      // run_left_q is 0, or will be in the next cycle
  reg              last_hold_q;     // run_hold_q likewise
  reg              run_over_q;

  reg              load_active_q;
  reg              load_begins_q;
  reg [BUFFER-1:0] load_buffer_q;
  reg [ENTRY-1:0]  load_first_q;
  reg              load_single_q;
  reg [ENTRY-1:0]  load_entry_q;
  reg              load_last_q;
  reg [15:0]       load_left_q;

  reg  valid_q;    // the stage behind fetch, which is operands or issue, holds an instruction
  reg  load_q;     // the instruction belongs to the load
  reg  single_q;   // it is a run's only instruction, whose write-back cannot be fetched yet
  wire free;       // that stage takes an instruction
  wire load_later; // a later stage holds an instruction of the load

  wire pick_load  = load_active_q && load_go_i && input_near_i && !load_later && !(valid_q && load_q);
  wire pick_run   = !pick_load && run_active_q && pe_ready_i && !(valid_q && single_q);
  wire fetch_load = pick_load && free;
  wire fetch_run  = pick_run && free;
  wire fetch      = (pick_load || pick_run) && free;

  wire run_over   = (pick_run && run_last_q) && free;   // an iteration
  wire load_over  = fetch_load && load_last_q;

  wire last_load  = load_left_q == 16'd0;
  wire run_start  = run_valid_i && !run_active_q;

  assign buffer_o   = pick_load ? load_buffer_q : run_buffer_q;

  wire [ENTRY-1:0] entry = pick_load ? load_entry_q : run_entry_q;

  assign entry_o    = {{10-ENTRY{1'b0}}, entry};
  assign passed_o   = (load_over && load_begins_q) || (run_over && run_begins_q);
  assign run_next_o = (pick_run && run_last_q && last_run_q) && free;

  always @(posedge clk_i) begin
    if (!rst_ni || abort_i) {run_active_q, load_active_q} <= 2'd0;
    else begin
      run_active_q  <= run_start || (run_active_q && !run_next_o);
      load_active_q <= load_start_i || (load_active_q && !(load_over && last_load));
    end
  end

  // The fetch signal arrives late. A run's registers use it only as an enable, and its counts follow a cycle later: an
  // iteration takes two cycles at least. So does the next iteration of a load, which fetches at most every other cycle.
  reg  load_over_q;
  wire run_first  = run_start || run_over;   // the first instruction of an iteration is the next
  wire run_counts = run_start || run_over_q;
  wire run_begins = !run_active_q || run_last_q; // the fetched instruction is the first
  wire run_steps  = run_start || fetch_run;
  wire load_first = load_start_i || load_over_q;

  // Decrements the initial or the remaining counts.
  wire [15:0] run_left_d;
  wire [15:0] run_hold_d;
  wire [15:0] load_left_d;

  tulle_sum #(
    .WIDTH (16)
  ) u_run_left (
    .zero_i   (1'b0),
    .second_i (run_start),
    .a_i      (run_left_q),
    .b_i      (run_count_i),
    .c_i      ({16{1'b1}}),
    .carry_i  (1'b0),
    .sum_o    (run_left_d)
  );

  tulle_sum #(
    .WIDTH (16)
  ) u_run_hold (
    .zero_i   (1'b0),
    .second_i (run_start || run_hold_q == 16'd0),
    .a_i      (run_hold_q),
    .b_i      (run_hold_i),
    .c_i      ({16{1'b1}}),
    .carry_i  (1'b0),
    .sum_o    (run_hold_d)
  );

  tulle_sum #(
    .WIDTH (16)
  ) u_load_left (
    .zero_i   (1'b0),
    .second_i (load_start_i),
    .a_i      (load_left_q),
    .b_i      (load_count_i),
    .c_i      ({16{1'b1}}),
    .carry_i  (1'b0),
    .sum_o    (load_left_d)
  );

  always @(posedge clk_i) begin
    if (run_start)     run_begins_q <= 1'b1;
    else if (run_over) run_begins_q <= 1'b0;
    if (run_start)     run_buffer_q <= run_buffer_i;
    run_over_q <= run_over && rst_ni && !abort_i;
    if (run_counts)    run_left_q <= run_left_d;
    if (run_counts)    run_hold_q <= run_hold_d;
    // Both counts are old or current here, as iterations do not end in two successive cycles.
    if (run_first)     {last_run_q, last_hold_q} <= {run_left_d == 16'd0, run_hold_d == 16'd0};
    // Masks instead of a choice with 0, which would become a reset with a longer condition than the enable.
    if (run_steps) {run_last_q, run_entry_q} <= ({run_single_i, run_entry_i[ENTRY-1:0]} & {ENTRY+1{run_begins}}) |
                                                ({fetch_soon, next_i[ENTRY-1:0]} & {ENTRY+1{!run_begins}});
    if (run_steps) run_index_q <= (run_index_q + 5'd1) & {5{!run_begins}};

    load_over_q <= load_over && rst_ni && !abort_i;
    if (load_start_i)     load_begins_q <= 1'b1;
    else if (load_over_q) load_begins_q <= 1'b0;
    if (load_start_i)   load_buffer_q <= load_buffer_i;
    if (load_first)     load_left_q <= load_left_d;
    if (load_start_i)    {load_single_q, load_first_q} <= {load_single_i, load_entry_i[ENTRY-1:0]};
    if (load_start_i)    {load_last_q, load_entry_q} <= {load_single_i, load_entry_i[ENTRY-1:0]};
    else if (load_over_q) {load_last_q, load_entry_q} <= {load_single_q, load_first_q};
    else if (fetch_load) {load_last_q, load_entry_q} <= {fetch_soon, next_i[ENTRY-1:0]};
  end

  // -- Operands in flight ----------------------------------------------------------------------------------

  reg [ENTRY-1:0]  entry_q;
  reg [3:0]        kind_q;
  reg [1:0]        flags_q;
  reg              unfit_q;
  reg              maximum_q;  // for a load: zeros count
  reg              end_q;      // the last instruction of the packet
  reg              last_q;     // the last store
  reg              advance_q;  // the last MAC that reads the weight segment
  reg              shift_out_q;
  reg              rotate_q;
  reg              writes_q;   // MACs of the run write their sums
  reg [1:0]        acc_q;
  reg [BUFFER-1:0] buffer_q;
  reg [ADDR-1:0]   address_q;
  reg [ADDR-1:0]   stride_q;
  reg [ADDR-1:0]   turn_q;
  reg [15:0]       passed_q;   // iterations since the last turn, including this one
  reg [15:0]       inner_q;
  reg [ADDR-1:0]   wrap_q;
  reg [ADDR:0]     block_q;
  reg [DATA_WIDTH:0] coding_q;
  reg [OUT-1:0]    result_q;
  reg [OUT-1:0]    result_stride_q;
  reg [ADDR-1:0]   pe_stride_q;

  wire             leaves;     // the instruction leaves the stage
  wire [ADDR-1:0]  address_d;
  wire [15:0]      passed_d;
  wire [OUT-1:0]   result_d;

  // The running operands of each instruction, written back when it leaves.
  wire [ADDR-1:0]  kept_address;
  wire [15:0]      kept_passed;
  wire [OUT-1:0]   kept_result;
  wire [RUNNING_WIDTH-1:0] next_running;
  wire [RUNNING_WIDTH-1:0] kept_running;

  tulle_lutram #(
    .WIDTH (RUNNING_WIDTH),
    .DEPTH (ENTRIES)
  ) u_running (
    .clk_i   (clk_i),
    .we_i    (leaves),
    .waddr_i (entry_q),
    .wdata_i (next_running),
    .raddr_i (entry),
    .rdata_o (kept_running)
  );

  assign next_running[ADDR+16+OUT-1:0]             = {address_d, passed_d, result_d};
  assign {kept_address, kept_passed, kept_result} = kept_running[ADDR+16+OUT-1:0];

  wire fresh  = (pick_load ? load_begins_q : run_begins_q) && (restart || first_i);

  always @(posedge clk_i) begin
    if (!rst_ni || abort_i) valid_q <= 1'b0;
    else if (free)          valid_q <= fetch;
  end

  always @(posedge clk_i) begin
    if (free) begin
      load_q          <= pick_load;
      single_q        <= !pick_load && run_single_i;
      entry_q         <= entry;
      kind_q          <= fetch_kind;
      flags_q         <= fetch_flags;
      unfit_q         <= fetch_unfit;
      maximum_q       <= fetch_maximum;
      end_q           <= pick_load ? load_last_q && last_load : run_last_q && last_run_q;
      last_q          <= last_run_q && run_index_q == last_store;
      advance_q       <= last_hold_q && run_index_q == last_mac;
      shift_out_q     <= run_shift_out_i;
      rotate_q        <= run_rotate_i;
      writes_q        <= run_writes_i;
      acc_q           <= fetch_acc;
      buffer_q        <= run_buffer_q;
      stride_q        <= fetch_stride;
      turn_q          <= fetch_turn;
      inner_q         <= fetch_inner;
      wrap_q          <= fetch_wrap;
      block_q         <= fetch_block;
      coding_q        <= fetch_coding;
      result_stride_q <= fetch_result_stride;
      pe_stride_q     <= fetch_pe_stride;
      address_q       <= fresh ? fetch_address : kept_address;
      result_q        <= fresh ? fetch_result  : kept_result;
    end
    if (free && fresh) passed_q <= 16'd1;
    else if (free)     passed_q <= kept_passed;
  end

  // -- The next operands -----------------------------------------------------------------------------------

  // Without an inner count, turn equals stride.
  wire            turns = passed_q == inner_q;
  wire [ADDR-1:0] turn_step; // of a turn: turn, or plane
  wire [ADDR:0]   moved = {1'b0, address_q} - {1'b0, turns ? turn_step : stride_q};

  tulle_sum #(
    .WIDTH (ADDR)
  ) u_wrapped (
    .zero_i   (!moved[ADDR]),
    .second_i (1'b0),
    .a_i      (wrap_q),
    .b_i      ({ADDR{1'b0}}),
    .c_i      (moved[ADDR-1:0]),
    .carry_i  (1'b0),
    .sum_o    (address_d)
  );

  // Increments or restarts; written as a difference for the reason given in tulle_sum.
  assign passed_d  = 16'd0 - ~(passed_q & {16{!turns}});
  assign result_d  = result_q + result_stride_q;

  // -- From the stage behind fetch to issue: scalar registers, and the second turn ----------------------------------

  localparam CARRIED = 19 + DATA_WIDTH + BUFFER + 3 * ADDR; // bits of an instruction that stay as they are

  wire [CARRIED-1:0] carried = {load_q, kind_q, flags_q, unfit_q, maximum_q, end_q, last_q, advance_q, shift_out_q, rotate_q,
                                writes_q, acc_q, buffer_q, coding_q, block_q, pe_stride_q, wrap_q};
  wire [CARRIED-1:0] issued; // the same in the issue stage
  wire               done_here; // the instruction leaves the issue stage

  wire               issue_valid;
  wire               issue_load;
  wire [3:0]         issue_kind;
  wire [1:0]         issue_flags;
  wire               issue_unfit;
  wire               issue_maximum;
  wire               issue_end;
  wire               issue_last;
  wire               issue_shift_out;
  wire               issue_writes;
  wire [BUFFER-1:0]  issue_buffer;
  wire [ADDR:0]      issue_block;
  wire [ADDR-1:0]    issue_wrap;
  wire               beyond;  // the address with the scalar register is not below wrap
  wire [ADDR-1:0]    address; // with the scalar register
  wire [OUT-1:0]     result;

  assign {issue_load, issue_kind, issue_flags, issue_unfit, issue_maximum, issue_end, issue_last, mac_advance_o,
          issue_shift_out, mac_rotate_o, issue_writes, mac_acc_o, issue_buffer, input_coding_o, issue_block, mac_stride_o, issue_wrap} = issued;

  generate
    if (SCALAR != 0) begin : gen_scalar
      reg [3:0]      register_q;
      reg [3:0]      result_register_q;
      reg [15:0]     outer_q;
      reg [ADDR-1:0] plane_q;
      reg [15:0]     rounds_q;     // turns since plane was added, including this one
      reg [1:0]      middle_q;
      reg [15:0]     written_q;    // registers that were written; others are 0
      wire [15:0]    of_address;
      wire [15:0]    of_result;
      wire           planes = rounds_q == outer_q;

      initial {register_q, result_register_q} = 8'd0; // tulle_lutram says why

      always @(posedge clk_i) begin
        if (free) begin
          register_q        <= fetch_register;
          result_register_q <= fetch_result_register;
          outer_q           <= fetch_outer;
          plane_q           <= fetch_plane;
          middle_q          <= fetch_middle;
          rounds_q          <= fresh ? 16'd1 : kept_running[ADDR+16+OUT +: 16];
        end
        if (!rst_ni)             written_q <= 16'd0;
        else if (scalar_write_i) written_q[reduce_destination_o] <= 1'b1;
      end

      tulle_lutram #(
        .WIDTH (16),
        .DEPTH (16)
      ) u_address_registers (
        .clk_i   (clk_i),
        .we_i    (scalar_write_i),
        .waddr_i (reduce_destination_o),
        .wdata_i (scalar_i),
        .raddr_i (register_q),
        .rdata_o (of_address)
      );

      tulle_lutram #(
        .WIDTH (16),
        .DEPTH (16)
      ) u_result_registers (
        .clk_i   (clk_i),
        .we_i    (scalar_write_i),
        .waddr_i (reduce_destination_o),
        .wdata_i (scalar_i),
        .raddr_i (result_register_q),
        .rdata_o (of_result)
      );

      wire [15:0] more        = written_q[register_q] ? of_address : 16'd0;
      wire [15:0] more_result = written_q[result_register_q] ? of_result : 16'd0;

      assign turn_step = planes ? plane_q : turn_q;
      assign next_running[ADDR+16+OUT +: 16] = !turns ? rounds_q : planes ? 16'd1 : rounds_q + 16'd1;

      // The compare stage
      reg                compare_valid_q;
      reg [CARRIED-1:0]  compare_q;
      reg [1:0]          compare_middle_q;
      reg                compare_names_q;  // the instruction adds a register to its address
      reg                compare_sets_q;   // the instruction sets a register
      reg [16:0]         sum_q;
      reg [OUT-1:0]      result_sum_q;
      wire [ADDR-1:0]    compare_wrap = compare_q[ADDR-1:0];

      // The issue stage
      reg                issue_valid_q;
      reg [CARRIED-1:0]  issue_q;
      reg [1:0]          issue_middle_q;
      reg                issue_sets_q;
      reg                beyond_q;
      reg [ADDR-1:0]     issue_address_q;
      reg [OUT-1:0]      issue_result_q;

      wire [11:0] word         = {kind_q, 6'd0, flags_q};
      wire        is_spu       = word[`TULLE_SPU_OPCODE] == `TULLE_SPU_OPCODE_VALUE;
      wire        issue_free   = !issue_valid_q || done_here;
      wire        compare_free = !compare_valid_q || issue_free;
      wire        awaits       = (compare_valid_q && compare_sets_q) || (issue_valid_q && issue_sets_q && !done_here);

      assign leaves = valid_q && compare_free && !awaits;
      assign free   = !valid_q || leaves;

      always @(posedge clk_i) begin
        if (!rst_ni || abort_i) begin
          compare_valid_q <= 1'b0;
          issue_valid_q   <= 1'b0;
        end else begin
          if (compare_free) compare_valid_q <= leaves;
          if (issue_free)   issue_valid_q   <= compare_valid_q;
        end
      end

      always @(posedge clk_i) begin
        if (compare_free) begin
          compare_q        <= carried;
          compare_middle_q <= middle_q;
          compare_names_q  <= register_q != 4'd0;
          compare_sets_q   <= is_spu && {middle_q, flags_q} != 4'd0;
          sum_q            <= {1'b0, more} + {{17-ADDR{1'b0}}, address_q};
          result_sum_q     <= result_q + more_result[OUT-1:0];
        end
        if (issue_free) begin
          issue_q         <= compare_q;
          issue_middle_q  <= compare_middle_q;
          issue_sets_q    <= compare_sets_q;
          beyond_q        <= compare_names_q && sum_q >= {{16-ADDR{1'b0}}, compare_wrap == {ADDR{1'b0}}, compare_wrap};
          issue_address_q <= sum_q[ADDR-1:0];
          issue_result_q  <= result_sum_q;
        end
      end

      assign issued      = issue_q;
      assign issue_valid = issue_valid_q;
      assign beyond      = beyond_q;
      assign address     = issue_address_q;
      assign result      = issue_result_q;
      assign load_later  = (compare_valid_q && compare_q[CARRIED-1]) || (issue_valid_q && issue_load);

      assign reduce_function_o    = issue_kind[1:0];
      assign reduce_destination_o = {issue_middle_q, issue_flags};

      wire unused_scalar = &{1'b0, more_result, word};
    end else begin : gen_no_scalar
      assign issued      = carried;
      assign issue_valid = valid_q;
      assign leaves      = done_here;
      assign free        = !valid_q || done_here;
      assign beyond      = 1'b0;
      assign address     = address_q;
      assign result      = result_q;
      assign load_later  = 1'b0;
      assign turn_step   = turn_q;
      assign reduce_function_o    = 2'd1;
      assign reduce_destination_o = 4'd0;

      wire unused_scalar = &{1'b0, scalar_write_i, scalar_i, fetch_middle, fetch_register, fetch_result_register, fetch_outer,
                             fetch_plane};
    end
  endgenerate

  // -- Issue -----------------------------------------------------------------------------------------------

  localparam [ADDR-1:0] LINE_MASK = LINE - 1;

  wire [11:0] instruction = {issue_kind, 6'd0, issue_flags};
  wire [ADDR:0] wrap      = {issue_wrap == {ADDR{1'b0}}, issue_wrap};
  wire is_mac     = instruction[`TULLE_MAC_OPCODE] == `TULLE_MAC_OPCODE_VALUE;
  wire is_load    = instruction[`TULLE_LD_OPCODE] == `TULLE_LD_OPCODE_VALUE;
  wire is_store   = instruction[`TULLE_ST_OPCODE] == `TULLE_ST_OPCODE_VALUE;
  wire reduces    = REDUCE != 0 && instruction[`TULLE_SPU_OPCODE] == `TULLE_SPU_OPCODE_VALUE;
  wire to_input   = is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_INPUT;
  wire to_buffer  = ACCUMULATORS != 0 && is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_BUFFER;
  wire to_partial = to_buffer || (is_load && instruction[`TULLE_LD_TARGET] == `TULLE_TARGET_ACCUMULATOR);
  wire may_write  = ACCUMULATORS == 0 || issue_writes;
  wire keeps      = instruction[`TULLE_MAC_KEEP] && may_write;
  wire chains     = instruction[`TULLE_MAC_CHAIN] && may_write;
  wire writes     = keeps || chains;
  wire stores     = is_store && issue_shift_out;

  wire refused = issue_valid && (beyond || (to_input && (issue_unfit || (address & LINE_MASK) != {ADDR{1'b0}})));

  // A load within a run, or a reduction: begun, and later complete.
  reg  begun_q;
  wire alone   = !issue_load && (to_input || to_partial || (reduces && BESIDE == 0));
  wire begin_alone = alone && !beyond && !begun_q && quiet_i && !(to_partial && operand_open_i);
  wire complete    = begun_q && input_idle_i && partial_idle_i && (reduce_idle_i || REDUCE == 0);

  always @(posedge clk_i) begin
    if (!rst_ni || abort_i) begun_q <= 1'b0;
    else                    begun_q <= issue_valid && !refused && (begin_alone || (begun_q && !complete));
  end

  // An entry whose reduction has not ended: its result is not there, and its source must not change.
  wire resumes = instruction[`TULLE_MAC_RESUME];
  wire owned   = BESIDE != 0 && ((writes && reduce_owned_i) || (resumes && reduce_awaited_i));
  wire awaited = BESIDE != 0 && reduce_awaited_i;
  wire beside  = BESIDE != 0 && reduces;

  wire ready   = is_mac ? !mac_hold_i && !owned :
                 stores ? store_ready_i && !awaited :
                 beside ? reduce_ready_i :
                 alone  ? complete :
                 issue_load ? input_ready_i :
                          1'b1;

  // The mark of an entry arrives last, since it is read from LUT RAM with a register as address. So it is the last that decides.
  wire needs_entry = is_mac ? writes : stores || beside;
  wire may_leave   = issue_valid && ready && !refused;

  assign done_here = may_leave && !(needs_entry && busy_i);

  assign input_start_o   = issue_valid && to_input && !refused && (issue_load ? input_ready_i : begin_alone);
  assign input_address_o = address17[15:0];
  assign input_wrap_o    = wrap18[16:0];
  assign input_block_o   = block18[15:0];
  assign input_zeros_o   = issue_maximum;
  assign partial_start_o = issue_valid && to_partial && begin_alone;
  assign partial_stays_o = to_buffer;
  assign reduce_start_o  = (BESIDE != 0) ? done_here && reduces : issue_valid && reduces && begin_alone;
  assign operand_flush_o = issue_valid && to_partial && !begun_q;

  wire [16:0] address17 = {{17-ADDR{1'b0}}, address};
  wire [17:0] wrap18    = {{17-ADDR{1'b0}}, wrap};
  wire [17:0] block18   = {{17-ADDR{1'b0}}, issue_block};

  wire [1:0] way    = {issue_maximum, instruction[`TULLE_MAC_BALANCE]};

  assign mac_start_o   = done_here && is_mac;
  assign mac_address_o = address;
  assign mac_wrap_o    = wrap;
  assign mac_resume_o  = instruction[`TULLE_MAC_RESUME];
  assign mac_keep_o    = keeps;
  assign mac_chain_o   = chains;
  assign mac_way_o     = way[MAXIMUM:0];
  assign result_o      = result;
  assign store_start_o = done_here && stores;
  assign store_last_o  = issue_last;

  wire [5:0] buffer6 = {{6-BUFFER{1'b0}}, issue_buffer};
  assign mac_buffer_o = buffer6[4:0];

  assign run_end_o    = done_here && issue_end && !issue_load;
  assign load_end_o   = done_here && issue_end && issue_load;
  assign error_o      = refused;
  assign error_code_o = `TULLE_STATUS_OUT_OF_BUFFER;

  wire unused = &{1'b0, reduce_ready_i, reduce_owned_i, reduce_awaited_i, next_i, run_entry_i, load_entry_i, buffer6, address17, wrap18, block18, instruction,
                  way};

  tulle_assert #(
    .MESSAGE("a load begins when the last one is handed out")
  ) u_load_when_done (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!load_start_i || !load_active_q)
  );

endmodule

`default_nettype wire
