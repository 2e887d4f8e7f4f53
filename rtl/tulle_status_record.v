// SPDX-License-Identifier: Apache-2.0
//
// tulle_status_record: writes the status record of a job (docs/isa.md) to the status slot. A status slot that is
// smaller than a record or does not begin at a multiple of 64 receives none. An error response is ignored, because it
// cannot be reported.
//
// Ports
//   clk_i, rst_ni                    clock, synchronous reset
//   slot_i                           one cycle: a job begins: look up its status slot
//   start_i, busy_o                  one cycle, while not busy_o: write the record. It may be written again. busy_o is 1
//                                    until the slot is looked up, and until the record is written, or found unnecessary
//   row_i                            the error's row, which the record stores with the status
//   look_o, register_o, word_i       read of a control register; its value is valid from the next cycle until the
//                                    next read
//   counter_o, half_o                the register is half of a counter after cycles, and the number of this half
//   burst_valid_o, burst_ready_i,    the record's two bursts, each of half a record, because one burst might cross a
//   burst_address_o                  multiple of 4 KiB
//   word_valid_o, word_ready_i,      the words of the record, in order
//   word_o
//   response_valid_i                 a burst of the record is answered
//   said_o                           all registers of the record have been read and its last word is taken; until the record
//                                    is answered
//
// Parameters
//   QUEUE                            1: the job number is read when the job begins, because that of the next one may be written
//                                    before the job ends
//
// Latency: about thirty-five cycles plus the latency of memory. The wait for memory is unbounded; a reset ends it. look_o
// depends on word_ready_i in the same cycle.

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
  input  wire [7:0]  row_i,

  output wire        look_o,
  output wire [9:0]  register_o,
  output wire        counter_o,
  output wire [4:0]  half_o,
  input  wire [31:0] word_i,

  output wire        burst_valid_o,
  input  wire        burst_ready_i,
  output wire [63:0] burst_address_o,
  output wire        word_valid_o,
  input  wire        word_ready_i,
  output wire [31:0] word_o,
  input  wire        response_valid_i,
  output wire        said_o
);

  localparam integer MAJOR = `TULLE_ISA_MAJOR;
  localparam integer MINOR = `TULLE_ISA_MINOR;

  // -- Steps: four words of the slot's registers when a job begins; those of the record when it ends ---------------
  // A step reads a register; its word is available from the next cycle until the step's work is done.

  localparam [5:0] ADDRESS_HIGH = 6'd1, SIZE_HIGH = 6'd2, SIZE_LOW = 6'd3, FIRST = 6'd4, CHECK = 6'd35;
  localparam [5:0] NUMBER = 6'd4; // with QUEUE, when a job begins
  localparam [5:0] LAST   = (QUEUE != 0) ? NUMBER : SIZE_LOW; // when a job begins

  reg        busy_q;
  reg        slot_q;      // the slot is looked up
  reg [5:0]  step_q;
  reg        work_q;      // the word of the last step is available
  reg [5:0]  work_step_q;
  reg        burst_q;     // a burst is to be announced
  reg        second_q;    // the first of the two bursts is announced
  reg        none_q;      // no record is to be written, since the slot was looked up
  reg        sent_q;      // the last word is taken
  reg        first_q;     // the first burst is answered

  wire no_slot;
  wire of_record   = work_step_q >= FIRST && !(QUEUE != 0 && slot_q);
  wire worked      = work_q && (!of_record || none_q || word_ready_i);
  wire look_step   = busy_q && !none_q && step_q <= (slot_q ? LAST : CHECK) && (!work_q || worked);
  wire burst_taken = burst_q && burst_ready_i;
  wire slot_ends   = slot_q && work_q && work_step_q == LAST;
  wire record_ends = (none_q && !work_q) || (sent_q && first_q && response_valid_i);

  always @(posedge clk_i) begin
    if (!rst_ni) {busy_q, slot_q, work_q, burst_q, sent_q, first_q, second_q, step_q} <= 13'd0;
    else begin
      busy_q   <= slot_i || start_i || (busy_q && !slot_ends && !record_ends);
      slot_q   <= slot_i || (slot_q && !start_i);
      work_q   <= look_step || (work_q && !worked);
      step_q   <= slot_i ? 6'd0 : start_i ? FIRST : step_q + {5'd0, look_step};
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
  wire [31:0]    value;

  localparam [5:0] VERSION = FIRST + 6'd1, STATUS = FIRST + 6'd2, PLACE = FIRST + 6'd3, OFFSET = FIRST + 6'd4,
                   NOTHING = FIRST + 6'd5, COUNTERS = FIRST + 6'd6, JOB = FIRST + 6'd30;
  localparam [9:0] NO_REGISTER = 10'h3FC; // an unmapped offset, which reads 0
  localparam [9:0] CYCLES_BYTES = `TULLE_REG_EFFECTIVE_MACS_LOW - `TULLE_REG_CYCLES_LOW;
  localparam [5:0] HALVES       = COUNTERS + CYCLES_BYTES[7:2];

  assign no_slot = (work_step_q == 6'd0 && word_i[5:0] != 6'd0) ||
                   (work_step_q == SIZE_LOW && !large_q && word_i < `TULLE_STATUS_WIDTH / 8);

  always @* begin
    case (step_q)
      6'd0:         register_d = `TULLE_REG_ADDRESS_STATUS_LOW;
      ADDRESS_HIGH: register_d = `TULLE_REG_ADDRESS_STATUS_HIGH;
      SIZE_HIGH:    register_d = `TULLE_REG_SIZE_STATUS_HIGH;
      SIZE_LOW:     register_d = `TULLE_REG_SIZE_STATUS_LOW;
      JOB:          register_d = `TULLE_REG_JOB;
      STATUS:       register_d = `TULLE_REG_STATUS;
      PLACE:        register_d = `TULLE_REG_ERROR_PLACE;
      OFFSET:       register_d = `TULLE_REG_ERROR_OFFSET;
      FIRST:        register_d = (QUEUE != 0 && slot_q) ? `TULLE_REG_JOB : NO_REGISTER;
      VERSION, NOTHING: register_d = NO_REGISTER;
      default:      register_d = `TULLE_REG_CYCLES_LOW + {2'b00, step_q - COUNTERS, 2'b00};
    endcase
  end

  // Words of the record that no register contains.
  wire [31:0] constant = ((work_step_q == FIRST)   ? `TULLE_STATUS_MAGIC_VALUE           : 32'd0) |
                         ((work_step_q == VERSION) ? {16'd0, MINOR[7:0], MAJOR[7:0]}     : 32'd0) |
                         ((work_step_q == STATUS)  ? {row_i, 24'd0}                      : 32'd0);

  wire [31:0] word; // the job number comes from where it was kept

  generate
    if (QUEUE != 0) begin : gen_number
      reg [31:0] number_q;

      always @(posedge clk_i) if (work_q && slot_q && work_step_q == NUMBER) number_q <= word_i;

      assign word = (work_step_q == JOB) ? number_q : word_i;
    end else begin : gen_current
      assign word = word_i;
    end
  endgenerate

  assign value = constant | ((work_step_q == CHECK) ? check_q : (work_step_q == PLACE) ? {8'd0, word_i[31:8]} : word);

  always @(posedge clk_i) begin
    if (look_step) work_step_q <= step_q;
    if (worked) begin
      if (work_step_q == 6'd0)         address_q[31:6]  <= word_i[31:6];
      if (work_step_q == ADDRESS_HIGH) address_q[63:32] <= word_i;
      if (work_step_q == SIZE_HIGH)    large_q          <= word_i != 32'd0;
    end
    if (start_i)     check_q <= `TULLE_CHECK_SEED;
    else if (worked) check_q <= check_q ^ value;
  end

  assign busy_o          = busy_q;
  assign look_o          = look_step;
  assign register_o      = register_d;
  assign counter_o       = step_q >= HALVES && step_q < JOB;
  assign half_o          = step_q[4:0] - HALVES[4:0];
  assign burst_valid_o   = burst_q;
  assign burst_address_o = {address_q + {57'd0, second_q}, 6'd0}; // lower bits are 0 for a legal slot
  assign word_valid_o    = work_q && of_record && !none_q;
  assign word_o          = value;
  assign said_o          = sent_q;

endmodule

`default_nettype wire
