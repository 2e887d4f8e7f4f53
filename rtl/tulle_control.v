// SPDX-License-Identifier: Apache-2.0
//
// tulle_control: the control registers on AXI4-Lite (docs/registers.md), start and end of a job, the interrupt,
// error status, soft reset and counters.
//
// The first registers behave as the Vitis flow expects of ap_ctrl_chain: a job that is written to ap_start is
// taken when none runs and the end of the last one was acknowledged (ap_continue, or reading ap_done).
// Arguments are read while a job runs, so the next one may be written when it has ended: ap_ready comes with
// ap_done. A job ends when its source says that everything was sent and the array is idle, at the first
// error, or when the watchdog finds no progress.
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   aw*, w*, b*, ar*, r*           AXI4-Lite subordinate; protection bits are not looked at
//   interrupt_o                    level
//   soft_reset_o                   one cycle: reset everything else
//   job_start_o                    one cycle: a job begins
//   job_sent_i                     one cycle or more: the job's last packet was sent
//   idle_i                         nothing is in flight in the array
//   progress_i                     something moved in this cycle
//   beats_i                        beats on the row buses in this cycle
//   error_i, error_code_i,         the first error of the array, until the soft reset
//   error_queue_i, error_row_i, error_cluster_i
//
// Parameters
//   COUNTERS                       1: performance counters are there; 0: they read 0
//   BEATS_WIDTH                    bits of beats_i
//
// Latency: a read answers in three cycles, a write in two; one of each at a time.
// Limits: addresses that are not in the register map read 0, and writes to them do nothing.

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"

