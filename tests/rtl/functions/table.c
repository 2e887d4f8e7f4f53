/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes the rows of the table in rtl/tulle_curve_table.v, from the table of sim/numerics.
 */
#include <stdint.h>
#include <stdio.h>

#include "sim/numerics/tanh_table.h"

#define COUNT (sizeof tanh_knots / sizeof *tanh_knots)
#define ROW 8

/* The last knot first: bits of a constant count from the right. */
int main(void)
{
    for (size_t row = 0; row <= COUNT / ROW; row++) {
        size_t above = COUNT - row * ROW;
        printf("   ");
        for (size_t i = 0; i < ROW && i < above; i++)
            printf(" 16'd%u%s", tanh_knots[above - 1 - i], above - i > 1 ? "," : "");
        printf("\n");
    }
    return 0;
}
