// SPDX-License-Identifier: Apache-2.0
//
// tulle_product: a signed product that is wider than a DSP block, built from registered products of 18 x 27 bits or
// less and registered sums.
//
// Ports
//   clk_i, enable_i    clock; 0 stops the pipeline
//   a_i, b_i           signed factors; both must come from registers that stop with enable_i, which a DSP block
//                      absorbs
//   half_i             1: adds a unit at bit HALF_BIT; must be stable while a product is in the pipeline
//   product_o          a_i * b_i + half_i * 2^HALF_BIT, exact
//
// Parameters
//   A_WIDTH            24..64
//   B_WIDTH            17, or 25..48
//   HALF_BIT           0..14
//
// Factor a is cut into LIMBS of 17 bits: 2 up to A_WIDTH 35, 3 up to 52, 4 above. With B_WIDTH above 24 each limb
// takes two DSP blocks, with B_WIDTH 17 one (as synthesis cuts it).

`default_nettype none

module tulle_product #(
  parameter A_WIDTH  = 32,
  parameter B_WIDTH  = 47,
  parameter HALF_BIT = 14
) (
  input  wire                       clk_i,
  input  wire                       enable_i,
  input  wire [A_WIDTH-1:0]         a_i,
  input  wire [B_WIDTH-1:0]         b_i,
  input  wire                       half_i,
  output wire [A_WIDTH+B_WIDTH-1:0] product_o
);

  localparam WIDTH = A_WIDTH + B_WIDTH;

  tulle_require #(
    .LEGAL   (A_WIDTH >= 24 && A_WIDTH <= 64),
    .MESSAGE ("tulle_product: A_WIDTH must be 24..64")
  ) u_require_a_width_24_to_64 ();

  tulle_require #(
    .LEGAL   (B_WIDTH == 17 || (B_WIDTH >= 25 && B_WIDTH <= 48)),
    .MESSAGE ("tulle_product: B_WIDTH must be 17 or 25..48")
  ) u_require_b_width_17_or_25_to_48 ();

  tulle_require #(
    .LEGAL   (HALF_BIT >= 0 && HALF_BIT <= 14),
    .MESSAGE ("tulle_product: HALF_BIT must be 0..14")
  ) u_require_half_bit_0_to_14 ();

  reg [WIDTH-1:HALF_BIT] upper_q; // the product's upper bits; the lower bits are in lower_q
  wire [WIDTH-1:0]       rows;    // the product without the half unit and without the sums above bit 16

  genvar i;

  generate
    if (B_WIDTH == 17) begin : gen_narrow
      reg signed [WIDTH-1:0] whole_q;

      always @(posedge clk_i) begin
        if (enable_i) begin
          whole_q <= $signed(a_i) * $signed(b_i);
          upper_q <= whole_q[WIDTH-1:HALF_BIT] + {{WIDTH-HALF_BIT-1{1'b0}}, half_i};
        end
      end

      assign rows = whole_q;
      wire unused_rows = &{1'b0, rows};
    end else begin : gen_wide
      localparam LIMB  = 17;
      localparam LIMBS = (A_WIDTH <= 2*LIMB + 1) ? 2 : (A_WIDTH <= 3*LIMB + 1) ? 3 : 4;
      localparam B_LOW = 24;
      localparam B_HIGH = B_WIDTH - B_LOW;

      wire signed [B_LOW:0]    b_low  = {1'b0, b_i[B_LOW-1:0]};
      wire signed [B_HIGH-1:0] b_high = b_i[B_WIDTH-1:B_LOW];

      for (i = 0; i < LIMBS; i = i + 1) begin : gen_limb
        // All limbs except the last are unsigned.
        localparam LAST = i == LIMBS - 1;
        localparam BITS = LAST ? A_WIDTH - i*LIMB : LIMB + 1;
        wire signed [BITS-1:0] limb;
        if (LAST) begin : gen_last
          assign limb = a_i[A_WIDTH-1:i*LIMB];
        end else begin : gen_inner
          assign limb = {1'b0, a_i[i*LIMB +: LIMB]};
        end

        reg signed [BITS+B_LOW:0]    low_q;
        reg signed [BITS+B_HIGH-1:0] high_q;

        always @(posedge clk_i) begin
          if (enable_i) begin
            low_q  <= limb * b_low;
            high_q <= limb * b_high;
          end
        end

        // The weight is 2^(i * LIMB), times 2^B_LOW for high.
        wire [WIDTH-1:0] low  = {{WIDTH-BITS-B_LOW-1{low_q[BITS+B_LOW]}}, low_q};
        wire [WIDTH-1:0] high = {{WIDTH-BITS-B_HIGH{high_q[BITS+B_HIGH-1]}}, high_q};
      end

      // The low product of limb i is unsigned and ends where the high product of limb i + 1 begins, so row i
      // concatenates both without an addition. The high product of the first limb and the low product of the last
      // remain.
      for (i = 0; i < LIMBS - 1; i = i + 1) begin : gen_row
        localparam DELAY = LIMBS - 2 - i;
        wire [WIDTH-1:0]  row = {gen_limb[i+1].high[WIDTH-LIMB-B_LOW-1:0], gen_limb[i].low[LIMB+B_LOW-1:0]};
        reg  [WIDTH-1:0]  late_q;
        wire [WIDTH-1:0]  late = late_q;
        wire              unused = &{1'b0, row, gen_limb[i].low, gen_limb[i+1].high};

        if (DELAY == 0) begin : gen_next
          always @(posedge clk_i) if (enable_i) late_q <= row;
        end else if (DELAY == 1) begin : gen_one
          reg [WIDTH-1:0] row_q;
          always @(posedge clk_i) begin
            if (enable_i) begin
              row_q  <= row;
              late_q <= row_q;
            end
          end
        end else begin : gen_more
          reg [WIDTH-1:0] row_q;
          reg [WIDTH-1:0] later_q;
          always @(posedge clk_i) begin
            if (enable_i) begin
              row_q   <= row;
              later_q <= row_q;
              late_q  <= later_q;
            end
          end
        end
      end

      // From bit LIMB on.
      wire [WIDTH-1:0]    first  = gen_limb[0].high << (B_LOW - LIMB);
      wire [WIDTH-1:0]    last   = gen_limb[LIMBS-1].low << (LIMB * (LIMBS - 2));
      wire                unused_top = &{1'b0, first, last};

      for (i = 0; i < LIMBS - 1; i = i + 1) begin : gen_sum
        wire [WIDTH-1:LIMB] sum;
        if (i == 0) begin : gen_begin
          // The two summands and a carry bit; all bits above are the sign.
          localparam FIRST = LIMB + 1 + B_HIGH + B_LOW - LIMB;
          localparam LAST  = A_WIDTH - (LIMBS-1)*LIMB + B_LOW + 1 + LIMB*(LIMBS-2);
          localparam BOTH  = ((FIRST > LAST) ? FIRST : LAST) + 1;
          localparam BITS  = (BOTH < WIDTH - LIMB) ? BOTH : WIDTH - LIMB;

          reg [BITS-1:0] sum_q;
          always @(posedge clk_i) if (enable_i) sum_q <= first[BITS-1:0] + last[BITS-1:0];
          assign sum = {{WIDTH-LIMB-BITS+1{sum_q[BITS-1]}}, sum_q[BITS-2:0]};
        end else begin : gen_next
          reg [WIDTH-1:LIMB] sum_q;
          assign sum = sum_q;
          wire [WIDTH-1:0] row = gen_row[LIMBS-1-i].late << (LIMB * (LIMBS - 2 - i));
          wire             unused_row = &{1'b0, row};
          always @(posedge clk_i) if (enable_i) sum_q <= gen_sum[i-1].sum + row[WIDTH-LIMB-1:0];
        end
      end

      wire [LIMB-1:HALF_BIT] half_unit = {{LIMB-HALF_BIT-1{1'b0}}, half_i};

      always @(posedge clk_i) begin
        if (enable_i)
          upper_q <= rows[WIDTH-1:HALF_BIT] + {gen_sum[LIMBS-2].sum, half_unit};
      end

      assign rows = gen_row[0].late;
    end

    if (HALF_BIT > 0) begin : gen_below
      reg [HALF_BIT-1:0] lower_q;
      always @(posedge clk_i) if (enable_i) lower_q <= rows[HALF_BIT-1:0];
      assign product_o = {upper_q, lower_q};
    end else begin : gen_all
      assign product_o = upper_q;
    end
  endgenerate

endmodule

`default_nettype wire
