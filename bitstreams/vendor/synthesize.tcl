# SPDX-License-Identifier: Apache-2.0
#
# Synthesises the variant alone, without pins, and reports what it takes and how fast it is. Not yet run in Vivado.
#
#   vivado -mode batch -source synthesize.tcl -tclargs PART [FOLDER]

source [file join [file dirname [file normalize [info script]]] design.tcl]

if {[llength $argv] < 1 || [llength $argv] > 2} {
    error "usage: vivado -mode batch -source synthesize.tcl -tclargs PART ?FOLDER?"
}
set part [lindex $argv 0]
set work [file normalize [expr {[llength $argv] > 1 ? [lindex $argv 1] : "synthesis"}]]

tulle_project tulle_synthesis [file join $work project] $part
synth_design -mode out_of_context -top tulle_top -part $part
opt_design
place_design
route_design
report_utilization -hierarchical -file [file join $work utilization.txt]
report_timing_summary -file [file join $work timing.txt]
write_checkpoint -force [file join $work tulle_$variant_name.dcp]
puts "written: [file join $work utilization.txt], timing.txt, tulle_$variant_name.dcp"
