// Schedule for whatever linalg ops there are, of any kind, rank and type, static
// or dynamic: what a front end emits and no other schedule knows.
//
//   fuse     0: every op by itself; 1: what is computed element by element is
//            computed in its user; 2: cheap results with several users are
//            computed anew for each
//   chain    1: element-wise users of a reduction join its kernel
//   group    ops over the same rows (softmax, normalisation, attention) become
//            one kernel, one block per row: 1 where no thread has a reduction of its
//            own, 2 also then; 3 as 1, and reductions along the columns of what is read there
//            join it: `parts` blocks do several rows each
//   split    who shares a reduction: 0 nobody, 1 a warp, 2 a block
//   parts    so many of them (threads, warps, blocks) share a reduction, and a second
//            kernel combines what they found: for reductions with few results
//   rows, columns   results of a thread, which share what they load
//   stage    a block computes a tile of a product (of matrices, or a convolution,
//            which is one of its weights and the windows of its input), whose
//            operands go through shared memory: so many rows and columns a thread;
//            what is transposed goes through it too. 0: nothing does
//   hold     such rows are read once: each thread keeps at most so many accesses
//            of a row in registers (what is beyond them is read again); split 1: one warp per row.
//            0: every op reads the row
//   access   bytes of neighbouring elements that a thread loads or stores at once, in
//            rows that are held and element by element; 0: an element
//   stream   1: caches give up first what vectors read but once, in kernels that write
//            little: where much is written caches had better keep that instead
//   online   1: a row's maximum and the sum of powers that are shifted by it are
//            found in one pass, which scales the sum when the maximum grows:
//            for rows that are too long to be held
//   threads  of a block
//
// `evo.plain` is the plain mapping, one kernel an op and one thread an element: the
// baseline of an input that has no kernel yet. `evo.with` says what is turned with a
// knob when that is tried by itself: few results leave few threads to split among.
// `evo.starts` is where a search begins beside the first values of all knobs, by what the
// ops have about them (lib/Proposers/Evolutionary/Features.h).
module attributes {transform.with_named_sequence,
    // any op of the dialect
    evo.schedules = "linalg",
    evo.plain = {fuse = 0, chain = 0, group = 0, split = 0, stage = 0, rows = 1, columns = 1,
                 threads = 256, parts = 1, hold = 0, access = 0, stream = 0, online = 0},
    evo.with = {parts = {split = 2}},
    evo.starts = {few = {parts = 256, split = 2}, rows = {split = 2}, long = {split = 2, threads = 1024},
                  powers = {split = 2, threads = 512, online = 1},
                  margins = {group = 3, parts = 256, threads = 512},
                  moments = {fuse = 3, columns = 2},
                  columns = {parts = 64}, across = {columns = 2}, scans = {split = 1}, segments = {parts = 1024, split = 2},
                  windows = {rows = 4, columns = 4},
                  crossing = {stage = 4}},
    // what a model is told of the knobs
    evo.meanings = {
      fuse = "0: every op by itself; 1: what is computed element by element is computed in its user; 2: cheap results with several users are computed anew for each; 3: squared distances over several dimensions are added up along the innermost one first",
      chain = "1: element-wise users of a reduction join its kernel",
      group = "ops over the same rows become one kernel, one block per row: 1 where no thread has a reduction of its own, 2 also then, 3 as 1 with reductions along the columns of what is read there, in as many blocks as there are parts",
      split = "who shares a reduction: 0 nobody, 1 a warp, 2 a block",
      parts = "so many (threads, warps, blocks) share a reduction, and a second kernel combines what they found: for reductions with few results",
      rows = "rows of results of a thread, which share what they load",
      columns = "columns of results of a thread",
      hold = "most accesses of a row that each thread keeps in registers, so that the row is read once; split 1: one warp per row; 0: every op reads the row",
      access = "bytes of neighbouring elements that a thread loads or stores at once: in rows that are held, and element by element; 0: an element",
      stream = "1: caches give up first what vectors read but once, in kernels that write little",
      online = "1: the maximum per row and the sum of powers that it shifts are found in one pass, for rows too long to be held",
      stage = "tile of a product of a block, through shared memory: so many rows and columns a thread; 0: none",
      threads = "of a block"}} {
  transform.named_sequence @__transform_main(%root: !transform.any_op) attributes {
      evo.constraints = [
        // whole tiles in registers
        "rows * columns <= 16",
        // tiles of a product are of whole sums
        "stage * (parts - 1) == 0",
        // a user that was fused has nothing to join
        "threads % 32 == 0"]} {
    %threads = transform.tune.knob<"threads"> = 256 from options = [256, 128, 512, 64, 1024, 32]
        -> !transform.any_param
    %stage = transform.tune.knob<"stage"> = 0 from options = [0, 4, 8, 2] -> !transform.any_param
    %columns = transform.tune.knob<"columns"> = 1 from options = [1, 4, 2] -> !transform.any_param
    %rows = transform.tune.knob<"rows"> = 1 from options = [1, 4, 2, 8] -> !transform.any_param
    %split = transform.tune.knob<"split"> = 0 from options = [0, 1, 2] -> !transform.any_param
    %parts = transform.tune.knob<"parts"> = 1 from options = [1, 256, 128, 64, 8, 1024] -> !transform.any_param
    %group = transform.tune.knob<"group"> = 1 from options = [1, 0, 2, 3] -> !transform.any_param
    %hold = transform.tune.knob<"hold"> = 16 from options = [16, 0, 32, 8]
        -> !transform.any_param
    %access = transform.tune.knob<"access"> = 16 from options = [16, 0, 8, 32]
        -> !transform.any_param
    %stream = transform.tune.knob<"stream"> = 1 from options = [1, 0] -> !transform.any_param
    %online = transform.tune.knob<"online"> = 0 from options = [0, 1] -> !transform.any_param
    %fuse = transform.tune.knob<"fuse"> = 2 from options = [2, 3, 0, 1] -> !transform.param<i64>
    %chain = transform.tune.knob<"chain"> = 1 from options = [1, 0] -> !transform.any_param
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %fused = transform.apply_registered_pass "evo-fuse-linalg"
        with options = {"level" = %fuse} to %func
        : (!transform.any_op, !transform.param<i64>) -> !transform.any_op
    transform.yield
  }

  transform.named_sequence @on_buffers(%root: !transform.any_op) {
    %chain = transform.param.constant 1 : i64 {evo.bind = {value = "chain"}} -> !transform.param<i64>
    %group = transform.param.constant 1 : i64 {evo.bind = {value = "group"}} -> !transform.param<i64>
    %split = transform.param.constant 0 : i64 {evo.bind = {value = "split"}} -> !transform.param<i64>
    %stage = transform.param.constant 0 : i64 {evo.bind = {value = "stage"}} -> !transform.param<i64>
    %rows = transform.param.constant 1 : i64 {evo.bind = {value = "rows"}} -> !transform.param<i64>
    %columns = transform.param.constant 1 : i64
        {evo.bind = {value = "columns"}} -> !transform.param<i64>
    %threads = transform.param.constant 256 : i64
        {evo.bind = {value = "threads"}} -> !transform.param<i64>
    %parts = transform.param.constant 1 : i64 {evo.bind = {value = "parts"}} -> !transform.param<i64>
    %hold = transform.param.constant 16 : i64 {evo.bind = {value = "hold"}} -> !transform.param<i64>
    %access = transform.param.constant 16 : i64
        {evo.bind = {value = "access"}} -> !transform.param<i64>
    %stream = transform.param.constant 1 : i64
        {evo.bind = {value = "stream"}} -> !transform.param<i64>
    %online = transform.param.constant 0 : i64
        {evo.bind = {value = "online"}} -> !transform.param<i64>
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %mapped = transform.apply_registered_pass "evo-map-linalg"
        with options = {"chain" = %chain, "group" = %group, "split" = %split, "stage" = %stage,
                        "rows" = %rows, "columns" = %columns, "threads" = %threads,
                        "parts" = %parts, "hold" = %hold, "access" = %access,
                        "stream" = %stream, "online" = %online} to %func
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>, !transform.param<i64>,
           !transform.param<i64>, !transform.param<i64>, !transform.param<i64>) -> !transform.any_op
    transform.apply_patterns to %mapped {
      transform.apply_patterns.canonicalization
    } : !transform.any_op
    transform.apply_cse to %mapped : !transform.any_op
    transform.yield
  }
}
