// SPDX-License-Identifier: Apache-2.0
//
// tulle_assert: a property that holds at every rising clock edge out of reset.
//
// In simulation a violation prints the instance (%m), the time and MESSAGE, and ends the run with an error.
// The first edges of a run are not looked at: registers hold anything then, and a reset takes some cycles to get
// through those that follow it. With FORMAL defined it is an assertion of the solver. In synthesis it is nothing.
//
// With TULLE_TELL_AT_END defined (Verilator) a violation stops the run, and prints when the simulation is taken down:
// what an instance does then has no name in it, and code that is the same for many instances is kept once.
//
// Ports
//   clk_i, rst_ni  clock, synchronous reset (the property is not looked at in reset)
//   holds_i        the property
//
// Parameters
//   MESSAGE        what must hold, for the reader of a log

`default_nettype none

module tulle_assert #(
  parameter MESSAGE = "assertion"
) (
  input wire clk_i,
  input wire rst_ni,
  input wire holds_i
);

`ifdef FORMAL
  // Everything begins in reset; what registers hold before the first edge says nothing.
  reg started_q;
  initial started_q = 1'b0;
  always @(posedge clk_i) begin
    started_q <= 1'b1;
    if (started_q && rst_ni) assert (holds_i);
  end
`else
`ifndef SYNTHESIS
  // synthesis translate_off
`ifdef TULLE_TELL_AT_END
  localparam [63:0] FIRST = 64'd40; // four edges of 10 time units

  // Set where it stops, or it would be lost.
  // verilator lint_off BLKSEQ
  reg violated = 1'b0;

  always @(posedge clk_i) begin
    if (!holds_i) begin
      if (rst_ni && $time >= FIRST) begin
        violated = 1'b1;
        $stop;
      end
    end
  end
  // verilator lint_on BLKSEQ

  final if (violated) $display("%m: violated: %0s", MESSAGE);
`else
  localparam [2:0] EDGES = 3'd4;

  reg [2:0] edges_q = 3'd0;

  always @(posedge clk_i) if (edges_q != EDGES) edges_q <= edges_q + 3'd1;

  always @(posedge clk_i) begin
    if (rst_ni === 1'b1 && edges_q == EDGES && holds_i !== 1'b1) begin
      $display("%m: at %0t: violated: %0s", $time, MESSAGE);
      $fatal(1, "assertion violated");
    end
  end
`endif
  // synthesis translate_on
`endif
`endif

endmodule

`default_nettype wire
