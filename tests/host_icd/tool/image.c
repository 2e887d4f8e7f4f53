/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_icd/tool/image.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/plan/writer.h"

void image_of_nothing(struct strbuf *image)
{
    struct variant tiny;
    struct diag diag = {0};
    struct writer writer;
    if (!variant_load_named("tiny", NULL, 0, &tiny, &diag)) {
        fprintf(stderr, "no variant tiny: %s\n", sb_text(&diag.text));
        exit(1);
    }
    writer_begin(&writer, &tiny);
    if (!writer_finish(&writer, 0, image)) {
        fprintf(stderr, "no program: %s\n", plan_message());
        exit(1);
    }
    writer_free(&writer);
}
