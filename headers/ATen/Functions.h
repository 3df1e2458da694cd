// Functions of tensors that host code calls beside its launches.
#pragma once
#include "ATen/core/Tensor.h"
#include <tuple>

namespace at {
Tensor empty(IntArrayRef sizes, TensorOptions options = {},
             optional<MemoryFormat> format = nullopt);
Tensor zeros(IntArrayRef sizes, TensorOptions options = {});
Tensor ones(IntArrayRef sizes, TensorOptions options = {});
Tensor rand(IntArrayRef sizes, TensorOptions options = {});
Tensor randn(IntArrayRef sizes, TensorOptions options = {});
Tensor full(IntArrayRef sizes, const Scalar &value, TensorOptions options = {});
Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides,
                     TensorOptions options = {});
Tensor empty_like(const Tensor &like, TensorOptions options = {});
Tensor zeros_like(const Tensor &like, TensorOptions options = {});
Tensor ones_like(const Tensor &like, TensorOptions options = {});
Tensor rand_like(const Tensor &like, TensorOptions options = {});
Tensor full_like(const Tensor &like, const Scalar &value,
                 TensorOptions options = {});
Tensor arange(const Scalar &end, TensorOptions options = {});
Tensor arange(const Scalar &start, const Scalar &end,
              TensorOptions options = {});
Tensor tensor(std::initializer_list<double> values, TensorOptions options = {});
Tensor scalar_tensor(const Scalar &value, TensorOptions options = {});
template <class... A>
Tensor from_blob(void *data, IntArrayRef sizes, const A &...rest);
Tensor cat(ArrayRef<Tensor> tensors, int64_t dim = 0);
Tensor stack(ArrayRef<Tensor> tensors, int64_t dim = 0);
Tensor sum(const Tensor &x, IntArrayRef dims, bool keep = false);
Tensor mean(const Tensor &x, IntArrayRef dims, bool keep = false);
Tensor pad(const Tensor &x, IntArrayRef widths);
Tensor layer_norm(const Tensor &x, IntArrayRef shape,
                  const optional<Tensor> &weight = {},
                  const optional<Tensor> &bias = {}, double epsilon = 1e-5);

#define EVO_CONVOLUTION(name)                                                  \
  Tensor name(const Tensor &x, const Tensor &weight,                           \
              const optional<Tensor> &bias = {}, IntArrayRef stride = {},      \
              IntArrayRef padding = {}, IntArrayRef dilation = {},             \
              int64_t groups = 1);
EVO_CONVOLUTION(conv1d)
EVO_CONVOLUTION(conv2d)
EVO_CONVOLUTION(conv3d)
EVO_CONVOLUTION(cudnn_convolution)
#undef EVO_CONVOLUTION
#define EVO_POOL(name)                                                         \
  Tensor name(const Tensor &x, IntArrayRef kernel, IntArrayRef stride = {},    \
              IntArrayRef padding = {}, IntArrayRef dilation = {},             \
              bool ceil = false);
EVO_POOL(avg_pool1d)
EVO_POOL(avg_pool2d)
EVO_POOL(avg_pool3d)
EVO_POOL(max_pool1d)
EVO_POOL(max_pool2d)
EVO_POOL(max_pool3d)
#undef EVO_POOL
Tensor adaptive_avg_pool2d(const Tensor &x, IntArrayRef size);

/// Those that take tensors and numbers alone.
#define EVO_FUNCTION(name) template <class... A> Tensor name(const A &...);
EVO_TENSOR_METHODS(EVO_FUNCTION)
EVO_FUNCTION(addmm)
EVO_FUNCTION(addmm_out)
EVO_FUNCTION(baddbmm)
EVO_FUNCTION(batch_norm)
EVO_FUNCTION(bmm_out)
EVO_FUNCTION(constant_pad_nd)
EVO_FUNCTION(cross_entropy_loss)
EVO_FUNCTION(dropout)
EVO_FUNCTION(einsum)
EVO_FUNCTION(embedding)
EVO_FUNCTION(gelu)
EVO_FUNCTION(group_norm)
EVO_FUNCTION(leaky_relu)
EVO_FUNCTION(linear)
EVO_FUNCTION(log_softmax)
EVO_FUNCTION(matmul_out)
EVO_FUNCTION(mm_out)
EVO_FUNCTION(silu)
EVO_FUNCTION(sum_out)
#undef EVO_FUNCTION

struct NoGradGuard {
  NoGradGuard();
  ~NoGradGuard();
};
} // namespace at
namespace torch {
using namespace at;
} // namespace torch
