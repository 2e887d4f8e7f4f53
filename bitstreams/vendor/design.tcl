# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of this folder share: the variant's values (variant.tcl, generated), its files, and packaging it as
# an IP of Vivado. Not yet run in Vivado: its commands are only known here from their documentation.

set vendor_folder [file dirname [file normalize [info script]]]
set design_folder [file dirname $vendor_folder]
source [file join $vendor_folder variant.tcl]

# tulle_files: the Verilog files in compilation order, and headers: from tulle.f.
proc tulle_files {} {
    global design_folder
    set list [open [file join $design_folder tulle.f]]
    set files {}
    while {[gets $list line] >= 0} {
        if {[string match rtl/* $line]} {
            set path [file join $design_folder $line]
            if {![file exists $path]} {
                error "tulle.f names $line, which is not there: generate the folder again"
            }
            lappend files $path
        }
    }
    close $list
    if {[llength $files] == 0} {
        error "tulle.f names no Verilog files: generate the folder again"
    }
    return $files
}

proc tulle_headers {} {
    global design_folder
    return [lsort [glob [file join $design_folder include *.vh]]]
}

# tulle_project NAME FOLDER PART: a project with the design, tulle_top being its top.
proc tulle_project {name folder part} {
    global design_folder vendor_folder
    create_project -force $name $folder -part $part
    add_files -norecurse [concat [tulle_files] [tulle_headers]]
    set_property file_type {Verilog Header} [get_files *.vh]
    set_property include_dirs [list [file join $design_folder include]] [get_filesets sources_1]
    add_files -fileset constrs_1 -norecurse [file join $vendor_folder clock.xdc]
    # Wrappers of IP and block designs bring clocks of their own; this one is for the design alone.
    set_property used_in {synthesis implementation out_of_context} [get_files clock.xdc]
    set_property top tulle_top [get_filesets sources_1]
    update_compile_order -fileset sources_1
}

# tulle_masters: the AXI4 masters of the top.
proc tulle_masters {} {
    global memory_ports host_port
    set masters {}
    # The copy engine's memory port is behind those of the array.
    for {set i 0} {$i < $memory_ports + $host_port} {incr i} {
        lappend masters m_axi_mem$i
    }
    if {$host_port} {
        lappend masters m_axi_host
    }
    return $masters
}

proc tulle_slaves {} {
    global host_port
    return [expr {$host_port ? {s_axi_control s_axi_host} : {s_axi_control}}]
}

# tulle_package FOLDER LIBRARY: the open project as an IP tulle:LIBRARY:tulle_<variant>:1.0 in FOLDER; the core is left
# open in a project of its own, and returned.
proc tulle_package {folder library} {
    global variant_name variant_text
    ipx::package_project -root_dir $folder -vendor tulle -library $library -taxonomy /KernelIP -import_files \
        -set_current false
    ipx::unload_core [file join $folder component.xml]
    ipx::edit_ip_in_project -upgrade true -name tulle_edit -directory $folder [file join $folder component.xml]
    set core [ipx::current_core]
    set_property name tulle_$variant_name $core
    set_property display_name "Tulle $variant_name" $core
    set_property description $variant_text $core
    set_property version 1.0 $core
    foreach parameter [ipx::get_user_parameters] {
        ipx::remove_user_parameter [get_property NAME $parameter] $core
    }
    foreach interface [concat [tulle_slaves] [tulle_masters]] {
        ipx::associate_bus_interfaces -busif $interface -clock ap_clk $core
    }
    set_property supported_families {} $core
    set_property auto_family_support_level level_2 $core
    return $core
}

proc tulle_save {core} {
    ipx::create_xgui_files $core
    ipx::update_checksums $core
    ipx::check_integrity $core
    ipx::save_core $core
}
