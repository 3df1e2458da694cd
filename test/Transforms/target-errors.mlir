// Every pass that takes a target refuses what is none before it does anything.
// DEFINE: %{pass} = evo-verify
// DEFINE: %{refused} = not evo-opt %S/Inputs/scale.mlir -o /dev/null --pass-pipeline='builtin.module(evo.kernel(%{pass}{target=gfx90a}))' 2>&1 | FileCheck %s
// CHECK: error: unknown target 'gfx90a', expected one such as sm_90
// RUN: %{refused}
// REDEFINE: %{pass} = evo-raise
// RUN: %{refused}
// REDEFINE: %{pass} = evo-raise-structured
// RUN: %{refused}
// REDEFINE: %{pass} = evo-audit
// RUN: %{refused}
// REDEFINE: %{pass} = evo-lower
// RUN: %{refused}
// REDEFINE: %{pass} = evo-estimate
// RUN: %{refused}
// REDEFINE: %{pass} = evo-measure
// RUN: %{refused}
// REDEFINE: %{pass} = evo-select
// RUN: %{refused}
// REDEFINE: %{pass} = evo-confirm
// RUN: %{refused}
