/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes. Each is in the file of its name and says there what it does and what
 * it keeps. False: the memory is full.
 */
#ifndef TULLE_HOST_NET_PASS_LIST_H
#define TULLE_HOST_NET_PASS_LIST_H

#include "host/net/pass/edit.h"

typedef bool pass_function(struct edit *e);
pass_function pass_channels, pass_constants, pass_dead, pass_functions, pass_identities, pass_integers,
    pass_pads, pass_quantised, pass_scales;

#endif
