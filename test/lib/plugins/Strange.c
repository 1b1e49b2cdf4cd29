/* SPDX-License-Identifier: Apache-2.0
 *
 * A plug-in in C whose description has the fault that MINIC_TEST_FAULT names.
 */
#include <minic/plugin.h>

#include <stdlib.h>
#include <string.h>

static minic_plugin_answer list_schedules(const char *problem,
                                          minic_plugin_schedules *out) {
  (void)problem;
  out->message = "takes nothing";
  return MINIC_PLUGIN_REFUSED;
}

static minic_plugin_answer make_code(const char *problem, const char *schedule,
                                     minic_plugin_code *out) {
  (void)problem;
  (void)schedule;
  (void)out;
  return MINIC_PLUGIN_FAILED;
}

static minic_plugin plugin = {MINIC_PLUGIN_VERSION,
                              sizeof(minic_plugin),
                              "strange",
                              "1",
                              0,
                              list_schedules,
                              make_code,
                              NULL};

const minic_plugin *minic_plugin_v1(void) {
  const char *fault = getenv("MINIC_TEST_FAULT");
  if (!fault) {
    return &plugin;
  }
  if (!strcmp(fault, "null")) {
    return NULL;
  }
  if (!strcmp(fault, "version")) {
    plugin.interface_version = 7;
  } else if (!strcmp(fault, "size")) {
    plugin.struct_size = 8;
  } else if (!strcmp(fault, "name")) {
    plugin.name = "Strange, indeed";
  } else if (!strcmp(fault, "own-version")) {
    plugin.version = "";
  } else if (!strcmp(fault, "seconds")) {
    plugin.seconds = -1;
  } else if (!strcmp(fault, "function")) {
    plugin.make_code = NULL;
  } else if (!strcmp(fault, "crash")) {
    abort();
  }
  return &plugin;
}
