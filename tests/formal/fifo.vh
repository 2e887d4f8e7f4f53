// SPDX-License-Identifier: Apache-2.0
  localparam MOST = DEPTH;
`include "queue.vh"
