// Without a device measuring fails, unless it was asked for only where one is.
// UNSUPPORTED: gpu
// DEFINE: %{measure} = evo-opt %S/Inputs/scale.mlir --mlir-print-op-on-diagnostic=false
// RUN: not %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure))' 2>&1 | FileCheck %s
// CHECK: scale.mlir:4:1: error: cannot measure: no CUDA device available
// RUN: %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure{if-available=1}))' | FileCheck %s --check-prefix=NOTHING --implicit-check-not='measured <'
// NOTHING: evo.kernel @scale
// RUN: not %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure{measurer=stopwatch}))' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-measure{measurer=stopwatch if-available=1}))' 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: this build has no measurer 'stopwatch'

// The time that may be used is a bound before each further variant.
// RUN: %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-measure{measurer=static seconds=1e-9}))' -o %t.mlir 2> %t.err
// RUN: FileCheck %s --check-prefix=BOUND --input-file %t.err
// BOUND: remark: the cap on measuring: {{.*}} s are over, 1 of 3 variants were measured
// RUN: grep -c 'measured <' %t.mlir | FileCheck %s --check-prefix=ONE
// ONE: {{^}}1{{$}}
// RUN: %{measure} --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-measure{measurer=static seconds=1000}))' | grep -c 'measured <' | FileCheck %s --check-prefix=BOTH
// BOTH: {{^}}3{{$}}
