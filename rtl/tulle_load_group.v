// SPDX-License-Identifier: Apache-2.0
//
// tulle_load_group: a load engine for each memory port, with the interface of a single engine. Row r is loaded
// through port r modulo PORTS. An operation goes to every port that serves one of its rows, and each port reads the
// data for its own rows. Writes to a row therefore keep the order of the operations, rows of different ports are
// loaded at the same time, and data for all rows are read once through each port. Completions are reported in the
// order of the operations.
//
// Ports, but for these those of tulle_load
//   request_*, data_*              for each port, a client of its tulle_read_port
//   write_o, write_enable_o, write_word_o, write_data_o
//                                  for each row, the write to its unit
//   bytes_o                        bytes of the operations that ended in this cycle; 0 when none did
//   error_o, error_code_o, error_tag_o
//                                  error of the first failed operation, after the completions of all earlier ones
//
// Parameters
//   PORTS                          memory ports
//   the others                     those of tulle_load
//
// Latency: that of tulle_load; with several ports an error is reported a cycle later. With one port the module is one
// load engine.

`default_nettype none

`include "tulle_isa.vh"

module tulle_load_group #(
  parameter PORTS       = 1,
  parameter MEM         = 512,
  parameter BUS         = 256,
  parameter ROWS        = 2,
  parameter UNIT_BYTES  = 65536,
  parameter OUTSTANDING = 32,
  parameter TAG         = `TULLE_TAG_WIDTH,
  parameter FILL        = 0,
  parameter LOCAL       = 0
) (
  input  wire                  clk_i,
  input  wire                  rst_ni,
  input  wire                  abort_i,

  input  wire                  op_valid_i,
  output wire                  op_ready_o,
  input  wire [ROWS-1:0]       op_rows_i,
  input  wire                  op_zero_i,
  input  wire [15:0]           op_fill_i,
  input  wire [63:0]           op_address_i,
  input  wire [20:0]           op_length_i,
  input  wire [15:0]           op_runs_i,
  input  wire [15:0]           op_planes_i,
  input  wire [31:0]           op_run_pitch_i,
  input  wire [31:0]           op_plane_pitch_i,
  input  wire [19:0]           op_unit_i,
  input  wire [TAG-1:0]        op_tag_i,

  output wire [PORTS-1:0]      request_valid_o,
  input  wire [PORTS-1:0]      request_ready_i,
  output wire [64*PORTS-1:0]   request_address_o,
  output wire [8*PORTS-1:0]    request_beats_o,
  input  wire [PORTS-1:0]      data_valid_i,
  input  wire [MEM*PORTS-1:0]  data_i,
  input  wire [PORTS-1:0]      data_last_i,
  input  wire [2*PORTS-1:0]    data_error_i,

  output wire [ROWS-1:0]       write_o,
  output wire [ROWS*((MEM > BUS) ? MEM : BUS)/64-1:0] write_enable_o,
  output wire [ROWS*((MEM > BUS) ? MEM : BUS)/64*$clog2(UNIT_BYTES/((MEM > BUS) ? MEM : BUS)*8)-1:0] write_word_o,
  output wire [ROWS*((MEM > BUS) ? MEM : BUS)-1:0] write_data_o,

  output wire                  done_valid_o,
  input  wire                  done_ready_i,
  output wire [TAG-1:0]        done_tag_o,

  output wire [40:0]           bytes_o,

  output wire                  error_o,
  output wire [15:0]           error_code_o,
  output wire [TAG-1:0]        error_tag_o,

  output wire                  idle_o
);

  localparam WIDE  = (MEM > BUS) ? MEM : BUS;
  localparam BANKS = WIDE / 64;
  localparam WORDS = BANKS * $clog2(UNIT_BYTES / 8 / BANKS); // address bits of the words of all banks
  localparam WRITE = BANKS + WORDS + WIDE;                   // bits of a write

  tulle_require #(
    .LEGAL   (PORTS >= 1 && PORTS <= 4 && PORTS <= ROWS),
    .MESSAGE ("tulle_load_group: PORTS must be 1..4, at most ROWS")
  ) u_require_ports_1_to_4_at_most_rows ();

  // Signals of each engine
  wire [PORTS*ROWS-1:0]  owned; // the rows of the engine
  wire [PORTS-1:0]       valid; // an operation for the engine
  wire [PORTS-1:0]       ready;
  wire [PORTS-1:0]       write;
  wire [PORTS*ROWS-1:0]  write_rows;
  wire [PORTS*WRITE-1:0] writes;
  wire [PORTS-1:0]       done_valid;
  wire [PORTS-1:0]       done_ready;
  wire [PORTS*TAG-1:0]   done_tag;
  wire [PORTS*41-1:0]    bytes;
  wire [PORTS-1:0]       error;
  wire [PORTS*16-1:0]    error_code;
  wire [PORTS*TAG-1:0]   error_tag;
  wire [PORTS-1:0]       idle;

  genvar p;
  genvar r;
  generate
    for (p = 0; p < PORTS; p = p + 1) begin : gen_engine
      wire        unused_bytes_valid;

      tulle_load #(
        .MEM         (MEM),
        .BUS         (BUS),
        .ROWS        (ROWS),
        .UNIT_BYTES  (UNIT_BYTES),
        .OUTSTANDING (OUTSTANDING),
        .TAG         (TAG),
        .FILL        (FILL),
        .LOCAL       (LOCAL)
      ) u_load (
        .clk_i             (clk_i),
        .rst_ni            (rst_ni),
        .abort_i           (abort_i),
        .op_valid_i        (valid[p]),
        .op_ready_o        (ready[p]),
        .op_rows_i         (op_rows_i & owned[ROWS*p +: ROWS]),
        .op_zero_i         (op_zero_i),
        .op_fill_i         (op_fill_i),
        .op_address_i      (op_address_i),
        .op_length_i       (op_length_i),
        .op_runs_i         (op_runs_i),
        .op_planes_i       (op_planes_i),
        .op_run_pitch_i    (op_run_pitch_i),
        .op_plane_pitch_i  (op_plane_pitch_i),
        .op_unit_i         (op_unit_i),
        .op_tag_i          (op_tag_i),
        .request_valid_o   (request_valid_o[p]),
        .request_ready_i   (request_ready_i[p]),
        .request_address_o (request_address_o[64*p +: 64]),
        .request_beats_o   (request_beats_o[8*p +: 8]),
        .data_valid_i      (data_valid_i[p]),
        .data_i            (data_i[MEM*p +: MEM]),
        .data_last_i       (data_last_i[p]),
        .data_error_i      (data_error_i[2*p +: 2]),
        .write_o           (write[p]),
        .write_rows_o      (write_rows[ROWS*p +: ROWS]),
        .write_enable_o    (writes[WRITE*p+WORDS+WIDE +: BANKS]),
        .write_word_o      (writes[WRITE*p+WIDE +: WORDS]),
        .write_data_o      (writes[WRITE*p +: WIDE]),
        .done_valid_o      (done_valid[p]),
        .done_ready_i      (done_ready[p]),
        .done_tag_o        (done_tag[TAG*p +: TAG]),
        .bytes_valid_o     (unused_bytes_valid),
        .bytes_o           (bytes[41*p +: 41]),
        .error_o           (error[p]),
        .error_code_o      (error_code[16*p +: 16]),
        .error_tag_o       (error_tag[TAG*p +: TAG]),
        .idle_o            (idle[p])
      );

      for (r = 0; r < ROWS; r = r + 1) begin : gen_owned
        assign owned[ROWS*p+r] = r % PORTS == p;
      end
    end

    // A row is written by its port.
    for (r = 0; r < ROWS; r = r + 1) begin : gen_row
      localparam PORT = r % PORTS;

      assign write_o[r] = write[PORT] && write_rows[ROWS*PORT+r];
      assign {write_enable_o[BANKS*r +: BANKS], write_word_o[WORDS*r +: WORDS], write_data_o[WIDE*r +: WIDE]} =
        writes[WRITE*PORT +: WRITE];
    end

    if (PORTS == 1) begin : gen_one
      assign valid        = op_valid_i;
      assign op_ready_o   = ready;
      assign done_valid_o = done_valid;
      assign done_ready   = done_ready_i;
      assign done_tag_o   = done_tag;
      assign bytes_o      = bytes;
      assign error_o      = error;
      assign error_code_o = error_code;
      assign error_tag_o  = error_tag;
      assign idle_o       = idle;
    end else begin : gen_several
      localparam PORT = $clog2(PORTS);

      // -- To all ports that serve one of the rows, at once -----

      reg  [PORTS-1:0] to;
      wire             order_ready;
      integer          i;

      always @* begin
        for (i = 0; i < PORTS; i = i + 1) to[i] = (op_rows_i & owned[ROWS*i +: ROWS]) != {ROWS{1'b0}};
      end

      assign op_ready_o = &(ready | ~to) && order_ready;

      wire             start = op_valid_i && op_ready_o; // an engine that fails is no longer ready

      assign valid = to & {PORTS{start}};

      // -- Completions and errors, in the order of the operations 

      wire             order_valid;
      wire [PORTS-1:0] oldest; // the ports of the oldest operation
      reg  [PORTS-1:0] failed_q;
      reg              error_q;
      reg              stopped_q;
      reg  [PORT-1:0]  teller;   // a port of the oldest operation; a failed one if any has failed

      tulle_fifo #(
        .WIDTH (PORTS),
        .DEPTH (16) // as many operations as an engine holds
      ) u_order (
        .clk_i   (clk_i),
        .rst_ni  (rst_ni),
        .valid_i (start),
        .ready_o (order_ready),
        .data_i  (to),
        .valid_o (order_valid),
        .ready_i (done_valid_o && done_ready_i),
        .data_o  (oldest)
      );

      wire fails = order_valid && (oldest & failed_q) != {PORTS{1'b0}};

      always @* begin
        teller = {PORT{1'b0}};
        for (i = PORTS - 1; i >= 0; i = i - 1) if (oldest[i] && (failed_q[i] || !fails)) teller = i[PORT-1:0];
      end

      always @(posedge clk_i) begin
        if (!rst_ni) begin
          failed_q  <= {PORTS{1'b0}};
          {error_q, stopped_q} <= 2'd0;
        end else begin
          failed_q  <= failed_q | error;
          error_q   <= fails && !stopped_q && !abort_i;
          stopped_q <= stopped_q || fails || abort_i;
        end
      end

      assign done_valid_o = order_valid && &(done_valid | ~oldest) && !stopped_q && !fails;
      assign done_ready   = oldest & {PORTS{done_valid_o && done_ready_i}};
      assign done_tag_o   = done_tag[TAG*teller +: TAG];
      assign error_o      = error_q;
      assign error_code_o = error_code[16*teller +: 16];
      assign error_tag_o  = error_tag[TAG*teller +: TAG];
      assign idle_o       = !order_valid;

      wire unused_idle = &{1'b0, idle};

      reg [40:0] sum;

      always @* begin
        sum = 41'd0;
        for (i = 0; i < PORTS; i = i + 1) sum = sum + bytes[41*i +: 41];
      end

      assign bytes_o = sum;
    end
  endgenerate

endmodule

`default_nettype wire