module tulle_control #(
  parameter COUNTERS    = 1,
  parameter BEATS_WIDTH = 1
) (
  input  wire                   clk_i,
  input  wire                   rst_ni,

  input  wire                   awvalid_i,
  output wire                   awready_o,
  input  wire [11:0]            awaddr_i,
  input  wire                   wvalid_i,
  output wire                   wready_o,
  input  wire [31:0]            wdata_i,
  input  wire [3:0]             wstrb_i,
  output wire                   bvalid_o,
  input  wire                   bready_i,
  output wire [1:0]             bresp_o,
  input  wire                   arvalid_i,
  output wire                   arready_o,
  input  wire [11:0]            araddr_i,
  output wire                   rvalid_o,
  input  wire                   rready_i,
  output wire [31:0]            rdata_o,
  output wire [1:0]             rresp_o,

  output wire                   interrupt_o,
  output wire                   soft_reset_o,
  output wire                   job_start_o,
  input  wire                   job_sent_i,
  input  wire                   idle_i,
  input  wire                   progress_i,
  input  wire [BEATS_WIDTH-1:0] beats_i,

  input  wire                   error_i,
  input  wire [15:0]            error_code_i,
  input  wire [7:0]             error_queue_i,
  input  wire [7:0]             error_row_i,
  input  wire [7:0]             error_cluster_i
);

  // Written to the reset register; the characters REST.
  localparam [31:0] RESET_KEY = 32'h52455354;

  // -- AXI4-Lite: writes ---------------------------------------------------------------------------------

  // Address and data are kept until both are there. No output depends on an input of the same cycle.
  reg        awheld_q;
  reg        wheld_q;
  reg        bvalid_q;
  reg [11:0] awaddr_q;
  reg [31:0] wdata_q;
  reg [3:0]  wstrb_q;

  wire write = awheld_q && wheld_q && !bvalid_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      awheld_q <= 1'b0;
      wheld_q  <= 1'b0;
      bvalid_q <= 1'b0;
    end else begin
      awheld_q <= awheld_q ? !write : awvalid_i;
      wheld_q  <= wheld_q ? !write : wvalid_i;
      bvalid_q <= bvalid_q ? !bready_i : write;
    end
  end

  always @(posedge clk_i) begin
    if (!awheld_q) awaddr_q <= awaddr_i;
    if (!wheld_q) begin
      wdata_q <= wdata_i;
      wstrb_q <= wstrb_i;
    end
  end

  assign awready_o = !awheld_q;
  assign wready_o  = !wheld_q;
  assign bvalid_o  = bvalid_q;
  assign bresp_o   = 2'b00;

  // The register space has 10 address bits; everything above it is unused.
  wire [9:0] waddr         = {awaddr_q[9:2], 2'b00};
  wire       write_here    = write && awaddr_q[11:10] == 2'b00;
  wire       write_byte0   = write_here && wstrb_q[0];
  wire       write_control = write_byte0 && waddr == `TULLE_REG_CONTROL;
  wire       write_enable  = write_byte0 && waddr == `TULLE_REG_INTERRUPT_ENABLE;
  wire       write_mask    = write_byte0 && waddr == `TULLE_REG_INTERRUPT_MASK;
  wire       write_status  = write_byte0 && waddr == `TULLE_REG_INTERRUPT_STATUS;
  wire       write_reset   = write_here && waddr == `TULLE_REG_RESET && wdata_q == RESET_KEY && wstrb_q == 4'hF;

  // -- AXI4-Lite: reads ----------------------------------------------------------------------------------

  reg        arheld_q;
  reg        rvalid_q;
  reg [11:0] araddr_q;
  reg [31:0] rdata_q;
  reg [31:0] rdata_d;

  wire read = arheld_q && !rvalid_q;

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      arheld_q <= 1'b0;
      rvalid_q <= 1'b0;
    end else begin
      arheld_q <= arheld_q ? !read : arvalid_i;
      rvalid_q <= rvalid_q ? !rready_i : read;
    end
  end

  always @(posedge clk_i) begin
    if (!arheld_q) araddr_q <= araddr_i;
    if (read) rdata_q <= rdata_d;
  end

  assign arready_o = !arheld_q;
  assign rvalid_o  = rvalid_q;
  assign rdata_o   = rdata_q;
  assign rresp_o   = 2'b00;

  wire [9:0] raddr        = {araddr_q[9:2], 2'b00};
  wire       read_here    = araddr_q[11:10] == 2'b00;
  wire       read_control = read && read_here && raddr == `TULLE_REG_CONTROL;

  // -- Soft reset ----------------------------------------------------------------------------------------

  reg soft_reset_q;

  always @(posedge clk_i) begin
    soft_reset_q <= rst_ni && write_reset;
  end

  assign soft_reset_o = soft_reset_q;

  wire reset_n = rst_ni && !soft_reset_q;

  // -- Jobs ----------------------------------------------------------------------------------------------

  reg        start_q;   // written, not yet taken
  reg        running_q;
  reg        done_q;    // not yet acknowledged
  reg        ready_q;
  reg        sent_q;
  reg        begin_q;   // first cycle of a job
  reg        failed_q;  // an error was recorded; until the soft reset
  reg [15:0] code_q;
  reg [7:0]  queue_q;
  reg [7:0]  row_q;
  reg [7:0]  cluster_q;

  wire timeout;
  wire take     = start_q && !running_q && !done_q;
  wire finished = sent_q && idle_i;
  wire stop     = running_q && (finished || error_i || timeout);

  always @(posedge clk_i) begin
    if (!reset_n) begin
      start_q   <= 1'b0;
      running_q <= 1'b0;
      done_q    <= 1'b0;
      ready_q   <= 1'b0;
      sent_q    <= 1'b0;
      begin_q   <= 1'b0;
    end else begin
      start_q   <= (write_control && wdata_q[`TULLE_REG_CONTROL_AP_START]) || (start_q && !take);
      running_q <= take || (running_q && !stop);
      done_q    <= stop || (done_q && !read_control &&
                            !(write_control && wdata_q[`TULLE_REG_CONTROL_AP_CONTINUE]));
      ready_q   <= stop || (ready_q && !read_control);
      sent_q    <= !take && (sent_q || job_sent_i);
      begin_q   <= take;
    end
  end

  always @(posedge clk_i) begin
    if (!reset_n) begin
      failed_q  <= 1'b0;
      code_q    <= (rst_ni && running_q) ? `TULLE_STATUS_ABORTED : `TULLE_STATUS_OK;
      queue_q   <= `TULLE_QUEUE_NONE;
      row_q     <= 8'd0;
      cluster_q <= 8'd0;
    end else if (error_i && !failed_q) begin
      failed_q  <= 1'b1;
      code_q    <= error_code_i;
      queue_q   <= error_queue_i;
      row_q     <= error_row_i;
      cluster_q <= error_cluster_i;
    end else if (stop && timeout && !failed_q) begin
      failed_q <= 1'b1;
      code_q   <= `TULLE_STATUS_WATCHDOG;
      queue_q  <= `TULLE_QUEUE_COMMAND;
    end else if (!failed_q && (take || stop)) begin
      code_q <= take ? `TULLE_STATUS_RUNNING : `TULLE_STATUS_OK;
    end
  end

  assign job_start_o = begin_q;

  // -- Watchdog: counts down from the register while nothing moves ----------------------------------------

  reg [31:0] watchdog_q;
  reg [31:0] patience_q;

  wire write_watchdog = write_here && waddr == `TULLE_REG_WATCHDOG;

  always @(posedge clk_i) begin
    if (!reset_n) begin
      watchdog_q <= `TULLE_RESET_WATCHDOG;
    end else if (write_watchdog) begin
      if (wstrb_q[0]) watchdog_q[7:0]   <= wdata_q[7:0];
      if (wstrb_q[1]) watchdog_q[15:8]  <= wdata_q[15:8];
      if (wstrb_q[2]) watchdog_q[23:16] <= wdata_q[23:16];
      if (wstrb_q[3]) watchdog_q[31:24] <= wdata_q[31:24];
    end
  end

  always @(posedge clk_i) begin
    if (!running_q || progress_i || watchdog_q == 32'd0) patience_q <= watchdog_q;
    else if (patience_q != 32'd0)                        patience_q <= patience_q - 32'd1;
  end

  assign timeout = watchdog_q != 32'd0 && patience_q == 32'd0;

  // -- Interrupt -----------------------------------------------------------------------------------------

  reg       enable_q;
  reg [1:0] mask_q;
  reg [1:0] pending_q;
  reg       interrupt_q;

  always @(posedge clk_i) begin
    if (!reset_n) begin
      enable_q    <= 1'b0;
      mask_q      <= 2'b00;
      pending_q   <= 2'b00;
      interrupt_q <= 1'b0;
    end else begin
      if (write_enable) enable_q <= wdata_q[`TULLE_REG_INTERRUPT_ENABLE_ENABLE];
      if (write_mask)   mask_q   <= {wdata_q[`TULLE_REG_INTERRUPT_MASK_READY],
                                     wdata_q[`TULLE_REG_INTERRUPT_MASK_DONE]};
      // An event of this very cycle is not lost to a write that clears the last one.
      pending_q   <= (pending_q & ~(write_status ? wdata_q[1:0] : 2'b00)) | (stop ? mask_q : 2'b00);
      interrupt_q <= enable_q && pending_q != 2'b00;
    end
  end

  assign interrupt_o = interrupt_q;

  // -- Arguments: not reset, read by whoever runs the job --------------------------------------------------

  // Bit w: the word at byte offset 4w is an argument. Sixteen of two words and a free one, from 0x10 on, and
  // the job number. What is not an argument is never written, and reads 0.
  localparam [63:0] ARGUMENTS = {11'd0, 1'b1, {16{3'b011}}, 4'd0};

  wire        argument_here = waddr[9:8] == 2'b00 && ARGUMENTS[waddr[7:2]];
  wire [31:0] argument;

  genvar b;
  generate
    for (b = 0; b < 4; b = b + 1) begin : gen_argument_byte
      tulle_lutram #(
        .WIDTH (8),
        .DEPTH (64),
        .ZERO  (1)
      ) u_arguments (
        .clk_i   (clk_i),
        .we_i    (write_here && argument_here && wstrb_q[b]),
        .waddr_i (waddr[7:2]),
        .wdata_i (wdata_q[8*b +: 8]),
        .raddr_i (raddr[7:2]),
        .rdata_o (argument[8*b +: 8])
      );
    end
  endgenerate

  // -- Counters ------------------------------------------------------------------------------------------

  wire [63:0] cycles;
  wire [63:0] bus_beats;

  generate
    if (COUNTERS != 0) begin : gen_counters
      reg [63:0] cycles_q;
      reg [63:0] bus_beats_q;

      always @(posedge clk_i) begin
        if (!reset_n || take) begin
          cycles_q    <= 64'd0;
          bus_beats_q <= 64'd0;
        end else if (running_q) begin
          cycles_q    <= cycles_q + 64'd1;
          bus_beats_q <= bus_beats_q + {{64-BEATS_WIDTH{1'b0}}, beats_i};
        end
      end

      assign cycles    = cycles_q;
      assign bus_beats = bus_beats_q;
    end else begin : gen_no_counters
      assign cycles    = 64'd0;
      assign bus_beats = 64'd0;

      wire unused_beats = &{1'b0, beats_i};
    end
  endgenerate

  // -- What a read returns -------------------------------------------------------------------------------

  always @* begin
    rdata_d = 32'd0;
    case (raddr)
      `TULLE_REG_CONTROL: begin
        rdata_d[`TULLE_REG_CONTROL_AP_START] = start_q;
        rdata_d[`TULLE_REG_CONTROL_AP_DONE]  = done_q;
        rdata_d[`TULLE_REG_CONTROL_AP_IDLE]  = !running_q;
        rdata_d[`TULLE_REG_CONTROL_AP_READY] = ready_q;
      end
      `TULLE_REG_INTERRUPT_ENABLE: rdata_d[`TULLE_REG_INTERRUPT_ENABLE_ENABLE] = enable_q;
      `TULLE_REG_INTERRUPT_MASK:   rdata_d[1:0] = mask_q;
      `TULLE_REG_INTERRUPT_STATUS: rdata_d[1:0] = pending_q;
      `TULLE_REG_MAGIC:            rdata_d = `TULLE_RESET_MAGIC;
      `TULLE_REG_ISA_VERSION:      rdata_d = `TULLE_RESET_ISA_VERSION;
      `TULLE_REG_VARIANT_LOW:      rdata_d = `TULLE_RESET_VARIANT_LOW;
      `TULLE_REG_VARIANT_HIGH:     rdata_d = `TULLE_RESET_VARIANT_HIGH;
      `TULLE_REG_SHAPE:            rdata_d = `TULLE_RESET_SHAPE;
      `TULLE_REG_WIDTHS:           rdata_d = `TULLE_RESET_WIDTHS;
      `TULLE_REG_BUSES:            rdata_d = `TULLE_RESET_BUSES;
      `TULLE_REG_FEATURES:         rdata_d = `TULLE_RESET_FEATURES;
      `TULLE_REG_STATUS: begin
        rdata_d[`TULLE_REG_STATUS_CODE]  = code_q;
        rdata_d[`TULLE_REG_STATUS_QUEUE] = queue_q;
      end
      `TULLE_REG_ERROR_PLACE: begin
        rdata_d[`TULLE_REG_ERROR_PLACE_ROW]     = row_q;
        rdata_d[`TULLE_REG_ERROR_PLACE_CLUSTER] = cluster_q;
      end
      `TULLE_REG_WATCHDOG:       rdata_d = watchdog_q;
      `TULLE_REG_CYCLES_LOW:     rdata_d = cycles[31:0];
      `TULLE_REG_CYCLES_HIGH:    rdata_d = cycles[63:32];
      `TULLE_REG_BUS_BEATS_LOW:  rdata_d = bus_beats[31:0];
      `TULLE_REG_BUS_BEATS_HIGH: rdata_d = bus_beats[63:32];
      default: begin
        if (raddr[9:8] == 2'b00) rdata_d = argument;
      end
    endcase
    if (!read_here) rdata_d = 32'd0;
  end

  wire unused = &{1'b0, awaddr_q[1:0], araddr_q[1:0]};

  tulle_stream_check #(
    .WIDTH (12)
  ) u_write_address_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (awvalid_i),
    .ready_i (awready_o),
    .data_i  (awaddr_i)
  );

  tulle_stream_check #(
    .WIDTH (36)
  ) u_write_data_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (wvalid_i),
    .ready_i (wready_o),
    .data_i  ({wstrb_i, wdata_i})
  );

  tulle_stream_check #(
    .WIDTH (12)
  ) u_read_address_check (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .valid_i (arvalid_i),
    .ready_i (arready_o),
    .data_i  (araddr_i)
  );

endmodule

`default_nettype wire
