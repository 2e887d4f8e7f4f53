# SPDX-License-Identifier: Apache-2.0
#
# Packs the variant as an RTL kernel of Vitis, tulle_<variant>.xo. Not yet run in Vivado.
#
#   vivado -mode batch -source package_kernel.tcl -tclargs PART [FOLDER]
#   v++ --link --platform PLATFORM --config link.cfg -o tulle.xclbin FOLDER/tulle_<variant>.xo
#
#   PART     any part of the platform's family, such as xcu250-figd2104-2L-e
#   FOLDER   where to work (default: kernel, in the folder that this is started in)

source [file join [file dirname [file normalize [info script]]] design.tcl]

if {[llength $argv] < 1 || [llength $argv] > 2} {
    error "usage: vivado -mode batch -source package_kernel.tcl -tclargs PART ?FOLDER?"
}
if {$host_port} {
    error "a kernel of Vitis has one AXI4-Lite slave: generate the variant with host_port off"
}
set part [lindex $argv 0]
set work [file normalize [expr {[llength $argv] > 1 ? [lindex $argv 1] : "kernel"}]]

tulle_project tulle_kernel [file join $work project] $part
set core [tulle_package [file join $work ip] kernel]
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
tulle_save $core
close_project -delete
package_xo -force -xo_path [file join $work tulle_$variant_name.xo] -kernel_name tulle_$variant_name \
    -ip_directory [file join $work ip] -kernel_xml [file join $vendor_folder kernel.xml]
puts "written: [file join $work tulle_$variant_name.xo]"
