// SPDX-License-Identifier: Apache-2.0
// A byte of the solver's choosing reads as this job has written it, or as 0 when it has not: never as another job wrote it. A reset is
// between jobs, so what is read across it, or across a start, is nobody's.

  localparam LINE = MEM / 8;

  (* anyconst *) wire [WORD-1:0] word;
  (* anyconst *) wire [2:0]      one;    // the byte
  reg       written_q;                   // a beat for the word was taken in the last cycle
  reg       strobed_q;
  reg [7:0] given_q;
  reg [7:0] byte_q;                      // what it must hold
  reg       reads_q, due_q;
  reg [7:0] read_q, due_byte_q;
  reg [2:0] jobs_q;                      // starts since reset, modulo 8
  reg [7:0] last_q;                      // what the last job left
  reg       ended_q;                     // a reset has ended the job

  initial ended_q = 1'b1;

  wire write = write_valid_i && write_ready_o;
  wire read  = read_valid_i && read_ready_o;

  always @(posedge clk_i) begin
    assume (one < LINE);
    assume (!start_i || !read);
    written_q <= rst_ni && write && write_word_i == word;
    strobed_q <= write_strobe_i[one];
    given_q   <= write_data_i[8*one +: 8];
    if (!started_q || start_i || !rst_ni) begin
      byte_q <= 8'd0;
      last_q <= byte_q;
    end else if (written_q && strobed_q) byte_q <= given_q;
    reads_q    <= started_q && rst_ni && !start_i && read && read_word_i == word;
    read_q     <= byte_q;
    due_q      <= reads_q && rst_ni && !start_i;
    due_byte_q <= read_q;
    jobs_q     <= !started_q ? 3'd0 : jobs_q + start_i;
    // A reset ends the job, whose data nobody reads any more.
    ended_q    <= (ended_q || !rst_ni) && !start_i;
    assume (!ended_q || !read_valid_i);
    assume (started_q || !start_i);
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!due_q || data_o[8*one +: 8] == due_byte_q);
    cover (due_q && due_byte_q != 8'd0);
    cover (due_q && jobs_q == 3'd5 && due_byte_q != 8'd0);
    cover (due_q && jobs_q == 3'd4 && due_byte_q == 8'd0 && last_q != 8'd0);
  end
