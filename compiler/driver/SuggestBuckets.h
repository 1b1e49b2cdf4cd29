// SPDX-License-Identifier: Apache-2.0
//
// SuggestBuckets: sizes to compile for, by what the model takes at some of
// them.

#ifndef MINIC_COMPILER_DRIVER_SUGGESTBUCKETS_H
#define MINIC_COMPILER_DRIVER_SUGGESTBUCKETS_H

#include "compiler/options/CompileOptions.h"
#include "runtime/base/ExitCode.h"

#include "mlir/IR/MLIRContext.h"

#include <string>

namespace minic {

/// Most sizes that a proposal looks at, and most buckets that it tries.
inline constexpr size_t mostSampledSizes = 64;
inline constexpr size_t mostSuggestedBuckets = 8;

struct BucketSuggestion {
  runtime::ExitCode code = runtime::ExitCode::Success;
  /// One line; empty on success.
  std::string error;
  /// What was seen at each size, the best 1 to 8 buckets, the proposal and the
  /// option that asks for it.
  std::string text;
};

/// Times the model `path` at sizes of options.suggestBuckets and chooses the
/// buckets that make runs fastest which have sizes as options.runSizes says.
/// Writes nothing but tuning records.
BucketSuggestion suggestBuckets(llvm::StringRef path,
                                const CompileOptions &options,
                                mlir::MLIRContext &context);

} // namespace minic

#endif // MINIC_COMPILER_DRIVER_SUGGESTBUCKETS_H
