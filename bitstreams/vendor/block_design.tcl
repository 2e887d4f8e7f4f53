# SPDX-License-Identifier: Apache-2.0
#
# A Vivado project with the variant behind PCIe: bridge, interconnect, memory. Not yet run in Vivado, nor on hardware.
#
#   vivado -mode batch -source block_design.tcl -tclargs PART [FOLDER]
#
#   PART     of UltraScale or UltraScale+, with a PCIe block
#   FOLDER   where to work (default: board, in the folder that this is started in)
#
# What a host sees is docs/pcie.md of the source tree: BAR0, 16 KiB: the registers of s_axi_control, at 0x1000 those of
# s_axi_host where the variant has a host port, at 0x2000 the bridge's MSI-X; BAR2: device memory from 0 on. Vector 0 is
# interrupt, vector 1 host_interrupt. Device memory is block RAM of the size below: put your board's memory controller
# in its place, behind u_memory_switch. A BAR2 that moves (host_window) needs a bridge whose address
# translation follows it; with memory no larger than BAR2 it stays at 0.

source [file join [file dirname [file normalize [info script]]] design.tcl]

if {[llength $argv] < 1 || [llength $argv] > 2} {
    error "usage: vivado -mode batch -source block_design.tcl -tclargs PART ?FOLDER?"
}
set part [lindex $argv 0]
set work [file normalize [expr {[llength $argv] > 1 ? [lindex $argv 1] : "board"}]]
set memory_kib 1024
# Ids of the PCIe function, as in docs/pcie.md of the source tree; who builds a board sets ids of their own.
set pci_vendor 8D54
set pci_device 0001
set pci_subsystem_vendor 8D54
set pci_subsystem 0001
set pci_class_base 12
set pci_class_sub 00
set pci_class_interface 00

# The variant as an IP, in a repository of its own.
tulle_project tulle_ip [file join $work package] $part
tulle_save [tulle_package [file join $work ip] ip]
close_project -delete

create_project -force tulle_board [file join $work project] -part $part
set_property ip_repo_paths [list [file join $work ip]] [current_project]
update_ip_catalog
create_bd_design tulle_board

# A cell of the catalogue's newest version of an IP, with properties.
proc cell {name ip properties} {
    set found [get_ipdefs -all "*:$ip:*" -filter {UPGRADE_VERSIONS == ""}]
    if {[llength $found] == 0} {
        error "this Vivado has no IP $ip for the part"
    }
    create_bd_cell -type ip -vlnv [lindex $found end] $name
    if {[llength $properties] > 0} {
        set_property -dict $properties [get_bd_cells $name]
    }
}

proc wire {from args} {
    connect_bd_net [get_bd_pins $from] {*}[lmap to $args {get_bd_pins $to}]
}

proc bus {from to} {
    connect_bd_intf_net [get_bd_intf_pins $from] [get_bd_intf_pins $to]
}

# -- PCIe ------------------------------------------------------------------------------------------------------------

create_bd_intf_port -mode Master -vlnv xilinx.com:interface:pcie_7x_mgt_rtl:1.0 pcie_mgt
create_bd_intf_port -mode Slave -vlnv xilinx.com:interface:diff_clock_rtl:1.0 pcie_refclk
create_bd_port -dir I -type rst pcie_perstn
cell u_refclk util_ds_buf {CONFIG.C_BUF_TYPE IBUFDSGTE}
cell u_bridge xdma [list \
    CONFIG.functional_mode AXI_Bridge \
    CONFIG.mode_selection Advanced \
    CONFIG.en_axi_slave_if [expr {$host_port ? "true" : "false"}] \
    CONFIG.vendor_id $pci_vendor CONFIG.pf0_device_id $pci_device \
    CONFIG.pf0_subsystem_vendor_id $pci_subsystem_vendor CONFIG.pf0_subsystem_id $pci_subsystem \
    CONFIG.pf0_class_code_base $pci_class_base CONFIG.pf0_class_code_sub $pci_class_sub \
    CONFIG.pf0_class_code_interface $pci_class_interface \
    CONFIG.pf0_bar0_scale Kilobytes CONFIG.pf0_bar0_size 16 CONFIG.pciebar2axibar_0 0x0000000000000000 \
    CONFIG.pf0_bar2_enabled true CONFIG.pf0_bar2_64bit true CONFIG.pf0_bar2_prefetchable true \
    CONFIG.pf0_bar2_scale Kilobytes CONFIG.pf0_bar2_size $memory_kib CONFIG.pciebar2axibar_2 0x0000000100000000 \
    CONFIG.pf0_msix_enabled true CONFIG.pf0_msix_cap_table_size 001 \
    CONFIG.pf0_msix_cap_table_bir BAR_0 CONFIG.pf0_msix_cap_table_offset 00002000 \
    CONFIG.pf0_msix_cap_pba_bir BAR_0 CONFIG.pf0_msix_cap_pba_offset 00003000 \
    CONFIG.xdma_num_usr_irq 2 CONFIG.pf0_flr_enabled true]
