// SPDX-License-Identifier: Apache-2.0
//
// tulle_ulx3s: a device on the board ULX3S with an ECP5 (LFE5U-85F), behind the board's USB serial line. Not yet run on
// hardware.
//
// Ports: the board's pins, by the names that its makers give them, as in pins.lpf
//   clk_25mhz      oscillator
//   ftdi_txd       what the USB chip sends
//   ftdi_rxd       what it receives
//   led            0: a job runs or its interrupt is pending; 1: the clock is locked; others: dark
//   wifi_gpio0     high: the board's other processor leaves the FPGA alone
//
// Parameters
//   MEM, BYTES     as of tulle_serial_board
//   CLOCK_HZ       of the device: 25 MHz x CLOCK_BY / CLOCK_FROM
//   CLOCK_FROM     the oscillator is divided by this before it is compared, 1..16
//   CLOCK_BY       and multiplied by this, 1..32
//   CLOCK_OUT      the PLL's own clock, 400 to 800 MHz, is this times CLOCK_HZ
//   BAUD           bits a second of the line

`default_nettype none

module tulle_ulx3s #(
  parameter MEM        = 64,
  parameter BYTES      = 131072,
  parameter CLOCK_HZ   = 25000000,
  parameter CLOCK_FROM = 1,
  parameter CLOCK_BY   = 1,
  parameter CLOCK_OUT  = 24,
  parameter BAUD       = 1000000
) (
  input  wire       clk_25mhz,
  input  wire       ftdi_txd,
  output wire       ftdi_rxd,
  output wire [7:0] led,
  output wire       wifi_gpio0
);

  tulle_require #(
    .LEGAL   (CLOCK_HZ * CLOCK_FROM == 25000000 * CLOCK_BY && CLOCK_OUT * (CLOCK_HZ / 1000) >= 400000 &&
              CLOCK_OUT * (CLOCK_HZ / 1000) <= 800000),
    .MESSAGE ("tulle_ulx3s: CLOCK_HZ must be 25 MHz x CLOCK_BY / CLOCK_FROM, and CLOCK_OUT times that 400 to 800 MHz")
  ) u_require_a_clock_of_the_pll ();

  wire clk;
  wire locked;

  (* FREQUENCY_PIN_CLKI = "25" *)
  EHXPLLL #(
    .PLLRST_ENA       ("DISABLED"),
    .INTFB_WAKE       ("DISABLED"),
    .STDBY_ENABLE     ("DISABLED"),
    .DPHASE_SOURCE    ("DISABLED"),
    .OUTDIVIDER_MUXA  ("DIVA"),
    .OUTDIVIDER_MUXB  ("DIVB"),
    .OUTDIVIDER_MUXC  ("DIVC"),
    .OUTDIVIDER_MUXD  ("DIVD"),
    .CLKI_DIV         (CLOCK_FROM),
    .CLKOP_ENABLE     ("ENABLED"),
    .CLKOP_DIV        (CLOCK_OUT),
    .CLKOP_CPHASE     (CLOCK_OUT - 1),
    .CLKOP_FPHASE     (0),
    .FEEDBK_PATH      ("CLKOP"),
    .CLKFB_DIV        (CLOCK_BY)
  ) u_pll (
    .RST          (1'b0),
    .STDBY        (1'b0),
    .CLKI         (clk_25mhz),
    .CLKOP        (clk),
    .CLKFB        (clk),
    .CLKINTFB     (),
    .PHASESEL0    (1'b0),
    .PHASESEL1    (1'b0),
    .PHASEDIR     (1'b1),
    .PHASESTEP    (1'b1),
    .PHASELOADREG (1'b1),
    .PLLWAKESYNC  (1'b0),
    .ENCLKOP      (1'b0),
    .LOCK         (locked)
  );

  // Reset until the clock has been locked for 256 cycles.
  reg [8:0] wait_q = 9'd0;

  always @(posedge clk or negedge locked) begin
    if (!locked) wait_q <= 9'd0;
    else if (!wait_q[8]) wait_q <= wait_q + 9'd1;
  end

  wire busy;

  tulle_serial_board #(
    .MEM      (MEM),
    .BYTES    (BYTES),
    .CLOCK_HZ (CLOCK_HZ),
    .BAUD     (BAUD)
  ) u_board (
    .clk_i  (clk),
    .rst_ni (wait_q[8]),
    .rx_i   (ftdi_txd),
    .tx_o   (ftdi_rxd),
    .busy_o (busy)
  );

  assign led        = {6'd0, locked, busy};
  assign wifi_gpio0 = 1'b1;

endmodule

`default_nettype wire
