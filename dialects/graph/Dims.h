// SPDX-License-Identifier: Apache-2.0
//
// Dimensions whose sizes vary: how a model names them, and how a function says
// for which sizes it was made.

#ifndef MINIC_DIALECTS_GRAPH_DIMS_H
#define MINIC_DIALECTS_GRAPH_DIMS_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <map>
#include <string>

namespace minic::graph {

/// On an argument of a function, and on an op with one result: an array with
/// an entry for each dimension of its type, a string that names a dimension
/// whose size is bound later (`?` in the type) or the size itself.
inline constexpr llvm::StringLiteral dimsAttrName = "graph.dims";

/// On a module: a dictionary of the sizes of each named dimension, i64 arrays.
inline constexpr llvm::StringLiteral bucketsAttrName = "graph.buckets";

/// On a function: a dictionary of `entry`, the name of the function that it was
/// made of, and `sizes`, a dictionary of i64 by dimension. A run finds the
/// function of an entry by the sizes of its inputs. `pads`, where sizes between
/// are taken: for each such dimension an i64 array, the axis of each result
/// along which it has rows of the dimension, -1 for none. `checks`, where it is
/// not proved that this is right: a string by dimension, what was checked.
inline constexpr llvm::StringLiteral bucketAttrName = "graph.bucket";

/// On an argument of such a function: the element of its type that it has
/// behind the rows of a run that is padded; zeros where there is none.
inline constexpr llvm::StringLiteral fillAttrName = "graph.fill";

/// The size of each named dimension.
using DimSizes = std::map<std::string, int64_t>;

/// "B=8,T=512"
inline std::string describeSizes(const DimSizes &sizes) {
  std::string text;
  for (const auto &[dim, size] : sizes) {
    text += (text.empty() ? "" : ",") + dim + "=" + std::to_string(size);
  }
  return text;
}

/// "main[B=8,T=512]", or `entry` itself where nothing varies.
inline std::string bucketName(llvm::StringRef entry, const DimSizes &sizes) {
  std::string name = entry.str();
  return sizes.empty() ? name : name + "[" + describeSizes(sizes) + "]";
}

} // namespace minic::graph

#endif // MINIC_DIALECTS_GRAPH_DIMS_H
