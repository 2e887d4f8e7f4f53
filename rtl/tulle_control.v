// SPDX-License-Identifier: Apache-2.0
//
// tulle_control: the control registers on AXI4-Lite (docs/registers.md), with the start and end of a job, the
// interrupt, error status, soft reset and counters.
//
// The first registers follow ap_ctrl_chain of the Vitis flow. A job that is written to ap_start is taken when no job
// runs and the end of the last job was acknowledged (by ap_continue, or by reading ap_done). Arguments are read while
// a job runs, so the next job may be written after the end of this one: ap_ready comes with ap_done.
//
// The end of a job resets all other modules, so that the next one begins at once. A job ends when its last packet was
// sent and the array is idle, at the first error, or when the watchdog finds no progress. After an error the memory
// ports first complete the bursts that they have begun (abort_o), unless the watchdog expires. Then the status record
// is written (tulle_status_record), and the job is done.
//
// Memory need not have answered the results before the record is written. The job is done when it has (complete_i), and
// an error until then ends the job as any other: the record is written again.
//
// With QUEUE a job may be written while one runs. It waits until that one is done, whether the end is acknowledged or
// not, and its own end waits for this acknowledgement. The command processor begins with it before (next_o). In that
// time it is undone without a trace when the job under way fails:
//   ahead_i   the command processor fetches the program of the job that waits
//   lead_i    it has nothing left of the job under way but stores; loads of the job that waits are under way
//   hand_o    the record of the job under way has been read. The array is reset, and is the next job's; so are the counters
//   taken_o   the job under way is done. The store engine is reset, and is the next job's
// ap_ready comes when the arguments of the job that was taken are copied (tulle_job_arguments).
//
// Ports
//   clk_i, rst_ni                  clock, synchronous reset
//   aw*, w*, b*, ar*, r*           AXI4-Lite subordinate, without protection bits
//   interrupt_o                    the interrupt, a level
//   soft_reset_o                   one cycle: reset all other modules; the memory ports discard late responses
//   engine_reset_o                 one cycle: reset all other modules except the memory ports
//   flush_o                        one cycle: the memory ports discard their outstanding bursts
//   job_start_o                    one cycle: a job begins
//   job_sent_i                     rises when the job's last packet was sent
//   idle_i                         nothing is in flight in the array, and no result is still to be written
//   complete_i                     the job has ended without an error, and nothing of it is outstanding
//   last_call_o                    level: the watchdog has expired; modules have 63 cycles to report the reason
//   abort_o                        level: the job has failed; modules must not begin anything new
//   ports_idle_i                   the memory ports have no outstanding bursts
//   progress_i                     some unit made progress in this cycle
//   watchdog_i                     the program's own watchdog period; 0: the register applies
//   add_i, bytes_read_i,           increments of the counters, in the order of the registers after cycles. Bytes have
//   bytes_written_i                inputs of their own, and busy cycles equal multiplications.
//   error_i, error_code_i,         the first error; stable until reset. The offset is that of the operation in the
//   error_queue_i, error_row_i, error_cluster_i, error_pe_i, error_offset_i
//                                  program.
//   argument_read_i, argument_i,   a word of the arguments, for the command processor; valid from the next cycle
//   argument_o                     until the next read
//   leaves_i, held_o               with KEPT: the number that the job under way leaves in the storage units, and the number of what
//                                  they hold: that of the last job, or 0 if it failed or a reset came
//   burst_*, words_*, response_*   the status record, which tulle_store writes (tulle_status_record)
//   next_o                         level, with QUEUE: a job waits, and the command processor may begin with it
//   ahead_i, lead_i, hand_o        levels, with QUEUE: see above. While ahead_i, argument_i is of the job that waits
//   array_reset_o, taken_o         one cycle, with QUEUE: hand_o rises; the job that waited is the job under way
//
// Parameters
//   QUEUE                          1: a job may wait behind the one that runs
//   KEPT                           1: storage units hold over jobs what programs number
//   COUNTERS                       1: there are performance counters; 0: they read 0
//   ADD_WIDTH, BYTES_WIDTH         bits of a word of add_i, of bytes_written_i
//   ADD_WIDTHS                     byte w: number of bits of word w of add_i that are used
//   READ_WIDTH                     bits of bytes_read_i, at most BYTES_WIDTH
//
// Latency: a read answers in four cycles, or later while the status record is written; a write answers in two. There
// is one read and one write at a time.
// Limits: unmapped addresses read 0, and writes to them are ignored.

