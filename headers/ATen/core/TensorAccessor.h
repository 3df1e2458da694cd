// Views of a tensor's elements that device code indexes.
#pragma once
#include <cstdint>

namespace at {
template <class T> struct DefaultPtrTraits {
  typedef T *PtrType;
};
template <class T> struct RestrictPtrTraits {
  typedef T *__restrict__ PtrType;
};

template <class T, size_t N, template <class> class PtrTraits, class index_t>
class TensorAccessorBase {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ __device__ TensorAccessorBase(PtrType data, const index_t *sizes,
                                         const index_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ PtrType data() const { return data_; }

protected:
  PtrType data_;
  const index_t *sizes_, *strides_;
};

template <class T, size_t N,
          template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
public:
  using TensorAccessorBase<T, N, PtrTraits, index_t>::TensorAccessorBase;
  __host__ __device__ TensorAccessor<T, N - 1, PtrTraits, index_t>
  operator[](index_t i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1,
            this->strides_ + 1};
  }
};
template <class T, template <class> class PtrTraits, class index_t>
class TensorAccessor<T, 1, PtrTraits, index_t>
    : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
public:
  using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
  __host__ __device__ T &operator[](index_t i) const {
    return this->data_[this->strides_[0] * i];
  }
};

/// As passed to a kernel: by value, with its sizes and strides.
template <class T, size_t N, template <class> class PtrTraits, class index_t>
class PackedTensorAccessorBase {
public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  __host__ PackedTensorAccessorBase(PtrType data, const index_t *sizes,
                                    const index_t *strides)
      : data_(data) {
    for (size_t i = 0; i < N; ++i) {
      sizes_[i] = sizes[i];
      strides_[i] = strides[i];
    }
  }
  __host__ __device__ index_t size(index_t i) const { return sizes_[i]; }
  __host__ __device__ index_t stride(index_t i) const { return strides_[i]; }
  __host__ __device__ PtrType data() const { return data_; }

protected:
  PtrType data_;
  index_t sizes_[N], strides_[N];
};

template <class T, size_t N,
          template <class> class PtrTraits = DefaultPtrTraits,
          class index_t = int64_t>
class GenericPackedTensorAccessor
    : public PackedTensorAccessorBase<T, N, PtrTraits, index_t> {
public:
  using PackedTensorAccessorBase<T, N, PtrTraits,
                                 index_t>::PackedTensorAccessorBase;
  __device__ TensorAccessor<T, N - 1, PtrTraits, index_t>
  operator[](index_t i) const {
    return {this->data_ + this->strides_[0] * i, this->sizes_ + 1,
            this->strides_ + 1};
  }
};
template <class T, template <class> class PtrTraits, class index_t>
class GenericPackedTensorAccessor<T, 1, PtrTraits, index_t>
    : public PackedTensorAccessorBase<T, 1, PtrTraits, index_t> {
public:
  using PackedTensorAccessorBase<T, 1, PtrTraits,
                                 index_t>::PackedTensorAccessorBase;
  __device__ T &operator[](index_t i) const {
    return this->data_[this->strides_[0] * i];
  }
};
template <class T, size_t N,
          template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 =
    GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <class T, size_t N,
          template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 =
    GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
} // namespace at
namespace torch {
using namespace at;
}
