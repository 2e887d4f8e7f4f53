/* SPDX-License-Identifier: Apache-2.0
 *
 * The commands of `tulle`. Each is a main function of its own: argv[0] is its
 * name and its return value is the exit status.
 */
#ifndef TULLE_HOST_CLI_H
#define TULLE_HOST_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/base/options.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

int cli_advise(int argc, char **argv);
int cli_bench(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_net(int argc, char **argv);
int cli_compile(int argc, char **argv);
int cli_pack(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_inspect(int argc, char **argv);
int cli_program(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_software(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_convert(int argc, char **argv);

/* Prints the errors and a hint at --help; returns CLI_USAGE. */
int cli_usage(const char *command, struct diag *diag);

#endif
