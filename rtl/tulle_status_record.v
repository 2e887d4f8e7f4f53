// SPDX-License-Identifier: Apache-2.0
//
// tulle_status_record: writes the status record of a job (docs/isa.md) to the status slot. A status slot that is
// smaller than a record or does not begin at a multiple of 64 receives none. An error response is ignored, because it
// cannot be reported.
//
// Ports
//   clk_i, rst_ni                    clock, synchronous reset
//   slot_i                           one cycle: a job begins: look up its status slot
//   start_i, busy_o, over_o          one cycle, while not busy_o: write the record. It may be written again. busy_o is 1
//                                    until the slot is looked up, and until the record is written, or found unnecessary;
//                                    over_o comes in the last of these cycles
//   place_i                          the error's PE, cluster and row. The record stores the row with the status
//   look_o, register_o, words_i      read of a control register; its value is valid from the next cycle until the
//                                    next read, in the lower word. In the upper word is the upper half of a counter
//   counter_o, number_o              the register is a counter after cycles, and the number of this counter
//   burst_valid_o, burst_ready_i,    the record's two bursts, each of half a record, because one burst might cross a
//   burst_address_o                  multiple of 4 KiB
//   words_valid_o, words_ready_i,    the words of the record, in order, two at a time
//   words_o
//   response_valid_i                 a burst of the record is answered
//   said_o                           all registers of the record have been read and its last word is taken; until the record
//                                    is answered
//
// Parameters
//   QUEUE                            1: the job number is read when the job begins, because that of the next one may be written
//                                    before the job ends
//
// Latency: about twenty cycles plus the latency of memory. The wait for memory is unbounded; a reset ends it. look_o
// depends on words_ready_i in the same cycle. A counter is read not before 6 cycles after start_i, and counter c not
// before c more.

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"

