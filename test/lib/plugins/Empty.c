/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that is no plug-in.
 */
int minic_test_nothing(void) { return 0; }
