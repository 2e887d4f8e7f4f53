// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_functions: PEs that offer the requests of a file (tests/rtl/functions/vectors.c) as they come free,
// with pauses, and compare the answers. A record is written when no request is waiting.
//
// Parameters: those of the module; PAUSE, the chance in 256 that an idle PE offers nothing in a cycle.
// Plusarg: +vectors=FILE

`default_nettype none

module bench_functions #(
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter BUFFERS   = 8,
  parameter FUNCTIONS = 975,
  parameter ROUNDINGS = 0,
  parameter DIGITS    = 2,
  parameter PAUSE     = 64
);
  localparam NONE = 2; // kind of a line: the file has ended
  localparam SLOWEST = (ACC_WIDTH + 64) / (2 * DIGITS) + 3; // cycles of a result
  localparam LATE = 8; // that a late function adds, once

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg                      write = 1'b0;
  reg  [4:0]               write_buffer = 5'd0;
  reg  [127:0]             record = 128'd0;
  reg  [PES-1:0]           valid = {PES{1'b0}};
  reg  [PES*ACC_WIDTH-1:0] value = {PES*ACC_WIDTH{1'b0}};
  reg  [PES*5-1:0]         buffer = {PES*5{1'b0}};
  wire [PES-1:0]           shift;
  wire [PES-1:0]           answered;
  wire [ACC_WIDTH-1:0]     answer;
  wire                     idle;

  tulle_functions #(
    .PES       (PES),
    .ACC_WIDTH (ACC_WIDTH),
    .BUFFERS   (BUFFERS),
    .FUNCTIONS (FUNCTIONS[15:0]),
    .ROUNDINGS (ROUNDINGS),
    .DIGITS    (DIGITS)
  ) u_dut (
    .clk_i            (clk),
    .rst_ni           (rst_n),
    .table_write_i    (write),
    .table_buffer_i   (write_buffer),
    .table_index_i    (2'd0),
    .table_record_i   (record),
    .chain_valid_i    (valid),
    .chain_i          (value),
    .chain_buffer_i   (buffer),
    .chain_shift_o    (shift),
    .index_i          (2'd0),
    .copies_i         (1'b0),
    .function_valid_o (answered),
    .function_o       (answer),
    .idle_o           (idle)
  );

  reg  [8191:0]        name;
  integer              file, got, p, kind, line_buffer;
  integer              chance;
  integer              requests = 0;
  integer              records = 0;
  integer              cycles = 0;
  integer              waited [0:PES-1];
  integer              longest = 0;
  reg  [127:0]         line_value;
  reg  [63:0]          line_answer;
  reg  [63:0]          want [0:PES-1];
  reg  [63:0]          asked [0:PES-1]; // what value was before it was shifted
  reg  [PES-1:0]       open;      // requests that stay
  reg  [31:0]          random = 32'h1234567;

  task next_line;
    begin
      got = $fscanf(file, "%d %d %h %h\n", kind, line_buffer, line_value, line_answer);
      if (got != 4) kind = NONE;
    end
  endtask

  task check;
    begin
      if ((answered & ~valid) != {PES{1'b0}} || (answered & (answered - 1'b1)) != {PES{1'b0}}) begin
        $display("bench_functions: answers %b to requests %b", answered, valid);
        $fatal(1);
      end
      for (p = 0; p < PES; p = p + 1)
        if (answered[p] && answer !== want[p][ACC_WIDTH-1:0]) begin
          $display("bench_functions: request %h, buffer %0d: answer %h, must be %h", asked[p], buffer[p*5 +: 5], answer, want[p][ACC_WIDTH-1:0]);
          $fatal(1);
        end
      for (p = 0; p < PES; p = p + 1) begin
        waited[p] = waited[p] + 1;
        if (valid[p] && waited[p] > longest) longest = waited[p];
      end
      if (longest > SLOWEST * PES + 20 + LATE) begin
        $display("bench_functions: a request waits for %0d cycles", longest);
        $fatal(1);
      end
    end
  endtask

  task offer;
    begin
      random = {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
      chance = {24'd0, random[29], random[23], random[19:17], random[11], random[7], random[2]};
      if (!open[p] && kind == 1 && chance >= PAUSE) begin
        open[p]                          = 1'b1;
        value[p*ACC_WIDTH +: ACC_WIDTH] <= line_value[ACC_WIDTH-1:0];
        buffer[p*5 +: 5]                <= line_buffer[4:0];
        want[p]                          = line_answer;
        asked[p]                         = line_value[ACC_WIDTH-1:0];
        waited[p]                        = 0;
        requests                         = requests + 1;
        next_line;
      end
    end
  endtask

  initial begin
    if (!$value$plusargs("vectors=%s", name)) $fatal(1, "bench_functions: no +vectors=FILE");
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "bench_functions: cannot read the vectors");
    for (p = 0; p < PES; p = p + 1) waited[p] = 0;
    next_line;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
  end

  always @(posedge clk) begin
    if (rst_n) begin
      cycles = cycles + 1;
      check;
      open = valid & ~answered;
      write <= kind == 0 && open == {PES{1'b0}};
      if (kind == 0 && open == {PES{1'b0}}) begin
        write_buffer <= line_buffer[4:0];
        record       <= line_value;
        records       = records + 1;
        next_line;
      end else begin
        for (p = 0; p < PES; p = p + 1) offer;
      end
      for (p = 0; p < PES; p = p + 1)
        if (shift[p]) begin
          if (!valid[p]) begin
            $display("bench_functions: PE %0d is to shift, but has no request", p);
            $fatal(1);
          end
          value[p*ACC_WIDTH +: ACC_WIDTH] <= {{2*DIGITS{value[(p+1)*ACC_WIDTH-1]}},
                                              value[p*ACC_WIDTH+2*DIGITS +: ACC_WIDTH-2*DIGITS]};
        end
      valid <= open;
      if (idle != (valid == {PES{1'b0}})) begin
        $display("bench_functions: idle is %b with requests %b", idle, valid);
        $fatal(1);
      end
      if (kind == NONE && idle && open == {PES{1'b0}}) begin
        if (requests == 0 || records == 0) $fatal(1, "bench_functions: no requests");
        $display("bench_functions: PASS, %0d requests, %0d records, %0d cycles, longest wait %0d", requests, records,
                 cycles, longest);
        $finish(0);
      end
    end
  end
endmodule

`default_nettype wire
