// SPDX-License-Identifier: Apache-2.0
//
// tulle_bank: the memory of the activation bank. It is written a beat a cycle and read a beat a cycle, at the same time. A byte
// that the present job has not written reads as 0, so a job never sees data of another one.
//
// Each word has a tag: the number of the job that wrote it last. A word with another tag reads as 0. The first write of a job
// to a word writes all of it, with 0 where there is no strobe; later ones write only their bytes. Job numbers have few bits, and
// before one is used again all words have had another tag: each start cleans the next SWEEP words, to the oldest number. Tags are
// in RAM, so nothing waits for a bank to be cleared. Neither job number nor tags are ever reset: they begin with values of
// their own and go on from where they are.
//
// Ports
//   clk_i, rst_ni                 clock, synchronous reset between jobs: a write that was just taken may be lost
//   start_i                       one cycle: a job begins; at least SWEEP + 1 cycles after the last start
//   write_valid_i, write_ready_o, write_word_i, write_data_i, write_strobe_i
//                                 a beat to write, its word, and its bytes
//   read_valid_i, read_ready_o, read_word_i
//                                 a word to read. It waits while the word is being written
//   data_o                        the word, two cycles after it was asked for; it stays until that of the next one
//
// Parameters
//   MEM                           bits of a beat, which is a word
//   BYTES                         bytes of the bank: a power of two, at least 2 * SWEEP words
//   SWEEP                         words that a start cleans, a power of two
//
// Latency: a write is in the memory in the second cycle after it was taken; reads from that cycle on have it. write_ready_o is a
// register. read_ready_o depends on read_word_i in the same cycle. In the SWEEP cycles behind a start nothing is taken.

