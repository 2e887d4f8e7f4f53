# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Python programs that run networks with what others wrote: ONNX Runtime, OpenCV. Sourced after debian.sh. Where this system
# has no such module, a minimal system of Debian 13 has it, which is kept in CACHE.

# Debian's Python has the modules of the distribution; another one may come first in PATH.
PYTHON=${PYTHON:-/usr/bin/python3}

# judge_open MODULE: of this system's Python, or of the other system's; skips where neither can be had.
judge_open() {
    JUDGE_ROOT=''
    ! "$PYTHON" -c "import onnx.reference, $1" >/dev/null 2>&1 || return 0
    keep_system trixie judges "Python module $1" usr/lib/python3/dist-packages/onnxruntime/__init__.py \
        python3-onnxruntime python3-onnx python3-opencv
    JUDGE_ROOT=$CACHE/trixie-judges
}

# judge FOLDER SCRIPT ARGUMENT...: runs the script, which lies in the folder, from there. ONNX must be loaded before ONNX
# Runtime, and reports each of its schemas twice then, which is dropped.
judge() {
    local folder=$1
    shift
    if [[ -z $JUDGE_ROOT ]]; then
        (cd "$folder" && exec "$PYTHON" "$@")
    else
        inside_with "$JUDGE_ROOT" "$folder" python3 "$@"
    fi
}
