/* SPDX-License-Identifier: Apache-2.0 */
#include "host/cli/request_help.h"

#include <stdio.h>

static const char run_usage[] =
    "Usage: tulle run spmm|spmv|conv|dwconv|pool|softmax [OPTION]...\n"
    "\n"
    "Multiplies on a device and reports the cycles and the efficiency. Operands are read from files or\n"
    "generated.\n";

static const char explain_usage[] =
    "Usage: tulle explain spmm|spmv|conv|dwconv|pool|softmax [OPTION]...\n"
    "\n"
    "Plans a product for a device and explains the plan: the alternatives with their predicted cycles,\n"
    "tiles and sizes. Nothing runs unless --measure is given.\n";

static const char operands[] =
    "  spmm         C[rows][n] = A[rows][k] x W[k][n], W is sparse; with --left A is sparse\n"
    "  spmv         y[rows] = W[rows][k] x, W is sparse\n"
    "  conv         convolution of images; each channel of the results has a sparse kernel\n"
    "  dwconv       depthwise convolution: each kernel sees one channel\n"
    "  pool         maximum or average of each channel under a window\n"
    "  softmax      softmax of each row of A[rows][n], which is int8; needs a device with softmax\n"
    "\n"
    "Images and windows (conv, dwconv, pool)\n"
    "  --in HxWxC           height, width and channels of an image\n"
    "  --batch B            number of images (1)\n"
    "  --out-channels N     channels of the results, one kernel each (64; dwconv: channels of the image)\n"
    "  --kernel HxW         size of the window (3x3); here and below one number is for both directions\n"
    "  --stride YxX         distance between neighbouring results (1)\n"
    "  --dilation YxX       distance between neighbouring taps (1)\n"
    "  --pad YxX            zeros around the images (0); or TOPxBOTTOMxLEFTxRIGHT\n"
    "  --groups G           groups of channels, each with its own part of the results (1)\n"
    "  --layout L           layout of images and results: nhwc or nchw (nhwc)\n"
    "  --weights-layout L   order in a row of weights: nhwc (dy, dx, channel) or nchw (channel, dy, dx)\n"
    "  --pool P             max or average\n"
    "\n"
    "Operands from files: Matrix Market, .smtx or .npy; - is standard input\n"
    "  --weights F          the sparse matrix; conv: a row for each kernel. Stored zeros are left out\n"
    "  --left               spmm: A is the sparse operand\n"
    "  --transpose          the file of --weights has the transpose (.smtx of layers: outputs x inputs)\n"
    "  --input F            the other operand: A (spmm), the right one (--left), x (spmv), images\n"
    "  --initial F          initial sums C0 or y0, as large as the result\n"
    "  --bias F             a number for each column of W (spmm) or each row of the sparse matrix (others)\n"
    "  --input-zero Z       the number of the other operand that stands for 0 (0)\n"
    "  --input-unsigned     the other operand has no sign; needs a device with zero_points\n"
    "  --input-scale X      softmax: what a unit of the input stands for (0.1)\n"
    "  --beta B             softmax: the input is multiplied by this (1)\n"
    "  --random-values      entries without a value get random values by --seed; otherwise they are 1\n"
    "  --quantise           scale values that do not fit the device by the largest, rounding to nearest\n"
    "\n"
    "Generated operands, where no file is given\n"
    "  --rows M --k K --n N sizes (64, 512, 512; spmv has no n); a file's sizes need not be repeated\n"
    "  --density D          density of the sparse matrix (0.2)\n"
    "  --per-row P          instead: entries in each column of W (spmm) or in each row (others)\n"
    "  --band H             with --per-row: entries at most H from the diagonal\n"
    "  --block B            full blocks of B x B, with --density of the blocks\n"
    "  --graph E            a graph of E edges, in which few nodes have many\n"
    "  --act-density D      density of the other operand (1)\n"
    "  --seed S             seed of everything that is generated (1)\n"
    "\n"
    "Functions of the sums\n"
    "  --relu               negative results become 0\n"
    "  --scale X --zero Z   results are limit(round(sum x X) + Z), int8 unless --output-type int16\n"
    "  --low L --high H     the limits; without --scale results are limit(sum). X, L and H are a number, or\n"
    "                       a file with one for each output channel, as of --bias: needs channel_groups\n"
    "  --rounding R         up, even or two-steps (up): what becomes of halves; docs/numerics.md. away: an\n"
    "                       average that TFLite gives\n"
    "  --output-type T      int8, uint8, int16, int32 or int64 (int32; int64 with wider accumulators)\n"
    "  --wraps              sums may overflow and wrap; otherwise a possible overflow is an error\n"
    "\n"
    "Device and plan\n"
    "  --device D           sim:NAME, sim:FOLDER, pcie:ADDRESS, serial:LINE or model:VARIANT with settings\n"
    "                       after ';' (docs/opencl.md), or the name or number of an OpenCL device;\n"
    "                       without this option the first device\n"
    "  --container F        container that describes a device which cannot describe itself\n"
    "  --mapping M          is, os or ws; without it the planner chooses\n"
    "  --split S            two of the letters m, n and k: split over rows and over clusters of a row\n"
    "  --effort E           plans to try at most\n"
    "  --timeout S          seconds that a product may take (600)\n"
    "  --save F             save the planned operator for --load, completely or not at all\n";

static const char run_rest[] =
    "  --load F             load an operator that --save wrote, on a device of the same variant. Options\n"
    "                       of weights and sums then describe what --check compares with\n"
    "  --repeat R           run R times and report the fewest cycles\n"
    "\n"
    "Results\n"
    "  --output F           write the result to F, .npy or .mtx, completely and only without an error\n"
    "  --check              compare every result with a plain computation on this computer\n"
    "  --float              operands and results are floats, which are quantised; report the estimated\n"
    "                       errors, and with --check the measured ones\n"
    "  --json               print one JSON object\n"
    "  --quiet              print errors only\n"
    "  -h, --help           this text\n"
    "\n"
    "Exit status: 0 done, 1 failed or a result is wrong, 2 wrong usage.\n";

static const char explain_rest[] = "\n"
                                   "Results\n"
                                   "  --measure            run the product, too, and report what it took\n"
                                   "  --json               print one JSON object\n"
                                   "  --quiet              print errors only\n"
                                   "  -h, --help           this text\n"
                                   "\n"
                                   "Exit status: 0 done, 1 failed, 2 wrong usage.\n";

void request_help(bool runs)
{
    fputs(runs ? run_usage : explain_usage, stdout);
    fputs(operands, stdout);
    fputs(runs ? run_rest : explain_rest, stdout);
}
