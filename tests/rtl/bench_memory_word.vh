// SPDX-License-Identifier: Apache-2.0
// What memory holds at a granule of 8 bytes: looks random. For modules of benches.
  function [63:0] memory_word(input [60:0] granule);
    reg [31:0] a, b;
    begin
      a = (granule[31:0] ^ {granule[60:32], 3'd5}) * 32'h9E3779B1;
      b = (a ^ (a >> 15)) * 32'h85EBCA77;
      memory_word = {b ^ (b >> 13), a ^ b};
    end
  endfunction
