// Extents that have to stay numbers, each with the reason; the others get names beside them.
// RUN: evo-opt %s --split-input-file --pass-pipeline='builtin.module(evo.kernel(evo-abstract-shapes))' | FileCheck %s

// CHECK-LABEL: evo.kernel @places args
// CHECK-SAME: "x" in f32 ["M", "32"]>
// CHECK-SAME: argument 0, axis 1, is 32: elements are read at computed places
evo.kernel @places args [#evo.arg<"x" in f32 ["8", "32"]>, #evo.arg<"y" out f32 ["8", "32"]>] {
  evo.reference {
    func.func @places(%x: tensor<8x32xf32>, %y: tensor<8x32xf32>) -> tensor<8x32xf32> {
      %sixteen = arith.constant 16 : index
      %r = linalg.generic {indexing_maps = [affine_map<(h, i) -> (h, i)>],
                           iterator_types = ["parallel", "parallel"]} outs(%y : tensor<8x32xf32>) {
      ^bb0(%out: f32):
        %h = linalg.index 0 : index
        %i = linalg.index 1 : index
        %j = arith.xori %i, %sixteen : index
        %e = tensor.extract %x[%h, %j] : tensor<8x32xf32>
        linalg.yield %e : f32
      } -> tensor<8x32xf32>
      return %r : tensor<8x32xf32>
    }
  }
}

// -----

// CHECK-LABEL: evo.kernel @place args
// CHECK-SAME: argument 0, axis 1, is 32: one element of it is read by its place
evo.kernel @place args [#evo.arg<"x" in f32 ["8", "32"]>, #evo.arg<"y" out f32 ["8"]>] {
  evo.reference {
    func.func @place(%x: tensor<8x32xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %sixteen = arith.constant 16 : index
      %r = linalg.generic {indexing_maps = [affine_map<(h) -> (h)>],
                           iterator_types = ["parallel"]} outs(%y : tensor<8xf32>) {
      ^bb0(%out: f32):
        %h = linalg.index 0 : index
        %e = tensor.extract %x[%h, %sixteen] : tensor<8x32xf32>
        linalg.yield %e : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
}

// -----

// CHECK-LABEL: evo.kernel @slice args
// CHECK-SAME: "x" in f32 ["M", "32"]>
// CHECK-SAME: "y" out f32 ["M", "10"]>
// CHECK-SAME: argument 0, axis 1, is 32: a slice of a size of its own
evo.kernel @slice args [#evo.arg<"x" in f32 ["8", "32"]>, #evo.arg<"y" out f32 ["8", "10"]>] {
  evo.reference {
    func.func @slice(%x: tensor<8x32xf32>, %y: tensor<8x10xf32>) -> tensor<8x10xf32> {
      %s = tensor.extract_slice %x[0, 3] [8, 10] [1, 1] : tensor<8x32xf32> to tensor<8x10xf32>
      return %s : tensor<8x10xf32>
    }
  }
}

// -----

// Factors that do not divide each other cut an extent in two ways.
// CHECK-LABEL: evo.kernel @factors args
// CHECK-SAME: "x" in f32 ["M", "24"]>
// CHECK-SAME: argument 0, axis 1, is 24: it follows from others
// CHECK-SAME: argument 1, axis 1, is 4: two formulas for it, by factors of a reshape
evo.kernel @factors args [#evo.arg<"x" in f32 ["8", "24"]>, #evo.arg<"y" out f32 ["8", "4", "6"]>,
                          #evo.arg<"z" out f32 ["8", "6", "4"]>] {
  evo.reference {
    func.func @factors(%x: tensor<8x24xf32>, %y: tensor<8x4x6xf32>, %z: tensor<8x6x4xf32>)
        -> (tensor<8x4x6xf32>, tensor<8x6x4xf32>) {
      %a = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 4, 6]
          : tensor<8x24xf32> into tensor<8x4x6xf32>
      %b = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 6, 4]
          : tensor<8x24xf32> into tensor<8x6x4xf32>
      return %a, %b : tensor<8x4x6xf32>, tensor<8x6x4xf32>
    }
  }
}

// -----

// CHECK-LABEL: evo.kernel @halves args
// CHECK-SAME: "x" in f32 ["M", "8"]>
// CHECK-SAME: argument 0, axis 1, is 8: it is indexed by no sum of loops
evo.kernel @halves args [#evo.arg<"x" in f32 ["8", "8"]>, #evo.arg<"y" out f32 ["8", "16"]>] {
  evo.reference {
    func.func @halves(%x: tensor<8x8xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
      %r = linalg.generic {indexing_maps = [affine_map<(h, i) -> (h, i floordiv 2)>,
                                            affine_map<(h, i) -> (h, i)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<8x8xf32>) outs(%y : tensor<8x16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<8x16xf32>
      return %r : tensor<8x16xf32>
    }
  }
}

// -----

// CHECK-LABEL: evo.kernel @generated args
// CHECK-SAME: argument 0, axis 0, is 8: what tensor.generate does is known of one size only
evo.kernel @generated args [#evo.arg<"x" in f32 ["8", "16"]>, #evo.arg<"y" out f32 ["8"]>] {
  evo.reference {
    func.func @generated(%x: tensor<8x16xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
      %g = tensor.generate {
      ^bb0(%i: index):
        %j = arith.index_cast %i : index to i32
        %f = arith.sitofp %j : i32 to f32
        tensor.yield %f : f32
      } : tensor<8xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(h, i) -> (h, i)>, affine_map<(h, i) -> (h)>],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x : tensor<8x16xf32>) outs(%g : tensor<8xf32>) {
      ^bb0(%in: f32, %out: f32):
        %s = arith.addf %in, %out : f32
        linalg.yield %s : f32
      } -> tensor<8xf32>
      return %r : tensor<8xf32>
    }
  }
}

// -----

// Sums along two axes of one size meet the number of elements of either.
// CHECK-LABEL: evo.kernel @either args
// CHECK-SAME: "x" in f32 ["M", "N"]>
// CHECK-SAME: the number 1.600000e+01 : f32 in the code: it may be a function of several extents
// CHECK: arith.constant 1.600000e+01
evo.kernel @either args [#evo.arg<"x" in f32 ["16", "16"]>, #evo.arg<"y" out f32 ["16", "16"]>] {
  evo.reference {
    func.func @either(%x: tensor<16x16xf32>, %y: tensor<16x16xf32>) -> tensor<16x16xf32> {
      %zero = arith.constant 0.0 : f32
      %count = arith.constant 16.0 : f32
      %e = tensor.empty() : tensor<16xf32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
      %rows = linalg.reduce { arith.addf } ins(%x : tensor<16x16xf32>)
          outs(%init : tensor<16xf32>) dimensions = [1]
      %columns = linalg.reduce { arith.addf } ins(%x : tensor<16x16xf32>)
          outs(%init : tensor<16xf32>) dimensions = [0]
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%rows, %columns : tensor<16xf32>, tensor<16xf32>) outs(%y : tensor<16x16xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.addf %a, %b : f32
        %q = arith.divf %s, %count : f32
        linalg.yield %q : f32
      } -> tensor<16x16xf32>
      return %r : tensor<16x16xf32>
    }
  }
}
