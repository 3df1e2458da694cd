// Every op and attribute of the dialect, with and without its optional clauses,
// reads back what it prints, in the pretty and in the generic form.
// RUN: evo-opt %s | evo-opt | FileCheck %s
// RUN: evo-opt %s --mlir-print-op-generic | evo-opt | FileCheck %s
// RUN: evo-opt %s > %t.once
// RUN: evo-opt %t.once | diff %t.once -
// RUN: evo-opt %s --mlir-print-op-generic > %t.generic
// RUN: evo-opt %t.generic --mlir-print-op-generic | diff %t.generic -
// RUN: evo-opt %s --emit-bytecode | evo-opt | diff %t.once -
// RUN: FileCheck %s --check-prefix=GENERIC --input-file %t.generic
// GENERIC: "evo.kernel"() <{{{.*}}sym_name = "bare"
// GENERIC: "evo.proposal"() <{failure = "no", genome = #evo.genome<cuda>
// GENERIC-SAME: stage = #evo.stage<"materialize">
// GENERIC: stage = #evo.stage<"evo-lower">

// Nothing but a name.
// CHECK-LABEL: evo.kernel @bare {
// CHECK-NEXT: }
evo.kernel @bare {
}

// A contract without workloads; a tensor reference; attributes of others.
// CHECK-LABEL: evo.kernel @tensor
// CHECK-SAME: args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] attributes {other = 1 : i64} {
// CHECK: evo.reference attributes {source = "text"} {
// CHECK: func.func @copy
// CHECK: evo.raised {
// CHECK: func.func @raised
evo.kernel @tensor args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>]
    attributes {other = 1 : i64} {
  evo.reference attributes {source = "text"} {
    func.func @copy(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }
  }
  evo.raised {
    func.func @raised(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
      return %x : tensor<?xf32>
    }
  }
}

