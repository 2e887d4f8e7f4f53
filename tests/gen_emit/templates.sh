#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The build's check of templates finds no fault in those of the tree, and names file and line of every fault
# that is put into them.
# shellcheck source=tests/gen_emit/support.sh
source "${BASH_SOURCE[0]%/*}/support.sh"

CHECK=$BUILD/gen/check-templates
"$CHECK" "$TOP"/gen/templates/* || fail "the templates of the tree have faults"

# broken TEXT MESSAGE...: with TEXT at the end of tulle_array.v these are the messages, @N being line N of TEXT.
broken() {
    local text=$1 message expected='' line
    shift
    rm -rf broken
    cp -r "$TOP/gen/templates" broken
    line=$(wc -l <broken/tulle_array.v)
    printf '%s\n' "$text" >>broken/tulle_array.v
    for message in "$@"; do
        [[ $message != @* ]] || message="broken/tulle_array.v:$((line + ${message:1:1})):${message:2}"
        expected+=$message$'\n'
    done
    if "$CHECK" broken/* >broken.out 2>broken.err; then fail "accepted: $text"; fi
    [[ ! -s broken.out ]] || fail "a message on standard output: $text"
    diff <(printf %s "$expected") broken.err || fail "other messages: $text"
}

# shellcheck disable=SC2016 # nothing is to be expanded
{
    broken '${nonsense}' '@1 error: unknown name "nonsense"'
    broken $'//: if n\n${nonsense}\n//: else\n${nonsense-1}\n//: end' \
        '@2 error: unknown name "nonsense"' '@4 error: unknown name "nonsense-1"'
    broken '//: for i < nonsense' '@1 error: unknown name "nonsense"' '@1 error: this "for" has no "end"' \
        '@1 error: the loop variable "i" is not used'
    broken '{${bit${i} for i < nonsense}}' '@1 error: unknown name "nonsense"'
    broken '${n*2}' '@1 error: "n*2" is not a name, name[index], name+number or name-number'
    broken 'a ${n' '@1 error: a brace is not closed'
    broken '${i}' '@1 error: unknown name "i"'
    broken '${,}' '@1 error: ${,} stands in no loop'
    broken $'//: for i < n\nsame\n//: end' '@3 error: the loop variable "i" is not used'
    broken '//: for n' '@1 error: a loop is written "i < count" or "first <= i < count"' \
        '@1 error: this "for" has no "end"'
    broken $'//: if n\ntext' '@1 error: this "if" has no "end"'
    broken $'//: for i < n\n//: if n\n${i}\n//: end' '@1 error: this "for" has no "end"'
    broken $'//: if n\n//: else\n//: else\n//: end' '@3 error: an "else" in an "if" that has one' \
        '@4 error: an "end" that ends nothing'
    broken '//: end' '@1 error: an "end" that ends nothing'
    broken '//: wile n' '@1 error: unknown directive "wile"'
    broken '//: include nonsense.v' '@1 error: there is no template "nonsense.v" to include'
    broken '//: include control_pins.v x=1' '@1 error: "control_pins.v" does not use the name "x"'
}

cp -r "$TOP/gen/templates" endless
echo '//: include endless.v' | tee endless/endless.v >>endless/tulle_array.v
if "$CHECK" endless/* 2>endless.err; then fail "accepted an include of itself"; fi
[[ $(<endless.err) == 'endless/endless.v:1: error: templates include each other without end' ]] ||
    fail "another message for an include of itself: $(<endless.err)"

cp -r "$TOP/gen/templates" unused
echo text >unused/extra.v
# shellcheck disable=SC2016
sed -i '/{format_title\[f\]}/d' unused/tulle_decode.v
rm unused/tulle_row.v
# shellcheck disable=SC2016
sed -i 's,${timeout},1,' unused/tulle_tb.v
sed -i 's,`TULLE_WRITE_EVERY_CYCLE,1,' unused/tulle_top.v
loop=$(grep -n -m1 'for f <' unused/tulle_decode.v | cut -d: -f1)
if "$CHECK" unused/* 2>unused.err; then fail "accepted what is not used"; fi
diff unused.err - <<END || fail "other messages for what is not used"
unused/tulle_decode.v:$((loop + 1)): error: the loop variable "f" is not used
unused/tulle_decode.v: error: the value "format_title", which template_list.c gives it, is not used
error: there is no gen/templates/tulle_row.v, which template_list.c names
unused/extra.v: error: the template is neither in template_list.c nor included
gen/emit/values.c: error: no template uses the value "write_every_cycle"
gen/emit/values.c: error: no template uses the value "timeout"
END
