#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# tulle devices --watch beside another process that runs a product: its counters, rates and end; tables and JSON.

# shellcheck source=tests/host_cli/watched.sh
source "$(dirname "$0")/watched.sh"
product=(run spmm --rows 8 --k 64 --n 32 --json --device)

# A device without a clock, and one with.
"$tulle" "${product[@]}" model:tiny >one
begin "${product[@]}" model:tiny --repeat 1000000
wait_for has_jobs 0
agrees_with one effective_macs bytes_read bytes_written
first=$(field jobs seen)
wait_for has_jobs "$first"
agrees_with one effective_macs bytes_read bytes_written
[[ $(field device seen) == model:tiny && $(field pes seen) == 8 && $(field variant seen) == tiny && $(field failures seen) == 0 ]] || fail "$(cat seen)"
[[ $(field cycles seen) == 0 && $(field utilization seen) == null ]] || fail "a clock: $(cat seen)"

# In a second sample, rates are of the time between the two.
does devices --watch --json --count 2 --interval 0.3
(($(wc -l <out) == 2)) || fail "not two samples: $(cat out)"
awk -v worker="$worker" '
    { match($0, "\"process\": " worker ",.*"); here = substr($0, RSTART) }
    { match(here, /"jobs": [0-9]+/); jobs[NR] = substr(here, RSTART + 8, RLENGTH - 8) + 0 }
    { match(here, /"open_seconds": [0-9.]+/); time[NR] = substr(here, RSTART + 16, RLENGTH - 16) + 0 }
    { match(here, /"jobs_per_second": [0-9.]+/); rate[NR] = substr(here, RSTART + 19, RLENGTH - 19) + 0 }
    END {
        for (i = 1; i <= 2; i++) {
            wanted = (jobs[i] - jobs[i - 1]) / (time[i] - time[i - 1])
            if (wanted <= 0 || rate[i] < 0.97 * wanted || rate[i] > 1.03 * wanted) {
                print "sample " i ": " rate[i] " jobs a second, not " wanted
                exit 1
            }
        }
    }' out || fail "$(cat out)"

# A table, and what a terminal gets.
does devices --watch --count 2 --interval 0.01
(($(grep -c '^device  ' out) == 2 && $(grep -c "^model:tiny  *$worker  *[0-9]" out) == 2)) || fail "$(cat out)"
! grep -q $'\033' out || fail 'a file gets what is for a terminal'
TERM=xterm script -qec "'$tulle' devices --watch --count 2 --interval 0.01" /dev/null </dev/null >terminal
(($(grep -ao $'\033\\[H\033\\[J' terminal | wc -l) == 2)) || fail "the terminal is not redrawn: $(od -c terminal | head)"
TERM=dumb script -qec "'$tulle' devices --watch --count 2 --interval 0.01" /dev/null </dev/null >terminal
! grep -aq $'\033' terminal || fail 'a terminal that cannot do so is redrawn'

# It goes on until it is stopped.
: >long
"$tulle" devices --watch --interval 0.05 >long &
watcher=$!
for _ in {1..600}; do
    (($(grep -c '^device  ' long) < 3)) || break
    sleep 0.1
done
killed "$watcher"
(($(grep -c '^device  ' long) >= 3)) || fail "$(cat long)"

# A process that was killed is gone, and so is its file.
[[ -n $(ls run/tulle) ]] || fail 'there is no file'
end
sample && fail "a process that was killed: $(cat seen)"
[[ -z $(ls run/tulle) ]] || fail "files stay: $(ls run/tulle)"

# A device with a clock: cycles, and the utilization that the product says.
"$tulle" "${product[@]}" 'model:tiny;timed=1' >one
begin "${product[@]}" 'model:tiny;timed=1' --repeat 1000000
wait_for has_jobs 2
agrees_with one cycles effective_macs
awk -v a="$(field utilization seen)" -v b="$(field utilization one)" 'BEGIN { exit a - b > 0.001 || b - a > 0.001 }' ||
    fail "utilization $(field utilization seen) of jobs with $(field utilization one)"
end
sample && fail "a process that was killed: $(cat seen)"

# A process that is not to be seen, and one that ends by itself.
TULLE_MONITOR=off "$tulle" "${product[@]}" model:tiny >switched
cmp -s <(field effective_macs switched) <(field effective_macs one) || fail 'other results'
"$tulle" "${product[@]}" model:tiny >/dev/null
[[ ! -e run/tulle ]] || fail "ended processes leave: $(ls -d run/tulle run/tulle/*)"

# Without a place for the files everything runs, and the reason can be seen.
ln -s /nowhere run/tulle
"$tulle" "${product[@]}" model:tiny >linked || fail 'a link in the place of the folder'
does devices --watch --count 1
grep -q "^not shown: .*/run/tulle: it is no folder" out || fail "$(cat out)"
does devices --watch --count 1 --json
grep -q '"file": ".*/run/tulle", "why": "it is no folder' out || fail "$(cat out)"

refuses 2 '--watch shows the devices in use, without a list' devices model:tiny --watch
refuses 2 '--interval and --count go with --watch' devices --count 1
refuses 2 '--interval and --count go with --watch' devices --interval 2
refuses 2 '--interval 0: a number from' devices --watch --interval 0
refuses 2 '--count 0: allowed 1..' devices --watch --count 0
"$tulle" devices --watch --count 1 >/dev/full 2>err && fail 'a full disk, and done'
grep -q 'error: standard output cannot be written' err || fail "$(cat err)"
