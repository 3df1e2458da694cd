// What a schedule refuses.
// RUN: split-file %s %t
// RUN: not evo-opt %t/unresolved.mlir --transform-interpreter 2>&1 | FileCheck %s --check-prefix=KNOB

//--- unresolved.mlir
// A knob without a value.
// KNOB: error: non-deterministic choice "n" is only resolved through providing a `selected` attr
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %n = transform.tune.knob<"n"> options = [1, 2] -> !transform.param<i64>
    transform.yield
  }
}