connect_bd_intf_net [get_bd_intf_ports pcie_mgt] [get_bd_intf_pins u_bridge/pcie_mgt]
connect_bd_intf_net [get_bd_intf_ports pcie_refclk] [get_bd_intf_pins u_refclk/CLK_IN_D]
connect_bd_net [get_bd_ports pcie_perstn] [get_bd_pins u_bridge/sys_rst_n]
wire u_refclk/IBUF_OUT u_bridge/sys_clk_gt
wire u_refclk/IBUF_DS_ODIV2 u_bridge/sys_clk

# -- The device ------------------------------------------------------------------------------------------------------

create_bd_cell -type ip -vlnv tulle:ip:tulle_$variant_name:1.0 u_tulle
set clock u_bridge/axi_aclk
set reset u_bridge/axi_aresetn
wire $clock u_tulle/ap_clk
wire $reset u_tulle/ap_rst_n

if {$host_port} {
    cell u_vectors xlconcat {CONFIG.NUM_PORTS 2}
    wire u_tulle/interrupt u_vectors/In0
    wire u_tulle/host_interrupt u_vectors/In1
    wire u_vectors/dout u_bridge/usr_irq_req
    foreach {name width value} [list host_memory_bytes 64 [expr {$memory_kib * 1024}] \
                                    host_window_bytes 64 [expr {$memory_kib * 1024}] \
                                    host_master 1 1 host_function_reset 1 0 host_window_fault 1 0] {
        cell u_$name xlconstant [list CONFIG.CONST_WIDTH $width CONFIG.CONST_VAL $value]
        wire u_$name/dout u_tulle/$name
    }
} else {
    wire u_tulle/interrupt u_bridge/usr_irq_req
}

# -- Registers and memory: the bridge reaches both, the device's ports reach memory --------------------------------------

set slaves [tulle_slaves]
cell u_switch smartconnect [list CONFIG.NUM_SI 1 CONFIG.NUM_MI [expr {[llength $slaves] + 1}]]
wire $clock u_switch/aclk
wire $reset u_switch/aresetn
bus u_bridge/M_AXI_B u_switch/S00_AXI
set index 0
foreach slave $slaves {
    bus u_switch/[format M%02d_AXI $index] u_tulle/$slave
    incr index
}

set masters [lsearch -all -inline [tulle_masters] m_axi_mem*]
cell u_memory_switch smartconnect [list CONFIG.NUM_SI [expr {[llength $masters] + 1}] CONFIG.NUM_MI 1]
wire $clock u_memory_switch/aclk
wire $reset u_memory_switch/aresetn
bus u_switch/[format M%02d_AXI $index] u_memory_switch/S00_AXI
set index 1
foreach master $masters {
    bus u_tulle/$master u_memory_switch/[format S%02d_AXI $index]
    incr index
}
cell u_memory axi_bram_ctrl [list CONFIG.DATA_WIDTH $memory_width CONFIG.SINGLE_PORT_BRAM 1]
cell u_ram blk_mem_gen {}
wire $clock u_memory/s_axi_aclk
wire $reset u_memory/s_axi_aresetn
bus u_memory_switch/M00_AXI u_memory/S_AXI
bus u_memory/BRAM_PORTA u_ram/BRAM_PORTA

if {$host_port} {
    cell u_host_switch smartconnect {CONFIG.NUM_SI 1 CONFIG.NUM_MI 1}
    wire $clock u_host_switch/aclk
    wire $reset u_host_switch/aresetn
    bus u_tulle/m_axi_host u_host_switch/S00_AXI
    bus u_host_switch/M00_AXI u_bridge/S_AXI_B
}

# -- Addresses: a space for the bridge, one for each of the device's masters ------------------------------------------------

set offset 0
foreach slave $slaves {
    assign_bd_address -offset $offset -range 4K -target_address_space [get_bd_addr_spaces u_bridge/M_AXI_B] \
        [get_bd_addr_segs u_tulle/$slave/*]
    incr offset 4096
}
assign_bd_address -offset 0x0000000100000000 -range ${memory_kib}K \
    -target_address_space [get_bd_addr_spaces u_bridge/M_AXI_B] [get_bd_addr_segs u_memory/S_AXI/Mem0]
foreach master $masters {
    assign_bd_address -offset 0 -range ${memory_kib}K -target_address_space [get_bd_addr_spaces u_tulle/$master] \
        [get_bd_addr_segs u_memory/S_AXI/Mem0]
}
if {$host_port} {
    assign_bd_address -offset 0 -range 16E -target_address_space [get_bd_addr_spaces u_tulle/m_axi_host] \
        [get_bd_addr_segs u_bridge/S_AXI_B/*]
}

validate_bd_design
save_bd_design
make_wrapper -top -import [get_files tulle_board.bd]
set_property top tulle_board_wrapper [current_fileset]
puts "written: [file join $work project tulle_board.xpr]; it needs the board's pins before it can be implemented"
