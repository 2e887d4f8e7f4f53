#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# PCI functions in a sysfs that is made up: which are found, why each cannot be used, with the command that helps, and
# tulle-pci-bind, whose writes a stand-in for the kernel acts on.
set -euo pipefail
cd "$TMPDIR"

fail() {
    echo "$*" >&2
    exit 1
}

export TULLE_SYSFS=$PWD/sys TULLE_DEV=$PWD/dev
unset TULLE_PCIE_IDS TULLE_DEVICES
devices=$TULLE_SYSFS/bus/pci/devices
bind=$TOP/scripts/tulle-pci-bind

# function_at ADDRESS VENDOR DEVICE CLASS [GROUP [DRIVER]]
function_at() {
    local folder=$devices/$1
    mkdir -p "$folder"
    echo "0x$2" >"$folder/vendor"
    echo "0x$3" >"$folder/device"
    echo "0x$4" >"$folder/class"
    : >"$folder/driver_override"
    [[ -z ${5-} ]] || join "$1" "$5"
    [[ -z ${6-} ]] || drive "$1" "$6"
}

join() {
    mkdir -p "$TULLE_SYSFS/kernel/iommu_groups/$2/devices"
    ln -sfn "../../../../kernel/iommu_groups/$2" "$devices/$1/iommu_group"
    ln -sfn "../../../../bus/pci/devices/$1" "$TULLE_SYSFS/kernel/iommu_groups/$2/devices/$1"
}

drive() {
    mkdir -p "$TULLE_SYSFS/bus/pci/drivers/$2"
    : >"$TULLE_SYSFS/bus/pci/drivers/$2/unbind"
    ln -sfn "../../../../bus/pci/drivers/$2" "$devices/$1/driver"
}

# rejected DEVICE TEXT...: tulle devices lists it so, and each text is in the reason.
rejected() {
    local device=$1 text
    shift
    ! "$BUILD/bin/tulle" devices "$device" >out 2>err || fail "tulle devices $device: $(<out)"
    for text in "$@"; do
        grep -qF -e "$text" out || fail "tulle devices $device, wanted '$text': $(<out)"
    done
}

# expect STATUS TEXT ARGUMENT...: of tulle-pci-bind.
expect() {
    local status=0
    "$bind" "${@:3}" >out 2>&1 || status=$?
    [[ $status == "$1" && $(<out) == *"$2"* ]] || fail "tulle-pci-bind ${*:3}: exit status $status, $(<out)"
}

# ---- finding

rejected pcie: "no PCI function with id 8d54:0001 is in $devices" 'TULLE_PCIE_IDS=VENDOR:DEVICE'
function_at 0000:00:1f.2 8086 2922 010601 2 ahci
function_at 0000:01:00.0 8d54 0001 120000
function_at 0000:02:00.0 1234 abcd 120000 4
rejected pcie: 'pcie:0000:01:00.0' 'it is in no IOMMU group' 'intel_iommu=on'
[[ $(grep -c 'not used' out) == 1 ]] || fail "others are listed: $(<out)"
TULLE_PCIE_IDS=1234:ABCD rejected pcie: 'pcie:0000:02:00.0' 'pcie:0000:01:00.0'
[[ $(grep -c 'not used' out) == 2 ]] || fail "both are listed: $(<out)"
sed -n 1p out | grep -q 01:00.0 || fail "not in order: $(<out)"
TULLE_PCIE_IDS=1234 rejected pcie: 'TULLE_PCIE_IDS' 'VENDOR:DEVICE'
TULLE_PCIE_IDS=1234:abcde rejected pcie: 'VENDOR:DEVICE'
TULLE_PCIE_IDS=1234:abcd,,1:2 rejected pcie:0000:02:00.0 'VENDOR:DEVICE'
rejected 'pcie:;way=sideways' 'way=sideways: group or node'
rejected pcie:0000:09:00.0 'there is no such PCI function' 'tulle devices pcie:'
rejected pcie:02:00.0 '0000:02:00.0: it is 1234:abcd, none of 8d54:0001' 'TULLE_PCIE_IDS=1234:abcd'
rejected pcie:0000:01:00 'such as 0000:01:00.0'
"$BUILD/bin/tulle" devices 'pcie:,model:tiny' >out || fail "$(<out)"
grep -q '^model:tiny  *variant tiny' out || fail "a function that cannot be used is in the way of others: $(<out)"

