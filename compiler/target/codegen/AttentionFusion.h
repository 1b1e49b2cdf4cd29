// SPDX-License-Identifier: Apache-2.0
//
// AttentionFusion: a body that is one attention, with the ops that move its
// operands' and its result's elements (transposes, reshapes, slices) as
// strides.

#ifndef MINIC_COMPILER_TARGET_CODEGEN_ATTENTIONFUSION_H
#define MINIC_COMPILER_TARGET_CODEGEN_ATTENTIONFUSION_H

#include "dialects/kernel/Kernel.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>

namespace minic {

struct AttentionFusion {
  /// An operand or a result of the fusion: element (i0, i1, i2, i3) lies at
  /// offset + sum of strides[k] * ik, in elements of `storage`. An index that
  /// it does not depend on, or that has one value only, has stride 0.
  struct Access {
    unsigned argument = 0; ///< number of the operand, or of the result
    mlir::Type storage;
    int64_t offset = 0;
    std::array<int64_t, 4> strides{};
  };

  unsigned operands = 0;                      ///< of the fusion
  int64_t batch = 0, heads = 0, keyHeads = 0; ///< B, H, G
  int64_t rows = 0, keys = 0;                 ///< T and S
  int64_t depth = 0, valueDepth = 0;          ///< D and E
  Access query;                               ///< by (b, h, t, d)
  Access key;                                 ///< by (b, g, s, d)
  Access value;                               ///< by (b, g, s, e)
  /// By (b, h, t, s); i1, or a float to add.
  std::optional<Access> mask;
  /// By b alone; i32 or i64, not clamped yet.
  std::optional<Access> keyLength;
  double scale = 1; ///< of a score, 1 / sqrt(D) where no attribute says it
  std::optional<double> softCap;
  graph::Causal causal = graph::Causal::None;
  std::optional<int64_t> window;
  Access result;                   ///< by (b, h, t, e)
  std::optional<Access> logSumExp; ///< by (b, h, t); f32

  /// A cache that the body updates in place, (B, G, S, D or E) in memory,
  /// before attention reads it as key or value.
  struct Update {
    graph::CacheUpdateOp op;
    unsigned result = 0; ///< number of the result, as `Access::argument`
    bool isValue = false;
  };
  /// Those of key and value; usually none.
  llvm::SmallVector<Update, 2> updates;
  /// Query and key_length where the body makes their elements one by one; null
  /// where they are operands. `query` is then what a dense tensor's would be,
  /// and neither has an argument.
  mlir::Value madeQuery, madeLength;

  /// The operands that say how many keys there are and where new ones belong.
  llvm::SmallVector<unsigned> countingOperands() const;

  /// Whether the body does more than attention on its operands.
  bool makesOperands() const {
    return !updates.empty() || madeQuery || madeLength;
  }

  /// Heads of the query that share one of key and value.
  int64_t headsPerKey() const { return heads / keyHeads; }
  /// Whether some key may be left out for some query.
  bool leavesOutKeys() const {
    return causal != graph::Causal::None || window || keyLength ||
           (mask && mask->storage.isInteger(1));
  }

  /// Whether results have what belongs to one b in memory behind that of the
  /// one before.
  bool writesBatchInOrder() const;

  /// Takes one graph.attention of static shape that yields its result, with
  /// updates in place of its key and value, and with what makes elements of the
  /// query, of key_length and of updates one by one. Fails with a reason, for
  /// people, for any other body, for one with an empty dimension, and where
  /// elements are not at constant strides.
  static mlir::FailureOr<AttentionFusion> get(kernel::FusionOp fusion,
                                              std::string &reason);
};

} // namespace minic

#endif // MINIC_COMPILER_TARGET_CODEGEN_ATTENTIONFUSION_H
