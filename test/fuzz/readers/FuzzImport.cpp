// SPDX-License-Identifier: Apache-2.0
//
// A context serves several inputs, because loading its dialects takes longer
// than to import most models, and no more than that: it keeps all types and
// constants that it has seen.

#include "test/fuzz/readers/FuzzImport.h"

#include "dialects/RegisterDialects.h"
#include "test/fuzz/readers/InputFile.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace mlir;

namespace minic::fuzz {

namespace {

class ModelFolder {
public:
  ModelFolder() {
    char made[] = "/tmp/minic-fuzz-XXXXXX";
    if (!mkdtemp(made)) {
      std::perror("cannot make a folder");
      std::_Exit(1);
    }
    path = made;
    std::ofstream(path + "/weights.bin") << std::string(64, '\x3f');
    std::string header =
        R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},)"
        R"("h":{"dtype":"BF16","shape":[2,2],"data_offsets":[16,24]},)"
        R"("i":{"dtype":"I64","shape":[1],"data_offsets":[24,32]}})";
    std::string size(8, '\0');
    size[0] = char(header.size());
    std::ofstream(path + "/weights.safetensors")
        << size << header << std::string(32, '\x3f');
  }
  ~ModelFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string path;
};

} // namespace

const std::string &modelFolder() {
  static const ModelFolder folder;
  return folder.path;
}

/// As the compiler makes it.
static std::unique_ptr<MLIRContext> createContext() {
  DialectRegistry registry;
  registerDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

void importBytes(llvm::StringRef bytes, llvm::StringRef name,
                 ImportOptions options) {
  constexpr int inputsPerContext = 64;
  static std::unique_ptr<MLIRContext> context;
  static int inputs = 0;
  if (inputs++ % inputsPerContext == 0) {
    context = createContext();
  }
  options.namesTensors = bytes.size() % 2 == 0;
  options.castWeights = bytes.size() % 4 < 2 ? "" : "bf16";
  bool isSaid = false;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    isSaid |= diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              !diagnostic.str().empty();
    return success();
  });
  std::string path = (modelFolder() + "/" + name).str();
  auto model = importModelBuffer(bytes, path, *context, options);
  if (failed(model)) {
    expectMessage(!isSaid);
  } else if (failed(verify(*model->module))) {
    reportFinding("an imported module that does not verify");
  }
}

} // namespace minic::fuzz
