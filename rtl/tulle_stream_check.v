// SPDX-License-Identifier: Apache-2.0
//
// tulle_stream_check: checks the rule of every valid/ready stream: an offered word stays unchanged until it is taken.
// Modules that take a stream instantiate it; synthesis removes it.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   valid_i, ready_i, data_i  the stream to check
//
// Parameters
//   WIDTH                     bits of data_i

`default_nettype none

module tulle_stream_check #(
  parameter WIDTH = 1
) (
  input wire             clk_i,
  input wire             rst_ni,
  input wire             valid_i,
  input wire             ready_i,
  input wire [WIDTH-1:0] data_i
);

`ifndef SYNTHESIS
`ifndef FORMAL // Yosys obeys the comment in proofs too.
  // synthesis translate_off
`endif
  reg             stalled_q;
  reg [WIDTH-1:0] data_q;

  always @(posedge clk_i) begin
    stalled_q <= rst_ni && valid_i && !ready_i;
    data_q    <= data_i;
  end

`ifdef FORMAL
  initial stalled_q = 1'b0;
`endif

  tulle_assert #(
    .MESSAGE("valid stays up until ready")
  ) u_valid_stays (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (stalled_q !== 1'b1 || valid_i)
  );

  tulle_assert #(
    .MESSAGE("data is stable while stalled")
  ) u_data_is_stable (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (stalled_q !== 1'b1 || data_q === data_i)
  );
`ifndef FORMAL
  // synthesis translate_on
`endif
`endif

endmodule

`default_nettype wire
