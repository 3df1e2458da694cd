// Schedule for reductions in which every result looks for what an integer says is its own:
// gradients of embeddings, sums of segments, histograms. What is looked through is gone
// through once instead; each element finds its result, and is combined with it by an atomic
// operation on memory. Floats come in any order.
//
//   scatter  bytes that an atomic operation combines: 16 and 8 are vectors of f32, which not
//            every GPU has, of results that lie together; other types go one by one
//   columns  of what is gone through, elements (or vectors) of a thread
//   threads  of a block
//   fuse     see general.mlir
//
// What is no such reduction is mapped as general.mlir does by its default.
module attributes {transform.with_named_sequence,
    // any op of the dialect, in a payload that has a scatter
    evo.schedules = "linalg",
    evo.scatters,
    // what every GPU can do
    evo.starts = {scatters = {scatter = 4}},
    // what a model is told of the knobs
    evo.meanings = {
      scatter = "bytes that an atomic operation combines with results: 16 and 8 are vectors of f32",
      columns = "elements, or vectors of them, of a thread",
      threads = "of a block",
      fuse = "0: every op by itself; 1: what is computed element by element is computed in its user; 2: cheap results with several users are computed anew for each"}} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) {
    %scatter = transform.tune.knob<"scatter"> = 16 from options = [16, 4, 8] -> !transform.any_param
    %columns = transform.tune.knob<"columns"> = 4 from options = [4, 1, 2, 8] -> !transform.any_param
    %threads = transform.tune.knob<"threads"> = 256 from options = [256, 128, 512, 64]
        -> !transform.any_param
    %fuse = transform.tune.knob<"fuse"> = 2 from options = [2, 0, 1] -> !transform.param<i64>
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %fused = transform.apply_registered_pass "evo-fuse-linalg"
        with options = {"level" = %fuse} to %func
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @on_buffers(%root: !transform.any_op) {
    %scatter = transform.param.constant 16 : i64
        {evo.bind = {value = "scatter"}} -> !transform.param<i64>
    %columns = transform.param.constant 4 : i64
        {evo.bind = {value = "columns"}} -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64
        {evo.bind = {value = "threads"}} -> !transform.param<i64>
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %mapped = transform.apply_registered_pass "evo-map-linalg"
        with options = {"chain" = 1, "group" = 1, "hold" = 16, "access" = 16,
                        "scatter" = %scatter, "columns" = %columns, "threads" = %threads} to %func
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>) -> !transform.any_op
    transform.apply_patterns to %mapped {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %mapped : !transform.any_op
    transform.yield
  }
}
