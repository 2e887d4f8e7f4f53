// SPDX-License-Identifier: Apache-2.0
//
// tulle_job_arguments: the arguments of jobs, which the host writes and reads, and the command processor reads.
//
// With QUEUE the host may write the arguments of the next job while one runs. There are two banks for jobs then. The host
// writes to one of them and to a copy of its own, and the job under way reads the other one. When a job is taken the banks
// change, and the host's copy goes to the bank that it now writes to, a word a cycle in which nobody else reads it: the host
// counts on arguments that keep their values.
//
// Ports
//   clk_i, rst_ni            clock, synchronous reset, which keeps the arguments
//   write_i, place_i, data_i bytes that the host writes, of this word; not while copies_o
//   look_i, look_place_i     a word of the host's copy is read; word_o is it from the next cycle on until something is read
//   word_o
//   read_i, read_place_i     a word is read for a job; argument_o is it from the next cycle until the next read. With
//   waits_i, argument_o      waits_i it is of the job that the host has written, and not of the one under way
//   taken_i                  one cycle, not while copies_o: what the host has written is the job under way
//   forget_i                 one cycle: copied_o is not due
//   hold_i                   words must not be copied now, because word_o has to stay
//   copies_o                 arguments are copied
//   copied_o                 one cycle: they are, and the next job may be written
//
// Parameters
//   QUEUE                    1: there are two banks; 0: there is one, and nothing is copied
//   WORDS, BYTES             words, a power of two, and bytes of a word
//
// Latency: a word follows a read by one cycle. Copying takes WORDS + 2 cycles and those in which it is held; it also follows
// a reset.

`default_nettype none

module tulle_job_arguments #(
  parameter QUEUE = 0,
  parameter WORDS = 64,
  parameter BYTES = 4
) (
  input  wire                     clk_i,
  input  wire                     rst_ni,
  input  wire [BYTES-1:0]         write_i,
  input  wire [$clog2(WORDS)-1:0] place_i,
  input  wire [8*BYTES-1:0]       data_i,
  input  wire                     look_i,
  input  wire [$clog2(WORDS)-1:0] look_place_i,
  output wire [8*BYTES-1:0]       word_o,
  input  wire                     read_i,
  input  wire                     waits_i,
  input  wire [$clog2(WORDS)-1:0] read_place_i,
  output wire [8*BYTES-1:0]       argument_o,
  input  wire                     taken_i,
  input  wire                     forget_i,
  input  wire                     hold_i,
  output wire                     copies_o,
  output wire                     copied_o
);

  localparam ADDR  = $clog2(WORDS);
  localparam BANKS = (QUEUE != 0) ? 2 : 1;
  localparam PLACE = (QUEUE != 0) ? ADDR + 1 : ADDR; // bits of a place in the banks

  tulle_require #(
    .LEGAL   (WORDS >= 2 && (WORDS & (WORDS - 1)) == 0 && BYTES >= 1),
    .MESSAGE ("tulle_job_arguments: WORDS must be a power of two from 2 on, BYTES at least 1")
  ) u_require_words_power_of_two ();

  wire            copy_look;   // a word is read to be copied
  wire [ADDR-1:0] copy_word;
  wire            copy_write;  // and written, a cycle later
  wire [ADDR-1:0] copy_place;
  wire            host_bank;   // to which the host writes
  wire            job_bank;    // of which jobs read

  generate
    if (QUEUE != 0) begin : gen_copy
      localparam [ADDR-1:0] LAST = {ADDR{1'b1}};

      reg            copy_q;
      reg            all_q;       // all words were read
      reg            owed_q;      // copied_o is due
      reg            write_q;
      reg [ADDR-1:0] word_q;
      reg [ADDR-1:0] place_q;
      reg            host_q;
      reg            current_q;   // bank of the job under way

      wire ends = copy_q && all_q && !write_q;

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          {copy_q, all_q, owed_q, write_q, host_q, current_q} <= 6'b100000;
          word_q <= {ADDR{1'b0}};
        end else begin
          copy_q  <= taken_i || (copy_q && !ends);
          all_q   <= !taken_i && (all_q || (copy_look && word_q == LAST));
          owed_q  <= !forget_i && (taken_i || (owed_q && !ends));
          write_q <= copy_look;
          word_q  <= taken_i ? {ADDR{1'b0}} : word_q + {{ADDR-1{1'b0}}, copy_look};
          if (taken_i) {host_q, current_q} <= {!host_q, host_q};
        end
      end

      always @(posedge clk_i) place_q <= word_q;

      assign copy_look  = copy_q && !all_q && !look_i && !hold_i;
      assign copy_word  = word_q;
      assign copy_write = write_q;
      assign copy_place = place_q;
      assign copies_o   = copy_q;
      assign copied_o   = ends && owed_q;
      assign host_bank  = host_q;
      assign job_bank   = waits_i ? host_q : current_q;
    end else begin : gen_alone
      assign copy_look  = 1'b0;
      assign copy_word  = {ADDR{1'b0}};
      assign copy_write = 1'b0;
      assign copy_place = {ADDR{1'b0}};
      assign copies_o   = 1'b0;
      assign copied_o   = 1'b0;
      assign host_bank  = 1'b0;
      assign job_bank   = 1'b0;

      wire unused_queue = &{1'b0, rst_ni, waits_i, taken_i, forget_i, hold_i};
    end
  endgenerate

  wire [ADDR:0] place  = {host_bank, copy_write ? copy_place : place_i};
  wire [ADDR:0] wanted = {job_bank, read_place_i};
  wire          unused = &{1'b0, place, wanted};

  genvar b;
  generate
    for (b = 0; b < BYTES; b = b + 1) begin : gen_byte
      tulle_block_ram #(
        .WIDTH (8),
        .DEPTH (WORDS),
        .ZERO  (1)
      ) u_host (
        .clk_i   (clk_i),
        .we_i    (write_i[b]),
        .waddr_i (place_i),
        .wdata_i (data_i[8*b +: 8]),
        .re_i    (look_i || copy_look),
        .raddr_i (copy_look ? copy_word : look_place_i),
        .rdata_o (word_o[8*b +: 8])
      );

      tulle_block_ram #(
        .WIDTH (8),
        .DEPTH (WORDS * BANKS),
        .ZERO  (1)
      ) u_jobs (
        .clk_i   (clk_i),
        .we_i    (write_i[b] || copy_write),
        .waddr_i (place[PLACE-1:0]),
        .wdata_i (copy_write ? word_o[8*b +: 8] : data_i[8*b +: 8]),
        .re_i    (read_i),
        .raddr_i (wanted[PLACE-1:0]),
        .rdata_o (argument_o[8*b +: 8])
      );
    end
  endgenerate

endmodule

`default_nettype wire
