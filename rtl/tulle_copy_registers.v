// SPDX-License-Identifier: Apache-2.0
//
// tulle_copy_registers: the registers of the PCIe function (docs/pcie.md, page 0x1000 of BAR0) on AXI4-Lite: the
// function's identity, the position of its memory window, and the copy engine's registers.
//
// An access covers a whole word: a write without all strobes is ignored. Unlisted offsets read 0, and writes to them
// are ignored.
//
// Ports
//   clk_i, rst_ni        clock, synchronous reset
//   function_reset_i     one cycle: return all registers to their reset values
//   aw*, w*, b*, ar*, r* AXI4-Lite subordinate, without protection bits
//   interrupt_o          level: copy_interrupt_status & copy_interrupt_mask is not 0
//   memory_bytes_i, window_bytes_i
//                        bytes of device memory and of the window
//   window_o, window_fault_i
//                        where the window begins; one cycle: an access through it was not wholly in device memory
//   reset_o              one cycle: reset the engine
//   run_o, halted_o, head_o, tail_o, entries_o, ring_o, watchdog_o
//                        the engine's settings (tulle_copy_ring)
//   busy_i, next_i, tell_i, halt_i, code_i, fault_i, fault_address_i
//                        the engine's state (tulle_copy_ring)
//   to_device_i, to_host_i
//                        bytes that a descriptor moved to the device or to the host, in the cycle of next_i; else 0
//
// Latency: a read answers in three cycles, a write in two; there is one of each at a time.

