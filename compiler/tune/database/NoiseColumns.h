// SPDX-License-Identifier: Apache-2.0
//
// NoiseColumns: the columns noise_spread, noise_others, noise_cores, which
// records and verdicts have in this order.

#ifndef MINIC_COMPILER_TUNE_DATABASE_NOISECOLUMNS_H
#define MINIC_COMPILER_TUNE_DATABASE_NOISECOLUMNS_H

#include "compiler/tune/database/Noise.h"
#include "compiler/tune/database/Sqlite.h"

namespace minic::tune {

inline void bindNoise(Statement &statement, const Noise &noise) {
  statement.bind(noise.spread).bind(noise.others).bind(noise.cores);
}

inline void readNoise(Statement &statement, Noise &noise) {
  statement.read(noise.spread);
  statement.read(noise.others);
  statement.read(noise.cores);
}

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_DATABASE_NOISECOLUMNS_H
