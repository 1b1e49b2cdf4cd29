// The kernels of MathGpuTest.

plan.kernel @exp target "cuda" entries ["exp"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.exp %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @erf target "cuda" entries ["erf"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.erf %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @gelu target "cuda" entries ["gelu"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.gelu %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @log target "cuda" entries ["log"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.log %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @tanh target "cuda" entries ["tanh"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.tanh %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @sin target "cuda" entries ["sin"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.sin %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @cos target "cuda" entries ["cos"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.cos %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @rsqrt target "cuda" entries ["rsqrt"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.rsqrt %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @elu target "cuda" entries ["elu"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.elu %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}

plan.kernel @softplus target "cuda" entries ["softplus"] {
  ^bb0(%x0: tensor<262144xf32>):
    %0 = kernel.fusion (%x = %x0 : tensor<262144xf32>) -> tensor<262144xf32> attributes {impl = #kernel.impl<family = "pointwise", schedule = {threads = 128 : i64, unroll = 1 : i64, vector = 1 : i64}>} {
      %1 = graph.softplus %x : tensor<262144xf32>
      kernel.yield %1 : tensor<262144xf32>
    }
}
