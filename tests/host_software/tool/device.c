/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/host_software/tool/device.h"

#include <stdlib.h>
#include <string.h>

#include "sim/board/registers.h"
#include "tests/fuzz/tool/scene.h"

enum { WATCHDOG = 200000, CYCLES_MOST = 4000000 };

static const struct board_api *const api = &board_sim;

struct board *device_open(const char *folder, char *why, size_t room)
{
    static const char *const no_settings[] = {NULL};
    return api->open(folder, no_settings, why, room);
}

void device_close(struct board *board)
{
    if (board)
        api->close(board);
}

bool device_run(struct board *board, const struct subject *subject, uint64_t seed, struct job *to)
{
    struct scene scene;
    struct job_result result = {.code = JOB_OK};
    scene_make(&scene, subject, seed);
    scene.job.cycles = CYCLES_MOST;
    uint8_t *image = malloc(scene.bytes);
    bool ok = image && !api->write_memory(board, scene.base, scene.before, scene.bytes) &&
              !api->write_register(board, register_offset("watchdog"), WATCHDOG) &&
              !board_job_run(api, board, &scene.job, &result) && result.code == JOB_OK &&
              !api->read_memory(board, scene.base, image, scene.bytes);
    for (unsigned i = 0; ok && i < ISA_SLOTS; i++)
        if (scene.room[i] && scene.job.slot[i].address >= scene.base)
            memcpy(to->slots[i].bytes, image + (scene.job.slot[i].address - scene.base), scene.room[i]);
    free(image);
    scene_free(&scene);
    return ok;
}
