// SPDX-License-Identifier: Apache-2.0
//
// CommandsJson: records for programs; docs/json.md documents the fields.

#ifndef MINIC_TOOLS_MINIC_TUNE_COMMANDSJSON_H
#define MINIC_TOOLS_MINIC_TUNE_COMMANDSJSON_H

#include "compiler/tune/database/TuningDb.h"

namespace minic::tune {

/// One entry per record: "format": "minic-tune-list".
std::string listJson(const std::vector<Record> &records,
                     const std::vector<Verdict> &verdicts);

/// All rows of the records, as exports have them: "format": "minic-tune-show".
std::string showJson(const std::vector<Record> &records);

} // namespace minic::tune

#endif // MINIC_TOOLS_MINIC_TUNE_COMMANDSJSON_H
