// SPDX-License-Identifier: Apache-2.0
//
// The host's half of kernel.cu, compiled for the same configuration: it holds
// the cubin CUBIN and writes the Params of a problem into it.

#include "configuration.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

asm(".section .rodata\n.balign 16\n" CUBIN_LABEL ":\n.incbin \"" CUBIN
    "\"\n" CUBIN_LABEL "_end:\n.previous");
extern "C" const char cubinBegin[] __asm__(CUBIN_LABEL);
extern "C" const char cubinEnd[] __asm__(CUBIN_LABEL "_end");

namespace {

using Gemm = KIND<ELEMENT, TILE_M, TILE_N, TILE_K, STAGES, EPILOGUE>;

Launch launch(const Problem &problem) {
  Launch made = {};
  Gemm::Params params = Gemm::makeParams(problem, made.grid);
  made.block = Gemm::threads;
  made.sharedBytes = uint32_t(Gemm::sharedBytes);
  made.cubin.assign(cubinBegin, cubinEnd);
  size_t place = made.cubin.find(PARAMS_MARK);
  if (place == std::string::npos ||
      place + sizeof(params) > made.cubin.size()) {
    throw std::runtime_error("the cubin has no place for parameters");
  }
  std::memcpy(&made.cubin[place], &params, sizeof(params));
  return made;
}

[[maybe_unused]] const bool isAdded =
    (compiledKernels().push_back({ORDER, SCHEDULE, DTYPE, EPILOGUE, launch}),
     true);

} // namespace
