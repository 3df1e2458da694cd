// A card as the target: its rates, and code for its own architecture.
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-verify{seed=1 target=l4},evo-estimate{target=l4}))' | FileCheck %s
// CHECK: evo.variant @fast {{.*}} machine = "l4"
// RUN: evo-opt %S/Inputs/scale.mlir --pass-pipeline='builtin.module(evo.kernel(evo-lower{allow-unverified=1 target=h200}))' 2>/dev/null | FileCheck %s --check-prefix=CODE
// CODE: #nvvm.target<O = 3, chip = "sm_90a">
