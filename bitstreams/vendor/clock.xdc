# SPDX-License-Identifier: Apache-2.0
# The clock of tulle_top by itself: 200 MHz. Where it is part of another design, that one has the clock's constraint.
create_clock -name ap_clk -period 5.000 [get_ports ap_clk]
