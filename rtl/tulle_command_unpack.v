// SPDX-License-Identifier: Apache-2.0
//
// tulle_command_unpack: makes records of the packed operations of a program (docs/isa.md, "Packed programs"), which begin with
// number 16. Their lines wait in a queue, and words leave it one or two at a time. A record is written to the program buffer in
// eight parts of 64 bits, which are the words of an earlier record or new ones. Its check word is made here, so that it is wrong
// if the record is not as it was packed.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   start_i                   one cycle: a program begins, and nothing of another one is on its way
//   line_valid_i, line_i      beats of lines in order; there is room for them
//   line_end_i                the last beat of a line, when no beat failed so far: words of the line may be used
//   last_i                    number of the program's last operation
//   keep_i                    the low bits of the lowest record number still needed; it never decreases
//   used_o                    the low bits of the number of lines that have left the queue
//   starved_o                 a word is missing that no line has brought, and no record is on its way
//   rest_o                    no word of the newest line was used
//   write_o, place_o, part_o  parts of the record at this place of the program buffer
//   record_o                  one cycle: the last part of a record is written
//
// Parameters
//   MEM                       bits of a memory beat: 64, 128, 256, 512
//   LINES                     lines that the queue holds, a power of two, at most 16
//   BUFFER                    records that the program buffer holds
//
// Latency: a record takes 11 cycles when its words are there.

`default_nettype none

`include "tulle_isa.vh"

