// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_store and tulle_collector: plays the programs of a file (cases.c) with rows that give results at
// random, partial sums, a write port and a memory, all with pauses, and compares memory, tags, bytes and errors.
//
// Parameters: those of the modules.
// Plusarg: +cases=FILE

`default_nettype none

module store_tb #(
  parameter MEM       = 512,
  parameter ACC       = 32,
  parameter PES       = 8,
  parameter CLUSTERS  = 2,
  parameter ROWS      = 2,
  parameter LANES     = 4,
  parameter COLLECTOR = 128,
  parameter DEPTH     = 16,
  parameter FUNCTIONS = 1,
  parameter CHANNEL_GROUPS = 0,
  parameter ROUNDINGS      = 0,
  parameter LOOKUP         = 0,
  parameter JOINS          = 0,
  parameter SOFTMAX        = 0,
  parameter LINES          = 0,
  parameter TAKE           = 1
);
  localparam TAG       = 38;
  localparam ELEMENT   = (ACC > 32) ? 64 : 32;
  localparam ROW_LANES = COLLECTOR / ELEMENT;
  localparam BEATS     = (PES + ROW_LANES - 1) / ROW_LANES;
  localparam INDEX     = $clog2((CLUSTERS > 1) ? CLUSTERS : 2);
  localparam BYTES     = MEM / 8;
  localparam BANK      = (TAKE > 1) ? $clog2(TAKE) : 1;
  localparam REGION    = 65536;
  localparam GROUPS    = 2048; // of a cluster, in a program
  localparam OPS       = 64;
  localparam PARTIALS  = 65536;
  localparam BURSTS    = 65536;
  localparam STUCK     = 4000; // cycles in which nothing moves
  localparam QUIET     = 300;  // cycles after which a store that waits will wait for ever

  localparam LINE_END = 0, LINE_BEGIN = 1, LINE_RESULT = 2, LINE_STORE = 3, LINE_ACCUMULATE = 4, LINE_PARTIAL = 5,
             LINE_BYTE = 6, LINE_RUN = 7;
  localparam DEADLOCK = 11, WRITE_ERROR = 20, STORE_QUEUE = 4;

  reg clk = 1'b0;
  reg rst_n = 1'b0;
  always #5 clk = !clk;

  // -- What the program says ----------------------------------------------------------------------------------------

  reg [63:0] results [0:ROWS*CLUSTERS*GROUPS*16-1];
  integer    given [0:ROWS*CLUSTERS-1]; // groups of each cluster, from the file
  integer    given_pes [0:ROWS*CLUSTERS-1];
  reg [63:0] op_field [0:OPS*12-1];
  integer    op_kind [0:OPS-1];
  integer    op_partial [0:OPS-1];      // an accumulate's first partial group
  integer    ops;
  reg [63:0] partial_of [0:PARTIALS-1];
  integer    partial_elements;
  reg [7:0]  memory [0:REGION-1];
  reg [7:0]  expected [0:REGION-1];
  reg [63:0] base;
  reg [63:0] f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11;
  integer    kind, file, got, n, m, pace;
  reg [8191:0] name;

  // -- Randomness: one generator, of which everybody takes other bits -------------------------------------------------

  reg [63:0] random = 64'h123456789ABCDEF1;
  always @(posedge clk) random <= mixed(random);

  function [63:0] mixed(input [63:0] from);
    reg [63:0] x;
    begin
      x = from;
      x = x ^ (x << 13);
      x = x ^ (x >> 7);
      mixed = x ^ (x << 17);
    end
  endfunction

  // Pace 0: nobody waits; 1: everybody now and then; 2: results are rare; 3: memory is slow.
  function now(input integer at, input integer slow);
    reg [63:0] x;
    begin
      x   = random >> at;
      now = (pace == 0) ? 1'b1 : (pace == slow) ? x[3:0] == 4'd0 : (pace == 1) ? x[0] : x[1:0] != 2'd0;
    end
  endfunction

  // -- The device ---------------------------------------------------------------------------------------------------

  reg                      abort = 1'b0;
  reg                      op_valid = 1'b0;
  wire                     op_ready;
  reg  [12*64-1:0]         op = {12*64{1'b0}};
  wire                     done_valid;
  reg                      done_ready = 1'b0;
  wire [TAG-1:0]           done_tag;
  reg                      acc_valid = 1'b0;
  wire                     acc_ready;
  reg  [12*64-1:0]         acc = {12*64{1'b0}};
  wire                     acc_done_valid;
  reg                      acc_done_ready = 1'b0;
  wire [TAG-1:0]           acc_done_tag;
  wire [ROWS*TAKE*CLUSTERS-1:0] has;
  wire [ROWS*CLUSTERS*BANK-1:0] bank;
  wire [ROWS*TAKE-1:0]     take;
  wire [TAKE*CLUSTERS-1:0] take_cluster;
  wire [ROWS*TAKE*PES*ACC-1:0] group;
  wire                     partial_op_valid;
  reg                      partial_op_ready = 1'b0;
  reg                      partial_valid = 1'b0;
  wire                     partial_ready;
  reg  [PES*ACC-1:0]       partial = {PES*ACC{1'b0}};
  wire                     partial_exhausted;
  wire [7:0]               partial_bytes;
  wire [1:0]               operand_op_valid;
  reg  [1:0]               operand_op_ready = 2'd0;
  reg  [1:0]               operand_valid = 2'd0;
  wire [1:0]               operand_ready;
  reg  [2*LANES*16-1:0]    operand_chunk;
  reg  [1:0]               operand_exhausted;
  wire                     burst_valid;
  reg                      burst_open = 1'b0;
  wire [63:0]              burst_address;
  wire [7:0]               burst_beats;
  wire                     data_valid;
  reg                      data_open = 1'b0;
  wire [MEM-1:0]           data;
  wire [MEM/8-1:0]         strobe;
  reg                      response_valid = 1'b0;
  reg  [1:0]               response_error = 2'd0;
  wire                     bytes_valid;
  wire [42:0]              bytes;
  wire                     error;
  wire [15:0]              error_code;
  wire [7:0]               error_queue;
  wire [TAG-1:0]           error_tag;
  wire                     waits;
  wire [TAG-1:0]           active_tag;
  wire                     stall;
  wire                     idle;
  wire [ROWS-1:0]          collector_idle;

  reg         record_valid = 1'b0;
  wire        record_ready;
  reg  [63:0] record_address;
  wire        record_response;
  wire        sent;
  reg         words_valid = 1'b0;
  wire        words_ready;
  reg  [63:0] words;

  integer owed = 0;
  wire    data_ready = data_open && owed != 0 && !abort;
  wire    burst_ready = burst_open && !abort; // after an error the port takes nothing more

  tulle_store #(
    .MEM       (MEM),
    .ACC       (ACC),
    .PES       (PES),
    .CLUSTERS  (CLUSTERS),
    .ROWS      (ROWS),
    .LANES     (LANES),
    .TAKE      (TAKE),
    .FUNCTIONS (FUNCTIONS[15:0]),
    .CHANNEL_GROUPS (CHANNEL_GROUPS),
    .ROUNDINGS      (ROUNDINGS),
    .LOOKUP         (LOOKUP),
    .JOINS     (JOINS),
    .SOFTMAX   (SOFTMAX),
    .LINES     (LINES),
    .TAG       (TAG)
  ) u_dut (
    .clk_i               (clk),
    .rst_ni              (rst_n),
    .abort_i             (abort),
    .op_valid_i          (op_valid),
    .op_ready_o          (op_ready),
    .op_rows_i           (op[0 +: ROWS]),
    .op_clusters_i       (op[64 +: CLUSTERS]),
    .op_element_i        (op[128 +: 2]),
    .op_interleave_i     (op[130]),
    .op_unsigned_i       (op[131]),
    .op_address_i        (op[192 +: 64]),
    .op_length_i         (op[256 +: 32]),
    .op_runs_i           (op[320 +: 16]),
    .op_planes_i         (op[384 +: 16]),
    .op_run_pitch_i      (op[448 +: 32]),
    .op_plane_pitch_i    (op[512 +: 32]),
    .op_bytes_i          ({3'd0, op[576 +: 40]} << op[128 +: 2]),
    .op_walk_i           (op[704 +: 64]),
    .op_tag_i            (op[640 +: TAG]),
    .done_valid_o        (done_valid),
    .done_ready_i        (done_ready),
    .done_tag_o          (done_tag),
    .acc_valid_i         (acc_valid),
    .acc_ready_o         (acc_ready),
    .acc_element_i       (acc[0 +: 2]),
    .acc_source_i        (acc[2]),
    .acc_sum_clusters_i  (acc[3]),
    .acc_sum_rows_i      (acc[4]),
    .acc_final_i         (acc[5]),
    .acc_record_i        (acc[64 +: 128]),
    .acc_column_i        (acc[6 +: 3]),
    .acc_group_i         (acc[16 +: 16]),
    .acc_by_channel_i    (acc[9 +: 3]),
    .acc_operand_i       (acc[32 +: 2]),
    .acc_join_i          (acc[34 +: 2]),
    .acc_alone_i         (acc[36]),
    .acc_scale_first_i   (acc[37]),
    .acc_fraction_15_i   (acc[38]),
    .acc_softmax_i       (acc[40 +: 16]),
    .acc_tag_i           (acc[256 +: TAG]),
    .acc_done_valid_o    (acc_done_valid),
    .acc_done_ready_i    (acc_done_ready),
    .acc_done_tag_o      (acc_done_tag),
    .has_i               (has),
    .bank_i              (bank),
    .take_o              (take),
    .take_cluster_o      (take_cluster),
    .group_i             (group),
    .partial_op_valid_o  (partial_op_valid),
    .partial_op_ready_i  (partial_op_ready),
    .partial_valid_i     (partial_valid),
    .partial_ready_o     (partial_ready),
    .partial_group_i     (partial),
    .partial_exhausted_i (partial_exhausted),
    .partial_bytes_o     (partial_bytes),
    .operand_op_valid_o  (operand_op_valid),
    .operand_op_ready_i  (operand_op_ready),
    .operand_valid_i     (operand_valid),
    .operand_ready_o     (operand_ready),
    .operand_chunk_i     (operand_chunk),
    .operand_exhausted_i (operand_exhausted),
    .record_valid_i      (record_valid),
    .record_ready_o      (record_ready),
    .record_address_i    (record_address),
    .words_valid_i       (words_valid),
    .words_ready_o       (words_ready),
    .words_i             (words),
    .burst_valid_o       (burst_valid),
    .burst_ready_i       (burst_ready),
    .burst_address_o     (burst_address),
    .burst_beats_o       (burst_beats),
    .data_valid_o        (data_valid),
    .data_ready_i        (data_ready),
    .data_o              (data),
    .strobe_o            (strobe),
    .response_valid_i    (response_valid),
    .response_error_i    (response_error),
    .bytes_valid_o       (bytes_valid),
    .bytes_o             (bytes),
    .error_o             (error),
    .error_code_o        (error_code),
    .error_queue_o       (error_queue),
    .error_tag_o         (error_tag),
    .waits_o             (waits),
    .active_tag_o        (active_tag),
    .stall_o             (stall),
    .record_response_o   (record_response),
    .sent_o              (sent),
    .idle_o              (idle)
  );

  // -- Rows: a group of a cluster that has room, beat by beat ---------------------------------------------------------

  genvar r;
  generate
    for (r = 0; r < ROWS; r = r + 1) begin : gen_row
      reg                 valid = 1'b0;
      reg  [COLLECTOR-1:0] beat = {COLLECTOR{1'b0}};
      reg  [INDEX-1:0]    cluster = {INDEX{1'b0}};
      wire                ready;
      wire [CLUSTERS-1:0] room;
      integer             sent [0:CLUSTERS-1];
      integer             number, current, c, l, pe;
      reg  [COLLECTOR-1:0] next;
      reg  [63:0]         value;

      tulle_collector #(
        .COLLECTOR (COLLECTOR),
        .ACC       (ACC),
        .PES       (PES),
        .CLUSTERS  (CLUSTERS),
        .DEPTH     (DEPTH),
        .TAKE      (TAKE)
      ) u_collector (
        .clk_i            (clk),
        .rst_ni           (rst_n),
        .result_valid_i   (valid),
        .result_ready_o   (ready),
        .result_data_i    (beat),
        .result_cluster_i (cluster),
        .room_o           (room),
        .has_o            (has[r*TAKE*CLUSTERS +: TAKE*CLUSTERS]),
        .bank_o           (bank[r*CLUSTERS*BANK +: CLUSTERS*BANK]),
        .take_i           (take[r*TAKE +: TAKE]),
        .take_cluster_i   (take_cluster),
        .group_o          (group[r*TAKE*PES*ACC +: TAKE*PES*ACC]),
        .idle_o           (collector_idle[r])
      );

      always @(posedge clk) begin
        if (!rst_n) begin
          valid  <= 1'b0;
          number = BEATS;
          for (c = 0; c < CLUSTERS; c = c + 1) sent[c] = 0;
        end else begin
          if (valid && !ready) begin
            $display("store_tb: row %0d: a collector that showed room does not take a beat", r);
            $fatal(1);
          end
          // The room that is looked at does not count the group whose last beat is on the port.
          if (number == BEATS) begin
            for (c = 0; c < CLUSTERS; c = c + 1) begin
              current = (c + random[20 +: 4]) % CLUSTERS;
              if (number == BEATS && room[current] && sent[current] < given[r*CLUSTERS + current] && now(r, 2)) begin
                number        = 0;
                cluster       <= current[INDEX-1:0];
                l             = (r*CLUSTERS + current) * GROUPS + sent[current];
                sent[current] = sent[current] + 1;
              end
            end
          end
          valid <= 1'b0;
          if (number != BEATS && now(3 + r, 1)) begin
            for (c = 0; c < ROW_LANES; c = c + 1) begin
              pe    = number * ROW_LANES + c;
              value = (pe < PES) ? results[l*16 + pe] : random;
              next[c*ELEMENT +: ELEMENT] = value[ELEMENT-1:0];
            end
            beat   <= next;
            valid  <= 1'b1;
            number = number + 1;
          end
        end
      end
    end
  endgenerate

  // -- Partial sums ---------------------------------------------------------------------------------------------------

  integer partial_next = 0, partial_end = 0, partial_p;
  reg [PES*ACC-1:0] partial_group;
  reg [63:0]        partial_value;
  integer accumulates = 0; // taken: which of the program's operations the offered one is
  integer acc_number = 0;

  assign partial_exhausted = partial_next == partial_end && !partial_valid;

  always @(posedge clk) begin
    partial_op_ready <= now(30, 3) && !(partial_op_valid && partial_op_ready);
    if (!rst_n) begin
      partial_valid <= 1'b0;
      partial_next  <= 0;
      partial_end   <= 0;
    end else if (partial_op_valid && partial_op_ready) begin
      partial_valid <= 1'b0;
      partial_next  <= op_partial[acc_number];
      partial_end   <= op_partial[acc_number] + acc[192 +: 32] * PES;
    end else if (!partial_valid || partial_ready) begin
      partial_valid <= partial_next != partial_end && now(33, 3);
      if (partial_next != partial_end && now(33, 3)) begin
        for (partial_p = 0; partial_p < PES; partial_p = partial_p + 1) begin
          partial_value = partial_of[partial_next + partial_p];
          partial_group[partial_p*ACC +: ACC] = partial_value[ACC-1:0];
        end
        partial      <= partial_group;
        partial_next <= partial_next + PES;
      end
    end
  end

  // -- Operands: chunks of them ------------------------------------------------------------------------------------------

  integer    operand_next [0:1], operand_end [0:1];
  integer    o, operand_lane;
  reg        operand_come;
  reg [63:0] operand_value;

  always @* for (o = 0; o < 2; o = o + 1) operand_exhausted[o] = operand_next[o] == operand_end[o] && !operand_valid[o];

  integer w;
  always @(posedge clk) begin
    for (w = 0; w < 2; w = w + 1) begin
      operand_op_ready[w] <= now(54 + w, 3) && !(operand_op_valid[w] && operand_op_ready[w]);
      operand_come         = operand_next[w] != operand_end[w] && now(56 + w, 3);
      if (!rst_n) begin
        operand_valid[w] <= 1'b0;
        operand_next[w]  <= 0;
        operand_end[w]   <= 0;
      end else if (operand_op_valid[w] && operand_op_ready[w]) begin
        operand_valid[w] <= 1'b0;
        operand_next[w]  <= op_partial[acc_number];
        operand_end[w]   <= op_partial[acc_number] + acc[192 +: 32] * PES;
      end else if (!operand_valid[w] || operand_ready[w]) begin
        operand_valid[w] <= operand_come;
        if (operand_come) begin
          for (operand_lane = 0; operand_lane < LANES; operand_lane = operand_lane + 1) begin
            operand_value = partial_of[operand_next[w] + operand_lane];
            operand_chunk[(w*LANES + operand_lane)*16 +: 16] <= operand_value[15:0];
          end
          operand_next[w] <= operand_next[w] + LANES;
        end
      end
    end
  end

  // -- Memory -----------------------------------------------------------------------------------------------------------

  reg [63:0] burst_at [0:BURSTS-1];
  reg [7:0]  burst_length [0:BURSTS-1];
  integer    bursts = 0;    // announced
  integer    filling = 0;   // the burst whose beats come
  integer    filled = 0;    // its beats so far
  integer    answered = 0;
  integer    refused;       // the burst that is answered with an error
  reg [1:0]  refusal;
  integer    lane;
  reg [63:0] at;

  always @(posedge clk) begin
    burst_open     <= now(36, 3);
    data_open      <= now(39, 3);
    response_valid <= 1'b0;
    response_error <= 2'd0;
    if (!rst_n) begin
      bursts   = 0;
      filling  = 0;
      filled   = 0;
      answered = 0;
      owed    <= 0;
    end else begin
      if (data_valid && data_ready) begin
        at = burst_at[filling] + filled * BYTES - base;
        for (lane = 0; lane < BYTES; lane = lane + 1)
          if (strobe[lane]) begin
            if (at + lane >= REGION) begin
              $display("store_tb: byte %h is written", at + base + lane);
              $fatal(1);
            end
            memory[at[15:0] + lane] = data[8*lane +: 8];
          end
        if (strobe == {BYTES{1'b0}}) begin
          $display("store_tb: a beat of nothing");
          $fatal(1);
        end
        if (filled == burst_length[filling]) begin
          filled  = 0;
          filling = filling + 1;
        end else begin
          filled = filled + 1;
        end
      end
      if (burst_valid && burst_ready) begin
        if (burst_address % BYTES != 0 || burst_address % 1024 + (burst_beats + 1) * BYTES > 1024) begin
          $display("store_tb: burst of %0d beats from %h", burst_beats + 1, burst_address);
          $fatal(1);
        end
        burst_at[bursts]     = burst_address;
        burst_length[bursts] = burst_beats;
        bursts               = bursts + 1;
      end
      owed <= bursts - filling;
      if (answered < filling && now(42, 3)) begin
        response_valid <= 1'b1;
        response_error <= (answered == refused) ? refusal : 2'd0;
        answered       = answered + 1;
      end
    end
  end

  // -- A status record, when told to: what it writes is expected ----------------------------------------------------------

  reg     record_go = 1'b0; // for one rising edge
  integer words_left = 0;
  reg     record_half = 1'b0;
  integer word_byte;
  reg [63:0] word_at;

  always @(posedge clk) begin
    if (record_go) begin
      record_valid   <= 1'b1;
      record_address <= {base[63:10] + 54'd1, random[3:0], 6'd0};
      word_at        = {base[63:10] + 54'd1, random[3:0], 6'd0} - base;
      words_left     = 32;
    end else begin
      if (record_valid && record_ready) begin // the second half
        record_valid   <= !record_half;
        record_half    <= !record_half;
        record_address <= record_address + 64'd64;
      end
      if (!words_valid || words_ready) begin
        words_valid <= words_left != 0 && now(54, 3);
        if (words_left != 0 && now(54, 3)) begin
          words <= random[63:0];
          for (word_byte = 0; word_byte < 8; word_byte = word_byte + 1)
            expected[word_at[15:0] + word_byte] = random[8*word_byte +: 8];
          word_at    = word_at + 64'd8;
          words_left = words_left - 2;
        end
      end
    end
  end

  // -- Operations, and what the engine says --------------------------------------------------------------------------

  integer next = 0, store_dones = 0, acc_dones = 0, stores = 0, errors = 0, waiting = 0;
  reg [63:0] bytes_sum = 64'd0, partial_sum = 64'd0;
  reg [TAG-1:0] store_tag [0:OPS-1];
  reg [TAG-1:0] acc_tag [0:OPS-1];
  reg [63:0] want_code, want_queue, want_tag, want_bytes, want_partial, want_cycles, want_bursts;
  integer i;
  reg running = 1'b0;

  always @(posedge clk) begin
    done_ready     <= now(45, 3) && (pace != 3 || random[61:59] == 3'd0); // so that stores that are over pile up
    acc_done_ready <= now(48, 3);
    if (!rst_n) begin
      op_valid    <= 1'b0;
      acc_valid   <= 1'b0;
      next        = 0;
      stores      = 0;
      accumulates = 0;
      store_dones = 0;
      acc_dones   = 0;
      errors      = 0;
      waiting     = 0;
      bytes_sum   = 64'd0;
      partial_sum = 64'd0;
    end else if (running) begin
      if (op_ready) op_valid <= 1'b0;
      if (acc_ready) acc_valid <= 1'b0;
      if (op_ready && !op_valid || acc_ready && !acc_valid) begin
        $display("store_tb: ready without an operation");
        $fatal(1);
      end
      // An accumulate is offered when all stores before it were taken, a store when its accumulate is offered or taken.
      if (next < ops && now(51, 3)) begin
        if (op_kind[next] == LINE_STORE && (!op_valid || op_ready)) begin
          for (i = 0; i < 12; i = i + 1) op[i*64 +: 64] <= op_field[next*12 + i];
          op_valid          <= 1'b1;
          store_tag[stores] = op_field[next*12 + 10];
          stores            = stores + 1;
          next              = next + 1;
        end else if (op_kind[next] == LINE_ACCUMULATE && (!acc_valid || acc_ready) && (!op_valid || op_ready)) begin
          acc[0 +: 64]         <= op_field[next*12];
          acc[64 +: 64]        <= op_field[next*12 + 1];
          acc[128 +: 64]       <= op_field[next*12 + 2];
          acc[192 +: 64]       <= op_field[next*12 + 3];
          acc[256 +: 64]       <= op_field[next*12 + 4];
          acc_valid            <= 1'b1;
          acc_number           <= next;
          acc_tag[accumulates] = op_field[next*12 + 4];
          accumulates          = accumulates + 1;
          next                 = next + 1;
        end
      end
      if (done_valid && done_ready) begin
        if (store_dones >= stores || done_tag !== store_tag[store_dones]) begin
          $display("store_tb: store %h is done", done_tag);
          $fatal(1);
        end
        store_dones = store_dones + 1;
      end
      if (acc_done_valid && acc_done_ready) begin
        if (acc_dones >= accumulates || acc_done_tag !== acc_tag[acc_dones]) begin
          $display("store_tb: accumulate %h is done", acc_done_tag);
          $fatal(1);
        end
        acc_dones = acc_dones + 1;
      end
      if (bytes_valid) bytes_sum = bytes_sum + bytes;
      if (partial_ready) partial_sum = partial_sum + partial_bytes;
      if (error) begin
        if (errors != 0 || error_code != want_code || error_queue != want_queue || error_tag != want_tag) begin
          $display("store_tb: error %0d of queue %0d, operation %h; wanted: %0d, %0d, %h", error_code, error_queue,
                   error_tag, want_code, want_queue, want_tag);
          $fatal(1);
        end
        // A store fails when all before it are done. (Partial sums are missed before that.)
        if (error_queue == STORE_QUEUE && store_tag[store_dones] !== error_tag) begin
          $display("store_tb: operation %h fails before %h is done", error_tag, store_tag[store_dones]);
          $fatal(1);
        end
        errors = errors + 1;
      end
      waiting = (waits && stall && active_tag == want_tag) ? waiting + 1 : 0;
    end
  end

  // -- The file ---------------------------------------------------------------------------------------------------------

  task next_line;
    begin
      got = $fscanf(file, "%d %h %h %h %h %h %h %h %h %h %h %h %h\n", kind, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10,
                    f11);
      if (got != 13) kind = LINE_END;
    end
  endtask

  task begin_program;
    begin
      pace             = f0[31:0];
      base             = f1;
      ops              = 0;
      partial_elements = 0;
      for (n = 0; n < ROWS * CLUSTERS; n = n + 1) begin
        given[n]     = 0;
        given_pes[n] = 0;
      end
      for (n = 0; n < REGION; n = n + 1) begin
        memory[n]   = n * 7 + (n >> 8);
        expected[n] = n * 7 + (n >> 8);
      end
    end
  endtask

  task add_result;
    begin
      m = f0[7:0] * CLUSTERS + f1[7:0];
      results[(m * GROUPS + given[m]) * 16 + f2[3:0]] = f3;
      if (f2[3:0] == PES - 1) given[m] = given[m] + 1;
      if (given[m] == GROUPS) begin
        $display("store_tb: the bench has no place for so many results");
        $fatal(1);
      end
    end
  endtask

  task add_operation;
    begin
      op_kind[ops]          = kind;
      op_partial[ops]       = partial_elements;
      op_field[ops*12]      = f0;
      op_field[ops*12 + 1]  = f1;
      op_field[ops*12 + 2]  = f2;
      op_field[ops*12 + 3]  = f3;
      op_field[ops*12 + 4]  = f4;
      op_field[ops*12 + 5]  = f5;
      op_field[ops*12 + 6]  = f6;
      op_field[ops*12 + 7]  = f7;
      op_field[ops*12 + 8]  = f8;
      op_field[ops*12 + 9]  = f9;
      op_field[ops*12 + 10] = f10;
      op_field[ops*12 + 11] = f11;
      ops                   = ops + 1;
    end
  endtask

  integer programs = 0, cycles, still, played = 0, fast = 0, early = 0;
  integer sent_for, record_answers;
  reg     over;
  reg     recorded; // the status record follows the last results, before memory has acknowledged them

  always @(posedge clk) begin
    sent_for       = (sent && next == ops) ? sent_for + 1 : 0;
    record_answers = record_answers + record_response;
  end

  task wait_for_end;
    begin
      over     = 1'b0;
      recorded = 1'b0;
      cycles   = 0;
      still    = 0;
      sent_for = 0;
      record_answers = 0;
      while (!over) begin
        @(negedge clk);
        cycles = cycles + 1;
        record_go = want_code == 0 && want_cycles == 0 && sent_for == 3 && store_dones < stores && !recorded;
        if (record_go) begin
          recorded   = 1'b1;
          want_bursts = want_bursts + 2;
          early      = early + 1;
        end
        if (want_code == 0) over = next == ops && store_dones == stores && acc_dones == accumulates &&
                                   (!recorded || (record_answers == 2 && words_left == 0));
        else if (want_code == DEADLOCK) over = waiting == QUIET;
        else over = errors == 1;
        still = ((data_valid && data_ready) || take != {ROWS{1'b0}} || op_ready || acc_ready || response_valid) ? 0
              : still + 1;
        if (still == STUCK) begin
          $display("store_tb: program %0d does not end: %0d of %0d operations, %0d + %0d done, waits %b, idle %b", programs,
                   next, ops, store_dones, acc_dones, waits, idle);
          $fatal(1);
        end
      end
    end
  endtask

  task compare;
    begin
      for (n = 0; n < REGION; n = n + 1)
        if (memory[n] !== expected[n]) begin
          $display("store_tb: program %0d: byte %h is %h, must be %h", programs, n, memory[n], expected[n]);
          $fatal(1);
        end
      if (bytes_sum != want_bytes || partial_sum != want_partial || bursts != want_bursts || !idle ||
          collector_idle != {ROWS{1'b1}}) begin
        $display("store_tb: program %0d: %0d bytes written, %0d of partial sums, %0d bursts, idle %b, %b; not %0d, %0d, %0d",
                 programs, bytes_sum, partial_sum, bursts, idle, collector_idle, want_bytes, want_partial, want_bursts);
        $fatal(1);
      end
      if (want_cycles != 0 && cycles > want_cycles) begin
        $display("store_tb: program %0d: %0d cycles, at most %0d", programs, cycles, want_cycles);
        $fatal(1);
      end
    end
  endtask

  // The engine is at rest, or, after an error, was reset.
  task write_record;
    if (!recorded) begin
      n         = bursts;
      record_go = 1'b1;
      @(negedge clk);
      record_go = 1'b0;
      cycles    = 0;
      while (answered < n + 2 || words_left != 0) begin
        @(negedge clk);
        cycles = cycles + 1;
        if (cycles == STUCK) begin
          $display("store_tb: program %0d: the status record is not written", programs);
          $fatal(1);
        end
      end
      for (n = 0; n < REGION; n = n + 1)
        if (memory[n] !== expected[n]) begin
          $display("store_tb: program %0d: byte %h is %h behind a status record, must be %h", programs, n, memory[n],
                   expected[n]);
          $fatal(1);
        end
    end
  endtask

  task run_program;
    begin
      want_code    = f0;
      want_queue   = f1;
      want_tag     = f2;
      want_bytes   = f3;
      want_partial = f4;
      refused      = f5[31:0];
      refusal      = (f0 == WRITE_ERROR) ? 2'd2 : 2'd3;
      want_cycles  = f6;
      want_bursts  = f7;
      rst_n        = 1'b0;
      repeat (3) @(negedge clk);
      rst_n   = 1'b1;
      running = 1'b1;
      wait_for_end;
      if (want_cycles != 0) fast = cycles;
      abort = want_code != 0;
      repeat (30) @(negedge clk);
      if (want_code == 0) compare;
      running = 1'b0;
      abort   = 1'b0;
      if (want_code == 0) write_record;
      played   = played + ops;
      programs = programs + 1;
    end
  endtask

  initial begin
    if (!$value$plusargs("cases=%s", name)) $fatal(1);
    file = $fopen(name, "r");
    if (file == 0) $fatal(1);
    kind = LINE_BEGIN;
    pace = 0;
    base = 64'd0;
    while (kind != LINE_END) begin
      next_line;
      case (kind)
        LINE_BEGIN:                  begin_program;
        LINE_RESULT:                 add_result;
        LINE_STORE, LINE_ACCUMULATE: add_operation;
        LINE_PARTIAL: begin
          partial_of[partial_elements] = f0;
          partial_elements             = partial_elements + 1;
        end
        LINE_BYTE:                   expected[f0[15:0]] = f1[7:0];
        LINE_RUN:                    run_program;
        default:                     kind = LINE_END;
      endcase
    end
    if (programs == 0) $fatal(1);
    $display("store_tb: PASS, %0d programs, %0d operations, %0d records before the last response, %0d cycles for 256 groups",
             programs, played, early, fast);
    $finish(0);
  end
endmodule

`default_nettype wire
