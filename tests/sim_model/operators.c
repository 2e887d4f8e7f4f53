/* SPDX-License-Identifier: Apache-2.0
 *
 * Random operators on the functional model against plain computations.
 */
#include <criterion/criterion.h>

#include "tests/gen_base/rounds.h"
#include "tests/sim_model/tile.h"

/* Reproduce a failure: TULLE_TILE_SEED=<seed> TULLE_TILES=1 build/tests/sim_model --filter '*tiles*' */
Test(operators, tiles)
{
    uint64_t seed = from_environment("TULLE_TILE_SEED", 1),
             count = from_environment("TULLE_TILES", FEWER_ROUNDS(6000));
    for (uint64_t i = 0; i < count; i++) {
        struct random dice = {seed + i};
        struct variant v = tile_variant(&dice);
        struct tile tile;
        tile_make(&tile, &dice, &v);
        struct job_result result = run_model(&v, &tile.slots);
        expect_traffic(&v, &tile.slots, &result);
        tile_expect(&tile, &result, seed + i);
        tile_free(&tile);
    }
}
