// SPDX-License-Identifier: Apache-2.0
//
// CheckNesting: whether MLIR's parser may be given a text. It calls itself for
// what is nested and trusts its input, so that a hostile model would run out of
// stack or, by names that stand for ever larger attributes, out of memory.

#ifndef MINIC_COMPILER_IMPORT_CHECKNESTING_H
#define MINIC_COMPILER_IMPORT_CHECKNESTING_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace minic {

/// Brackets inside of each other, those that an alias stands for included.
inline constexpr int maxNesting = 256;
/// Attributes that an alias stands for, once all aliases in it are replaced.
inline constexpr int64_t maxAliasLeaves = 1 << 24;

/// What is wrong with `text`, and where; an empty message if nothing is.
struct NestingProblem {
  std::string message;
  unsigned line = 0, column = 0;
};
NestingProblem checkNesting(llvm::StringRef text);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_CHECKNESTING_H
