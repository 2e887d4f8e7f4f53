// SPDX-License-Identifier: Apache-2.0
//
// In place of tulle_function_lanes: adds the record's multiplier, LATENCY cycles later.

`default_nettype none

module tulle_function_lanes #(
  parameter        LANES     = 4,
  parameter        ACC_WIDTH = 32,
  parameter [15:0] FUNCTIONS = 16'd1,
  parameter        LATENCY   = 5
) (
  input  wire                       clk_i,
  input  wire                       rst_ni,
  input  wire                       record_write_i,
  input  wire [127:0]               record_i,
  output wire                       ready_o,
  input  wire                       enable_i,
  input  wire                       valid_i,
  input  wire [LANES*ACC_WIDTH-1:0] data_i,
  output wire                       valid_o,
  output wire [LANES*ACC_WIDTH-1:0] data_o
);
  reg [LATENCY-1:0]         valid_q;
  reg [LANES*ACC_WIDTH-1:0] data_q [0:LATENCY-1];
  reg [63:0]                add_q;

  wire unused = &{1'b0, record_i, add_q, FUNCTIONS};

  integer e, s;
  always @(posedge clk_i) begin
    if (record_write_i) add_q <= {{32{record_i[63]}}, record_i[63:32]};
    if (record_write_i && rst_ni && valid_q != {LATENCY{1'b0}}) begin
      $display("%m: a record is written while data is under way");
      $fatal(1);
    end
    if (!rst_ni) valid_q <= {LATENCY{1'b0}};
    else if (enable_i) valid_q <= {valid_q[LATENCY-2:0], valid_i};
    if (enable_i) begin
      for (e = 0; e < LANES; e = e + 1)
        data_q[0][e*ACC_WIDTH +: ACC_WIDTH] <= data_i[e*ACC_WIDTH +: ACC_WIDTH] + add_q[ACC_WIDTH-1:0];
      for (s = 1; s < LATENCY; s = s + 1) data_q[s] <= data_q[s-1];
    end
  end

  assign ready_o = 1'b1;
  assign valid_o = valid_q[LATENCY-1];
  assign data_o  = data_q[LATENCY-1];
endmodule

`default_nettype wire
