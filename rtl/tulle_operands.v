// SPDX-License-Identifier: Apache-2.0
//
// tulle_operands: passes the beats of one packet to the loaders, piece by piece, and checks that the packet's
// sequence consumes exactly as many beats as there are.
//
// Ports
//   clk_i, rst_ni                       clock, synchronous reset
//   beat_valid_i, beat_last_i, beat_end_i, beat_ready_o, beat_drop_o
//                                       the activation queue; its data go to the loaders directly
//   open_i                              the beat at its head was used in part
//   valid_o, ready_i, drop_i            the stream to the loaders; drop_i drops the rest of the beat
//   need_i                              a loader waits for a piece
//   flush_i                             drop the rest of a beat that was used in part
//   finish_i                            the sequence needs no more beats
//   done_o                              one cycle: the packet is consumed
//   error_o                             one cycle: the packet has more or fewer beats than its sequence consumes
//
// Latency: none for beats; done_o comes at the earliest a cycle after finish_i.

`default_nettype none

module tulle_operands (
  input  wire clk_i,
  input  wire rst_ni,

  input  wire beat_valid_i,
  input  wire beat_last_i,
  input  wire beat_end_i,
  output wire beat_ready_o,
  output wire beat_drop_o,
  input  wire open_i,

  output wire valid_o,
  input  wire ready_i,
  input  wire drop_i,
  input  wire need_i,
  input  wire flush_i,

  input  wire finish_i,
  output wire done_o,
  output wire error_o
);

  reg  ended_q; // the packet's last beat was taken
  wire rest  = open_i && (flush_i || finish_i) && !ready_i;
  wire taken = beat_valid_i && (beat_drop_o || (beat_ready_o && beat_end_i));

  always @(posedge clk_i) begin
    if (!rst_ni) ended_q <= 1'b0;
    else         ended_q <= (ended_q || (taken && beat_last_i)) && !done_o;
  end

  assign valid_o      = beat_valid_i && !ended_q;
  assign beat_ready_o = ready_i && !ended_q;
  assign beat_drop_o  = (drop_i || rest) && !ended_q;
  assign done_o       = finish_i && ended_q;
  assign error_o      = ended_q ? need_i : finish_i && !open_i;

endmodule

`default_nettype wire
