// SPDX-License-Identifier: Apache-2.0

#ifndef MINIC_PASSES_REGISTERPASSES_H
#define MINIC_PASSES_REGISTERPASSES_H

namespace minic {

/// Registers every minic pass and canonicalize, cse with the pass manager's
/// command line, for minic-opt.
void registerPasses();

} // namespace minic

#endif // MINIC_PASSES_REGISTERPASSES_H
