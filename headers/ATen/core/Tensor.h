// A tensor as host code sees it: enough to compile what prepares a launch.
#pragma once
#include "ATen/core/TensorAccessor.h"
#include "c10/core/Scalar.h"
#include "c10/core/TensorOptions.h"
#include "c10/util/ArrayRef.h"
#include "c10/util/Exception.h"
#include "c10/util/Optional.h"

namespace at {
using namespace c10;

class Tensor {
public:
  Tensor() = default;
  template <class T> T *data_ptr() const;
  template <class T> const T *const_data_ptr() const;
  template <class T> T *mutable_data_ptr() const;
  template <class T> T *data() const;
  void *data_ptr() const;
  const void *const_data_ptr() const;
  void *mutable_data_ptr() const;
  int64_t size(int64_t dim) const;
  int64_t stride(int64_t dim) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t element_size() const;
  int64_t itemsize() const;
  size_t nbytes() const;
  int64_t storage_offset() const;
  ScalarType scalar_type() const;
  ScalarType dtype() const;
  ScalarType type() const;
  Device device() const;
  int64_t get_device() const;
  TensorOptions options() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool is_floating_point() const;
  bool is_sparse() const;
  bool is_same(const Tensor &other) const;
  bool defined() const;
  bool requires_grad() const;
  bool has_storage() const;
  MemoryFormat suggest_memory_format() const;
  template <class T> T item() const;
  Scalar item() const;

  template <class T, size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, size_t N,
            template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const;
  template <class T, size_t N,
            template <class> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const;
  template <class T, size_t N,
            template <class> class PtrTraits = DefaultPtrTraits,
            class index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> packed_accessor() const;

  Tensor to(TensorOptions options, bool nonBlocking = false,
            bool copy = false) const;
  Tensor to(ScalarType type, bool nonBlocking = false, bool copy = false) const;
  Tensor to(Device device, ScalarType type, bool nonBlocking = false,
            bool copy = false) const;
  Tensor to(const Tensor &other) const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor view(IntArrayRef sizes) const;
  Tensor view(ScalarType type) const;
  Tensor reshape(IntArrayRef sizes) const;
  Tensor expand(IntArrayRef sizes) const;
  Tensor permute(IntArrayRef order) const;
  Tensor repeat(IntArrayRef counts) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor flatten(int64_t first = 0, int64_t last = -1) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor transpose(int64_t a, int64_t b) const;
  Tensor index_select(int64_t dim, const Tensor &index) const;
  Tensor operator[](int64_t index) const;
  std::vector<Tensor> chunk(int64_t count, int64_t dim = 0) const;
  std::vector<Tensor> split(int64_t size, int64_t dim = 0) const;
  Tensor as_strided(IntArrayRef sizes, IntArrayRef strides) const;
  Tensor set_requires_grad(bool needed) const;
  Tensor cuda() const;
  Tensor cpu() const;

  /// Functions of elements, sums and the like, of whatever arguments.
#define EVO_TENSOR_METHOD(name)                                                \
  template <class... A> Tensor name(const A &...) const;
#define EVO_TENSOR_METHODS(do_)                                                \
  do_(abs) do_(add) do_(add_) do_(all) do_(amax) do_(amin) do_(any) do_(       \
      argmax) do_(argmin) do_(bfloat16) do_(bmm) do_(clamp) do_(clamp_)        \
      do_(clone) do_(copy_) do_(cumsum) do_(detach) do_(div) do_(div_) do_(eq) \
          do_(exp) do_(fill_) do_(floor) do_(gather) do_(ge) do_(gt) do_(half) \
              do_(le) do_(log) do_(lt) do_(masked_fill) do_(matmul) do_(max)   \
                  do_(mean) do_(min) do_(mm) do_(mul) do_(mul_) do_(ne)        \
                      do_(neg) do_(norm) do_(nonzero) do_(numpy_T) do_(pow)    \
                          do_(prod) do_(reciprocal) do_(relu) do_(relu_)       \
                              do_(resize_) do_(round) do_(rsqrt) do_(scatter)  \
                                  do_(scatter_add_) do_(sigmoid) do_(softmax)  \
                                      do_(sort) do_(sqrt) do_(std) do_(sub)    \
                                          do_(sub_) do_(sum) do_(t) do_(tanh)  \
                                              do_(to_sparse) do_(topk)         \
                                                  do_(toType) do_(tril)        \
                                                      do_(triu) do_(type_as)   \
                                                          do_(var) do_(where)  \
                                                              do_(zero_)
  EVO_TENSOR_METHODS(EVO_TENSOR_METHOD)
#undef EVO_TENSOR_METHOD
};

optional<Device> device_of(const Tensor &x);

#define EVO_TENSOR_OPERATOR(op)                                                \
  Tensor operator op(const Tensor &a, const Tensor &b);                        \
  Tensor operator op(const Tensor &a, const Scalar &b);                        \
  Tensor operator op(const Scalar &a, const Tensor &b);
EVO_TENSOR_OPERATOR(+)
EVO_TENSOR_OPERATOR(-)
EVO_TENSOR_OPERATOR(*)
EVO_TENSOR_OPERATOR(/)
EVO_TENSOR_OPERATOR(<)
EVO_TENSOR_OPERATOR(<=)
EVO_TENSOR_OPERATOR(>)
EVO_TENSOR_OPERATOR(>=)
EVO_TENSOR_OPERATOR(==)
EVO_TENSOR_OPERATOR(!=)
#undef EVO_TENSOR_OPERATOR
Tensor operator-(const Tensor &a);
Tensor &operator+=(Tensor &a, const Tensor &b);
Tensor &operator-=(Tensor &a, const Tensor &b);
Tensor &operator*=(Tensor &a, const Tensor &b);
Tensor &operator/=(Tensor &a, const Tensor &b);
using TensorBase = Tensor;
using TensorList = ArrayRef<Tensor>;
} // namespace at
