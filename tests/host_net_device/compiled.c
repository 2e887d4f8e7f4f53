/* SPDX-License-Identifier: Apache-2.0
 *
 * Compiled networks through the library: the same bytes and the same results, and what is refused. Files with
 * wrong bytes and a right checksum are a network that runs or ends with an error, or are refused.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/container/archive.h"
#include "host/container/sha256.h"
#include "host/tulle.h"
#include "tests/gen_base/scratch.h"
#include "tests/host_lib/support.h"
#include "tests/host_net/mutate.h"
#include "tests/host_net_device/small.h"

TestSuite(host_net_device_compiled, .init = scratch_enter, .fini = scratch_leave);

enum { INPUTS = 72, OUTPUTS = 3, FORMAT_AT = 8, MUTATIONS = 2000 };

/* Of tests/host_net/support.h, which has a function with the name of a macro here. */
struct strbuf small_tflite(void);
void write_bytes(const char *path, const struct strbuf *bytes);

static struct strbuf file_of(const char *path)
{
    struct strbuf bytes = {0};
    char piece[4096];
    size_t count;
    FILE *file = fopen(path, "rb");
    cr_assert(file);
    while ((count = fread(piece, 1, sizeof piece, file)))
        sb_addn(&bytes, piece, count);
    fclose(file);
    cr_assert(sb_ok(&bytes) && bytes.len);
    return bytes;
}

static enum tulle_status load(const char *path, struct tulle_device *device, struct tulle_net **net)
{
    const struct tulle_net_options options = {.size = sizeof options, .device = device};
    return tulle_net_load(path, &options, net);
}

static enum tulle_status load_fused(const char *path, struct tulle_device *device, struct tulle_net **net)
{
    const struct tulle_net_options options = {.size = sizeof options, .device = device, .fused = 1};
    return tulle_net_load(path, &options, net);
}

static enum tulle_status run(struct tulle_net *net, int8_t y[OUTPUTS])
{
    int8_t x[INPUTS];
    for (int i = 0; i < INPUTS; i++)
        x[i] = (int8_t)(i * 37);
    struct tulle_tensor in = {.size = sizeof in}, out = {.size = sizeof out};
    enum tulle_status status = tulle_net_input(net, 0, &in);
    if (!status)
        status = tulle_net_output(net, 0, &out);
    in.values = x;
    out.values = y;
    if (status || in.bytes > INPUTS || out.bytes > OUTPUTS)
        return status ? status : TULLE_INVALID_ARGUMENT;
    return tulle_net_run(net, (const struct tulle_tensor *const[]){&in}, 1,
                         (struct tulle_tensor *const[]){&out}, 1);
}

/* The small network of int8, compiled to "net"; fused: its layers on the device are one job. */
static void compile(struct tulle_device *device, bool fused)
{
    struct tulle_net *net = NULL;
    struct strbuf bytes = small_tflite();
    write_bytes("net.tflite", &bytes);
    sb_free(&bytes);
    done(fused ? load_fused("net.tflite", device, &net) : load("net.tflite", device, &net));
    done(tulle_net_mark(net, "p", 1));
    done(tulle_net_save(net, "net"));
    tulle_net_free(net);
}

static void same_bytes_and_results(struct tulle_device *device, bool fused)
{
    struct tulle_net_info info = {.size = sizeof info}, before = {.size = sizeof before};
    struct tulle_net *net = NULL;
    int8_t cpu[OUTPUTS], compiled[OUTPUTS];
    compile(device, fused);
    struct strbuf first = file_of("net");
    compile(device, fused);
    struct strbuf again = file_of("net");
    cr_expect(first.len == again.len && !memcmp(first.text, again.text, first.len), "it has other bytes");
    sb_free(&again);
    done(load("net", device, &net));
    done(tulle_net_save(net, "again"));
    tulle_net_free(net);
    again = file_of("again");
    cr_expect(first.len == again.len && !memcmp(first.text, again.text, first.len),
              "loaded and saved it has other bytes");
    sb_free(&first);
    sb_free(&again);
    done(load("net.tflite", NULL, &net));
    done(run(net, cpu));
    done(tulle_net_describe(net, &before));
    refuses(TULLE_INVALID_ARGUMENT, "without a device", tulle_net_save(net, "other"));
    tulle_net_free(net);
    done(load("net", device, &net));
    done(run(net, compiled));
    cr_expect_arr_eq(cpu, compiled, OUTPUTS);
    done(tulle_net_describe(net, &info));
    cr_expect(info.device_nodes >= 3 && info.parameters == before.parameters &&
                  info.multiplications == before.multiplications && info.non_zeros == before.non_zeros,
              "%llu nodes, %llu parameters", (unsigned long long)info.device_nodes,
              (unsigned long long)info.parameters);
    refuses(TULLE_FILE, "nothere", tulle_net_save(net, "nothere/net"));
    tulle_net_free(net);
    /* Without a device it runs on the CPU. */
    done(load("net", NULL, &net));
    memset(compiled, 0, sizeof compiled);
    done(run(net, compiled));
    cr_expect_arr_eq(cpu, compiled, OUTPUTS);
    tulle_net_free(net);
}

