/* SPDX-License-Identifier: Apache-2.0
 *
 * A target of libFuzzer: one file of any format, or, behind the byte 'W' and a
 * length of two bytes, a prototxt and its caffemodel. What is read is summed up
 * and written as ONNX, before and after all passes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/net/graph/summary.h"
#include "host/net/pass/pass.h"
#include "host/net/read/read.h"
#include "host/net/write/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A file in memory; `path` is its name. */
static int file_of(const uint8_t *bytes, size_t size, char path[32])
{
    const int file = memfd_create("net", MFD_CLOEXEC);
    if (file < 0 || (size && write(file, bytes, size) != (ssize_t)size))
        abort();
    snprintf(path, 32, "/proc/self/fd/%d", file);
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[2][32];
    struct diag diag = {0};
    const bool both = size > 3 && *bytes == 'W';
    size_t first = both ? (size_t)bytes[1] << 8 | bytes[2] : size;
    bytes += both ? 3 : 0;
    size -= both ? 3 : 0;
    first = first < size ? first : size;
    const int net_file = file_of(bytes, first, path[0]),
              weights = file_of(bytes + first, size - first, path[1]);
    struct net *net = net_read(path[0], &(struct net_read_options){.weights = both ? path[1] : NULL}, &diag);
    if ((net != NULL) != (diag.errors == 0))
        abort();
    if (net) {
        struct strbuf text = {0};
        net_summarise(net);
        net_write_onnx(net, &text);
        size_t changes;
        bool ok = true;
        for (const struct pass *p = passes; ok && p->name; p++)
            ok = pass_run(net, p, &changes, &diag);
        if (ok)
            net_write_onnx(net, &text);
        sb_free(&text);
    }
    net_free(net);
    diag_free(&diag);
    close(net_file);
    close(weights);
    return 0;
}
