/* SPDX-License-Identifier: Apache-2.0
 *
 * The board pcie through a stand-in for the kernel's VFIO: both ways to a
 * function, everything that the kernel can refuse, regions that are mapped in
 * places, functions without interrupts, and those that go.
 */
#define _GNU_SOURCE /* memfd_create */
#include <criterion/criterion.h>
#include <errno.h>
#include <linux/vfio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/pcie/iommufd.h"
#include "host/pcie/pcie.h"
#include "sim/board/registers.h"
#include "sim/pcie/message.h"
#include "tests/sim_pcie/engine.h"
#include "tests/sim_pcie/kernel.h"
#include "tests/sim_pcie/support.h"

#define SECOND UINT64_C(1000000000)
#define WINDOW (UINT64_C(1) << 20)

static const struct board_api *const api = &board_pcie;
static const struct link_settings plain = {.patience = 10 * SECOND};

/* A function, and a kernel that has it. */
static void start(struct rig *rig, bool node)
{
    rig_start(rig, &board_model, "tiny", NULL, WINDOW);
    kernel_start(rig->path, node);
}

static void stop(struct rig *rig)
{
    kernel_stop();
    rig_stop(rig);
}

static struct board *opened(const char *place, const char *setting)
{
    const char *const settings[] = {setting, NULL};
    char why[512] = "";
    struct board *b = api->open(place, settings, why, sizeof why);
    cr_assert(b, "%s", why);
    return b;
}

/* ---- both ways ----------------------------------------------------------------------------------- */

static void run_products(bool node)
{
    struct rig rig;
    start(&rig, node);
    for (uint64_t seed = 1; seed < 4; seed++)
        product_on("pcie:" KERNEL_ADDRESS, seed);
    cr_assert_eq(kernel.by_node, node ? 3 : 0);
    cr_assert(kernel.resets >= 3 && kernel.mappings == 3);
    stop(&rig);
}

Test(vfio, products_by_the_group)
{
    run_products(false);
}

Test(vfio, products_by_its_own_node)
{
    run_products(true);
}

