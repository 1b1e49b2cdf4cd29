// SPDX-License-Identifier: Apache-2.0
//
// minic-tune: looks into a tuning database, moves it between machines, and
// makes the files of it that minic ships.

#include "tools/common/CommandLine.h"
#include "tools/minic-tune/Commands.h"

#include <CLI/CLI.hpp>

using namespace minic::tune;

static constexpr const char *toolName = "minic-tune";

int main(int argc, char **argv) {
  CLI::App app("Lists, shows, exports, ships, imports and prunes what minic "
               "measured",
               "minic-tune");
  TuningDb::Options options;
  options.path = TuningDb::defaultPath();
  options.notify = [](const std::string &line) {
    std::fprintf(stderr, "%s: %s\n", toolName, line.c_str());
  };
  app.add_option("--tune-db", options.path, "The tuning database")
      ->capture_default_str();
  app.require_subcommand(1);
  app.fallthrough();

  std::string key, file;
  bool withText = false, asJson = false;
  PruneOptions prune;
  CLI::App *list = app.add_subcommand("list", "One line for each problem");
  list->add_flag("--json", asJson, "Print it as JSON instead (docs/json.md)");
  CLI::App *show = app.add_subcommand("show", "All rows of a problem");
  show->add_option("problem", key, "Start of its key, or part of its name")
      ->required();
  show->add_flag("--text", withText, "Print the problem as MLIR too");
  show->add_flag("--json", asJson, "Print it as JSON instead (docs/json.md)");
  CLI::App *pinner =
      app.add_subcommand("pins", "What problems took, as a file for --pin");
  pinner->add_option("problem", key, "Start of its key, or part of its name");
  CLI::App *exporter = app.add_subcommand("export", "Write it as JSON");
  exporter->add_option("-o,--output", file, "The file; default stdout");
  ShipOptions ship;
  CLI::App *shipper = app.add_subcommand(
      "ship", "Write what is fastest on a device, as minic ships it");
  shipper->add_option("-o,--output", ship.path,
                      "The file, or its folder; default stdout");
  shipper->add_option("--device", ship.device,
                      "Name of the device, if there are records of several");
  shipper->add_option("--driver", ship.driver,
                      "Version of the driver that measured, for people");
  shipper->add_flag("--provisional", ship.provisional,
                    "Also what was undecided when time ended, on a noisy "
                    "machine");
  CLI::App *importer = app.add_subcommand("import", "Merge an export");
  importer->add_option("file", file, "What export wrote; - for stdin")
      ->required();
  CLI::App *pruner = app.add_subcommand("prune", "Remove records");
  pruner->add_flag("--unfinished", prune.unfinished, "Searches cut off");
  pruner->add_flag("--superseded", prune.superseded,
                   "Those with a later one of the same problem");
  pruner->add_option("--older-than", prune.olderThanDays, "Age in days")
      ->check(CLI::NonNegativeNumber);
  pruner->add_flag("--all", prune.all, "Everything");
  if (std::optional<int> code =
          minic::tools::parseCommandLine(toolName, app, argc, argv)) {
    return *code;
  }

  if (pruner->parsed() && !prune.all && !prune.unfinished &&
      !prune.superseded && prune.olderThanDays < 0) {
    return minic::tools::fail(
        toolName, minic::tools::ExitCode::Usage,
        "prune expects what to remove: --unfinished, --superseded, "
        "--older-than=DAYS or --all");
  }
  bool write = importer->parsed() || pruner->parsed();
  options.access =
      write ? TuningDb::Access::ReadWrite : TuningDb::Access::ReadOnly;
  absl::StatusOr<std::unique_ptr<TuningDb>> db = TuningDb::open(options);
  absl::Status status = db.status();
  if (status.ok()) {
    status = show->parsed()       ? showRecords(**db, key, withText, asJson)
             : pinner->parsed()   ? printPins(**db, key)
             : exporter->parsed() ? exportRecords(**db, file)
             : shipper->parsed()  ? shipRecords(**db, ship)
             : importer->parsed() ? importRecords(**db, file)
             : pruner->parsed()   ? pruneRecords(**db, prune)
                                  : listRecords(**db, asJson);
  }
  return status.ok() ? 0 : minic::tools::fail(toolName, status);
}
