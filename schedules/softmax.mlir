// Schedule for softmax over rows on a GPU, all extents dynamic, one block a row.
//
//   block    one row: max, sum of exp(x - max), quotient, each a pass over the
//            row (the second and third find it in the cache); exp is computed
//            twice rather than stored
//   chunk    `threads` × `width` neighbouring elements; past the end of the row
//            they read as -inf, which neither max nor sum feels
//   thread   `width` neighbouring elements of each chunk, its partial results
//            in registers through the loop over chunks
//   combine  a tree through shared memory: threads, then `fan`, then one
//
// Two entry points. `__transform_main` works on tensors; `on_buffers` after
// bufferisation. The pass pipelines around them are in lower-gpu.mlir.
//
// A knob is a number to choose. `evo.bind` names attributes whose value follows
// from the knobs (upstream takes those as attributes only): the resolver
// evaluates the expression and replaces the value that stands there. The values
// written here are those of the default knobs, so the file also runs as it is.
module attributes {transform.with_named_sequence,
    // the op it schedules
    evo.schedules = "linalg.softmax",
    // what a model is told of the knobs
    evo.meanings = {
      threads = "of a block, which has one row",
      width = "neighbouring elements that a thread loads at once",
      fan = "threads that combine partial results in shared memory, before one does"}} {
  transform.named_sequence @clean(%root: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %root {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
      transform.apply_patterns.tensor.fold_tensor_empty
      transform.apply_patterns.linalg.tiling_canonicalization
      transform.apply_patterns.scf.for_loop_canonicalization
      transform.apply_patterns.memref.resolve_ranked_shaped_type_result_dims
      transform.apply_patterns.memref.fold_memref_alias_ops
    } : !transform.any_op
    transform.apply_cse to %root : !transform.any_op
    transform.yield
  }

  // Tiling a tensor.pad guards each tile against lying wholly in the padding.
  // The other branch handles that too (an empty slice, all lanes masked off),
  // so the guard goes.
  transform.named_sequence @drop_pad_guards(%root: !transform.any_op {transform.readonly}) {
    %guards = transform.structured.match ops{["scf.if"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %guards : !transform.any_op {
    ^bb0(%guard: !transform.any_op):
      transform.scf.take_assumed_branch %guard take_else_branch
          : (!transform.any_op) -> ()
    }
    transform.yield
  }

  // Combines the partial results of a chunk: every thread its own `width`, then
  // `fan` threads, then one, which also starts from the neutral element.
  transform.named_sequence @combine(%reduce: !transform.any_op {transform.consumed}) {
    %own_fill, %_0, %rest, %own = transform.structured.tile_reduction_using_forall %reduce
        by num_threads = [0, 256] mapping = [#gpu.thread<x>]
        {evo.bind = {num_threads = ["0", "threads"]}}
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %own_fill into %own
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %few_fill, %_1, %last, %few = transform.structured.tile_reduction_using_forall %rest
        by num_threads = [0, 16] mapping = [#gpu.thread<x>]
        {evo.bind = {num_threads = ["0", "fan"]}}
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %few_fill into %few
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %_2, %one = transform.structured.tile_using_forall %last
        num_threads [1] (mapping = [#gpu.thread<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %init = transform.get_producer_of_operand %one[0] : (!transform.any_op) -> !transform.any_op
    transform.structured.fuse_into_containing_op %init into %one
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op) attributes {
      evo.constraints = ["threads % 32 == 0", "threads <= 1024", "threads % fan == 0",
                         // tiles of one element lose their check against the end
                         "width >= 2"]} {
    %threads = transform.tune.knob<"threads"> = 256 from options = [32, 64, 128, 256, 512, 1024]
        -> !transform.param<i64>
    %width = transform.tune.knob<"width"> = 4 from options = [2, 4, 8] -> !transform.param<i64>
    %fan = transform.tune.knob<"fan"> = 16 from options = [1, 2, 4, 8, 16, 32]
        -> !transform.param<i64>
    %chunk = transform.param.constant 1024 : i64
        {evo.bind = {value = "threads * width"}} -> !transform.param<i64>

    %softmax = transform.structured.match ops{["linalg.softmax"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.decompose_interface %softmax : (!transform.any_op) -> !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %four = transform.structured.match ops{["linalg.generic"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %_0, %exp, %_1, %all_quotients = transform.split_handle %four
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)

    // A block a row. exp has two uses: one copy goes into the loop of the
    // quotient, the other stays with the sum, and each folds into its use.
    %_2, %quotient_rows = transform.structured.tile_using_forall %all_quotients
        tile_sizes [1] (mapping = [#gpu.block<x>])
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %exp into %quotient_rows
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_registered_pass "linalg-fuse-elementwise-ops" to %func
        : (!transform.any_op) -> !transform.any_op
    %three = transform.structured.match ops{["linalg.generic"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %all_max, %all_sums, %quotient = transform.split_handle %three
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %fills = transform.structured.match ops{["linalg.fill"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %all_max_init, %all_sum_init = transform.split_handle %fills
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %rows_q = transform.structured.match ops{["scf.forall"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %sum, %rows_qs = transform.structured.fuse_into_containing_op %all_sums into %rows_q
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %max, %rows_qsm = transform.structured.fuse_into_containing_op %all_max into %rows_qs
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %_3, %rows_qsmi = transform.structured.fuse_into_containing_op %all_max_init into %rows_qsm
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %_4, %_5 = transform.structured.fuse_into_containing_op %all_sum_init into %rows_qsmi
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    %whole_chunk = transform.param.constant affine_map<(d0)[s0] -> (1024)>
        {evo.bind = {value = "threads * width"}} -> !transform.any_param

    // Max: pad the row to whole chunks, so that the last is like the others (the
    // tile size min(what is left, chunk) is then always the chunk, which
    // folding does not see), and let every thread reduce its part of each.
    %padded_max, %pads_max = transform.structured.pad_tiling_interface %max
        to padding_sizes [0, 1024] pad_to_multiple_of {
          padding_values = [0xFF800000 : f32, 0.0 : f32],
          evo.bind = {static_padding_sizes = ["0", "threads * width"]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %row_pad_max = transform.get_producer_of_operand %padded_max[0]
        : (!transform.any_op) -> !transform.any_op
    %fill_max, %chunk_max, %reduce_max, %loop_max =
        transform.structured.tile_reduction_using_for %padded_max by tile_sizes = [0, 1024]
        {evo.bind = {tile_sizes = ["0", "threads * width"]}}
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %partial_max = transform.get_producer_of_operand %chunk_max[1]
        : (!transform.any_op) -> !transform.any_op
    %size_max = transform.get_producer_of_operand %partial_max[1]
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %size_max "map" = %whole_chunk : !transform.any_op, !transform.any_param
    transform.structured.fuse_into_containing_op %row_pad_max into %loop_max
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %chunk_pad_max = transform.get_producer_of_operand %chunk_max[0]
        : (!transform.any_op) -> !transform.any_op
    %_max_0, %threads_max = transform.structured.tile_using_forall %chunk_max
        tile_sizes [0, %width] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %chunk_pad_max into %threads_max
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.structured.tile_using_forall %fill_max
        tile_sizes [0, %width] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.include @combine failures(propagate) (%reduce_max) : (!transform.any_op) -> ()

    // Sum: pad the row to whole chunks, so that the last is like the others (the
    // tile size min(what is left, chunk) is then always the chunk, which
    // folding does not see), and let every thread reduce its part of each.
    %padded_sum, %pads_sum = transform.structured.pad_tiling_interface %sum
        to padding_sizes [0, 1024] pad_to_multiple_of {
          padding_values = [0xFF800000 : f32, 0.0 : f32, 0.0 : f32],
          evo.bind = {static_padding_sizes = ["0", "threads * width"]}}
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %row_pad_sum = transform.get_producer_of_operand %padded_sum[0]
        : (!transform.any_op) -> !transform.any_op
    %fill_sum, %chunk_sum, %reduce_sum, %loop_sum =
        transform.structured.tile_reduction_using_for %padded_sum by tile_sizes = [0, 1024]
        {evo.bind = {tile_sizes = ["0", "threads * width"]}}
        : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op)
    %partial_sum = transform.get_producer_of_operand %chunk_sum[2]
        : (!transform.any_op) -> !transform.any_op
    %size_sum = transform.get_producer_of_operand %partial_sum[1]
        : (!transform.any_op) -> !transform.any_op
    transform.annotate %size_sum "map" = %whole_chunk : !transform.any_op, !transform.any_param
    transform.structured.fuse_into_containing_op %row_pad_sum into %loop_sum
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %chunk_pad_sum = transform.get_producer_of_operand %chunk_sum[0]
        : (!transform.any_op) -> !transform.any_op
    %_sum_0, %threads_sum = transform.structured.tile_using_forall %chunk_sum
        tile_sizes [0, %width] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %chunk_pad_sum into %threads_sum
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.structured.tile_using_forall %fill_sum
        tile_sizes [0, %width] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.include @combine failures(propagate) (%reduce_sum) : (!transform.any_op) -> ()

    // Quotient. The last chunk has fewer elements than threads: the thread loop
    // is widened to the whole block, and threads past the end get an empty (or
    // negative) slice with no lane set.
    %chunk_q, %_6 = transform.structured.tile_using_for %quotient tile_sizes [0, %chunk]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %part_q, %threads_q = transform.structured.tile_using_forall %chunk_q
        tile_sizes [0, %width] (mapping = [#gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    %count_q = transform.get_producer_of_operand %threads_q[0]
        : (!transform.any_op) -> !transform.any_op
    %all_threads = transform.param.constant affine_map<()[s0] -> (256)>
        {evo.bind = {value = "threads"}} -> !transform.any_param
    transform.annotate %count_q "map" = %all_threads : !transform.any_op, !transform.any_param
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // Vectors: masked where the row may end, whole elsewhere.
    transform.structured.vectorize %part_q vector_sizes [1, %width]
        : !transform.any_op, !transform.param<i64>
    %guarded_reads = transform.structured.match ops{["tensor.pad"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %guarded_reads vector_sizes [1, %width]
        : !transform.any_op, !transform.param<i64>
    %others = transform.structured.match
        ops{["linalg.generic", "linalg.fill", "linalg.reduce"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %others : !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    transform.bufferization.eliminate_empty_tensors %root : !transform.any_op
    transform.apply_patterns to %root {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // What is left empty is shared by the block. The partial results of a chunk
    // are among it; `on_buffers` turns them into registers.
    %tiles = transform.structured.match ops{["tensor.empty"]} in %root
        : (!transform.any_op) -> !transform.op<"tensor.empty">
    %buffers = transform.bufferization.empty_tensor_to_alloc_tensor %tiles
        : (!transform.op<"tensor.empty">) -> !transform.op<"bufferization.alloc_tensor">
    %workgroup = transform.param.constant #gpu.address_space<workgroup> -> !transform.any_param
    transform.annotate %buffers "memory_space" = %workgroup
        : !transform.op<"bufferization.alloc_tensor">, !transform.any_param
    transform.yield
  }

  transform.named_sequence @on_buffers(%root: !transform.any_op) {
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    %blocks = transform.structured.match ops{["scf.forall"]}
        attributes {mapping = [#gpu.block<x>]} in %root
        : (!transform.any_op) -> !transform.any_op
    %grid = transform.loop.forall_to_parallel %blocks : (!transform.any_op) -> !transform.any_op
    %x = transform.param.constant [
        #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]
        -> !transform.any_param
    transform.annotate %grid "mapping" = %x : !transform.any_op, !transform.any_param
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %with_launch = transform.apply_registered_pass "convert-parallel-loops-to-gpu" to %func
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.structured.match ops{["gpu.launch"]} in %root
        : (!transform.any_op) -> !transform.any_op

    // A barrier follows every thread loop but that of the quotient, the last:
    // nobody reads what its threads write. It becomes a loop that starts at the
    // thread's number and strides by the block. (fill, loop, three of the tree;
    // twice; quotient.)
    %thread_loops = transform.structured.match ops{["scf.forall"]} in %launch
        : (!transform.any_op) -> !transform.any_op
    %_0, %_1, %_2, %_3, %_4, %_5, %_6, %_7, %_8, %_9, %quotient =
        transform.split_handle %thread_loops : (!transform.any_op)
        -> (!transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op,
            !transform.any_op, !transform.any_op, !transform.any_op, !transform.any_op,
            !transform.any_op, !transform.any_op, !transform.any_op)
    %strided = transform.loop.forall_to_for %quotient : (!transform.any_op) -> !transform.any_op
    %first = transform.get_producer_of_operand %strided[0]
        : (!transform.any_op) -> !transform.any_op
    %stride = transform.get_producer_of_operand %strided[2]
        : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %first {
      %id = gpu.thread_id x
    } : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %stride {
      %dim = gpu.block_dim x
    } : (!transform.any_op) -> !transform.any_op
    transform.gpu.map_nested_forall_to_threads %launch
        block_dims = [256, 1, 1] {evo.bind = {block_dims = ["threads", "1", "1"]}}
        : (!transform.any_op) -> !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // Each thread reads and writes one fixed part of the partial results: its
    // reads and writes leave the loop over chunks, meet, and the buffer is gone.
    %loops = transform.structured.match ops{["scf.for"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %with_launch
        : (!transform.any_op) -> !transform.any_op
    transform.memref.erase_dead_alloc_and_stores %hoisted : (!transform.any_op) -> ()
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    // Barriers that guard only reads go too.
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !transform.any_op
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.gpu.eliminate_barriers
    } : !transform.any_op
    transform.yield
  }
}
