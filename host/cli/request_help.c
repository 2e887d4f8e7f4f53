/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/request_help.h"

#include <stdio.h>

static const char run_usage[] =
    "Usage: tulle run spmm|spmv|conv|dwconv|pool [OPTION]...\n"
    "\n"
    "Multiplies on a device, with operands from files or generated, and says what it took.\n";

static const char explain_usage[] =
    "Usage: tulle explain spmm|spmv|conv|dwconv|pool [OPTION]...\n"
    "\n"
    "Plans a product for a device and says what was chosen and why: the alternatives, with the cycles that\n"
    "were predicted, tiles and sizes. Nothing runs, unless --measure says so.\n";

static const char operands[] =
    "  spmm         C[rows][n] = A[rows][k] x W[k][n], W sparse; with --left A is the sparse one\n"
    "  spmv         y[rows] = W[rows][k] x, W sparse\n"
    "  conv         images with a sparse kernel for each channel of the results\n"
    "  dwconv       the same, each channel for itself\n"
    "  pool         the largest number or the average of each channel under a window\n"
    "\n"
    "Images and windows (conv, dwconv, pool)\n"
    "  --in HxWxC           height, width and channels of an image\n"
    "  --batch B            images (1)\n"
    "  --out-channels N     of the results, kernels (64; dwconv: as many as there are)\n"
    "  --kernel HxW         under the window (3x3); here and below one number is for both directions\n"
    "  --stride YxX         from a result to the next (1)\n"
    "  --dilation YxX       from a pixel under the window to the next (1)\n"
    "  --pad YxX            zeros around the images (0); or TOPxBOTTOMxLEFTxRIGHT\n"
    "  --groups G           of channels, each with its own part of the results (1)\n"
    "  --layout L           nhwc or nchw, of images and results (nhwc)\n"
    "  --weights-layout L   rows of the weights are (dy, dx, channel), nhwc, or (channel, dy, dx), nchw "
    "(nhwc)\n"
    "  --pool P             max or average\n"
    "\n"
    "Operands from files: Matrix Market, .smtx or .npy; - is standard input\n"
    "  --weights F          the sparse matrix, of conv a row for each kernel; zeros that are stored are left "
    "out\n"
    "  --left               of spmm: A is the sparse one\n"
    "  --transpose          F has it the other way round (.smtx of layers: outputs x inputs)\n"
    "  --input F            the other operand: A of spmm, with --left the right one, x of spmv, images\n"
    "  --initial F          sums to begin from, C0 or y0, as large as the result\n"
    "  --bias F             a number for each column of W (spmm), each row of the sparse matrix (others)\n"
    "  --random-values      places without values get values by --seed; otherwise they are all 1\n"
    "  --quantise           values that the device does not hold are scaled by the largest, to nearest\n"
    "\n"
    "Generated, where no file is given\n"
    "  --rows M --k K --n N sizes (64, 512, 512; spmv has no n); sizes that a file gives need not be given\n"
    "  --density D          of the sparse matrix (0.2)\n"
    "  --per-row P          so many in each column of W (spmm), each row (others) instead\n"
    "  --band H             and no further than H from the diagonal\n"
    "  --block B            full blocks of B x B, --density of them\n"
    "  --graph E            a graph of E edges, few nodes with many\n"
    "  --act-density D      of the other operand (1)\n"
    "  --seed S             of all this (1)\n"
    "\n"
    "What happens to the sums\n"
    "  --relu               negative results are 0\n"
    "  --scale X --zero Z   results are limit(round(sum x X) + Z), int8 unless --output-type int16\n"
    "  --output-type T      int8, int16, int32 or int64 (int32; int64 where accumulators are wider)\n"
    "  --wraps              sums may leave the accumulator, modulo its width; otherwise that is refused\n"
    "\n"
    "Device and plan\n"
    "  --device D           sim:NAME, sim:FOLDER, pcie:ADDRESS, serial:LINE or model:VARIANT, settings "
    "behind ';'\n"
    "                       (docs/opencl.md), or an OpenCL device's name or number; without it the first "
    "there is\n"
    "  --container F        what is on a device that does not say it itself\n"
    "  --mapping M          is, os or ws; without it the planner chooses\n"
    "  --split S            two of the letters m, n and k: over rows of the array and clusters of a row\n"
    "  --effort E           plans to try at most\n"
    "  --timeout S          seconds that a product may take (600)\n"
    "  --save F             the planned operator, for --load; written whole or not at all\n";

static const char run_rest[] =
    "  --load F             the operator that --save wrote, on a device of the same variant. Options of the\n"
    "                       weights and of the sums then say what --check compares with\n"
    "  --repeat R           so many times; the cycles are the fewest\n"
    "\n"
    "What comes of it\n"
    "  --output F           the result, .npy or .mtx by its name; written whole, when all is well\n"
    "  --check              compares every result with a plain computation\n"
    "  --float              operands and results are floats, brought to the device's integers; says how far "
    "results\n"
    "                       may be off, and with --check how far they are\n"
    "  --json               one JSON object on standard output\n"
    "  --quiet              nothing but errors\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0 done, 1 failed or wrong, 2 wrong usage.\n";

static const char explain_rest[] = "\n"
                                   "What comes of it\n"
                                   "  --measure            runs it too, and says what it took\n"
                                   "  --json               one JSON object on standard output\n"
                                   "  --quiet              nothing but errors\n"
                                   "  -h, --help           this text\n"
                                   "\n"
                                   "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

void request_help(bool runs)
{
    fputs(runs ? run_usage : explain_usage, stdout);
    fputs(operands, stdout);
    fputs(runs ? run_rest : explain_rest, stdout);
}
