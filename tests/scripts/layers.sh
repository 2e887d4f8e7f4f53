#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# scripts/check-layers passes on this tree and finds each kind of edge against the direction.

# shellcheck source=scripts/lib.sh
source "$TOP/scripts/lib.sh"

"$TOP/scripts/check-layers"

# finds FILE LINE MESSAGE: with the line at the end of the file, the script fails with the message.
finds() {
    local copy=$TMPDIR/copy
    rm -rf "$copy" && mkdir -p "$copy/docs"
    cp -r "$TOP"/{gen,sim,host} "$copy"
    mkdir -p "$copy/tests/bench"
    cp "$TOP"/tests/tests.mk "$copy/tests" && cp "$TOP"/tests/bench/bench.mk "$copy/tests/bench"
    cp "$TOP"/docs/architecture.md "$copy/docs"
    echo "$2" >>"$copy/$1"
    ! "$TOP/scripts/check-layers" "$copy" >"$TMPDIR/out" || die "$1 with $2 passes"
    grep -qF "$3" "$TMPDIR/out" || die "$1 with $2: no message '$3' in $(cat "$TMPDIR/out")"
}

finds gen/base/diag.c '#include "sim/model/model.h"' 'gen/base/diag.c uses sim/model/model.h: a floor above its own'
finds sim/board/board.c '#include "host/plan/planner.h"' 'a floor above its own'
finds host/cli/main.c '#include "tests/sim_model/support.h"' 'a floor above its own'
finds host/plan/writer.c '#include "host/lib/library.h"' 'host/plan/writer.c uses host/lib/library.h: the table does not allow it'
finds sim/model/model.c '#include "sim/cycle/cycle.h"' 'the table does not allow it'
# shellcheck disable=SC2016 # make expands it
finds sim/sim.mk 'X := $(HOST_LIBS)' 'sim/sim.mk uses host/host.mk: a floor above its own'
finds host/host.mk 'Y := tests/bench/tool/plan.c' 'a floor above its own'
