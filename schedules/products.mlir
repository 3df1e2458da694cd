// Schedule for products: of matrices, of batches of them, of convolutions; any size,
// any operand transposed. Operands come through shared memory in a ring of copies in
// flight, and every thread has a tile of results in registers.
//
//   bm, bn   rows and columns of the result of a block
//   bk       depth of a stage
//   stages   of the ring; 1: there is none, and what is copied is waited for
//   tm, tn   rows and columns of the result of a thread
//   turn     1: bm and tm are of columns, bn and tn of rows
//   batch    products of a batch that a block does side by side, where these are small
//   resident blocks that a multiprocessor's registers have to be enough for
//   group    rows of tiles whose blocks follow each other
//   walk     order of a thread's results: 0 by rows, 1 by columns, 2 by pairs of
//            columns; the assembler's registers hang on it
//   pack     1: an operand whose neighbours are far apart (the weights of a convolution)
//            is copied first, by a kernel of its own
//   attend   1: an attention is one kernel, in which eight threads share a row of a tile:
//            bn = 8 * tn, with fuse = 0
//   chain    1: element-wise users of a product join its kernel
//   fuse     see general.mlir
//
// What is no sum of products is mapped as general.mlir does by its default.
module attributes {transform.with_named_sequence,
    // any op of the dialect, in a payload that has a product; where there is
    // nothing but products of matrices, no other schedule is tried
    evo.schedules = "linalg",
    evo.products,
    // where there are fewer tiles than multiprocessors, or even fewer small ones; where a
    // tile of the usual shape would be empty for the most part, or by half (low, narrow);
    // an attention;
    // where all of a batch of products is so small that a block does several
    evo.starts = {attention = {bm = 128, bn = 64, tm = 8, tn = 8},
                  tiles = {bm = 64, bn = 64, tm = 8, tn = 4},
                  deep = {bm = 32, bn = 64, tm = 4, tn = 4, bk = 32},
                  flat = {bm = 32, bn = 256, tm = 4, tn = 8},
                  low = {bm = 64, bn = 128, tm = 8, tn = 8, resident = 3},
                  tiny = {bm = 16, bn = 16, tm = 4, tn = 4, stages = 1, batch = 8},
                  small = {bm = 32, bn = 32, tm = 4, tn = 4, stages = 1, batch = 4},
                  slim = {bm = 32, bn = 256, tm = 4, tn = 8, turn = 1},
                  narrow = {bm = 64, bn = 128, tm = 8, tn = 8, turn = 1, resident = 3}},
    // what a model is told of the knobs
    evo.meanings = {
      bm = "rows of the result of a block", bn = "columns of the result of a block",
      bk = "depth of a stage in shared memory", stages = "of copies in flight; 1: what is copied is waited for",
      tm = "rows of the result of a thread, in registers",
      tn = "columns of the result of a thread, in registers",
      turn = "1: bm and tm are columns, bn and tn rows",
      batch = "products of a batch that a block does side by side",
      resident = "blocks that a multiprocessor's registers have to be enough for",
      group = "rows of tiles whose blocks follow each other",
      walk = "order in which a thread goes through its results: 0 by rows, 1 by columns, 2 by pairs of columns",
      pack = "1: an operand whose neighbours are far apart, as the weights of a convolution, is copied first, by a kernel of its own",
      attend = "1: an attention (a product, softmax, another product) is one kernel, in which eight threads share a row of scores: bn = 8 * tn, with fuse = 0",
      chain = "1: element-wise users of a product join its kernel",
      fuse = "0: every op by itself; 1: what is computed element by element is computed in its user; 2: cheap results with several users are computed anew for each"}} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) attributes {
      evo.constraints = [
        // whole warps, at most a block, whose registers there are
        "batch * bm * bn / (tm * tn) % 32 == 0", "batch * bm * bn / (tm * tn) <= 512",
        "batch * bm * bn <= 32768",
        // a line more where a warp has several products
        "4 * resident * batch * max(stages * (bk + 1) * (bm + bn + 8), bm * (bn + 4)) <= 232448",
        "resident * batch * bm * bn / (tm * tn) <= 1024"]} {
    %bm = transform.tune.knob<"bm"> = 256 from options = [256, 128, 64, 32, 16] -> !transform.any_param
    %bn = transform.tune.knob<"bn"> = 128 from options = [128, 64, 256, 32, 16] -> !transform.any_param
    %bk = transform.tune.knob<"bk"> = 16 from options = [16, 8, 32] -> !transform.any_param
    %stages = transform.tune.knob<"stages"> = 4 from options = [4, 3, 5, 1] -> !transform.any_param
    %tm = transform.tune.knob<"tm"> = 16 from options = [16, 8, 4] -> !transform.any_param
    %tn = transform.tune.knob<"tn"> = 8 from options = [8, 16, 4] -> !transform.any_param
    %group = transform.tune.knob<"group"> = 8 from options = [8, 1, 16, 4] -> !transform.any_param
    %batch = transform.tune.knob<"batch"> = 1 from options = [1, 8, 4, 16, 2] -> !transform.any_param
    %resident = transform.tune.knob<"resident"> = 1 from options = [1, 3, 2, 4, 8] -> !transform.any_param
    %walk = transform.tune.knob<"walk"> = 2 from options = [2, 1, 0] -> !transform.any_param
    %turn = transform.tune.knob<"turn"> = 0 from options = [0, 1] -> !transform.any_param
    %chain = transform.tune.knob<"chain"> = 1 from options = [1, 0] -> !transform.any_param
    %attend = transform.tune.knob<"attend"> = 1 from options = [1, 0] -> !transform.any_param
    %fuse = transform.tune.knob<"fuse"> = 0 from options = [0, 2, 1] -> !transform.param<i64>
    %pack = transform.tune.knob<"pack"> = 1 from options = [1, 0] -> !transform.param<i64>
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %packed = transform.apply_registered_pass "evo-pack-operands"
        with options = {"pack" = %pack} to %func
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    %fused = transform.apply_registered_pass "evo-fuse-linalg"
        with options = {"level" = %fuse} to %packed
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @on_buffers(%root: !transform.any_op) {
    %bm = transform.param.constant 256 : i64
        {evo.bind = {value = "bm + turn * (bn - bm)"}} -> !transform.param<i64>
    %bn = transform.param.constant 128 : i64
        {evo.bind = {value = "bn + turn * (bm - bn)"}} -> !transform.param<i64>
    %bk = transform.param.constant 16 : i64 {evo.bind = {value = "bk"}} -> !transform.param<i64>
    %stages = transform.param.constant 4 : i64
        {evo.bind = {value = "stages"}} -> !transform.param<i64>
    %tm = transform.param.constant 16 : i64
        {evo.bind = {value = "tm + turn * (tn - tm)"}} -> !transform.param<i64>
    %tn = transform.param.constant 8 : i64
        {evo.bind = {value = "tn + turn * (tm - tn)"}} -> !transform.param<i64>
    %group = transform.param.constant 8 : i64
        {evo.bind = {value = "group"}} -> !transform.param<i64>
    %batch = transform.param.constant 1 : i64
        {evo.bind = {value = "batch"}} -> !transform.param<i64>
    %resident = transform.param.constant 1 : i64
        {evo.bind = {value = "resident"}} -> !transform.param<i64>
    %walk = transform.param.constant 2 : i64 {evo.bind = {value = "walk"}} -> !transform.param<i64>
    %chain = transform.param.constant 1 : i64
        {evo.bind = {value = "chain"}} -> !transform.param<i64>
    %attend = transform.param.constant 1 : i64
        {evo.bind = {value = "attend"}} -> !transform.param<i64>
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %mapped = transform.apply_registered_pass "evo-map-linalg"
        with options = {"chain" = %chain, "group" = 1, "hold" = 16, "access" = 16,
                        "attend" = %attend,
                        "product" = [%bm, %bn, %bk, %stages, %tm, %tn, %group, %batch, %resident, %walk]} to %func
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>) -> !transform.any_op
    transform.apply_patterns to %mapped {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %mapped : !transform.any_op
    transform.yield
  }
}
