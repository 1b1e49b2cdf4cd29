// SPDX-License-Identifier: Apache-2.0
//
// What the plug-in knows of each kernel that was compiled.

#ifndef MINIC_EXAMPLES_PLUGIN_CUTLASS_LAUNCH_H
#define MINIC_EXAMPLES_PLUGIN_CUTLASS_LAUNCH_H

#include <cstdint>
#include <string>
#include <vector>

/// What follows the product; with an addend C but for `plain`.
enum Epilogue { plain, add, addRelu, addGelu };

struct Problem {
  int m, n, k;
  int64_t addendStride; // of C's rows: 0 for a bias, else n
  int multiprocessors;
};

/// A cubin for one problem, and its launch.
struct Launch {
  std::string cubin;
  uint32_t grid[3], block, sharedBytes;
};

struct Compiled {
  int order; // among kernels of one epilogue, the likely best one first
  const char *schedule, *dtype;
  Epilogue epilogue;
  Launch (*launch)(const Problem &);
};

/// Each host.cu adds its own while the plug-in is opened.
inline std::vector<Compiled> &compiledKernels() {
  static std::vector<Compiled> kernels;
  return kernels;
}

/// The kernel's Params are these bytes, and zeros, until they are written.
#define PARAMS_MARK "minic cutlass p:"

#endif
