/* SPDX-License-Identifier: Apache-2.0
 *
 * Work is cut into more pieces than there are threads, and each thread takes the next one: a thread that
 * the system delays holds up one piece.
 */
#include "host/net/cpu/crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* Of a thread; and what is too little work to wake others for, in nanoseconds. */
enum { PIECES = 4, SMALL = 50000 };

struct work {
    crew_function *function;
    const void *context;
    int64_t count, pieces;
};

struct crew {
    pthread_mutex_t lock; /* guards all that follows */
    pthread_cond_t called, done;
    unsigned wanted, started; /* threads beside the caller's */
    pthread_t *threads;
    struct work work;
    int64_t next, finished; /* pieces */
    bool failed, ends;
};

/* Does the next piece, with the lock held before and after it. False: none is left. */
static bool take_piece(struct crew *crew)
{
    const struct work w = crew->work;
    const int64_t piece = crew->next;
    if (piece == w.pieces)
        return false;
    crew->next++;
    pthread_mutex_unlock(&crew->lock);
    const bool ok = w.function(w.context, w.count * piece / w.pieces, w.count * (piece + 1) / w.pieces);
    pthread_mutex_lock(&crew->lock);
    crew->failed |= !ok;
    if (++crew->finished == w.pieces)
        pthread_cond_signal(&crew->done);
    return true;
}

static void *help(void *argument)
{
    struct crew *crew = argument;
    pthread_mutex_lock(&crew->lock);
    while (!crew->ends)
        if (!take_piece(crew))
            pthread_cond_wait(&crew->called, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Signals are the application's threads' to take. */
static void start(struct crew *crew)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew->started < crew->wanted &&
           pthread_create(&crew->threads[crew->started], NULL, help, crew) == 0)
        crew->started++;
    crew->wanted = crew->started;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct crew *crew_new(unsigned threads)
{
    struct crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    crew->wanted = threads ? threads - 1 : 0;
    crew->threads = calloc(crew->wanted + 1, sizeof *crew->threads);
    if (!crew->threads) {
        free(crew);
        return NULL;
    }
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->called, NULL);
    pthread_cond_init(&crew->done, NULL);
    return crew;
}

void crew_free(struct crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->ends = true;
    pthread_cond_broadcast(&crew->called);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->started; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_mutex_destroy(&crew->lock);
    pthread_cond_destroy(&crew->called);
    pthread_cond_destroy(&crew->done);
    free(crew->threads);
    free(crew);
}

static bool share(struct crew *crew, const struct work *work)
{
    pthread_mutex_lock(&crew->lock);
    start(crew);
    crew->work = *work;
    crew->next = crew->finished = 0;
    crew->failed = false;
    pthread_cond_broadcast(&crew->called);
    while (take_piece(crew)) {
    }
    while (crew->finished < crew->work.pieces)
        pthread_cond_wait(&crew->done, &crew->lock);
    const bool ok = !crew->failed;
    pthread_mutex_unlock(&crew->lock);
    return ok;
}

bool crew_share(struct crew *crew, int64_t count, int64_t cost, crew_function *function, const void *context)
{
    if (!crew || !crew->wanted || count < 2 || count <= SMALL / (cost > 0 ? cost : 1))
        return count < 1 || function(context, 0, count);
    const int64_t most = PIECES * ((int64_t)crew->wanted + 1);
    return share(crew, &(struct work){function, context, count, count < most ? count : most});
}
