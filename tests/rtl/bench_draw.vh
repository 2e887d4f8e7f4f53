// SPDX-License-Identifier: Apache-2.0
// Chance, for modules of benches, which set `chance` first.
  reg [31:0] chance;

  // 0 to below - 1; below is at most 2^24.
  function integer draw(input integer below);
    begin
      chance = chance * 32'd1664525 + 32'd1013904223;
      draw = (chance >> 8) % below;
    end
  endfunction
