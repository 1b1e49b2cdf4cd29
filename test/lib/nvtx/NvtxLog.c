/* SPDX-License-Identifier: Apache-2.0
 *
 * A profiler's side of NVTX: writes each range of domains to stderr, indented
 * by how many it lies in. */

#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int depth;

static nvtxDomainHandle_t NVTX_API createDomain(const char *name) {
  fprintf(stderr, "nvtx: domain %s\n", name);
  return (nvtxDomainHandle_t)strdup(name);
}

static nvtxStringHandle_t NVTX_API registerString(nvtxDomainHandle_t domain,
                                                  const char *text) {
  (void)domain;
  return (nvtxStringHandle_t)strdup(text);
}

static int NVTX_API push(nvtxDomainHandle_t domain,
                         const nvtxEventAttributes_t *event) {
  fprintf(stderr, "nvtx: %*s%s: %s\n", 2 * depth, "", (const char *)domain,
          event->messageType == NVTX_MESSAGE_TYPE_REGISTERED
              ? (const char *)event->message.registered
              : event->message.ascii);
  return depth++;
}

static int NVTX_API pop(nvtxDomainHandle_t domain) {
  (void)domain;
  return --depth;
}

__attribute__((visibility("default"))) int
InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable);

int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t getTable) {
  const NvtxExportTableCallbacks *callbacks =
      (const NvtxExportTableCallbacks *)getTable(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable table = NULL;
  unsigned size = 0;
  if (!callbacks ||
      !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) {
    return 0;
  }
  *table[NVTX_CBID_CORE2_DomainCreateA] = (NvtxFunctionPointer)createDomain;
  *table[NVTX_CBID_CORE2_DomainRegisterStringA] =
      (NvtxFunctionPointer)registerString;
  *table[NVTX_CBID_CORE2_DomainRangePushEx] = (NvtxFunctionPointer)push;
  *table[NVTX_CBID_CORE2_DomainRangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
