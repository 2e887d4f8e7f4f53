// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_command_tokens: the counts are what they were loaded with, whatever was there before, in both halves. Behind
// ready_o a record is read in one cycle, and is there in the next one, in place of the counts.
//
// Parameter: TOKENS

`default_nettype none

module tokens_tb #(
  parameter TOKENS = 16
);

  reg          clk = 1'b0;
  reg          rst_n = 1'b0;
  reg          clear = 1'b0;
  reg          load = 1'b0;
  reg  [127:0] counts;
  wire         ready;
  wire [127:0] all = {128{1'b1}} >> (128 - 4 * TOKENS);
  integer      i, wrong = 0, programs = 0;

  always #5 clk = !clk;

  tulle_command_tokens #(.TOKENS(TOKENS)) u_dut (
    .clk_i(clk), .rst_ni(rst_n), .clear_i(clear), .load_i(load), .counts_i(counts), .ready_o(ready),
    .waiting_i(4'd0), .waits_i(48'd0), .held_i(4'd0), .may_o(), .start_o(), .done_valid_i(4'd0), .done_ready_o(),
    .done_tag_i(152'd0), .given_o(), .overflow_o(), .overflow_place_o(), .idle_o());

  // While counts are cleared, something else is there.
  task play;
    input [127:0] initial_counts;
    begin
      counts = {128{1'b1}};
      clear  = 1'b1;
      @(negedge clk);
      clear = 1'b0;
      while (!ready) @(negedge clk);
      @(negedge clk);
      counts = initial_counts;
      load   = 1'b1;
      @(negedge clk);
      load = 1'b0;
      while (!ready) @(negedge clk);
      @(negedge clk);
      counts = ~initial_counts;
      repeat (2) @(negedge clk);
      counts = initial_counts;
      for (i = 0; i < TOKENS; i = i + 1)
        if (u_dut.u_counts_a.gen_memory.memory[i] !== counts[4*i +: 4] ||
            u_dut.u_counts_b.gen_memory.memory[i] !== counts[4*i +: 4]) begin
          $display("tokens_tb: program %0d: token %0d is %h, must be %h", programs, i,
                   u_dut.u_counts_a.gen_memory.memory[i], counts[4*i +: 4]);
          wrong = wrong + 1;
        end
      programs = programs + 1;
    end
  endtask

  initial begin
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    play(128'd0);
    play(all & 128'h7654_3210_FEDC_BA98_0123_4567_89AB_CDEF);
    play(128'h31);
    play(128'd1 << 4 * (TOKENS - 1));
    play(128'd5 << 4 * (TOKENS / 2));
    play(128'd7 << 4 * (TOKENS / 2 - 1));
    play(128'd6 << 4 * (TOKENS / 4));
    play(128'd4 << 4 * (TOKENS / 4 - 1));
    play(128'd0);
    if (wrong == 0) $display("tokens_tb: PASS, %0d programs", programs);
    $finish(0);
  end
endmodule

`default_nettype wire
