/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WIDTH 24
#define SECONDS_BETWEEN 0.1
#define SECONDS_SHOWN 1 /* a step that takes longer says for how long it does */

double progress_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

struct progress progress_begin(unsigned steps, bool quiet)
{
    const char *terminal = getenv("TERM");
    return (struct progress){.on =
                                 !quiet && isatty(STDERR_FILENO) && terminal && strcmp(terminal, "dumb") != 0,
                             .steps = steps,
                             .what = ""};
}

static void draw(struct progress *p, double part)
{
    char bar[WIDTH + 1];
    double done = p->step ? (p->step - 1 + part) / p->steps : 0;
    unsigned full = done < 1 ? (unsigned)(done * WIDTH) : WIDTH;
    memset(bar, '-', WIDTH);
    memset(bar, '#', full);
    bar[WIDTH] = 0;
    p->drawn = progress_clock();
    fprintf(stderr, "\r\033[K[%s] %.36s", bar, p->what);
    if (p->drawn - p->begun > SECONDS_SHOWN)
        fprintf(stderr, ", %.0f s", p->drawn - p->begun);
    fflush(stderr);
}

void progress_step(struct progress *p, const char *what)
{
    p->what = what;
    p->begun = progress_clock();
    p->step += p->step < p->steps;
    if (p->on)
        draw(p, 0);
}

void progress_tick(struct progress *p, double part)
{
    if (p->on && progress_clock() - p->drawn >= SECONDS_BETWEEN)
        draw(p, part > 0 ? part : 0);
}

void progress_end(struct progress *p)
{
    if (p->on)
        fputs("\r\033[K", stderr);
    p->on = false;
}
