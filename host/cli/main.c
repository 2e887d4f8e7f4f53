/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle`, the command for users of a device: finds the command that is asked
 * for and runs it.
 */
#include <stdio.h>
#include <string.h>

#include "gen/base/near.h"
#include "gen/version.h"
#include "host/cli/cli.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *text;
} commands[] = {
    {"advise", cli_advise, "recommend a variant for given matrices on a board"},
    {"bench", cli_bench, "run benchmark cases on the cycle model and simulated devices"},
    {"compile", cli_compile, "compile a network for a device"},
    {"convert", cli_convert, "convert a matrix file to another format"},
    {"devices", cli_devices, "list the devices, and why others cannot be used"},
    {"explain", cli_explain, "explain the plan of a product and the alternatives"},
    {"inspect", cli_inspect, "check a container and list its contents"},
    {"net", cli_net, "read a network file, describe it, write it as ONNX, run it"},
    {"pack", cli_pack, "make a container of a device"},
    {"program", cli_program, "load a container's bitstream into its board"},
    {"report", cli_report, "make an HTML page from the results of tulle bench"},
    {"run", cli_run, "run a product on a device and report its cycles"},
    {"software", cli_software, "write C or ONNX that gives the device's bits"},
    {"trace", cli_trace, "trace the packets, instructions and multiplications of a job"},
};
#define COMMANDS (sizeof commands / sizeof *commands)

static int help(void)
{
    puts("Usage: tulle COMMAND [ARGUMENT]...\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].text);
    puts("\n  -h, --help     this text; tulle help COMMAND describes a command\n"
         "  -V, --version  the version\n\n"
         "Exit status: 0 done, 1 failed, 2 wrong usage.");
    return CLI_DONE;
}

static int unknown(const char *name)
{
    const char *names[COMMANDS];
    for (size_t i = 0; i < COMMANDS; i++)
        names[i] = commands[i].name;
    const char *near = near_word(name, names, COMMANDS);
    fprintf(stderr, "error: there is no command \"%s\"", name);
    if (near)
        fprintf(stderr, "; did you mean %s?", near);
    fputs("\nTry tulle --help.\n", stderr);
    return CLI_USAGE;
}

static int run_command(int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[0], commands[i].name))
            return commands[i].run(argc, argv);
    return unknown(argv[0]);
}

/* tulle help COMMAND is tulle COMMAND --help. */
static int help_with(char *name)
{
    char asked[] = "--help";
    char *arguments[] = {name, asked, NULL};
    return run_command(2, arguments);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        fputs("error: a command is missing\nTry tulle --help.\n", stderr);
        return CLI_USAGE;
    }
    if (!strcmp(name, "help") && argc > 2)
        return help_with(argv[2]);
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        return help();
    if (!strcmp(name, "--version") || !strcmp(name, "-V")) {
        puts("tulle " TULLE_VERSION ", instruction set " TULLE_ISA_VERSION);
        return CLI_DONE;
    }
    return run_command(argc - 1, argv + 1);
}
