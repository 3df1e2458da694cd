// A proposal that does not build keeps where it failed and why, located in its
// own text; the others are not touched by it, and the pass does not fail.
// REQUIRES: cuda
// RUN: evo-opt %s --pass-pipeline='builtin.module(evo.kernel(evo-materialize))' | FileCheck %s --implicit-check-not='evo.variant @{{[^g]}}'
// The same of a kernel whose name is no word.
// RUN: sed -e 's/^evo.kernel @k /evo.kernel @"my-kernel" /' %s | evo-opt - --pass-pipeline='builtin.module(evo.kernel(evo-materialize))' | FileCheck %s
// CHECK: evo.proposal @undeclared {{.*}} failed at "materialize" with "undeclared.cu:3:10: use of undeclared identifier 'z'"
// CHECK: evo.proposal @unlaunched {{.*}} failed at "materialize" with "unlaunched.cu:1:1: needs an '// evo.launch' line"
// CHECK: evo.proposal @unknown {{.*}} failed at "materialize" with "unknown.cu:1:15: 'evo.launch' op grid \22M\22: 'M' is no dimension and no integer argument"
// CHECK: evo.proposal @header {{.*}} failed at "materialize" with "header.cu:1:23: unexpected '^' in expression"
// CHECK: evo.proposal @requires {{.*}} failed at "materialize" with "{{.*}}'K' is no dimension
// CHECK: evo.proposal @undefined {{.*}} failed at "materialize" with "undefined.mlir:3:1: 'evo.launch' op '@d::@f' is not defined"
// CHECK: evo.proposal @nonsense {{.*}} failed at "materialize" with "nonsense.mlir:2:3: {{.*}}nonsense
// CHECK: evo.proposal @escape {{.*}} failed at "materialize" with "{{.*}}does not parse as the body of a variant"
// CHECK: evo.proposal @evidence {{.*}} failed at "materialize" with "{{.*}}does not parse as the body of a variant"
// CHECK: evo.proposal @schedule {{.*}} failed at "materialize" with "{{.*}}a schedule needs tensor-level code
// CHECK: evo.proposal @options {{.*}} failed at "materialize" with "{{.*}}rewrites need a launch plan as reference"
// CHECK: evo.proposal @given {{.*}} failed at "materialize" with "{{.*}}'given.v', the name of its variant, is taken; a variant that was made of it says 'of @given'"
// CHECK: evo.variant @given.v {
// CHECK: evo.proposal @good "mlir" "" by "me"
// CHECK-NOT: failed
// CHECK: evo.variant @good.v of @good
evo.kernel @k args [#evo.arg<"x" in f32 ["N"]>, #evo.arg<"y" out f32 ["N"]>] {
  evo.proposal @undeclared "cuda" "// evo.launch f<<<N, 1>>>(x, y)\0A__global__ void f(const float *x, float *y) {\0A  y[0] = z;\0A}" by "me"
  evo.proposal @unlaunched "cuda" "__global__ void f(const float *x, float *y) { }" by "me"
  evo.proposal @unknown "cuda" "// evo.launch f<<<M, 1>>>(x, y)\0A__global__ void f(const float *x, float *y) { }" by "me"
  evo.proposal @header "cuda" "// evo.launch f<<<N, 1^2>>>(x, y)\0A__global__ void f(const float *x, float *y) { }" by "me"
  evo.proposal @requires "cuda" "// evo.launch f<<<N, 1>>>(x, y)\0A// evo.require K > 1\0A__global__ void f(const float *x, float *y) { }" by "me"
  evo.proposal @undefined "mlir" "gpu.module @d {\0A}\0Aevo.launch @d::@f grid [\22N\22, \221\22, \221\22] block [\221\22, \221\22, \221\22] args []" by "me"
  evo.proposal @nonsense "mlir" "gpu.module @d {\0A  nonsense\0A}" by "me"
  evo.proposal @escape "mlir" "} evo.variant @b {" by "me"
  evo.proposal @evidence "mlir" "} evo.variant @b evidence <exact hash = \22\22 details = {}> {" by "me"
  evo.proposal @schedule "schedule" "softmax" by "me"
  evo.proposal @options "options" "block 32 1 1" by "me"
  evo.proposal @given "mlir" "" by "me"
  evo.variant @given.v {
  }
  evo.proposal @good "mlir" "" by "me"
}
