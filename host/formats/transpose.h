/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes a matrix.
 */
#ifndef TULLE_HOST_FORMATS_TRANSPOSE_H
#define TULLE_HOST_FORMATS_TRANSPOSE_H

#include "host/formats/matrix.h"

/* Symmetry is expanded first. False when out of memory, with the matrix unchanged. */
bool matrix_transpose(struct matrix *matrix);

#endif
