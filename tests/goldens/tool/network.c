/* SPDX-License-Identifier: Apache-2.0
 *
 * Networks that are one chain: keys begin with the kind of a layer and its number, CONV_2D_1_, files with the
 * same behind another word, layer_1_conv_2d_. A number that is missing is a layer that only reshapes.
 */
#include <stdio.h>

#include "tests/goldens/tool/operators.h"

enum { LAYERS_MOST = 64, NAME_MOST = 64 };

static const struct {
    const char *key, *file;
    void (*compute)(struct golden *golden, struct answer *answer);
} kinds[] = {
    {"CONV_2D", "conv_2d", convolution},
    {"DEPTHWISE_CONV_2D", "depthwise_conv_2d", depthwise_convolution},
    {"AVERAGE_POOL_2D", "average_pool_2d", average_pooling},
    {"FULLY_CONNECTED", "fully_connected", fully_connected},
    {"SOFTMAX", "softmax", softmax},
};

/* `values` is the input of the layer with this number, and then its result. */
static void take_layer(struct golden *golden, unsigned number, struct numbers *values)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char keys[NAME_MOST], files[NAME_MOST];
        struct answer answer = {.type = ""};
        snprintf(keys, sizeof keys, "%s_%u_", kinds[k].key, number);
        snprintf(files, sizeof files, "layer_%u_%s_", number, kinds[k].file);
        const struct scope scope = {.keys = keys, .files = files, .input = *values};
        golden->scope = &scope;
        if (golden_has(golden, "DST_SIZE")) {
            kinds[k].compute(golden, &answer);
            *values = answer.expected;
            values->values = answer.values;
        }
        golden->scope = NULL;
    }
}

void network(struct golden *golden, struct answer *answer)
{
    struct numbers values =
        golden_input(golden, "input", (size_t)golden_number(golden, "CONV_2D_1_INPUT_SIZE", 1, SIZE_MOST));
    for (unsigned n = 1; n <= LAYERS_MOST && !golden->diag->errors; n++)
        take_layer(golden, n, &values);
    golden_expect(golden, answer, values.count);
    answer->values = values.values;
    answer->type = "int8";
}
