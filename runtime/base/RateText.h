// SPDX-License-Identifier: Apache-2.0
//
// RateText: operations a second, in one way everywhere.

#ifndef MINIC_RUNTIME_BASE_RATETEXT_H
#define MINIC_RUNTIME_BASE_RATETEXT_H

#include <string>

namespace minic::runtime {

/// "58.51 GFLOP/s"; from 1000 of them on "1.805 TFLOP/s".
std::string rateText(double gflops);

} // namespace minic::runtime

#endif // MINIC_RUNTIME_BASE_RATETEXT_H
