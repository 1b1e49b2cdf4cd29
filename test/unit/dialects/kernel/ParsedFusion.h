// SPDX-License-Identifier: Apache-2.0
//
// ParsedFusion: a kernel.fusion written down as text by a test.

#ifndef MINIC_TEST_UNIT_DIALECTS_KERNEL_PARSEDFUSION_H
#define MINIC_TEST_UNIT_DIALECTS_KERNEL_PARSEDFUSION_H

#include "dialects/RegisterDialects.h"
#include "dialects/kernel/Kernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace minic {

/// A context that knows minic's dialects, and a module parsed into it.
class ParsedFusion {
public:
  /// `arguments` are the types of body arguments %0, %1, ...; `body` is the
  /// fusion's text including kernel.yield; `results` its result types.
  ParsedFusion(const std::vector<std::string> &arguments,
               const std::string &results, const std::string &body)
      : context_(registry()) {
    std::string parameters, inputs;
    for (size_t i = 0; i < arguments.size(); ++i) {
      std::string n = std::to_string(i);
      parameters += (i ? ", %a" : "%a") + n + ": " + arguments[i];
      inputs += (i ? ", %" : "%") + n + " = %a" + n + " : " + arguments[i];
    }
    std::string text = "func.func @f(" + parameters +
                       ") {\n%r = kernel.fusion (" + inputs + ") -> " +
                       results + " {\n" + body + "\n}\nreturn\n}\n";
    // Several results cannot share one name without a count.
    if (results.front() == '(') {
      size_t count = 1 + std::count(results.begin(), results.end(), ',');
      text.replace(text.find("%r"), 2, "%r:" + std::to_string(count));
    }
    module_ = mlir::parseSourceString<mlir::ModuleOp>(text, &context_);
    EXPECT_TRUE(module_) << text;
  }

  kernel::FusionOp get() {
    kernel::FusionOp found;
    module_->walk([&](kernel::FusionOp op) { found = op; });
    return found;
  }

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

} // namespace minic

#endif // MINIC_TEST_UNIT_DIALECTS_KERNEL_PARSEDFUSION_H