Test(host_net_device_compiled, has_the_same_bytes_and_results)
{
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    struct tulle_net *net = NULL;
    same_bytes_and_results(device, false);
    refuses(TULLE_INVALID_ARGUMENT, "it was compiled layer by layer", load_fused("net", device, &net));
    struct strbuf layers = file_of("net");
    same_bytes_and_results(device, true);
    struct strbuf fused = file_of("net");
    cr_expect_eq(layers.text[FORMAT_AT], 2);
    cr_expect_eq(fused.text[FORMAT_AT], 3);
    done(load_fused("net", device, &net));
    tulle_net_free(net);
    /* Chosen by what is predicted, it is one of the two. */
    const struct tulle_net_options any = {.size = sizeof any, .device = device, .fused = 2};
    done(tulle_net_load("net.tflite", &any, &net));
    done(tulle_net_mark(net, "p", 1));
    done(tulle_net_save(net, "any"));
    tulle_net_free(net);
    struct strbuf chosen = file_of("any");
    const struct strbuf *of = chosen.text[FORMAT_AT] == 3 ? &fused : &layers;
    cr_expect(chosen.len == of->len && !memcmp(chosen.text, of->text, of->len), "other bytes");
    sb_free(&chosen);
    sb_free(&layers);
    sb_free(&fused);
    tulle_device_close(device);
}

static void seal(struct strbuf *file)
{
    file->len -= SHA256_BYTES;
    archive_seal(file);
}

Test(host_net_device_compiled, what_is_wrong_is_named)
{
    struct tulle_device *device = open_device(SMALL ",model:base", "model:networks", 0), *other = NULL;
    struct tulle_net *net = NULL;
    compile(device, true);
    struct strbuf file = file_of("net");
    done(tulle_device_open("model:base", NULL, &other));
    refuses(TULLE_INVALID_FILE, "it is compiled for variant networks", load("net", other, &net));
    tulle_device_close(other);
    const struct tulle_device_options few = {.size = sizeof few, .memory = 4096};
    done(tulle_device_open("model:networks", &few, &other));
    refuses(TULLE_DEVICE_MEMORY, "bytes of the device's memory", load("net", other, &net));
    tulle_device_close(other);
    for (size_t at = 8; at < file.len; at += 13) {
        file.text[at] ^= 0x10;
        write_bytes("net", &file);
        refuses(TULLE_INVALID_FILE, "it is damaged", load("net", device, &net));
        file.text[at] ^= 0x10;
    }
    const size_t whole = file.len;
    for (file.len = 8; file.len < whole; file.len += 41) {
        write_bytes("net", &file);
        refuses(TULLE_INVALID_FILE, "it is damaged", load("net", device, &net));
    }
    file.len = whole;
    file.text[FORMAT_AT]++;
    seal(&file);
    write_bytes("net", &file);
    refuses(TULLE_INVALID_FILE, "format 4; this version reads formats 1 to 3", load("net", device, &net));
    sb_free(&file);
    tulle_device_close(device);
}

/* So many files, which the environment may say. */
static unsigned mutations(void)
{
    const char *text = getenv("TULLE_MUTATIONS");
    return text ? (unsigned)strtoul(text, NULL, 10) : MUTATIONS;
}

/* Through the library, as a program would: what is loaded runs, or says why not. */
static void survive_wrong_bytes(bool fused)
{
    struct tulle_device *device = open_device(SMALL, "model:networks", 0);
    struct random random = {27 + fused};
    const unsigned count = mutations();
    struct tulle_net *net = NULL;
    unsigned loaded = 0, refused = 0;
    char path[32];
    int8_t y[OUTPUTS];
    compile(device, fused);
    struct strbuf seed = file_of("net"), bytes = {0};
    const int file = memfd_create("mutated", MFD_CLOEXEC);
    cr_assert(file >= 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    for (unsigned i = 0; i < count; i++) {
        bytes.len = 0;
        sb_addn(&bytes, seed.text, seed.len - SHA256_BYTES);
        mutate(&random, &bytes);
        archive_seal(&bytes);
        cr_assert(ftruncate(file, 0) == 0 && pwrite(file, bytes.text, bytes.len, 0) == (ssize_t)bytes.len);
        if (load(path, device, &net)) {
            cr_assert(*tulle_message());
            refused++;
            continue;
        }
        loaded++;
        (void)run(net, y);
        tulle_net_free(net);
    }
    cr_log_info("%u loaded, %u refused", loaded, refused);
    cr_expect(loaded > count / 100 && refused > count / 2, "%u loaded, %u refused", loaded, refused);
    close(file);
    sb_free(&seed);
    sb_free(&bytes);
    tulle_device_close(device);
}

Test(host_net_device_compiled, wrong_bytes_are_survived, .timeout = 14400)
{
    survive_wrong_bytes(false);
}

Test(host_net_device_compiled, wrong_bytes_of_joined_layers_are_survived, .timeout = 14400)
{
    survive_wrong_bytes(true);
}
