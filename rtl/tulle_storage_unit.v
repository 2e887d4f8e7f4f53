// SPDX-License-Identifier: Apache-2.0
//
// tulle_storage_unit: the memory of a row between the load engine and the distribution unit. It has banks of 64 bits,
// so that as many granules of 8 bytes as there are banks can be written in a cycle, at any granule address.
//
// Ports
//   clk_i                    clock
//   write_i                  a write to this row
//   write_enable_i           bit b: bank b is written
//   write_word_i             for each bank, the word to write
//   write_data_i             for each bank, the granule
//   enable_i                 0: the read pipeline stops, and data_o stays
//   read_i, read_address_i   read of a row-bus beat; the address is in beats
//   data_o                   the beat read, two cycles with enable_i later; it stays until the next read's data
//
// Parameters
//   UNIT_BYTES               bytes of the unit
//   BANKS                    banks: a power of two, at least BUS / 64; granule g is in bank g mod BANKS
//   BUS                      bits of a beat of the row bus
//
// Latency: a read sees a write from two cycles before. A read and a write a cycle.
// Limits: reading a granule in the cycle after its write_i is undefined; programs avoid it with tokens. There is no
// reset.

`default_nettype none

module tulle_storage_unit #(
  parameter UNIT_BYTES = 65536,
  parameter BANKS      = 8,
  parameter BUS        = 256
) (
  input  wire                                 clk_i,

  input  wire                                 write_i,
  input  wire [BANKS-1:0]                     write_enable_i,
  input  wire [BANKS*$clog2(UNIT_BYTES/8/BANKS)-1:0] write_word_i,
  input  wire [BANKS*64-1:0]                  write_data_i,

  input  wire                                 enable_i,
  input  wire                                 read_i,
  input  wire [$clog2(UNIT_BYTES*8/BUS)-1:0]  read_address_i,
  output wire [BUS-1:0]                       data_o
);

  localparam WORDS  = UNIT_BYTES / 8 / BANKS;
  localparam WORD   = $clog2(WORDS);
  localparam LANES  = BUS / 64;      // granules of a beat
  localparam GROUPS = BANKS / LANES; // beats that the banks hold side by side
  localparam GROUP  = $clog2(GROUPS);
  localparam PICK   = (GROUPS > 1) ? GROUP : 1;

  tulle_require #(
    .LEGAL   (BUS == 64 || BUS == 128 || BUS == 256 || BUS == 512),
    .MESSAGE ("tulle_storage_unit: BUS must be 64, 128, 256 or 512")
  ) u_require_bus_64_128_256_or_512 ();

  tulle_require #(
    .LEGAL   (BANKS == 1 << $clog2(BANKS) && BANKS >= LANES && UNIT_BYTES == 1 << $clog2(UNIT_BYTES) && WORDS >= 2),
    .MESSAGE ("tulle_storage_unit: BANKS must be a power of two from BUS / 64, UNIT_BYTES one from 16 x BANKS")
  ) u_require_banks_and_unit_bytes_powers_of_two ();

  // The banks are spread over the chip, so a register precedes them.
  reg  [BANKS-1:0]      enable_q;
  reg  [BANKS*WORD-1:0] word_q;
  reg  [BANKS*64-1:0]   written_q;

  always @(posedge clk_i) begin
    enable_q  <= write_i ? write_enable_i : {BANKS{1'b0}};
    word_q    <= write_word_i;
    written_q <= write_data_i;
  end

  wire [PICK-1:0]     pick; // group of banks
  wire [BANKS*64-1:0] words;
  wire [WORD-1:0]     word = read_address_i[GROUP +: WORD];

  generate
    if (GROUPS > 1) begin : gen_groups
      assign pick = read_address_i[GROUP-1:0];
    end else begin : gen_one_group
      assign pick = 1'b0;
    end
  endgenerate

  genvar b;
  generate
    for (b = 0; b < BANKS; b = b + 1) begin : gen_bank
      localparam HERE = b / LANES;

      tulle_block_ram #(
        .WIDTH (64),
        .DEPTH (WORDS),
        .RACES (1)
      ) u_bank (
        .clk_i   (clk_i),
        .we_i    (enable_q[b]),
        .waddr_i (word_q[b*WORD +: WORD]),
        .wdata_i (written_q[b*64 +: 64]),
        .re_i    (enable_i && read_i && pick == HERE[PICK-1:0]),
        .raddr_i (word),
        .rdata_o (words[b*64 +: 64])
      );
    end
  endgenerate

  reg            read_q;
  reg [PICK-1:0] pick_q;
  reg [BUS-1:0]  data_q;

  always @(posedge clk_i) begin
    if (enable_i) begin
      read_q <= read_i;
      pick_q <= pick;
      if (read_q) data_q <= words[pick_q*BUS +: BUS];
    end
  end

  assign data_o = data_q;

endmodule

`default_nettype wire
