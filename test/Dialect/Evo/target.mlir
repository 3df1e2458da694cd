// Targets by architecture and by card read back what they print.
// RUN: evo-opt %s | evo-opt | FileCheck %s
// RUN: evo-opt %s --mlir-print-op-generic | evo-opt | FileCheck %s
// RUN: evo-opt %s --emit-bytecode | evo-opt | FileCheck %s

// CHECK-LABEL: evo.kernel @k
// CHECK-SAME: alone = #evo.target<"sm_90a">
// CHECK-SAME: card = #evo.target<"h200">
// CHECK-SAME: family = #evo.target<"sm_103f">
// CHECK-SAME: plain = #evo.target<"sm_80">
// CHECK-SAME: unheard = #evo.target<"sm_12345">
evo.kernel @k attributes {
  alone = #evo.target<"sm_90a">,
  card = #evo.target<"h200">,
  family = #evo.target<"sm_103f">,
  plain = #evo.target<"sm_80">,
  // A code generator says which of these there are.
  unheard = #evo.target<"sm_12345">
} {
}
