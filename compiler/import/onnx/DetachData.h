// SPDX-License-Identifier: Apache-2.0
//
// detachData: a serialized model without the bytes of its large initializers,
// so that a parser need not copy them.

#ifndef MINIC_COMPILER_IMPORT_ONNX_DETACHDATA_H
#define MINIC_COMPILER_IMPORT_ONNX_DETACHDATA_H

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>

namespace minic {

struct DetachedData {
  /// raw_data in the model's bytes, by the number of the initializer.
  std::map<int, llvm::StringRef> initializers;
};

/// Copies `model` to `rest` but for raw_data of 4 KiB or more of the graph's
/// initializers. False where it finds what it does not expect, such as two
/// graphs, groups, or the end of the file inside of a field.
bool detachData(llvm::StringRef model, std::string &rest,
                DetachedData &detached);

} // namespace minic

#endif // MINIC_COMPILER_IMPORT_ONNX_DETACHDATA_H
