// SPDX-License-Identifier: Apache-2.0
//
// tulle_selector: takes packets from a cluster's packet queue and routes each to its consumer: weights to the weight
// feeder, configurations and other operands to the activation queue, which passes them to the parser and the loaders.
// It announces the packet's work to the run queue, and checks the command and the packet's preconditions.
//
// A buffer may trigger another buffer, which is announced next; a ring of triggers is an error. After the cluster's
// first error, the selector drains all packets, so that a failed cluster never blocks its row.
//
// A configuration waits until the cluster is idle. A run that takes operands other than weights from its packet must
// be complete before the next packet is processed, because it shares the loaders with all other packets.
//
// Ports
//   clk_i, rst_ni                            clock, synchronous reset
//   beat_valid_i, beat_last_i, beat_ready_o  the packet queue's head; its data go to the consumers directly
//   tag_i, tag_o                             tag of the packet at the head; tag of the current packet
//   command_*_i, count_i                     the head's decoded command, and whether it has no data; its iterations
//   look_buffer_o                            the buffer to look up:
//   configured_i, packet_i, place_i          whether it is configured, its values (tulle_parser), and its entry point
//   buffer_o, place_o, count_o               instruction buffer, entry point and iterations, from the cycle after the
//                                            command; one iteration if the buffer was triggered
//   config_start_o                           one cycle: the parser begins a payload
//   config_done_i                            one cycle: the parser has finished
//   segments_start_o, segments_valid_i, segments_rest_i
//                                            the count of weight segments: begin; valid; has a remainder
//   weight_start_o, weight_ready_i           the weight feeder begins a packet
//   weight_valid_o, weight_beat_ready_i      the stream to the weight feeder
//   operand_valid_o, operand_ready_i         the stream to the activation queue
//   operand_done_i                           one cycle: a packet of operands is consumed
//   run_o, load_o                            one cycle: a run or a load is announced
//   consuming_o                              a run that takes operands is not complete
//   shift_out_o, rotate_o, hold_o            stores happen; weights stay; iterations that a segment serves
//   writes_o                                 MACs of the run write their sums: its buffer does not defer, or the
//                                            packet is the last
//   after_o, after_buffer_o                  the load waits for the runs of this buffer
//   run_ready_i, rotating_i, runs_idle_i     room for a run; a run whose weights stay is not complete; no run is open
//   load_pending_i                           a load is not complete
//   error_i, error_code_i, error_place_i     one cycle: an error of another unit; {packet's tag, in a PE, the PE's
//                                            number}
//   error_o, error_code_o, error_place_o     the first error, until reset
//   idle_o                                   between packets
//
// Parameters
//   BUFFERS                                  instruction buffers of the variant
//   PLACE                                    bits of an entry point
//   ACCUMULATORS                             1: buffers may defer sums to the last packet
//
// Latency: two cycles from a packet's first beat at the head to the start of its consumer.

`default_nettype none

`include "tulle_isa.vh"

