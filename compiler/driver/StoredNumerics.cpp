// SPDX-License-Identifier: Apache-2.0
//
// Read from the graph that the artifact carries for --check.

#include "compiler/driver/StoredNumerics.h"

#include "compiler/driver/Compiler.h"
#include "compiler/import/CastWeights.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace mlir;

namespace minic {

std::string storedCastWeights(const format::ArtifactReader &artifact) {
  absl::Span<const std::byte> graph =
      artifact.section(format::SectionKind::model);
  if (graph.empty()) {
    return "";
  }
  std::unique_ptr<MLIRContext> context = createCompilerContext();
  // What is wrong with the graph is said where it is evaluated.
  ScopedDiagnosticHandler silence(context.get(),
                                  [](Diagnostic &) { return success(); });
  llvm::MemoryBufferRef buffer(
      StringRef(reinterpret_cast<const char *>(graph.data()), graph.size()),
      "model");
  Block block;
  if (failed(readBytecodeFile(buffer, &block, ParserConfig(context.get())))) {
    return "";
  }
  for (auto module : block.getOps<ModuleOp>()) {
    if (auto dtype = module->getAttrOfType<StringAttr>(castWeightsAttrName)) {
      return dtype.str();
    }
  }
  return "";
}

} // namespace minic
