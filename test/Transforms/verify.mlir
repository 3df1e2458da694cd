// Evidence is written on each variant: what was judged, on how many samples, and
// for a refutation the counterexample. It is kept, unless told otherwise.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7}))' > %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// CHECK: evo.variant @slow evidence <algebraic hash = "[[SLOW:[0-9a-f]+]]" details = {{[{](beyond_32_bits = [0-9]+ : i64, )?}}bit_identical = true, covered = "N to {{[0-9]+}}{{[^"]*}}", field_samples = {{[1-9]+}} : i64, not_exact = "other operations lead to y[0] at N = {{[0-9]+}}", processors = "cpu", sampled_blocks = "N = 100000: {{[1-9][0-9]*}} of 100000 blocks, {{[1-9][0-9]*}} results compared", samples = [[N:[0-9]+]] : i64, seed = 7 : i64, shapes = {{[1-9]+}} : i64, two_orders = 1 : i64, whole_range = "floats to 1e30 or what their type holds; subnormal floats; multiples of one half", worst_ratio = 0.000000e+00 : f64}>
// CHECK-NOT: hash = "[[SLOW]]"
// CHECK: evo.variant @fast evidence <exact hash = "{{[0-9a-f]+}}"
// CHECK: evo.variant @special requires ["N == 100000"] evidence <exact
// CHECK-SAME: shapes = 1 : i64
// CHECK: evo.variant @wrong evidence <refuted
// CHECK-SAME: argument = "y", at = "N = {{[0-9]+}}", check = "{{[a-z-]+}}", expected = {{[-0-9.]+}} : f64, found = {{[-0-9.]+}} : f64, index = {{[0-9]+}} : i64, message = "y[{{.*}}]: expected {{.*}}, found {{.*}}", reason = "different-result"
// CHECK-SAME: values = "reversed"
// CHECK: evo.variant @strange evidence <unsupported
// CHECK-SAME: message = "{{.*}}%pm0{{.*}}", reason = "unsupported"

// The same seed finds the same; another judges other samples of the same code.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7}))' | diff %t.mlir -
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=8}))' | not diff %t.mlir -

// What has evidence keeps it, right or not; force judges again.
// RUN: sed -e 's/evo.variant @wrong/evo.variant @wrong evidence <exact hash = "kept" details = {}>/' %S/Inputs/scale.mlir > %t.claims.mlir
// RUN: evo-opt %t.claims.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7}))' | FileCheck %s --check-prefix=KEPT
// KEPT: evo.variant @slow evidence <algebraic
// KEPT: evo.variant @wrong evidence <exact hash = "kept" details = {}> {
// RUN: evo-opt %t.claims.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7 force=1}))' | diff %t.mlir -

// More effort judges more.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7 effort=quick}))' | FileCheck %s --check-prefix=QUICK
// QUICK: evo.variant @slow evidence <algebraic {{.*}} samples = {{[1-7]?[0-9]}} : i64
// QUICK: evo.variant @special requires ["N == 100000"] evidence <numeric {{.*}}not_algebraic = "every sample is over budget for the field"
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7 effort=thorough}))' | FileCheck %s --check-prefix=THOROUGH
// THOROUGH: evo.variant @slow evidence <algebraic {{.*}} samples = {{[1-9][0-9][0-9]}} : i64
// THOROUGH: evo.variant @wrong evidence <refuted

// Out of time is no verdict.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7 seconds=1e-9}))' | FileCheck %s --check-prefix=TIME
// TIME: evo.variant @slow evidence <unsupported {{.*}}reason = "out-of-time"

// The evidence depends on code, target and options, not on names or samples.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=7 target=sm_80}))' | FileCheck %s --check-prefix=TARGET
// RUN: grep -o 'hash = "[0-9a-f]*"' %t.mlir | sort -u | count 5
// TARGET: evo.variant @slow evidence <algebraic