module tulle_selector #(
  parameter BUFFERS = 1,
  parameter PLACE    = 1,
  parameter ACCUMULATORS = 0
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        beat_valid_i,
  input  wire        beat_last_i,
  output wire        beat_ready_o,
  input  wire [`TULLE_PACKET_TAG_WIDTH-1:0] tag_i,
  output wire [`TULLE_PACKET_TAG_WIDTH-1:0] tag_o,

  input  wire        command_illegal_i,
  input  wire        command_exec_i,
  input  wire        command_empty_i,
  input  wire [4:0]  command_buffer_i,
  input  wire        command_shift_out_i,
  input  wire        command_last_i,
  input  wire [15:0] count_i,

  output wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] look_buffer_o,
  input  wire        configured_i,
  input  wire [ACCUMULATORS+`TULLE_BUFFER_PACKET_WIDTH+2*$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] packet_i,
  input  wire [PLACE-1:0] place_i,
  output wire [4:0]  buffer_o,
  output wire [PLACE-1:0] place_o,
  output wire [15:0] count_o,

  output wire        config_start_o,
  input  wire        config_done_i,

  output wire        segments_start_o,
  input  wire        segments_valid_i,
  input  wire        segments_rest_i,

  output wire        weight_start_o,
  input  wire        weight_ready_i,
  output wire        weight_valid_o,
  input  wire        weight_beat_ready_i,

  output wire        operand_valid_o,
  input  wire        operand_ready_i,
  input  wire        operand_done_i,

  output wire        run_o,
  output wire        load_o,
  output wire        consuming_o,
  output wire        shift_out_o,
  output wire        rotate_o,
  output wire        writes_o,
  output wire        after_o,
  output wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] after_buffer_o,
  output wire [15:0] hold_o,
  input  wire        run_ready_i,
  input  wire        rotating_i,
  input  wire        runs_idle_i,
  input  wire        load_pending_i,

  input  wire        error_i,
  input  wire [15:0] error_code_i,
  input  wire [`TULLE_PACKET_TAG_WIDTH+4:0] error_place_i,
  output wire        error_o,
  output wire [15:0] error_code_o,
  output wire [`TULLE_PACKET_TAG_WIDTH+4:0] error_place_o,
  output wire        idle_o
);

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32),
    .MESSAGE ("tulle_selector: BUFFERS must be 1..32")
  ) u_require_buffers_1_to_32 ();

  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam FACTS  = `TULLE_BUFFER_PACKET_WIDTH + 2 * BUFFER; // without the bit of ACCUMULATORS

  localparam [2:0] WAIT     = 3'd0; // waits for a packet
  localparam [2:0] SELECT   = 3'd1; // its buffer is looked up; until its consumers can begin
  localparam [2:0] CONFIG   = 3'd2; // the activation queue takes the packet, for the parser
  localparam [2:0] WEIGHTS  = 3'd3; // the weight feeder takes the packet
  localparam [2:0] OPERANDS = 3'd4; // the activation queue takes the packet
  localparam [2:0] DROP     = 3'd5; // drops the beat of a packet without data
  localparam [2:0] FINISH   = 3'd6; // the packet was taken; until a configuration is complete
  localparam [2:0] STOPPED  = 3'd7; // after an error, until reset

  localparam [1:0] KIND_LOAD    = 2'd1;
  localparam [1:0] KIND_WEIGHTS = 2'd2;
  localparam [1:0] KIND_OTHER   = 2'd3;

  reg [2:0]  state_q;
  reg [2:0]  state_d;
  reg [15:0] code_q;
  reg [15:0] code_d;
  reg        fails;
  reg        exec_q;      // the packet's command is exec
  reg        empty_q;     // the exec packet has no data; its only beat holds old ones
  reg        illegal_q;   // the packet's command is illegal
  reg        shift_out_q;
  reg        last_q;      // sums that were deferred are written
  reg [4:0]  buffer_q;
  reg [15:0] count_q;
  reg        counting_q;  // the segment count has begun
  reg        consuming_q; // a run that takes operands is not complete
  reg [5:0]  hops_q;      // number of triggers that followed each other

  // The buffer's values.
  reg               configured_q;
  reg [PLACE-1:0]    from_q;
  reg [ACCUMULATORS+FACTS-1:0] packet_q;

  wire              missing;
  wire              rotate;
  wire [1:0]        kind;
  wire              trigger;
  wire [BUFFER-1:0] trigger_buffer;
  wire              after;
  wire [BUFFER-1:0] after_buffer;
  wire [15:0]       hold;

  assign {missing, rotate, kind, trigger, trigger_buffer, after, after_buffer, hold} = packet_q[FACTS-1:0];

  wire defers = ACCUMULATORS != 0 && packet_q[FACTS+ACCUMULATORS-1];

  wire [5:0] trigger_buffer5 = {{6-BUFFER{1'b0}}, trigger_buffer};

  wire in_range      = {1'b0, buffer_q} < BUFFERS[5:0];
  wire beat_taken    = beat_valid_i && beat_ready_o;
  wire triggered     = hops_q != 6'd0;
  wire no_iterations = count_q == 16'd0; // the packet has no iterations
  wire useless       = ACCUMULATORS != 0 && last_q && !defers && !triggered; // it is the last, and nothing was deferred

  // Errors of the command or of its buffer. They depend on registers only, because the command leaves block RAM late.
  wire [15:0] select_code = illegal_q                  ? `TULLE_STATUS_BAD_COMMAND :
                            !in_range || !configured_q ? `TULLE_STATUS_NOT_CONFIGURED :
                            useless                    ? `TULLE_STATUS_BAD_COMMAND :
                            missing                    ? `TULLE_STATUS_NO_FEATURE :
                                                         `TULLE_STATUS_PACKET_LENGTH;
  wire        takes      = kind != 2'd0 && !no_iterations; // the sequence takes data
  wire        wrong_data = takes == (empty_q || triggered); // it gets none, or the packet has data for nobody
  wire        refused    = illegal_q || !in_range || (exec_q && (!configured_q || missing || useless || wrong_data));
  wire        selected   = state_q == SELECT && !refused;
  wire        executes   = selected && exec_q;
  wire        to_weights = kind == KIND_WEIGHTS && !no_iterations;
  wire        to_load    = kind == KIND_LOAD && !no_iterations;
  wire        to_others  = kind == KIND_OTHER && !no_iterations;

  // All consumers of the packet can begin.
  wire cluster_idle = runs_idle_i && !load_pending_i && weight_ready_i;
  wire counted      = counting_q && segments_valid_i;
  wire can_begin    = !exec_q       ? cluster_idle :
                      no_iterations ? 1'b1 :
                      to_weights    ? run_ready_i && counted && weight_ready_i && !rotating_i :
                      to_load       ? !load_pending_i :
                      to_others     ? run_ready_i && !load_pending_i :
                                      run_ready_i;
  wire begins       = selected && can_begin;

  assign config_start_o   = begins && !exec_q;
  assign segments_start_o = executes && to_weights && !counting_q;
  assign weight_start_o   = begins && exec_q && to_weights;
  assign load_o           = begins && exec_q && to_load;
  assign run_o            = begins && exec_q && !no_iterations && !to_load;

  always @* begin
    state_d = state_q;
    fails   = 1'b0;
    code_d  = select_code;
    case (state_q)
      WAIT: begin
        if (beat_valid_i) state_d = SELECT;
      end
      SELECT: begin
        if (can_begin) state_d = !exec_q        ? CONFIG :
                            triggered      ? FINISH :
                            to_weights     ? WEIGHTS :
                            no_iterations        ? DROP :
                            kind == 2'd0   ? DROP :
                                             OPERANDS;
        fails = refused;
        if (executes && to_weights && counted && segments_rest_i) begin
          fails  = 1'b1;
          code_d = `TULLE_STATUS_PACKET_LENGTH;
        end
      end
      CONFIG, WEIGHTS, OPERANDS: if (beat_taken && beat_last_i) state_d = FINISH;
      DROP: state_d = FINISH;
      FINISH: begin
        if (!exec_q) begin
          if (config_done_i) state_d = WAIT;
        end else if (!consuming_q) begin
          state_d = trigger ? SELECT : WAIT;
          fails   = trigger && hops_q == BUFFERS[5:0];
          code_d  = `TULLE_STATUS_BAD_LOOP;
        end
      end
      default: ;
    endcase
    if (!fails) code_d = error_code_i;
    if (fails || error_i) state_d = STOPPED;
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q     <= WAIT;
      {counting_q, consuming_q} <= 2'd0;
    end else begin
      state_q <= state_d;
      counting_q  <= state_q == SELECT && (counting_q || segments_start_o);
      consuming_q <= (consuming_q && !operand_done_i) || (begins && exec_q && to_others);
    end
  end

  reg [`TULLE_PACKET_TAG_WIDTH-1:0] tag_q;
  reg [`TULLE_PACKET_TAG_WIDTH+4:0] place_q;

  always @(posedge clk_i) begin
    if (state_q != STOPPED) begin
      code_q  <= code_d;
      place_q <= !fails ? error_place_i : {tag_q, 5'd0};
    end
  end

  wire triggers_next = state_q == FINISH && exec_q && !consuming_q && trigger; // a triggered buffer is next, or an error
  wire awaits_packet = state_q == WAIT;

  // The buffer is looked up a cycle before its values are used.
  assign look_buffer_o = awaits_packet ? command_buffer_i[BUFFER-1:0] : trigger_buffer;

  always @(posedge clk_i) begin
    if (awaits_packet || triggers_next) {configured_q, from_q, packet_q} <= {configured_i, place_i, packet_i};
  end

  // Conditions are written out because a register's reset precedes its enable.
  always @(posedge clk_i) begin
    if (awaits_packet) begin
      exec_q      <= command_exec_i;
      empty_q     <= command_empty_i;
      illegal_q   <= command_illegal_i;
      shift_out_q <= command_shift_out_i;
      last_q      <= command_last_i;
      tag_q       <= tag_i;
    end

    if (triggers_next)      buffer_q <= trigger_buffer5[4:0];
    else if (awaits_packet) buffer_q <= command_buffer_i;

    if (triggers_next)      count_q <= 16'd1;
    else if (awaits_packet) count_q <= count_i;

    if (awaits_packet)      hops_q <= 6'd0;
    else if (triggers_next) hops_q <= hops_q + 6'd1;
  end

  assign buffer_o        = buffer_q;
  assign place_o          = from_q;
  assign count_o         = count_q;
  assign consuming_o     = consuming_q;
  assign shift_out_o     = shift_out_q;
  assign rotate_o        = rotate;
  assign writes_o        = ACCUMULATORS == 0 || last_q || !defers;
  assign after_o         = after;
  assign after_buffer_o  = after_buffer;
  assign hold_o          = hold;
  assign weight_valid_o  = state_q == WEIGHTS && beat_valid_i;
  assign operand_valid_o = (state_q == OPERANDS || state_q == CONFIG) && beat_valid_i;

  assign beat_ready_o = (state_q == WEIGHTS && weight_beat_ready_i) ||
                        ((state_q == OPERANDS || state_q == CONFIG) && operand_ready_i) ||
                        state_q == DROP || state_q == STOPPED;

  assign error_o      = state_q == STOPPED;
  assign error_code_o  = code_q;
  assign error_place_o = place_q;
  assign tag_o         = tag_q;
  assign idle_o       = (state_q == WAIT || state_q == STOPPED) && !beat_valid_i;

  wire unused = &{1'b0, trigger_buffer5};

endmodule

`default_nettype wire
