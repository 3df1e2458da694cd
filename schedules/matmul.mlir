// Schedule for a matrix product on a GPU: C[M, N] = A[M, K] · B[K, N] with a
// zero-filled accumulator, all extents dynamic and right for every size.
//
//   block    a bm × bn tile of C                              (grid: M/bm × N/bn)
//   k loop   bm × bk of A and bk × bn of B go to shared memory, zero-filled
//            past the edge, so everything inside has static shape
//   thread   a tm × tn tile of C, carried in registers through the k loop
//   inner    kt columns of A times kt rows of B per step, as vector.contract
//
// Two entry points. `__transform_main` works on tensors; `on_buffers` after
// bufferisation. The pass pipelines around them are in lower-gpu.mlir.
//
// A knob is a number to choose. `evo.bind` names attributes whose value follows
// from the knobs (upstream takes those as attributes only): the resolver
// evaluates the expression and replaces the value that stands there. The values
// written here are those of the default knobs, so the file also runs as it is.
module attributes {transform.with_named_sequence,
    // the op it schedules, and its dimensions as [argument, dimension] of the
    // payload function
    evo.schedules = "linalg.matmul",
    // where there is nothing else in a payload, no other schedule is tried
    evo.alone,
    evo.dimensions = {M = [0, 0], N = [1, 1], K = [0, 1]},
    // what a model is told of the knobs
    evo.meanings = {
      bm = "rows of the result of a block", bn = "columns of the result of a block",
      bk = "depth of the tiles in shared memory",
      tm = "rows of the result of a thread, in registers",
      tn = "columns of the result of a thread, in registers",
      kt = "steps of the inner product that are unrolled",
      vb = "elements of B that a thread copies side by side",
      edges = "0: any size; 1: whole tiles only, required of the sizes"}} {
  transform.named_sequence @clean(%root: !transform.any_op {transform.readonly}) {
    transform.apply_patterns to %root {
      transform.apply_patterns.canonicalization
      transform.apply_patterns.tensor.merge_consecutive_insert_extract_slice
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

  transform.named_sequence @__transform_main(%root: !transform.any_op) attributes {
      evo.constraints = [
        "bm % tm == 0", "bn % tn == 0", "bk % kt == 0", "bn % vb == 0",
        // whole warps, at most a block
        "bm * bn / (tm * tn) % 32 == 0", "bm * bn / (tm * tn) <= 1024",
        // every thread copies the same number of elements, in whole rows
        "bk % (bn / tn) == 0",
        "bm * bn / (tm * tn) % (bn / vb) == 0",
        "bk % (bm * bn / (tm * tn) / (bn / vb)) == 0",
        // rows of whole tiles are written in fours
        "edges * (tn % 4) == 0", "edges * (bk % 4) == 0",
        // static shared memory
        "4 * bk * (bm + bn) <= 49152"]} {
    %bm = transform.tune.knob<"bm"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %bn = transform.tune.knob<"bn"> = 64 from options = [32, 64, 128] -> !transform.param<i64>
    %bk = transform.tune.knob<"bk"> = 16 from options = [8, 16, 32] -> !transform.param<i64>
    %tm = transform.tune.knob<"tm"> = 4 from options = [2, 4, 8] -> !transform.param<i64>
    %tn = transform.tune.knob<"tn"> = 4 from options = [2, 4, 8] -> !transform.param<i64>
    %kt = transform.tune.knob<"kt"> = 4 from options = [1, 2, 4] -> !transform.param<i64>
    // elements of B that one thread copies side by side
    %vb = transform.tune.knob<"vb"> = 1 from options = [1, 2, 4] -> !transform.param<i64>
    // 0: any size; 1: whole tiles only
    %edges = transform.tune.knob<"edges"> = 0 from options = [0, 1] -> !transform.param<i64>
    // what one thread copies: of A tm rows, of B rb
    %va = transform.param.constant 1 : i64
        {evo.bind = {value = "bk * tn / bn"}} -> !transform.param<i64>
    %rb = transform.param.constant 4 : i64
        {evo.bind = {value = "bk * (bn / vb) * tm * tn / (bm * bn)"}} -> !transform.param<i64>

    // Blocks.
    %matmul = transform.structured.match ops{["linalg.matmul"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %fill = transform.structured.match ops{["linalg.fill"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %block_product, %blocks = transform.structured.tile_using_forall %matmul
        tile_sizes [%bm, %bn] (mapping = [#gpu.block<y>, #gpu.block<x>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.structured.fuse_into_containing_op %fill into %blocks
        : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // The k loop, and in it a product of static shape of A and B in new buffers.
    %tile_product = transform.tune.alternatives<"edges"> selected_region = %edges
        attributes {evo.require = [[], ["M % bm == 0", "N % bn == 0", "K % bk == 0"]]}
        : !transform.param<i64> -> !transform.any_op {
      // Any size: pad. The pad of C folds into its fill; those of A and B move
      // into the k loop and grow along k.
      %padded, %_0, %_1 = transform.structured.pad %block_product
          pad_to_multiple_of [%bm, %bn] {
            padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
            padding_dimensions = [0, 1], nofold_flags = [0, 0, 0],
            copy_back_op = "none"}
          : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %k_product, %k_loop = transform.structured.tile_using_for %padded
          tile_sizes [0, 0, %bk]
          : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
      %outer_pads = transform.structured.match ops{["tensor.pad"]} in %root
          : (!transform.any_op) -> !transform.any_op
      %outer_a, %outer_b = transform.split_handle %outer_pads
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %_2, %k_loop_a = transform.structured.fuse_into_containing_op %outer_a into %k_loop
          : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
      %_3, %k_loop_ab = transform.structured.fuse_into_containing_op %outer_b into %k_loop_a
          : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
      transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()
      %product, %_4, %_5 = transform.structured.pad %k_product
          pad_to_multiple_of [%bk] {
            padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
            padding_dimensions = [2], nofold_flags = [0, 0, 0],
            copy_back_op = "none"}
          : (!transform.any_op, !transform.param<i64>)
          -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %product : !transform.any_op
    }, {
      // Whole tiles: every min(what is left, tile) is the tile. Pads of nothing
      // stay as copies of A and B; the tile of C starts in a new buffer.
      %sizes = transform.structured.match ops{["affine.min"]} in %blocks
          : (!transform.any_op) -> !transform.any_op
      %rows, %columns = transform.split_handle %sizes
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
      %bm_rows = transform.param.constant affine_map<(d0)[s0] -> (64)>
          {evo.bind = {value = "bm"}} -> !transform.any_param
      %bn_columns = transform.param.constant affine_map<(d0)[s0] -> (64)>
          {evo.bind = {value = "bn"}} -> !transform.any_param
      transform.annotate %rows "map" = %bm_rows : !transform.any_op, !transform.any_param
      transform.annotate %columns "map" = %bn_columns : !transform.any_op, !transform.any_param
      transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
      %padded_c, %_0, %_1 = transform.structured.pad %block_product {
            padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
            padding_dimensions = [0, 1], nofold_flags = [0, 0, 1],
            copy_back_op = "none"}
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      %k_product, %k_loop = transform.structured.tile_using_for %padded_c
          tile_sizes [0, 0, %bk]
          : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
      transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
      %size = transform.structured.match ops{["affine.min"]} in %k_loop
          : (!transform.any_op) -> !transform.any_op
      %bk_columns = transform.param.constant affine_map<(d0)[s0] -> (16)>
          {evo.bind = {value = "bk"}} -> !transform.any_param
      transform.annotate %size "map" = %bk_columns : !transform.any_op, !transform.any_param
      transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
      %product, %_2, %_3 = transform.structured.pad %k_product {
            padding_values = [0.0 : f32, 0.0 : f32, 0.0 : f32],
            padding_dimensions = [0, 1, 2], nofold_flags = [1, 1, 0],
            copy_back_op = "none"}
          : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
      transform.yield %product : !transform.any_op
    }
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // Threads copy A and B: the pads are the guarded copies.
    %pads = transform.structured.match ops{["tensor.pad"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %pad_a, %pad_b = transform.split_handle %pads
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %_6, %_7 = transform.structured.tile_using_forall %pad_a
        tile_sizes [%tm, %va] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %_8, %_9 = transform.structured.tile_using_forall %pad_b
        tile_sizes [%rb, %vb] (mapping = [#gpu.thread<linear_dim_1>, #gpu.thread<linear_dim_0>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.include @drop_pad_guards failures(propagate) (%root) : (!transform.any_op) -> ()

    // Threads write C. The tile at the edge has fewer rows and columns than
    // threads; the thread loop is widened to the whole block, and threads past
    // the edge get an empty (or negative) slice, whose write has no lane set.
    %inserts = transform.structured.match ops{["tensor.parallel_insert_slice"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %_10, %_11, %insert_c = transform.split_handle %inserts
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %copy_c = transform.structured.insert_slice_to_copy %insert_c
        : (!transform.any_op) -> !transform.any_op
    %_12, %writers = transform.structured.tile_using_forall %copy_c
        tile_sizes [%tm, %tn] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    transform.tune.alternatives<"writers"> selected_region = %edges : !transform.param<i64> {
      %rows = transform.get_producer_of_operand %writers[0]
          : (!transform.any_op) -> !transform.any_op
      %columns = transform.get_producer_of_operand %writers[1]
          : (!transform.any_op) -> !transform.any_op
      %all_rows = transform.param.constant affine_map<()[s0] -> (16)>
          {evo.bind = {value = "bm / tm"}} -> !transform.any_param
      %all_columns = transform.param.constant affine_map<()[s0] -> (16)>
          {evo.bind = {value = "bn / tn"}} -> !transform.any_param
      transform.annotate %rows "map" = %all_rows : !transform.any_op, !transform.any_param
      transform.annotate %columns "map" = %all_columns : !transform.any_op, !transform.any_param
      transform.yield
    }, {
      transform.yield
    }

    // Threads clear and accumulate their own tile.
    %fill_c = transform.structured.match ops{["linalg.fill"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %thread_fill, %_13 = transform.structured.tile_using_forall %fill_c
        tile_sizes [%tm, %tn] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %thread_product, %_14 = transform.structured.tile_using_forall %tile_product
        tile_sizes [%tm, %tn] (mapping = [#gpu.thread<y>, #gpu.thread<x>])
        : (!transform.any_op, !transform.param<i64>, !transform.param<i64>)
        -> (!transform.any_op, !transform.any_op)
    %step, %_15 = transform.structured.tile_using_for %thread_product tile_sizes [0, 0, %kt]
        : (!transform.any_op, !transform.param<i64>) -> (!transform.any_op, !transform.any_op)
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // Vectors. Reads of A and B are masked to the slice and padded with zero.
    // The accumulator is read whole; its write is checked against the slice.
    transform.structured.vectorize %step {create_named_contraction} : !transform.any_op
    transform.structured.vectorize %thread_fill : !transform.any_op
    %thread_pads = transform.structured.match ops{["tensor.pad"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %thread_pad_a, %thread_pad_b = transform.split_handle %thread_pads
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.structured.vectorize %thread_pad_a vector_sizes [%tm, %va]
        : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.structured.vectorize %thread_pad_b vector_sizes [%rb, %vb]
        : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    %thread_copy = transform.structured.match ops{["linalg.copy"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.structured.vectorize %thread_copy vector_sizes [%tm, %tn]
        {assume_dynamic_dims_match_vec_sizes}
        : !transform.any_op, !transform.param<i64>, !transform.param<i64>
    transform.tune.alternatives<"write"> selected_region = %edges : !transform.param<i64> {
      %write_c = transform.structured.match ops{["vector.transfer_write"]} in %writers
          : (!transform.any_op) -> !transform.any_op
      %checked = transform.param.constant [false, false] -> !transform.any_param
      transform.annotate %write_c "in_bounds" = %checked
          : !transform.any_op, !transform.any_param
      transform.yield
    }, {
      transform.yield
    }
    transform.bufferization.eliminate_empty_tensors %root : !transform.any_op
    transform.apply_patterns to %root {
      transform.apply_patterns.tensor.fold_tensor_subset_ops_into_vector_transfers
    } : !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // What is left empty is a tile shared by the block. The tile of C is among
    // them; `on_buffers` turns it into registers.
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
    // A copy of A or B with nothing to mask has become a memref.copy.
    %edges = transform.tune.knob<"edges"> = 0 from options = [0, 1] -> !transform.param<i64>
    transform.tune.alternatives<"copies"> selected_region = %edges : !transform.param<i64> {
      transform.yield
    }, {
      %bufferised = transform.structured.match ops{["func.func"]} in %root
          : (!transform.any_op) -> !transform.any_op
      transform.structured.vectorize_children_and_apply_patterns %bufferised
          : (!transform.any_op) -> !transform.any_op
      transform.yield
    }
    %blocks = transform.structured.match ops{["scf.forall"]}
        attributes {mapping = [#gpu.block<y>, #gpu.block<x>]} in %root
        : (!transform.any_op) -> !transform.any_op
    %grid = transform.loop.forall_to_parallel %blocks : (!transform.any_op) -> !transform.any_op
    %yx = transform.param.constant [
        #gpu.loop_dim_map<processor = block_y, map = (d0) -> (d0), bound = (d0) -> (d0)>,
        #gpu.loop_dim_map<processor = block_x, map = (d0) -> (d0), bound = (d0) -> (d0)>]
        -> !transform.any_param
    transform.annotate %grid "mapping" = %yx : !transform.any_op, !transform.any_param
    %func = transform.structured.match ops{["func.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    %with_launch = transform.apply_registered_pass "convert-parallel-loops-to-gpu" to %func
        : (!transform.any_op) -> !transform.any_op
    %launch = transform.structured.match ops{["gpu.launch"]} in %root
        : (!transform.any_op) -> !transform.any_op
    // A barrier follows every thread loop but the copy of A: that of B follows at
    // once, and its barrier serves both. The copy of A becomes loops that start at
    // the thread's number and stride by the block. (clear, A, B, product, write.)
    %thread_loops = transform.structured.match ops{["scf.forall"]} in %launch
        : (!transform.any_op) -> !transform.any_op
    %_0, %copy_a, %_1, %_2, %_3 = transform.split_handle %thread_loops
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op,
                                  !transform.any_op, !transform.any_op)
    %loop_y, %loop_x = transform.loop.forall_to_for %copy_a
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %first_y = transform.get_producer_of_operand %loop_y[0]
        : (!transform.any_op) -> !transform.any_op
    %first_x = transform.get_producer_of_operand %loop_x[0]
        : (!transform.any_op) -> !transform.any_op
    %stride_y = transform.get_producer_of_operand %loop_y[2]
        : (!transform.any_op) -> !transform.any_op
    %stride_x = transform.get_producer_of_operand %loop_x[2]
        : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %first_y {
      %id = gpu.thread_id y
    } : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %first_x {
      %id = gpu.thread_id x
    } : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %stride_y {
      %dim = gpu.block_dim y
    } : (!transform.any_op) -> !transform.any_op
    transform.structured.replace %stride_x {
      %dim = gpu.block_dim x
    } : (!transform.any_op) -> !transform.any_op
    %mapped = transform.gpu.map_nested_forall_to_threads %launch
        block_dims = [16, 16, 1] {evo.bind = {block_dims = ["bn / tn", "bm / tm", "1"]}}
        : (!transform.any_op) -> !transform.any_op
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()

    // Each thread reads and writes one fixed part of the tile of C: its reads
    // and writes leave the k loop, meet, and the tile is gone.
    %loops = transform.structured.match ops{["scf.for"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.apply_licm to %loops : !transform.any_op
    %hoisted = transform.structured.hoist_redundant_vector_transfers %with_launch
        : (!transform.any_op) -> !transform.any_op
    transform.memref.erase_dead_alloc_and_stores %hoisted : (!transform.any_op) -> ()
    transform.include @clean failures(propagate) (%root) : (!transform.any_op) -> ()
    // Barriers that guard nothing go: after clearing, at the end.
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.vector.lower_masked_transfers
    } : !transform.any_op
    transform.apply_patterns to %hoisted {
      transform.apply_patterns.gpu.eliminate_barriers
    } : !transform.any_op
    transform.yield
  }

  // After lower_vectors. With whole tiles every access of four elements begins at
  // a multiple of four: rows do, since the tiles divide them, and base pointers
  // are aligned to 16 bytes. Stores outside loops are those of C; those in loops
  // fill shared memory, with fewer elements perhaps.
  transform.named_sequence @on_vectors(%root: !transform.any_op) {
    %edges = transform.tune.knob<"edges"> = 0 from options = [0, 1] -> !transform.param<i64>
    transform.tune.alternatives<"alignment"> selected_region = %edges : !transform.param<i64> {
      transform.yield
    }, {
      %four = transform.param.constant 16 : i64 {evo.operand = 2} -> !transform.param<i64>
      %one = transform.param.constant 4 : i64 {evo.operand = 0} -> !transform.param<i64>
      %loads = transform.structured.match ops{["vector.load"]}
          filter_result_type = vector<4xf32> in %root : (!transform.any_op) -> !transform.any_op
      transform.annotate %loads "alignment" = %four : !transform.any_op, !transform.param<i64>
      %eight = transform.param.constant 8 : i64 -> !transform.param<i64>
      %halves = transform.structured.match ops{["vector.load"]}
          filter_result_type = vector<4xf16> in %root : (!transform.any_op) -> !transform.any_op
      transform.annotate %halves "alignment" = %eight : !transform.any_op, !transform.param<i64>
      %brains = transform.structured.match ops{["vector.load"]}
          filter_result_type = vector<4xbf16> in %root : (!transform.any_op) -> !transform.any_op
      transform.annotate %brains "alignment" = %eight : !transform.any_op, !transform.param<i64>
      %stores = transform.structured.match ops{["vector.store"]} in %root
          : (!transform.any_op) -> !transform.any_op
      transform.annotate %stores "alignment" = %four : !transform.any_op, !transform.param<i64>
      %loops = transform.structured.match ops{["scf.for"]} in %root
          : (!transform.any_op) -> !transform.any_op
      transform.foreach %loops : !transform.any_op {
      ^bb0(%loop: !transform.any_op):
        %copies = transform.structured.match ops{["vector.store"]} in %loop
            : (!transform.any_op) -> !transform.any_op
        transform.annotate %copies "alignment" = %one : !transform.any_op, !transform.param<i64>
      }
      transform.yield
    }
    transform.yield
  }
}
