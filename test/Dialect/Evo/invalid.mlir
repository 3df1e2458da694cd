// Every rule of the dialect refuses what breaks it, where it stands.
// RUN: evo-opt %s --split-input-file --verify-diagnostics -o /dev/null

// expected-error @+2 {{failed to parse Evo_ArgumentAttr parameter 'domain'}}
// expected-error @+1 {{domain 'range' needs bounds}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <range>>] {
}

// -----
// expected-error @+2 {{failed to parse Evo_ArgumentAttr parameter 'domain'}}
// expected-error @+1 {{domain 'monotone' needs bounds}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <monotone>>] {
}

// -----
// expected-error @+2 {{failed to parse Evo_ArgumentAttr parameter 'domain'}}
// expected-error @+1 {{domain 'finite' takes no bounds}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <finite, "0" to "1">>] {
}

// -----
// expected-error @+2 {{failed to parse Evo_ArgumentAttr parameter 'domain'}}
// expected-error @+1 {{domain 'permutation' takes no bounds}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <permutation, "0" to "N">>] {
}

// -----
// expected-error @+3 {{expected ::evo::DomainKind to be one of}}
// expected-error @+2 {{failed to parse Evo_DomainAttr parameter 'kind'}}
// expected-error @+1 {{failed to parse Evo_ArgumentAttr parameter 'domain'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <odd>>] {
}

// -----
// expected-error @+2 {{expected ::evo::Role to be one of: in, out, inout, scalar}}
// expected-error @+1 {{failed to parse Evo_ArgumentAttr parameter 'role'}}
evo.kernel @k args [#evo.arg<"y" into f32 ["N"]>] {
}

// -----
// expected-error @+1 {{an argument needs a name}}
evo.kernel @k args [#evo.arg<"" out f32 ["N"]>] {
}

// -----
// expected-error @+1 {{argument 'y' has unsupported element type 'f80'}}
evo.kernel @k args [#evo.arg<"y" out f80 ["N"]>] {
}

// -----
// expected-error @+1 {{argument 'y' has unsupported element type 'i7'}}
evo.kernel @k args [#evo.arg<"y" out i7 ["N"]>] {
}

// -----
// expected-error @+1 {{argument 'y' has unsupported element type 'index'}}
evo.kernel @k args [#evo.arg<"y" out index ["N"]>] {
}

// -----
// expected-error @+1 {{scalar argument 'a' takes no dimensions}}
evo.kernel @k args [#evo.arg<"a" scalar f32 ["N"]>] {
}

// -----
// expected-error @+1 {{buffer argument 'y' needs dimensions}}
evo.kernel @k args [#evo.arg<"y" out f32>] {
}

// -----
// expected-error @+1 {{only a scalar takes a default, 'y' is a buffer}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] default = 1.0 : f32>] {
}

// -----
// expected-error @+1 {{alignment of 'y' must be a power of two up to 4096, found 24}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] align = 24>] {
}

// -----
// expected-error @+1 {{alignment of 'y' must be a power of two up to 4096, found 0}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] align = 0>] {
}

// -----
// expected-error @+1 {{alignment of 'y' must be a power of two up to 4096, found 8192}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] align = 8192>] {
}

// -----
// expected-error @+1 {{dimensions of 'y' must be strings}}
evo.kernel @k args [#evo.arg<"y" out f32 [4]>] {
}

// -----
// expected-error @+1 {{malformed expression "N +": expected a name, a number or '(' at the end of expression}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N +"]>] {
}

// -----
// expected-error @+1 {{malformed expression "gcd(N, 2)": unknown function 'gcd', expected ceildiv, min, max or sizeof}}
evo.kernel @k args [#evo.arg<"y" out f32 ["gcd(N, 2)"]>] {
}

// -----
// expected-error @+1 {{domain 'permutation' does not apply to 'f32'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <permutation>>] {
}

// -----
// expected-error @+1 {{domain 'monotone' does not apply to 'f32'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <monotone, "0" to "1">>] {
}

// -----
// expected-error @+1 {{domain 'any' does not apply to 'i32'}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <any>>] {
}

// -----
// expected-error @+1 {{domain 'finite' does not apply to 'i32'}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <finite>>] {
}

