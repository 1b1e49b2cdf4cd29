// A row of 50257 logits for SplitRowsGpuTest, shared by 24 blocks of 128 threads,
// with 264 bytes of shared memory and 768 of workspace, or by a cluster of 8
// blocks of 512, with 768 bytes of shared memory.
plan.kernel @softmax target "cuda" entries ["greatest", "sum", "quotients"] {
  ^bb0(%x0: tensor<1x50257xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x50257xf32>) -> tensor<1x50257xf32> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 24 : i64, threads = 128 : i64, unroll = 17 : i64, vector = 1 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<1x50257xf32>
      kernel.yield %1 : tensor<1x50257xf32>
    }
}

plan.kernel @total target "cuda" entries ["total"] {
  ^bb0(%x0: tensor<1x50257xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x50257xf32>) -> tensor<1xf32> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 0 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 24 : i64, threads = 128 : i64, unroll = 17 : i64, vector = 1 : i64}>} {
      %1 = graph.reduce sum, %x [1] : tensor<1x50257xf32> -> tensor<1xf32>
      kernel.yield %1 : tensor<1xf32>
    }
}

plan.kernel @cluster target "cuda" entries ["cluster"] {
  ^bb0(%x0: tensor<1x50257xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<1x50257xf32>) -> tensor<1x50257xf32> attributes {impl = #kernel.impl<family = "rows", schedule = {cluster = 1 : i64, keep = 1 : i64, pdl = 1 : i64, rows = 1 : i64, split = 8 : i64, threads = 512 : i64, unroll = 13 : i64, vector = 1 : i64}>} {
      %1 = graph.softmax %x axis = 1 : tensor<1x50257xf32>
      kernel.yield %1 : tensor<1x50257xf32>
    }
}
