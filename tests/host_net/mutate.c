/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_net/mutate.h"

#include <string.h>

void mutate(struct random *r, struct strbuf *bytes)
{
    static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff, '{', '}', '"', ':', 0x0a};
    for (unsigned changes = 1 + (unsigned)random_below(r, 3); changes && bytes->len > 1; changes--) {
        const size_t at = (size_t)random_below(r, bytes->len),
                     length = 1 + (size_t)random_below(r, bytes->len - at < 16 ? bytes->len - at : 16);
        switch (random_below(r, 6)) {
        case 0:
            bytes->text[at] = (char)(bytes->text[at] ^ (1 << random_below(r, 8)));
            break;
        case 1:
            bytes->text[at] = (char)values[random_below(r, sizeof values)];
            break;
        case 2:
            bytes->text[at] = (char)random_next(r);
            break;
        case 3:
            memmove(bytes->text + at, bytes->text + at + length, bytes->len - at - length);
            bytes->len -= length;
            break;
        case 4:
            sb_addn(bytes, "0123456789abcdef", length);
            memmove(bytes->text + at + length, bytes->text + at, bytes->len - at - length);
            break;
        default:
            memmove(bytes->text + at, bytes->text + random_below(r, bytes->len - length + 1), length / 2);
        }
    }
}
