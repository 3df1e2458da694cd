// Kernels in which elements look for their results: a thread an element, or a vector of them.
// RUN: split-file %s %t
// DEFINE: %{options} = ""
// DEFINE: %{name} = ""
// DEFINE: %{map} = evo-opt %t/%{name}.mlir --pass-pipeline='builtin.module(func.func(evo-map-linalg{threads=64 chain=1 group=1 access=16 %{options}},canonicalize,cse))'
// DEFINE: %{check} = FileCheck %t/%{name}.mlir
// REDEFINE: %{name} = rows
// REDEFINE: %{options} = scatter=16
// RUN: %{map} | %{check}
// REDEFINE: %{options} = scatter=4 columns=2
// RUN: %{map} | %{check} --check-prefix=SINGLE --implicit-check-not=inline_asm
// REDEFINE: %{options} = scatter=0
// RUN: %{map} | %{check} --check-prefix=NONE --implicit-check-not=atomic --implicit-check-not=inline_asm
// REDEFINE: %{name} = segments
// REDEFINE: %{options} = scatter=16
// RUN: %{map} | %{check} --implicit-check-not=inline_asm
// The twins: no equality, one with what is combined, a product, what is read meanwhile.
// REDEFINE: %{name} = twins
// RUN: %{map} | %{check} --implicit-check-not=atomic --implicit-check-not=inline_asm

//--- rows.mlir
// Results are filled by a kernel of their own; what is beyond them matches none.
// CHECK-LABEL: func.func @rows
// CHECK: gpu.launch
// CHECK: vector.store
// CHECK: gpu.terminator
// CHECK: gpu.launch
// CHECK: scf.if
// CHECK-DAG: memref.load %{{.*}} : memref<?xi32>
// CHECK-DAG: vector.load {{.*}} vector<4xf32>
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: llvm.inline_asm has_side_effects "red.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,f,f,f,f,~{memory}"
// Rows that are no multiple of a vector.
// CHECK: else
// CHECK: scf.for
// CHECK: llvm.atomicrmw fadd {{.*}} monotonic
// SINGLE-LABEL: func.func @rows
// SINGLE: gpu.terminator
// SINGLE: gpu.launch
// SINGLE-COUNT-2: memref.load %{{.*}} : memref<?xi32>
// SINGLE-COUNT-2: llvm.atomicrmw fadd {{.*}} monotonic
// NONE-LABEL: func.func @rows
// NONE: scf.for
// NONE: memref.store
func.func @rows(%dy: memref<?x?xf32>, %index: memref<?xi32>, %table: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%table : memref<?x?xf32>)
  linalg.generic {indexing_maps = [affine_map<(v, d, t) -> (t, d)>, affine_map<(v, d, t) -> (t)>,
                                   affine_map<(v, d, t) -> (v, d)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dy, %index : memref<?x?xf32>, memref<?xi32>) outs(%table : memref<?x?xf32>) {
  ^bb0(%in: f32, %at: i32, %sum: f32):
    %v = linalg.index 0 : index
    %row = arith.index_cast %v : index to i64
    %wide = arith.extsi %at : i32 to i64
    %mine = arith.cmpi eq, %wide, %row : i64
    %part = arith.select %mine, %in, %zero : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  }
  return
}

