/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in of an interface that is not there yet.
 */
__attribute__((visibility("default"))) const void *minic_plugin_v3(void) {
  return 0;
}
