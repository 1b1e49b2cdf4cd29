// SPDX-License-Identifier: Apache-2.0
//
// DescribeDevice: CPUID for the CPU, sysfs for the caches.

#include "runtime/measure/DescribeDevice.h"

#include "runtime/device/cpu/CpuFeatures.h"
#include "runtime/device/cpu/OnednnLibrary.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cpuid.h>
#include <cstring>
#include <fstream>
#include <sched.h>

namespace minic::runtime {
namespace {

/// The three words of leaf 0 in their order.
std::string vendor() {
  uint32_t a = 0, words[3] = {};
  __get_cpuid(0, &a, &words[0], &words[2], &words[1]);
  return std::string(reinterpret_cast<const char *>(words), sizeof(words));
}

std::string brand() {
  uint32_t words[12] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    __get_cpuid(0x80000002u + i, &words[4 * i], &words[4 * i + 1],
                &words[4 * i + 2], &words[4 * i + 3]);
  }
  const char *text = reinterpret_cast<const char *>(words);
  return std::string(absl::StripAsciiWhitespace(
      absl::string_view(text, strnlen(text, sizeof(words)))));
}

void identify(DeviceFacts &facts) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  __get_cpuid(1, &a, &b, &c, &d);
  // Extended family and model, as both vendors define them.
  int family = (a >> 8) & 0xf;
  facts.family = family == 0xf ? family + int((a >> 20) & 0xff) : family;
  facts.model = int((a >> 4) & 0xf);
  if (family == 6 || family == 0xf) {
    facts.model += int((a >> 16) & 0xf) << 4;
  }
  facts.stepping = int(a & 0xf);
}

std::string firstLine(const std::string &path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// "1024K" in bytes, 0 if it is no size.
int64_t parseSize(std::string text) {
  int64_t unit = 1;
  if (!text.empty() && (text.back() == 'K' || text.back() == 'M')) {
    unit = text.back() == 'K' ? 1 << 10 : 1 << 20;
    text.pop_back();
  }
  int64_t size = 0;
  return absl::SimpleAtoi(text, &size) ? size * unit : 0;
}

/// From sysfs: glibc's sysconf is wrong about the L3 of some AMD machines.
void describeCaches(DeviceFacts &facts) {
  for (int index = 0; index < 8; ++index) {
    std::string folder =
        absl::StrCat("/sys/devices/system/cpu/cpu0/cache/index", index, "/");
    if (firstLine(folder + "type") == "Instruction") {
      continue;
    }
    std::string level = firstLine(folder + "level");
    int64_t bytes = parseSize(firstLine(folder + "size"));
    if (level == "1") {
      facts.l1Bytes = bytes;
    } else if (level == "2") {
      facts.l2Bytes = bytes;
    } else if (level == "3") {
      facts.l3Bytes = bytes;
    }
  }
}

int usableCores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

} // namespace

DeviceFacts describeDevice() {
  DeviceFacts facts;
  facts.vendor = vendor();
  facts.name = brand();
  identify(facts);
  facts.features = cpuFeatures();
  describeCaches(facts);
  facts.cores = usableCores();
  absl::StatusOr<const OnednnLibrary *> onednn = OnednnLibrary::open();
  if (onednn.ok()) {
    facts.libraries["oneDNN"] = (*onednn)->version;
  }
  return facts;
}

int64_t lastLevelCacheBytes(const DeviceFacts &facts) {
  int64_t largest = std::max({facts.l1Bytes, facts.l2Bytes, facts.l3Bytes});
  return largest > 0 ? largest : int64_t(32) << 20;
}

} // namespace minic::runtime
