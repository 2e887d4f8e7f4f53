// SPDX-License-Identifier: Apache-2.0
//
// tulle_selector: takes packets from a cluster's packet queue and gives each to who it is for: weights to the weight
// feeder, configurations and other operands to the activation queue, which hands them on to the parser and the loaders;
// and announces to the run queue what the packet has the cluster do. Checks the command and what a packet must have. A
// buffer may trigger another, which is announced next; a ring of triggers is an error. Remembers the cluster's first
// error and from then on drains whatever comes, so that a failed cluster never blocks its row.
//
// A configuration waits until the cluster is at rest. A run that takes operands, other than weights,
// from its packet must be complete before the next packet is looked at: it shares the loaders with all others.
//
// Ports
//   clk_i, rst_ni                            clock, synchronous reset
//   beat_valid_i, beat_last_i, beat_ready_o  the packet queue's head; its data goes to the consumers directly
//   tag_i, tag_o                             what the packet at the head is told apart by; the packet that is looked at
//   command_*_i, count_i                     the head's decoded command; iterations
//   look_buffer_o                            the buffer that is next,
//   configured_i, packet_i, place_i          whether it is configured, what it does (tulle_parser), how it begins
//   buffer_o, place_o, count_o               instruction buffer, how it begins, and iterations, from the cycle after
//                                            the command; one iteration when it was triggered
//   config_start_o                           one cycle: the parser begins a payload
//   config_done_i                            one cycle: it is through
//   segments_start_o, segments_valid_i, segments_rest_i
//                                            count of weight segments: begin; there; it does not divide
//   weight_start_o, weight_ready_i           the weight feeder begins a packet
//   weight_valid_o, weight_beat_ready_i      its stream
//   operand_valid_o, operand_ready_i         the activation queue's stream
//   operand_done_i                           one cycle: a packet of operands is consumed
//   run_o, load_o                            one cycle: a run, a load is announced
//   consuming_o                              a run that takes operands is not complete
//   shift_out_o, rotate_o, hold_o            stores happen; weights stay; iterations that a segment serves
//   after_o, after_buffer_o                  it waits for the runs of that buffer
//   run_ready_i, rotating_i, runs_idle_i     room for a run; one whose weights stay is not complete; none at all is
//   load_pending_i                           a load is not complete
//   error_i, error_code_i, error_place_i     one cycle: somebody else's error; {packet's tag, in a PE, which one}
//   error_o, error_code_o, error_place_o     the first error, until reset
//   idle_o                                   between packets
//
// Parameters
//   BUFFERS                                  instruction buffers of the variant
//   PLACE                                    bits that say how one begins
//
// Latency: two cycles from a packet's first beat at the head to its consumer's start.

`default_nettype none

`include "tulle_isa.vh"