// -----
// expected-error @+1 {{domain 'probability' does not apply to 'i32'}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <probability>>] {
}

// -----
// expected-error @+1 {{malformed expression "0 0": unexpected '0' in expression}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <range, "0 0" to "N">>] {
}

// -----
// expected-error @+1 {{malformed expression "": expected a name}}
evo.kernel @k args [#evo.arg<"y" out i32 ["N"] domain = <range, "0" to "">>] {
}

// -----
// expected-error @+1 {{bounds of 'y' must be decimal numbers}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <range, "0" to "N">>] {
}

// -----
// expected-error @+1 {{empty range for 'y'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <range, "1" to "0.5">>] {
}

// -----
// Not a number is no bound.
// expected-error @+1 {{empty range for 'y'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"] domain = <range, "nan" to "1">>] {
}

// -----
// expected-error @+1 {{weight of a workload must be positive, found 0}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] workloads [#evo.workload<{N = 1} weight = 0>] {
}

// -----
// expected-error @+1 {{size 'N' of a workload must be a non-negative integer}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] workloads [#evo.workload<{N = -1}>] {
}

// -----
// expected-error @+1 {{size 'N' of a workload must be a non-negative integer}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] workloads [#evo.workload<{N = "1"}>] {
}

// -----
// expected-error @+1 {{accuracy allows float types, found 'i32'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] accuracy <multiply = i32> {
}

// -----
// expected-error @+1 {{accuracy allows float types, found 'i8'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] accuracy <accumulate = i8> {
}

// -----
// expected-error @+1 {{a tolerance must not be negative}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] accuracy <rtol = -1.0 : f64> {
}

// -----
// Neither is "not a number" one.
// expected-error @+1 {{a tolerance must not be negative}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] accuracy <atol = 0x7FF8000000000000 : f64> {
}

// -----
// expected-error @+1 {{'evo.kernel' op argument 'y' is declared twice}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>, #evo.arg<"y" in f32 ["N"]>] {
}

// -----
// expected-error @+1 {{'evo.kernel' op needs an 'out' or 'inout' argument}}
evo.kernel @k args [#evo.arg<"x" in f32 ["N"]>] {
}

// -----
// expected-error @+1 {{'evo.kernel' op needs an 'out' or 'inout' argument}}
evo.kernel @k args [] {
}

// -----
// expected-error @+1 {{'evo.kernel' op 'N' is both a dimension and an argument}}
evo.kernel @k args [#evo.arg<"N" in f32 ["M"]>, #evo.arg<"y" out f32 ["N"]>] {
}

// -----
// expected-error @+1 {{'evo.kernel' op workload gives a size to 'K', which is no dimension and no integer argument}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] workloads [#evo.workload<{N = 1, K = 1}>] {
}

// -----
// expected-error @+1 {{'evo.kernel' op workload gives a size to 'a', which is no dimension}}
evo.kernel @k args [#evo.arg<"a" scalar f32>, #evo.arg<"y" out f32 ["N"]>]
    workloads [#evo.workload<{N = 1, a = 1}>] {
}

// -----
// expected-error @+1 {{'evo.kernel' op workload gives no size to dimension 'M'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N", "M"]>] workloads [#evo.workload<{N = 1}>] {
}

// -----
// expected-error @+1 {{malformed requirement "N": expected a comparison, such as 'N % 4 == 0'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] requires ["N"] {
}

// -----
// expected-error @+1 {{malformed requirement "target < sm_90": expected 'target == <architecture>'}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] requires ["target < sm_90"] {
}

// -----
// expected-error @+1 {{'evo.kernel' op requirement "N % 4 == K": 'K' is no dimension and no integer argument}}
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] requires ["N % 4 == K"] {
}

// -----
// expected-error @+1 {{'evo.kernel' op holds more than one evo.reference}}
evo.kernel @k {
  evo.reference {
  }
  evo.reference {
  }
}

// -----
// expected-error @+1 {{'evo.kernel' op best names 'gone', which is no variant of this kernel}}
evo.kernel @k best @gone {
}

