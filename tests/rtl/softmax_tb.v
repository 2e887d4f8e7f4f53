// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_softmax: plays the rows of a file (softmax/rows.c) with pauses of everybody, and compares multiplier, shift and
// exponentials. Function lanes that move now and then must be empty before a row's multiplier is written.
//
// Plusarg: +rows=FILE

`default_nettype none

module softmax_tb #(
  parameter LANES   = 4,
  parameter PES     = 8,
  parameter ROW     = 1024,
  parameter LATENCY = 31
);
  localparam LINE_END = 0, LINE_ENTRY = 1, LINE_ROW = 2, LINE_CHUNK = 3, LINE_GIVEN = 4;
  localparam CHUNKS = 4096, STUCK = 200000;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg [LANES*8-1:0]  chunk [0:CHUNKS-1];
  reg [LANES*31-1:0] expected [0:CHUNKS-1];
  integer            chunks = 0, read = 0, givens = 0, given = 0, wanted = 0;
  reg [31:0]         multiplier;
  reg [5:0]          shift;

  reg [63:0] random = 64'h2545F4914F6CDD1D;
  always @(posedge clk) random <= {random[62:0], random[63] ^ random[62] ^ random[60] ^ random[59]};

  reg                table_start = 1'b0;
  reg                table_write = 1'b0;
  reg  [30:0]        table_entry;
  reg                begins = 1'b0;
  reg                restart = 1'b0;
  reg                restarted = 1'b0;
  reg  [15:0]        row;
  reg  [5:0]         base;
  reg                playing = 1'b0;
  reg                want = 1'b0;
  reg                offered = 1'b0;
  reg                enable = 1'b0;
  reg                room = 1'b0;
  reg  [3:0]         setting_up = 4'd0; // cycles until the scale is ready
  wire               take;
  wire               waits;
  wire               scale_write;
  wire [31:0]        row_multiplier;
  wire [5:0]         row_shift;
  wire               valid;
  wire [LANES*31-1:0] data;
  wire               ready = enable && room && playing;

  tulle_softmax #(
    .LANES   (LANES),
    .PES     (PES),
    .ROW     (ROW),
    .LATENCY (LATENCY)
  ) u_dut (
    .clk_i           (clk),
    .rst_ni          (rst_n),
    .table_start_i   (table_start),
    .table_write_i   (table_write),
    .table_entry_i   (table_entry),
    .begin_i         (begins),
    .row_i           (row),
    .shift_i         (base),
    .restart_i       (restart),
    .want_i          (want && playing),
    .operand_valid_i (offered),
    .operand_ready_o (take),
    .operand_i       (chunk[read]),
    .waits_o         (waits),
    .scale_write_o   (scale_write),
    .multiplier_o    (row_multiplier),
    .shift_o         (row_shift),
    .scale_ready_i   (setting_up == 4'd0),
    .enable_i        (enable),
    .valid_o         (valid),
    .ready_i         (ready),
    .data_o          (data)
  );

  reg     slow = 1'b0;  // the lanes rarely move
  integer moves = 1000; // of the lanes since the last chunk entered them
  integer scales = 0;
  integer ended = 0;    // rows

  always @(posedge clk) begin
    want    <= random[1:0] != 2'd0;
    enable  <= slow ? random[13:10] == 4'd0 : random[9:8] != 2'd0;
    room    <= random[21:20] != 2'd0;
    offered <= playing && random[27:26] != 2'd0 && (read + (take && offered)) < chunks;
    if (scale_write)             setting_up <= random[35:32];
    else if (setting_up != 4'd0) setting_up <= setting_up - 4'd1;

    if (take && offered) read <= read + 1;
    if (enable && moves < 1000) moves = moves + 1;
    restarted <= begins || restart;
    if (scale_write && restarted) begin
      $display("softmax_tb: row %0d: the scale of the row before", ended);
      $fatal(1);
    end
    if (scale_write) begin
      scales = scales + 1;
      if (moves < LATENCY || row_multiplier !== multiplier || row_shift !== shift) begin
        $display("softmax_tb: row %0d: multiplier %h and shift %0d, must be %h and %0d; %0d moves", ended, row_multiplier, row_shift,
                 multiplier, shift, moves);
        $fatal(1);
      end
    end
    if (valid && setting_up != 4'd0) begin
      $display("softmax_tb: row %0d: a chunk before the scale is set up", ended);
      $fatal(1);
    end
    if (valid && ready) begin
      if (given >= givens || scales != 1 || data !== expected[given]) begin
        $display("softmax_tb: row %0d: chunk %0d is %h, must be %h, with %0d scales", ended, given, data, expected[given], scales);
        $fatal(1);
      end
      given = given + 1;
      moves = 0;
    end
  end

  integer            file, got, kind, n;
  reg [LANES*31-1:0] word;
  reg [31:0]         f1, f2, f3, f4, f5, f6;
  reg [8191:0]       name;
  reg                fresh = 1'b1; // the next entry is the table's first

  // The row that was read, until `wanted` chunks have left. If that are not all, the next row cuts it short; if it is none, when
  // the scale is known, or soon after.
  task play;
    begin
      playing = 1'b1;
      slow    = random[40];
      n       = 0;
      while (given < wanted) begin
        @(negedge clk);
        n = n + 1;
        if (n == STUCK) begin
          $display("softmax_tb: row %0d: %0d of %0d chunks", ended, given, wanted);
          $fatal(1);
        end
      end
      if (wanted == 0) begin
        while (u_dut.state_q != u_dut.RECIPROCAL || !u_dut.computed) @(negedge clk);
        if (random[50]) repeat (random[52:51]) @(negedge clk);
      end
      playing = 1'b0;
      ended   = ended + 1;
    end
  endtask

  initial begin
    if (!$value$plusargs("rows=%s", name)) $fatal(1);
    file = $fopen(name, "r");
    if (file == 0) $fatal(1);
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
    kind  = LINE_ENTRY;
    while (kind != LINE_END) begin
      got = $fscanf(file, "%d", kind);
      if (kind != LINE_GIVEN && givens != 0) begin
        play;
        givens = 0;
      end
      case (kind)
        LINE_ENTRY: begin
          got         = $fscanf(file, "%h", f1);
          table_start = fresh;
          @(negedge clk);
          table_start = 1'b0;
          table_entry = f1[30:0];
          table_write = 1'b1;
          @(negedge clk);
          table_write = 1'b0;
          fresh       = 1'b0;
        end
        LINE_ROW: begin
          got    = $fscanf(file, "%h %h %h %h %h %h", f1, f2, f3, f4, f5, f6);
          // Rows of one length go on, but for those that are cut short.
          begins  = row !== f1[15:0] || base !== f2[5:0];
          restart = !begins && given < chunks;
          row     = f1[15:0];
          base    = f2[5:0];
          @(negedge clk);
          begins  = 1'b0;
          restart = 1'b0;
          @(negedge clk);
          wanted     = f4;
          multiplier = f5;
          shift      = f6[5:0];
          chunks     = 0;
          read       = 0;
          given      = 0;
          scales     = 0;
          fresh      = 1'b1;
        end
        LINE_CHUNK: begin
          got           = $fscanf(file, "%h", word);
          chunk[chunks] = word[LANES*8-1:0];
          chunks        = chunks + 1;
        end
        LINE_GIVEN: begin
          got              = $fscanf(file, "%h", word);
          expected[givens] = word;
          givens           = givens + 1;
        end
        default: ;
      endcase
    end
    if (ended == 0) $fatal(1);
    $display("softmax_tb: PASS, %0d rows", ended);
    $finish(0);
  end
endmodule

`default_nettype wire
