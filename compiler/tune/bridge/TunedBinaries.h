// SPDX-License-Identifier: Apache-2.0
//
// TunedBinaries: the assembled kernels of tuned models, kept in the tuning
// database, because assembling them takes longer than all else in a
// compilation that measures nothing.

#ifndef MINIC_COMPILER_TUNE_BRIDGE_TUNEDBINARIES_H
#define MINIC_COMPILER_TUNE_BRIDGE_TUNEDBINARIES_H

#include "compiler/options/CompileOptions.h"
#include "compiler/target/BinaryCache.h"
#include "compiler/tune/database/TuningDb.h"

namespace minic::tune {

/// Opens the database when it is first asked. If nothing is tuned it only
/// reads. It reports no database that cannot be used; the database's other
/// users do.
class TunedBinaries : public BinaryCache {
public:
  explicit TunedBinaries(const CompileOptions &options) : options(options) {}

  std::optional<AssembledBinary> find(const std::string &key) override;
  void put(const std::string &key, const AssembledBinary &binary) override;

private:
  TuningDb *open();

  const CompileOptions &options;
  bool wasOpened = false;
  std::unique_ptr<TuningDb> db;
};

} // namespace minic::tune

#endif // MINIC_COMPILER_TUNE_BRIDGE_TUNEDBINARIES_H