//--- segments.mlir
// Of several results of a condition with other parts; what is read lies together.
// CHECK-LABEL: func.func @segments
// CHECK: gpu.launch
// CHECK: vector.load {{.*}} vector<4xi32>
// CHECK: vector.load {{.*}} vector<4xi32>
// CHECK: arith.cmpi ult
// CHECK: arith.cmpi sgt
// CHECK: llvm.atomicrmw add {{.*}} monotonic
// CHECK: llvm.atomicrmw max {{.*}} monotonic
func.func @segments(%x: memref<?xi32>, %segment: memref<?xi32>, %sum: memref<?xi32>, %largest: memref<?xi32>) {
  %none = arith.constant 0 : i32
  %least = arith.constant -2147483648 : i32
  linalg.generic {indexing_maps = [affine_map<(s, t) -> (t)>, affine_map<(s, t) -> (t)>,
                                   affine_map<(s, t) -> (s)>, affine_map<(s, t) -> (s)>],
                  iterator_types = ["parallel", "reduction"]}
      ins(%x, %segment : memref<?xi32>, memref<?xi32>) outs(%sum, %largest : memref<?xi32>, memref<?xi32>) {
  ^bb0(%in: i32, %at: i32, %total: i32, %high: i32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %same = arith.cmpi eq, %own, %at : i32
    %positive = arith.cmpi sgt, %in, %none : i32
    %mine = arith.andi %same, %positive : i1
    %part = arith.select %mine, %in, %none : i32
    %next = arith.addi %total, %part : i32
    %candidate = arith.select %mine, %in, %least : i32
    %higher = arith.maxsi %high, %candidate : i32
    linalg.yield %next, %higher : i32, i32
  }
  return
}

//--- twins.mlir
#of_t = affine_map<(s, t) -> (t)>
#of_s = affine_map<(s, t) -> (s)>
// Those up to the own one.
// CHECK-LABEL: func.func @below
func.func @below(%x: memref<?xf32>, %at: memref<?xi32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %at : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %i: i32, %sum: f32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %mine = arith.cmpi sle, %i, %own : i32
    %part = arith.select %mine, %in, %zero : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  }
  return
}
// What is compared is of the result as well.
// CHECK-LABEL: func.func @mixed
func.func @mixed(%x: memref<?xf32>, %at: memref<?xi32>, %key: memref<?xi32>, %y: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %at, %key : memref<?xf32>, memref<?xi32>, memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %i: i32, %k: i32, %sum: f32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %moved = arith.addi %i, %k : i32
    %mine = arith.cmpi eq, %moved, %own : i32
    %part = arith.select %mine, %in, %zero : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  }
  return
}
// The last one wins.
// CHECK-LABEL: func.func @last
func.func @last(%x: memref<?xf32>, %at: memref<?xi32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %at : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %i: i32, %former: f32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %mine = arith.cmpi eq, %i, %own : i32
    %next = arith.select %mine, %in, %former : f32
    linalg.yield %next : f32
  }
  return
}
// No operation on memory multiplies; and one is what changes nothing, where it is no zero.
// CHECK-LABEL: func.func @product
func.func @product(%x: memref<?xf32>, %at: memref<?xi32>, %y: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %at : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %i: i32, %former: f32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %mine = arith.cmpi eq, %i, %own : i32
    %part = arith.select %mine, %in, %one : f32
    %next = arith.mulf %former, %part : f32
    linalg.yield %next : f32
  }
  return
}
// CHECK-LABEL: func.func @counted
func.func @counted(%x: memref<?xf32>, %at: memref<?xi32>, %y: memref<?xf32>) {
  %one = arith.constant 1.0 : f32
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %at : memref<?xf32>, memref<?xi32>) outs(%y : memref<?xf32>) {
  ^bb0(%in: f32, %i: i32, %former: f32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %mine = arith.cmpi eq, %i, %own : i32
    %part = arith.select %mine, %in, %one : f32
    %next = arith.addf %former, %part : f32
    linalg.yield %next : f32
  }
  return
}
// What says where they belong is what is written.
// CHECK-LABEL: func.func @chased
func.func @chased(%x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  linalg.generic {indexing_maps = [#of_t, #of_t, #of_s], iterator_types = ["parallel", "reduction"]}
      ins(%x, %y : memref<?xi32>, memref<?xi32>) outs(%y : memref<?xi32>) {
  ^bb0(%in: i32, %i: i32, %sum: i32):
    %s = linalg.index 0 : index
    %own = arith.index_cast %s : index to i32
    %mine = arith.cmpi eq, %i, %own : i32
    %part = arith.select %mine, %in, %zero : i32
    %next = arith.addi %sum, %part : i32
    linalg.yield %next : i32
  }
  return
}
