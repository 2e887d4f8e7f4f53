// SPDX-License-Identifier: Apache-2.0
//
// tulle_require: stops elaboration if a parameter is illegal.
//
// Verilog-2005 has no elaboration-time assertion that every tool supports, so this module contains the construct that
// each tool stops at. Verilator and Yosys execute an elaboration-time $error and print MESSAGE. All other tools
// (Icarus, vendors' tools) fail to bind a name that does not exist and print its place. Verilator and Icarus name the
// instance by its full path (like %m in simulation), so each instance is named after its rule:
// u_require_depth_at_least_1. Yosys elaborates a module once for all its instances and names none.
//
// Parameters
//   LEGAL    the rule; any value except 0 is legal
//   MESSAGE  the rule in words, beginning with the module's name

`default_nettype none

module tulle_require #(
  parameter LEGAL   = 1,
  parameter MESSAGE = "illegal parameter"
);

  generate
    if (!LEGAL) begin : gen_illegal
`ifdef VERILATOR
      $error("%0s", MESSAGE);
`elsif YOSYS
      $error(MESSAGE);
`else
      wire stop = illegal_parameter.see_the_name_of_this_instance;
`endif
    end
  endgenerate

endmodule

`default_nettype wire
