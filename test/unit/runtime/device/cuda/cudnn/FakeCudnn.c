/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that says it is cuDNN 8.9.7, with the functions that minic looks
 * up; none but the version is called. */

#define FAKE(name)                                                             \
  __attribute__((visibility("default"))) int name(void) { return 1; }

__attribute__((visibility("default"))) unsigned long cudnnGetVersion(void) {
  return 8907;
}
FAKE(cudnnGetErrorString)
FAKE(cudnnGetLastErrorString)
FAKE(cudnnCreate)
FAKE(cudnnDestroy)
FAKE(cudnnSetStream)
FAKE(cudnnBackendCreateDescriptor)
FAKE(cudnnBackendExecute)
