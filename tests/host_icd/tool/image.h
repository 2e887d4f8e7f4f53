/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that does nothing, for the variant tiny: the least that a job can
 * be.
 */
#ifndef TULLE_TESTS_IMAGE_H
#define TULLE_TESTS_IMAGE_H

#include "gen/base/strbuf.h"

/* Ends the process when there is no such variant or no memory. */
void image_of_nothing(struct strbuf *image);

#endif
