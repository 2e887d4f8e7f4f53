/* SPDX-License-Identifier: Apache-2.0 */
#include "host/software/c.h"

#include <inttypes.h>

/* Floats as C has them exactly. */
static void put_factors(struct strbuf *to, const struct c_float *f)
{
    sb_addf(to, "static const float %s_factor[%" PRId64 "] = {", f->name, f->channels);
    for (int64_t c = 0; c < f->channels; c++)
        sb_addf(to, "%s%af", c == 0 ? "\n    " : c % 8 == 0 ? ",\n    " : ", ", (double)f->factors[c]);
    sb_add(to, "\n};\n\n");
}

void c_float(struct c_file *file, const struct c_float *f)
{
    struct strbuf *to = &file->body;
    const char *type = c_type(f->out_bytes, f->out_no_sign);
    put_factors(to, f);
    sb_addf(to,
            "/* %s */\nstatic void %s(const %s *in, %s *out)\n{\n"
            "    static int32_t sums[%" PRIu64 "];\n    %s(in, sums);\n"
            "    for (int32_t i = 0; i < %" PRIu64 "; i++) {\n"
            "        const float product = (float)((float)sums[i] * %s_factor[",
            f->comment, f->name, c_type(f->in_bytes, f->in_no_sign), type, f->elements, f->sums, f->elements,
            f->name);
    if (f->channels == 1)
        sb_add(to, "0");
    else if (f->pitch == 1)
        sb_addf(to, "i %% %" PRId64, f->channels);
    else
        sb_addf(to, "i / %" PRId64 " %% %" PRId64, f->pitch, f->channels);
    sb_addf(to,
            "]);\n        out[i] = (%s)limit(round_even(product) + %" PRId32 ", %" PRId32 ", %" PRId32
            ");\n    }\n}\n\n",
            type, f->zero, f->low, f->high);
}
