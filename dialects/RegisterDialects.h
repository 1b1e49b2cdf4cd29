// SPDX-License-Identifier: Apache-2.0

#ifndef MINIC_DIALECTS_REGISTERDIALECTS_H
#define MINIC_DIALECTS_REGISTERDIALECTS_H

namespace mlir {
class DialectRegistry;
}

namespace minic {

/// Registers graph, kernel, plan and the upstream dialects that models, pass
/// pipelines and generated kernels use.
void registerDialects(mlir::DialectRegistry &registry);

} // namespace minic

#endif // MINIC_DIALECTS_REGISTERDIALECTS_H
