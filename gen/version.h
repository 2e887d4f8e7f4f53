/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of the tools, and of the instruction set as text.
 */
#ifndef TULLE_GEN_VERSION_H
#define TULLE_GEN_VERSION_H

#include "gen/isa/table.h"

#define TULLE_VERSION "0.1.0"

#define TULLE_TEXT_OF(number) #number
#define TULLE_VERSION_TEXT(major, minor) TULLE_TEXT_OF(major) "." TULLE_TEXT_OF(minor)
#define TULLE_ISA_VERSION TULLE_VERSION_TEXT(ISA_MAJOR, ISA_MINOR)

#endif
