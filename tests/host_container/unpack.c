/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: containers from a path, and the folder of a simulated board.
 */
#include <criterion/criterion.h>
#include <string.h>
#include <unistd.h>

#include "support.h"
#include "tests/gen_base/scratch.h"

TestSuite(files, .init = scratch_enter, .fini = scratch_leave);

Test(files, a_folder_for_the_board_and_its_removal)
{
    struct container c = some_container(CONTAINER_VERILATED);
    struct strbuf why = {0};
    scratch_folder("board");
    cr_assert(container_unpack(&c, "board", &why), "%s", sb_text(&why));
    cr_assert_str_eq(scratch_list("board"), "board.so variant.yaml ");
    struct variant again;
    struct diag diag = {0};
    cr_assert(variant_load_file("board/variant.yaml", NULL, 0, &again, &diag));
    cr_assert_eq(memcmp(&again, &c.variant, sizeof again), 0);
    cr_assert_not(container_unpack(&c, "board", &why), "what is there is not written to");
    container_remove("board");
    cr_assert_not(scratch_exists("board"));
    sb_free(&why);
}

Test(files, nothing_is_written_through_a_link)
{
    struct container c = some_container(CONTAINER_VERILATED);
    struct strbuf why = {0};
    scratch_folder("board");
    scratch_write("precious", "text");
    cr_assert_eq(symlink("../precious", "board/board.so"), 0);
    cr_assert_not(container_unpack(&c, "board", &why));
    cr_assert(scratch_has("precious", "text"));
    sb_free(&why);
}

Test(files, only_a_simulated_device_is_unpacked)
{
    struct container c = some_container(CONTAINER_MODEL);
    struct strbuf why = {0};
    scratch_folder("board");
    cr_assert_not(container_unpack(&c, "board", &why));
    cr_assert_not(container_unpack(&c, "nowhere", &why));
    cr_assert_str_eq(scratch_list("board"), "");
    sb_free(&why);
}

Test(files, a_full_disk_is_an_error)
{
    struct container c = some_container(CONTAINER_VERILATED);
    struct strbuf why = {0};
    scratch_folder("board");
    scratch_limit_files(16);
    cr_assert_not(container_unpack(&c, "board", &why));
    cr_assert(strstr(sb_text(&why), "cannot write"), "%s", sb_text(&why));
    sb_free(&why);
}

Test(files, loading_names_the_file)
{
    struct container c;
    struct strbuf bytes = {0}, why = {0};
    cr_assert_not(container_load("nowhere", &bytes, &c, &why));
    cr_assert(strstr(sb_text(&why), "nowhere"), "%s", sb_text(&why));
    sb_free(&why);
    scratch_write("text", "some text that is longer than the magic");
    cr_assert_not(container_load("text", &bytes, &c, &why));
    cr_assert(strstr(sb_text(&why), "text: not a container"), "%s", sb_text(&why));
    sb_free(&why);
    scratch_write("empty", "");
    bytes.len = 0;
    cr_assert_not(container_load("empty", &bytes, &c, &why));
    sb_free(&bytes);
    sb_free(&why);
}
