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
# Runtime, and reports each of its schemas twice then, which is dropped. `from judge_session import open_session` gives it
# open_session(PATH): on x86 without VNNI, ONNX Runtime's sums of two products of uint8 and int8 saturate unless the session says otherwise.
judge() {
    local folder=$1
    shift
    cat >"$folder/judge_session.py" <<'P'
import onnx.reference, onnxruntime

def open_session(path):
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.x64quantprecision", "1")
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
P
    if [[ -z $JUDGE_ROOT ]]; then
        (cd "$folder" && exec "$PYTHON" "$@")
    else
        inside_with "$JUDGE_ROOT" "$folder" python3 "$@"
    fi
}
