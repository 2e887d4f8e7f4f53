// SPDX-License-Identifier: Apache-2.0
  localparam MOST = 2;
`include "queue.vh"
