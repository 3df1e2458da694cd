// The rank of a buffer was exceeded: the extent of a dimension that it does not have.
func.func @host(%y: memref<?xf32>) attributes {
    evo.args = [#evo.arg<"y" inout f32 ["N"]>], evo.workloads = [#evo.workload<{N = 64}>]} {
  %one = arith.constant 1 : index
  %n = memref.dim %y, %one : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %one, %gz = %one)
      threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    %v = memref.load %y[%bx] : memref<?xf32>
    memref.store %v, %y[%bx] : memref<?xf32>
    gpu.terminator
  }
  return
}
