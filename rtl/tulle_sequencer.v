// SPDX-License-Identifier: Apache-2.0
//
// tulle_sequencer: runs the sequence of an instruction buffer as often as the packet says, one instruction a
// cycle when everyone is ready, and keeps each instruction's operands up to date.
//
// Two stages: fetch (the instruction store and the running operands are read) and issue (operands are
// checked, the instruction is handed out, its next operands are written back). A packet begins with the
// operands of the configuration, or goes on with those that the buffer's last packet left (first_i). After
// each iteration the address advances by stride, or by stride + pitch after every `inner` iterations, modulo
// wrap; the result address advances by its own stride, modulo the output queue's depth.
//
// Loads of activations and of partial sums share the packet's data, so they take turns. PEs take their part
// from their issue queues, each at its own pace.
//
// Ports
//   clk_i, rst_ni                      clock, synchronous reset
//   start_i, count_i, shift_out_i      one cycle: begin; iterations; whether stores happen
//   abort_i                            give up: nothing more is issued
//   length_i, block_i, has_store_i, last_store_i
//                                      of the buffer, stable while the sequence runs
//   first_i                            the packet begins with the operands of the configuration
//   run_o                              one cycle: the buffer's operands begin to move
//   index_o, entry_i, fetch_*_i        the instruction store: index of the instruction; its entry, its content
//   instruction_o, is_*_i              the instruction in the issue stage, for the decoder; its format
//   load_start_o, load_*_o             input loader: address, wrap, block; ready, at work
//   load_ready_i, load_idle_i
//   partial_start_o                    loader of partial sums
//   partial_ready_i, partial_idle_i
//   operand_open_i, operand_flush_o    the head beat was used in part; drop the rest of it
//   shift_start_o, shift_last_o        shift-out: a result of each PE comes; the packet's last
//   shift_ready_i
//   issue_start_o, issue_store_o,      all PEs' issue queues: store from, or load into, the output queue
//   issue_address_o, issue_ready_i
//   done_o                             everything is issued
//   error_o, error_code_o              one cycle: the sequence is given up
//
// Parameters
//   ENTRIES                            entries of the register file
//   OUTPUT_DEPTH                       entries of an output queue
//   LINE                               activations in a line of the input buffer
//
// Limits: one correction by wrap is made, so neither stride nor stride + pitch may be larger than wrap;
// otherwise an address leaves the buffer, which is an error when it is used. First operands are within their
// buffers: the parser saw to it.

`default_nettype none

`include "tulle_isa.vh"