`default_nettype none

`include "tulle_isa.vh"
`include "tulle_registers.vh"

module tulle_control #(
  parameter        COUNTERS    = 1,
  parameter        QUEUE       = 0,
  parameter        KEPT        = 0,
  parameter        ADD_WIDTH   = 10,
  parameter [63:0] ADD_WIDTHS  = {8{8'd10}},
  parameter        READ_WIDTH  = 34,
  parameter        BYTES_WIDTH = 44
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
  output wire                   engine_reset_o,
  output wire                   flush_o,
  output wire                   job_start_o,
  input  wire                   job_sent_i,
  input  wire                   idle_i,
  input  wire                   complete_i,
  output wire                   abort_o,
  output wire                   last_call_o,
  input  wire                   ports_idle_i,
  input  wire                   progress_i,
  input  wire [31:0]            watchdog_i,
  input  wire [8*ADD_WIDTH-1:0] add_i,
  input  wire [READ_WIDTH-1:0]  bytes_read_i,
  input  wire [BYTES_WIDTH-1:0] bytes_written_i,

  input  wire                   error_i,
  input  wire [15:0]            error_code_i,
  input  wire [7:0]             error_queue_i,
  input  wire [7:0]             error_row_i,
  input  wire [7:0]             error_cluster_i,
  input  wire [7:0]             error_pe_i,
  input  wire [31:0]            error_offset_i,

  input  wire                   argument_read_i,
  input  wire [5:0]             argument_i,
  output wire [31:0]            argument_o,

  input  wire [31:0]            leaves_i,
  output wire [31:0]            held_o,

  output wire                   burst_valid_o,
  input  wire                   burst_ready_i,
  output wire [63:0]            burst_address_o,
  output wire                   words_valid_o,
  input  wire                   words_ready_i,
  output wire [63:0]            words_o,
  input  wire                   response_valid_i,

  output wire                   next_o,
  input  wire                   ahead_i,
  input  wire                   lead_i,
  output wire                   hand_o,
  output wire                   array_reset_o,
  output wire                   taken_o
);

  // The value that triggers a reset when written to the reset register; the characters REST.
  localparam [31:0] RESET_KEY = 32'h52455354;

  // -- AXI4-Lite: writes ---------------------------------------------------------------------------------

  // Address and data are kept until both have arrived. No output depends on an input of the same cycle.
  reg        awheld_q;
  reg        wheld_q;
  reg        bvalid_q;
  reg [11:0] awaddr_q;
  reg [31:0] wdata_q;
  reg [3:0]  wstrb_q;

  // A write waits while arguments are read for the job or the status record, because it may concern the same word.
  // Each of these reads takes a few cycles. It also waits while arguments are copied, for less than a hundred cycles.
  wire record_look;
  wire copies;
  wire write = awheld_q && wheld_q && !bvalid_q && !argument_read_i && !record_look && !copies;

  always @(posedge clk_i) begin
    if (!rst_ni) {awheld_q, wheld_q, bvalid_q} <= 3'd0;
    else begin
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

  // A register is read for the bus or for the status record; its value is available in the next cycle.
  reg        arheld_q;
  reg        looked_q;
  reg        rvalid_q;
  reg [11:0] araddr_q;
  reg [31:0] rdata_q;
  reg [31:0] look_d;
  wire [31:0] looked;        // the value that was read, but for what only the status record has beside it
  wire [31:0] looked_upper;

  wire       record_busy;
  wire [9:0] record_register;

  // A read waits for a pending write, which may concern the same register.
  wire read = arheld_q && !looked_q && !rvalid_q && !record_busy && !(awheld_q && wheld_q && !bvalid_q);

  always @(posedge clk_i) begin
    if (!rst_ni) {arheld_q, looked_q, rvalid_q} <= 3'd0;
    else begin
      arheld_q <= arheld_q ? !read : arvalid_i && arready_o;
      looked_q <= read;
      rvalid_q <= rvalid_q ? !rready_i : looked_q;
    end
  end

  always @(posedge clk_i) begin
    if (!arheld_q && !looked_q) araddr_q <= araddr_i;
    if (looked_q) rdata_q <= looked | looked_upper;
  end

  assign arready_o = !arheld_q && !looked_q;
  assign rvalid_o  = rvalid_q;
  assign rdata_o   = rdata_q;
  assign rresp_o   = 2'b00;

  wire [9:0] raddr        = record_busy ? record_register : {araddr_q[9:2], 2'b00};
  wire       read_here    = record_busy || araddr_q[11:10] == 2'b00;
  wire       read_control = read && read_here && raddr == `TULLE_REG_CONTROL;

  // -- Soft reset ----------------------------------------------------------------------------------------

  reg soft_reset_q;

  always @(posedge clk_i) begin
    soft_reset_q <= rst_ni && write_reset;
  end

  assign soft_reset_o = soft_reset_q;

  wire reset_n = rst_ni && !soft_reset_q;

  // -- Jobs ----------------------------------------------------------------------------------------------

  reg        start_q;   // ap_start is written, and the job is not yet taken
  reg        running_q;
  reg        done_q;    // not yet acknowledged
  reg        ready_q;
  reg        sent_q;
  reg        shown_q;
  reg        busy_q;    // a job is under way, including its status record
  reg        begin_q;   // first cycle of a job
  reg        reset_q;   // first cycle behind a job
  reg        wait_q;    // second cycle: the reset reaches all modules
  reg        stopped_q; // one cycle: the job has ended, well or not
  reg        close_q;   // the job failed, and the memory ports complete their bursts
  reg        closed_q;  // one cycle: the memory ports are idle or timed out
  reg        settle_q;  // waits for the counters, and for the status slot to be looked up
  reg        tail_q;    // the job has not failed, and may still fail before it is done
  reg        record_q;  // the status record is being written
  reg        stuck_q;   // one cycle: writing the status record timed out
  reg        again_q;   // one cycle: the job failed after all, and its status record is written again
  reg        abort_q;   // from when a job fails until the engines are reset
  reg        failed_q;  // an error was recorded, of this job or since the last one
  reg [15:0] code_q;
  reg [7:0]  queue_q;
  reg [7:0]  row_q;
  reg [7:0]  cluster_q;
  reg [7:0]  pe_q;
  reg [31:0] offset_q;

  wire watched; // the job fails when the watchdog expires
  wire timeout;
  wire called;  // the 63 cycles of the last call are over
  wire settled;
  assign watched = running_q || tail_q;

  // With QUEUE the end of a job waits until that of the job before is acknowledged.
  wire unheard  = QUEUE != 0 && done_q;
  wire lead     = QUEUE != 0 && lead_i;
  wire hand;    // one cycle
  wire handed;
  wire copied;  // one cycle
  wire record_said;
  wire record_over;
  wire take     = start_q && !busy_q && !reset_q && !wait_q && (!done_q || QUEUE != 0) && !copies;
  wire finished = (sent_q || (job_sent_i && !shown_q)) && idle_i;
  wire fails    = error_i || (timeout && called);
  wire stop     = (running_q && (finished || fails)) || (tail_q && fails);
  wire close    = close_q && (ports_idle_i || timeout);
  wire record   = settle_q && settled && !record_busy && !stop && !copies;
  wire recorded = record_q && (!record_busy || record_over) && !tail_q && (!lead || handed);
  wire done     = (recorded && !unheard) || stuck_q;
  wire sticks   = record_q && timeout && !recorded && !stuck_q && !tail_q;
  // The next job is under way already. When the record cannot be written it is not: the engines are reset.
  wire taken    = done && lead && !stuck_q;

  always @(posedge clk_i) begin
    if (!reset_n) begin
      {start_q, busy_q, running_q, done_q, ready_q, sent_q, reset_q, wait_q, begin_q, stopped_q, close_q,
       closed_q, settle_q, record_q, stuck_q, again_q, abort_q, tail_q} <= 18'd0;
    end else begin
      start_q   <= (write_control && wdata_q[`TULLE_REG_CONTROL_AP_START]) || (start_q && !take && !taken);
      busy_q    <= take || (busy_q && (!done || taken));
      begin_q   <= take;
      reset_q   <= done && !taken && !stuck_q;
      wait_q    <= reset_q;
      running_q <= begin_q || taken || (running_q && !stop);
      stopped_q <= stop;
      close_q   <= (stop && fails) || (close_q && !close);
      closed_q  <= close;
      settle_q  <= (stop && !fails) || closed_q || (settle_q && !record && !stop);
      tail_q    <= (stop && !fails) || (tail_q && !fails && !complete_i);
      record_q  <= record || (record_q && !done && !stop);
      stuck_q   <= sticks;
      again_q   <= stop && record_q;
      // A register of its own, because the longest paths begin here.
      abort_q   <= (stop && fails) || close_q || closed_q || sticks || stuck_q;
      done_q    <= done || (done_q && !read_control &&
                            !(write_control && wdata_q[`TULLE_REG_CONTROL_AP_CONTINUE]));
      ready_q   <= ((QUEUE != 0) ? copied : done) || (ready_q && !read_control);
      sent_q    <= !take && !taken && (sent_q || (job_sent_i && !shown_q));
    end
  end

  // job_sent_i of the last job stays high until the reset behind it reaches its source.
  always @(posedge clk_i) begin
    shown_q <= job_sent_i;
  end

  always @(posedge clk_i) begin
    if (!reset_n || take || taken) begin
      failed_q  <= 1'b0;
      code_q    <= (rst_ni && busy_q && !taken) ? `TULLE_STATUS_ABORTED
                 : (take || taken)              ? `TULLE_STATUS_RUNNING : `TULLE_STATUS_OK;
      queue_q   <= `TULLE_QUEUE_NONE;
      {row_q, cluster_q, pe_q, offset_q} <= 56'd0;
    end else if (error_i && !failed_q) begin
      failed_q  <= 1'b1;
      code_q    <= error_code_i;
      queue_q   <= error_queue_i;
      row_q     <= error_row_i;
      cluster_q <= error_cluster_i;
      pe_q      <= error_pe_i;
      offset_q  <= error_offset_i;
    end else if (watched && timeout && called && !failed_q) begin
      failed_q <= 1'b1;
      code_q   <= `TULLE_STATUS_WATCHDOG;
      queue_q  <= `TULLE_QUEUE_COMMAND; // no operation: offset 0
    end else if (running_q && finished && !failed_q) begin
      code_q <= `TULLE_STATUS_OK;
    end
  end

  assign job_start_o    = begin_q;
  // The ports and the engines discard the part of a status record that memory has not taken.
  assign engine_reset_o = reset_q || closed_q || stuck_q;
  assign flush_o        = (closed_q && !ports_idle_i) || stuck_q;
  assign abort_o        = abort_q;

  // -- What the storage units hold over jobs ---------------------------------------------------------------

  generate
    if (KEPT != 0) begin : gen_kept
      reg [31:0] held_q;

      always @(posedge clk_i) begin
        if (!reset_n)  held_q <= 32'd0;
        else if (done) held_q <= (failed_q || stuck_q) ? 32'd0 : leaves_i;
      end

      assign held_o = held_q;
    end else begin : gen_not_kept
      assign held_o = 32'd0;

      wire unused_leaves = &{1'b0, leaves_i};
    end
  endgenerate

  // -- The job that waits ----------------------------------------------------------------------------------

  assign hand = lead && record_q && !handed && !stop && !sticks && (record_said || !record_busy);

  reg taken_q; // one cycle

  always @(posedge clk_i) taken_q <= reset_n && taken;

  generate
    if (QUEUE != 0) begin : gen_hand
      reg hand_q;

      always @(posedge clk_i) begin
        if (!reset_n) hand_q <= 1'b0;
        else          hand_q <= hand || (hand_q && !taken && !(stop && fails) && !sticks);
      end

      assign handed = hand_q;
    end else begin : gen_no_hand
      assign handed = 1'b0;
    end
  endgenerate

  assign next_o        = QUEUE != 0 && start_q && running_q && !done_q && !copies;
  assign hand_o        = handed || taken_q; // as long as lead_i
  assign array_reset_o = hand;
  assign taken_o       = taken_q;

  tulle_status_record #(
    .QUEUE (QUEUE)
  ) u_status_record (
    .clk_i            (clk_i),
    .rst_ni           (reset_n && !stuck_q && !again_q),
    .slot_i           (begin_q || taken_q),
    .start_i          (record),
    .said_o           (record_said),
    .busy_o           (record_busy),
    .over_o           (record_over),
    .place_i          ({pe_q, cluster_q, row_q}),
    .look_o           (record_look),
    .register_o       (record_register),
    .counter_o        (record_counter),
    .number_o         (record_number),
    .words_i          ({looked_upper, looked}),
    .burst_valid_o    (burst_valid_o),
    .burst_ready_i    (burst_ready_i),
    .burst_address_o  (burst_address_o),
    .words_valid_o    (words_valid_o),
    .words_ready_i    (words_ready_i),
    .words_o          (words_o),
    .response_valid_i (response_valid_i)
  );

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

  // The program's own period takes precedence over the register. Closing and recording have the same period each. The
  // end of a job is known late in its cycle, so the period of the next phase begins one cycle later.
  wire        own    = watchdog_i != 32'd0;
  wire [31:0] limit  = own ? watchdog_i : watchdog_q;
  wire        afresh = !busy_q || begin_q || taken || stopped_q || close || record || progress_i;

  always @(posedge clk_i) begin
    if (afresh)                   patience_q <= limit;
    else if (patience_q != 32'd0) patience_q <= patience_q - 32'd1;
  end

  // A register, because all ports and engines depend on it.
  reg timeout_q;

  always @(posedge clk_i) begin
    timeout_q <= limit != 32'd0 && patience_q[31:1] == 31'd0 && !afresh;
  end

  assign timeout = timeout_q && !stopped_q;

  // Before the watchdog reports a mere lack of progress, a module that knows the reason has 63 cycles to report it.
  reg [5:0] call_q;

  always @(posedge clk_i) begin
    if (!(watched && timeout)) call_q <= 6'd0;
    else if (!called)          call_q <= call_q + 6'd1;
  end

  assign called      = call_q == 6'd63;
  assign last_call_o = watched && timeout;

  // -- Interrupt -----------------------------------------------------------------------------------------

  reg       enable_q;
  reg [1:0] mask_q;
  reg [1:0] pending_q;
  reg       interrupt_q;

  wire [1:0] events  = {(QUEUE != 0) ? copied : done, done};
  wire [1:0] pending = (pending_q & ~(write_status ? wdata_q[1:0] : 2'b00)) | (mask_q & events);

  always @(posedge clk_i) begin
    if (!reset_n) {enable_q, mask_q, pending_q, interrupt_q} <= 6'd0;
    else begin
      if (write_enable) enable_q <= wdata_q[`TULLE_REG_INTERRUPT_ENABLE_ENABLE];
      if (write_mask)   mask_q   <= {wdata_q[`TULLE_REG_INTERRUPT_MASK_READY],
                                     wdata_q[`TULLE_REG_INTERRUPT_MASK_DONE]};
      // An event in the cycle of a clearing write is kept.
      pending_q   <= pending;
      interrupt_q <= enable_q && pending != 2'b00;
    end
  end

  assign interrupt_o = interrupt_q;

  // -- Arguments: not reset, read by the command processor -------------------------------------------------

  // Bit w: the word at byte offset 4w is an argument. There are sixteen arguments of two words and a free word, from
  // 0x10 on, and the job number. Other words are never written and read 0.
  localparam [63:0] ARGUMENTS = {11'd0, 1'b1, {16{3'b011}}, 4'd0};

  wire        look = read || record_look;
  wire        argument_here = waddr[9:8] == 2'b00 && ARGUMENTS[waddr[7:2]];
  wire [31:0] argument;

  tulle_require #(
    .LEGAL   (BYTES_WIDTH > ADD_WIDTH && BYTES_WIDTH > READ_WIDTH),
    .MESSAGE ("tulle_control: BYTES_WIDTH must be greater than ADD_WIDTH and READ_WIDTH")
  ) u_require_bytes_width_above_add_width_and_read_width ();

  tulle_job_arguments #(
    .QUEUE (QUEUE)
  ) u_arguments (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .write_i      (wstrb_q & {4{write_here && argument_here}}),
    .place_i      (waddr[7:2]),
    .data_i       (wdata_q),
    .look_i       (look),
    .look_place_i (raddr[7:2]),
    .word_o       (argument),
    .read_i       (argument_read_i),
    .waits_i      (ahead_i && !taken_q),
    .read_place_i (argument_i),
    .argument_o   (argument_o),
    .taken_i      (take || taken),
    .forget_i     (soft_reset_q),
    .hold_i       (record_busy || begin_q || taken_q), // until the status slot was looked up
    .copies_o     (copies),
    .copied_o     (copied)
  );

  // -- Counters ------------------------------------------------------------------------------------------

  wire [63:0] cycles;
  wire [63:0] counter;       // halves of the counter that was read, or 0
  wire        lost;          // they are those of the next job, and no record shows them
  wire        counts_first;  // one cycle: the counters of a job begin

  generate
    if (QUEUE != 0) begin : gen_lost
      reg lost_q;
      reg hand_first_q;

      always @(posedge clk_i) begin
        lost_q       <= reset_n && (hand || (lost_q && !take && !taken));
        hand_first_q <= reset_n && hand;
      end

      assign lost         = lost_q;
      assign counts_first = begin_q || hand_first_q;
    end else begin : gen_none_lost
      assign lost         = 1'b0;
      assign counts_first = begin_q;
    end
  endgenerate

  // The counters after cycles, from effective_macs on, have 64 bits each and are contiguous. The status record
  // selects its counter directly, because decoding the register address would take longer.
  localparam [9:0] LOWEST  = `TULLE_REG_EFFECTIVE_MACS_LOW;
  localparam [9:0] HIGHEST = `TULLE_REG_MOVED_HIGH;

  wire        record_counter;
  wire [3:0]  record_number;
  wire [7:0]  bus_word     = araddr_q[9:2];
  wire        bus_counter  = bus_word >= LOWEST[9:2] && bus_word <= HIGHEST[9:2];
  wire        counter_here = record_busy ? record_counter : bus_counter;
  wire [4:0]  bus_half     = bus_word[4:0] - LOWEST[6:2];
  wire [1:0]  halves       = {record_busy || bus_half[0], record_busy || !bus_half[0]};
  wire        looks        = look || !record_busy;
  wire [3:0]  number       = record_busy ? record_number : bus_half[4:1];
  // Busy cycles, the third counter, equal multiplications.
  wire [3:0]  counter_number = (number == 4'd2) ? 4'd0 : number;

  genvar c;
  generate
    if (COUNTERS != 0) begin : gen_counters
      reg [63:0] cycles_q;

      always @(posedge clk_i) begin
        if (!reset_n || take || hand) cycles_q <= 64'd0;
        else if (busy_q)              cycles_q <= cycles_q + 64'd1;
      end

      assign cycles = cycles_q & {64{!lost}};

      localparam [7:0]  READ = READ_WIDTH;
      localparam [7:0]  WIDE = BYTES_WIDTH;
      localparam [87:0] WIDTHS = {ADD_WIDTHS[63:16], WIDE, READ, 8'd0, ADD_WIDTHS[15:0]};
      localparam [63:0] STATUS_BYTES = `TULLE_STATUS_WIDTH / 8;

      wire [11*BYTES_WIDTH-1:0] add;

      for (c = 0; c < 11; c = c + 1) begin : gen_add
        if (c == 3) begin : gen_read
          assign add[c*BYTES_WIDTH +: BYTES_WIDTH] = {{BYTES_WIDTH-READ_WIDTH{1'b0}}, bytes_read_i};
        end else if (c == 2) begin : gen_busy
          assign add[c*BYTES_WIDTH +: BYTES_WIDTH] = {BYTES_WIDTH{1'b0}};
        end else if (c == 4) begin : gen_written
          // The status record is always counted. No bytes are written before a job begins.
          assign add[c*BYTES_WIDTH +: BYTES_WIDTH] = bytes_written_i | (STATUS_BYTES[BYTES_WIDTH-1:0] & {BYTES_WIDTH{counts_first}});
        end else begin : gen_other
          localparam FROM = (c < 2) ? c : c - 3;
          assign add[c*BYTES_WIDTH +: BYTES_WIDTH] = {{BYTES_WIDTH-ADD_WIDTH{1'b0}}, add_i[FROM*ADD_WIDTH +: ADD_WIDTH]};
        end
      end

      tulle_counters #(
        .COUNTERS (11),
        .WIDTH    (BYTES_WIDTH),
        .WIDTHS   (WIDTHS)
      ) u_counters (
        .clk_i          (clk_i),
        .rst_ni         (reset_n),
        .clear_i        (take || hand),
        .last_i         (stop),
        .count_i        (running_q || begin_q || handed),
        .add_i          (add),
        .look_i         (looks),
        .read_i         (halves & {2{counter_here && read_here && !lost}}),
        .read_address_i (counter_number),
        .read_o         (counter),
        .settled_o      (settled)
      );
    end else begin : gen_no_counters
      assign cycles  = 64'd0;
      assign counter = 64'd0;

      wire unused_first = &{1'b0, counts_first, lost};

      assign settled = 1'b1;

      wire unused_add = &{1'b0, add_i, bytes_read_i, bytes_written_i, looks, halves, counter_here, counter_number};
    end
  endgenerate

  reg  [31:0] look_q;
  reg  [31:0] status_q;
  reg  [31:0] place_q;
  reg  [31:0] offset_here_q;
  reg  [31:0] watchdog_here_q;
  reg  [31:0] cycles_low_q;
  reg  [31:0] cycles_high_q;
  reg         argument_here_q;

  // The value read for the status record stays until the next read. Each register that varies has a copy here that is
  // reset unless it is read, so that an or of all copies selects the value. The status record reads two of them at once.
  wire status_here     = read_here && raddr == `TULLE_REG_STATUS;
  wire place_here      = read_here && raddr == `TULLE_REG_ERROR_PLACE;
  wire offset_here     = read_here && raddr == `TULLE_REG_ERROR_OFFSET;
  wire watchdog_here   = read_here && raddr == `TULLE_REG_WATCHDOG;
  wire cycles_here_low = read_here && raddr == `TULLE_REG_CYCLES_LOW;
  wire cycles_here_high = read_here && (raddr == `TULLE_REG_CYCLES_HIGH || (record_busy && cycles_here_low));

  always @(posedge clk_i) begin
    if (looks && !status_here)      status_q        <= 32'd0;
    else if (looks)                 status_q        <= {8'd0, queue_q, code_q};
    if (looks && !place_here)       place_q         <= 32'd0;
    else if (looks)                 place_q         <= {8'd0, pe_q, cluster_q, row_q};
    if (looks && !offset_here)      offset_here_q   <= 32'd0;
    else if (looks)                 offset_here_q   <= offset_q;
    if (looks && !watchdog_here)    watchdog_here_q <= 32'd0;
    else if (looks)                 watchdog_here_q <= watchdog_q;
    if (looks && !cycles_here_low)  cycles_low_q    <= 32'd0;
    else if (looks)                 cycles_low_q    <= cycles[31:0];
    if (looks && !cycles_here_high) cycles_high_q   <= 32'd0;
    else if (looks)                 cycles_high_q   <= cycles[63:32];
  end

  always @(posedge clk_i) begin
    if (looks) begin
      look_q          <= look_d;
      argument_here_q <= read_here && raddr[9:8] == 2'b00 && ARGUMENTS[raddr[7:2]];
    end
  end

  // All but one of them are 0, and all but one of those.
  assign looked = look_q | status_q | offset_here_q | watchdog_here_q | cycles_low_q |
                  counter[31:0] | (argument & {32{argument_here_q}});
  assign looked_upper = place_q | cycles_high_q | counter[63:32];

  // -- Read data -----------------------------------------------------------------------------------------

  always @* begin
    look_d = 32'd0;
    case (raddr)
      `TULLE_REG_CONTROL: begin
        look_d[`TULLE_REG_CONTROL_AP_START] = start_q;
        look_d[`TULLE_REG_CONTROL_AP_DONE]  = done_q;
        look_d[`TULLE_REG_CONTROL_AP_IDLE]  = !busy_q;
        look_d[`TULLE_REG_CONTROL_AP_READY] = ready_q;
      end
      `TULLE_REG_INTERRUPT_ENABLE: look_d[`TULLE_REG_INTERRUPT_ENABLE_ENABLE] = enable_q;
      `TULLE_REG_INTERRUPT_MASK:   look_d[1:0] = mask_q;
      `TULLE_REG_INTERRUPT_STATUS: look_d[1:0] = pending_q;
      `TULLE_REG_MAGIC:            look_d = `TULLE_RESET_MAGIC;
      `TULLE_REG_ISA_VERSION:      look_d = `TULLE_RESET_ISA_VERSION;
      `TULLE_REG_VARIANT_LOW:      look_d = `TULLE_RESET_VARIANT_LOW;
      `TULLE_REG_VARIANT_HIGH:     look_d = `TULLE_RESET_VARIANT_HIGH;
      `TULLE_REG_SHAPE:            look_d = `TULLE_RESET_SHAPE;
      `TULLE_REG_WIDTHS:           look_d = `TULLE_RESET_WIDTHS;
      `TULLE_REG_BUSES:            look_d = `TULLE_RESET_BUSES;
      `TULLE_REG_FEATURES:         look_d = `TULLE_RESET_FEATURES;
      default:                   look_d = 32'd0;
    endcase
    if (!read_here) look_d = 32'd0;
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
