/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle program`: passes the bitstream in a container to the board's loader
 * program and reports the result. The loader's output is passed on, and its
 * exit status decides.
 */
#define _GNU_SOURCE /* mkdtemp */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/cli/boards.h"
#include "host/cli/cli.h"
#include "host/container/container.h"

extern char **environ;

static const char help[] =
    "Usage: tulle program CONTAINER [--flash] [--loader COMMAND] [--patience SECONDS] [--print]\n"
    "       tulle program --list\n"
    "\n"
    "Loads the bitstream in a container into its board with the board's usual loader program, which must\n"
    "be installed. Without --flash the configuration is lost when the board is switched off.\n"
    "\n"
    "      --flash             write it to the board's flash memory, where it stays\n"
    "      --loader COMMAND    use this loader instead of the board's: a program and its arguments,\n"
    "                          separated by spaces; the bitstream's file is added as the last argument\n"
    "      --patience SECONDS  stop a loader that takes longer, 1 to 3600 (600)\n"
    "      --print             print the command and run nothing\n"
    "      --list              list the known boards and their loaders\n"
    "  -h, --help              this text\n"
    "\n"
    "Exit status: 0 the loader succeeded, 1 it failed or could not be run, 2 wrong usage.\n";

#define WORDS 32
#define PATIENCE 600
#define GRACE_MS 2000 /* from asking a loader to end until it is made to */
#define POLL_MS 20

struct request {
    const char *container, *loader;
    bool flash, print;
    int64_t patience;
};

/* ---- boards ----------------------------------------------------------------------------------------- */

static int list(void)
{
    for (size_t i = 0; i < board_source_count; i++) {
        struct strbuf text = {0}, loader = {0};
        board_value(&board_sources[i], "text", &text);
        board_value(&board_sources[i], "loader", &loader);
        printf("%-12s %s; %s\n", board_sources[i].name, sb_text(&text), sb_text(&loader));
        sb_free(&text);
        sb_free(&loader);
    }
    return CLI_DONE;
}

/* ---- the loader's command ------------------------------------------------------------------------------ */

/* Cuts the text at its spaces; false when there are too many words or none. */
static bool split(char *text, char *words[WORDS])
{
    unsigned count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (count == WORDS - 2) /* the file and the end */
            return false;
        words[count++] = word;
    }
    words[count] = NULL;
    return count != 0;
}

static bool find_command(const struct request *r, const struct container *c, const struct board_source *board,
                         struct strbuf *command, struct strbuf *why)
{
    if (r->loader) {
        sb_add(command, r->loader);
    } else if (board) {
        board_value(board, "loader", command);
    } else {
        sb_addf(why, "%s is for the board %s, whose loader is not known: name it with --loader", r->container,
                c->board);
        return false;
    }
    if (r->flash && board) {
        sb_add(command, " ");
        board_value(board, "flash", command);
    } else if (r->flash) {
        sb_addf(why, "--flash: not known how, for the board %s: put it into --loader", c->board);
        return false;
    }
    return true;
}

/* ---- running it
 * -------------------------------------------------------------------------------------------- */

static void nap(void)
{
    struct timespec time = {.tv_nsec = POLL_MS * 1000000L};
    nanosleep(&time, NULL);
}

static bool ended(pid_t pid, int64_t ms, int *status)
{
    for (int64_t waited = 0; waited < ms; waited += POLL_MS) {
        if (waitpid(pid, status, WNOHANG) == pid)
            return true;
        nap();
    }
    return false;
}

/* Waits for the loader as long as it may take; a signal from the keyboard is the loader's to answer. */
static bool wait_for(pid_t pid, const struct request *r, const char *name, struct strbuf *why)
{
    int status;
    if (!ended(pid, r->patience * 1000, &status)) {
        kill(pid, SIGTERM);
        if (!ended(pid, GRACE_MS, &status)) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
        }
        sb_addf(why, "%s was ended: it took longer than %lld seconds (--patience)", name,
                (long long)r->patience);
        return false;
    }
    if (WIFSIGNALED(status))
        sb_addf(why, "%s was ended by signal %d", name, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        sb_addf(why, "%s ended with exit status %d: the board has not been loaded", name,
                WEXITSTATUS(status));
    return status == 0;
}

static bool run(char *words[WORDS], const struct request *r, const struct board_source *board,
                struct strbuf *why)
{
    posix_spawnattr_t attributes;
    sigset_t interrupt;
    pid_t pid;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigdefault(&attributes, &interrupt);
    signal(SIGINT, SIG_IGN);
    fflush(stdout);
    int error = posix_spawnp(&pid, words[0], NULL, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    bool ok = !error && wait_for(pid, r, words[0], why);
    signal(SIGINT, SIG_DFL);
    if (error) {
        sb_addf(why, "%s cannot be run: %s", words[0], strerror(error));
        if (error == ENOENT && board && !r->loader) {
            sb_add(why, "; install the package ");
            board_value(board, "package", why);
        }
    }
    return ok;
}

/* ---- the file that it takes ---------------------------------------------------------------------------- */

static bool write_all(int fd, const uint8_t *bytes, size_t size)
{
    while (size) {
        ssize_t wrote = write(fd, bytes, size);
        if (wrote < 0 && errno != EINTR)
            return false;
        if (wrote > 0) {
            bytes += wrote;
            size -= (size_t)wrote;
        }
    }
    return true;
}

static bool write_payload(const char *path, const struct container *c, struct strbuf *why)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_all(fd, c->payload, c->payload_bytes);
    if (!ok)
        sb_addf(why, "%s cannot be written: %s", path, strerror(errno));
    if (fd >= 0 && close(fd) != 0 && ok) {
        sb_addf(why, "%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    return ok;
}

/* The loader's command with the payload as a file, which is gone afterwards. */
static bool load(char *words[WORDS], const struct request *r, const struct container *c,
                 const struct board_source *board, struct strbuf *why)
{
    const char *root = getenv("TMPDIR");
    struct strbuf folder = {0}, file = {0};
    sb_addf(&folder, "%s/tulle-XXXXXX", root && *root ? root : "/tmp");
    bool ok = sb_ok(&folder) && mkdtemp(folder.text);
    if (!ok)
        sb_addf(why, "%s cannot be made: %s (set TMPDIR)", sb_text(&folder), strerror(errno));
    if (ok) {
        unsigned last = 0;
        while (words[last])
            last++;
        /* Loaders go by what a file is called. */
        sb_addf(&file, "%s/%s-%s.", sb_text(&folder), c->board, c->variant.name);
        if (board)
            board_value(board, "suffix", &file);
        else
            sb_add(&file, "bit");
        words[last] = file.text;
        words[last + 1] = NULL;
        ok = sb_ok(&file) && write_payload(file.text, c, why) && run(words, r, board, why);
        unlink(sb_text(&file));
        rmdir(folder.text);
    }
    sb_free(&folder);
    sb_free(&file);
    return ok;
}

static bool program_container(const struct request *r, const struct container *c, struct strbuf *why)
{
    const struct board_source *board = board_named(c->board);
    struct strbuf command = {0};
    char *words[WORDS];
    if (c->kind != CONTAINER_BITSTREAM) {
        sb_addf(why, "%s has no bitstream but is of the kind %s", r->container, container_kind_name(c->kind));
        return false;
    }
    bool ok = find_command(r, c, board, &command, why);
    if (ok && r->print) {
        printf("%s FILE\n", sb_text(&command));
    } else if (ok) {
        ok = sb_ok(&command) && split(command.text, words);
        if (!ok)
            sb_addf(why, "--loader: a program and at most %d arguments", WORDS - 3);
        ok = ok && load(words, r, c, board, why);
        if (ok)
            printf("%s has %s (%s): %zu bytes\n", c->board, c->variant.name,
                   r->flash ? "to stay" : "until it is switched off", c->payload_bytes);
    }
    sb_free(&command);
    return ok;
}

static int program(const struct request *r)
{
    struct strbuf bytes = {0}, why = {0};
    struct container c;
    bool ok = container_load(r->container, &bytes, &c, &why) && program_container(r, &c, &why);
    if (!ok)
        fprintf(stderr, "error: %s\n", sb_text(&why));
    sb_free(&bytes);
    sb_free(&why);
    return ok ? CLI_DONE : CLI_FAILED;
}

int cli_program(int argc, char **argv)
{
    struct request r = {.patience = PATIENCE};
    const char *patience = NULL;
    bool asked = false, boards = false;
    struct diag diag = {0};
    const struct option_entry options[] = {
        {.name = "--flash", .flag = &r.flash},
        {.name = "--loader", .value = &r.loader, .example = "\"openFPGALoader --board ulx3s\""},
        {.name = "--patience", .value = &patience, .number = &r.patience, .min = 1, .max = 3600},
        {.name = "--print", .flag = &r.print},
        {.name = "--list", .flag = &boards},
        {.name = "--help", .letter = "-h", .flag = &asked},
        {.name = NULL}};
    options_read(argc, argv, options, &(struct option_rest){&r.container, 1, NULL}, &diag);
    if (!asked && !boards && !r.container)
        diag_error(&diag, (struct place){0}, "which container? give a file, or --list");
    if (diag.errors && !asked)
        return cli_usage("program", &diag);
    diag_free(&diag);
    if (asked) {
        fputs(help, stdout);
        return CLI_DONE;
    }
    return boards ? list() : program(&r);
}
