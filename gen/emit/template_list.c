/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists the templates that become files, with the values that C computes for each of them.
 */
#include "gen/emit/template.h"

#include "gen/emit/array.h"
#include "gen/emit/fields_doc.h"
#include "gen/emit/isa_doc.h"
#include "gen/emit/manifests.h"
#include "gen/emit/testbench.h"
#include "gen/emit/vendor.h"

const struct template template_list[] = {
    /* rtl/ */
    {"tulle_decode.v", decode_values},
    {"tulle_pe.v", NULL},
    {"tulle_cluster.v", NULL},
    {"tulle_row.v", NULL},
    {"tulle_array.v", NULL},
    {"tulle_top.v", NULL},
    /* tb/ */
    {"tulle_packet_top.v", NULL},
    {"tulle_tb.v", testbench_values},
    {"run.sh", NULL},
    /* the folder */
    {"tulle.f", file_list_values},
    {"tulle.core", core_values},
    {"README.md", readme_values},
    /* vendor/ */
    {"variant.tcl", variant_script_values},
    {"kernel.xml", kernel_values},
    {"link.cfg", NULL},
    /* docs/ of the source tree */
    {"isa.md", isa_page_values},
    {"fields.md", fields_page_values},
};

const size_t template_list_count = sizeof template_list / sizeof *template_list;
