/* SPDX-License-Identifier: Apache-2.0
 *
 * `tulle net verify`: a compiled network on its device, as generated C and on the CPU, layer by layer.
 */
#ifndef TULLE_HOST_CLI_SOFTWARE_VERIFY_H
#define TULLE_HOST_CLI_SOFTWARE_VERIFY_H

int software_verify(int argc, char **argv);

#endif
