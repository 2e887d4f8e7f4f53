// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_slot: reads the base and the size of a slot from the argument registers, a word of 32 bits a cycle.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   begin_i, slot_i           one cycle: read this slot
//   local_i                   with LOCAL_BYTES and begin_i: the slot is the activation bank, which has no arguments. Its base is bit
//                             63, which tells it from memory
//   size_i                    one or more cycles: the base was taken
//   argument_read_o, argument_o, argument_i
//                             number of a word of the argument registers; the word follows in the next cycle
//   value_o                   the base, from three cycles after begin_i; from the cycle after the first size_i on,
//                             the complement of the size
//   soon_o                    value_o of the next cycle, when it changes
//
// Parameters
//   LOCAL_BYTES               bytes of the activation bank; 0: there is none
//
// Limits: size_i may come four cycles after begin_i at the earliest.

`default_nettype none

module tulle_command_slot #(
  parameter LOCAL_BYTES = 0
) (
  input  wire        clk_i,
  input  wire        rst_ni,
  input  wire        begin_i,
  input  wire [2:0]  slot_i,
  input  wire        local_i,
  input  wire        size_i,
  output wire        argument_read_o,
  output wire [5:0]  argument_o,
  input  wire [31:0] argument_i,
  output wire [63:0] value_o,
  output wire [63:0] soon_o
);

  localparam [2:0] LOW       = 3'd0;
  localparam [2:0] HIGH      = 3'd1;
  localparam [2:0] SIZE_LOW  = 3'd2;
  localparam [2:0] SIZE_HIGH = 3'd3;
  localparam [2:0] DONE      = 3'd4;

  reg [2:0]  state_q;
  reg [5:0]  argument_q;
  reg [31:0] low_q;
  reg [63:0] value_q;
  reg        local_q;

  // The bases are words 4, 7, ...; the sizes are words 28, 31, ...
  wire [5:0] base_word = 6'd4 + {3'd0, slot_i} + {2'd0, slot_i, 1'b0};

  always @(posedge clk_i) begin
    if (!rst_ni) state_q <= DONE;
    else begin
      case (state_q)
        LOW:       state_q <= HIGH;
        HIGH:      state_q <= SIZE_LOW;
        SIZE_LOW:  state_q <= SIZE_HIGH;
        SIZE_HIGH: if (size_i) state_q <= DONE;
        default:   state_q <= state_q;
      endcase
      if (begin_i) state_q <= LOW;
    end
  end

  always @(posedge clk_i) begin
    if (begin_i) local_q <= local_i;
  end

  wire [31:0] local_word = (state_q == HIGH) ? 32'h8000_0000 : (state_q == SIZE_LOW) ? LOCAL_BYTES[31:0] : 32'd0;
  wire [31:0] plain      = (LOCAL_BYTES != 0 && local_q) ? local_word : argument_i;

  // The words of a size are complemented as they arrive.
  wire [31:0] word      = plain ^ {32{state_q == SIZE_LOW || state_q == SIZE_HIGH}};
  wire [5:0]  next_word = begin_i ? base_word : argument_q + ((state_q == HIGH) ? 6'd23 : 6'd1);

  always @(posedge clk_i) begin
    if (argument_read_o) argument_q <= next_word;
    if (state_q == LOW || state_q == SIZE_LOW) low_q <= word;
    if (state_q == HIGH || (state_q == SIZE_HIGH && size_i)) value_q <= soon_o;
  end

  assign argument_read_o = begin_i || state_q == LOW || state_q == HIGH || state_q == SIZE_LOW;
  assign argument_o      = next_word;
  assign value_o         = value_q;
  assign soon_o          = {word, low_q};

  tulle_assert #(
    .MESSAGE("the size is not wanted before it can be read")
  ) u_not_too_early (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(size_i && (state_q == LOW || state_q == HIGH || state_q == SIZE_LOW)))
  );

endmodule

`default_nettype wire
