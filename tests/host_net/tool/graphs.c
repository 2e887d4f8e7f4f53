/* SPDX-License-Identifier: Apache-2.0
 *
 * Usage: net-graph SEED FILE
 *
 * Writes a random quantised network of the tests as ONNX.
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/host_net/random_graphs.h"

int main(int argc, char **argv)
{
    if (argc != 3)
        return fputs("usage: net-graph SEED FILE\n", stderr), 2;
    struct random random = {strtoull(argv[1], NULL, 10)};
    graph_of_scales(&random, random_range(&random, 1, 4), false, argv[2]);
    return 0;
}