Test(vfio, the_way_can_be_told)
{
    struct rig rig;
    uint8_t there[9000], back[sizeof there];
    start(&rig, true);
    struct board *b = opened("01:00.0", "way=group");
    for (size_t i = 0; i < sizeof there; i++)
        there[i] = (uint8_t)(i * 11 + i / 256);
    cr_assert_eq(kernel.by_node, 0);
    cr_assert_eq(api->write_memory(b, 4093, there, sizeof there), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(api->read_memory(b, 4093, back, sizeof back), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(memcmp(there, back, sizeof there), 0);
    api->close(b);
    b = opened("", "way=node"); /* the only one there is */
    cr_assert_eq(kernel.by_node, 1);
    api->close(b);
    stop(&rig);
}

/* ---- what the kernel can refuse ---------------------------------------------------------------------- */

struct refusal {
    const char *way, *word;
    unsigned long request;
    int error;
};

static void must_refuse(const char *way, const char *word)
{
    const char *const settings[] = {way, NULL};
    char why[512] = "";
    struct board *b = api->open(KERNEL_ADDRESS, settings, why, sizeof why);
    cr_assert_null(b, "wanted: %s", word);
    cr_assert(strstr(why, word) && strstr(why, KERNEL_ADDRESS), "wanted %s: %s", word, why);
    cr_assert_eq(kernel.nodes, 0, "%s: %d nodes are left open", word, kernel.nodes);
}

Test(vfio, every_request_that_is_refused_has_its_reason)
{
    static const struct refusal cases[] = {
        {"way=group", "no IOMMU of type 1", VFIO_GET_API_VERSION, EINVAL},
        {"way=group", "modprobe vfio_iommu_type1", VFIO_CHECK_EXTENSION, EINVAL},
        {"way=group", "state of its IOMMU group", VFIO_GROUP_GET_STATUS, EIO},
        {"way=group", "put into a container", VFIO_GROUP_SET_CONTAINER, EIO},
        {"way=group", "allow_unsafe_interrupts=1", VFIO_SET_IOMMU, EPERM},
        {"way=group", "gets no address space: No such device", VFIO_SET_IOMMU, ENODEV},
        {"way=group", "does not hand it out", VFIO_GROUP_GET_DEVICE_FD, ENODEV},
        {"way=group", "does not tell its addresses", VFIO_IOMMU_GET_INFO, EINVAL},
        {"way=group", "cannot be shared with the function: File exists", VFIO_IOMMU_MAP_DMA, EEXIST},
        {"way=node", "cannot be bound to iommufd: No such device", CDEV_BIND, ENODEV},
        {"way=node", "in use", CDEV_BIND, EBUSY},
        {"way=node", "iommufd gives no address space", IOAS_ALLOC, ENOMEM},
        {"way=node", "attached to an address space", CDEV_ATTACH, EINVAL},
        {"way=node", "does not tell its addresses", IOAS_RANGES, EINVAL},
        {"way=node", "cannot be shared with the function", IOAS_MAP, EFAULT},
        {"way=node", "no PCI function that can be reset", VFIO_DEVICE_GET_INFO, EINVAL},
        {"way=group", "its BARs are others", VFIO_DEVICE_GET_REGION_INFO, EINVAL},
        {"way=group", "the function is lost: Inappropriate ioctl", VFIO_DEVICE_RESET, ENOTTY},
    };
    struct rig rig;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start(&rig, true);
        kernel.refused = cases[i].request;
        kernel.refusal = cases[i].error;
        must_refuse(cases[i].way, cases[i].word);
        stop(&rig);
    }
}

static void refuse_with(void (*harm)(void), const char *way, const char *word)
{
    struct rig rig;
    start(&rig, true);
    harm();
    must_refuse(way, word);
    stop(&rig);
}

static void take(void)
{
    kernel.taken = true;
}

static void make_unviable(void)
{
    kernel.not_viable = true;
}

static void narrow(void)
{
    kernel.last = (UINT64_C(4) << 30) + 4095;
}

static void use_up(void)
{
    kernel.left = 0;
}

static void forbid_reset(void)
{
    kernel.no_reset = true;
}

static void shrink(void)
{
    kernel.bar0 = BAR0_BYTES / 2;
}

static void lose(void)
{
    kernel.gone = true;
}

static void switch_off(void)
{
    kernel.off = true;
}

Test(vfio, what_it_finds_is_told)
{
    refuse_with(take, "way=group", "in use: another process has the function; who: fuser -v");
    refuse_with(take, "way=node", "in use: another process has the function");
    refuse_with(make_unviable, "way=group", "is not viable");
    refuse_with(narrow, "way=group",
                "no bus addresses 0x100000000 to 0x100100fff, only 0x0 to 0xfff, 0x10000 to "
                "0x100000fff");
    refuse_with(narrow, "way=node",
                "no bus addresses 0x100000000 to 0x100100fff, only 0x10000 to 0x100000fff");
    refuse_with(use_up, "way=group", "dma_entry_limit");
    refuse_with(forbid_reset, "way=group", "can be reset");
    refuse_with(shrink, "way=group", "its BARs are others");
    refuse_with(switch_off, "way=node", "it reads all ones: it is off the bus, or off");
    refuse_with(lose, "way=group", "the function is lost: Input/output error");
}

Test(vfio, an_older_kernel_that_tells_no_addresses_will_do)
{
    struct rig rig;
    start(&rig, false);
    kernel.brief = true;
    product_on("pcie:" KERNEL_ADDRESS, 1);
    stop(&rig);
}

/* ---- interrupts -------------------------------------------------------------------------------------- */

static void copy_much(struct board *b)
{
    const size_t count = 3 << 20;
    uint8_t *there = malloc(count), *back = calloc(1, count);
    cr_assert(there && back);
    for (size_t i = 0; i < count; i++)
        there[i] = (uint8_t)(i * 7 + i / 4096);
    cr_assert_eq(api->write_memory(b, 12345, there, count), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(api->read_memory(b, 12345, back, count), BOARD_OK, "%s", api->error(b));
    cr_assert_eq(memcmp(there, back, count), 0);
    free(there);
    free(back);
}

/* An interrupt every millisecond that nobody sends: far less than the second that one which is lost would
 * cost. */
static void run_polled(const char *setting)
{
    const uint64_t begin = wire_now();
    struct board *b = opened(KERNEL_ADDRESS, setting);
    for (unsigned i = 0; i < 20; i++)
        copy_much(b);
    api->close(b);
    cr_assert_lt(wire_now() - begin, 60 * SECOND, "a wait takes as if nobody looked");
}

Test(vfio, without_interrupts_it_is_polled)
{
    struct rig rig;
    start(&rig, false);
    run_polled("interrupts=0");
    kernel.no_vectors = true;
    run_polled(NULL);
    kernel.no_vectors = false;
    kernel.refused = VFIO_DEVICE_SET_IRQS;
    kernel.refusal = ENOSPC;
    run_polled(NULL);
    stop(&rig);
}

Test(vfio, the_copy_engine_raises_its_vector)
{
    struct rig rig;
    struct engine e;
    start(&rig, false);
    engine_open(&e, &link_vfio, KERNEL_ADDRESS, &plain);
    for (unsigned i = 0; i < 5; i++) {
        const struct copy_descriptor d = {
            .flags = DESCRIPTOR_INTERRUPT, .bytes = 100, .host = ENGINE_HERE + ENGINE_PAGE, .device = 77};
        cr_assert_eq(engine_one(&e, d), COPY_OK);
    }
    const uint64_t begin = wire_now();
    cr_assert_eq(link_vfio.wait(e.link, e.signal, SECOND / 20), LINK_TIMEOUT);
    cr_assert_geq(wire_now() - begin, SECOND / 20);
    engine_close(&e);
    stop(&rig);
}

/* ---- functions that go ------------------------------------------------------------------------------- */

static void lose_by(unsigned notice, const char *word)
{
    const uint64_t one = 1;
    struct rig rig;
    uint32_t value;
    start(&rig, false);
    struct board *b = opened(KERNEL_ADDRESS, NULL);
    cr_assert_eq(write(kernel.notice[notice], &one, sizeof one), (ssize_t)sizeof one);
    cr_assert_eq(api->wait(b, 0, 600 * SECOND), BOARD_FAILED);
    cr_assert(strstr(api->error(b), word), "%s", api->error(b));
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert_eq(pcie_reset(b), BOARD_FAILED);
    api->close(b);
    stop(&rig);
}

Test(vfio, what_the_kernel_wants_back_or_the_bus_reports_is_lost)
{
    lose_by(0, "the bus reports an error");
    lose_by(1, "the kernel wants it back");
}

Test(vfio, a_function_whose_accesses_fail_is_lost)
{
    struct rig rig;
    uint32_t value;
    start(&rig, false);
    struct board *b = opened(KERNEL_ADDRESS, NULL);
    kernel.gone = true;
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED);
    cr_assert(strstr(api->error(b), "the function is lost: Input/output error"), "%s", api->error(b));
    kernel.gone = false;
    cr_assert_eq(api->read_register(b, 0, &value), BOARD_FAILED, "it stays so");
    api->close(b);
    product_on("pcie:" KERNEL_ADDRESS, 2);
    stop(&rig);
}

Test(vfio, a_function_that_reads_all_ones_is_lost_within_a_wait)
{
    struct rig rig;
    start(&rig, false);
    struct board *b = opened(KERNEL_ADDRESS, NULL);
    kernel.off = true;
    cr_assert_eq(api->wait(b, 0, 60 * SECOND), BOARD_FAILED);
    cr_assert(strstr(api->error(b), "all ones"), "%s", api->error(b));
    api->close(b);
    stop(&rig);
}

/* ---- regions that are mapped in places ---------------------------------------------------------------- */

Test(vfio, accesses_over_the_edges_of_what_is_mapped)
{
    const size_t bytes = 8 * 4096;
    struct rig rig;
    struct strbuf why = {0};
    uint8_t *image = calloc(1, bytes), *back = malloc(bytes), piece[5000];
    start(&rig, false);
    kernel.window = memfd_create("window", 0);
    cr_assert(image && back && kernel.window >= 0 && ftruncate(kernel.window, 1 << 20) == 0);
    kernel.area[0].offset = 4096;
    kernel.area[0].bytes = 2 * 4096;
    kernel.area[1].offset = 5 * 4096;
    kernel.area[1].bytes = 4096;
    struct link *l = link_vfio.open(KERNEL_ADDRESS, &plain, &why);
    cr_assert(l, "%s", sb_text(&why));
    srand(1);
    for (unsigned i = 0; i < 2000; i++) {
        const size_t count = 1 + (size_t)rand() % (i % 2 ? 16 : sizeof piece);
        const size_t at = (size_t)rand() % (bytes - count);
        for (size_t k = 0; k < count; k++)
            image[at + k] = piece[k] = (uint8_t)rand();
        cr_assert_eq(link_vfio.write(l, VU_BAR2, at, piece, count), LINK_OK, "%s", link_vfio.error(l));
        const size_t from = (size_t)rand() % (bytes - count);
        memset(back, 0x77, count + 1);
        cr_assert_eq(link_vfio.read(l, VU_BAR2, from, back, count), LINK_OK, "%s", link_vfio.error(l));
        cr_assert(!memcmp(back, image + from, count) && back[count] == 0x77, "%zu bytes at %zu", count, from);
    }
    cr_assert_eq(pread(kernel.window, back, bytes, 0), (ssize_t)bytes);
    cr_assert_eq(memcmp(back, image, bytes), 0, "a byte went elsewhere");
    cr_assert_eq(link_vfio.read(l, VU_BAR2, (1 << 20) - 1, back, 2), LINK_LOST);
    link_vfio.close(l);
    close(kernel.window);
    free(image);
    free(back);
    stop(&rig);
}
