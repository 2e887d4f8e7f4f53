// SPDX-License-Identifier: Apache-2.0
//
// tulle_assert: a property that holds at every rising clock edge out of reset.
//
// In simulation a violation prints the instance (%m), the time and MESSAGE, and ends the run with an error.
// With FORMAL defined it is an assertion of the solver. In synthesis it is nothing.
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
  always @(posedge clk_i) begin
    if (rst_ni) assert (holds_i);
  end
`else
`ifndef SYNTHESIS
  // synthesis translate_off
  always @(posedge clk_i) begin
    if (rst_ni === 1'b1 && holds_i !== 1'b1) begin
      $display("%m: at %0t: violated: %0s", $time, MESSAGE);
      $fatal(1, "assertion violated");
    end
  end
  // synthesis translate_on
`endif
`endif

endmodule

`default_nettype wire
