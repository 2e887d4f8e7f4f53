// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_loops: the open loops of a program, and the pass that each is in. An inner loop has a higher level, so
// the open levels are the nest.
//
// Ports
//   clk_i, rst_ni                clock, synchronous reset
//   clear_i                      a program begins
//   next_i                       number of the record at hand, its low bits
//   level_i                      of the loop or endloop at hand; stays
//   iterations_i                 of the loop at hand
//   body_i                       of the endloop at hand
//   may_begin_o                  such a loop may begin here
//   may_end_o                    such a loop is open, is the innermost one and has such a body, that fits the buffer
//   begin_i                      it begins
//   end_i                        a pass of it ends; last_o is to be looked at in that cycle
//   last_o                       that is the last one; two cycles after level_i was there
//   open_o                       some loop is open
//   index_o                      the pass of each level, from 0; 0 when it is not open
//   keep_o                       the lowest record that is still needed, its low bits
//
// Parameters
//   BUFFER                       records that the program buffer holds, a power of two
//
// A loop that has become longer than the buffer can never end well. Nothing is kept for it, so that the program goes
// on to where the error is.

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
  wire [2:0]         at     = 3'b001 << level_i;
  wire [2:0]         above  = 3'b110 << level_i;
  wire [3*(PLACE+1)-1:0] start;
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
      reg [PLACE:0] start_q;
      reg [31:0]    limit_q;
      reg [31:0]    index_q;

      wire [PLACE:0] distance = next_i - start_q;

      always @(posedge clk_i) begin
        if (!rst_ni || clear_i) begin
          open_q   <= 1'b0;
          broken_q <= 1'b0;
          index_q  <= 32'd0;
        end else if (begin_i && at[l]) begin
          open_q   <= 1'b1;
          broken_q <= 1'b0;
          index_q  <= 32'd0;
        end else begin
          if (open_q && distance[PLACE]) broken_q <= 1'b1;
          if (end_i && at[l]) begin
            open_q  <= !last_q;
            index_q <= last_q ? 32'd0 : sum_q;
          end
        end
        if (begin_i && at[l]) begin
          start_q <= next_i;
          limit_q <= iterations_i;
        end
      end

      assign open[l]                        = open_q;
      assign broken[l]                      = broken_q || distance[PLACE];
      assign start[(PLACE+1)*l +: PLACE+1]  = start_q;
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

  // The outermost loop that may still end well.
  wire [2:0]     needed = open & ~broken;
  wire [PLACE:0] first  = needed[0] ? start[PLACE:0]
                        : needed[1] ? start[PLACE+1 +: PLACE+1] : start[2*(PLACE+1) +: PLACE+1];

  assign keep_o = (needed != 3'b000) ? first + 1'b1 : next_i;

endmodule

`default_nettype wire