// -----
// expected-error @+1 {{'evo.kernel' op best names 'p', which is no variant of this kernel}}
evo.kernel @k best @p {
  evo.proposal @p "cuda" "" by "me"
}

// -----
// expected-error @+1 {{attribute 'args' failed to satisfy constraint: array of #evo.arg}}
evo.kernel @k args [1 : i32] {
}

// -----
evo.kernel @k {
  // expected-note @+1 {{see existing symbol definition here}}
  evo.variant @v {
  }
  // expected-error @+1 {{redefinition of symbol named 'v'}}
  evo.variant @v {
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  // expected-error @+1 {{'evo.reference' op is either a launch plan or tensor-level IR, found both}}
  evo.reference {
    gpu.module @m {
      llvm.func @f()
    }
    func.func private @g()
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
// expected-error @+1 {{'evo.reference' op expects parent op 'evo.kernel'}}
evo.reference {
}

// -----
// expected-error @+1 {{'evo.raised' op expects parent op 'evo.kernel'}}
evo.raised {
}

// -----
// expected-error @+1 {{'evo.variant' op expects parent op 'evo.kernel'}}
evo.variant @v {
}

// -----
// expected-error @+1 {{'evo.proposal' op expects parent op 'evo.kernel'}}
evo.proposal @p "cuda" "" by "me"

// -----
// expected-error @+1 {{'evo.scratch' op expects parent op to be one of 'evo.reference, evo.variant'}}
evo.scratch "t" : f32 ["4"]

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  // expected-error @+1 {{'evo.launch' op expects parent op to be one of 'evo.reference, evo.variant'}}
  evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  // expected-error @+1 {{'evo.variant' op requirement "K > 1": 'K' is no dimension and no integer argument}}
  evo.variant @v requires ["K > 1"] {
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  // expected-error @+1 {{malformed requirement "N >": expected a name, a number or '('}}
  evo.variant @v requires ["N >"] {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{'evo.variant' op is of 'p', which is no proposal of this kernel}}
  evo.variant @p.v of @p {
  }
}

// -----
evo.kernel @other {
  evo.proposal @p "options" "" by "me"
}
evo.kernel @k {
  // expected-error @+1 {{'evo.variant' op is of 'p', which is no proposal of this kernel}}
  evo.variant @p.v of @p {
  }
}

// -----
evo.kernel @k {
  evo.variant @v {
  }
  // expected-error @+1 {{'evo.variant' op is of 'v', which is no proposal of this kernel}}
  evo.variant @p.v of @v {
  }
}

// -----
evo.kernel @k {
  // expected-error @+2 {{expected ::evo::Grade to be one of}}
  // expected-error @+1 {{failed to parse Evo_EvidenceAttr parameter 'grade'}}
  evo.variant @v evidence <verified hash = "" details = {}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{evidence has no detail 'full_size'}}
  evo.variant @v evidence <numeric hash = "" details = {full_size = "N = 1"}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'samples' of evidence is a 64-bit integer, found 18 : i32}}
  evo.variant @v evidence <numeric hash = "" details = {samples = 18 : i32}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'seed' of evidence is a 64-bit integer, found "7"}}
  evo.variant @v evidence <numeric hash = "" details = {seed = "7"}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'worst_ratio' of evidence is a 64-bit float, found 1 : i64}}
  evo.variant @v evidence <numeric hash = "" details = {worst_ratio = 1}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'bit_identical' of evidence is a truth value, found 1 : i64}}
  evo.variant @v evidence <exact hash = "" details = {bit_identical = 1}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'reason' of evidence is text, found unit}}
  evo.variant @v evidence <refuted hash = "" details = {reason}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{detail 'found' of evidence is a 64-bit number or text, found 1.000000e+00 : f32}}
  evo.variant @v evidence <refuted hash = "" details = {expected = "nan", found = 1.0 : f32}> {
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{unknown genome 'ptx', expected schedule, cuda, mlir, options or llvm}}
  evo.proposal @p "ptx" "" by "me"
}

// -----
evo.kernel @k {
  // expected-error @+1 {{unknown stage 'linked', expected answer, judged, duplicate, parse, materialize, evo-strip-untrusted}}
  evo.proposal @p "cuda" "" by "me" failed at "linked" with "words"
}

