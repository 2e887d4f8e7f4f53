/* SPDX-License-Identifier: Apache-2.0
 *
 * formats-check [--keep] FILE [OUT]: reads a matrix, says what it is, and
 * writes it to OUT. With --keep a symmetric matrix stays half a matrix.
 */
#include <inttypes.h>
#include <string.h>

#include "host/formats/formats.h"

int main(int argc, char **argv)
{
    static const char *const values[] = {"pattern", "integer", "real"};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric"};
    const bool keep = argc > 1 && !strcmp(argv[1], "--keep");
    const struct read_options options = {.keep_symmetric = keep};
    char **files = argv + 1 + keep;
    const int count = argc - 1 - keep;
    struct matrix matrix;
    struct diag diag = {0};
    if (count < 1 || count > 2) {
        fputs("usage: formats-check [--keep] FILE [OUT]\n", stderr);
        return 2;
    }
    if (matrix_read(files[0], &options, &matrix, &diag))
        printf("%" PRIu32 " %" PRIu32 " %" PRIu64 " %s/%s\n", matrix.rows, matrix.columns,
               matrix_entries(&matrix), values[matrix.values], symmetries[matrix.symmetry]);
    if (!diag.errors && count == 2)
        matrix_write(files[1], NULL, &matrix, &diag);
    matrix_free(&matrix);
    const bool failed = diag_report(&diag, stderr);
    return failed;
}
