// SPDX-License-Identifier: Apache-2.0
//
// tulle_output_queue: a PE's partial sums and results, by address. Executes what the PE's issue queue hands it,
// in order: load an entry from the cluster's partial-sum loader, or store one to the cluster's shift-out.
//
// Ports
//   clk_i, rst_ni              clock, synchronous reset (the entries keep their values)
//   operation_valid_i, operation_store_i, operation_address_i, operation_ready_o
//                              an operation: store (1) or load (0), and the entry
//   partial_write_i, partial_i an element for the next load; only when not partial_full_o
//   partial_full_o             the last element waits for its load, and not in this cycle
//   result_valid_o, result_o   the entry stored; stays until
//   result_take_i              it is taken
//
// Parameters
//   WIDTH                      bits of an entry
//   DEPTH                      entries
//
// Latency: a store's result is there in the next cycle; one operation a cycle.

`default_nettype none

module tulle_output_queue #(
  parameter WIDTH = 32,
  parameter DEPTH = 64
) (
  input  wire                                   clk_i,
  input  wire                                   rst_ni,

  input  wire                                   operation_valid_i,
  input  wire                                   operation_store_i,
  input  wire [$clog2((DEPTH > 1) ? DEPTH : 2)-1:0] operation_address_i,
  output wire                                   operation_ready_o,

  input  wire                                   partial_write_i,
  input  wire [WIDTH-1:0]                       partial_i,
  output wire                                   partial_full_o,

  output wire                                   result_valid_o,
  output wire [WIDTH-1:0]                       result_o,
  input  wire                                   result_take_i
);

  reg             partial_full_q;
  reg [WIDTH-1:0] partial_q;
  reg             result_valid_q;

  wire load  = operation_valid_i && !operation_store_i && partial_full_q;
  wire store = operation_valid_i && operation_store_i && (!result_valid_q || result_take_i);

  always @(posedge clk_i) begin
    if (!rst_ni) begin
      partial_full_q <= 1'b0;
      result_valid_q <= 1'b0;
    end else begin
      partial_full_q <= partial_write_i || (partial_full_q && !load);
      result_valid_q <= store || (result_valid_q && !result_take_i);
    end
  end

  always @(posedge clk_i) begin
    if (partial_write_i) partial_q <= partial_i;
  end

  tulle_ram_1w1r #(
    .WIDTH (WIDTH),
    .DEPTH (DEPTH)
  ) u_entries (
    .clk_i   (clk_i),
    .we_i    (load),
    .waddr_i (operation_address_i),
    .wdata_i (partial_q),
    .re_i    (store),
    .raddr_i (operation_address_i),
    .rdata_o (result_o)
  );

  assign operation_ready_o = load || store;
  assign partial_full_o    = partial_full_q && !load;
  assign result_valid_o    = result_valid_q;

  tulle_assert #(
    .MESSAGE("no element arrives while the last one waits")
  ) u_no_overflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(partial_write_i && partial_full_o))
  );

  tulle_assert #(
    .MESSAGE("only a result that is there is taken")
  ) u_no_underflow (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .holds_i (!(result_take_i && !result_valid_q))
  );

endmodule

`default_nettype wire
