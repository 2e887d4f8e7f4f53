// SPDX-License-Identifier: Apache-2.0
//
// tulle_least_loaded: finds the cluster with the least load among several. It compares one cluster a cycle, in
// repeated rounds.
//
// Ports
//   clk_i, rst_ni         clock, synchronous reset
//   ask_i                 a result is requested; while it is low the last result is discarded
//   mask_i                mask of the clusters to compare, at least one; stable while ask_i is high
//   loads_i               the load of each cluster
//   sent_i, sent_to_i     one cycle: a packet goes to this cluster; its load does not include the packet yet
//   valid_o, which_o      the result, one-hot, as of the end of the last round. Ties go to the first cluster after
//                         the one that was sent to last
//
// Parameters
//   PORTS                 clusters
//   WIDTH                 bits of a load
//   BLIND                 cycles, at most 255, until a packet appears in the loads; for this time it counts as a load
//                         of one
//
// Latency: PORTS + 1 cycles from ask_i to the first result, and PORTS cycles for each further one.

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

  reg [PORTS-1:0] current_q;    // the current cluster, one-hot
  reg [PORT-1:0]  number_q;     // the current cluster's number
  reg [PORT-1:0]  ports_left_q; // clusters left in the round
  reg             found_q;      // a requested cluster was found in this round
  reg [WIDTH:0]   least_q;
  reg [PORTS-1:0] best_q;
  reg             valid_q;
  reg [PORTS-1:0] which_q;
  reg [PORTS-1:0] recent_q; // the cluster that was sent to last
  reg [7:0]       blind_q;  // remaining cycles in which the packet counts

  wire             recent     = (recent_q & current_q) != {PORTS{1'b0}} && blind_q != 8'd0;
  wire [WIDTH:0]   load       = {1'b0, loads_i[WIDTH*number_q +: WIDTH]} + {{WIDTH{1'b0}}, recent};
  wire             better     = (mask_i & current_q) != {PORTS{1'b0}} && (!found_q || load < least_q);
  wire [PORTS-1:0] best       = better ? current_q : best_q;
  wire             round_ends = ports_left_q == {PORT{1'b0}};
  wire             wraps      = number_q == LAST[PORT-1:0];

  // A round begins after the cluster that was sent to last.
  always @(posedge clk_i) begin
    if (!rst_ni) begin
      current_q    <= {{PORTS-1{1'b0}}, 1'b1};
      number_q     <= {PORT{1'b0}};
      ports_left_q <= LAST[PORT-1:0];
      {found_q, valid_q, blind_q} <= 10'd0;
    end else begin
      if (ask_i) begin
        current_q    <= wraps ? {{PORTS-1{1'b0}}, 1'b1} : current_q << 1;
        number_q     <= wraps ? {PORT{1'b0}} : number_q + 1'b1;
        ports_left_q <= round_ends ? LAST[PORT-1:0] : ports_left_q - 1'b1;
      end else begin
        ports_left_q   <= LAST[PORT-1:0];
      end
      found_q <= ask_i && !round_ends && (found_q || better);
      valid_q <= ask_i && (valid_q || round_ends);
      blind_q <= sent_i ? BLIND[7:0] : blind_q - {7'd0, blind_q != 8'd0};
    end
  end

  always @(posedge clk_i) begin
    if (better)         {best_q, least_q} <= {current_q, load};
    if (ask_i && round_ends) which_q <= best;
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
