#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Bad variants and bad places to write to: each gives a message that names the cause, the exit status for a
# failure, and no trace in the file system.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

"$GEN" tiny --print >good.yaml
mkdir out

# try REGEX VARIANT [OPTION...]: refused, and out/ is still empty.
try() {
    local regex=$1 variant=$2
    shift 2
    refuse 1 "$regex" "$GEN" "$variant" -o out/folder "$@"
    nothing_left out
}

# ---- variants ----

try 'no variant is named "tinny"; did you mean "tiny"' tinny
try 'missing\.yaml: error: cannot open: No such file' ./missing.yaml
mkdir folder.yaml
try 'folder\.yaml: error: .*Is a directory' folder.yaml
head -c 700 good.yaml >truncated.yaml
try 'truncated\.yaml.*key "[a-z_]+"' truncated.yaml
: >empty.yaml
try 'empty\.yaml' empty.yaml
truncate -s 100M huge.yaml
try 'huge\.yaml: error: larger than [0-9]+ bytes' huge.yaml
head -c 4096 "$GEN" >binary.yaml
try 'binary\.yaml' binary.yaml
{
    cat good.yaml
    echo 'n: 3'
} >twice.yaml
try "twice\.yaml:$(wc -l <twice.yaml):1: error: key \"n\"" twice.yaml
sed 's/^n: .*/n: 17/; s/^k: .*/k: 0/' good.yaml >range.yaml
try 'range\.yaml:[0-9]+:[0-9]+: error: key "n": 17 is not allowed: 1\.\.16' range.yaml
try 'range\.yaml:[0-9]+:[0-9]+: error: key "k": 0 is not allowed' range.yaml # both at once
try 'key "acc_width"' good.yaml --set acc_width=999
try '"nonsense"' good.yaml --set nonsense=1
try 'set' good.yaml --set n
if ((EUID != 0)); then
    cp good.yaml secret.yaml
    chmod 000 secret.yaml
    try 'secret\.yaml: error: cannot open: Permission denied' secret.yaml
fi

# ---- places ----

refuse 1 'cannot write into the folder "no/such": No such file' "$GEN" tiny -o no/such/folder
: >file
refuse 1 'file: error: is not a folder' "$GEN" tiny -o file
refuse 1 'Not a directory' "$GEN" tiny -o file/folder
mkdir foreign
echo mine >foreign/notes
refuse 1 'foreign: error: is neither empty nor an earlier output' "$GEN" tiny -o foreign
nothing_left foreign notes
refuse 1 'error: the output has an empty name' "$GEN" tiny -o ''

# A folder that nobody may write to: one without permission, or for root one that takes no files at all.
closed=/proc
if ((EUID != 0)); then
    mkdir -m 555 closed
    closed=closed
fi
refuse 1 "cannot write into the folder \"$closed\"" "$GEN" tiny -o "$closed/folder"

# A disk with less room than the output needs: a small file system where one can be mounted, and in any case a
# limit on the size of files.
limited() (
    trap '' XFSZ
    ulimit -f 4
    exec "$@"
)
refuse 1 'out/folder/[a-zA-Z_./]+: error: cannot write: File too large' limited "$GEN" tiny -o out/folder
nothing_left out
"$GEN" tiny -o out/folder >/dev/null
before=$(cd out/folder && find . -type f -exec cksum {} + | sort)
refuse 1 'cannot write: File too large' limited "$GEN" base -o out/folder
nothing_left out folder
[[ $(cd out/folder && find . -type f -exec cksum {} + | sort) == "$before" ]] || fail "the earlier output changed"

mkdir disk
if ((EUID == 0)) && mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    trap 'umount "$TMPDIR/disk"' EXIT
    refuse 1 'disk/folder/[a-zA-Z_./]+: error: cannot write: No space left' "$GEN" wide -o disk/folder
    nothing_left disk
fi
