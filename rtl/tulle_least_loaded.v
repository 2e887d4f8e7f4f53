// SPDX-License-Identifier: Apache-2.0
//
// tulle_least_loaded: which of several clusters has the least to do. Looks at one of them a cycle, over and over.
//
// Ports
//   clk_i, rst_ni         clock, synchronous reset
//   ask_i                 an answer is wanted; while it is low the answer is forgotten
//   mask_i                which clusters are asked for, at least one; stays while ask_i is high
//   loads_i               what each has to do
//   sent_i, sent_to_i     one cycle: a packet goes to that one; its load does not show it yet
//   valid_o, which_o      an answer, one-hot: as things were at the end of the last round. Of equal ones that behind the
//                         one that was sent to last
//
// Parameters
//   PORTS                 clusters
//   WIDTH                 bits of a load
//   BLIND                 cycles, at most 255, that it takes what was sent to show in the loads; so long it counts as one
//
// Latency: PORTS + 1 cycles from ask_i to the first answer, another one every PORTS cycles.

`default_nettype none

module tulle_least_loaded #(
  parameter PORTS = 2,
  parameter WIDTH = 6,
  parameter BLIND = 16
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   ask_i,
  input  wire [PORTS-1:0]       mask_i,
  input  wire [PORTS*WIDTH-1:0] loads_i,
  input  wire                   sent_i,
  input  wire [PORTS-1:0]       sent_to_i,
  output wire                   valid_o,
  output wire [PORTS-1:0]       which_o
);

  localparam PORT = (PORTS > 1) ? $clog2(PORTS) : 1;
  localparam LAST = PORTS - 1;

  tulle_require #(
    .LEGAL   (PORTS >= 1 && WIDTH >= 1 && BLIND >= 1 && BLIND <= 255),
    .MESSAGE ("tulle_least_loaded: PORTS and WIDTH must be at least 1, BLIND 1..255")
  ) u_require_ports_and_width_at_least_1_and_blind_1_to_255 ();

  reg [PORTS-1:0] at_q;     // one-hot: who is looked at
  reg [PORT-1:0]  number_q; // the same
  reg [PORT-1:0]  left_q;   // of the round, behind this one
  reg             some_q;   // one of the round was asked for
  reg [WIDTH:0]   least_q;
  reg [PORTS-1:0] best_q;
  reg             valid_q;
  reg [PORTS-1:0] which_q;
  reg [PORTS-1:0] recent_q; // sent to last
  reg [7:0]       blind_q;  // cycles left in which that counts

  wire             recent = (recent_q & at_q) != {PORTS{1'b0}} && blind_q != 8'd0;
  wire [WIDTH:0]   load   = {1'b0, loads_i[WIDTH*number_q +: WIDTH]} + {{WIDTH{1'b0}}, recent};
  wire             better = (mask_i & at_q) != {PORTS{1'b0}} && (!some_q || load < least_q);
  wire [PORTS-1:0] best   = better ? at_q : best_q;
  wire             round  = left_q == {PORT{1'b0}};
  wire             wraps  = number_q == LAST[PORT-1:0];

  // Rounds begin behind the one that was sent to last.
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      at_q     <= {{PORTS-1{1'b0}}, 1'b1};
      number_q <= {PORT{1'b0}};
      left_q   <= LAST[PORT-1:0];
      some_q   <= 1'b0;
      valid_q  <= 1'b0;
      blind_q  <= 8'd0;
    end else begin
      if (ask_i) begin
        at_q     <= wraps ? {{PORTS-1{1'b0}}, 1'b1} : at_q << 1;
        number_q <= wraps ? {PORT{1'b0}} : number_q + 1'b1;
        left_q   <= round ? LAST[PORT-1:0] : left_q - 1'b1;
      end else begin
        left_q   <= LAST[PORT-1:0];
      end
      some_q  <= ask_i && !round && (some_q || better);
      valid_q <= ask_i && (valid_q || round);
      blind_q <= sent_i ? BLIND[7:0] : blind_q - {7'd0, blind_q != 8'd0};
    end
  end

  always @(posedge clk_i) begin
    if (better)         {best_q, least_q} <= {at_q, load};
    if (ask_i && round) which_q <= best;
    if (sent_i)         recent_q <= sent_to_i;
  end

  assign valid_o = valid_q;
  assign which_o = which_q;

  tulle_assert #(
    .MESSAGE ("somebody is asked for")
  ) u_asked_for (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!ask_i || mask_i != {PORTS{1'b0}})
  );

endmodule

`default_nettype wire
