// SPDX-License-Identifier: Apache-2.0
//
// Benches of the data path: tulle_activation_queue with tulle_input_loader; that with tulle_scatter; and with tulle_partial_loader, tulle_store_queue
// and tulle_shift_out; tulle_instruction_store.

`default_nettype none

// Blocks of lines at addresses that wrap; what was written is then read back, values and bits.
module bench_inputs #(
  parameter BUS   = 64,
  parameter LOAD  = 32,
  parameter DATA  = 8,
  parameter LINES = 16,
  parameter ZERO  = 0,  // 1: blocks have zero points
  parameter IN    = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam LINE   = LOAD / DATA;
  localparam CHUNKS = BUS / LOAD;
  localparam ADDR   = $clog2((LINES > 1) ? LINES : 2);
  localparam BLOCKS = 16;

  // Block b: hash words decide where it begins, how long it is, whether a flush comes behind it, whether zeros count.
  reg  [31:0] block_q;
  wire [63:0] about;
  bench_hash u_about (.seed_i(LINES), .index_i(block_q), .hash_o(about));

  wire [31:0] wrap   = 1 + about[15:0] % LINES;         // lines
  wire [31:0] first  = about[31:16] % wrap;
  wire [31:0] length = 1 + about[47:32] % LINES % wrap;
  wire        flush_after = about[48];
  wire        zeros       = about[49];
  wire [DATA:0] coding    = {ZERO != 0 && about[50], common(about[52:51])};

`include "bench_coding.vh"

  // Beats: zeros in about half of the activations.
  reg  [31:0]     beat_q;
  wire [BUS-1:0]  beat;
  wire            beat_now, beat_ready;
  bench_pace #(.PACE(IN), .SEED(11)) u_pace (.clk_i(clk_i), .now_o(beat_now));

  genvar g;
  generate
    for (g = 0; g < BUS / DATA; g = g + 1) begin : gen_activation
      wire [31:0] seed = g + 100;
      wire [63:0] value;
      bench_hash u_hash (.seed_i(seed), .index_i(beat_q), .hash_o(value));
      assign beat[g*DATA +: DATA] = value[63] ? value[DATA-1:0] : common(value[62:61]);
    end
  endgenerate

  reg  [1:0]      state_q; // 0 start, 1 run, 2 flush, 3 read back
  reg             valid_q;
  wire            ready, near, idle, need, open, write, piece_valid, piece_ready, piece_last, piece_end, last_of_word;
  wire [LOAD-1:0] piece;
  wire [ADDR-1:0] line;
  wire [LOAD-1:0] line_data;
  wire [LINE-1:0] line_mask;
  wire            start = state_q == 2'd0 && ready && block_q != BLOCKS;
  wire [31:0]     address32 = first * LINE;
  wire [31:0]     wrap32    = wrap * LINE;
  wire [31:0]     block32   = length * LINE;

  assign last_of_word = beat_q[0];

  tulle_activation_queue #(.WIDTH(BUS), .PIECES(CHUNKS), .DEPTH(4)) u_queue (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_q), .ready_o(beat_ready), .data_i(beat), .last_i(last_of_word),
    .valid_o(piece_valid), .ready_i(piece_ready), .data_o(piece), .last_o(piece_last), .end_o(piece_end),
    .open_o(open), .drop_i(open && state_q == 2'd2));

  tulle_input_loader #(.LOAD_WIDTH(LOAD), .DATA_WIDTH(DATA), .LINES(LINES), .MAXIMUM(1), .ZERO_POINTS(ZERO)) u_loader (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .address_i(address32[15:0]), .wrap_i(wrap32[16:0]),
    .block_i(block32[15:0]), .zeros_i(zeros), .coding_i(coding), .start_ready_o(ready), .near_o(near), .idle_o(idle), .need_o(need), .scatter_i(1'b0), .valid_i(piece_valid),
    .ready_o(piece_ready), .data_i(piece), .write_o(write), .line_o(line), .data_o(line_data), .mask_o(line_mask));

  reg  [ADDR-1:0] at_q;
  wire [LOAD-1:0] have_data;
  wire [LINE-1:0] have_mask;

  reg  [LINE+LOAD-1:0] memory [0:LINES-1];
  reg  [LINE+LOAD-1:0] read_q;
  assign {have_mask, have_data} = read_q;

  always @(posedge clk_i) begin
    if (write) memory[line] <= {line_mask, line_data};
    read_q <= memory[at_q];
    if (rst_ni && ready && !near) begin
      $display("%m: a block can begin, but is not near it");
      $fatal(1);
    end
  end

  // The model takes lines from the same beats.
  reg [BUS-1:0]   sent [0:BLOCKS*LINES-1];
  reg [31:0]      taken_q;  // beats
  reg [LOAD-1:0]  model [0:LINES-1];
  reg [LINES-1:0] written_q;
  reg [LINES-1:0] all_q;    // all of the line count
  reg [DATA:0]    codings [0:LINES-1];
  reg             zeros_q;
  reg [DATA:0]    coding_q;
  reg [31:0]      chunk_q;  // of the beat
  reg [31:0]      left_q;
  reg [31:0]      to_q;
  reg [31:0]      modulus_q;
  reg [2:0]       wait_q;
  integer         i;
  reg [LINE-1:0]  want_mask;
  reg [LOAD-1:0]  want_data;

  wire takes = left_q != 0 && piece_valid;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      state_q   <= 2'd0;
      block_q   <= 32'd0;
      beat_q    <= 32'd0;
      valid_q   <= 1'b0;
      written_q <= {LINES{1'b0}};
      chunk_q   <= 32'd0;
      taken_q   <= 32'd0;
      left_q    <= 32'd0;
      wait_q    <= 3'd0;
      at_q      <= {ADDR{1'b0}};
    end else begin
      if (!valid_q || beat_ready) valid_q <= beat_now;
      if (valid_q && beat_ready) begin
        beat_q                          <= beat_q + 32'd1;
        sent[beat_q % (BLOCKS * LINES)] <= beat;
      end
      if (piece_valid && (open !== (chunk_q != 0) || piece_end !== (chunk_q + 1 == CHUNKS) || piece_last !== taken_q[0])) begin
        $display("%m: line %0d of %0d of beat %0d is marked %b %b %b", chunk_q, CHUNKS, taken_q, open, piece_end,
                 piece_last);
        $fatal(1);
      end
      if (takes) begin
        model[to_q]     <= sent[taken_q % (BLOCKS * LINES)][chunk_q*LOAD +: LOAD];
        written_q[to_q] <= 1'b1;
        all_q[to_q]     <= zeros_q;
        codings[to_q]   <= coding_q;
        to_q            <= to_q + 1 == modulus_q ? 0 : to_q + 1;
        left_q          <= left_q - 1;
        chunk_q         <= chunk_q + 1 == CHUNKS ? 0 : chunk_q + 1;
        if (chunk_q + 1 == CHUNKS) taken_q <= taken_q + 32'd1;
      end
      case (state_q)
        2'd0: begin
          if (start) begin
            left_q    <= length;
            to_q      <= first;
            modulus_q <= wrap;
            zeros_q   <= zeros;
            coding_q  <= coding;
            block_q   <= block_q + 1;
            state_q   <= flush_after ? 2'd1 : 2'd0;
          end else if (block_q == BLOCKS && idle) begin
            wait_q <= wait_q + 3'd1;
            if (wait_q == 3'd3) state_q <= 2'd3;
          end
        end
        2'd1: if (idle) state_q <= 2'd2;
        2'd2: begin
          state_q <= 2'd0;
          if (open) begin
            chunk_q <= 0;
            taken_q <= taken_q + 32'd1;
          end
        end
        default: if (at_q != LINES - 1) at_q <= at_q + 1'b1;
      endcase
    end
  end

  // Read back: the answer comes a cycle later.
  reg [ADDR-1:0] asked_q;
  reg            asking_q;

  always @(posedge clk_i) begin
    asked_q  <= at_q;
    asking_q <= rst_ni && state_q == 2'd3;
    if (asking_q && written_q[asked_q]) begin
      for (i = 0; i < LINE; i = i + 1)
        {want_mask[i], want_data[i*DATA +: DATA]} = word(model[asked_q][i*DATA +: DATA], all_q[asked_q], codings[asked_q]);
      if (have_data !== want_data || have_mask !== want_mask) begin
        $display("%m: line %0d is %h %b, must be %h %b", asked_q, have_data, have_mask, want_data, want_mask);
        $fatal(1);
      end
    end
  end

  reg done_q;
  always @(posedge clk_i) done_q <= rst_ni && asking_q && asked_q == LINES - 1;
  assign done_o = done_q === 1'b1 || (done_q !== 1'b0 && 1'b0);
endmodule

// Blocks of lines, some for all PEs, some scattered, at addresses that wrap: what each PE has in the end.
module bench_scatter #(
  parameter LOAD  = 64,
  parameter DATA  = 8,
  parameter LINES = 16,
  parameter PES   = 8,
  parameter ZERO  = 0,  // 1: blocks have zero points
  parameter IN    = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam LINE   = LOAD / DATA;
  localparam DEPTH  = LINE * LINES;
  localparam ADDR   = $clog2(LINES);
  localparam BLOCKS = 16;

  // Block b: hash words decide where it begins, how long it is, whether zeros count, and whether it is scattered: often as
  // the one before.
  reg  [31:0] block_q;
  wire [31:0] half = block_q / 2;
  wire [63:0] about, kind;
  bench_hash u_about (.seed_i(LINES), .index_i(block_q), .hash_o(about));
  bench_hash u_kind (.seed_i(PES), .index_i(half), .hash_o(kind));

  wire [31:0] wrap    = 1 + about[15:0] % LINES;         // lines
  wire [31:0] first   = about[31:16] % wrap;
  wire [31:0] length  = 1 + about[47:32] % LINES % wrap;
  wire [31:0] address = first * LINE, modulus = wrap * LINE, values = length * LINE;
  wire        zeros   = about[48];
  wire [DATA:0] coding = {ZERO != 0 && about[49], common(about[51:50])};

`include "bench_coding.vh"

  reg  [31:0]      line_q;   // of all
  wire [LOAD-1:0]  data;
  wire             now;
  bench_pace #(.PACE(IN), .SEED(31)) u_pace (.clk_i(clk_i), .now_o(now));

  genvar g;
  generate
    for (g = 0; g < LINE; g = g + 1) begin : gen_activation
      wire [31:0] seed = g + 200;
      wire [63:0] value;
      bench_hash u_hash (.seed_i(seed), .index_i(line_q), .hash_o(value));
      assign data[g*DATA +: DATA] = value[63] ? value[DATA-1:0] : common(value[62:61]);
    end
  endgenerate

  reg             scatter_q, valid_q, zeros_q;
  reg  [DATA:0]   coding_q;
  reg  [31:0]     address_q, modulus_q, left_q, at_q; // of the block: lines still to come, values that came
  wire            ready, near, idle, need, take;
  wire [PES-1:0]  write;
  wire [ADDR-1:0] line;
  wire [LOAD-1:0] line_data;
  wire [LINE-1:0] line_mask;
  wire            start = rst_ni && ready && block_q != BLOCKS && (kind[0] == scatter_q || idle);

  tulle_input_loader #(.LOAD_WIDTH(LOAD), .DATA_WIDTH(DATA), .LINES(LINES), .PES(PES), .SCATTER(1), .MAXIMUM(1),
    .ZERO_POINTS(ZERO)) u_loader (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(start), .address_i(address[15:0]), .wrap_i(modulus[16:0]),
    .block_i(values[15:0]), .zeros_i(zeros), .coding_i(coding), .start_ready_o(ready), .near_o(near), .idle_o(idle), .need_o(need),
    .scatter_i(scatter_q), .valid_i(valid_q), .ready_o(take), .data_i(data), .write_o(write), .line_o(line),
    .data_o(line_data), .mask_o(line_mask));

  reg [DATA:0]   have [0:PES*DEPTH-1];  // with the bit
  reg [DATA:0]   want [0:PES*DEPTH-1];
  reg            known [0:PES*DEPTH-1];
  reg [5:0]      wait_q;
  reg            done_q;
  integer        i, p, n, a;

  initial for (i = 0; i < PES * DEPTH; i = i + 1) known[i] = 1'b0;

  always @(posedge clk_i) begin
    for (p = 0; p < PES; p = p + 1)
      for (i = 0; i < LINE; i = i + 1)
        if (write[p] === 1'b1) have[p*DEPTH + line*LINE + i] <= {line_mask[i], line_data[i*DATA +: DATA]};

    if (!rst_ni) begin
      block_q   <= 32'd0;
      line_q    <= 32'd0;
      left_q    <= 32'd0;
      scatter_q <= 1'b0;
      valid_q   <= 1'b0;
      wait_q    <= 6'd0;
      done_q    <= 1'b0;
    end else begin
      if (take !== (valid_q && left_q != 0) || need !== (left_q != 0)) begin
        $display("%m: takes a line, or needs one, when %0d are to come", left_q);
        $fatal(1);
      end
      if (take || !valid_q) valid_q <= now;
      if (take) begin
        line_q <= line_q + 32'd1;
        left_q <= left_q - 32'd1;
        at_q   <= at_q + LINE;
        for (i = 0; i < LINE; i = i + 1)
          for (p = 0; p < PES; p = p + 1) begin
            n = at_q + i;
            a = (address_q + (scatter_q ? n / PES : n)) % modulus_q;
            if (!scatter_q || n % PES == p) begin
              want[p*DEPTH + a]  = word(data[i*DATA +: DATA], zeros_q, coding_q);
              known[p*DEPTH + a] = 1'b1;
            end
          end
      end
      if (start) begin
        scatter_q <= kind[0];
        zeros_q   <= zeros;
        coding_q  <= coding;
        address_q <= address;
        modulus_q <= modulus;
        left_q    <= kind[0] ? length * PES : length;
        at_q      <= 32'd0;
        block_q   <= block_q + 32'd1;
      end
      wait_q <= block_q == BLOCKS && idle ? wait_q + 6'd1 : 6'd0;
      if (wait_q == 6'd3) begin
        for (i = 0; i < PES * DEPTH; i = i + 1)
          if (known[i] && have[i] !== want[i]) begin
            $display("%m: PE %0d has %h at %0d, must have %h", i / DEPTH, have[i], i % DEPTH, want[i]);
            $fatal(1);
          end
        done_q <= 1'b1;
      end
    end
  end

  wire unused = near;
  assign done_o = done_q === 1'b1;
endmodule

// Sets of partial sums into entries, and out again, as fast as the paces allow: a set is loaded into an entry when
// its last result has left, and stored at once; the store waits until the load counts as closed.
module bench_results #(
  parameter BUS     = 64,
  parameter PIECE   = 64,
  parameter OUT_BUS = 128,
  parameter ELEMENT = 32,
  parameter ACC     = 32,
  parameter PES     = 5,
  parameter IN      = 0,
  parameter OUT     = 0
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam SETS  = 24;
  localparam DEPTH = 4;
  localparam LANES = BUS / ELEMENT;
  localparam BEATS = (PES + LANES - 1) / LANES;
  localparam OUT_LANES = OUT_BUS / ELEMENT;

  // Operation n: even loads set n/2 into entry n/2 % DEPTH, odd stores it.
  reg  [31:0]        operation_q;
  wire               store   = operation_q[0];
  wire [31:0]        set     = operation_q >> 1;
  wire [1:0]         at      = set[1:0];
  reg  [1:0]         loading_q; // entry
  reg                loaded_q;  // the last load is over
  reg  [3:0]         issued_q, closed_q;
  wire [PES-1:0]     partial_write;
  wire [PES*ACC-1:0] partial, result;
  wire               load_idle, store_ready, busy, hold, due, due_last, stores_idle, shift_idle, shifted, take;
  wire [1:0]         due_entry;
  wire               issue   = operation_q != 2 * SETS && !busy && (store ? store_ready : load_idle && loaded_q && !hold);

  // Beats of partial sums
  reg  [31:0]    beat_q;
  reg            valid_q;
  wire           now, beat_ready;
  wire [BUS-1:0] beat;
  bench_pace #(.PACE(IN), .SEED(21)) u_in (.clk_i(clk_i), .now_o(now));

  genvar g;
  generate
    for (g = 0; g < LANES; g = g + 1) begin : gen_lane
      wire [31:0] pe  = beat_q % BEATS * LANES + g;
      wire [31:0] set_of_beat = beat_q / BEATS;
      wire [63:0] value;
      bench_hash u_hash (.seed_i(pe), .index_i(set_of_beat), .hash_o(value));
      assign beat[g*ELEMENT +: ELEMENT] = value[ELEMENT-1:0];
    end
  endgenerate

  wire             piece_valid, piece_ready, piece_drop;
  wire [PIECE-1:0] piece;

  tulle_activation_queue #(.WIDTH(BUS), .PIECES(BUS / PIECE), .DEPTH(2)) u_queue (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_q), .ready_o(beat_ready), .data_i(beat), .last_i(1'b0),
    .valid_o(piece_valid), .ready_i(piece_ready), .data_o(piece), .last_o(), .end_o(), .open_o(), .drop_i(piece_drop));

  tulle_partial_loader #(.PIECE_WIDTH(PIECE), .ELEMENT_WIDTH(ELEMENT), .ACC_WIDTH(ACC), .PES(PES)) u_loader (
    .clk_i(clk_i), .rst_ni(rst_ni), .start_i(issue && !store), .idle_o(load_idle), .valid_i(piece_valid),
    .ready_o(piece_ready), .drop_o(piece_drop), .data_i(piece), .write_o(partial_write), .data_o(partial));

  // A closed entry is taken in any number of cycles, an open one never.
  reg [DEPTH-1:0] open_q;

  generate
    for (g = 0; g < PES; g = g + 1) begin : gen_pe
      reg [ACC-1:0] entry [0:DEPTH-1];
      reg [ACC-1:0] result_q;
      always @(posedge clk_i) if (partial_write[g]) entry[loading_q] <= partial[g*ACC +: ACC];
      always @(posedge clk_i) result_q <= take ? entry[due_entry] : {ACC{1'bx}};
      assign result[g*ACC +: ACC] = result_q;
    end
  endgenerate

  tulle_store_queue #(.ENTRIES(DEPTH), .DEPTH(3), .NUMBER(4)) u_stores (
    .clk_i(clk_i), .rst_ni(rst_ni), .entry_i(at), .busy_o(busy), .store_i(issue && store), .last_i(at == 2'd3),
    .ready_o(store_ready), .clears_o(), .issued_i(issued_q), .closed_i(closed_q), .hold_o(hold), .valid_o(due), .head_o(due_entry),
    .head_last_o(due_last), .done_i(shifted), .idle_o(stores_idle));

  wire               out_valid, out_ready, out_last;
  localparam         OUT_BEATS = (PES + OUT_LANES - 1) / OUT_LANES;
  wire [OUT_BEATS*OUT_BUS-1:0] out_parts;
  reg  [OUT_BUS-1:0] out; // their or
  integer            part;

  always @* begin
    out = {OUT_BUS{1'b0}};
    for (part = 0; part < OUT_BEATS; part = part + 1) out = out | out_parts[part*OUT_BUS +: OUT_BUS];
  end

  bench_pace #(.PACE(OUT), .SEED(22)) u_out (.clk_i(clk_i), .now_o(out_ready));

  tulle_shift_out #(.BUS_WIDTH(OUT_BUS), .ELEMENT_WIDTH(ELEMENT), .ACC_WIDTH(ACC), .PES(PES)) u_shift (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(due), .last_i(due_last), .done_o(shifted), .result_i(result),
    .result_take_o(take), .valid_o(out_valid), .ready_i(out_ready), .data_o(out_parts), .last_o(out_last), .set_o(),
    .idle_o(shift_idle));

  // What must come: element p of set s is hash(p, s), cut to ACC bits and sign-extended.
  reg  [31:0]        came_q;   // beats
  wire [31:0]        out_set   = came_q / OUT_BEATS;
  wire [31:0]        out_beat  = came_q % OUT_BEATS;
  wire [OUT_BUS-1:0] want;

  generate
    for (g = 0; g < OUT_LANES; g = g + 1) begin : gen_want
      wire [63:0]        value;
      wire [31:0]        pe = out_beat * OUT_LANES + g;
      wire [63:0]        extended;
      bench_hash u_hash (.seed_i(pe), .index_i(out_set), .hash_o(value));
      assign extended = ({64{value[ACC-1]}} << (ACC - 1)) | (value & ~({64{1'b1}} << (ACC - 1)));
      assign want[g*ELEMENT +: ELEMENT] = pe < PES ? extended[ELEMENT-1:0] : {ELEMENT{1'b0}};
    end
  endgenerate

  wire want_last = out_beat == OUT_BEATS - 1 && out_set[1:0] == 2'd3;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      operation_q <= 32'd0;
      issued_q    <= 4'd0;
      closed_q    <= 4'd0;
      loaded_q    <= 1'b1;
      open_q      <= {DEPTH{1'b0}};
      beat_q      <= 32'd0;
      valid_q     <= 1'b0;
      came_q      <= 32'd0;
    end else begin
      if (issue) operation_q <= operation_q + 32'd1;
      if (issue && !store) begin
        issued_q   <= issued_q + 4'd1;
        loading_q  <= at;
        loaded_q   <= 1'b0;
        open_q[at] <= 1'b1;
      end else if (load_idle && !loaded_q) begin
        closed_q          <= closed_q + 4'd1;
        loaded_q          <= 1'b1;
        open_q[loading_q] <= 1'b0;
      end
      if (take && open_q[due_entry]) begin
        $display("%m: entry %0d is stored before it is closed", due_entry);
        $fatal(1);
      end
      if (!valid_q || beat_ready) valid_q <= now;
      if (valid_q && beat_ready) beat_q <= beat_q + 32'd1;
      if (out_valid && out_ready) begin
        came_q <= came_q + 32'd1;
        if (out !== want || out_last !== want_last) begin
          $display("%m: beat %0d is %h %b, must be %h %b", came_q, out, out_last, want, want_last);
          $fatal(1);
        end
      end
    end
  end

  assign done_o = came_q == SETS * OUT_BEATS && shift_idle && load_idle && stores_idle;
endmodule

// Buffers are configured with sequences of any length; after each, all that are configured are read back. When
// the register file is full the store must say so, and only then.
module bench_store #(
  parameter BUFFERS = 4,
  parameter DEPTH   = 8,
  parameter ENTRIES = 16
) (
  input  wire clk_i,
  input  wire rst_ni,
  output wire done_o
);
  localparam PAGE  = DEPTH >= 4 ? 4 : DEPTH >= 2 ? 2 : 1;
  localparam PAGES = (ENTRIES + PAGE - 1) / PAGE;

  reg         clear, write, finish, run;
  wire        single;
  reg  [4:0]  buffer, index, at;
  reg  [31:0] tag;    // of the instruction that is written
  wire        ready, full, configured, first;
  wire [79:0] operands;
  wire [27:0] packet;
  wire [23:0] running;
  reg  [9:0]  entry;
  wire [9:0]  head, next;
  reg  [5:0]  written;

  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);

  tulle_instruction_store #(.BUFFERS(BUFFERS), .DEPTH(DEPTH), .ENTRIES(ENTRIES), .OPERANDS(80), .PACKET(28),
                            .SEQUENCE(24)) u_dut (
    .clk_i(clk_i), .rst_ni(rst_ni), .buffer_i(buffer), .clear_i(clear), .write_instruction_i(write),
    .write_index_i(index), .write_operands_i({tag[15:0], ~tag, tag}), .write_single_i(written == 1), .ready_o(ready), .full_o(full), .write_buffer_i(finish),
    .write_packet_i(tag[27:0]), .write_sequence_i(tag[31:8]), .look_buffer_i(buffer[BUFFER-1:0]), .configured_o(configured),
    .packet_o(packet), .look_entry_o(head), .look_single_o(single), .read_entry_i(entry), .operands_o(operands), .next_o(next),
    .read_buffer_i(buffer[BUFFER-1:0]),
    .sequence_o(running), .first_o(first), .run_i(run));

  wire [31:0] tag_at = tags[buffer] + at;

  // Model: length and tag of what each buffer holds; pages in use, those of failed configurations included.
  integer     lengths [0:BUFFERS-1];
  integer     held [0:BUFFERS-1];
  reg [31:0]  tags [0:BUFFERS-1];
  reg         fresh [0:BUFFERS-1];
  integer     round, b, i, used, refused, waited;
  reg         failed;
  reg         done = 1'b0;
  wire [63:0] chance;
  bench_hash u_chance (.seed_i(5), .index_i(round), .hash_o(chance));

  task must(input good, input [31:0] what);
    if (!good) begin
      $display("%m: round %0d: buffer %0d, instruction %0d: %0d is wrong", round, buffer, at, what);
      $fatal(1);
    end
  endtask

  task read_back;
    begin
      for (b = 0; b < BUFFERS; b = b + 1) begin
        buffer = b[4:0];
        #1 must(configured === (lengths[b] != 0), 0);
        entry = head;
        for (i = 0; i < lengths[b]; i = i + 1) begin
          at = i[4:0];
          #1 must(operands === {tag_at[15:0], ~tag_at, tag_at}, 1);
          must(entry < PAGES * PAGE, 5);
          entry = next;
        end
        if (lengths[b] != 0)
          must(packet === tags[b][27:0] && running === tags[b][31:8] && single === (lengths[b] == 1) && first === fresh[b], 6);
      end
    end
  endtask

  initial begin
    {clear, write, finish, run, buffer, index, at, tag, written, entry} = 0;
    refused = 0;
    round   = 0;
    for (b = 0; b < BUFFERS; b = b + 1) begin
      lengths[b] = 0;
      held[b]    = 0;
    end
    @(posedge rst_ni);
    for (round = 1; round < 40; round = round + 1) begin
      @(negedge clk_i);
      buffer = chance[15:0] % BUFFERS;
      tag    = chance[63:32];
      clear  = 1'b1;
      @(negedge clk_i);
      clear        = 1'b0;
      held[buffer] = 0;
      failed       = 1'b0;
      written = 1 + chance[31:16] % DEPTH;
      used    = 0;
      for (b = 0; b < BUFFERS; b = b + 1) used = used + held[b];
      for (i = 0; i < written; i = i + 1) begin
        write = 1'b0;
        waited = 0;
        while (!ready) begin
          @(negedge clk_i);
          waited = waited + 1;
          must(waited <= 2 * PAGES + 2, 9);
        end
        index = i[4:0];
        tag   = chance[63:32] + i;
        write = 1'b1;
        #1 must(full === (used + i / PAGE >= PAGES), 7);
        failed = failed || full;
        if (!full) held[buffer] = i / PAGE + 1;
        @(negedge clk_i);
      end
      write  = 1'b0;
      tag    = chance[63:32];
      finish = !failed;
      @(negedge clk_i);
      finish          = 1'b0;
      lengths[buffer] = failed ? 0 : written;
      tags[buffer]    = tag;
      fresh[buffer]   = 1'b1;
      refused         = refused + failed;
      if (!failed && chance[8]) begin
        run = 1'b1;
        @(negedge clk_i);
        run           = 1'b0;
        fresh[buffer] = 1'b0;
        @(negedge clk_i);
      end
      read_back;
    end
    must(refused != 0 || BUFFERS * ((DEPTH + PAGE - 1) / PAGE) <= PAGES, 8);
    done = 1'b1;
  end

  assign done_o = done;
endmodule

`default_nettype wire