# ---- what is in the way

join 0000:01:00.0 7
rejected pcie: 'bound to no driver; as root: tulle-pci-bind bind 0000:01:00.0'
drive 0000:01:00.0 nvme
rejected pcie: 'bound to the driver nvme, not to vfio-pci; as root: tulle-pci-bind bind 0000:01:00.0'
drive 0000:01:00.0 vfio-pci
function_at 0000:00:01.0 8086 0001 060400 7 pcieport
function_at 0000:01:00.1 8086 1533 020000 7 igb
function_at 0000:01:00.2 8086 1533 020000 7
rejected pcie: 'others of its IOMMU group are at work: 0000:01:00.1 (igb);' 'tulle-pci-bind bind --force'
rm "$devices/0000:01:00.1/driver"
echo vfio-noiommu >"$TULLE_SYSFS/kernel/iommu_groups/7/name"
rejected pcie: 'it is in no IOMMU group'
rm "$TULLE_SYSFS/kernel/iommu_groups/7/name"
rejected pcie: "$TULLE_DEV/vfio/vfio: No such file" 'as root: modprobe vfio'
mkdir -p "$TULLE_DEV/vfio"
: >"$TULLE_DEV/vfio/vfio"
rejected pcie: "$TULLE_DEV/vfio/7: No such file" 'as root: modprobe vfio-pci'
: >"$TULLE_DEV/vfio/7"
rejected pcie: "the kernel's VFIO has no IOMMU of type 1"
rejected 'pcie:;way=node' 'gives functions no nodes of their own'
mkdir -p "$devices/0000:01:00.0/vfio-dev/vfio3"
rejected 'pcie:;way=node' "$TULLE_DEV/iommu: No such file" 'modprobe iommufd'
: >"$TULLE_DEV/iommu"
rejected 'pcie:;way=node' "$TULLE_DEV/vfio/devices/vfio3: No such file"
mkdir -p "$TULLE_DEV/vfio/devices"
: >"$TULLE_DEV/vfio/devices/vfio3"
rejected pcie: 'cannot be bound to iommufd' # by itself, where there is one
rejected 'pcie:;way=group' "the kernel's VFIO has no IOMMU of type 1"

# ---- tulle-pci-bind

# It writes by tee. This one does what the kernel would.
mkdir stub
cat >stub/tee <<'END'
#!/bin/bash
read -r text || true
printf 'write %s to %s\n' "$text" "${1#"$TULLE_SYSFS"/bus/pci/}" >>"$TULLE_SYSFS/writes"
[[ ! -e $TULLE_SYSFS/refuses ]] || exit 1
printf '%s\n' "$text" >"$1"
case $1 in
*/unbind) rm "$TULLE_SYSFS/bus/pci/devices/$text/driver" ;;
*/drivers_probe)
    driver=$(<"$TULLE_SYSFS/bus/pci/devices/$text/driver_override")
    [[ -e $TULLE_SYSFS/stubborn ]] || [[ -z $driver ]] ||
        ln -s "../../../../bus/pci/drivers/$driver" "$TULLE_SYSFS/bus/pci/devices/$text/driver"
    ;;
esac
END
chmod +x stub/tee
export PATH=$PWD/stub:$PATH

driver() {
    [[ ! -e $devices/$1/driver ]] || basename "$(readlink "$devices/$1/driver")"
}

