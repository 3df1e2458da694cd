// The fixed steps between a schedule and the device code generator, for every
// schedule alike. Two entry points, both on gpu.module (after outlining).
//
// `shared_to_globals`: buffers in workgroup memory become module globals.
// `lower_vectors`: vectors of any rank become one-dimensional loads, stores,
// masked loads and stores, and arithmetic, which -convert-gpu-to-nvvm takes.
module attributes {transform.with_named_sequence} {
  transform.named_sequence @shared_to_globals(%root: !transform.any_op) {
    %modules = transform.structured.match ops{["gpu.module"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %modules : !transform.any_op {
    ^bb0(%module: !transform.any_op):
      %buffers = transform.structured.match ops{["memref.alloca"]} in %module
          : (!transform.any_op) -> !transform.op<"memref.alloca">
      transform.memref.alloca_to_global %buffers
          : (!transform.op<"memref.alloca">) -> (!transform.any_op, !transform.any_op)
    }
    transform.yield
  }

  transform.named_sequence @lower_vectors(%root: !transform.any_op) {
    %funcs = transform.structured.match ops{["gpu.func"]} in %root
        : (!transform.any_op) -> !transform.any_op
    transform.foreach %funcs : !transform.any_op {
    ^bb0(%func: !transform.any_op):
      // Set after set: together some undo each other (shape casts and broadcasts
      // with canonicalization go on for ever).
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_masked_transfers
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.transfer_permutation_patterns
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.cast_away_vector_leading_one_dim
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_contraction lowering_strategy = "outerproduct"
        transform.apply_patterns.vector.lower_multi_reduction lowering_strategy = "innerreduction"
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_outerproduct
        transform.apply_patterns.vector.lower_masks
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.transfer_to_scf max_transfer_rank = 1 full_unroll = true
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_transpose lowering_strategy = "shuffle_1d"
        transform.apply_patterns.vector.lower_shape_cast
        transform.apply_patterns.vector.lower_broadcast
      } : !transform.any_op
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.materialize_masks
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      // Bounds checks have become masks just now.
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_transfer max_transfer_rank = 1
        transform.apply_patterns.canonicalization
      } : !transform.any_op
      // Canonicalization made broadcasts again.
      transform.apply_patterns to %func {
        transform.apply_patterns.vector.lower_broadcast
      } : !transform.any_op
      transform.apply_cse to %func : !transform.any_op
    }
    transform.yield
  }
}