module tulle_status_record #(
  parameter QUEUE = 0
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        slot_i,
  input  wire        start_i,
  output wire        busy_o,
  output wire        over_o,
  input  wire [23:0] place_i,

  output wire        look_o,
  output wire [9:0]  register_o,
  output wire        counter_o,
  output wire [3:0]  number_o,
  input  wire [63:0] words_i,

  output wire        burst_valid_o,
  input  wire        burst_ready_i,
  output wire [63:0] burst_address_o,
  output wire        words_valid_o,
  input  wire        words_ready_i,
  output wire [63:0] words_o,
  input  wire        response_valid_i,
  output wire        said_o
);

  localparam integer MAJOR = `TULLE_ISA_MAJOR;
  localparam integer MINOR = `TULLE_ISA_MINOR;

  // -- Steps: four words of the slot's registers when a job begins; two words of the record each when it ends ------
  // A step reads a register; its words are available from the next cycle until the step's work is done.

  localparam [4:0] ADDRESS_HIGH = 5'd1, SIZE_HIGH = 5'd2, SIZE_LOW = 5'd3, NUMBER = 5'd4, FIRST = 5'd5, CHECK = 5'd20;
  localparam [4:0] LAST   = (QUEUE != 0) ? NUMBER : SIZE_LOW; // when a job begins
  localparam [4:0] BEFORE = NUMBER; // when it ends: nobody needs this word, and counters have a cycle more to settle

  reg        busy_q;
  reg        slot_q;      // the slot is looked up
  reg [4:0]  step_q;
  reg        work_q;      // the words of the last step are available
  reg [4:0]  work_step_q;
  reg        burst_q;     // a burst is to be announced
  reg        second_q;    // the first of the two bursts is announced
  reg        none_q;      // no record is to be written, since the slot was looked up
  reg        sent_q;      // the last words are taken
  reg        first_q;     // the first burst is answered

  wire no_slot;
  wire of_record   = work_step_q >= FIRST;
  wire worked      = work_q && (!of_record || none_q || words_ready_i);
  wire look_step   = busy_q && !none_q && step_q <= (slot_q ? LAST : CHECK) && (!work_q || worked);
  wire burst_taken = burst_q && burst_ready_i;
  wire slot_ends   = slot_q && work_q && work_step_q == LAST;
  wire record_ends = (none_q && !work_q) || (sent_q && first_q && response_valid_i);

  always @(posedge clk_i) begin
    if (!rst_ni) {busy_q, slot_q, work_q, burst_q, sent_q, first_q, second_q, step_q} <= 12'd0;
    else begin
      busy_q   <= slot_i || start_i || (busy_q && !slot_ends && !record_ends);
      slot_q   <= slot_i || (slot_q && !start_i);
      work_q   <= look_step || (work_q && !worked);
      step_q   <= slot_i ? 5'd0 : start_i ? BEFORE : step_q + {4'd0, look_step};
      burst_q  <= (start_i && !none_q) || (burst_q && !(burst_taken && second_q));
      second_q <= second_q ^ burst_taken;
      sent_q   <= busy_q && (sent_q || (worked && work_step_q == CHECK));
      first_q  <= busy_q && (first_q || response_valid_i);
    end
  end

  always @(posedge clk_i) none_q <= !slot_i && (none_q || (work_q && no_slot));

  // -- Words -----------------------------------------------------------------------------------------------------

  reg  [63:6]    address_q;
  reg            large_q;  // the slot's size has more than 32 bits
  reg  [31:0]    check_q;
  reg  [9:0]     register_d;
  wire [31:0]    word = words_i[31:0];
  wire [31:0]    first;
  wire [31:0]    second;

  // The check word is the second one of the last step, and the job number the first.
  localparam [4:0] STATUS = FIRST + 5'd1, OFFSET = FIRST + 5'd2, CYCLES = FIRST + 5'd3, COUNTERS = CYCLES + 5'd1;
  localparam [9:0] NO_REGISTER = 10'h3FC; // an unmapped offset, which reads 0

  assign no_slot = (work_step_q == 5'd0 && word[5:0] != 6'd0) ||
                   (work_step_q == SIZE_LOW && !large_q && word < `TULLE_STATUS_WIDTH / 8);

  always @* begin
    case (step_q)
      5'd0:         register_d = `TULLE_REG_ADDRESS_STATUS_LOW;
      ADDRESS_HIGH: register_d = `TULLE_REG_ADDRESS_STATUS_HIGH;
      SIZE_HIGH:    register_d = `TULLE_REG_SIZE_STATUS_HIGH;
      SIZE_LOW:     register_d = `TULLE_REG_SIZE_STATUS_LOW;
      NUMBER:       register_d = `TULLE_REG_JOB;
      FIRST:        register_d = NO_REGISTER;
      STATUS:       register_d = `TULLE_REG_STATUS;
      OFFSET:       register_d = `TULLE_REG_ERROR_OFFSET;
      CHECK:        register_d = `TULLE_REG_JOB;
      default:      register_d = `TULLE_REG_CYCLES_LOW + {2'b00, step_q - CYCLES, 3'b000};
    endcase
  end

  // Words of the record that no register contains.
  wire [31:0] first_constant  = ((work_step_q == FIRST)  ? `TULLE_STATUS_MAGIC_VALUE       : 32'd0) |
                                ((work_step_q == STATUS) ? {place_i[7:0], 24'd0}           : 32'd0);
  wire [31:0] second_constant = ((work_step_q == FIRST)  ? {16'd0, MINOR[7:0], MAJOR[7:0]} : 32'd0) |
                                ((work_step_q == STATUS) ? {16'd0, place_i[23:8]}          : 32'd0);

  wire [31:0] lower; // the job number comes from where it was kept

  generate
    if (QUEUE != 0) begin : gen_number
      reg [31:0] number_q;

      always @(posedge clk_i) if (work_q && slot_q && work_step_q == NUMBER) number_q <= word;

      assign lower = (work_step_q == CHECK) ? number_q : word;
    end else begin : gen_current
      assign lower = word;
    end
  endgenerate

  assign first  = first_constant | lower;
  assign second = (work_step_q == CHECK) ? check_q ^ first : second_constant | words_i[63:32];

  always @(posedge clk_i) begin
    if (look_step) work_step_q <= step_q;
    if (worked) begin
      if (work_step_q == 5'd0)         address_q[31:6]  <= word[31:6];
      if (work_step_q == ADDRESS_HIGH) address_q[63:32] <= word;
      if (work_step_q == SIZE_HIGH)    large_q          <= word != 32'd0;
    end
    if (start_i)                  check_q <= `TULLE_CHECK_SEED;
    else if (worked && of_record) check_q <= check_q ^ first ^ second;
  end

  assign busy_o          = busy_q;
  assign over_o          = record_ends;
  assign look_o          = look_step;
  assign register_o      = register_d;
  assign counter_o       = step_q >= COUNTERS && step_q < CHECK;
  assign number_o        = step_q[3:0] - COUNTERS[3:0];
  assign burst_valid_o   = burst_q;
  assign burst_address_o = {address_q + {57'd0, second_q}, 6'd0}; // lower bits are 0 for a legal slot
  assign words_valid_o   = work_q && of_record && !none_q;
  assign words_o         = {second, first};
  assign said_o          = sent_q;

endmodule

`default_nettype wire
