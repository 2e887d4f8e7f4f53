// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_command: plays the cases of tests/rtl/command/programs.c, +cases=FILE. A memory behind the read client,
// and four engines that take operations and are done with them when they like, in order. Each operation must be the next
// one expected at its port, have its tokens when it is offered, and stay behind fences; in the end the job must have
// ended as the case says, with every operation done that had to be.

`default_nettype none

module command_tb;
  parameter        MEM        = 512;
  parameter        BUS        = 256;
  parameter        ROWS       = 2;
  parameter        CLUSTERS   = 2;
  parameter        UNIT_BYTES = 65536;
  parameter        BUFFER     = 64;
  parameter        DEPTH      = 4;
  parameter        TOKENS     = 16;
  parameter [9:0]  FUNCTIONS  = 10'd975;
  parameter        ZERO_POINTS = 0;
  parameter        CHANNELS   = 0;
  parameter        ROUNDINGS  = 0;
  parameter        JOINS      = 0;
  parameter        SOFTMAX    = 0;
  parameter        PES        = 1;
  parameter        PLAIN      = 0;
  parameter        BITMAP     = 0;
  parameter        PACKED     = 0;
  parameter        KEPT       = 0;
  parameter [63:0] VARIANT    = 64'd0;
  parameter        PAUSE      = 64;    // of 256 cycles, those in which somebody waits

  localparam WORDS = 65536;            // of the program, 64 bits each
  localparam OPS   = 4096;             // of a queue
  localparam LIMIT = 5000;             // cycles without anything happening

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  // -- The device under test -----------------------------------------------------------------------------

  reg                 start = 1'b0;
  wire                argument_read;
  wire [5:0]          argument;
  wire                request_valid;
  reg                 request_ready = 1'b0;
  wire [63:0]         request_address;
  wire [7:0]          request_beats;
  reg                 data_valid = 1'b0;
  reg  [MEM-1:0]      data;
  reg  [1:0]          data_error = 2'd0;
  wire [3:0]          valid;
  reg  [3:0]          ready = 4'd0;
  reg  [3:0]          done_valid = 4'd0;
  wire [3:0]          done_ready;
  reg  [151:0]        done_tag;
  reg                 idle = 1'b1;
  reg                 quiet = 1'b1;
  reg                 store_waits = 1'b0;
  reg  [25:0]         store_place;
  wire                header_valid;
  wire [31:0]         watchdog;
  wire                bytes_valid;
  wire [32:0]         bytes;
  wire                sent;
  wire                ended;
  reg  [31:0]         units_hold;
  wire [31:0]         leaves;
  wire                error;
  wire [15:0]         error_code;
  wire [7:0]          error_queue;
  wire [31:0]         error_offset;

  reg  [31:0]         arguments [0:63];
  reg  [31:0]         argument_word;

  always @(posedge clk) if (argument_read) argument_word <= arguments[argument];

  wire [ROWS-1:0]     load_rows;
  wire                load_zero;
  wire [15:0]         load_fill;
  wire [63:0]         load_address;
  wire [20:0]         load_length;
  wire [15:0]         load_runs;
  wire [15:0]         load_planes;
  wire [31:0]         load_run_pitch;
  wire [31:0]         load_plane_pitch;
  wire [19:0]         load_unit;
  wire [37:0]         load_tag;
  wire [ROWS-1:0]     distribute_rows;
  wire [CLUSTERS-1:0] distribute_clusters;
  wire [7:0]          distribute_command;
  wire                distribute_scatter;
  wire                distribute_dispatch;
  wire                distribute_plain;
  wire [15:0]         distribute_segment;
  wire [15:0]         distribute_segments;
  wire [15:0]         distribute_count;
  wire [20:0]         distribute_length;
  wire [15:0]         distribute_runs;
  wire [31:0]         distribute_run_pitch;
  wire [19:0]         distribute_unit;
  wire [37:0]         distribute_tag;
  wire [ROWS-1:0]     store_rows;
  wire [CLUSTERS-1:0] store_clusters;
  wire [1:0]          store_element;
  wire                store_interleave;
  wire                store_unsigned;
  wire [63:0]         store_address;
  wire [31:0]         store_length;
  wire [15:0]         store_runs;
  wire [15:0]         store_planes;
  wire [31:0]         store_run_pitch;
  wire [31:0]         store_plane_pitch;
  wire [63:0]         store_walk;
  wire [42:0]         store_bytes;
  wire [37:0]         store_tag;
  wire [1:0]          accumulate_element;
  wire                accumulate_source;
  wire                accumulate_sum_clusters;
  wire                accumulate_sum_rows;
  wire                accumulate_final;
  wire [63:0]         accumulate_address;
  wire [31:0]         accumulate_length;
  wire [15:0]         accumulate_runs;
  wire [31:0]         accumulate_run_pitch;
  wire [47:0]         accumulate_bytes;
  wire [127:0]        accumulate_record;
  wire [2:0]          accumulate_column;
  wire [15:0]         accumulate_group;
  wire [2:0]          accumulate_by_channel;
  wire [1:0]          accumulate_operand;
  wire [1:0]          accumulate_join;
  wire                accumulate_alone;
  wire                accumulate_scale_first;
  wire                accumulate_fraction_15;
  wire                accumulate_unsigned;
  wire [15:0]         accumulate_softmax;
  wire [37:0]         accumulate_tag;

  tulle_command #(
    .MEM        (MEM),
    .BUS        (BUS),
    .ROWS       (ROWS),
    .CLUSTERS   (CLUSTERS),
    .UNIT_BYTES (UNIT_BYTES),
    .BUFFER     (BUFFER),
    .DEPTH      (DEPTH),
    .TOKENS     (TOKENS),
    .FUNCTIONS  (FUNCTIONS),
    .ZERO_POINTS (ZERO_POINTS),
    .CHANNELS   (CHANNELS),
    .ROUNDINGS  (ROUNDINGS),
    .JOINS      (JOINS),
    .SOFTMAX    (SOFTMAX),
    .PES        (PES),
    .PLAIN      (PLAIN),
    .BITMAP     (BITMAP),
    .PACKED     (PACKED),
    .KEPT       (KEPT),
    .VARIANT    (VARIANT)
  ) u_command (
    .clk_i                     (clk),
    .rst_ni                    (rst_n),
    .start_i                   (start),
    .abort_i                   (1'b0),
    .argument_read_o           (argument_read),
    .argument_o                (argument),
    .argument_i                (argument_word),
    .request_valid_o           (request_valid),
    .request_ready_i           (request_ready),
    .request_address_o         (request_address),
    .request_beats_o           (request_beats),
    .data_valid_i              (data_valid),
    .data_i                    (data),
    .data_error_i              (data_error),
    .load_valid_o              (valid[0]),
    .load_ready_i              (ready[0]),
    .load_rows_o               (load_rows),
    .load_zero_o               (load_zero),
    .load_fill_o               (load_fill),
    .load_address_o            (load_address),
    .load_length_o             (load_length),
    .load_runs_o               (load_runs),
    .load_planes_o             (load_planes),
    .load_run_pitch_o          (load_run_pitch),
    .load_plane_pitch_o        (load_plane_pitch),
    .load_unit_o               (load_unit),
    .load_tag_o                (load_tag),
    .distribute_valid_o        (valid[1]),
    .distribute_ready_i        (ready[1]),
    .distribute_rows_o         (distribute_rows),
    .distribute_clusters_o     (distribute_clusters),
    .distribute_command_o      (distribute_command),
    .distribute_scatter_o      (distribute_scatter),
    .distribute_dispatch_o     (distribute_dispatch),
    .distribute_plain_o        (distribute_plain),
    .distribute_segment_o      (distribute_segment),
    .distribute_segments_o     (distribute_segments),
    .distribute_count_o        (distribute_count),
    .distribute_length_o       (distribute_length),
    .distribute_runs_o         (distribute_runs),
    .distribute_run_pitch_o    (distribute_run_pitch),
    .distribute_unit_o         (distribute_unit),
    .distribute_tag_o          (distribute_tag),
    .store_valid_o             (valid[2]),
    .store_ready_i             (ready[2]),
    .store_rows_o              (store_rows),
    .store_clusters_o          (store_clusters),
    .store_element_o           (store_element),
    .store_interleave_o        (store_interleave),
    .store_unsigned_o          (store_unsigned),
    .store_address_o           (store_address),
    .store_length_o            (store_length),
    .store_runs_o              (store_runs),
    .store_planes_o            (store_planes),
    .store_run_pitch_o         (store_run_pitch),
    .store_plane_pitch_o       (store_plane_pitch),
    .store_walk_o              (store_walk),
    .store_bytes_o             (store_bytes),
    .store_tag_o               (store_tag),
    .accumulate_valid_o        (valid[3]),
    .accumulate_ready_i        (ready[3]),
    .accumulate_element_o      (accumulate_element),
    .accumulate_source_o       (accumulate_source),
    .accumulate_sum_clusters_o (accumulate_sum_clusters),
    .accumulate_sum_rows_o     (accumulate_sum_rows),
    .accumulate_final_o        (accumulate_final),
    .accumulate_address_o      (accumulate_address),
    .accumulate_length_o       (accumulate_length),
    .accumulate_runs_o         (accumulate_runs),
    .accumulate_run_pitch_o    (accumulate_run_pitch),
    .accumulate_bytes_o        (accumulate_bytes),
    .accumulate_record_o       (accumulate_record),
    .accumulate_column_o       (accumulate_column),
    .accumulate_group_o        (accumulate_group),
    .accumulate_by_channel_o   (accumulate_by_channel),
    .accumulate_operand_o      (accumulate_operand),
    .accumulate_join_o         (accumulate_join),
    .accumulate_alone_o        (accumulate_alone),
    .accumulate_scale_first_o  (accumulate_scale_first),
    .accumulate_fraction_15_o  (accumulate_fraction_15),
    .accumulate_unsigned_o     (accumulate_unsigned),
    .accumulate_softmax_o      (accumulate_softmax),
    .accumulate_tag_o          (accumulate_tag),
    .done_valid_i              (done_valid),
    .done_ready_o              (done_ready),
    .done_tag_i                (done_tag),
    .idle_i                    (idle),
    .sent_i                    (idle),
    .quiet_i                   (quiet),
    .last_call_i               (1'b0),
    .store_waits_i             (store_waits),
    .store_place_i             (store_place),
    .header_valid_o            (header_valid),
    .watchdog_o                (watchdog),
    .bytes_valid_o             (bytes_valid),
    .bytes_o                   (bytes),
    .sent_o                    (sent),
    .ended_o                   (ended),
    .held_i                    (units_hold),
    .leaves_o                  (leaves),
    .error_o                   (error),
    .error_code_o              (error_code),
    .error_queue_o             (error_queue),
    .error_offset_o            (error_offset)
  );

  // What is at the ports, as a case has it; without what it waits for and the fences before it.
  wire [15:0]   load_rows_16       = {{16-ROWS{1'b0}}, load_rows};
  wire [15:0]   distribute_rows_16 = {{16-ROWS{1'b0}}, distribute_rows};
  wire [15:0]   store_rows_16      = {{16-ROWS{1'b0}}, store_rows};
  wire [15:0]   distribute_clusters_16 = {{16-CLUSTERS{1'b0}}, distribute_clusters};
  wire [15:0]   store_clusters_16      = {{16-CLUSTERS{1'b0}}, store_clusters};
  localparam PORT = 412;       // bits of what is at a port
  localparam LINE = PORT + 20; // and of what it waits for
  wire [PORT-1:0] load_port = {load_rows_16, load_zero, load_fill, load_address, load_length, load_runs, load_planes, load_run_pitch,
                             load_plane_pitch, load_unit, load_tag};
  wire [PORT-1:0] distribute_port = {distribute_rows_16, distribute_clusters_16, distribute_command, distribute_scatter,
                                   distribute_dispatch, distribute_count, distribute_length, distribute_runs,
                                   distribute_run_pitch, distribute_unit, distribute_plain, distribute_segment,
                                   distribute_segments, distribute_tag};
  wire [PORT-1:0] store_port = {store_rows_16, store_clusters_16, store_element, store_interleave, store_unsigned,
                              store_address, store_length, store_runs, store_planes, store_run_pitch, store_plane_pitch, store_bytes,
                              store_walk, store_tag};
  wire [PORT-1:0] accumulate_port = {accumulate_element, accumulate_source, accumulate_sum_clusters, accumulate_sum_rows,
                                   accumulate_final, accumulate_address, accumulate_length, accumulate_runs,
                                   accumulate_run_pitch, accumulate_bytes, accumulate_record,
                                   accumulate_column, accumulate_group, accumulate_by_channel, accumulate_operand,
                                   accumulate_join, accumulate_alone, accumulate_scale_first, accumulate_fraction_15, accumulate_unsigned,
                                   accumulate_softmax,
                                   accumulate_tag};
  wire [4*PORT-1:0] ports = {accumulate_port, store_port, distribute_port, load_port};

  // -- The case ------------------------------------------------------------------------------------------

  reg  [8*256-1:0] name;
  integer          file;
  integer          got;
  reg  [63:0]      value, second;
  reg  [LINE-1:0]  line;
  integer          i, j, n;
  integer          cases = 0;
  integer          operations = 0;
  integer          cycles = 0;
  reg  [31:0]      number;
  reg              reset_first;
  reg  [63:0]      base [0:7];
  reg  [63:0]      size [0:7];
  reg  [31:0]      count;
  reg  [63:0]      words [0:WORDS-1];
  reg  [31:0]      failing, response, held;
  reg  [31:0]      want_code, want_queue, want_accepted, want_watchdog, want_leaves;
  reg  [63:0]      want_offset;
  reg  [31:0]      required [0:3];
  reg  [31:0]      listed [0:3];
  reg  [LINE-1:0]  list [0:4*OPS-1];
  reg              playing = 1'b0;
  reg  [31:0]      more;

  task stop;
    input [8*60-1:0] what;
    begin
      $display("command_tb: FAIL: case %0h: %0s", number, what);
      $fatal(1);
    end
  endtask

  task read_case;
    begin
      got = $fscanf(file, "%h %h\n", number, reset_first);
      for (i = 0; i < 8; i = i + 1) begin
        got     = $fscanf(file, "%h %h\n", value, second);
        base[i] = value;
        size[i] = second;
      end
      got = $fscanf(file, "%h\n", count);
      if (count > WORDS) stop("the program is too long for the bench");
      for (i = 0; i < count; i = i + 1) begin
        got      = $fscanf(file, "%h\n", value);
        words[i] = value;
      end
      got = $fscanf(file, "%h %h %h\n", failing, response, held);
      got = $fscanf(file, "%h %h %h %h %h\n", want_code, want_queue, want_offset, want_accepted, want_watchdog);
      got = $fscanf(file, "%h %h\n", units_hold, want_leaves);
      for (i = 0; i < 4; i = i + 1) begin
        got         = $fscanf(file, "%h %h\n", value, second);
        required[i] = value[31:0];
        listed[i]   = second[31:0];
        for (j = 0; j < listed[i]; j = j + 1) begin
          got             = $fscanf(file, "%h\n", line);
          list[OPS*i + j] = line;
        end
      end
      if (got != 1 && got != 2) stop("the file ends in the middle");
      for (i = 0; i < 64; i = i + 1) arguments[i] = 32'hDEADBEEF;
      for (i = 0; i < 8; i = i + 1) begin
        {arguments[5 + 3*i], arguments[4 + 3*i]}   = base[i];
        {arguments[29 + 3*i], arguments[28 + 3*i]} = size[i];
      end
    end
  endtask

  // -- Random numbers ------------------------------------------------------------------------------------

  reg [31:0] random = 32'h2468ACE1;
  reg        waits_now;

  task toss; // waits_now: in PAUSE of 256 cases
    begin
      random    = {random[30:0], random[31] ^ random[21] ^ random[1] ^ random[0]};
      waits_now = {24'd0, random[29], random[23], random[19:17], random[11], random[7], random[2]} < PAUSE;
    end
  endtask

  // -- Memory --------------------------------------------------------------------------------------------

  reg  [63:0] burst_address [0:255];
  integer     burst_beats [0:255];
  integer     burst_due [0:255];
  integer     burst_first = 0;
  integer     burst_last = 0;
  integer     beat = 0;
  reg  [63:0] at;
  reg  [63:0] place;

  task memory;
    begin
      if (request_valid && request_ready) begin
        n  = (request_beats + 1) * (MEM / 8);
        at = request_address - base[0];
        if (request_address % (MEM / 8) != 0) stop("an address that is no multiple of a beat");
        if (request_address[63:12] != (request_address + n - 1) >> 12) stop("a burst crosses 4 KiB");
        if (n > 512) stop("a burst is longer than 512 bytes");
        if (at + n > size[0]) stop("a burst is not in the slot");
        burst_address[burst_last % 256] = at;
        burst_beats[burst_last % 256]   = request_beats + 1;
        burst_due[burst_last % 256]     = cycles + 3 + random[20:15] % 40;
        burst_last = burst_last + 1;
      end
      toss;
      request_ready <= !waits_now;
      toss;
      data_valid <= 1'b0;
      data       <= {MEM/32{random}};
      data_error <= random[9:8];
      if (burst_first != burst_last && burst_due[burst_first % 256] <= cycles && !waits_now) begin
        place = burst_address[burst_first % 256] + beat * (MEM / 8);
        for (i = 0; i < MEM / 64; i = i + 1) data[64*i +: 64] <= words[place[31:0] / 8 + i];
        data_valid <= 1'b1;
        data_error <= (place / 64 == failing) ? response[1:0] : 2'd0;
        beat = beat + 1;
        if (beat == burst_beats[burst_first % 256]) begin
          beat        = 0;
          burst_first = burst_first + 1;
        end
      end
    end
  endtask

  // -- Engines -------------------------------------------------------------------------------------------

  integer     taken [0:3];
  integer     given [0:3];
  integer     due [0:3];
  integer     tokens [0:31];
  reg  [3:0]  seen;      // offered and looked at
  reg  [7:0]  fences;
  reg         held_now;
  integer     q;
  reg [LINE-1:0] op;
  reg         nothing;

  task begin_engines;
    begin
      for (q = 0; q < 4; q = q + 1) begin
        taken[q] = 0;
        given[q] = 0;
        due[q]   = 0;
      end
      for (q = 0; q < 32; q = q + 1) tokens[q] = (words[3 + q / 16] >> (4 * (q % 16))) & 15;
      seen       = 4'd0;
      fences     = 8'd0;
      held_now    = 1'b0;
      done_valid  = 4'd0;
      ready       = 4'd0;
      store_waits = 1'b0;
    end
  endtask

  task take_token;
    input [5:0] wait_for; // token, whether
    begin
      if (wait_for[0]) begin
        if (tokens[wait_for[5:1]] == 0) stop("an operation is offered before its token is there");
        tokens[wait_for[5:1]] = tokens[wait_for[5:1]] - 1;
      end
    end
  endtask

  task look; // at a new offer
    begin
      if (taken[q] >= listed[q]) begin
        $display("command_tb: queue %0d, operation %0d", q, taken[q]);
        stop("an operation that must not start");
      end
      op = list[OPS*q + taken[q]];
      if (ports[PORT*q +: PORT] !== op[LINE-1:20]) begin
        $display("command_tb: queue %0d, operation %0d\n  is   %h\n  must %h", q, taken[q], ports[PORT*q +: PORT], op[LINE-1:20]);
        stop("not the operation that was expected");
      end
      take_token(op[19:14]);
      take_token(op[13:8]);
      if (op[7:0] != fences) begin
        for (i = 0; i < 4; i = i + 1)
          if (taken[i] != given[i]) stop("an operation overtakes a fence");
        fences = op[7:0];
      end
    end
  endtask

  task give_token;
    input [5:0] signal; // whether, token
    if (signal[5]) tokens[signal[4:0]] = tokens[signal[4:0]] + 1;
  endtask

  // The list's next operation that is not done is done some time after it was taken, before the one behind it.
  task engine;
    begin
      if (done_valid[q] && done_ready[q]) begin
        give_token(done_tag[38*q + 6 +: 6]);
        give_token(done_tag[38*q +: 6]);
        given[q]       = given[q] + 1;
        done_valid[q] <= 1'b0;
        due[q]         = cycles + random[24:20];
      end
      // A store that cannot be taken yet is not in the list.
      if (valid[q] && ((seen >> q) & 4'd1) == 4'd0 && !(q >= 2 && taken[2] > held)) begin
        look;
        seen = seen | (4'd1 << q);
      end
      if (valid[q] && ready[q]) begin
        if (taken[q] == given[q]) due[q] = cycles + random[24:20];
        taken[q]   = taken[q] + 1;
        seen       = seen & ~(4'd1 << q);
        operations = operations + 1;
      end
      toss;
      if (q == 2) held_now = given[2] == held && taken[2] > held;
      if (taken[q] > given[q] && due[q] <= cycles && !waits_now && !(done_valid[q] && !done_ready[q]) && !(q == 2 && held_now)) begin
        op                    = list[OPS*q + given[q]];
        done_valid[q]        <= 1'b1;
        done_tag[38*q +: 38] <= op[57:20];
      end
      toss;
      ready[q] <= !waits_now && !(q >= 2 && taken[2] > held);
      if (!(taken[q] == given[q] || (q == 2 && taken[q] == given[q] + 1 && held_now))) nothing = 1'b0;
    end
  endtask

  // -- Playing -------------------------------------------------------------------------------------------

  integer last_event;
  integer events, events_before;
  reg     bytes_seen;

  task judge;
    input [15:0] code;
    input [7:0]  from_queue;
    input [31:0] offset;
    begin
      if (code != want_code || from_queue != want_queue || {32'd0, offset} != want_offset) begin
        $display("command_tb: code %0d queue %0d offset %h, must be %0d %0d %h", code, from_queue, offset, want_code,
                 want_queue, want_offset);
        stop("not the expected outcome");
      end
      for (i = 0; i < 4; i = i + 1)
        if (taken[i] < required[i]) begin
          $display("command_tb: queue %0d: %0d operations of %0d", i, taken[i], required[i]);
          stop("operations are missing");
        end
      if (header_valid != want_accepted[0]) stop("the header was taken wrongly");
      if (want_accepted[0] && watchdog != want_watchdog) stop("a wrong watchdog");
      if (want_accepted[0] && leaves != want_leaves) stop("a wrong number is left");
      if (bytes_seen != want_accepted[0]) stop("the bytes of the program are not told once");
      playing = 1'b0;
      cases   = cases + 1;
    end
  endtask

  initial begin
    if (!$value$plusargs("cases=%s", name)) $fatal(1, "command_tb: no +cases=FILE");
    file = $fopen(name, "r");
    if (file == 0) $fatal(1, "command_tb: cannot read the cases");
    got = $fscanf(file, "%h", more);
    while (more == 1) begin
      read_case;
      @(negedge clk);
      if (reset_first) begin
        rst_n = 1'b0;
        repeat (3) @(negedge clk);
        rst_n = 1'b1;
      end
      burst_first = 0;
      burst_last  = 0;
      beat        = 0;
      data_valid  = 1'b0;
      begin_engines;
      @(negedge clk);
      start = 1'b1;
      @(negedge clk);
      start      = 1'b0;
      last_event = cycles;
      events     = 0;
      bytes_seen = 1'b0;
      playing    = 1'b1;
      while (playing) @(negedge clk);
      got  = $fscanf(file, "%h", more);
    end
    if (cases == 0 || operations == 0) $fatal(1, "command_tb: nothing was played");
    $display("command_tb: PASS, %0d cases, %0d operations, %0d cycles", cases, operations, cycles);
    $finish(0);
  end

  always @(posedge clk) begin
    cycles = cycles + 1;
    if (playing) begin
      memory;
      nothing = 1'b1;
      for (q = 0; q < 4; q = q + 1) engine;
      store_waits <= held_now;
      op           = list[OPS*2 + (held < OPS ? held : 0)];
      store_place <= op[57:32];
      quiet       <= nothing;
      idle        <= nothing && !held_now;
      if (bytes_valid) begin
        if (bytes_seen || bytes != (words[5][31:0] != 0 ? {words[5][31:0], 6'd0} : ({32'd0, words[2][31:0]} + 1) << 6)) stop("wrong bytes of the program");
        bytes_seen = 1'b1;
      end
      events_before = events;
      events = burst_first + burst_last + beat + taken[0] + taken[1] + taken[2] + taken[3] + given[0] + given[1] + given[2] +
               given[3];
      if (events != events_before) last_event = cycles;
      if (cycles - last_event > LIMIT) stop("nothing happens any more");
      if (error) judge(error_code, error_queue, error_offset);
      else if (ended) begin
        for (i = 0; i < 4; i = i + 1)
          if (taken[i] != given[i]) stop("ended with operations under way");
        judge(16'd0, 8'd0, 32'd0);
      end
    end
  end
endmodule

`default_nettype wire
