// Claims of untrusted IR go: evidence, resources, costs, and the choice that was
// made by them. Code, requirements, options and origin stay.
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-strip-untrusted))' | FileCheck %s --implicit-check-not=evidence --implicit-check-not=resources --implicit-check-not=estimate --implicit-check-not=measured --implicit-check-not=best
// CHECK: evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
// CHECK: evo.proposal @p "cuda" "text" by "me" failed at "evo-lower" with "words"
// CHECK: evo.variant @v origin <"me"> requires ["N == 4"] options {opt = 2 : i64} attributes {source = "code"} {
// CHECK-NEXT: evo.scratch
// CHECK: evo.variant @w {
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] best @v {
  evo.proposal @p "cuda" "text" by "me" failed at "evo-lower" with "words"
  evo.variant @v origin <"me"> requires ["N == 4"] options {opt = 2}
      evidence <exact hash = "abc" details = {}>
      resources [#evo.resources<kernel = "f", registers = 1, spillStores = 0, spillLoads = 0, stack = 0, shared = 0>]
      estimate <estimated us = [0.1] machine = "m">
      measured <measured us = [0.1] machine = "m"> attributes {source = "code"} {
    evo.scratch "t" : f32 ["N"]
  }
  evo.variant @w measured <measured us = [0.1] machine = "m"> {
  }
}