// -----
// expected-error @+1 {{malformed expression "N %": expected a name}}
evo.kernel @k attributes {other = #evo.expr<"N %">} {
}

// -----
// expected-error @+1 {{malformed requirement "N + 1": expected a comparison}}
evo.kernel @k attributes {other = #evo.requirement<"N + 1">} {
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.scratch' op attribute 'dims' failed to satisfy constraint: array of #evo.expr}}
    "evo.scratch"() <{name = "t", elementType = f32, dims = ["N"]}> : () -> ()
  }
}

// -----
evo.kernel @k {
  // expected-error @+1 {{'evo.proposal' op a failure needs both its stage and its text}}
  "evo.proposal"() <{sym_name = "p", genome = #evo.genome<cuda>, text = "", proposer = "me", stage = #evo.stage<materialize>}> : () -> ()
}

// -----
evo.kernel @k {
  // expected-error @+1 {{'evo.proposal' op a failure needs both its stage and its text}}
  "evo.proposal"() <{sym_name = "p", genome = #evo.genome<cuda>, text = "", proposer = "me", failure = "why"}> : () -> ()
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
    // expected-error @+1 {{'evo.scratch' op 'y' is already a name of the contract}}
    evo.scratch "y" : f32 ["4"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.reference {
    // expected-error @+1 {{'evo.scratch' op 'N' is already a name of the contract}}
    evo.scratch "N" : f32 ["4"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.scratch' op 't' is declared twice}}
    evo.scratch "t" : f32 ["4"]
    evo.scratch "t" : f32 ["N"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.scratch' op 't' has unsupported element type 'vector<4xf32>'}}
    evo.scratch "t" : vector<4xf32> ["N"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.scratch' op dimension "2 * K": 'K' is no dimension and no integer argument}}
    evo.scratch "t" : f32 ["2 * K"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{malformed expression "(N": expected ')'}}
    evo.scratch "t" : f32 ["(N"]
  }
}

// -----
evo.kernel @k {
  evo.reference {
    // expected-error @+1 {{'evo.launch' op needs a contract on the enclosing evo.kernel}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op grid needs three extents, found 2}}
    evo.launch @m::@f grid ["1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op block needs three extents, found 4}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op grid "y": 'y' is no dimension and no integer argument}}
    evo.launch @m::@f grid ["y", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{malformed expression "1.5": unexpected '.' in expression}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1.5", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op shared "4 * T": 'T' is no dimension and no integer argument}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] shared "4 * T" args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"a" scalar f32>, #evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // A float scalar passes by its name only.
    // expected-error @+1 {{'evo.launch' op argument "a + 1": 'a' is no dimension and no integer argument}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args ["a + 1"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op argument "t": 't' is no dimension and no integer argument}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args ["t"]
  }
  evo.variant @w {
    // The scratch of another plan is out of sight.
    evo.scratch "t" : f32 ["N"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @m {
      llvm.mlir.global external @f() : i32
    }
    // expected-error @+1 {{'evo.launch' op '@m::@f' is no function}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    // expected-error @+1 {{'evo.launch' op 'm' names no gpu.module of this plan}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @m {
    }
    // expected-error @+1 {{'evo.launch' op '@m::@f' is not defined}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @m {
      llvm.func @f(!llvm.ptr)
    }
    // expected-error @+1 {{'evo.launch' op passes 2 arguments, 'f' takes 1}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args ["y", "N"]
  }
}

// -----
evo.kernel @k args [#evo.arg<"y" out f32 ["N"]>] {
  evo.variant @v {
    gpu.module @m {
      memref.global "private" @f : memref<4xf32>
    }
    // expected-error @+1 {{'evo.launch' op '@m::@f' is no function}}
    evo.launch @m::@f grid ["1", "1", "1"] block ["1", "1", "1"] args []
  }
}

// -----
// expected-error @+1 {{'evo.kernel' op 'evo.sizes' has to give each dimension its size, found {M = 4 : i64}}}
evo.kernel @k args [#evo.arg<"x" in f32 ["M"]>, #evo.arg<"y" out f32 ["N"]>]
    attributes {evo.sizes = {M = 4 : i64}} {
}
