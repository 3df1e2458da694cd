// A search whose every text tries to become markup, or to run.
evo.kernel @"</title><script>window.evoScriptRan=1</script>"
    args [#evo.arg<"x" in f32 ["M", "N"]>, #evo.arg<"y" out f32 ["M"]>]
    workloads [#evo.workload<{M = 4096, N = 1024}>] best @"m1.v" {
  evo.reference attributes {source = "// evo.launch rows<<<M, 32>>>(x, y, M, N)\0A__global__ void rows() { if (M < N && \22a\22) 'b'; }\0A// </style></code><script>window.evoScriptRan=2</script>\0A"} {
    evo.launch @device::@rows grid ["M", "1", "1"] block ["32", "1", "1"] args ["x", "y", "M", "N"]
    gpu.module @device { llvm.func @rows(%x: !llvm.ptr, %y: !llvm.ptr, %m: i32, %n: i32) { llvm.return } }
  }
  evo.proposal @baseline "options" "" by "reference"
  evo.proposal @m0 "cuda" "code of m0" by "llm" from "<img src=x onerror=window.evoScriptRan=3>"
      because "its parent is nobody"
  evo.proposal @m1 "cuda" "</pre><svg onload=window.evoScriptRan=4>" by "\22><iframe src=\22http://example.invalid/\22>"
      from "baseline.v" because "<b onmouseover=\22window.evoScriptRan=5\22>bold</b> &amp; &lt;tags&gt;\0Aa second line"
      {evo.model = "<link rel=stylesheet href=//example.invalid/x.css>"}
  evo.proposal @m2 "cuda" "code of m2" by "llm" from "m3"
      failed at "materialize" with "error: expected '<' & found \22</div>\22 \E2\80\AE reversed \07 bell"
  evo.proposal @m3 "cuda" "code of m3" by "llm" from "m2"
      failed at "materialize" with "<script src=http://example.invalid/a.js></script>"
  evo.proposal @"</td><style>*{display:none}</style>" "cuda" "" by "llm" from "m1"
  evo.variant @baseline.v of @baseline
      evidence #evo.evidence<exact hash = "aa" details = {samples = 17 : i64}>
      estimate #evo.cost<estimated us = [200.0] machine = "h200" details = {arithmetic_micros = array<f64: 1.5>}> {
    evo.launch @device::@rows grid ["M", "1", "1"] block ["32", "1", "1"] args ["x", "y", "M", "N"]
    gpu.module @device { llvm.func @rows(%x: !llvm.ptr, %y: !llvm.ptr, %m: i32, %n: i32) { llvm.return } }
  }
  evo.variant @m1.v of @m1
      evidence #evo.evidence<numeric hash = "<hash>" details = {samples = 17 : i64, not_algebraic = "<marquee>"}>
      estimate #evo.cost<estimated us = [100.0] machine = "h200" details = {arithmetic_micros = array<f64: 1.5>}>
      attributes {source = "// evo.launch rows<<<M, 64>>>(x, y, M, N)\0A__global__ void rows() { if (M < N && \22a\22) 'b'; }\0A// </style></code><script>window.evoScriptRan=6</script>\0A"} {
    evo.launch @device::@rows grid ["M", "1", "1"] block ["64", "1", "1"] args ["x", "y", "M", "N"]
    gpu.module @device { llvm.func @rows(%x: !llvm.ptr, %y: !llvm.ptr, %m: i32, %n: i32) { llvm.return } }
  }
  evo.variant @"</td><style>*{display:none}</style>.v" of @"</td><style>*{display:none}</style>"
      evidence #evo.evidence<refuted hash = "bb" details = {message = "y[0]: expected <1>, found \22nan\22", reason = "race", samples = 3 : i64}> {
    evo.launch @device::@rows grid ["M", "1", "1"] block ["64", "1", "1"] args ["x", "y", "M", "N"]
    gpu.module @device { llvm.func @rows(%x: !llvm.ptr, %y: !llvm.ptr, %m: i32, %n: i32) { llvm.return } }
  }
}
