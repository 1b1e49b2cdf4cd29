// SPDX-License-Identifier: Apache-2.0
//
// KeyParts: the keys of one tile split among threads. Each part leaves its sums
// in the plan's memory; the thread that ends last merges them, always in the
// same order.

#ifndef MINIC_COMPILER_TARGET_CPU_ATTENTION_KEYPARTS_H
#define MINIC_COMPILER_TARGET_CPU_ATTENTION_KEYPARTS_H

#include "compiler/target/cpu/attention/TileCode.h"

namespace minic::cpu {

/// Of one tile, in a function of one part.
struct KeyParts {
  int64_t count;       ///< of parts
  mlir::Value number;  ///< of this one
  mlir::Value states;  ///< of all parts, shape.stateFloats apart
  mlir::Value counter; ///< i32, of parts that ended; zero before and after
};

/// This part of the keys [begin, end), from a multiple of the step on.
std::pair<mlir::Value, mlir::Value> emitKeysOfPart(TileCode &code,
                                                   const KeyParts &parts,
                                                   mlir::Value begin,
                                                   mlir::Value end);

/// Copies the greatest scores, totals and sums in `scratch` to the state of
/// this part. Then counts the part: whether it is the last one, an i1.
mlir::Value emitLeaveState(TileCode &code, const KeyParts &parts,
                           mlir::Value scratch);

/// Merges the states of all parts into `scratch`, which was cleared.
void emitMergeStates(TileCode &code, const KeyParts &parts,
                     mlir::Value scratch);

} // namespace minic::cpu

#endif // MINIC_COMPILER_TARGET_CPU_ATTENTION_KEYPARTS_H
