// Extents that ops hold equal become one dimension of the contract; extents of results
// are formulas of those of arguments, and numbers that are functions of an extent follow
// it. What cannot change stays, and is said.
// RUN: evo-opt %s --split-input-file --pass-pipeline='builtin.module(evo.kernel(evo-abstract-shapes))' | FileCheck %s

// Two axes of one size that nothing ties have two names.
// CHECK-LABEL: evo.kernel @product args
// CHECK-SAME: "a" in f32 ["M", "N"]>
// CHECK-SAME: "b" in f32 ["N", "K"]>
// CHECK-SAME: "c" out f32 ["M", "K"]>
// CHECK-SAME: #evo.workload<{K = 64 : i64, M = 64 : i64, N = 64 : i64}>
// CHECK-SAME: evo.sizes = {K = 64 : i64, M = 64 : i64, N = 64 : i64}
// CHECK: linalg.matmul {{.*}} tensor<?x?xf32>, tensor<?x?xf32>
evo.kernel @product args [#evo.arg<"a" in f32 ["64", "64"]>, #evo.arg<"b" in f32 ["64", "64"]>,
                          #evo.arg<"c" out f32 ["64", "64"]>] {
  evo.reference {
    func.func @product(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>)
        -> tensor<64x64xf32> {
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%c : tensor<64x64xf32>) -> tensor<64x64xf32>
      %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
          outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
      return %p : tensor<64x64xf32>
    }
  }
}

// -----

// A window stays as large as it is; the padded input does not.
// CHECK-LABEL: evo.kernel @windows args
// CHECK-SAME: "x" in f32 ["M"]>
// CHECK-SAME: "k" in f32 ["3"]>
// CHECK-SAME: "y" out f32 ["((M + 1) / 2)"]>
// CHECK-SAME: requires ["M - 1 >= 0"]
// CHECK-SAME: evo.fixed = ["argument 1, axis 0, is 3: the extent of a window"]
// CHECK: tensor.pad {{.*}} low[1] high[1]
evo.kernel @windows args [#evo.arg<"x" in f32 ["99"]>, #evo.arg<"k" in f32 ["3"]>,
                          #evo.arg<"y" out f32 ["50"]>] {
  evo.reference {
    func.func @windows(%x: tensor<99xf32>, %k: tensor<3xf32>, %y: tensor<50xf32>)
        -> tensor<50xf32> {
      %zero = arith.constant 0.0 : f32
      %padded = tensor.pad %x low[1] high[1] {
      ^bb0(%i: index):
        tensor.yield %zero : f32
      } : tensor<99xf32> to tensor<101xf32>
      %init = linalg.fill ins(%zero : f32) outs(%y : tensor<50xf32>) -> tensor<50xf32>
      %s = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (2 * i + j)>, affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%padded, %k : tensor<101xf32>, tensor<3xf32>) outs(%init : tensor<50xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %p = arith.mulf %a, %b : f32
        %q = arith.addf %p, %out : f32
        linalg.yield %q : f32
      } -> tensor<50xf32>
      return %s : tensor<50xf32>
    }
  }
}

// -----

// A mean's divisor is its number of elements, also where they were counted by a reshape,
// of which one factor stays. What is flattened and unflattened is what it was.
// CHECK-LABEL: evo.kernel @groups args
// CHECK-SAME: "x" in f32 ["M", "4 * N"]>
// CHECK-SAME: "y" out f32 ["M", "4 * N"]>
// CHECK-DAG: %[[COUNT:.*]] = arith.sitofp
// CHECK-NOT: 1.200000e+01
// CHECK: arith.divf %{{.*}}, %[[COUNT]]
evo.kernel @groups args [#evo.arg<"x" in f32 ["8", "48"]>, #evo.arg<"y" out f32 ["8", "48"]>] {
  evo.reference {
    func.func @groups(%x: tensor<8x48xf32>, %y: tensor<8x48xf32>) -> tensor<8x48xf32> {
      %zero = arith.constant 0.0 : f32
      %count = arith.constant 12.0 : f32
      %g = tensor.expand_shape %x [[0], [1, 2]] output_shape [8, 4, 12]
          : tensor<8x48xf32> into tensor<8x4x12xf32>
      %e = tensor.empty() : tensor<8x4xf32>
      %init = linalg.fill ins(%zero : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
      %sum = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>],
          iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%g : tensor<8x4x12xf32>) outs(%init : tensor<8x4xf32>) {
      ^bb0(%a: f32, %out: f32):
        %s = arith.addf %a, %out : f32
        linalg.yield %s : f32
      } -> tensor<8x4xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>,
                           affine_map<(i, j, k) -> (i, j, k)>],
          iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%g, %sum : tensor<8x4x12xf32>, tensor<8x4xf32>) outs(%g : tensor<8x4x12xf32>) {
      ^bb0(%a: f32, %s: f32, %out: f32):
        %mean = arith.divf %s, %count : f32
        %d = arith.subf %a, %mean : f32
        linalg.yield %d : f32
      } -> tensor<8x4x12xf32>
      %c = tensor.collapse_shape %r [[0], [1, 2]] : tensor<8x4x12xf32> into tensor<8x48xf32>
      return %c : tensor<8x48xf32>
    }
  }
}

// -----

// Elements of its own tie a constant to one size, and that the other.
// CHECK-LABEL: evo.kernel @table args
// CHECK-SAME: "x" in f32 ["M", "3"]>
// CHECK-SAME: argument 0, axis 1, is 3: a constant with elements of their own
evo.kernel @table args [#evo.arg<"x" in f32 ["16", "3"]>, #evo.arg<"y" out f32 ["16", "3"]>] {
  evo.reference {
    func.func @table(%x: tensor<16x3xf32>, %y: tensor<16x3xf32>) -> tensor<16x3xf32> {
      %t = arith.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
      %r = linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%x, %t : tensor<16x3xf32>, tensor<3xf32>) outs(%y : tensor<16x3xf32>) {
      ^bb0(%a: f32, %b: f32, %out: f32):
        %s = arith.mulf %a, %b : f32
        linalg.yield %s : f32
      } -> tensor<16x3xf32>
      return %r : tensor<16x3xf32>
    }
  }
}

// -----

// Places that are computed otherwise hold for one size: nothing is named then.
// CHECK-LABEL: evo.kernel @places args
// CHECK-SAME: "x" in f32 ["32"]>
// CHECK-SAME: evo.fixed = ["all extents: no extent of an argument can change"]
evo.kernel @places args [#evo.arg<"x" in f32 ["32"]>, #evo.arg<"y" out f32 ["32"]>] {
  evo.reference {
    func.func @places(%x: tensor<32xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
      %sixteen = arith.constant 16 : index
      %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} outs(%y : tensor<32xf32>) {
      ^bb0(%out: f32):
        %i = linalg.index 0 : index
        %j = arith.xori %i, %sixteen : index
        %e = tensor.extract %x[%j] : tensor<32xf32>
        linalg.yield %e : f32
      } -> tensor<32xf32>
      return %r : tensor<32xf32>
    }
  }
}
