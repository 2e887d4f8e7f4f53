/* SPDX-License-Identifier: Apache-2.0
 *
 * The errors of networks as the message of a call.
 */
#include <string.h>

#include "host/lib/net.h"

enum tulle_status net_message(enum tulle_status status, const struct diag *diag)
{
    enum { ROOM = 440 };
    if (diag_lacks_memory(diag))
        return message_no_memory();
    struct strbuf text = {0};
    size_t shown = 0;
    for (const char *at = sb_text(&diag->text); *at; shown++) {
        const size_t length = strcspn(at, "\n");
        const char *word = strstr(at, " error: ");
        const size_t before = word && word < at + length ? (size_t)(word - at) : 0;
        if (shown && text.len + length > ROOM)
            break;
        sb_add(&text, shown ? "\n" : "");
        sb_addn(&text, at, before);
        sb_addn(&text, at + before + (before ? strlen(" error:") : 0),
                length - before - (before ? strlen(" error:") : 0));
        at += length + (at[length] == '\n');
    }
    if (shown < diag->errors)
        sb_addf(&text, "\nand %zu more; tulle net info lists them", diag->errors - shown);
    status = sb_ok(&text) ? message_set(status, "%s", sb_text(&text)) : message_no_memory();
    sb_free(&text);
    return status;
}
