/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows become columns.
 */
#ifndef TULLE_HOST_FORMATS_TRANSPOSE_H
#define TULLE_HOST_FORMATS_TRANSPOSE_H

#include "host/formats/matrix.h"

/* A matrix that is not general has its symmetry expanded before. False when out of memory: then nothing has
 * changed. */
bool matrix_transpose(struct matrix *matrix);

#endif
