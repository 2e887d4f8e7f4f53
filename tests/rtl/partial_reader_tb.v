// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_partial_reader, or of tulle_operand_reader: random patterns over a memory whose bytes are a function of their addresses, behind a
// model of the read port with pauses. Every request must be the one that the pattern asks for next, every group the
// one that follows; what is exhausted, idle, an error or aborted must say so.
//
// Parameters: those of the module; OPERAND, 1: tulle_operand_reader, whose chunks are groups of PES = LANES elements with
// 16 bits; OPS, patterns; STEADY: no pauses, and one long pattern of int32 (int16) must come with a
// group every STEADY / 100 cycles or faster.

`default_nettype none

module partial_reader_tb #(
  parameter MEM       = 512,
  parameter PES       = 8,
  parameter ACC_WIDTH = 32,
  parameter LANES     = 4,
  parameter BURSTS    = 4,
  parameter OPERAND   = 0,
  parameter OPS       = 200,
  parameter STEADY    = 0
);
  localparam LINE   = MEM / 8;
  localparam TAG    = 38;
  localparam PLACES = 256;
  localparam SILENCE = 4000; // cycles in which nothing happens: stuck
  localparam [2:0] CHOOSE = 3'd0, OFFER = 3'd1, RUN = 3'd2, AFTER = 3'd3, ABORT = 3'd4, RESET = 3'd5;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  reg                      abort = 1'b0;
  reg                      op_valid = 1'b0;
  wire                     op_ready;
  reg  [1:0]               op_element = 2'd0;
  reg  [63:0]              op_address = 64'd0;
  reg  [31:0]              op_length = 32'd0;
  reg  [15:0]              op_runs = 16'd0;
  reg  [31:0]              op_pitch = 32'd0;
  reg  [TAG-1:0]           op_tag = {TAG{1'b0}};
  wire                     group_valid;
  reg                      group_ready = 1'b0;
  wire [PES*ACC_WIDTH-1:0] group;
  wire                     exhausted;
  wire                     request_valid;
  reg                      request_ready = 1'b0;
  wire [63:0]              request_address;
  wire [7:0]               request_beats;
  reg                      data_valid = 1'b0;
  reg  [MEM-1:0]           data = {MEM{1'b0}};
  reg  [1:0]               data_error = 2'd0;
  wire                     error;
  wire [15:0]              error_code;
  wire [TAG-1:0]           error_tag;
  wire                     taken_pulse;
  wire [7:0]               taken_bytes;
  wire                     idle;

  generate
    if (OPERAND != 0) begin : gen_operand
      tulle_operand_reader #(
        .MEM       (MEM),
        .TAG       (TAG),
        .LANES     (LANES),
        .BURSTS    (BURSTS)
      ) u_dut (
        .clk_i             (clk),
        .rst_ni            (rst_n),
        .abort_i           (abort),
        .op_valid_i        (op_valid),
        .op_ready_o        (op_ready),
        .op_wide_i         (op_element[0]),
        .op_unsigned_i     (op_tag[0]),
        .op_address_i      (op_address),
        .op_length_i       (op_length),
        .op_runs_i         (op_runs),
        .op_run_pitch_i    (op_pitch),
        .op_tag_i          (op_tag),
        .chunk_valid_o     (group_valid),
        .chunk_ready_i     (group_ready),
        .chunk_o           (group),
        .exhausted_o       (exhausted),
        .request_valid_o   (request_valid),
        .request_ready_i   (request_ready),
        .request_address_o (request_address),
        .request_beats_o   (request_beats),
        .data_valid_i      (data_valid),
        .data_i            (data),
        .data_error_i      (data_error),
        .error_o           (error),
        .error_code_o      (error_code),
        .error_tag_o       (error_tag),
        .taken_bytes_o     (taken_bytes),
        .idle_o            (idle)
      );

      assign taken_pulse = 1'b1;
    end else begin : gen_partial
      tulle_partial_reader #(
        .MEM       (MEM),
        .PES       (PES),
        .ACC_WIDTH (ACC_WIDTH),
        .TAG       (TAG),
        .LANES     (LANES),
        .BURSTS    (BURSTS)
      ) u_dut (
        .clk_i             (clk),
        .rst_ni            (rst_n),
        .abort_i           (abort),
        .op_valid_i        (op_valid),
        .op_ready_o        (op_ready),
        .op_element_i      (op_element),
        .op_address_i      (op_address),
        .op_length_i       (op_length),
        .op_runs_i         (op_runs),
        .op_run_pitch_i    (op_pitch),
        .op_tag_i          (op_tag),
        .group_valid_o     (group_valid),
        .group_ready_i     (group_ready),
        .group_o           (group),
        .exhausted_o       (exhausted),
        .request_valid_o   (request_valid),
        .request_ready_i   (request_ready),
        .request_address_o (request_address),
        .request_beats_o   (request_beats),
        .data_valid_i      (data_valid),
        .data_i            (data),
        .data_error_i      (data_error),
        .error_o           (error),
        .error_code_o      (error_code),
        .error_tag_o       (error_tag),
        .taken_o           (taken_pulse),
        .taken_bytes_o     (taken_bytes),
        .idle_o            (idle)
      );
    end
  endgenerate

  reg [31:0] random = 32'h2545F491;

  task roll; // xorshift
    begin
      random = random ^ random << 13;
      random = random ^ random >> 17;
      random = random ^ random << 5;
    end
  endtask

  // A number below the limit.
  task below;
    input  integer limit;
    output integer number;
    begin
      roll;
      number = {8'd0, random[31:8]} % limit;
    end
  endtask

  task fail;
    input [8*40-1:0] what;
    begin
      $display("partial_reader_tb: %0s; element %0d, address %h, length %0d, runs %0d, pitch %0d, group %0d of %0d", what,
               element, address, length, runs, $signed(pitch), taken, groups);
      $fatal(1);
    end
  endtask

  function [7:0] byte_at;
    input [63:0] at;
    reg   [31:0] mixed;
    begin
      mixed   = (at[31:0] ^ at[63:32]) * 32'h9E3779B1;
      byte_at = mixed[27:20] ^ mixed[12:5];
    end
  endfunction

  // -- The pattern that counts ----------------------------------------------------------------------------------

  reg  [1:0]     element = 2'd0;
  reg  [63:0]    address = 64'd0;
  reg  [31:0]    length = 32'd0, runs = 32'd0;
  reg  [31:0]    pitch = 32'd0;
  reg  [TAG-1:0] tag = {TAG{1'b0}};
  integer        groups = 0;  // whole ones
  integer        taken = 0;
  integer        plan = 0;    // groups that will be taken
  integer        bytes;       // of an element

  reg  [63:0]    elements;

  // -- Expected requests ----------------------------------------------------------------------------------------

  reg [63:0] ask;             // next byte
  integer    ask_left;        // of the run
  integer    ask_run;
  integer    span, first, final_beat;

  task next_request;
    begin
      if (ask_run >= runs) fail("a request behind the end");
      span  = 1024 - {22'd0, ask[9:0]};
      if (span > ask_left) span = ask_left;
      first = {22'd0, ask[9:0]} / LINE;
      final_beat  = ({22'd0, ask[9:0]} + span - 1) / LINE;
      if (request_address !== (ask & ~(LINE - 64'd1)) || {24'd0, request_beats} != final_beat - first) begin
        $display("partial_reader_tb: request %h, %0d beats, must be %h, %0d", request_address, request_beats + 1,
                 ask & ~(LINE - 64'd1), final_beat - first + 1);
        fail("a wrong request");
      end
      ask      = ask + {32'd0, span};
      ask_left = ask_left - span;
      if (ask_left == 0) begin
        ask_run  = ask_run + 1;
        ask      = address + {{32{pitch[31]}}, pitch} * {32'd0, ask_run};
        ask_left = length;
      end
    end
  endtask

  // -- The read port --------------------------------------------------------------------------------------------

  reg [63:0] pending_address [0:PLACES-1];
  integer    pending_beats [0:PLACES-1];
  integer    pending_time [0:PLACES-1];
  integer    head = 0, tail = 0, beat = 0, now = 0, silence = 0, bursts = 0;
  reg [63:0] beat_address;
  reg [MEM-1:0] beat_data;
  integer    i, r, chance_ready, chance_data, chance_group, chance_error;
  reg [1:0]  beat_error;
  reg        expect_error = 1'b0;
  reg [15:0] expect_code = 16'd0;
  integer    errors = 0, checked = 0, replaced = 0, aborts = 0, exhaustions = 0;

  task port;
    begin
      if (request_valid && request_ready) begin
        if (!rst_n) fail("a request in reset");
        next_request;
        pending_address[tail % PLACES] = request_address;
        pending_beats[tail % PLACES]   = {24'd0, request_beats} + 1;
        below((STEADY != 0) ? 1 : 40, r);
        pending_time[tail % PLACES]    = now + ((STEADY != 0) ? 20 : r);
        tail   = tail + 1;
        bursts = bursts + 1;
      end
      below(256, r);
      data_valid <= 1'b0;
      data_error <= 2'd0;
      if (head != tail && now >= pending_time[head % PLACES] && r >= chance_data) begin
        beat_address = pending_address[head % PLACES] + beat * LINE;
        for (i = 0; i < LINE; i = i + 1) beat_data[8*i +: 8] = byte_at(beat_address + {32'd0, i});
        below(256, r);
        beat_error = 2'd0;
        if (r < chance_error) beat_error = {1'b1, random[3]};
        data_valid <= 1'b1;
        data       <= beat_data;
        data_error <= beat_error;
        beat = beat + 1;
        if (beat == pending_beats[head % PLACES]) begin
          beat = 0;
          head = head + 1;
        end
      end
      below(256, r);
      request_ready <= r >= chance_ready;
    end
  endtask

  // -- Groups ---------------------------------------------------------------------------------------------------

  reg [63:0] index, at, value;
  integer    k, b;

  task check_group;
    begin
      if (taken >= groups) fail("a group behind the end");
      for (k = 0; k < PES; k = k + 1) begin
        index = {32'd0, taken} * PES + {32'd0, k};
        at    = address + (index / (length / bytes)) * {{32{pitch[31]}}, pitch} + (index % (length / bytes)) * bytes;
        value = 64'd0;
        for (b = 0; b < bytes; b = b + 1) value[8*b +: 8] = byte_at(at + {32'd0, b});
        case (element)
          2'd0:    value = {{56{value[7]}}, value[7:0]};
          2'd1:    value = {{48{value[15]}}, value[15:0]};
          2'd2:    value = {{32{value[31]}}, value[31:0]};
          default: value = value;
        endcase
        if (OPERAND != 0 && tag[0]) value = value ^ (element[0] ? 64'h8000 : 64'h80);
        if (OPERAND != 0) value = element[0] ? {{48{value[15]}}, value[15:0]} : {{56{value[7]}}, value[7:0]};
        if (group[k*ACC_WIDTH +: ACC_WIDTH] !== value[ACC_WIDTH-1:0]) begin
          $display("partial_reader_tb: element %0d is %h, must be %h", k, group[k*ACC_WIDTH +: ACC_WIDTH],
                   value[ACC_WIDTH-1:0]);
          fail("a wrong group");
        end
      end
      taken   = taken + 1;
      checked = checked + 1;
    end
  endtask

  // -- Patterns -------------------------------------------------------------------------------------------------

  reg  [2:0]  phase = CHOOSE;
  localparam  UNIT = (OPERAND != 0) ? LANES : 1; // elements that are never apart
  integer     ops = 0, wait_for = 0, per_run, most, size, unit_bytes;
  integer     first_time = 0, last_time = 0, expect_bytes = 0, sum_bytes = 0;
  reg         was_idle = 1'b0, will_abort = 1'b0, was_request = 1'b0, was_abort = 1'b0;

  task choose;
    begin
      roll;
      op_element <= (OPERAND != 0) ? {1'b0, random[8]} : random[9:8];
      size       = (OPERAND != 0) ? 1 << random[8] : 1 << random[9:8];
      unit_bytes = size * UNIT;
      below(4, r);
      case (r)
        0:       most = 3;
        1:       most = 40;
        2:       most = 400;
        default: most = 3000;
      endcase
      below(most, per_run);
      per_run = (per_run / UNIT + 1) * UNIT;
      below((3000 / per_run < 200) ? 3000 / per_run + 1 : 200, r);
      op_runs <= r + 1;
      below(5, r);
      op_address <= {28'd0, random[7:4], 32'd0} + ((OPERAND != 0) ? {32'd0, random[31:5], 5'd0} : {34'd0, random[31:5], 3'd0});
      roll;
      if (r != 0) op_address[9:0] <= random[15:6] & ~(unit_bytes - 1);
      roll;
      op_pitch <= (r == 1) ? per_run * size :
                  (r == 2) ? {{20{random[31]}}, random[30:19]} & ~(unit_bytes - 1) :
                             {{8{random[31]}}, random[30:7]} & ~(unit_bytes - 1);
      if (STEADY != 0) begin
        size    = (OPERAND != 0) ? 2 : 4;
        per_run = 4096;
        op_element <= (OPERAND != 0) ? 2'd1 : 2'd2;
        op_runs    <= 16'd1;
        op_address <= 64'h1000;
        op_pitch   <= 32'd0;
      end
      op_length <= per_run * size;
      roll;
      op_tag   <= {random, ~random[5:0]};
      op_valid <= 1'b1;
      phase = OFFER;
    end
  endtask

  task begin_op;
    begin
      if (head != tail || beat != 0 || request_valid) fail("a pattern is taken amid requests");
      op_valid <= 1'b0;
      element = op_element;
      bytes   = 1 << op_element;
      address = op_address;
      length  = op_length;
      runs    = {16'd0, op_runs};
      pitch   = op_pitch;
      tag     = op_tag;
      elements = {32'd0, length} / bytes * runs;
      groups  = elements / PES;
      taken   = 0;
      below(3, r);
      plan = groups;
      if (r == 0 && STEADY == 0) below(groups + 1, plan);
      if (plan != groups) replaced = replaced + 1;
      below(12, r);
      will_abort = r == 0 && STEADY == 0;
      if (will_abort && random[31]) plan = 0; // amid the first requests, for which there is room
      ask      = address;
      ask_left = length;
      ask_run  = 0;
      below(3, r);
      chance_ready = STEADY != 0 ? 0 : r * 100;
      below(3, r);
      chance_data  = STEADY != 0 ? 0 : r * 100;
      below(3, r);
      chance_group = STEADY != 0 ? 0 : r * 110;
      below(4, r);
      chance_error = r == 0 && STEADY == 0 ? 16 : 0;
      phase = RUN;
    end
  endtask

  task go_on; // within a pattern
    begin
      if (taken == plan && (plan != groups || (exhausted && idle))) begin
        if (plan == groups) exhaustions = exhaustions + 1;
        if (plan == groups && ask_run != runs) fail("not everything was asked for");
        below(30, wait_for);
        phase = will_abort ? ABORT : AFTER;
        if (will_abort) begin
          abort    <= 1'b1;
          aborts    = aborts + 1;
          wait_for  = 400;
        end
      end
    end
  endtask

  initial begin
    chance_ready = 0;
    chance_data  = 0;
    chance_group = 0;
    chance_error = 0;
    bytes        = 1;
    repeat (3) @(negedge clk);
    rst_n = 1'b1;
  end

  always @(posedge clk) begin
    now     = now + 1;
    silence = silence + 1;
    if (rst_n && phase != RESET) begin
      // What the module says, of the cycle that ends.
      if (group_valid && group_ready) begin
        check_group;
        silence = 0;
        if (first_time == 0) first_time = now;
        last_time    = now;
        expect_bytes = expect_bytes + PES * bytes;
      end
      if (taken_pulse) sum_bytes = sum_bytes + {24'd0, taken_bytes};
      if (error !== expect_error) fail("error is wrong");
      if (error && (error_code !== expect_code || error_tag !== tag)) fail("a wrong code or tag");
      if (error) errors = errors + 1;
      expect_error = data_valid && data_error != 2'd0 && !op_valid;
      expect_code  = data_error == 2'd2 ? 16'd18 : 16'd19;
      if (phase == RUN && exhausted && taken < groups) fail("exhausted too early");
      if (group_valid && !group_ready && phase == RUN && taken >= groups) fail("a group is offered behind the end");
      if (idle && (request_valid || head != tail || beat != 0)) fail("idle, but something is under way");
      if (was_idle && !idle) fail("no longer idle, without a reason");
      was_idle = idle && !(group_valid && group_ready) && !op_valid;
      if (was_abort && request_valid && !was_request) fail("a request after abort");
      was_abort   = abort;
      was_request = request_valid;

      port;
      case (phase)
        CHOOSE:  choose;
        OFFER:   if (op_ready) begin_op;
        RUN:     go_on;
        AFTER: begin
          wait_for = wait_for - 1;
          if (wait_for <= 0) begin
            ops   = ops + 1;
            phase = CHOOSE;
          end
        end
        default: begin // all that was asked for comes; then reset
          wait_for = wait_for - 1;
          if (wait_for <= 0 && head == tail && beat == 0 && !request_valid) begin
            ops   = ops + 1;
            phase = RESET;
          end
        end
      endcase
      below(256, r);
      group_ready <= phase == RUN && taken < plan && r >= chance_group;
      if (silence > SILENCE) fail("nothing happens");
      if (phase != RUN) silence = 0;

      if (ops == OPS) begin
        if (STEADY != 0 && (last_time - first_time) * 100 > STEADY * (groups - 1) * OPS + 20000)
          fail("too slow");
        if (sum_bytes != expect_bytes) fail("bytes are miscounted");
        if (checked == 0 || (STEADY == 0 && OPS >= 100 && (errors == 0 || replaced == 0 || aborts == 0))) fail("too few cases");
        $display("partial_reader_tb: PASS, %0d groups, %0d bursts, %0d exhausted, %0d replaced, %0d errors, %0d aborts, %0d cycles",
                 checked, bursts, exhaustions, replaced, errors, aborts, last_time - first_time);
        $finish(0);
      end
    end
    if (phase == RESET) begin
      // One cycle without, for the module's reset is an assignment of this block too.
      rst_n        <= 1'b0;
      abort        <= 1'b0;
      group_ready  <= 1'b0;
      data_valid   <= 1'b0;
      expect_error  = 1'b0;
      was_idle      = 1'b0;
      was_abort     = 1'b0;
      was_request   = 1'b0;
      sum_bytes     = expect_bytes;
      groups        = 0;
      taken         = 0;
      if (!rst_n) begin
        rst_n <= 1'b1;
        phase  = CHOOSE;
      end
    end
  end
endmodule

`default_nettype wire
