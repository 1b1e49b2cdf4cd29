// SPDX-License-Identifier: Apache-2.0
//
// All graph ops, for one TableGen run.

include "dialects/graph/GraphAttentionOps.td"
include "dialects/graph/GraphContractionOps.td"
include "dialects/graph/GraphConvolutionOps.td"
include "dialects/graph/GraphImageOps.td"
include "dialects/graph/GraphIndexOps.td"
include "dialects/graph/GraphLayoutOps.td"
include "dialects/graph/GraphNormOps.td"
include "dialects/graph/GraphOrderOps.td"
include "dialects/graph/GraphPointwiseOps.td"
include "dialects/graph/GraphReductionOps.td"
