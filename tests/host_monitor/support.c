/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

void monitor_enter(void)
{
    char here[PATH_MAX];
    scratch_enter();
    scratch_folder("run");
    cr_assert_not_null(getcwd(here, sizeof here - 8));
    strcat(here, "/run");
    cr_assert_eq(setenv("XDG_RUNTIME_DIR", here, 1), 0);
    cr_assert_eq(unsetenv(MONITOR_VARIABLE), 0);
}

struct monitor monitor_try(void)
{
    struct monitor m = {0};
    monitor_open(&m, &(struct monitor_about){.hash = 77, .pes = 32, .name = "model:some", .variant = "some"});
    return m;
}

struct monitor monitor_make(void)
{
    struct monitor m = monitor_try();
    cr_assert_not_null(m.record);
    return m;
}

struct monitor_samples samples_of(pid_t pid)
{
    struct monitor_samples all;
    size_t kept = 0;
    cr_assert(monitor_read(&all));
    for (size_t i = 0; i < all.count; i++)
        if (!*all.item[i].why && all.item[i].about.pid == (uint64_t)pid)
            all.item[kept++] = all.item[i];
    all.count = kept;
    if (!kept)
        monitor_free(&all);
    return all;
}
