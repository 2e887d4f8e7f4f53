/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/cli.h"

int cli_usage(const char *command, struct diag *diag)
{
    diag_report(diag, stderr);
    fprintf(stderr, "Try tulle %s --help.\n", command);
    return CLI_USAGE;
}
