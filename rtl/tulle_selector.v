// SPDX-License-Identifier: Apache-2.0
//
// tulle_selector: takes packets from a cluster's packet queue and gives each to who it is for: a configuration
// to the parser, an exec packet to the sequencer and the loaders. Checks the command and that a packet has as
// many beats as its sequence consumes. A buffer may trigger another when it is done; a ring of triggers is an
// error. Remembers the cluster's first error and from then on drains whatever
// comes, so that a failed cluster never blocks its row.
//
// Ports
//   clk_i, rst_ni                            clock, synchronous reset
//   beat_valid_i, beat_last_i, beat_ready_o  the packet queue's head; its data goes to the consumers directly
//   command_*_i                              the head's decoded command
//   buffer_o                                 instruction buffer of the packet, from the cycle after its command
//   configured_i, missing_i                  that buffer is configured; needs what this device does not have
//   trigger_i, trigger_buffer_i              when it is done, it starts another buffer
//   config_start_o                           one cycle: the parser begins a payload
//   config_valid_o, config_ready_i           the parser's stream
//   config_done_i, config_error_i, config_code_i
//   exec_start_o, shift_out_o, triggered_o   one cycle: the sequencer begins; flag of the command; the buffer
//                                            was triggered: it runs once, without data
//   exec_done_i                              everything is issued and no loader is at work
//   exec_error_i, exec_code_i
//   operand_valid_o, operand_ready_i         the loaders' stream
//   operand_need_i                           a loader waits for a beat
//   operand_open_i                           the head was used in part
//   operand_flush_o                          drop the rest of the head
//   error_o, error_code_o                    the first error, until reset
//   idle_o                                   between packets
//
// Parameters
//   BUFFERS                                  instruction buffers of the variant
//
// Latency: two cycles from a packet's first beat at the head to its consumer's start.

`default_nettype none

`include "tulle_isa.vh"

