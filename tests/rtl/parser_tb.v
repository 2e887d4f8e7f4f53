// SPDX-License-Identifier: Apache-2.0
//
// Bench of tulle_parser with tulle_decode_config: random configurations, right ones and such with one fault or two, in
// pieces that come with pauses, into a store that is not always ready. What each must come to is computed here, with
// integers, from the meaning of the fields (docs/isa.md): operands by carrying out steps, not by the way the module
// encodes them.
// `+payloads` and `+seed` say how many and which.

`default_nettype none

`include "tulle_isa.vh"

module parser_tb #(
  parameter        PIECE_WIDTH  = 64,
  parameter        PIECES       = 4,  // of a beat of the row bus
  parameter        BUFFERS      = 8,
  parameter        DEPTH        = 16,
  parameter        INPUT_DEPTH  = 256,
  parameter        OUTPUT_DEPTH = 16,
  parameter        LINE         = 8,
  parameter [15:0] FUNCTIONS    = 16'h03CF,
  parameter        ACCUMULATORS = 0,
  parameter        ZERO_POINTS  = 0, // of activations of 8 bits
  parameter        ROUNDINGS    = 0
);
  localparam ADDR   = $clog2(INPUT_DEPTH);
  localparam OUT    = $clog2(OUTPUT_DEPTH);
  localparam BUFFER = $clog2((BUFFERS > 1) ? BUFFERS : 2);
  localparam MAXIMUM = FUNCTIONS[`TULLE_FUNCTION_MAX] ? 1 : 0;
  localparam WORDS  = 4 * 40 + 64; // the longest payload, and beats too many

  reg                   clk = 1'b0;
  reg                   rst_n = 1'b0;
  reg                   start = 1'b0;
  reg                   valid = 1'b0;
  wire                  ready;
  reg [PIECE_WIDTH-1:0] data;
  wire [127:0]          record;
  wire                  is_header, is_instruction, is_extension, is_function, bad_reserved, bad_field, bad_instruction;
  wire                  store_instruction;
  wire [4:0]            store_index;
  wire [2*ACCUMULATORS+MAXIMUM+8+4*ADDR+16+2*OUT-1:0] operands;
  reg                   store_ready = 1'b0;
  wire                  store_full;
  wire                  store_buffer;
  wire [ACCUMULATORS+22+2*BUFFER-1:0] packet;
  wire [9*ZERO_POINTS+ADDR+12-1:0] sequence_facts;
  wire                  table_write, done, error;
  wire [1:0]            table_index; // 0: there is no scalar unit
  wire [15:0]           code;

  always #5 clk = !clk;

  integer pieces, at; // of the payload; the one on offer

  tulle_decode_config u_decode (
    .word_i            (record),
    .header_o          (is_header),
    .instruction_o     (is_instruction),
    .extension_o       (is_extension),
    .function_o        (is_function),
    .bad_reserved_o    (bad_reserved),
    .bad_field_o       (bad_field),
    .bad_instruction_o (bad_instruction)
  );

  tulle_parser #(
    .PIECE_WIDTH  (PIECE_WIDTH),
    .BUFFERS      (BUFFERS),
    .DEPTH        (DEPTH),
    .INPUT_DEPTH  (INPUT_DEPTH),
    .OUTPUT_DEPTH (OUTPUT_DEPTH),
    .LINE         (LINE),
    .FUNCTIONS    (FUNCTIONS),
    .MAXIMUM      (MAXIMUM),
    .ACCUMULATORS (ACCUMULATORS),
    .ZERO_POINTS  (ZERO_POINTS),
    .ROUNDINGS    (ROUNDINGS)
  ) u_parser (
    .clk_i               (clk),
    .rst_ni              (rst_n),
    .start_i             (start),
    .beat_valid_i        (valid),
    .beat_last_i         (at >= pieces - PIECES),
    .beat_end_i          (at % PIECES == PIECES - 1),
    .beat_open_i         (at % PIECES != 0),
    .beat_data_i         (data),
    .beat_ready_o        (ready),
    .record_o            (record),
    .is_header_i         (is_header),
    .is_instruction_i    (is_instruction),
    .is_extension_i      (is_extension),
    .is_function_i       (is_function),
    .bad_reserved_i      (bad_reserved),
    .bad_field_i         (bad_field),
    .bad_instruction_i   (bad_instruction),
    .store_instruction_o (store_instruction),
    .store_index_o       (store_index),
    .operands_o          (operands),
    .store_ready_i       (store_ready),
    .store_full_i        (store_full),
    .store_buffer_o      (store_buffer),
    .packet_o            (packet),
    .sequence_o          (sequence_facts),
    .table_write_o       (table_write),
    .table_index_o       (table_index),
    .done_o              (done),
    .error_o             (error),
    .error_code_o        (code)
  );

  // -- Chance ------------------------------------------------------------------------------------------------

`include "bench_draw.vh"

  integer    failures, payload;

  task must(input holds, input integer what);
    if (holds !== 1'b1) begin
      failures = failures + 1;
      if (failures < 10) $display("parser_tb: payload %0d: check %0d failed", payload, what);
    end
  endtask

  // -- A payload and what it must come to ----------------------------------------------------------------------

  localparam [4:0] RIGHT     = 5'd0;  // no fault
  localparam [4:0] KIND      = 5'd1;  // no header
  localparam [4:0] VERSION   = 5'd2;
  localparam [4:0] STEP      = 5'd3;  // reserved bits of the header
  localparam [4:0] NONE      = 5'd4;  // no instruction
  localparam [4:0] MANY      = 5'd5;  // more instructions than a buffer has
  localparam [4:0] SHORT     = 5'd6;  // a beat less
  localparam [4:0] LONG      = 5'd7;  // a beat more
  localparam [4:0] FLIPPED   = 5'd8;  // a bit of the check word
  localparam [4:0] OTHER     = 5'd9;  // a record of another kind
  localparam [4:0] RESERVED  = 5'd10; // bits of an instruction record
  localparam [4:0] UNDEFINED = 5'd11; // bits of the instruction
  localparam [4:0] SPU       = 5'd12;
  localparam [4:0] OUTSIDE   = 5'd13; // an operand or a step
  localparam [4:0] UNCHAINED = 5'd14; // a function is used, and there is none
  localparam [4:0] MIXED     = 5'd15; // weights beside another load
  localparam [4:0] FULL      = 5'd16; // the store
  localparam [4:0] FUNCTION  = 5'd17; // one that is not there
  localparam [4:0] NOWHERE   = 5'd18; // a buffer that is not there
  localparam [4:0] MAXIMAL   = 5'd19; // a maximum that cannot be
  localparam [4:0] MISSING   = 5'd20; // the header asks for what the variant does not have
  localparam [4:0] ZEROED    = 5'd21; // a zero point that no activation has, or that the variant does not have
  localparam [4:0] ROUNDING  = 5'd22; // of a function, other than up
  localparam       FAULTS    = 23;

  reg [127:0] records [0:63];
  integer     count, functions; // records of each kind
  integer     bad;              // the record with the fault
  reg [4:0]   fault;
  reg         defers;           // the sequence keeps sums back
  reg         also;             // the check word is wrong, too
  reg [15:0]  expected;         // code
  integer     places;           // in the store

  assign store_full = store_index >= places;

  // Of each instruction
  reg [1:0]   opcode [0:31];
  reg [1:0]   target [0:31];
  integer     starts [0:31];
  integer     results [0:31];
  integer     strides [0:31];
  integer     turns [0:31];
  integer     wraps [0:31];
  reg         unfit [0:31];
  reg [127:0] header;
  reg [127:0] made;
  reg [11:0]  word;
  integer     block, base, i, n, value, weights, input_loads, partial_loads, computes, last_store, last_mac;

  // An instruction of which a part is at random; its operands lie within their buffers.
  task add_instruction(input integer index);
    begin
      // Drawn once: a simulator may evaluate the selector of a case for each of its items.
      n = draw(weights ? 2 : 4 + ACCUMULATORS);
      if (weights && index == 0) n = 3;
      case (n)
        0: word = {2'd0, draw(2) == 1, functions != 0 && draw(2) == 1, 4'd0, 2'd0, draw(2) == 1, draw(2) == 1};
        1: word = {2'd2, 10'd0};
        2: word = {2'd1, `TULLE_TARGET_INPUT, 8'd0};
        4: word = {2'd1, `TULLE_TARGET_BUFFER, 8'd0};
        default: word = {2'd1, weights ? `TULLE_TARGET_WEIGHTS : `TULLE_TARGET_ACCUMULATOR, 8'd0};
      endcase
      opcode[index] = word[11:10];
      target[index] = word[9:8];
      wraps[index]  = draw(4) == 0 ? 0 : 1 + draw(INPUT_DEPTH);
      if (draw(2) == 0 && INPUT_DEPTH > LINE) wraps[index] = LINE * (1 + draw(INPUT_DEPTH / LINE));
      made          = {draw(65536), 96'd0} | 128'd2;
      if (word[11:9] == 3'b000 || word[11:8] == {2'd1, `TULLE_TARGET_INPUT})
        made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM] = MAXIMUM != 0 && draw(2) == 1 && (!defers || word[11:10] != 2'd0);
      if (ACCUMULATORS != 0 && (word[11:8] == {2'd1, `TULLE_TARGET_BUFFER} ||
                                (word[11:10] == 2'd0 && !made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM])))
        word[3:2] = draw(4);
      made[`TULLE_CONFIG_INSTRUCTION_WRAP] = wraps[index];
      if (wraps[index] == 0) wraps[index] = INPUT_DEPTH;
      starts[index]  = draw(3) == 0 ? 0 : draw(wraps[index]);
      results[index] = draw(OUTPUT_DEPTH);
      // The base, as far as the operand that it is about has room for it.
      base = draw(16);
      if (word[11:10] == 2'd0 || (word[11:10] == 2'd1 && word[9:8] != `TULLE_TARGET_ACCUMULATOR && word[9:8] != `TULLE_TARGET_BUFFER)) begin
        if (base * block > starts[index]) base = 0;
        made[`TULLE_CONFIG_INSTRUCTION_ADDRESS] = starts[index] - base * block;
        made[`TULLE_CONFIG_INSTRUCTION_RESULT]  = results[index];
      end else begin
        if (base * block > results[index]) base = 0;
        made[`TULLE_CONFIG_INSTRUCTION_ADDRESS] = starts[index];
        made[`TULLE_CONFIG_INSTRUCTION_RESULT]  = results[index] - base * block;
      end
      word[7:4] = base;
      made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = word;
      strides[index] = draw(4) == 0 ? 0 : draw(2 * wraps[index] + 1) - wraps[index];
      if (strides[index] > 32767) strides[index] = 32767;
      if (strides[index] < -32768) strides[index] = -32768;
      made[`TULLE_CONFIG_INSTRUCTION_STRIDE] = strides[index];
      value = draw(3) == 0 ? 0 : 1 + draw(65535);
      made[`TULLE_CONFIG_INSTRUCTION_INNER] = value;
      // With inner, pitch takes stride somewhere else within wrap; without, it may be anything.
      turns[index] = draw(2 * wraps[index] + 1) - wraps[index];
      n = turns[index] - strides[index];
      if (n > 32767 || n < -32768) begin
        turns[index] = strides[index];
        n = 0;
      end
      made[`TULLE_CONFIG_INSTRUCTION_PITCH] = value != 0 ? n : draw(65536);
      if (value == 0) turns[index] = strides[index];
      unfit[index]   = block == 0 || block % LINE != 0 || wraps[index] % LINE != 0 || block > wraps[index];
      records[1 + index] = made;
      if (opcode[index] == 2'd0) last_mac = index;
      if (opcode[index] == 2'd2) last_store = index;
      if (opcode[index] != 2'd1) computes = computes + 1;
      else if (target[index] == `TULLE_TARGET_INPUT) input_loads = input_loads + 1;
      else if (target[index] != `TULLE_TARGET_WEIGHTS) partial_loads = partial_loads + 1;
    end
  endtask

  task add_function;
    begin
      value = draw(10);
      while (!FUNCTIONS[value]) value = draw(10);
      made = {draw(65536), 16'd0, draw(65536), 16'd0, draw(65536), 16'd0, 16'd0, draw(65536)};
      made[31:16] = ROUNDINGS != 0 ? draw(3) : 0;
      made[1:0] = 2'd3;
      made[`TULLE_CONFIG_FUNCTION_FUNCTION] = value;
    end
  endtask

  // Makes record `bad` wrong as `fault` says.
  task spoil;
    begin
      made = records[bad];
      case (fault)
        KIND:      made[1:0] = 2'd2 * draw(2);
        VERSION:   made[`TULLE_CONFIG_HEADER_VERSION] = 2 + draw(60);
        STEP:      begin
          n = draw(2);
          case (n)
            0:       made[80 +: 10] = 1 + draw(1023);
            default: made[28 +: 4]  = 1 + draw(15);
          endcase
        end
        NONE:      made[`TULLE_CONFIG_HEADER_INSTRUCTIONS] = 0;
        MANY:      made[`TULLE_CONFIG_HEADER_INSTRUCTIONS] = DEPTH + 1;
        OTHER:     made[1:0] = bad > count ? 2'd2 : draw(2) * 3;
        RESERVED:  made[3] = 1'b1;
        UNDEFINED: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b10_01_0000_0000;
        SPU:       begin
          n = draw(ACCUMULATORS != 0 ? 2 : 4);
          case (n)
            0:       made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b11_00_0000_0000 + draw(256);
            1:       made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b11_01_0000_0001 + draw(15);
            2:       made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b00_00_0000_0100 + 4 * draw(3);
            default: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b01_11_0000_0000 + 4 * draw(4);
          endcase
          if (n > 1) made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM] = 1'b0;
        end
        OUTSIDE:   begin
          n = draw(4);
          case (n)
            0: made[`TULLE_CONFIG_INSTRUCTION_ADDRESS] = wraps[bad - 1];
            1: made[`TULLE_CONFIG_INSTRUCTION_RESULT]  = OUTPUT_DEPTH;
            2: made[`TULLE_CONFIG_INSTRUCTION_WRAP]    = INPUT_DEPTH + 1;
            default: made[`TULLE_CONFIG_INSTRUCTION_STRIDE] = draw(2) == 0 ? wraps[bad - 1] + 1 : -wraps[bad - 1] - 1;
          endcase
        end
        UNCHAINED: begin // a maximum could not be deferred either
          made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b00_01_0000_0000;
          made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM]     = 1'b0;
        end
        MIXED:     made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b01_00_0000_0000;
        MAXIMAL:   begin
          made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM] = 1'b1;
          n = draw(ACCUMULATORS != 0 ? 6 : 4);
          if (MAXIMUM == 0) n = 6;
          case (n)
            0: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b00_10_0000_0000;
            1: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = {2'd1, `TULLE_TARGET_ACCUMULATOR, 8'd0};
            2: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = {2'd1, `TULLE_TARGET_WEIGHTS, 8'd0};
            3: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b10_00_0000_0000;
            4: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = 12'b00_00_0000_0100 + 4 * draw(3);
            5: made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = defers ? 12'd0 : 12'b00_00_0000_0100;
            default: ; // any: the device has none
          endcase
        end
        MISSING:   begin
          n = draw(2);
          if (n == 0 || ACCUMULATORS != 0) made[`TULLE_CONFIG_HEADER_PIPELINE] = 1'b1;
          else        made[`TULLE_CONFIG_HEADER_DEFER]    = 1'b1;
        end
        ZEROED:    begin
          n = draw(ZERO_POINTS != 0 ? 4 : 2);
          made[`TULLE_CONFIG_HEADER_UNSIGNED] = n[0];
          case (n)
            0: made[`TULLE_CONFIG_HEADER_ZERO] = 128 + draw(65536 - 256);
            1: made[`TULLE_CONFIG_HEADER_ZERO] = ZERO_POINTS != 0 ? 256 + draw(65536 - 256) : 0;
            2: made[`TULLE_CONFIG_HEADER_ZERO] = draw(2) == 0 ? 128 : -129;
            default: made[`TULLE_CONFIG_HEADER_ZERO] = draw(2) == 0 ? 256 : -1;
          endcase
        end
        FUNCTION:  made[`TULLE_CONFIG_FUNCTION_FUNCTION] = `TULLE_FUNCTION_SIGMOID;
        ROUNDING:  made[`TULLE_CONFIG_FUNCTION_ROUNDING] = 1 + draw(2);
        NOWHERE:   begin
          made[`TULLE_CONFIG_HEADER_TRIGGER]        = 1'b1;
          made[`TULLE_CONFIG_HEADER_TRIGGER_BUFFER] = BUFFERS;
        end
        default: ;
      endcase
      records[bad] = made;
    end
  endtask

  reg [31:0] check;
  reg [31:0] words [0:WORDS-1];

  task make_payload;
    begin
      also      = draw(8) == 0;
      fault     = draw(2) == 0 ? RIGHT : draw(FAULTS);
      count     = 1 + draw(draw(4) == 0 ? DEPTH : DEPTH < 4 ? DEPTH : 4);
      functions = draw(2);
      places    = 99;
      weights   = draw(2);
      if (fault == UNCHAINED) functions = 0;
      if ((fault == FUNCTION || fault == ROUNDING) && functions == 0) functions = 1;
      if (fault == MIXED && count < 2) fault = RIGHT;
      if (fault == MIXED) weights = 1;
      if (fault == NOWHERE && BUFFERS == 32) fault = RIGHT;
      if (fault == OUTSIDE && INPUT_DEPTH > 32000) fault = RIGHT;
      if (fault == ROUNDING && ROUNDINGS != 0) fault = RIGHT;
      if (fault == FUNCTION && FUNCTIONS[4]) fault = RIGHT;
      defers = 1'b0;
      if (ACCUMULATORS != 0) defers = draw(2);
      block = draw(3) == 0 ? draw(65536) : LINE * draw(4);
      {input_loads, partial_loads, computes} = 96'd0;
      last_mac      = -1;
      last_store    = -1;
      for (i = 0; i < count; i = i + 1) add_instruction(i);
      for (i = 0; i < functions; i = i + 1) begin
        add_function;
        records[1 + count + i] = made;
      end
      header = 128'd1;
      header[`TULLE_CONFIG_HEADER_VERSION]      = `TULLE_ISA_MAJOR;
      header[`TULLE_CONFIG_HEADER_INSTRUCTIONS] = count;
      header[`TULLE_CONFIG_HEADER_FUNCTIONS]    = functions;
      header[`TULLE_CONFIG_HEADER_QUEUE]        = draw(3);
      header[`TULLE_CONFIG_HEADER_TRIGGER]      = draw(2);
      if (header[`TULLE_CONFIG_HEADER_TRIGGER]) header[`TULLE_CONFIG_HEADER_TRIGGER_BUFFER] = draw(BUFFERS);
      header[`TULLE_CONFIG_HEADER_RESTART]      = draw(2);
      header[`TULLE_CONFIG_HEADER_DEFER]        = defers;
      header[`TULLE_CONFIG_HEADER_BLOCK]        = block;
      if (ZERO_POINTS != 0) begin
        header[`TULLE_CONFIG_HEADER_UNSIGNED] = draw(2);
        header[`TULLE_CONFIG_HEADER_ZERO]     = header[`TULLE_CONFIG_HEADER_UNSIGNED] ? draw(256) : draw(256) - 128;
      end
      header[`TULLE_CONFIG_HEADER_HOLD]         = draw(3) == 0 ? 0 : draw(65536);
      header[`TULLE_CONFIG_HEADER_AFTER]        = draw(2);
      if (header[`TULLE_CONFIG_HEADER_AFTER]) header[`TULLE_CONFIG_HEADER_AFTER_BUFFER] = draw(BUFFERS);
      records[0] = header;
      bad        = 0;
      expected   = `TULLE_STATUS_OK;
      case (fault)
        KIND, NONE:             expected = `TULLE_STATUS_BAD_FIELD;
        VERSION:                expected = `TULLE_STATUS_CONFIG_VERSION;
        STEP:                   expected = `TULLE_STATUS_BAD_RESERVED;
        MANY:                   expected = DEPTH == 32 ? `TULLE_STATUS_BAD_FIELD : `TULLE_STATUS_CONFIG_LENGTH;
        SHORT, LONG, FULL:      expected = `TULLE_STATUS_CONFIG_LENGTH;
        NOWHERE:                expected = `TULLE_STATUS_BAD_FIELD;
        MISSING:                expected = `TULLE_STATUS_NO_FEATURE;
        ZEROED:                 expected = ZERO_POINTS != 0 ? `TULLE_STATUS_BAD_FIELD : `TULLE_STATUS_NO_FEATURE;
        OTHER:                  begin bad = 1 + draw(count + functions); expected = `TULLE_STATUS_BAD_FIELD; end
        RESERVED:               begin bad = 1 + draw(count); expected = `TULLE_STATUS_BAD_RESERVED; end
        UNDEFINED:              begin bad = 1 + draw(count); expected = `TULLE_STATUS_BAD_INSTRUCTION; end
        SPU:                    begin bad = 1 + draw(count); expected = `TULLE_STATUS_NO_FEATURE; end
        OUTSIDE:                begin bad = 1 + draw(count); expected = `TULLE_STATUS_OUT_OF_BUFFER; end
        UNCHAINED:              begin bad = 1 + draw(count); expected = `TULLE_STATUS_NO_FUNCTION; end
        MIXED:                  begin bad = 2 + draw(count - 1); expected = `TULLE_STATUS_BAD_FIELD; end
        MAXIMAL:                begin bad = 1 + draw(count); expected = MAXIMUM != 0 ? `TULLE_STATUS_BAD_FIELD : `TULLE_STATUS_NO_FEATURE; end
        FUNCTION:               begin bad = 1 + count + draw(functions); expected = `TULLE_STATUS_NO_FUNCTION; end
        ROUNDING:               begin bad = 1 + count + draw(functions); expected = `TULLE_STATUS_NO_FEATURE; end
        default: ;
      endcase
      if (fault == FULL) begin
        places = draw(count);
        bad    = 1 + places;
      end
      // An instruction that is another one now has operands that are not looked at, but must stay within their buffers.
      if (fault == UNCHAINED || fault == MIXED) begin
        records[bad][`TULLE_CONFIG_INSTRUCTION_ADDRESS] = 0;
        records[bad][`TULLE_CONFIG_INSTRUCTION_RESULT]  = 0;
        records[bad][`TULLE_CONFIG_INSTRUCTION_MAXIMUM] = 0;
      end
      if (fault == OUTSIDE) begin
        // No base, so that what is outside is so by itself.
        records[bad][`TULLE_CONFIG_INSTRUCTION_ADDRESS] = starts[bad - 1];
        records[bad][`TULLE_CONFIG_INSTRUCTION_RESULT]  = results[bad - 1];
        records[bad][`TULLE_CONFIG_INSTRUCTION_PITCH]   = 0;
        word      = records[bad][`TULLE_CONFIG_INSTRUCTION_INSTRUCTION];
        word[7:4] = 4'd0;
        records[bad][`TULLE_CONFIG_INSTRUCTION_INSTRUCTION] = word;
      end
      spoil;
      // A fault that is remembered gives way to a check that fails, one of the header does not.
      if (also && (fault == RIGHT || fault == NOWHERE || fault == MISSING || fault == ZEROED || fault == ROUNDING || fault == FULL || fault == MAXIMAL || (fault >= FLIPPED && fault <= FUNCTION)))
        expected = `TULLE_STATUS_CONFIG_CHECK;
      if (fault == FLIPPED) expected = `TULLE_STATUS_CONFIG_CHECK;

      for (i = 0; i < WORDS; i = i + 1) words[i] = 32'd0;
      check = `TULLE_CHECK_SEED;
      for (i = 0; i < 4 * (1 + count + functions); i = i + 1) begin
        made = records[i / 4];
        if (i != 3) begin
          words[i] = made[32 * (i % 4) +: 32];
          check    = check ^ words[i];
        end
      end
      words[3] = check;
      if (also || fault == FLIPPED) words[3] = check ^ (32'd1 << draw(32));
      pieces = (4 * (1 + count + functions) * 32 + PIECE_WIDTH * PIECES - 1) / (PIECE_WIDTH * PIECES) * PIECES;
      if (fault == SHORT && pieces == PIECES) begin
        fault    = RIGHT;
        expected = also ? `TULLE_STATUS_CONFIG_CHECK : `TULLE_STATUS_OK;
      end
      if (fault == SHORT) pieces = pieces - PIECES;
      if (fault == LONG) pieces = pieces + PIECES;
    end
  endtask

  // -- What the module does --------------------------------------------------------------------------------------

  reg         running = 1'b0;
  reg         refused;
  integer     written, tables, ends, waited, w, stepped, pace;
  reg         o_unfit, o_soon;
  reg [3:0]   o_kind;
  reg [1:0]   o_flags;
  reg [ADDR-1:0] o_address, o_stride, o_turn, o_wrap;
  reg [15:0]  o_inner;
  reg [OUT-1:0] o_result, o_result_stride;

  // Where the sequencer comes to when it takes a step back.
  function integer after_step(input integer from, input integer back, input integer wrap);
    after_step = from - back < 0 ? from - back + wrap : from - back;
  endfunction

  // Modulo wrap, of a number above -2 wrap.
  function integer modulo(input integer number, input integer wrap);
    modulo = (number + 2 * wrap) % wrap;
  endfunction

  task see_instruction;
    begin
      {o_unfit, o_soon, o_kind, o_flags, o_address, o_stride, o_turn, o_wrap, o_inner, o_result, o_result_stride} =
        operands[8+4*ADDR+16+2*OUT-1:0];
      must(store_ready && {27'd0, store_index} == written && written < count, 1);
      made = records[1 + written];
      word = made[`TULLE_CONFIG_INSTRUCTION_INSTRUCTION];
      // From a record with a fault on only the order counts.
      if (bad == 0 || written + 1 < bad) begin
        must(o_soon == (written + 2 == count) && o_kind == word[11:8] && o_flags == word[1:0], 2);
        must(MAXIMUM == 0 || operands[MAXIMUM+8+4*ADDR+16+2*OUT-1] == made[`TULLE_CONFIG_INSTRUCTION_MAXIMUM], 9);
        must(ACCUMULATORS == 0 || operands[MAXIMUM+8+4*ADDR+16+2*OUT+2*ACCUMULATORS-1 -: 2] == word[3:2], 27);
        must(o_address == starts[written] && o_result == results[written], 3);
        must(o_wrap == wraps[written] % INPUT_DEPTH && o_inner == made[`TULLE_CONFIG_INSTRUCTION_INNER], 4);
        must(o_result_stride == made[112 +: OUT], 5);
        for (stepped = 0; stepped < 3; stepped = stepped + 1) begin
          value = stepped == 0 ? starts[written] : stepped == 1 ? wraps[written] - 1 : 0;
          must(after_step(value, o_stride, wraps[written]) == modulo(value + strides[written], wraps[written]), 6);
          must(after_step(value, o_turn, wraps[written]) == modulo(value + turns[written], wraps[written]), 7);
        end
        if (opcode[written] == 2'd1 && target[written] == `TULLE_TARGET_INPUT) must(o_unfit == unfit[written], 8);
      end
      written = written + 1;
    end
  endtask

  task see_buffer;
    begin
      must(packet[21+2*BUFFER] == (header[`TULLE_CONFIG_HEADER_QUEUE] == `TULLE_QUEUE_STATE_SW), 10);
      must(packet[20+2*BUFFER] == (header[`TULLE_CONFIG_HEADER_QUEUE] == `TULLE_QUEUE_STATE_RQ), 11);
      must(packet[18+2*BUFFER +: 2] == (weights ? 2 : input_loads != 0 && partial_loads == 0 && computes == 0 ? 1 :
                                        input_loads + partial_loads != 0 ? 3 : 0), 12);
      must(ACCUMULATORS == 0 || packet[21+2*BUFFER+ACCUMULATORS] == defers, 28);
      must(packet[17+2*BUFFER] == header[`TULLE_CONFIG_HEADER_TRIGGER], 13);
      if (header[`TULLE_CONFIG_HEADER_TRIGGER])
        must(packet[17+BUFFER +: BUFFER] == header[`TULLE_CONFIG_HEADER_TRIGGER_BUFFER], 14);
      must(packet[16+BUFFER] == header[`TULLE_CONFIG_HEADER_AFTER], 15);
      if (header[`TULLE_CONFIG_HEADER_AFTER]) must(packet[16 +: BUFFER] == header[`TULLE_CONFIG_HEADER_AFTER_BUFFER], 16);
      value = header[`TULLE_CONFIG_HEADER_HOLD];
      must(packet[15:0] == (value == 0 ? 1 : value), 17);
      must(sequence_facts[11 +: ADDR + 1] == block % (2 * INPUT_DEPTH) && sequence_facts[10] == header[`TULLE_CONFIG_HEADER_RESTART], 18);
      if (ZERO_POINTS != 0)
        must(sequence_facts[9*ZERO_POINTS+ADDR+3 +: 9] == {header[`TULLE_CONFIG_HEADER_UNSIGNED], header[48 +: 8]}, 29);
      if (last_store >= 0) must(sequence_facts[9:5] == last_store, 19);
      if (last_mac >= 0) must(sequence_facts[4:0] == last_mac, 20);
    end
  endtask

  always @(posedge clk) if (running) begin
    waited = waited + 1;
    if (store_instruction) begin
      see_instruction;
      store_ready <= 1'b0;
    end else if (!store_ready) begin
      store_ready <= draw(pace == 2 ? 24 : 4) == 0;
    end
    if (table_write) begin
      if (bad == 0) must(record == records[1 + count], 21);
      tables = tables + 1;
    end
    if (valid && ready) begin
      at    <= at + 1;
      valid <= at + 1 < pieces && draw(4) >= pace;
    end else if (!valid) begin
      valid <= at < pieces && draw(4) >= pace;
    end
    must(store_buffer == done, 22);
    if (done || error) begin
      ends = ends + 1;
      must(ends == 1 || (ends == 2 && error && refused), 23);
      refused = error;
      if (ends == 1) must(error ? code == expected : expected == `TULLE_STATUS_OK, 24);
      if (ends == 1 && (error ? code : `TULLE_STATUS_OK) !== expected && failures < 10)
        $display("parser_tb: payload %0d, fault %0d: code %0d, expected %0d", payload, fault, error ? code : 0, expected);
    end
    if (done) begin
      see_buffer;
      must(written == count && tables == (functions != 0 ? 1 : 0), 25);
      must(at == pieces && !valid, 26);
    end
  end

  always @* for (w = 0; w < PIECE_WIDTH / 32; w = w + 1) data[32*w +: 32] = words[(at * (PIECE_WIDTH / 32) + w) % WORDS];

  integer total;

  initial begin
    failures = 0;
    at       = 0;
    pieces   = PIECES;
    chance   = 32'd1;
    total    = 300;
    if (!$value$plusargs("payloads=%d", total)) total = 300;
    if (!$value$plusargs("seed=%d", chance)) chance = 32'd1;
    repeat (4) @(negedge clk);
    rst_n = 1'b1;
    for (payload = 0; payload < total && failures == 0; payload = payload + 1) begin
      @(negedge clk);
      make_payload;
      at      = 0;
      valid   = 1'b0;
      written = 0;
      tables  = 0;
      ends    = 0;
      waited  = 0;
      pace    = draw(3);
      start   = 1'b1;
      running = 1'b1;
      @(negedge clk) start = 1'b0;
      while (ends == 0 && waited < 10000) @(negedge clk);
      repeat (3) @(negedge clk); // nothing more is said, and a refused payload is left
      must(ends == 1 || (ends == 2 && refused), 27);
      running = 1'b0;
    end
    if (failures != 0) begin
      $display("parser_tb: FAIL");
      $fatal(1);
    end
    $display("parser_tb: PASS, %0d payloads", payload);
    $finish(0);
  end
endmodule

`default_nettype wire
