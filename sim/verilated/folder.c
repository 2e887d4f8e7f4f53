/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/verilated/folder.h"

#include "sim/model/model.h"

bool row_folder_load(const char *folder, struct variant *variant, const struct row_api **api,
                     struct strbuf *why)
{
    struct strbuf path = {0};
    struct diag diag = {0};
    const char *reason = NULL;
    sb_addf(&path, "%s/variant.yaml", folder);
    bool ok = variant_load_file(sb_text(&path), NULL, 0, variant, &diag);
    if (!ok)
        sb_add(why, sb_text(&diag.text));
    diag_free(&diag);
    sb_free(&path);
    if (!ok)
        return false;
    sb_addf(&path, "%s/row.so", folder);
    *api = row_load(sb_text(&path), &reason);
    if (*api && (*api)->variant != model_variant_hash(variant))
        reason = "row.so and variant.yaml are not of the same variant";
    if (reason)
        sb_addf(why, "%s: %s", sb_text(&path), reason);
    sb_free(&path);
    return !reason;
}
