// SPDX-License-Identifier: Apache-2.0
//
// tulle_assert: checks that a property holds at every rising clock edge outside reset.
//
// In simulation a violation prints the instance (%m), the time and MESSAGE, and ends the run with an error. The first
// edges of a run are not checked, because registers are undefined until reset has passed through the pipeline. With
// FORMAL the property is an assertion for the solver. Synthesis removes it.
//
// With TULLE_TELL_AT_END (Verilator), which is $stop or $finish, a violation ends the run in that way, and the message
// is printed when the model is deleted. The code of an instance then contains no instance name, so that Verilator can
// share it between instances.
//
// Ports
//   clk_i, rst_ni  clock, synchronous reset; the property is not checked in reset
//   holds_i        the property
//
// Parameters
//   MESSAGE        describes the property in the log

`default_nettype none

module tulle_assert #(
  parameter MESSAGE = "assertion"
) (
  input wire clk_i,
  input wire rst_ni,
  input wire holds_i
);

`ifdef FORMAL
  // A proof begins in reset; registers are undefined before the first edge.
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

  // A nonblocking assignment would be lost by the end of the run.
  // verilator lint_off BLKSEQ
  reg violated = 1'b0;

  always @(posedge clk_i) begin
    if (!holds_i) begin
      if (rst_ni && $time >= FIRST) begin
        violated = 1'b1;
        `TULLE_TELL_AT_END;
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
