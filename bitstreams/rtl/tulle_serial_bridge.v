// SPDX-License-Identifier: Apache-2.0
//
// tulle_serial_bridge: the device end of a serial line. It receives requests of a host byte by byte, executes them as
// the master of an AXI4-Lite bus, and sends responses. docs/serial.md describes the frames.
//
// Ports
//   clk_i, rst_ni             clock, synchronous reset
//   rx_valid_i, rx_byte_i     bytes from the line, at least ten cycles apart
//   tx_valid_o, tx_ready_i, tx_byte_o
//                             bytes to the line
//   reset_o                   resets the rest of the board, because the host requests it or the bus did not answer
//   memory_o                  address space of the bus: 0 registers, 1 memory
//   axi_*                     AXI4-Lite, a word at a time
//
// Parameters
//   MEMORY_BYTES, CLOCK_HZ    the board's description for the host
//   SILENCE                   clock cycles without a byte after which an incomplete frame is dropped
//   PATIENCE                  clock cycles that the bus may take for a word
//
// Limits: a request has at most 64 words. A frame with a wrong check sum is dropped, and so are bytes that arrive while
// a request is executed and answered; the host then repeats its request. A repeated request, which has the same number,
// is not executed again.

`default_nettype none

module tulle_serial_bridge #(
  parameter MEMORY_BYTES = 131072,
  parameter CLOCK_HZ     = 12000000,
  parameter SILENCE      = 240000,
  parameter PATIENCE     = 65536
) (
  input  wire        clk_i,
  input  wire        rst_ni,

  input  wire        rx_valid_i,
  input  wire [7:0]  rx_byte_i,
  output wire        tx_valid_o,
  input  wire        tx_ready_i,
  output wire [7:0]  tx_byte_o,

  output wire        reset_o,
  output wire        memory_o,

  output wire        axi_awvalid_o,
  input  wire        axi_awready_i,
  output wire [31:0] axi_awaddr_o,
  output wire        axi_wvalid_o,
  input  wire        axi_wready_i,
  output wire [31:0] axi_wdata_o,
  output wire [3:0]  axi_wstrb_o,
  input  wire        axi_bvalid_i,
  output wire        axi_bready_o,
  input  wire [1:0]  axi_bresp_i,
  output wire        axi_arvalid_o,
  input  wire        axi_arready_i,
  output wire [31:0] axi_araddr_o,
  input  wire        axi_rvalid_i,
  output wire        axi_rready_o,
  input  wire [31:0] axi_rdata_i,
  input  wire [1:0]  axi_rresp_i
);

  localparam [31:0] MAGIC   = 32'h4C525354; // TSRL
  localparam [31:0] VERSION = 32'h00000100;
  localparam [7:0]  START   = 8'h54;
  localparam [7:0]  REPLY   = 8'h41;

  // Operations
  localparam [7:0] IDENTIFY        = 8'd0;
  localparam [7:0] RESET           = 8'd1;
  localparam [7:0] READ_REGISTERS  = 8'd4;
  localparam [7:0] WRITE_REGISTERS = 8'd5;
  localparam [7:0] READ_MEMORY     = 8'd6;
  localparam [7:0] WRITE_MEMORY    = 8'd7;

  // Status; 1 and 2 are those of tulle_serial_bus
  localparam [2:0] DONE    = 3'd0;
  localparam [2:0] TIMEOUT = 3'd2;
  localparam [2:0] BAD     = 3'd3; // illegal operation, number of words or address
  localparam [2:0] LOST    = 3'd4; // the response of the repeated request has been lost

  localparam [6:0] MOST       = 7'd64; // words
  localparam [6:0] TOLD       = 7'd4;
  localparam [4:0] RESET_TIME = 5'd16; // cycles
  localparam       WAIT       = $clog2(SILENCE + 1);

  localparam [3:0] IDLE   = 4'd0; // waits for a start byte
  localparam [3:0] HEAD   = 4'd1; // number, operation, words, address
  localparam [3:0] DATA   = 4'd2;
  localparam [3:0] SUM    = 4'd3;
  localparam [3:0] JUDGE  = 4'd4; // waits for the check sum
  localparam [3:0] TELL   = 4'd5; // words of the board's description
  localparam [3:0] MOVE   = 4'd6; // moves words on the bus
  localparam [3:0] HOLD   = 4'd7; // holds the reset
  localparam [3:0] LOOK   = 4'd8; // reads the next word of the response
  localparam [3:0] LOAD   = 4'd9;
  localparam [3:0] SEND   = 4'd10;

  reg  [3:0]      state_q;
  reg  [2:0]      place_q; // position of a byte in the frame
  reg  [6:0]      index_q; // index of the current word
  reg  [31:0]     word_q;  // bytes that are received or sent
  reg  [WAIT-1:0] quiet_q; // cycles without a byte
  reg  [4:0]      hold_q;

  // -- The request -------------------------------------------------------------------------------------------------------

  reg  [7:0]  number_q;
  reg  [7:0]  operation_q;
  reg  [7:0]  words_q;
  reg  [31:0] address_q;

  wire        fits   = words_q[7] == 1'b0 && words_q[6:0] <= MOST && words_q != 8'd0;
  wire        writes = operation_q == WRITE_REGISTERS || operation_q == WRITE_MEMORY;
  wire        moves  = writes || operation_q == READ_REGISTERS || operation_q == READ_MEMORY;
  wire        comes  = state_q == IDLE || state_q == HEAD || state_q == DATA || state_q == SUM;
  wire        starts = state_q == IDLE && rx_valid_i && rx_byte_i == START;
  wire        over   = comes && state_q != IDLE && quiet_q == SILENCE[WAIT-1:0];
  wire        stores = state_q == DATA && rx_valid_i && place_q == 3'd3;

  // -- The last request and its response -----------------------------------------------------------------------------------

  reg         known_q;  // there was a request
  reg  [7:0]  known_number_q;
  reg  [2:0]  status_q;
  reg  [6:0]  answer_q; // words
  reg         stale_q;  // the words were overwritten by a request that was dropped

  wire        again = known_q && operation_q != IDENTIFY && number_q == known_number_q;

  // -- Sum -----------------------------------------------------------------------------------------------------------------

  reg         tail_q;   // the check sum itself is sent
  wire        summing;
  wire [15:0] sum;
  wire        sent = tx_valid_o && tx_ready_i;

  tulle_serial_sum u_sum (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (state_q == IDLE || state_q == JUDGE && !summing),
    .valid_i (comes && rx_valid_i || sent && !tail_q),
    .byte_i  (comes ? rx_byte_i : tx_byte_o),
    .busy_o  (summing),
    .sum_o   (sum)
  );

  // -- Words of a request or of its response -------------------------------------------------------------------------------

  reg         start_q;
  wire        take;
  wire        give;
  wire [5:0]  bus_index;
  wire [31:0] bus_word;
  wire        bus_done;
  wire [1:0]  bus_status;
  wire [31:0] stored;
  reg  [31:0] told;

  always @* case (index_q[1:0])
    2'd0:    told = MAGIC;
    2'd1:    told = VERSION;
    2'd2:    told = MEMORY_BYTES;
    default: told = CLOCK_HZ;
  endcase

  tulle_ram_1w1r #(
    .WIDTH (32),
    .DEPTH (64)
  ) u_words (
    .clk_i   (clk_i),
    .we_i    (stores || give || state_q == TELL),
    .waddr_i (give ? bus_index : index_q[5:0]),
    .wdata_i (give ? bus_word : state_q == TELL ? told : {rx_byte_i, word_q[31:8]}),
    .re_i    (take || state_q == LOOK),
    .raddr_i (take ? bus_index : index_q[5:0]),
    .rdata_o (stored)
  );

  tulle_serial_bus #(
    .PATIENCE (PATIENCE)
  ) u_bus (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni && !reset_o),
    .start_i       (start_q),
    .write_i       (writes),
    .words_i       (words_q[6:0]),
    .address_i     (address_q),
    .take_o        (take),
    .give_o        (give),
    .index_o       (bus_index),
    .word_i        (stored),
    .word_o        (bus_word),
    .done_o        (bus_done),
    .status_o      (bus_status),
    .axi_awvalid_o (axi_awvalid_o),
    .axi_awready_i (axi_awready_i),
    .axi_awaddr_o  (axi_awaddr_o),
    .axi_wvalid_o  (axi_wvalid_o),
    .axi_wready_i  (axi_wready_i),
    .axi_wdata_o   (axi_wdata_o),
    .axi_wstrb_o   (axi_wstrb_o),
    .axi_bvalid_i  (axi_bvalid_i),
    .axi_bready_o  (axi_bready_o),
    .axi_bresp_i   (axi_bresp_i),
    .axi_arvalid_o (axi_arvalid_o),
    .axi_arready_i (axi_arready_i),
    .axi_araddr_o  (axi_araddr_o),
    .axi_rvalid_i  (axi_rvalid_i),
    .axi_rready_o  (axi_rready_o),
    .axi_rdata_i   (axi_rdata_i),
    .axi_rresp_i   (axi_rresp_i)
  );

  assign reset_o    = state_q == HOLD;
  assign memory_o   = operation_q[1];
  assign tx_valid_o = state_q == SEND && !summing;
  assign tx_byte_o  = word_q[7:0];

  // -- States --------------------------------------------------------------------------------------------------------------

  always @(posedge clk_i) begin
    quiet_q <= rx_valid_i || state_q == IDLE ? {WAIT{1'b0}} : quiet_q + 1'b1;
    hold_q  <= state_q == HOLD ? hold_q + 5'd1 : 5'd0;
    start_q <= 1'b0;
    case (state_q)
      IDLE: begin
        place_q <= 3'd0;
        index_q <= 7'd0;
        if (starts) state_q <= HEAD;
      end

      HEAD: if (rx_valid_i) begin
        place_q <= place_q + 3'd1;
        case (place_q)
          3'd0:    number_q <= rx_byte_i;
          3'd1:    operation_q <= rx_byte_i;
          3'd2:    words_q <= rx_byte_i;
          default: address_q <= {rx_byte_i, address_q[31:8]};
        endcase
        if (place_q == 3'd6) begin
          place_q <= 3'd0;
          state_q <= writes && fits ? DATA : SUM;
        end
      end

      DATA: if (rx_valid_i) begin
        word_q  <= {rx_byte_i, word_q[31:8]};
        place_q <= stores ? 3'd0 : place_q + 3'd1;
        if (stores) begin
          stale_q <= 1'b1;
          index_q <= index_q + 7'd1;
          if (index_q == words_q[6:0] - 7'd1) state_q <= SUM;
        end
      end

      SUM: if (rx_valid_i) begin
        place_q <= place_q + 3'd1;
        if (place_q[0]) state_q <= JUDGE;
      end

      JUDGE: if (!summing) begin
        index_q <= 7'd0;
        if (sum != 16'h0000) begin
          state_q <= IDLE;
        end else if (again) begin
          state_q <= LOAD;
          if (stale_q && answer_q != 7'd0) begin
            status_q <= LOST;
            answer_q <= 7'd0;
          end
        end else begin
          known_q        <= 1'b1;
          known_number_q <= number_q;
          stale_q        <= 1'b0;
          status_q       <= DONE;
          answer_q       <= 7'd0;
          if (operation_q == IDENTIFY) begin
            answer_q <= TOLD;
            state_q  <= TELL;
          end else if (operation_q == RESET) begin
            state_q <= HOLD;
          end else if (moves && fits && address_q[1:0] == 2'b00) begin
            start_q <= 1'b1;
            state_q <= MOVE;
          end else begin
            status_q <= BAD;
            state_q  <= LOAD;
          end
        end
      end

      TELL: begin
        index_q <= index_q + 7'd1;
        if (index_q == TOLD - 7'd1) begin
          index_q <= 7'd0;
          state_q <= LOAD;
        end
      end

      MOVE: if (bus_done) begin
        status_q <= {1'b0, bus_status};
        answer_q <= bus_status == 2'd0 && !writes ? words_q[6:0] : 7'd0;
        state_q  <= {1'b0, bus_status} == TIMEOUT ? HOLD : LOAD;
      end

      HOLD: if (hold_q == RESET_TIME - 5'd1) state_q <= LOAD;

      // The first word of a response is its head, which is loaded with index_q 0. The words of the response follow,
      // with index_q one higher, and then the check sum.
      LOOK: begin
        index_q <= index_q + 7'd1;
        state_q <= LOAD;
      end

      LOAD: if (!summing) begin
        place_q <= tail_q ? 3'd1 : 3'd3;
        word_q  <= tail_q ? {16'd0, sum[7:0], sum[15:8]} :
                   index_q == 7'd0 ? {1'b0, answer_q, 5'd0, status_q, number_q, REPLY} : stored;
        state_q <= SEND;
      end

      default: if (sent) begin
        word_q  <= {8'd0, word_q[31:8]};
        place_q <= place_q - 3'd1;
        if (place_q == 3'd0) begin
          tail_q  <= !tail_q && index_q == answer_q;
          state_q <= tail_q ? IDLE : index_q == answer_q ? LOAD : LOOK;
        end
      end
    endcase
    if (over) state_q <= IDLE;
    if (!rst_ni) begin
      state_q <= IDLE;
      tail_q  <= 1'b0;
      start_q <= 1'b0;
      known_q <= 1'b0;
      stale_q <= 1'b0;
    end
  end

endmodule

`default_nettype wire
