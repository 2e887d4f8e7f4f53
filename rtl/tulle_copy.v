// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy: the copy engine of docs/pcie.md: its registers, its descriptor ring, and two AXI4 masters, one for host
// memory and one for device memory.
//
// The engine has a memory port of its own, so jobs, their soft resets and their errors do not affect it. The
// interconnect arbitrates between the ports. The engine's own reset (copy_control, or the reset of the function)
// discards the outstanding bursts of both ports, like a soft reset of jobs (tulle_burst_id).
//
// Ports
//   clk_i, rst_ni         clock, synchronous reset
//   function_reset_i, memory_bytes_i, window_*, interrupt_o, aw*, w*, b*, ar*, r*
//                         tulle_copy_registers
//   master_i              host memory may be accessed
//   host_*                AXI4 master for host memory
//   mem_*                 AXI4 master for device memory
//
// Parameters
//   MEM                   bits of a beat of both masters, 64 to 512
//   BURST                 maximum bytes of a burst
//   DEPTH                 beats of the queue between the masters, at least two bursts; a deeper queue hides more
//                         latency
//   OUTSTANDING           maximum number of outstanding bursts of each master and direction
//
// Latency: see tulle_copy_ring and tulle_copy_move.

`default_nettype none

module tulle_copy #(
  parameter MEM         = 512,
  parameter BURST       = 1024,
  parameter DEPTH       = 512,
  parameter OUTSTANDING = 32
) (
  input  wire             clk_i,
  input  wire             rst_ni,

  input  wire             function_reset_i,
  input  wire             master_i,
  input  wire [63:0]      memory_bytes_i,
  input  wire [63:0]      window_bytes_i,
  output wire [63:0]      window_o,
  input  wire             window_fault_i,
  output wire             interrupt_o,

  input  wire             awvalid_i,
  output wire             awready_o,
  input  wire [11:0]      awaddr_i,
  input  wire             wvalid_i,
  output wire             wready_o,
  input  wire [31:0]      wdata_i,
  input  wire [3:0]       wstrb_i,
  output wire             bvalid_o,
  input  wire             bready_i,
  output wire [1:0]       bresp_o,
  input  wire             arvalid_i,
  output wire             arready_o,
  input  wire [11:0]      araddr_i,
  output wire             rvalid_o,
  input  wire             rready_i,
  output wire [31:0]      rdata_o,
  output wire [1:0]       rresp_o,

  output wire             host_awvalid_o,
  input  wire             host_awready_i,
  output wire [1:0]       host_awid_o,
  output wire [63:0]      host_awaddr_o,
  output wire [7:0]       host_awlen_o,
  output wire [2:0]       host_awsize_o,
  output wire [1:0]       host_awburst_o,
  output wire             host_wvalid_o,
  input  wire             host_wready_i,
  output wire [MEM-1:0]   host_wdata_o,
  output wire [MEM/8-1:0] host_wstrb_o,
  output wire             host_wlast_o,
  input  wire             host_bvalid_i,
  output wire             host_bready_o,
  input  wire [1:0]       host_bid_i,
  input  wire [1:0]       host_bresp_i,
  output wire             host_arvalid_o,
  input  wire             host_arready_i,
  output wire [1:0]       host_arid_o,
  output wire [63:0]      host_araddr_o,
  output wire [7:0]       host_arlen_o,
  output wire [2:0]       host_arsize_o,
  output wire [1:0]       host_arburst_o,
  input  wire             host_rvalid_i,
  output wire             host_rready_o,
  input  wire [1:0]       host_rid_i,
  input  wire [MEM-1:0]   host_rdata_i,
  input  wire [1:0]       host_rresp_i,
  input  wire             host_rlast_i,

  output wire             mem_awvalid_o,
  input  wire             mem_awready_i,
  output wire [1:0]       mem_awid_o,
  output wire [63:0]      mem_awaddr_o,
  output wire [7:0]       mem_awlen_o,
  output wire [2:0]       mem_awsize_o,
  output wire [1:0]       mem_awburst_o,
  output wire             mem_wvalid_o,
  input  wire             mem_wready_i,
  output wire [MEM-1:0]   mem_wdata_o,
  output wire [MEM/8-1:0] mem_wstrb_o,
  output wire             mem_wlast_o,
  input  wire             mem_bvalid_i,
  output wire             mem_bready_o,
  input  wire [1:0]       mem_bid_i,
  input  wire [1:0]       mem_bresp_i,
  output wire             mem_arvalid_o,
  input  wire             mem_arready_i,
  output wire [1:0]       mem_arid_o,
  output wire [63:0]      mem_araddr_o,
  output wire [7:0]       mem_arlen_o,
  output wire [2:0]       mem_arsize_o,
  output wire [1:0]       mem_arburst_o,
  input  wire             mem_rvalid_i,
  output wire             mem_rready_o,
  input  wire [1:0]       mem_rid_i,
  input  wire [MEM-1:0]   mem_rdata_i,
  input  wire [1:0]       mem_rresp_i,
  input  wire             mem_rlast_i
);

  // -- Registers -----------------------------------------------------------------------------------------------------

  wire        reset;
  wire        run_n = rst_ni && !reset;
  wire        run;
  wire        halted;
  wire [31:0] head;
  wire [31:0] tail;
  wire [31:0] entries;
  wire [63:0] ring;
  wire [31:0] watchdog;
  wire        busy;
  wire        next;
  wire        tell;
  wire        halt;
  wire [7:0]  code;
  wire        fault;
  wire [63:0] fault_address;

  wire        to_host;
  wire        done;
  wire [24:0] moved;

  tulle_copy_registers u_registers (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .function_reset_i (function_reset_i),
    .awvalid_i        (awvalid_i),
    .awready_o        (awready_o),
    .awaddr_i         (awaddr_i),
    .wvalid_i         (wvalid_i),
    .wready_o         (wready_o),
    .wdata_i          (wdata_i),
    .wstrb_i          (wstrb_i),
    .bvalid_o         (bvalid_o),
    .bready_i         (bready_i),
    .bresp_o          (bresp_o),
    .arvalid_i        (arvalid_i),
    .arready_o        (arready_o),
    .araddr_i         (araddr_i),
    .rvalid_o         (rvalid_o),
    .rready_i         (rready_i),
    .rdata_o          (rdata_o),
    .rresp_o          (rresp_o),
    .interrupt_o      (interrupt_o),
    .memory_bytes_i   (memory_bytes_i),
    .window_bytes_i   (window_bytes_i),
    .window_o         (window_o),
    .window_fault_i   (window_fault_i),
    .reset_o          (reset),
    .run_o            (run),
    .halted_o         (halted),
    .head_o           (head),
    .tail_o           (tail),
    .entries_o        (entries),
    .ring_o           (ring),
    .watchdog_o       (watchdog),
    .busy_i           (busy),
    .next_i           (next),
    .tell_i           (tell),
    .halt_i           (halt),
    .code_i           (code),
    .fault_i          (fault),
    .fault_address_i  (fault_address),
    .to_device_i      ((done && !to_host) ? moved : 25'd0),
    .to_host_i        ((done && to_host) ? moved : 25'd0)
  );

  // -- Ring ----------------------------------------------------------------------------------------------------------

  localparam WORDS = MEM / 64;

  wire             start;
  wire [63:0]      host_address;
  wire [63:0]      device_address;
  wire [24:0]      bytes;
  wire             give_up;
  wire [1:0]       from_error;
  wire [1:0]       to_error;
  wire [63:0]      moving_fault;
  wire             to_waits;
  wire             flush_ring;
  wire             fetches;
  wire             fetch_valid;
  wire [63:0]      fetch_address;
  wire [7:0]       fetch_beats;
  wire             writes;
  wire             status_valid;
  wire [63:0]      status_address;
  wire             word_valid;
  wire [63:0]      word;
  wire [MEM/8-1:0] word_strobe;
  reg              progress_q;

  // Outputs of the ports of host and device memory.
  wire             host_request_ready;
  wire             host_data_valid;
  wire [MEM-1:0]   host_data;
  wire             host_data_last;
  wire [1:0]       host_data_error;
  wire             host_burst_ready;
  wire             host_out_ready;
  wire             host_response;
  wire [1:0]       host_response_error;
  wire             mem_request_ready;
  wire             mem_data_valid;
  wire [MEM-1:0]   mem_data;
  wire             mem_data_last;
  wire [1:0]       mem_data_error;
  wire             mem_burst_ready;
  wire             mem_out_ready;
  wire             mem_response;
  wire [1:0]       mem_response_error;

  tulle_copy_ring #(
    .MEM (MEM)
  ) u_ring (
    .clk_i             (clk_i),
    .rst_ni            (run_n),
    .run_i             (run),
    .halted_i          (halted),
    .head_i            (head),
    .tail_i            (tail),
    .entries_i         (entries),
    .ring_i            (ring),
    .master_i          (master_i),
    .memory_bytes_i    (memory_bytes_i),
    .watchdog_i        (watchdog),
    .busy_o            (busy),
    .next_o            (next),
    .tell_o            (tell),
    .halt_o            (halt),
    .code_o            (code),
    .fault_o           (fault),
    .fault_address_o   (fault_address),
    .to_host_o         (to_host),
    .start_o           (start),
    .host_o            (host_address),
    .device_o          (device_address),
    .bytes_o           (bytes),
    .give_up_o         (give_up),
    .done_i            (done),
    .moved_i           (moved),
    .host_error_i      (to_host ? to_error : from_error),
    .device_error_i    (to_host ? from_error : to_error),
    .moving_fault_i    (moving_fault),
    .late_host_i       (to_waits == to_host),
    .progress_i        (progress_q),
    .flush_o           (flush_ring),
    .fetches_o         (fetches),
    .request_valid_o   (fetch_valid),
    .request_ready_i   (host_request_ready),
    .request_address_o (fetch_address),
    .request_beats_o   (fetch_beats),
    .data_valid_i      (host_data_valid),
    .data_i            (host_data),
    .data_last_i       (host_data_last),
    .data_error_i      (host_data_error),
    .writes_o          (writes),
    .burst_valid_o     (status_valid),
    .burst_ready_i     (host_burst_ready),
    .burst_address_o   (status_address),
    .word_valid_o      (word_valid),
    .word_ready_i      (host_out_ready),
    .word_o            (word),
    .word_strobe_o     (word_strobe),
    .response_valid_i  (host_response),
    .response_error_i  (host_response_error)
  );

  // -- Moving --------------------------------------------------------------------------------------------------------

  wire             flush_from;
  wire             flush_to;
  wire             read_valid;
  wire [63:0]      read_address;
  wire [7:0]       read_beats;
  wire             burst_valid;
  wire [63:0]      burst_address;
  wire [7:0]       burst_beats;
  wire             out_valid;
  wire [MEM-1:0]   out_data;
  wire [MEM/8-1:0] out_strobe;

  tulle_copy_move #(
    .MEM         (MEM),
    .BURST       (BURST),
    .DEPTH       (DEPTH),
    .OUTSTANDING (OUTSTANDING),
    .COUNT       (25)
  ) u_move (
    .clk_i             (clk_i),
    .rst_ni            (run_n),
    .start_i           (start),
    .from_i            (to_host ? device_address : host_address),
    .to_i              (to_host ? host_address : device_address),
    .bytes_i           (bytes),
    .give_up_i         (give_up),
    .done_o            (done),
    .moved_o           (moved),
    .from_error_o      (from_error),
    .to_error_o        (to_error),
    .fault_o           (moving_fault),
    .to_waits_o        (to_waits),
    .flush_from_o      (flush_from),
    .flush_to_o        (flush_to),
    .request_valid_o   (read_valid),
    .request_ready_i   (to_host ? mem_request_ready : host_request_ready),
    .request_address_o (read_address),
    .request_beats_o   (read_beats),
    .data_valid_i      (to_host ? mem_data_valid : host_data_valid),
    .data_i            (to_host ? mem_data : host_data),
    .data_last_i       (to_host ? mem_data_last : host_data_last),
    .data_error_i      (to_host ? mem_data_error : host_data_error),
    .burst_valid_o     (burst_valid),
    .burst_ready_i     (to_host ? host_burst_ready : mem_burst_ready),
    .burst_address_o   (burst_address),
    .burst_beats_o     (burst_beats),
    .out_valid_o       (out_valid),
    .out_ready_i       (to_host ? host_out_ready : mem_out_ready),
    .out_data_o        (out_data),
    .out_strobe_o      (out_strobe),
    .response_valid_i  (to_host ? host_response : mem_response),
    .response_error_i  (to_host ? host_response_error : mem_response_error)
  );

  // Both ports select the status word here, where the multiplexer costs no LUTs.
  wire [MEM-1:0] beat = writes ? {WORDS{word}} : out_data;

  // -- Ports ---------------------------------------------------------------------------------------------------------

  wire [3:0] beats; // a beat moved, for each port and direction
  wire [3:0] unused_idle;

  always @(posedge clk_i) progress_q <= beats != 4'd0 || host_response || mem_response;

  tulle_read_port #(
    .MEM         (MEM),
    .OUTSTANDING (OUTSTANDING),
    .CLIENTS     (1)
  ) u_host_read (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .flush_i           (reset || flush_ring || (flush_from && !to_host)),
    .abort_i           (1'b0),
    .request_valid_i   (fetches ? fetch_valid : read_valid && !to_host),
    .request_ready_o   (host_request_ready),
    .request_address_i (fetches ? fetch_address : read_address),
    .request_beats_i   (fetches ? fetch_beats : read_beats),
    .data_valid_o      (host_data_valid),
    .data_o            (host_data),
    .data_last_o       (host_data_last),
    .data_error_o      (host_data_error),
    .local_valid_i     (1'b0),
    .local_data_i      ({MEM{1'b0}}),
    .local_last_i      (1'b0),
    .hold_i            (1'b0),
    .beat_o            (beats[0]),
    .idle_o            (unused_idle[0]),
    .axi_arvalid_o     (host_arvalid_o),
    .axi_arready_i     (host_arready_i),
    .axi_arid_o        (host_arid_o),
    .axi_araddr_o      (host_araddr_o),
    .axi_arlen_o       (host_arlen_o),
    .axi_arsize_o      (host_arsize_o),
    .axi_arburst_o     (host_arburst_o),
    .axi_rvalid_i      (host_rvalid_i),
    .axi_rready_o      (host_rready_o),
    .axi_rid_i         (host_rid_i),
    .axi_rdata_i       (host_rdata_i),
    .axi_rresp_i       (host_rresp_i),
    .axi_rlast_i       (host_rlast_i)
  );

  tulle_write_port #(
    .MEM         (MEM),
    .OUTSTANDING (OUTSTANDING),
    .CLIENTS     (1)
  ) u_host_write (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .flush_i          (reset || flush_ring || (flush_to && to_host)),
    .abort_i          (1'b0),
    .burst_valid_i    (writes ? status_valid : burst_valid && to_host),
    .burst_ready_o    (host_burst_ready),
    .burst_address_i  (writes ? status_address : burst_address),
    .burst_beats_i    (writes ? 8'd0 : burst_beats),
    .data_valid_i     (writes ? word_valid : out_valid && to_host),
    .data_ready_o     (host_out_ready),
    .data_i           (beat),
    .strobe_i         (writes ? word_strobe : out_strobe),
    .response_valid_o (host_response),
    .response_error_o (host_response_error),
    .beat_o           (beats[1]),
    .idle_o           (unused_idle[1]),
    .axi_awvalid_o    (host_awvalid_o),
    .axi_awready_i    (host_awready_i),
    .axi_awid_o       (host_awid_o),
    .axi_awaddr_o     (host_awaddr_o),
    .axi_awlen_o      (host_awlen_o),
    .axi_awsize_o     (host_awsize_o),
    .axi_awburst_o    (host_awburst_o),
    .axi_wvalid_o     (host_wvalid_o),
    .axi_wready_i     (host_wready_i),
    .axi_wdata_o      (host_wdata_o),
    .axi_wstrb_o      (host_wstrb_o),
    .axi_wlast_o      (host_wlast_o),
    .axi_bvalid_i     (host_bvalid_i),
    .axi_bready_o     (host_bready_o),
    .axi_bid_i        (host_bid_i),
    .axi_bresp_i      (host_bresp_i)
  );

  tulle_read_port #(
    .MEM         (MEM),
    .OUTSTANDING (OUTSTANDING),
    .CLIENTS     (1)
  ) u_mem_read (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .flush_i           (reset || (flush_from && to_host)),
    .abort_i           (1'b0),
    .request_valid_i   (read_valid && to_host),
    .request_ready_o   (mem_request_ready),
    .request_address_i (read_address),
    .request_beats_i   (read_beats),
    .data_valid_o      (mem_data_valid),
    .data_o            (mem_data),
    .data_last_o       (mem_data_last),
    .data_error_o      (mem_data_error),
    .local_valid_i     (1'b0),
    .local_data_i      ({MEM{1'b0}}),
    .local_last_i      (1'b0),
    .hold_i            (1'b0),
    .beat_o            (beats[2]),
    .idle_o            (unused_idle[2]),
    .axi_arvalid_o     (mem_arvalid_o),
    .axi_arready_i     (mem_arready_i),
    .axi_arid_o        (mem_arid_o),
    .axi_araddr_o      (mem_araddr_o),
    .axi_arlen_o       (mem_arlen_o),
    .axi_arsize_o      (mem_arsize_o),
    .axi_arburst_o     (mem_arburst_o),
    .axi_rvalid_i      (mem_rvalid_i),
    .axi_rready_o      (mem_rready_o),
    .axi_rid_i         (mem_rid_i),
    .axi_rdata_i       (mem_rdata_i),
    .axi_rresp_i       (mem_rresp_i),
    .axi_rlast_i       (mem_rlast_i)
  );

  tulle_write_port #(
    .MEM         (MEM),
    .OUTSTANDING (OUTSTANDING),
    .CLIENTS     (1)
  ) u_mem_write (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .flush_i          (reset || (flush_to && !to_host)),
    .abort_i          (1'b0),
    .burst_valid_i    (burst_valid && !to_host),
    .burst_ready_o    (mem_burst_ready),
    .burst_address_i  (burst_address),
    .burst_beats_i    (burst_beats),
    .data_valid_i     (out_valid && !to_host),
    .data_ready_o     (mem_out_ready),
    .data_i           (beat),
    .strobe_i         (out_strobe),
    .response_valid_o (mem_response),
    .response_error_o (mem_response_error),
    .beat_o           (beats[3]),
    .idle_o           (unused_idle[3]),
    .axi_awvalid_o    (mem_awvalid_o),
    .axi_awready_i    (mem_awready_i),
    .axi_awid_o       (mem_awid_o),
    .axi_awaddr_o     (mem_awaddr_o),
    .axi_awlen_o      (mem_awlen_o),
    .axi_awsize_o     (mem_awsize_o),
    .axi_awburst_o    (mem_awburst_o),
    .axi_wvalid_o     (mem_wvalid_o),
    .axi_wready_i     (mem_wready_i),
    .axi_wdata_o      (mem_wdata_o),
    .axi_wstrb_o      (mem_wstrb_o),
    .axi_wlast_o      (mem_wlast_o),
    .axi_bvalid_i     (mem_bvalid_i),
    .axi_bready_o     (mem_bready_o),
    .axi_bid_i        (mem_bid_i),
    .axi_bresp_i      (mem_bresp_i)
  );

endmodule

`default_nettype wire