`default_nettype none

module tulle_bank #(
  parameter MEM   = 512,
  parameter BYTES = 131072,
  parameter SWEEP = 8,
  // Derived; not to be set.
  parameter WORD  = $clog2(BYTES / (MEM / 8))
) (
  input  wire             clk_i,
  input  wire             rst_ni,
  input  wire             start_i,

  input  wire             write_valid_i,
  output wire             write_ready_o,
  input  wire [WORD-1:0]  write_word_i,
  input  wire [MEM-1:0]   write_data_i,
  input  wire [MEM/8-1:0] write_strobe_i,

  input  wire             read_valid_i,
  output wire             read_ready_o,
  input  wire [WORD-1:0]  read_word_i,
  output wire [MEM-1:0]   data_o
);

  localparam LINE  = MEM / 8;
  localparam WORDS = BYTES / LINE;
  localparam JOB   = $clog2(WORDS / SWEEP) + 1; // bits of a job number: all words are cleaned in half of the numbers

  tulle_require #(
    .LEGAL   (MEM >= 8 && MEM == 8 << $clog2(LINE) && BYTES == LINE << WORD),
    .MESSAGE ("tulle_bank: MEM and BYTES must be powers of two")
  ) u_require_powers_of_two ();

  tulle_require #(
    .LEGAL   (SWEEP >= 1 && SWEEP == 1 << $clog2(SWEEP) && WORDS >= 2 * SWEEP),
    .MESSAGE ("tulle_bank: SWEEP must be a power of two, at most half of the words")
  ) u_require_sweep_at_most_half_of_the_words ();

  // -- Jobs, and the words that are cleaned ----------------------------------------------------------------------

  localparam LEFT = $clog2(SWEEP + 1);

  reg [JOB-1:0]  job_q      = {JOB{1'b0}};
  reg [WORD-1:0] sweep_q    = {WORD{1'b0}}; // the next word to clean
  reg [LEFT-1:0] left_q     = {LEFT{1'b0}}; // words to clean at this start
  reg            sweeping_q = 1'b0;         // left_q is not 0

  wire [LEFT-1:0] left_d = start_i ? SWEEP[LEFT-1:0] : sweeping_q ? left_q - 1'b1 : left_q;

  always @(posedge clk_i) begin
    left_q     <= left_d;
    sweeping_q <= left_d != {LEFT{1'b0}};
    if (start_i)    job_q   <= job_q + 1'b1;
    if (sweeping_q) sweep_q <= sweep_q + 1'b1;
  end

  // -- Writes: the tag is read, then tag and data are written -----------------------------------------------------

  wire             write = write_valid_i && write_ready_o;
  reg              write_q;
  reg  [WORD-1:0]  word_q;
  reg  [MEM-1:0]   data_q;   // 0 in bytes without a strobe
  reg  [LINE-1:0]  strobe_q;
  reg              again_q;  // the word was written in the last cycle, too late for its tag to be read
  wire [JOB-1:0]   write_tag;
  wire             first = !again_q && write_tag != job_q;
  wire             tag_write = write_q || sweeping_q;
  wire [WORD-1:0]  tag_word  = sweeping_q ? sweep_q : word_q;
  wire [JOB-1:0]   tag       = job_q - {{JOB-1{1'b0}}, sweeping_q};

  integer b;

  always @(posedge clk_i) begin
    write_q  <= rst_ni && write;
    word_q   <= write_word_i;
    strobe_q <= write_strobe_i;
    again_q  <= write_q && word_q == write_word_i;
    data_q   <= write_data_i;
    for (b = 0; b < LINE; b = b + 1) if (!write_strobe_i[b]) data_q[8*b +: 8] <= 8'd0;
  end

  assign write_ready_o = !sweeping_q;

  tulle_block_ram #(
    .WIDTH (JOB),
    .DEPTH (WORDS),
    .RACES (1), // again_q takes the place of a tag that is read while it is written
    .ZERO  (1)
  ) u_write_tags (
    .clk_i   (clk_i),
    .we_i    (tag_write),
    .waddr_i (tag_word),
    .wdata_i (tag),
    .re_i    (write),
    .raddr_i (write_word_i),
    .rdata_o (write_tag)
  );

  // -- Reads ------------------------------------------------------------------------------------------------------

  wire            read = read_valid_i && read_ready_o;
  wire [JOB-1:0]  read_tag;
  wire [MEM-1:0]  read_data;
  reg             fresh_q;
  reg  [MEM-1:0]  read_data_q;

  assign read_ready_o = !sweeping_q && !(write_q && word_q == read_word_i);

  always @(posedge clk_i) begin
    fresh_q     <= read_tag == job_q;
    read_data_q <= read_data;
  end

  tulle_block_ram #(
    .WIDTH (JOB),
    .DEPTH (WORDS),
    .ZERO  (1)
  ) u_read_tags (
    .clk_i   (clk_i),
    .we_i    (tag_write),
    .waddr_i (tag_word),
    .wdata_i (tag),
    .re_i    (read),
    .raddr_i (read_word_i),
    .rdata_o (read_tag)
  );

  tulle_byte_ram #(
    .BYTES (LINE),
    .DEPTH (WORDS)
  ) u_data (
    .clk_i   (clk_i),
    .we_i    ({LINE{write_q}} & (strobe_q | {LINE{first}})),
    .waddr_i (word_q),
    .wdata_i (data_q),
    .re_i    (read),
    .raddr_i (read_word_i),
    .rdata_o (read_data)
  );

  assign data_o = read_data_q & {MEM{fresh_q}};

  // -- Rules ------------------------------------------------------------------------------------------------------

  tulle_assert #(
    .MESSAGE ("a job begins when nothing is written and the words of the last start are cleaned")
  ) u_start_when_still (
    .clk_i   (clk_i),
    .rst_ni  (1'b1),
    .holds_i (!(start_i === 1'b1 && (sweeping_q || write_q !== 1'b0 || write_valid_i !== 1'b0)))
  );

  tulle_stream_check #(
    .WIDTH (WORD + MEM + LINE)
  ) u_write_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (write_valid_i),
    .ready_i (write_ready_o),
    .data_i  ({write_word_i, write_data_i, write_strobe_i})
  );

endmodule

`default_nettype wire
