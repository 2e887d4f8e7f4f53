//: # SPDX-License-Identifier: Apache-2.0
//: # The activation bank of tulle_top, between memory port 0 and those who read and write it.
  // -- Activation bank: results that stay on the chip. Addresses with bit 63 are its own, of readers and of stores; the status record
  // always goes to memory.

  localparam LOCAL_ADDRESS_WIDTH	= `TULLE_LOCAL_ADDR_WIDTH;
  localparam BEAT_BYTE_WIDTH	= $clog2(MEMORY_BYTES);
  localparam BANK_READERS	= FIRST_CLIENTS - 1;	// all readers at port 0 but the command processor

  wire		bank_read_valid;
  wire		bank_read_ready;
  wire	[LOCAL_ADDRESS_WIDTH-1:0]	bank_read_word;
  wire		bank_write_valid;
  wire		bank_write_ready;
  wire	[LOCAL_ADDRESS_WIDTH-1:0]	bank_write_word;

  assign port_request_valid[0] = request_valid[0];
  assign request_ready[0]      = port_request_ready[0];
  assign local_valid[0]        = 1'b0;

  tulle_bank_reader #(
    .MEM	(MEMORY_WIDTH),
    .WORD	(LOCAL_ADDRESS_WIDTH),
    .READERS	(BANK_READERS),
    .OUTSTANDING	(OUTSTANDING_READS)
  ) u_bank_reader (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
    .request_valid_i	(request_valid[1 +: BANK_READERS]),
    .request_ready_o	(request_ready[1 +: BANK_READERS]),
    .request_address_i	(request_address[REQUEST_WIDTH +: BANK_READERS*REQUEST_WIDTH]),
    .request_beats_i	(request_beats[BEATS_WIDTH +: BANK_READERS*BEATS_WIDTH]),
    .port_valid_o	(port_request_valid[1 +: BANK_READERS]),
    .port_ready_i	(port_request_ready[1 +: BANK_READERS]),
    .data_valid_i	(read_valid[LOADS]),
    .data_last_i	(read_last[0]),
    .read_valid_o	(bank_read_valid),
    .read_ready_i	(bank_read_ready),
    .read_word_o	(bank_read_word),
    .local_valid_o	(local_valid[1 +: BANK_READERS]),
    .local_last_o	(local_last),
    .hold_o	(local_hold)
  );

  tulle_bank_writer #(
    .MEM	(MEMORY_WIDTH),
    .WORD	(LOCAL_ADDRESS_WIDTH),
    .BURSTS	(32)
  ) u_bank_writer (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
    .burst_valid_i	(burst_valid),
    .burst_ready_o	(burst_ready),
    .burst_local_i	(burst_address[REQUEST_WIDTH-1] && !record_valid),
    .burst_word_i	(burst_address[BEAT_BYTE_WIDTH +: LOCAL_ADDRESS_WIDTH]),
    .burst_beats_i	(burst_beats),
    .port_burst_valid_o	(port_burst_valid),
    .port_burst_ready_i	(port_burst_ready),
    .data_valid_i	(write_valid),
    .data_ready_o	(write_ready),
    .port_data_valid_o	(port_write_valid),
    .port_data_ready_i	(port_write_ready),
    .bank_valid_o	(bank_write_valid),
    .bank_ready_i	(bank_write_ready),
    .bank_word_o	(bank_write_word),
    .port_response_valid_i	(port_response_valid),
    .port_response_error_i	(port_response_error),
    .response_valid_o	(response_valid),
    .response_error_o	(response_error)
  );

  tulle_bank #(
    .MEM	(MEMORY_WIDTH),
    .BYTES	(`TULLE_LOCAL_BYTES)
  ) u_bank (
    .clk_i	(ap_clk),
    .rst_ni	(run_n),
//: if job_queue
    .start_i	(start || taken),
//: else
    .start_i	(start),
//: end
    .write_valid_i	(bank_write_valid),
    .write_ready_o	(bank_write_ready),
    .write_word_i	(bank_write_word),
    .write_data_i	(write_data),
    .write_strobe_i	(write_strobe),
    .read_valid_i	(bank_read_valid),
    .read_ready_o	(bank_read_ready),
    .read_word_i	(bank_read_word),
    .data_o	(local_data)
  );

  // What is read here counts as no bytes of memory.
  reg		partial_local_q;
  reg	[1:0]	operand_local_q;

  always @(posedge ap_clk) begin
    if (partial_op_valid && partial_op_ready) partial_local_q <= accumulate_address[REQUEST_WIDTH-1];
    if (operand_op_valid[0] && operand_op_ready[0]) operand_local_q[0] <= accumulate_address[REQUEST_WIDTH-1];
    if (operand_op_valid[1] && operand_op_ready[1]) operand_local_q[1] <= accumulate_address[REQUEST_WIDTH-1];
    bank_write_q <= run_n && bank_write_valid && bank_write_ready;
  end
