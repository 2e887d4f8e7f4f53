// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_loops: keeps the open loops of a program and the pass that each loop is in. Inner loops have higher
// levels, so the open levels form the nest.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   clear_i                      a program begins
//   next_i                       the low bits of the current record's number
//   level_i                      the level of the current loop or endloop; stable
//   iterations_i                 the iterations of the current loop
//   body_i                       the body length of the current endloop
//   may_begin_o                  the current loop may begin here
//   may_end_o                    the loop of the current endloop is open, is the innermost, and has a body of this
//                                length that fits the buffer
//   begin_i                      the current loop begins
//   end_i                        a pass of the current loop ends; last_o must be read in that cycle
//   last_o                       the current pass is the last one; valid two cycles after level_i
//   open_o                       at least one loop is open
//   index_o                      the pass of each level, counted from 0; 0 if the level is not open
//   keep_o                       the low bits of the lowest record that is still needed
//
// Parameters
//   BUFFER                       records that the program buffer holds, a power of two
//
// A loop that is longer than the buffer is an error. No records are kept for such a loop from the second cycle of the first
// record that does not fit, so that the program proceeds to the error.

`default_nettype none

module tulle_command_loops #(
  parameter BUFFER = 64
) (
  input  wire                    clk_i,
  input  wire                    rst_ni,

  input  wire                    clear_i,
  input  wire [$clog2(BUFFER):0] next_i,
  input  wire [1:0]              level_i,
  input  wire [31:0]             iterations_i,
  input  wire [15:0]             body_i,
  output wire                    may_begin_o,
  output wire                    may_end_o,
  input  wire                    begin_i,
  input  wire                    end_i,
  output wire                    last_o,
  output wire                    open_o,
  output wire [95:0]             index_o,
  output wire [$clog2(BUFFER):0] keep_o
);

  localparam PLACE = $clog2(BUFFER);

  wire [2:0]         open;
  wire [2:0]         broken;
  wire [2:0]         needed;
  wire [2:0]         at     = 3'b001 << level_i;
  wire [2:0]         above  = 3'b110 << level_i;
  wire [3*(PLACE+1)-1:0] keep;
  wire [3*(PLACE+1)-1:0] body;
  wire [95:0]        limit;

  reg [31:0] sum_q;
  reg        last_q;

  wire [31:0] index_here = level_i[1] ? index_o[95:64] : level_i[0] ? index_o[63:32] : index_o[31:0];
  wire [31:0] limit_here = level_i[1] ? limit[95:64]   : level_i[0] ? limit[63:32]   : limit[31:0];
  wire [PLACE:0] body_here = level_i[1] ? body[2*(PLACE+1) +: PLACE+1]
                           : level_i[0] ? body[PLACE+1 +: PLACE+1] : body[PLACE:0];

  always @(posedge clk_i) begin
    sum_q  <= index_here + 32'd1;
    last_q <= sum_q == limit_here;
  end

  genvar l;
  generate
    for (l = 0; l < 3; l = l + 1) begin : gen_level
      reg           open_q;
      reg           broken_q;
      reg           needed_q; // the loop is open and was not broken a cycle ago
      reg [PLACE:0] start_q;
      reg [PLACE:0] keep_q;   // the first record of its body
      reg [31:0]    limit_q;
      reg [31:0]    index_q;

      wire [PLACE:0] distance = next_i - start_q;

      always @(posedge clk_i) begin
        if (!rst_ni || clear_i) begin
          {open_q, needed_q, broken_q, index_q} <= 35'd0;
        end else if (begin_i && at[l]) begin
          {open_q, needed_q}  <= 2'b11;
          {broken_q, index_q} <= 33'd0;
        end else begin
          if (open_q && distance[PLACE]) {needed_q, broken_q} <= 2'b01;
          if (end_i && at[l]) begin
            if (last_q) {open_q, needed_q} <= 2'b00;
            index_q <= last_q ? 32'd0 : sum_q;
          end
        end
        if (begin_i && at[l]) begin
          start_q <= next_i;
          keep_q  <= next_i + 1'b1;
          limit_q <= iterations_i;
        end
      end

      assign open[l]                        = open_q;
      assign broken[l]                      = broken_q || distance[PLACE];
      assign needed[l]                      = needed_q;
      assign keep[(PLACE+1)*l +: PLACE+1]   = keep_q;
      assign body[(PLACE+1)*l +: PLACE+1]   = distance;
      assign limit[32*l +: 32]              = limit_q;
      assign index_o[32*l +: 32]            = index_q;
    end
  endgenerate

  assign may_begin_o = (open & (at | above)) == 3'b000;
  assign may_end_o   = (open & at) != 3'b000 && (open & above) == 3'b000 && (broken & at) == 3'b000 &&
                       body_i == {{15-PLACE{1'b0}}, body_here} && body_i != 16'd1;
  assign last_o      = last_q;
  assign open_o      = open != 3'b000;

  // The outermost loop that can still end without an error. All in registers, because the room of the buffer follows from it.
  assign keep_o = needed[0] ? keep[PLACE:0]
                : needed[1] ? keep[PLACE+1 +: PLACE+1]
                : needed[2] ? keep[2*(PLACE+1) +: PLACE+1] : next_i;

endmodule

`default_nettype wire
