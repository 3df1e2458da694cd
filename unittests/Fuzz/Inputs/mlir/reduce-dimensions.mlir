func.func @f(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4x4xf32>) outs(%y : tensor<4xf32>) dimensions = [no]
  return %r : tensor<4xf32>
}
