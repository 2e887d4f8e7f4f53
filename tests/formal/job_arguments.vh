// SPDX-License-Identifier: Apache-2.0
// A byte of a word of the solver's choosing. The host's is what it wrote last, and so is that of the job that waits. That of
// the job under way is what the host's was when the job was taken, whatever it wrote since.

  localparam ADDR = $clog2(WORDS);

  (* anyconst *) wire [ADDR-1:0] place;

  reg  [7:0] host_q;     // the word that the host wrote last
  reg  [7:0] job_q;      // the word of the job under way
  reg        job_there_q;
  reg        look_there_q, read_there_q;
  reg  [7:0] look_q, read_q;
  reg        changed_q;  // the host has written another word since
  wire       write = write_i[0] && place_i == place;
  wire [7:0] host  = write ? data_i[7:0] : host_q;

  initial begin
    host_q = 8'd0;
    job_there_q = 1'b0;
    look_there_q = 1'b0;
    read_there_q = 1'b0;
  end

  always @(posedge clk_i) begin
    // What callers owe.
    assume (write_i == 0 || (!copies_o && rst_ni));
    assume (!taken_i || (!copies_o && rst_ni));
    assume (!waits_i || !copies_o);
    assume (write_i == 0 || (!read_i && !look_i));
    assume (rst_ni || (!look_i && !read_i));
    assume (!read_i || waits_i || job_there_q); // there is a job to read for

    if (write) host_q <= data_i[7:0];
    if (!rst_ni) job_there_q <= 1'b0;
    else if (taken_i) begin
      job_there_q <= 1'b1;
      job_q       <= host;
    end
    changed_q <= job_there_q && host_q != job_q;

    look_there_q <= look_i && look_place_i == place && !write;
    look_q       <= host_q;
    read_there_q <= started_q && read_i && read_place_i == place && (waits_i ? !copies_o : job_there_q);
    read_q       <= waits_i ? host_q : job_q;
  end

  always @(posedge clk_i) if (started_q && rst_ni) begin
    assert (!look_there_q || word_o[7:0] == look_q);
    assert (!read_there_q || argument_o[7:0] == read_q);
    cover (read_there_q && changed_q);
    cover (copied_o);
  end