module tulle_sequencer #(
  parameter ENTRIES      = 64,
  parameter OUTPUT_DEPTH = 16,
  parameter LINE         = 8
) (
  input  wire                                        clk_i,
  input  wire                                        rst_ni,

  input  wire                                        start_i,
  input  wire [15:0]                                 count_i,
  input  wire                                        shift_out_i,
  input  wire                                        abort_i,

  input  wire [5:0]                                  length_i,
  input  wire [15:0]                                 block_i,
  input  wire                                        has_store_i,
  input  wire [4:0]                                  last_store_i,
  input  wire                                        first_i,
  output wire                                        run_o,

  output wire [4:0]                                  index_o,
  input  wire [9:0]                                  entry_i,
  input  wire [11:0]                                 fetch_instruction_i,
  input  wire [15:0]                                 fetch_address_i,
  input  wire [15:0]                                 fetch_stride_i,
  input  wire [16:0]                                 fetch_step_i,
  input  wire [15:0]                                 fetch_inner_i,
  input  wire [16:0]                                 fetch_wrap_i,
  input  wire [15:0]                                 fetch_result_i,
  input  wire [15:0]                                 fetch_result_stride_i,

  output wire [11:0]                                 instruction_o,
  input  wire                                        is_load_i,
  input  wire                                        is_store_i,

  output wire                                        load_start_o,
  output wire [15:0]                                 load_address_o,
  output wire [16:0]                                 load_wrap_o,
  output wire [15:0]                                 load_block_o,
  input  wire                                        load_ready_i,
  input  wire                                        load_idle_i,

  output wire                                        partial_start_o,
  input  wire                                        partial_ready_i,
  input  wire                                        partial_idle_i,

  input  wire                                        operand_open_i,
  output wire                                        operand_flush_o,

  output wire                                        shift_start_o,
  output wire                                        shift_last_o,
  input  wire                                        shift_ready_i,

  output wire                                        issue_start_o,
  output wire                                        issue_store_o,
  output wire [$clog2((OUTPUT_DEPTH > 1) ? OUTPUT_DEPTH : 2)-1:0] issue_address_o,
  input  wire                                        issue_ready_i,

  output wire                                        done_o,
  output wire                                        error_o,
  output wire [15:0]                                 error_code_o
);

  localparam ENTRY_WIDTH   = $clog2((ENTRIES > 1) ? ENTRIES : 2);
  localparam OUTPUT_WIDTH  = $clog2((OUTPUT_DEPTH > 1) ? OUTPUT_DEPTH : 2);
  localparam RUNNING_WIDTH = 1 + 16 + 16 + OUTPUT_WIDTH; // bits of the running operands of an instruction

  tulle_require #(
    .LEGAL   (LINE >= 1 && LINE <= 65536 && (LINE & (LINE - 1)) == 0),
    .MESSAGE ("tulle_sequencer: LINE must be a power of two, 1..65536")
  ) u_require_line_power_of_two_1_to_65536 ();

  tulle_require #(
    .LEGAL   (OUTPUT_DEPTH >= 2 && OUTPUT_DEPTH <= 32768 && (OUTPUT_DEPTH & (OUTPUT_DEPTH - 1)) == 0),
    .MESSAGE ("tulle_sequencer: OUTPUT_DEPTH must be a power of two, 2..32768")
  ) u_require_output_depth_power_of_two_2_to_32768 ();

  // -- Fetch -----------------------------------------------------------------------------------------------

  reg        fetching_q;
  reg        first_q;     // the operands are those of the configuration
  reg [15:0] remaining_q; // iterations, the present one included
  reg [4:0]  index_q;

  wire issue_free; // the issue stage takes an instruction

  wire fetch        = fetching_q && issue_free;
  wire end_of_pass  = {1'b0, index_q} + 6'd1 == length_i;
  wire last_pass    = remaining_q == 16'd1;
  wire last_store   = last_pass && has_store_i && index_q == last_store_i;

  always @(posedge clk_i) begin
    if (!rst_ni || error_o || abort_i) begin
      fetching_q <= 1'b0;
    end else if (start_i) begin
      fetching_q  <= count_i != 16'd0;
      first_q     <= first_i;
      remaining_q <= count_i;
      index_q     <= 5'd0;
    end else if (fetch) begin
      index_q <= end_of_pass ? 5'd0 : index_q + 5'd1;
      if (end_of_pass) begin
        first_q     <= 1'b0;
        remaining_q <= remaining_q - 16'd1;
        if (last_pass) fetching_q <= 1'b0;
      end
    end
  end

  assign index_o = index_q;
  assign run_o   = start_i && count_i != 16'd0;

  // -- Operands in flight ----------------------------------------------------------------------------------

  reg                   valid_q; // the issue stage holds an instruction
  reg [ENTRY_WIDTH-1:0] entry_q;
  reg [11:0]            instruction_q;
  reg                   last_q;
  reg                   outside_q; // the address left the buffer for good
  reg [15:0]            address_q;
  reg [15:0]            stride_q;
  reg [16:0]            step_q;
  reg [15:0]            inner_q;
  reg [15:0]            passed_q;  // iterations since pitch was added
  reg [16:0]            wrap_q;
  reg [OUTPUT_WIDTH-1:0] result_q;
  reg [OUTPUT_WIDTH-1:0] result_stride_q;

  wire        done_here; // the instruction leaves the issue stage
  wire        outside_d;
  wire [15:0] address_d;
  wire [15:0] passed_d;
  wire [OUTPUT_WIDTH-1:0] result_d;

  wire [ENTRY_WIDTH-1:0] entry = entry_i[ENTRY_WIDTH-1:0];

  // Running operands of each instruction, written back when it leaves.
  wire        kept_outside;
  wire [15:0] kept_address;
  wire [15:0] kept_passed;
  wire [OUTPUT_WIDTH-1:0] kept_result;

  tulle_lutram #(
    .WIDTH (RUNNING_WIDTH),
    .DEPTH (ENTRIES)
  ) u_running (
    .clk_i   (clk_i),
    .we_i    (done_here),
    .waddr_i (entry_q),
    .wdata_i ({outside_d, address_d, passed_d, result_d}),
    .raddr_i (entry),
    .rdata_o ({kept_outside, kept_address, kept_passed, kept_result})
  );

  // A sequence of one instruction fetches what is only now being written back.
  wire bypass = valid_q && entry_q == entry;

  always @(posedge clk_i) begin
    if (!rst_ni || error_o || abort_i) valid_q <= 1'b0;
    else if (issue_free)    valid_q <= fetch;
  end

  always @(posedge clk_i) begin
    if (fetch) begin
      entry_q         <= entry;
      instruction_q   <= fetch_instruction_i;
      last_q          <= last_store;
      stride_q        <= fetch_stride_i;
      step_q          <= fetch_step_i;
      inner_q         <= fetch_inner_i;
      wrap_q          <= fetch_wrap_i;
      result_stride_q <= fetch_result_stride_i[OUTPUT_WIDTH-1:0];
      outside_q       <= first_q ? 1'b0            : bypass ? outside_d : kept_outside;
      address_q       <= first_q ? fetch_address_i : bypass ? address_d : kept_address;
      passed_q        <= first_q ? 16'd0           : bypass ? passed_d  : kept_passed;
      result_q        <= first_q ? fetch_result_i[OUTPUT_WIDTH-1:0] : bypass ? result_d  : kept_result;
    end
  end

  // -- The next operands -----------------------------------------------------------------------------------

  wire [16:0] passed_next = {1'b0, passed_q} + 17'd1;
  wire        pitch_due   = inner_q != 16'd0 && passed_next[15:0] == inner_q;
  wire [18:0] advance     = pitch_due ? {{2{step_q[16]}}, step_q} : {{3{stride_q[15]}}, stride_q};

  // All three candidates at once; the signs choose.
  wire [18:0] moved   = {3'd0, address_q} + advance;
  wire [18:0] raised  = moved + {2'd0, wrap_q};
  wire [18:0] lowered = moved - {2'd0, wrap_q};
  wire [18:0] chosen  = moved[18] ? raised : lowered[18] ? moved : lowered;

  assign outside_d = outside_q || chosen[18:16] != 3'd0;
  assign address_d = chosen[15:0];
  assign passed_d  = pitch_due ? 16'd0 : passed_next[15:0];
  assign result_d  = result_q + result_stride_q;

  // -- Issue -----------------------------------------------------------------------------------------------

  localparam [16:0] LINE_MASK = LINE - 1;

  wire to_input   = is_load_i && instruction_q[`TULLE_LD_TARGET] == `TULLE_TARGET_INPUT;
  wire to_partial = is_load_i && instruction_q[`TULLE_LD_TARGET] == `TULLE_TARGET_ACCUMULATOR;
  wire stores     = is_store_i && shift_out_i;
  wire known      = to_input || to_partial || is_store_i;

  // Blocks, addresses and wraps of a load are whole lines.
  wire [16:0] low_bits    = {1'b0, address_q | block_i} | wrap_q;
  wire        bad_input   = outside_q || {1'b0, address_q} >= wrap_q || {1'b0, block_i} > wrap_q ||
                            block_i == 16'd0 || (low_bits & LINE_MASK) != 17'd0;

  wire ready = to_input   ? load_ready_i && partial_idle_i :
               to_partial ? partial_ready_i && load_idle_i && !operand_open_i && issue_ready_i :
               stores     ? shift_ready_i && issue_ready_i :
                            1'b1;

  wire refused = valid_q && (!known || (to_input && bad_input));

  assign done_here  = valid_q && ready && !refused;
  assign issue_free = !valid_q || done_here;

  assign load_start_o    = done_here && to_input;
  assign load_address_o  = address_q;
  assign load_wrap_o     = wrap_q;
  assign load_block_o    = block_i;
  assign partial_start_o = done_here && to_partial;
  assign operand_flush_o = valid_q && to_partial && load_idle_i;
  assign shift_start_o   = done_here && stores;
  assign shift_last_o    = last_q;
  assign issue_start_o   = done_here && (to_partial || stores);
  assign issue_store_o   = is_store_i;
  assign issue_address_o = result_q;

  assign instruction_o = instruction_q;
  assign done_o        = !fetching_q && !valid_q && !start_i;
  assign error_o       = refused;
  assign error_code_o  = known ? `TULLE_STATUS_OUT_OF_BUFFER : `TULLE_STATUS_NO_FEATURE;

  wire unused = &{1'b0, passed_next[16], fetch_result_i, fetch_result_stride_i, entry_i};

  tulle_assert #(
    .MESSAGE("a sequence begins when the last one is done")
  ) u_start_when_done (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!start_i || (!fetching_q && !valid_q))
  );

endmodule

`default_nettype wire