// All clauses at once.
// CHECK-LABEL: evo.kernel @full args [
// CHECK-SAME: #evo.arg<"x" in f16 ["M", "N + 1", "ceildiv(N, 4)"] domain = <nonneg> align = 64>
// CHECK-SAME: #evo.arg<"p" in bf16 ["M", "N"] domain = <probability> align = 1>
// CHECK-SAME: #evo.arg<"q" inout f64 ["max(M, N)"] domain = <range, "-1.5" to "2e3">>
// CHECK-SAME: #evo.arg<"e" in f8E4M3FN ["M"] domain = <any>>
// CHECK-SAME: #evo.arg<"g" in f8E5M2 ["M"] domain = <finite>>
// CHECK-SAME: #evo.arg<"z" in f32 ["M"] domain = <nonzero>>
// CHECK-SAME: #evo.arg<"i" in i32 ["M"] domain = <range, "0" to "N * 2">>
// CHECK-SAME: #evo.arg<"s" in i64 ["M"] domain = <permutation>>
// CHECK-SAME: #evo.arg<"r" in ui16 ["M + 1"] domain = <monotone, "0" to "N">>
// CHECK-SAME: #evo.arg<"b" in i1 ["M"]>
// CHECK-SAME: #evo.arg<"c" in ui8 []>
// CHECK-SAME: #evo.arg<"y" out f32 ["M", "N"]>
// CHECK-SAME: #evo.arg<"lr" scalar f32 default = 1.000000e-03 : f32>
// CHECK-SAME: #evo.arg<"k" scalar i32 domain = <range, "1" to "9"> default = 3 : i32>
// CHECK-SAME: #evo.arg<"a" scalar f64 domain = <any>>
// CHECK-SAME: workloads [#evo.workload<{M = 4096 : i64, N = 1 : i64, k = 2 : i64} weight = 7>
// CHECK-SAME: #evo.workload<{M = 0 : i64, N = 3 : i64}>]
// CHECK-SAME: requires ["N % 4 == 0", "M * N <= 65536", "k != 5", "target == sm_90"]
// CHECK-SAME: accuracy <multiply = f16, accumulate = f32, rtol = 1.000000e-02 : f64, atol = 1.000000e-03 : f64>
// CHECK-SAME: best @v {
evo.kernel @full args [
    #evo.arg<"x" in f16 ["M", "N + 1", "ceildiv(N, 4)"] domain = <nonneg> align = 64>,
    #evo.arg<"p" in bf16 ["M", "N"] domain = <probability> align = 1>,
    #evo.arg<"q" inout f64 ["max(M, N)"] domain = <range, "-1.5" to "2e3">>,
    #evo.arg<"e" in f8E4M3FN ["M"] domain = <any>>,
    #evo.arg<"g" in f8E5M2 ["M"] domain = <finite>>,
    #evo.arg<"z" in f32 ["M"] domain = <nonzero>>,
    #evo.arg<"i" in i32 ["M"] domain = <range, "0" to "N * 2">>,
    #evo.arg<"s" in i64 ["M"] domain = <permutation>>,
    #evo.arg<"r" in ui16 ["M + 1"] domain = <monotone, "0" to "N">>,
    #evo.arg<"b" in i1 ["M"]>,
    #evo.arg<"c" in ui8 []>,
    #evo.arg<"y" out f32 ["M", "N"]>,
    #evo.arg<"lr" scalar f32 default = 1.000000e-03 : f32>,
    #evo.arg<"k" scalar i32 domain = <range, "1" to "9"> default = 3 : i32>,
    #evo.arg<"a" scalar f64 domain = <any>>]
    workloads [#evo.workload<{M = 4096, N = 1, k = 2} weight = 7>,
               #evo.workload<{M = 0, N = 3}>]
    requires ["N % 4 == 0", "M * N <= 65536", "k != 5", "target == sm_90"]
    accuracy <multiply = f16, accumulate = f32, rtol = 1.0e-2 : f64, atol = 1.0e-3 : f64>
    best @v {
  // CHECK: evo.reference {
  // CHECK: evo.scratch "t" : f32 ["4", "M"]
  // CHECK: evo.scratch "u" : i8 []
  // CHECK: evo.launch @device::@rows grid ["ceildiv(M, 4)", "1", "min(N, 8)"] block ["32", "4", "1"] shared "4 * N" args ["x", "y", "t", "lr", "M - 1", "k"]
  // CHECK: evo.launch @device::@none grid ["M", "1", "1"] block ["1", "1", "1"] args []
  evo.reference {
    gpu.module @device {
      llvm.func @rows(!llvm.ptr, !llvm.ptr, !llvm.ptr, f32, i32, i32)
      llvm.func @none()
    }
    evo.scratch "t" : f32 ["4", "M"]
    evo.scratch "u" : i8 []
    evo.launch @device::@rows grid ["ceildiv(M, 4)", "1", "min(N, 8)"] block ["32", "4", "1"]
        shared "4 * N" args ["x", "y", "t", "lr", "M - 1", "k"]
    evo.launch @device::@none grid ["M", "1", "1"] block ["1", "1", "1"] args []
  }

  // CHECK: evo.proposal @least "options" "" by "me"
  // CHECK-NOT: failed
  // CHECK: evo.proposal @most "cuda" "a \22quoted\22\0Aline" by "llm" from "least" options {knobs = {t = 4 : i64}, opt = 2 : i64} because "it is faster" failed at "materialize" with "no" {extra}
  // CHECK: evo.proposal @plan "schedule" "softmax-rows" by "search"
  // CHECK: evo.proposal @text "mlir" "" by "replay" failed at "evo-lower" with ""
  evo.proposal @least "options" "" by "me"
  evo.proposal @most "cuda" "a \22quoted\22\0Aline" by "llm" from "least"
      options {knobs = {t = 4}, opt = 2} because "it is faster"
      failed at "materialize" with "no" {extra}
  evo.proposal @plan "schedule" "softmax-rows" by "search"
  evo.proposal @text "mlir" "" by "replay" failed at "evo-lower" with ""

  // CHECK: evo.variant @text.v of @text origin <"me"> {
  evo.variant @text.v of @text origin <"me"> {
  }

  // CHECK: evo.variant @empty {
  // CHECK-NEXT: }
  evo.variant @empty {
  }

  // CHECK: evo.variant @v
  // CHECK-SAME: origin <"llm" parents = ["least", "most"] rationale = "why">
  // CHECK-SAME: requires ["N == 4096", "target == sm_80"]
  // CHECK-SAME: options {codegen = "nvrtc", maxnreg = 64 : i64}
  // CHECK-SAME: evidence <numeric hash = "abc" details = {samples = 18 : i64}>
  // CHECK-SAME: resources [#evo.resources<kernel = "rows", registers = 32, spillStores = 4, spillLoads = 8, stack = 16, shared = 1024, notes = ["one", "two"]>, #evo.resources<kernel = "none", registers = 1, spillStores = 0, spillLoads = 0, stack = 0, shared = 0>]
  // CHECK-SAME: estimate <estimated us = [1.500000e+00, 2.000000e+00] machine = "sm_90">
  // CHECK-SAME: measured <measured us = [3.000000e+00, 4.000000e+00] machine = "H200" details = {runs = 9 : i64}>
  // CHECK-SAME: attributes {source = "code"} {
  evo.variant @v origin <"llm" parents = ["least", "most"] rationale = "why">
      requires ["N == 4096", "target == sm_80"]
      options {codegen = "nvrtc", maxnreg = 64}
      evidence <numeric hash = "abc" details = {samples = 18}>
      resources [#evo.resources<kernel = "rows", registers = 32, spillStores = 4, spillLoads = 8, stack = 16, shared = 1024, notes = ["one", "two"]>,
                 #evo.resources<kernel = "none", registers = 1, spillStores = 0, spillLoads = 0, stack = 0, shared = 0>]
      estimate <estimated us = [1.5, 2.0] machine = "sm_90">
      measured <measured us = [3.0, 4.0] machine = "H200" details = {runs = 9}>
      attributes {source = "code"} {
    gpu.binary @code [#gpu.object<#nvvm.target<chip = "sm_90">, assembly = "ptx">]
    evo.scratch "w" : f64 ["M"]
    // A launch may name a binary instead of the module it was made from.
    // CHECK: evo.launch @code::@rows
    evo.launch @code::@rows grid ["M", "1", "1"] block ["1", "1", "1"] args ["x", "w"]
  }

  // The grades that v does not show.
  // CHECK: evidence <exact
  // CHECK: evidence <algebraic hash = "" details = {bit_identical = false, worst_ratio = 5.000000e-01 : f64}>
  // CHECK: evidence <refuted hash = "" details = {expected = 1.500000e+00 : f64, found = "nan", reason = "race"}>
  // CHECK: evidence <unsupported
  evo.variant @g0 origin <"me"> evidence <exact hash = "" details = {}> {
  }
  evo.variant @g1 evidence <algebraic hash = ""
      details = {worst_ratio = 0.5 : f64, bit_identical = false}> {
  }
  evo.variant @g3 evidence <refuted hash = ""
      details = {reason = "race", expected = 1.5 : f64, found = "nan"}> {
  }
  evo.variant @g4 evidence <unsupported hash = "" details = {}> {
  }
}

// Parts of an accuracy stand alone.
// CHECK-LABEL: evo.kernel @loose accuracy <rtol = 1.000000e-01 : f64> {
evo.kernel @loose accuracy <rtol = 0.1 : f64> {
}
// CHECK-LABEL: evo.kernel @narrow accuracy <multiply = bf16> {
evo.kernel @narrow accuracy <multiply = bf16> {
}