expect 0 'Usage: tulle-pci-bind' --help
expect 2 'status, bind or unbind?'
expect 2 'which function?' bind
expect 2 'no address' bind 0000:01:00
expect 2 "no command 'attach'" attach 0000:01:00.0
expect 2 'unknown option' bind --now 0000:01:00.0
expect 2 'needs a value' bind 0000:01:00.0 --owner
expect 2 'of bind' status --owner root
expect 1 'no such PCI function' status 0000:09:00.0
expect 0 "0000:01:00.0  8d54:0001  driver vfio-pci, IOMMU group 7, $TULLE_DEV/vfio/7" status
[[ $(wc -l <out) == 1 ]] || fail "status shows others: $(<out)"
expect 0 '0000:01:00.1  8086:1533  driver none, IOMMU group 7' status 01:00.1
expect 0 'is bound to vfio-pci' bind 0000:01:00.0
[[ ! -e $TULLE_SYSFS/writes ]] || fail "nothing was to be done: $(<"$TULLE_SYSFS/writes")"

drive 0000:01:00.0 nvme
expect 0 '0000:01:00.0: bound to vfio-pci, taken from nvme' bind 01:00.0
[[ $(driver 0000:01:00.0) == vfio-pci ]] || fail "it is not bound"
diff - "$TULLE_SYSFS/writes" <<'END' || fail "other writes (>) than wanted (<)"
write vfio-pci to devices/0000:01:00.0/driver_override
write 0000:01:00.0 to devices/0000:01:00.0/driver/unbind
write 0000:01:00.0 to drivers_probe
END
expect 0 'taken from vfio-pci, no other driver wants it' unbind 0000:01:00.0
[[ -z $(driver 0000:01:00.0) && -z $(<"$devices/0000:01:00.0/driver_override") ]] || fail "it is not let go"
expect 0 'is not bound to vfio-pci' unbind 0000:01:00.0

# Not Tulle's: only when told twice.
expect 1 'is 8086:1533, none of Tulle' bind 0000:01:00.1
[[ -z $(driver 0000:01:00.1) ]] || fail "it is bound"
expect 0 'bound to vfio-pci' bind --force 0000:01:00.1
TULLE_PCIE_IDS=8086:1533 expect 0 'taken from vfio-pci' unbind 0000:01:00.1
expect 1 'is 8086:2922' unbind 00:1f.2

: >"$TULLE_SYSFS/stubborn"
expect 1 'vfio-pci does not take it' bind 0000:01:00.0
[[ -z $(<"$devices/0000:01:00.0/driver_override") ]] || fail "the override stays after a failure"
: >"$TULLE_SYSFS/refuses"
expect 1 'this takes root' bind 0000:01:00.0
rm "$devices/0000:01:00.0/iommu_group" "$TULLE_SYSFS"/{refuses,stubborn}
expect 1 'no IOMMU group' bind 0000:01:00.0
join 0000:01:00.0 7
expect 0 "$TULLE_DEV/vfio/devices/vfio3 belongs to $(id -un)" bind --owner "$(id -un)" 0000:01:00.0
grep -qF "$TULLE_DEV/vfio/7 belongs to" out || fail "the group's node is forgotten: $(<out)"

# The manual page has every option and command, and mandoc, where it is installed, finds nothing.
page=$TOP/host/man/tulle-pci-bind.8
"$bind" --help | grep -o -e '--[a-z]*' | sort -u >helped
grep -o 'Fl -[a-z]*' "$page" | sed 's/Fl /-/' | sort -u | diff helped - || fail "options of the help (<) and of the page (>)"
! command -v mandoc >/dev/null || mandoc -Tlint -W warning "$page" >found || fail "$(<found)"

# One default id.
grep -q "PCIE_VENDOR_DEFAULT 0x$(sed -n 's/^IDS=\(....\):.*/\1/p' "$bind" | tr a-f A-F)" "$TOP/sim/board/pcie_layout.h" ||
    fail "tulle-pci-bind has another vendor than sim/board/pcie_layout.h"
grep -q "PCIE_DEVICE_DEFAULT 0x$(sed -n 's/^IDS=....:\(....\).*/\1/p' "$bind" | tr a-f A-F)" "$TOP/sim/board/pcie_layout.h" ||
    fail "tulle-pci-bind has another device than sim/board/pcie_layout.h"