`default_nettype none

module tulle_copy_registers (
  input  wire        clk_i,
  input  wire        rst_ni,
  input  wire        function_reset_i,

  input  wire        awvalid_i,
  output wire        awready_o,
  input  wire [11:0] awaddr_i,
  input  wire        wvalid_i,
  output wire        wready_o,
  input  wire [31:0] wdata_i,
  input  wire [3:0]  wstrb_i,
  output wire        bvalid_o,
  input  wire        bready_i,
  output wire [1:0]  bresp_o,
  input  wire        arvalid_i,
  output wire        arready_o,
  input  wire [11:0] araddr_i,
  output wire        rvalid_o,
  input  wire        rready_i,
  output wire [31:0] rdata_o,
  output wire [1:0]  rresp_o,

  output wire        interrupt_o,
  input  wire [63:0] memory_bytes_i,
  input  wire [63:0] window_bytes_i,
  output wire [63:0] window_o,
  input  wire        window_fault_i,

  output wire        reset_o,
  output wire        run_o,
  output wire        halted_o,
  output wire [31:0] head_o,
  output wire [31:0] tail_o,
  output wire [31:0] entries_o,
  output wire [63:0] ring_o,
  output wire [31:0] watchdog_o,
  input  wire        busy_i,
  input  wire        next_i,
  input  wire        tell_i,
  input  wire        halt_i,
  input  wire [7:0]  code_i,
  input  wire        fault_i,
  input  wire [63:0] fault_address_i,
  input  wire [24:0] to_device_i,
  input  wire [24:0] to_host_i
);

  // Register offsets, in words.
  localparam [9:0] MAGIC            = 10'h000 / 4;
  localparam [9:0] VERSION          = 10'h004 / 4;
  localparam [9:0] FEATURES         = 10'h008 / 4;
  localparam [9:0] MEMORY           = 10'h010 / 4;
  localparam [9:0] WINDOW           = 10'h018 / 4;
  localparam [9:0] WINDOW_BYTES     = 10'h020 / 4;
  localparam [9:0] WINDOW_FAULTS    = 10'h028 / 4;
  localparam [9:0] CONTROL          = 10'h040 / 4;
  localparam [9:0] STATUS           = 10'h044 / 4;
  localparam [9:0] RING             = 10'h048 / 4;
  localparam [9:0] ENTRIES          = 10'h050 / 4;
  localparam [9:0] HEAD             = 10'h054 / 4;
  localparam [9:0] TAIL             = 10'h058 / 4;
  localparam [9:0] INTERRUPT_MASK   = 10'h05C / 4;
  localparam [9:0] INTERRUPT_STATUS = 10'h060 / 4;
  localparam [9:0] DONE             = 10'h064 / 4;
  localparam [9:0] FAULTS           = 10'h068 / 4;
  localparam [9:0] FAULT_ADDRESS    = 10'h070 / 4;
  localparam [9:0] WATCHDOG         = 10'h078 / 4;
  localparam [9:0] TO_DEVICE        = 10'h080 / 4;
  localparam [9:0] TO_HOST          = 10'h088 / 4;

  localparam [31:0] MAGIC_VALUE    = 32'h43495054; // the characters TPIC
  localparam [31:0] VERSION_VALUE  = 32'h00000101;
  localparam [31:0] FEATURES_VALUE = 32'h00000201; // a copy engine and two interrupt vectors
  localparam [31:0] WATCHDOG_VALUE = 32'h01000000; // cycles

  wire reset_n = rst_ni && !function_reset_i;

  // -- AXI4-Lite: writes ---------------------------------------------------------------------------------------------

  reg        awheld_q;
  reg        wheld_q;
  reg        bvalid_q;
  reg [11:0] awaddr_q;
  reg [31:0] wdata_q;
  reg        whole_q; // all strobes are set

  wire       write = awheld_q && wheld_q && !bvalid_q;

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
      whole_q <= wstrb_i == 4'hF;
    end
  end

  assign awready_o = !awheld_q;
  assign wready_o  = !wheld_q;
  assign bvalid_o  = bvalid_q;
  assign bresp_o   = 2'b00;

  wire       writes  = write && whole_q;
  wire [9:0] written = awaddr_q[11:2];

  // -- The window ----------------------------------------------------------------------------------------------------

  reg [63:12] window_q;
  reg [31:0]  window_faults_q;

  always @(posedge clk_i) begin
    if (!reset_n) {window_q, window_faults_q} <= 84'd0;
    else begin
      if (writes && written == WINDOW)          window_q[31:12] <= wdata_q[31:12];
      if (writes && written == (WINDOW | 10'd1)) window_q[63:32] <= wdata_q;
      if (writes && written == WINDOW_FAULTS)   window_faults_q <= 32'd0;
      else                                      window_faults_q <= window_faults_q + {31'd0, window_fault_i};
    end
  end

  assign window_o = {window_q, 12'd0};

  // -- The copy engine -----------------------------------------------------------------------------------------------

  reg        reset_q;
  reg        run_q;
  reg        halted_q;
  reg [7:0]  code_q;
  reg [63:0] ring_q;
  reg [31:0] entries_q;
  reg [15:0] head_q;
  reg [31:0] tail_q;
  reg [1:0]  mask_q;
  reg [1:0]  pending_q;
  reg [31:0] done_q;
  reg [31:0] faults_q;
  reg [63:0] fault_address_q;
  reg [31:0] watchdog_q;
  reg [63:0] to_device_q;
  reg [63:0] to_host_q;

  wire        write_control = writes && written == CONTROL;
  wire        still         = !run_q && !busy_i; // the ring must not move while the engine runs
  wire [1:0]  cleared       = (writes && written == INTERRUPT_STATUS) ? wdata_q[1:0] : 2'd0;
  wire [15:0] last          = entries_q[15:0] - 16'd1;

  // The reset comes a cycle later, so that it also clears the engine's outputs of this cycle.
  always @(posedge clk_i) reset_q <= rst_ni && (function_reset_i || (write_control && wdata_q[1]));

  always @(posedge clk_i) begin
    if (!rst_ni || reset_q) begin
      {run_q, halted_q, code_q, ring_q, entries_q, head_q, tail_q, mask_q, pending_q, done_q, faults_q,
       fault_address_q} <= 286'd0;
      watchdog_q  <= WATCHDOG_VALUE;
      {to_device_q, to_host_q} <= 128'd0;
    end else begin
      if (write_control)                                       run_q <= wdata_q[0];
      if (writes && still && written == RING)                  ring_q[31:0] <= wdata_q;
      if (writes && still && written == (RING | 10'd1))        ring_q[63:32] <= wdata_q;
      if (writes && still && written == ENTRIES)               entries_q <= wdata_q;
      if (writes && written == TAIL)                           tail_q <= wdata_q;
      if (writes && written == INTERRUPT_MASK)                 mask_q <= wdata_q[1:0];
      if (writes && written == WATCHDOG)                       watchdog_q <= wdata_q;
      pending_q   <= (pending_q & ~cleared) | {halt_i, tell_i};
      halted_q    <= halted_q || halt_i;
      if (halt_i)  code_q <= code_i;
      if (next_i)  head_q <= (head_q + 16'd1) & last;
      done_q      <= done_q + {31'd0, next_i};
      faults_q    <= faults_q + {31'd0, fault_i};
      if (fault_i) fault_address_q <= fault_address_i;
      to_device_q <= to_device_q + {39'd0, to_device_i};
      to_host_q   <= to_host_q + {39'd0, to_host_i};
    end
  end

  assign reset_o     = reset_q;
  assign run_o       = run_q && !reset_q;
  assign halted_o    = halted_q;
  assign head_o      = {16'd0, head_q};
  assign tail_o      = tail_q;
  assign entries_o   = entries_q;
  assign ring_o      = ring_q;
  assign watchdog_o  = watchdog_q;
  assign interrupt_o = (pending_q & mask_q) != 2'd0;

  // -- AXI4-Lite: reads ----------------------------------------------------------------------------------------------

  reg         arheld_q;
  reg         rvalid_q;
  reg  [11:0] araddr_q;
  reg  [31:0] rdata_q;
  reg  [31:0] word;
  wire        busy = busy_i || (run_q && !halted_q && {16'd0, head_q} != tail_q);

  // A read waits for a pending write, which may concern the same register.
  wire        read = arheld_q && !rvalid_q && !write && !reset_q;

  always @* begin
    case (araddr_q[11:2])
      MAGIC:                 word = MAGIC_VALUE;
      VERSION:               word = VERSION_VALUE;
      FEATURES:              word = FEATURES_VALUE;
      MEMORY:                word = memory_bytes_i[31:0];
      MEMORY | 10'd1:        word = memory_bytes_i[63:32];
      WINDOW:                word = window_o[31:0];
      WINDOW | 10'd1:        word = window_o[63:32];
      WINDOW_BYTES:          word = window_bytes_i[31:0];
      WINDOW_BYTES | 10'd1:  word = window_bytes_i[63:32];
      WINDOW_FAULTS:         word = window_faults_q;
      CONTROL:               word = {31'd0, run_q};
      STATUS:                word = {16'd0, code_q, 6'd0, halted_q, busy};
      RING:                  word = ring_q[31:0];
      RING | 10'd1:          word = ring_q[63:32];
      ENTRIES:               word = entries_q;
      HEAD:                  word = {16'd0, head_q};
      TAIL:                  word = tail_q;
      INTERRUPT_MASK:        word = {30'd0, mask_q};
      INTERRUPT_STATUS:      word = {30'd0, pending_q};
      DONE:                  word = done_q;
      FAULTS:                word = faults_q;
      FAULT_ADDRESS:         word = fault_address_q[31:0];
      FAULT_ADDRESS | 10'd1: word = fault_address_q[63:32];
      WATCHDOG:              word = watchdog_q;
      TO_DEVICE:             word = to_device_q[31:0];
      TO_DEVICE | 10'd1:     word = to_device_q[63:32];
      TO_HOST:               word = to_host_q[31:0];
      TO_HOST | 10'd1:       word = to_host_q[63:32];
      default:               word = 32'd0;
    endcase
  end

  always @(posedge clk_i) begin
    if (!rst_ni) {arheld_q, rvalid_q} <= 2'd0;
    else begin
      arheld_q <= arheld_q ? !read : arvalid_i;
      rvalid_q <= rvalid_q ? !rready_i : read;
    end
  end

  always @(posedge clk_i) begin
    if (!arheld_q) araddr_q <= araddr_i;
    if (read) rdata_q <= word;
  end

  assign arready_o = !arheld_q;
  assign rvalid_o  = rvalid_q;
  assign rdata_o   = rdata_q;
  assign rresp_o   = 2'b00;

  wire unused = &{1'b0, awaddr_q[1:0], araddr_q[1:0]};

endmodule

`default_nettype wire
