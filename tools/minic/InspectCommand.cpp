// SPDX-License-Identifier: Apache-2.0
//
// minic inspect: what bytes an artifact has.

#include "tools/minic/ArtifactFile.h"
#include "tools/minic/ArtifactJson.h"
#include "tools/minic/Commands.h"

#include "compiler/driver/Compiler.h"
#include "compiler/driver/StoredNumerics.h"
#include "compiler/emit/ReadPlan.h"
#include "compiler/pipeline/PhaseRunner.h"
#include "runtime/base/Tensor.h"
#include "runtime/format/CallReader.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

namespace minic {

static void printSections(const format::ArtifactReader &artifact) {
  using format::SectionKind;
  llvm::outs() << "sections\n";
  for (auto [kind, name] : {std::pair(SectionKind::metadata, "metadata"),
                            std::pair(SectionKind::binaries, "binaries"),
                            std::pair(SectionKind::constants, "constants"),
                            std::pair(SectionKind::model, "model")}) {
    llvm::outs() << llvm::formatv("  {0,-10} {1}\n", name,
                                  bytesText(artifact.section(kind).size()));
  }
}

static void printConstants(const format::Artifact &metadata) {
  llvm::outs() << "constants\n";
  for (const format::Constant *constant : *metadata.constants()) {
    llvm::outs() << "  " << constant->name()->c_str() << ": "
                 << typeText(constant->dtype(), *constant->dims()) << ", "
                 << (constant->layout() ? "packed, " : "")
                 << bytesText(constant->bytes())
                 << (constant->external() ? ", supplied at load\n" : "\n");
  }
}

static void printBinaries(const format::Artifact &metadata) {
  llvm::outs() << "binaries\n";
  for (const format::Binary *binary : *metadata.binaries()) {
    llvm::outs() << "  " << format::EnumNameBinaryKind(binary->kind()) << ' '
                 << binary->arch()->c_str() << ", "
                 << bytesText(binary->bytes()) << '\n';
  }
}

static std::string describe(const format::Command &command) {
  if (const format::Launch *launch = command.operation_as_Launch()) {
    std::string grid;
    for (int64_t extent : *launch->grid()) {
      grid += (grid.empty() ? "" : "x") + std::to_string(extent);
    }
    return "launch " + launch->entry()->str() + " grid " + grid;
  }
  if (const format::Call *call = command.operation_as_Call()) {
    return "call " + format::callTitle(*call);
  }
  if (const format::Copy *copy = command.operation_as_Copy()) {
    return "copy " + bytesText(copy->bytes());
  }
  return "fill " + bytesText(command.operation_as_Fill()->bytes());
}

static void printVariant(const format::Variant &variant) {
  llvm::raw_ostream &os = llvm::outs();
  os << "  variant " << variant.target()->c_str() << ", threads "
     << variant.threads() << ", arena " << bytesText(variant.arena_bytes());
  if (variant.live_bytes() != 0) {
    os << llvm::format(", %.2f times the largest live set",
                       double(variant.arena_bytes()) /
                           double(variant.live_bytes()));
  }
  if (variant.isa() && variant.isa()->size()) {
    os << ", needs";
    for (const flatbuffers::String *feature : *variant.isa()) {
      os << ' ' << feature->c_str();
    }
  }
  os << '\n';
  for (auto [i, command] : llvm::enumerate(*variant.run())) {
    os << "    " << i << ": " << describe(*command);
    if (command->label() && command->label()->size()) {
      os << "  (" << command->label()->c_str() << ')';
    }
    os << '\n';
  }
}

static void printFunction(const format::Function &function) {
  llvm::raw_ostream &os = llvm::outs();
  os << "function " << function.name()->c_str() << "\n  inputs\n";
  for (const format::TensorSpec *spec : *function.inputs()) {
    os << "    " << specText(*spec) << ", aligned to " << spec->alignment();
    if (auto values = runtime::toOperandValues(spec->values())) {
      os << ", " << runtime::toString(*values);
    }
    os << '\n';
  }
  os << "  outputs\n";
  for (const format::TensorSpec *spec : *function.outputs()) {
    os << "    " << specText(*spec) << ", aligned to " << spec->alignment();
    if (spec->in_place()) {
      os << ", in place of "
         << function.inputs()->Get(*spec->in_place())->name()->c_str();
    }
    os << '\n';
  }
  os << "  " << function.flops() << " floating-point operations\n";
  for (const format::Variant *variant : *function.variants()) {
    printVariant(*variant);
  }
}

static void printEntry(const format::Entry &entry,
                       const format::Artifact &artifact) {
  llvm::raw_ostream &os = llvm::outs();
  os << "entry " << entry.name()->c_str() << "\n  dimensions";
  for (const format::EntryDim *dim : *entry.dims()) {
    os << ' ' << dim->name()->c_str();
  }
  os << '\n';
  for (const format::Bucket *bucket : *entry.buckets()) {
    os << "  ";
    llvm::interleaveComma(*bucket->sizes(), os);
    os << ": function "
       << artifact.functions()->Get(bucket->function())->name()->c_str()
       << '\n';
  }
}

int inspectCommand(int argc, char **argv) {
  CLI::App app("Prints what an artifact is made of: sections, signature, "
               "constants, commands.",
               "minic inspect");
  bool asMlir = false, asJson = false, onlyDigest = false;
  auto *json =
      app.add_flag("--json", asJson, "Print it as JSON instead (docs/json.md)");
  auto *mlir = app.add_flag("--mlir", asMlir,
                            "Print the plan in the plan dialect instead");
  app.add_flag("--digest", onlyDigest,
               "Print the file's SHA-256 instead, for --expected-digest")
      ->excludes(json)
      ->excludes(mlir);
  int exitCode = 0;
  std::optional<format::ArtifactReader> artifact =
      openArtifact(app, argc, argv, exitCode);
  if (!artifact) {
    return exitCode;
  }
  if (onlyDigest) {
    llvm::outs() << format::toString(artifact->digest()) << "  "
                 << app["artifact"]->as<std::string>() << '\n';
    return 0;
  }
  if (asMlir) {
    auto context = createCompilerContext();
    printElided(*readPlan(*artifact, *context, /*withValues=*/false),
                llvm::outs());
    return 0;
  }
  if (asJson) {
    llvm::outs() << inspectJson(*artifact);
    return 0;
  }
  const format::Artifact &metadata = artifact->metadata();
  llvm::outs() << app["artifact"]->as<std::string>() << ": made by "
               << metadata.compiler()->c_str() << '\n';
  if (metadata.weights_path() && metadata.weights_path()->size()) {
    llvm::outs() << "weights " << metadata.weights_path()->c_str() << " (xxh3 "
                 << metadata.weights_hash()->c_str() << ")\n";
  }
  if (std::string dtype = storedCastWeights(*artifact); !dtype.empty()) {
    llvm::outs() << "numerics: "
                 << (dtype == "f32" ? "float64"
                                    : "weights, and what is multiplied with "
                                      "them,")
                 << " rounded to " << dtype << " (--cast-weights)\n";
  }
  printSections(*artifact);
  printConstants(metadata);
  printBinaries(metadata);
  for (uint32_t i = 0; metadata.entries() && i < metadata.entries()->size();
       ++i) {
    printEntry(*metadata.entries()->Get(i), metadata);
  }
  for (const format::Function *function : *metadata.functions()) {
    printFunction(*function);
  }
  return 0;
}

} // namespace minic
