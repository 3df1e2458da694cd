// Selection trusts no evidence that is bound to something else.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1},evo-lower,evo-estimate))' > %t.mlir
// DEFINE: %{select} = evo-opt --mlir-print-op-on-diagnostic=false -o /dev/null --pass-pipeline='builtin.module(evo.kernel(evo-select))'
// RUN: sed -e 's/constant(256 : i32)/constant(255 : i32)/' %t.mlir | not %{select} 2>&1 | FileCheck %s
// RUN: sed -e 's/<"x" in f32 \["N"\]>/<"x" in f32 ["N"] domain = <any>>/' %t.mlir | not %{select} 2>&1 | FileCheck %s
// RUN: sed -e 's/evidence <refuted/evidence <exact/; s/\(@wrong.*\)hash = "[0-9a-f]*"/\1hash = "0123"/' %t.mlir | not %{select} 2>&1 | FileCheck %s
// RUN: evo-opt %t.mlir --mlir-print-op-on-diagnostic=false -o /dev/null --pass-pipeline='builtin.module(evo.kernel(evo-select))'
// RUN: not evo-opt %t.mlir --mlir-print-op-on-diagnostic=false -o /dev/null --pass-pipeline='builtin.module(evo.kernel(evo-select{target=sm_80}))' 2>&1 | FileCheck %s
// CHECK: error: is not selected: its evidence is bound to other code, contract, target or tool version
