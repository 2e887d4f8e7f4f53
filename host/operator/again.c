/* SPDX-License-Identifier: Apache-2.0 */
#include "host/operator/operator.h"
#include "host/plan/stay.h"

bool part_again(const struct variant *variant, const struct part *part, uint32_t number,
                struct strbuf *program, struct strbuf *again)
{
    const struct strbuf *own = &part->plan.program;
    if (!stay_program(variant, own, again))
        return false;
    sb_addn(program, own->text, own->len);
    if (!sb_ok(program))
        return false;
    stay_number(program, 0, number);
    stay_number(again, number, number);
    return true;
}
