// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_function_lanes: the requests of a file (tests/rtl/functions/vectors.c, one buffer), LANES at a time,
// with pauses in what comes and in enable_i, and the answers compared in order. A record is written when nothing is
// under way. All results must take LATENCY enabled cycles.
//
// Parameters: those of the module; PAUSE, the chance in 256 that no data come in a cycle, and STALL, that it does not
// count.
// Plusarg: +vectors=FILE

`default_nettype none

module bench_function_lanes #(
  parameter LANES     = 4,
  parameter ACC_WIDTH = 32,
  parameter FUNCTIONS = 975,
  parameter ROUNDINGS = 0,
  parameter PAUSE     = 32,
  parameter STALL     = 32
);
  localparam NONE  = 2;  // kind of a line: the file has ended
  localparam PLACES = 64; // words under way

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg                        write = 1'b0;
  wire                       ready;
  reg  [127:0]               record = 128'd0;
  reg                        enable = 1'b0;
  reg                        valid = 1'b0;
  reg  [LANES*ACC_WIDTH-1:0] data = {LANES*ACC_WIDTH{1'b0}};
  wire                       out_valid;
  wire [LANES*ACC_WIDTH-1:0] out;

  tulle_function_lanes #(
    .LANES     (LANES),
    .ACC_WIDTH (ACC_WIDTH),
    .FUNCTIONS (FUNCTIONS[15:0]),
    .ROUNDINGS (ROUNDINGS)
  ) u_dut (
    .clk_i          (clk),
    .rst_ni         (rst_n),
    .record_write_i (write),
    .record_i       (record),
    .ready_o        (ready),
    .enable_i       (enable),
    .valid_i        (valid),
    .data_i         (data),
    .valid_o        (out_valid),
    .data_o         (out)
  );

  reg [8191:0]               name;
  integer                    file, got, kind, line_buffer, l;
  reg [127:0]                line_value;
  reg [63:0]                 line_answer;
  reg [LANES*ACC_WIDTH-1:0]  want [0:PLACES-1];
  reg [LANES*ACC_WIDTH-1:0]  gave [0:PLACES-1];
  integer                    counts [0:PLACES-1];
  integer                    since [0:PLACES-1];
  reg [LANES*ACC_WIDTH-1:0]  next_data, next_want;
  integer                    head = 0;
  integer                    tail = 0;
  integer                    ticks = 0;
  integer                    unready = 0; // cycles for which a record is being set up
  integer                    requests = 0;
  integer                    records = 0;
  reg [31:0]                 random = 32'h2545F491;
  integer                    count;

  task roll; // xorshift
    begin
      random = random ^ random << 13;
      random = random ^ random >> 17;
      random = random ^ random << 5;
    end
  endtask

  task next_line;
    begin
      got = $fscanf(file, "%d %d %h %h\n", kind, line_buffer, line_value, line_answer);
      if (got != 4) kind = NONE;
    end
  endtask

  task check;
    begin
      if (head == tail) begin
        $display("bench_function_lanes: a result that nobody asked for");
        $fatal(1);
      end
      for (l = 0; l < counts[head % PLACES]; l = l + 1)
        if (out[l*ACC_WIDTH +: ACC_WIDTH] !== want[head % PLACES][l*ACC_WIDTH +: ACC_WIDTH]) begin
          $display("bench_function_lanes: lane %0d, record %h, sum %h: result %h, must be %h", l, record,
                   gave[head % PLACES][l*ACC_WIDTH +: ACC_WIDTH], out[l*ACC_WIDTH +: ACC_WIDTH],
                   want[head % PLACES][l*ACC_WIDTH +: ACC_WIDTH]);
          $fatal(1);
        end
      if (ticks - since[head % PLACES] != u_dut.LATENCY) begin
        $display("bench_function_lanes: a result after %0d cycles, not %0d", ticks - since[head % PLACES],
                 u_dut.LATENCY);
        $fatal(1);
      end
      head = head + 1;
    end
  endtask

  // Up to LANES requests; the lanes that are left over get anything.
  task gather;
    begin
      count = 0;
      for (l = 0; l < LANES; l = l + 1) begin
        roll;
        next_data[l*ACC_WIDTH +: ACC_WIDTH] = {random, ~random};
        if (kind == 1 && count == l) begin
          next_data[l*ACC_WIDTH +: ACC_WIDTH] = line_value[ACC_WIDTH-1:0];
          next_want[l*ACC_WIDTH +: ACC_WIDTH] = line_answer[ACC_WIDTH-1:0];
          count = count + 1;
          next_line;
        end
      end
      want[tail % PLACES]   = next_want;
      gave[tail % PLACES]   = next_data;
      counts[tail % PLACES] = count;
      since[tail % PLACES]  = ticks + 1; // it comes with the next edge
      tail     = tail + 1;
      requests = requests + count;
    end
  endtask

  initial begin
    if (!$value$plusargs("vectors=%s", name)) $fatal(1, "bench_function_lanes: no +vectors=FILE");
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "bench_function_lanes: cannot read the vectors");
    next_line;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
  end

  always @(posedge clk) begin
    if (rst_n) begin
      roll;
      unready = ready ? 0 : unready + 1;
      if (unready > 15) begin
        $display("bench_function_lanes: a record is not set up after 15 cycles");
        $fatal(1);
      end
      if (enable) begin
        ticks = ticks + 1;
        if (out_valid) check;
      end
      write <= 1'b0;
      if (enable || !valid) begin
        valid <= 1'b0;
        if (kind == 0 && head == tail && !write) begin
          write   <= 1'b1;
          record  <= line_value;
          records  = records + 1;
          next_line;
        end else if (kind == 1 && ready && !write && {24'd0, random[15:8]} >= PAUSE) begin
          gather;
          valid <= 1'b1;
          data  <= next_data;
        end
      end
      enable <= {24'd0, random[27:20]} >= STALL;
      if (kind == NONE && head == tail) begin
        if (requests == 0 || records == 0) $fatal(1, "bench_function_lanes: no requests");
        $display("bench_function_lanes: PASS, %0d requests, %0d records, latency %0d", requests, records, u_dut.LATENCY);
        $finish(0);
      end
    end
  end
endmodule

`default_nettype wire
