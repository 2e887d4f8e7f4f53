# SPDX-License-Identifier: Apache-2.0
#
# Plays a script of vendor/ without Vivado: commands that are not Tcl's are noted and answered, and what they name of the
# design must be there. It knows no more of Vivado than that its commands take such words: whether Vivado does with them
# what is wanted is not tried here.
#
#   tclsh vendor.tcl SCRIPT [ARGUMENT]...
#
# Writes the commands to standard output, a line each.

set script [lindex $argv 0]
set argv [lrange $argv 1 end]
set design [file dirname [file dirname [file normalize $script]]]

# -- The ports of tulle_top: inputs, outputs, and interfaces of AXI ---------------------------------------------------

set file [open $design/rtl/tulle_top.v]
set text [read $file]
close $file
foreach {- direction name} [regexp -all -inline -line {^\s*(input|output)\s+wire\s+(?:\[[^]]*\]\s*)?(\w+)} $text] {
    set ports($name) $direction
    if {[regexp {^([ms]_axi_\w+)_awvalid$} $name - interface]} {
        set interfaces($interface) $direction
    }
}

proc complain {text} {
    puts stderr "vendor.tcl: $text"
    exit 1
}

# A pin CELL/PORT of the design must be a port of tulle_top, an interface one of its interfaces; cells must be there.
proc pin {path kind} {
    global cells ports interfaces used
    if {![regexp {^(\w+)/(.+)$} $path - cell name] || ![info exists cells($cell)]} {
        complain "there is no cell for $path"
    }
    if {$cell eq "u_tulle"} {
        if {![info exists [set kind]($name)]} {
            complain "tulle_top has no $name among its $kind"
        }
        incr used($name)
    }
    return $path
}

# -- Commands of Vivado ---------------------------------------------------------------------------------------------------

proc get_bd_pins {path} { return [pin $path ports] }
proc get_bd_intf_pins {path} { return [pin $path interfaces] }

proc get_bd_addr_spaces {path} { return [pin $path interfaces] }

proc get_bd_addr_segs {path} {
    pin [join [lrange [split $path /] 0 1] /] interfaces
    return $path
}

proc create_bd_cell {args} {
    global cells
    puts "create_bd_cell $args"
    set cells([lindex $args end]) 1
}

proc get_bd_cells {name} {
    global cells
    if {![info exists cells($name)]} { complain "there is no cell $name" }
    return $name
}

proc get_ipdefs {args} {
    return [string map {* xilinx.com {*:} {}} "xilinx.com:ip:[lindex [split [lindex $args 1] :] 1]:1.0"]
}

proc add_files {args} {
    foreach word [join $args] {
        if {[string match /* $word] && ![file exists $word]} { complain "add_files: there is no $word" }
    }
    puts "add_files $args"
}

namespace eval ipx {}
proc ipx::associate_bus_interfaces {- interface args} {
    global interfaces
    if {![info exists interfaces($interface)]} { complain "tulle_top has no interface $interface" }
    puts "associate $interface"
    set interfaces($interface) associated
}

proc package_xo {args} {
    set xml [lindex $args [expr {[lsearch $args -kernel_xml] + 1}]]
    if {![file exists $xml]} { complain "package_xo: there is no $xml" }
    puts "package_xo $args"
}

# Any other, of names that Vivado's commands begin with; a word that is misspelt is none of them.
set known {create_project close_project get_filesets get_files set_property update_compile_order ipx::package_project
    ipx::unload_core ipx::edit_ip_in_project ipx::current_core ipx::get_user_parameters ipx::remove_user_parameter
    ipx::create_xgui_files ipx::update_checksums ipx::check_integrity ipx::save_core get_property current_project
    current_fileset update_ip_catalog create_bd_design create_bd_intf_port create_bd_port get_bd_intf_ports get_bd_ports
    connect_bd_net connect_bd_intf_net assign_bd_address validate_bd_design save_bd_design make_wrapper synth_design
    opt_design place_design route_design report_utilization report_timing_summary write_checkpoint}
proc unknown {command args} {
    global known
    if {[lsearch -exact $known $command] < 0} { complain "no command $command, with $args" }
    if {![string match get_* $command]} { puts "$command $args" }
    return [expr {[string match *get_user_parameters $command] ? "" : "{$command $args}"}]
}

source $script

# What was put into a block design is connected as a whole; what was packed names every interface.
if {[info exists cells(u_tulle)]} {
    foreach name [array names ports] {
        if {$ports($name) eq "input" && ![info exists used($name)] && ![regexp {^[ms]_axi_} $name]} {
            complain "nothing drives $name"
        }
    }
    foreach name [array names interfaces] {
        if {![info exists used($name)]} { complain "nothing is connected to $name" }
    }
}
foreach name [array names interfaces] {
    if {[string match *package* [file tail $script]] && $interfaces($name) ne "associated"} {
        complain "$name has no clock"
    }
}
