// SPDX-License-Identifier: Apache-2.0
//
// tulle_watch: detects that the PEs of a cluster can never proceed. Either a packet of weights violates the pacing
// rule, so that one PE has no room for a word that another PE waits for (queue_overflow), or MACs are issued for
// weights that no packet brings (packet_length).
//
// Ports
//   clk_i, rst_ni          clock, synchronous reset
//   starved_i              bit p: no MAC of PE p can proceed without more weights
//   waiting_i              a word of weights waits for a PE without room
//   feeding_i              a packet of weights is being received
//   unfinished_i           a MAC is issued and not closed
//   moving_i               other work that may resolve the situation is in progress: an issue, a load, a store, or the
//                          clearing after reset, which a store waits for
//   error_o, error_code_o  the situation has lasted for 2^PATIENCE cycles
//
// Parameters
//   PES                    PEs of the cluster
//   PATIENCE               log2 of the cycles to wait, which exceed the delay from a cause to its effect on starved_i

`default_nettype none

`include "tulle_isa.vh"

module tulle_watch #(
  parameter PES      = 8,
  parameter PATIENCE = 6
) (
  input  wire           clk_i,
  input  wire           rst_ni,

  input  wire [PES-1:0] starved_i,
  input  wire           waiting_i,
  input  wire           feeding_i,
  input  wire           unfinished_i,
  input  wire           moving_i,

  output wire           error_o,
  output wire [15:0]    error_code_o
);

  reg                stuck_q;
  reg [PATIENCE-1:0] cycles_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      stuck_q  <= 1'b0;
      cycles_q <= {PATIENCE{1'b0}};
    end else begin
      stuck_q  <= &starved_i && !moving_i && (waiting_i || (unfinished_i && !feeding_i));
      cycles_q <= stuck_q ? cycles_q + 1'b1 : {PATIENCE{1'b0}};
    end
  end

  assign error_o      = &cycles_q;
  assign error_code_o = waiting_i ? `TULLE_STATUS_QUEUE_OVERFLOW : `TULLE_STATUS_PACKET_LENGTH;

endmodule

`default_nettype wire