module tulle_command_unpack #(
  parameter MEM    = 512,
  parameter LINES  = 16,
  parameter BUFFER = 64
) (
  input  wire                          clk_i,
  input  wire                          rst_ni,

  input  wire                          start_i,
  input  wire                          line_valid_i,
  input  wire [MEM-1:0]                line_i,
  input  wire                          line_end_i,
  input  wire [`TULLE_PLACE_WIDTH-1:0] last_i,
  input  wire [$clog2(BUFFER):0]       keep_i,
  output wire [4:0]                    used_o,
  output wire                          starved_o,
  output wire                          rest_o,
  output wire [7:0]                    write_o,
  output wire [$clog2(BUFFER)-1:0]     place_o,
  output wire [63:0]                   part_o,
  output wire                          record_o
);

  localparam NUMBER = `TULLE_PLACE_WIDTH;
  localparam PLACE  = $clog2(BUFFER);
  localparam PARTS  = MEM / 64;       // of a beat
  localparam BEATS  = LINES * 512 / MEM;
  localparam [NUMBER-1:0] FIRST = 16; // number of the first packed operation

  // -- Lines ---------------------------------------------------------------------------------------------

  reg  [$clog2(BEATS)-1:0] beat_q;  // where the next beat goes
  reg  [4:0]  lines_q;              // whole lines that came
  reg  [7:0]  next_q;               // the part that is read from the queue next, twice as many as it holds
  reg         there_q;              // a part of two words is at the queue's output
  wire [63:0] pair;
  wire        pop;
  wire        left  = next_q != {lines_q, 3'd0};
  wire        reads = left && (!there_q || pop);

  always @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      beat_q  <= {$clog2(BEATS){1'b0}};
      lines_q <= 5'd0;
      next_q  <= 8'd0;
      there_q <= 1'b0;
    end else begin
      if (line_valid_i) beat_q  <= beat_q + 1'b1;
      if (line_end_i)   lines_q <= lines_q + 5'd1;
      if (reads)        next_q  <= next_q + 8'd1;
      there_q <= reads || (there_q && !pop);
    end
  end

  tulle_block_ram #(
    .WIDTH  (MEM),
    .PIECES (PARTS),
    .DEPTH  (BEATS)
  ) u_lines (
    .clk_i   (clk_i),
    .we_i    (line_valid_i),
    .waddr_i (beat_q),
    .wdata_i (line_i),
    .re_i    (reads),
    .raddr_i (next_q[$clog2(LINES)+2:0]),
    .rdata_o (pair)
  );

  wire [7:0] unused_parts = {lines_q, 3'd0} - next_q + {7'd0, there_q};

  assign used_o = next_q[7:3];
  assign rest_o = unused_parts[7:3] != 5'd0;

  // -- Words ---------------------------------------------------------------------------------------------

  localparam [1:0] HEAD  = 2'd0; // the head of a record
  localparam [1:0] LEAD  = 2'd1; // the first part of the earlier record is read
  localparam [1:0] MERGE = 2'd2; // a part of the record is made
  localparam [1:0] SEAL  = 2'd3; // its check word is made

  reg  [1:0]  state_q;
  reg  [2:0]  at_q;       // the part
  reg  [NUMBER-1:0] number_q; // of the record
  reg  [5:0]  known_q;    // records before it, at most 63
  reg         half_q;     // the second word of the part that left last was not used
  reg  [31:0] word_q;     // that word
  reg  [15:0] mask_q;     // of the words that come, from this part on
  reg  [5:0]  distance_q;
  reg         blank_q;    // there is no earlier record
  reg         far_q;      // though the head names one
  reg  [10:0] check_q;
  reg  [31:0] sum_q;      // exclusive or of the words so far
  reg  [31:0] low_q;      // the last part's first word

  wire [PLACE:0] waiting = number_q[PLACE:0] - keep_i;
  wire        room  = waiting < BUFFER[PLACE:0];
  wire        more  = number_q <= last_i;
  wire        head  = state_q == HEAD && room && more;
  wire        merge = state_q == MERGE;
  wire [1:0]  wants = head ? 2'd1 : merge ? {1'b0, mask_q[0]} + {1'b0, mask_q[1]} : 2'd0;
  wire        has   = there_q || wants == 2'd0 || (wants == 2'd1 && half_q);
  wire        goes  = has && (head || merge);
  wire [31:0] first  = half_q ? word_q : pair[31:0];
  wire [31:0] second = half_q ? pair[31:0] : pair[63:32];

  assign pop = goes && (wants == 2'd2 || (wants == 2'd1 && !half_q));

  // -- Records -------------------------------------------------------------------------------------------

  wire [63:0] earlier;
  wire [63:0] kept  = blank_q ? 64'd0 : earlier;
  wire [31:0] low   = mask_q[0] ? first : kept[31:0];
  wire [31:0] high  = mask_q[1] ? (mask_q[0] ? second : first) : kept[63:32];
  wire        last  = at_q == 3'd7;
  wire [31:0] seal  = sum_q ^ `TULLE_CHECK_SEED ^ {{32-NUMBER{1'b0}}, number_q};
  wire [10:0] fold  = seal[10:0] ^ seal[21:11] ^ {1'b0, seal[31:22]};
  wire        seals = state_q == SEAL;
  wire        wrong = fold != check_q || far_q;

  always @(posedge clk_i) begin
    if (!rst_ni || start_i) begin
      state_q  <= HEAD;
      number_q <= FIRST;
      known_q  <= 6'd0;
      half_q   <= 1'b0;
    end else begin
      case (state_q)
        HEAD:    if (goes) state_q <= LEAD;
        LEAD:    state_q <= MERGE;
        MERGE:   if (goes && last) state_q <= SEAL;
        default: state_q <= HEAD;
      endcase
      if (pop)                                half_q <= wants == 2'd1 || half_q;
      else if (goes && wants == 2'd1)         half_q <= 1'b0;
      if (seals) number_q <= number_q + 1'b1;
      if (seals) known_q  <= known_q + {5'd0, known_q != 6'd63};
    end
  end

  always @(posedge clk_i) begin
    blank_q <= (state_q == LEAD) ? distance_q == 6'd0 || distance_q > known_q : blank_q;
    far_q   <= (state_q == LEAD) ? distance_q > known_q : far_q;
    if (pop) word_q <= pair[63:32];
    if (goes && head) begin
      mask_q     <= {1'b0, first[14:0]};
      distance_q <= first[20:15];
      check_q    <= first[31:21];
      sum_q      <= 32'd0;
      at_q       <= 3'd0;
    end
    if (goes && merge) begin
      mask_q <= {2'b00, mask_q[15:2]};
      sum_q  <= last ? sum_q ^ low : sum_q ^ low ^ high;
      low_q  <= low;
      if (!last) at_q <= at_q + 3'd1;
    end
    if (!rst_ni || start_i) at_q <= 3'd0;
  end

  // -- Parts on their way to the program buffer -------------------------------------------------------------

  reg        write_q;
  reg        done_q;
  reg [2:0]  part_at_q;
  reg [63:0] part_q;
  reg [PLACE-1:0] place_q;
  reg [5:0]  written_q; // the low bits of the record's number
  wire       merges = goes && merge && !last;

  always @(posedge clk_i) begin
    write_q   <= rst_ni && !start_i && (merges || seals);
    done_q    <= rst_ni && !start_i && seals;
    part_at_q <= at_q;
    part_q    <= seals ? {seal ^ {31'd0, wrong}, low_q} : {high, low};
    place_q   <= number_q[PLACE-1:0];
    written_q <= number_q[5:0];
  end

  // The records before this one, of which the next part is read while one is made.
  wire [2:0] ahead = (state_q == LEAD) ? 3'd0 : at_q + 3'd1;
  wire [5:0] other = number_q[5:0] - distance_q;

  tulle_block_ram #(
    .WIDTH (64),
    .DEPTH (512)
  ) u_earlier (
    .clk_i   (clk_i),
    .we_i    (write_q),
    .waddr_i ({written_q, part_at_q}),
    .wdata_i (part_q),
    .re_i    (state_q == LEAD || merges),
    .raddr_i ({other, ahead}),
    .rdata_o (earlier)
  );

  wire [4:0] lines_here = lines_q - next_q[7:3];

  tulle_assert #(
    .MESSAGE("a line comes only when there is room for it")
  ) u_room (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!line_end_i || lines_here < LINES[4:0])
  );

  assign starved_o = !has && !left && !done_q;
  assign write_o  = write_q ? 8'd1 << part_at_q : 8'd0;
  assign place_o  = place_q;
  assign part_o   = part_q;
  assign record_o = done_q;

endmodule

`default_nettype wire
