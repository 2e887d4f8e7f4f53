/* SPDX-License-Identifier: Apache-2.0
 *
 * A job in a piece of device memory: every slot at a place of its own between
 * guard bytes, what is there before, and what must be there when it is over.
 */
#ifndef TULLE_TESTS_FUZZ_SCENE_H
#define TULLE_TESTS_FUZZ_SCENE_H

#include "sim/board/job.h"
#include "tests/fuzz/tool/subject.h"

struct scene {
    const struct subject *subject;
    struct board_job job;
    uint64_t base, bytes;
    uint8_t *before;
    uint64_t room[ISA_SLOTS]; /* bytes that each slot has for sure, whatever its size says */
};

/* At random places, by seed; sizes as the subject has them now. */
void scene_make(struct scene *scene, const struct subject *subject, uint64_t seed);
void scene_free(struct scene *scene);

/* The job as the models want it, in an image of the piece. A slot that claims more than the piece has gets
 * what there is. */
struct job scene_job(const struct scene *scene, uint8_t *image);

/* Where a byte of the image is: "output + 0x40", "the guard behind input". */
void scene_place(const struct scene *scene, uint64_t at, struct strbuf *to);

/* What a byte of the image is of; ISA_SLOTS: a guard. */
unsigned scene_slot(const struct scene *scene, uint64_t at);

#endif
