/* SPDX-License-Identifier: Apache-2.0
 *
 * What is wrong with a record by the tables of the instruction set alone, in the order in which the device
 * looks: an instruction that the record holds, reserved bits, fields outside their ranges, wherever they are
 * in the record.
 */
#ifndef TULLE_SIM_LEGAL_H
#define TULLE_SIM_LEGAL_H

#include <stdint.h>

#include "gen/isa/table.h"
#include "sim/model/job.h"

/* JOB_OK, JOB_BAD_INSTRUCTION, JOB_BAD_RESERVED or JOB_BAD_FIELD. */
enum job_code legal_check(const struct isa_family *family, const uint8_t *record);

#endif