module tulle_selector #(
  parameter BUFFERS = 1,
  parameter PLACE    = 1
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        beat_valid_i,
  input  wire        beat_last_i,
  output wire        beat_ready_o,
  input  wire [5:0]  tag_i,
  output wire [5:0]  tag_o,

  input  wire        command_illegal_i,
  input  wire        command_exec_i,
  input  wire [4:0]  command_buffer_i,
  input  wire        command_shift_out_i,
  input  wire [15:0] count_i,

  output wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] look_buffer_o,
  input  wire        configured_i,
  input  wire [22+2*$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] packet_i,
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
  output wire        after_o,
  output wire [$clog2((BUFFERS > 1) ? BUFFERS : 2)-1:0] after_buffer_o,
  output wire [15:0] hold_o,
  input  wire        run_ready_i,
  input  wire        rotating_i,
  input  wire        runs_idle_i,
  input  wire        load_pending_i,

  input  wire        error_i,
  input  wire [15:0] error_code_i,
  input  wire [10:0] error_place_i,
  output wire        error_o,
  output wire [15:0] error_code_o,
  output wire [10:0] error_place_o,
  output wire        idle_o
);

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32),
    .MESSAGE ("tulle_selector: BUFFERS must be 1..32")
  ) u_require_buffers_1_to_32 ();

  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  localparam [2:0] WAIT     = 3'd0; // for a packet
  localparam [2:0] SELECT   = 3'd1; // its buffer is looked up; until its consumers can begin
  localparam [2:0] CONFIG   = 3'd2; // the activation queue takes the packet, for the parser
  localparam [2:0] WEIGHTS  = 3'd3; // the weight feeder does
  localparam [2:0] OPERANDS = 3'd4; // the activation queue does
  localparam [2:0] DROP     = 3'd5; // nobody does: one beat
  localparam [2:0] FINISH   = 3'd6; // everything was taken; until a configuration is through
  localparam [2:0] STOPPED  = 3'd7; // after an error, until reset

  localparam [1:0] KIND_LOAD    = 2'd1;
  localparam [1:0] KIND_WEIGHTS = 2'd2;
  localparam [1:0] KIND_OTHER   = 2'd3;

  reg [2:0]  state_q;
  reg [2:0]  state_d;
  reg [15:0] code_q;
  reg [15:0] code_d;
  reg        fails;
  reg        exec_q;      // the packet's command is exec,
  reg        illegal_q;   // or none at all
  reg        shift_out_q;
  reg [4:0]  buffer_q;
  reg [15:0] count_q;
  reg        counting_q;  // segments are counted, or have been
  reg        consuming_q; // a run that takes operands is not complete
  reg [5:0]  hops_q;      // buffers that were triggered one by another

  // What is known of the buffer.
  reg               configured_q;
  reg [PLACE-1:0]    from_q;
  reg [22+2*BUFFER-1:0] packet_q;

  wire              missing;
  wire              rotate;
  wire [1:0]        kind;
  wire              trigger;
  wire [BUFFER-1:0] trigger_buffer;
  wire              after;
  wire [BUFFER-1:0] after_buffer;
  wire [15:0]       hold;

  assign {missing, rotate, kind, trigger, trigger_buffer, after, after_buffer, hold} = packet_q;

  wire [5:0] trigger_buffer5 = {{6-BUFFER{1'b0}}, trigger_buffer};

  wire in_range  = {1'b0, buffer_q} < BUFFERS[5:0];
  wire taken     = beat_valid_i && beat_ready_o;
  wire triggered = hops_q != 6'd0;
  wire nothing   = count_q == 16'd0; // to be done

  // What is wrong with the command, or with the buffer that it names. Only from registers: the command comes late out of block RAM.
  wire [15:0] select_code = illegal_q                  ? `TULLE_STATUS_BAD_COMMAND :
                            !in_range || !configured_q ? `TULLE_STATUS_NOT_CONFIGURED :
                            missing                    ? `TULLE_STATUS_NO_FEATURE :
                                                         `TULLE_STATUS_PACKET_LENGTH;
  wire        refused     = illegal_q || !in_range || (exec_q && (!configured_q || missing || (triggered && kind != 2'd0)));
  wire        selected    = state_q == SELECT && !refused;
  wire        executes    = selected && exec_q;
  wire        to_weights  = kind == KIND_WEIGHTS && !nothing;
  wire        to_load     = kind == KIND_LOAD && !nothing;
  wire        to_others   = kind == KIND_OTHER && !nothing;

  // Everyone that the packet needs can begin.
  wire rested = runs_idle_i && !load_pending_i && weight_ready_i;
  wire counted = counting_q && segments_valid_i;
  wire able   = !exec_q    ? rested :
                nothing    ? 1'b1 :
                to_weights ? run_ready_i && counted && weight_ready_i && !rotating_i :
                to_load    ? !load_pending_i :
                to_others  ? run_ready_i && !load_pending_i :
                             run_ready_i;
  wire go     = selected && able;

  assign config_start_o   = go && !exec_q;
  assign segments_start_o = executes && to_weights && !counting_q;
  assign weight_start_o   = go && exec_q && to_weights;
  assign load_o           = go && exec_q && to_load;
  assign run_o            = go && exec_q && !nothing && !to_load;

  always @* begin
    state_d = state_q;
    fails   = 1'b0;
    code_d  = select_code;
    case (state_q)
      WAIT: begin
        if (beat_valid_i) state_d = SELECT;
      end
      SELECT: begin
        if (able) state_d = !exec_q        ? CONFIG :
                            triggered      ? FINISH :
                            to_weights     ? WEIGHTS :
                            nothing        ? DROP :
                            kind == 2'd0   ? DROP :
                                             OPERANDS;
        fails = refused;
        if (executes && to_weights && counted && segments_rest_i) begin
          fails  = 1'b1;
          code_d = `TULLE_STATUS_PACKET_LENGTH;
        end
      end
      CONFIG, WEIGHTS, OPERANDS: if (taken && beat_last_i) state_d = FINISH;
      DROP: begin
        state_d = FINISH;
        fails   = !beat_last_i;
        code_d  = `TULLE_STATUS_PACKET_LENGTH;
      end
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
      counting_q  <= 1'b0;
      consuming_q <= 1'b0;
    end else begin
      state_q <= state_d;
      counting_q  <= state_q == SELECT && (counting_q || segments_start_o);
      consuming_q <= (consuming_q && !operand_done_i) || (go && exec_q && to_others);
    end
  end

  reg [5:0]  tag_q;
  reg [10:0] place_q;

  always @(posedge clk_i) begin
    if (state_q != STOPPED) begin
      code_q  <= code_d;
      place_q <= !fails ? error_place_i : {tag_q, 5'd0};
    end
  end

  wire follows = state_q == FINISH && exec_q && !consuming_q && trigger; // a triggered buffer, or an error
  wire comes   = state_q == WAIT;

  // Looked up a cycle before it is looked at.
  assign look_buffer_o = comes ? command_buffer_i[BUFFER-1:0] : trigger_buffer;

  always @(posedge clk_i) begin
    if (comes || follows) {configured_q, from_q, packet_q} <= {configured_i, place_i, packet_i};
  end

  // Written out because the reset of a register goes before its enable.
  always @(posedge clk_i) begin
    if (comes) begin
      exec_q      <= command_exec_i;
      illegal_q   <= command_illegal_i;
      shift_out_q <= command_shift_out_i;
      tag_q       <= tag_i;
    end

    if (follows)    buffer_q <= trigger_buffer5[4:0];
    else if (comes) buffer_q <= command_buffer_i;

    if (follows)    count_q <= 16'd1;
    else if (comes) count_q <= count_i;

    if (comes)        hops_q <= 6'd0;
    else if (follows) hops_q <= hops_q + 6'd1;
  end

  assign buffer_o        = buffer_q;
  assign place_o          = from_q;
  assign count_o         = count_q;
  assign consuming_o     = consuming_q;
  assign shift_out_o     = shift_out_q;
  assign rotate_o        = rotate;
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
