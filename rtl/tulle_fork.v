// SPDX-License-Identifier: Apache-2.0
//
// tulle_fork: sends each word of a stream to the ports in the word's mask.
//
// Ports
//   clk_i, rst_ni                     clock, synchronous reset
//   valid_i, ready_o, data_i, mask_i  the input stream; bit p of mask_i: port p receives the word
//   valid_o, ready_i                  the output streams, one bit for each port
//   data_o                            the word for all ports
//
// Parameters
//   WIDTH                             bits of a word
//   PORTS                             ports
//
// Latency: one cycle. valid_o and data_o are registers, and the word is stored once for all ports. Each port takes
// the word independently; the next word enters when all ports have taken it. A word with an empty mask is dropped.
// Limits: ready_o depends on ready_i through an and-or of PORTS inputs. Ports that are queues (tulle_fifo) drive
// ready_i from registers, which ends this path.

`default_nettype none

module tulle_fork #(
  parameter WIDTH = 8,
  parameter PORTS = 2
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             valid_i,
  output wire             ready_o,
  input  wire [WIDTH-1:0] data_i,
  input  wire [PORTS-1:0] mask_i,

  output wire [PORTS-1:0] valid_o,
  input  wire [PORTS-1:0] ready_i,
  output wire [WIDTH-1:0] data_o
);

  tulle_require #(
    .LEGAL   (WIDTH >= 1 && PORTS >= 1),
    .MESSAGE ("tulle_fork: WIDTH and PORTS must be at least 1")
  ) u_require_width_and_ports_at_least_1 ();

  reg [PORTS-1:0] pending_q; // ports that have not taken the word yet
  reg [WIDTH-1:0] data_q;

  wire [PORTS-1:0] remaining = pending_q & ~ready_i;

  assign ready_o = remaining == {PORTS{1'b0}};

  always @(posedge clk_i) begin
    if (!rst_ni)                 pending_q <= {PORTS{1'b0}};
    else if (valid_i && ready_o) pending_q <= mask_i;
    else                         pending_q <= remaining;
  end

  always @(posedge clk_i) begin
    if (valid_i && ready_o) data_q <= data_i;
  end

  assign valid_o = pending_q;
  assign data_o  = data_q;

  tulle_stream_check #(
    .WIDTH (WIDTH + PORTS)
  ) u_input_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (valid_i),
    .ready_i (ready_o),
    .data_i  ({mask_i, data_i})
  );

endmodule

`default_nettype wire