module tulle_selector #(
  parameter BUFFERS = 1
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        beat_valid_i,
  input  wire        beat_last_i,
  output wire        beat_ready_o,

  input  wire        command_illegal_i,
  input  wire        command_exec_i,
  input  wire [4:0]  command_buffer_i,
  input  wire        command_shift_out_i,

  output wire [4:0]  buffer_o,
  input  wire        configured_i,
  input  wire        missing_i,
  input  wire        trigger_i,
  input  wire [4:0]  trigger_buffer_i,

  output wire        config_start_o,
  output wire        config_valid_o,
  input  wire        config_ready_i,
  input  wire        config_done_i,
  input  wire        config_error_i,
  input  wire [15:0] config_code_i,

  output wire        exec_start_o,
  output wire        shift_out_o,
  output wire        triggered_o,
  input  wire        exec_done_i,
  input  wire        exec_error_i,
  input  wire [15:0] exec_code_i,

  output wire        operand_valid_o,
  input  wire        operand_ready_i,
  input  wire        operand_need_i,
  input  wire        operand_open_i,
  output wire        operand_flush_o,

  output wire        error_o,
  output wire [15:0] error_code_o,
  output wire        idle_o
);

  tulle_require #(
    .LEGAL   (BUFFERS >= 1 && BUFFERS <= 32),
    .MESSAGE ("tulle_selector: BUFFERS must be 1..32")
  ) u_require_buffers_1_to_32 ();

  localparam [2:0] WAIT    = 3'd0; // for a packet
  localparam [2:0] SELECT  = 3'd1; // its buffer is looked up
  localparam [2:0] CONFIG  = 3'd2; // the parser takes the packet
  localparam [2:0] EXEC    = 3'd3; // the sequence runs
  localparam [2:0] FINISH  = 3'd4; // the packet's last beat is due
  localparam [2:0] STOPPED = 3'd5; // after an error, until reset

  reg [2:0]  state_q;
  reg [2:0]  state_d;
  reg [15:0] code_q;
  reg [15:0] code_d;
  reg        exec_q;      // the packet's command is exec
  reg        shift_out_q;
  reg [4:0]  buffer_q;
  reg        begun_q;     // a beat of the packet was taken
  reg        ended_q;     // its last beat was taken
  reg [5:0]  hops_q;      // buffers that were triggered one by another

  wire in_range = {1'b0, buffer_q} < BUFFERS[5:0];
  wire taken    = beat_valid_i && beat_ready_o;

  // In FINISH: a sequence that took nothing still has one beat, which carried the command.
  wire leftover = !ended_q && (operand_open_i || !begun_q);

  // What is wrong with the buffer that the command names.
  wire [15:0] exec_code   = !configured_i ? `TULLE_STATUS_NOT_CONFIGURED :
                            missing_i     ? `TULLE_STATUS_NO_FEATURE :
                                            `TULLE_STATUS_OK;
  wire [15:0] select_code = !in_range ? `TULLE_STATUS_NOT_CONFIGURED : exec_q ? exec_code : `TULLE_STATUS_OK;
  wire        selected    = state_q == SELECT && select_code == `TULLE_STATUS_OK;

  // The packet is over; what it triggers comes next.
  wire over  = ended_q && !operand_open_i;
  wire chain = state_q == FINISH && over && trigger_i;

  always @* begin
    state_d = state_q;
    code_d  = `TULLE_STATUS_OK;
    case (state_q)
      WAIT: begin
        if (beat_valid_i) begin
          state_d = SELECT;
          if (command_illegal_i) code_d = `TULLE_STATUS_BAD_COMMAND;
        end
      end
      SELECT: begin
        state_d = exec_q ? EXEC : CONFIG;
        code_d  = select_code;
      end
      CONFIG: begin
        if (config_error_i)     code_d  = config_code_i;
        else if (config_done_i) state_d = WAIT;
      end
      EXEC: begin
        if (exec_error_i)                   code_d  = exec_code_i;
        else if (operand_need_i && ended_q) code_d  = `TULLE_STATUS_PACKET_LENGTH;
        else if (exec_done_i)               state_d = FINISH;
      end
      FINISH: begin
        if (over) begin
          state_d = trigger_i ? SELECT : WAIT;
          if (trigger_i && hops_q == BUFFERS[5:0]) code_d = `TULLE_STATUS_BAD_LOOP;
        end else if (!leftover) begin
          code_d = `TULLE_STATUS_PACKET_LENGTH;
        end
      end
      default: state_d = STOPPED;
    endcase
    if (code_d != `TULLE_STATUS_OK) state_d = STOPPED;
  end

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q <= WAIT;
      code_q  <= `TULLE_STATUS_OK;
      begun_q <= 1'b0;
      ended_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q != STOPPED) code_q <= code_d;
      begun_q <= state_q != WAIT && (begun_q || taken);
      ended_q <= state_q != WAIT && (ended_q || (taken && beat_last_i));
    end
  end

  always @(posedge clk_i) begin
    if (state_q == WAIT) begin
      exec_q      <= command_exec_i;
      shift_out_q <= command_shift_out_i;
      buffer_q    <= command_buffer_i;
      hops_q      <= 6'd0;
    end else if (chain) begin
      buffer_q <= trigger_buffer_i;
      hops_q   <= hops_q + 6'd1;
    end
  end

  assign buffer_o        = buffer_q;
  assign shift_out_o     = shift_out_q;
  assign triggered_o     = hops_q != 6'd0;
  assign config_start_o  = selected && !exec_q;
  assign exec_start_o    = selected && exec_q;
  assign config_valid_o  = state_q == CONFIG && beat_valid_i;
  assign operand_valid_o = state_q == EXEC && beat_valid_i && !ended_q;
  assign operand_flush_o = state_q == FINISH;

  assign beat_ready_o = (state_q == CONFIG && config_ready_i) ||
                        (state_q == EXEC && operand_ready_i && !ended_q) ||
                        (state_q == FINISH && leftover) ||
                        state_q == STOPPED;

  assign error_o      = state_q == STOPPED;
  assign error_code_o = code_q;
  assign idle_o       = (state_q == WAIT || state_q == STOPPED) && !beat_valid_i;

endmodule

`default_nettype wire
