// SPDX-License-Identifier: Apache-2.0
//
// tulle_closed_count: counts the MACs that are issued to a cluster and the MACs that all its PEs have closed. Both
// counts are modulo 2^NUMBER.
//
// Ports
//   clk_i, rst_ni   clock, synchronous reset
//   issue_i         one cycle: a MAC is issued to all PEs
//   closed_i        bit p, one cycle: PE p closes its oldest MAC
//   issued_o        MACs issued
//   closed_o        MACs closed in all PEs
//
// Parameters
//   PES             PEs of the cluster
//   FLIGHT          maximum number of MACs that are issued to a PE and not closed
//   NUMBER          bits of a count; 2^NUMBER is greater than FLIGHT
//
// Latency: closed_o follows the last PE by two cycles.

`default_nettype none

module tulle_closed_count #(
  parameter PES    = 8,
  parameter FLIGHT = 16,
  parameter NUMBER = 8
) (
  input  wire              clk_i,
  input  wire              rst_ni,

  input  wire              issue_i,
  input  wire [PES-1:0]    closed_i,

  output wire [NUMBER-1:0] issued_o,
  output wire [NUMBER-1:0] closed_o
);

  localparam WIDTH = (FLIGHT > 1) ? $clog2(FLIGHT + 2) : 2;

  tulle_require #(
    .LEGAL   (PES >= 1 && FLIGHT >= 1 && FLIGHT <= 62 && FLIGHT < (1 << NUMBER)),
    .MESSAGE ("tulle_closed_count: FLIGHT must be 1..2^NUMBER - 1, at most 62")
  ) u_require_flight_1_to_numbers ();

  // The counter of each PE is only compared, so it is a linear feedback shift register, which takes one LUT for its
  // feedback. Its 2^WIDTH - 1 states are more than the MACs in flight. The feedback comes from the last two bits, or
  // from the last and the third of five bits.
  localparam OTHER = (WIDTH == 5) ? 2 : WIDTH - 2;

  reg  [NUMBER-1:0] issued_q;
  reg  [NUMBER-1:0] closed_q;
  wire [PES-1:0]    ahead; // PEs that have closed more MACs than the slowest PE
  wire              all = &ahead;

  reg [WIDTH-1:0] state_q; // the count of MACs that all PEs have closed

  always @(posedge clk_i) begin
    if (!rst_ni)  state_q <= {WIDTH{1'b1}};
    else if (all) state_q <= {state_q[WIDTH-2:0], state_q[WIDTH-1] ^ state_q[OTHER]};
  end

  genvar p;
  generate
    for (p = 0; p < PES; p = p + 1) begin : gen_pe
      reg [WIDTH-1:0] pe_state_q;
      reg [WIDTH:0]   count_q;    // MACs closed by this PE and not by all, for the assertion

      always @(posedge clk_i) begin
        if (!rst_ni)           pe_state_q <= {WIDTH{1'b1}};
        else if (closed_i[p]) pe_state_q <= {pe_state_q[WIDTH-2:0], pe_state_q[WIDTH-1] ^ pe_state_q[OTHER]};

        if (!rst_ni)                  count_q <= {WIDTH+1{1'b0}};
        else if (closed_i[p] != all) count_q <= closed_i[p] ? count_q + 1'b1 : count_q - 1'b1;
      end

      assign ahead[p] = pe_state_q != state_q;

      tulle_assert #(
        .MESSAGE ("a PE closes only what was issued")
      ) u_no_overflow (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .holds_i (count_q <= FLIGHT[WIDTH:0])
      );
    end
  endgenerate

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      issued_q <= {NUMBER{1'b0}};
      closed_q <= {NUMBER{1'b0}};
    end else begin
      issued_q <= issued_q + {{NUMBER-1{1'b0}}, issue_i};
      closed_q <= closed_q + {{NUMBER-1{1'b0}}, all};
    end
  end

  assign issued_o = issued_q;
  assign closed_o = closed_q;

endmodule

`default_nettype wire
