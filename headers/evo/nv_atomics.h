// nvcc's built-in atomic functions with an order of memory. The order is that
// of fences around; the scope is at least the one that is asked for.
#pragma once

enum {
  __NV_ATOMIC_RELAXED,
  __NV_ATOMIC_CONSUME,
  __NV_ATOMIC_ACQUIRE,
  __NV_ATOMIC_RELEASE,
  __NV_ATOMIC_ACQ_REL,
  __NV_ATOMIC_SEQ_CST
};
enum {
  __NV_THREAD_SCOPE_THREAD,
  __NV_THREAD_SCOPE_BLOCK,
  __NV_THREAD_SCOPE_CLUSTER,
  __NV_THREAD_SCOPE_DEVICE,
  __NV_THREAD_SCOPE_SYSTEM
};

#define EVO_ATOMIC __device__ __forceinline__ __attribute__((nodebug))

EVO_ATOMIC void __nv_atomic_thread_fence(int order,
                                         int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order == __NV_ATOMIC_RELAXED)
    return;
  if (scope == __NV_THREAD_SCOPE_SYSTEM)
    __threadfence_system();
  else
    __threadfence();
}
template <class T>
EVO_ATOMIC T __nv_atomic_load_n(const T *address, int order,
                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const T value = *(const volatile T *)address;
  __nv_atomic_thread_fence(order, scope);
  return value;
}
template <class T>
EVO_ATOMIC void __nv_atomic_store_n(T *address, T value, int order,
                                    int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_thread_fence(order, scope);
  *(volatile T *)address = value;
}
#define EVO_ATOMIC_FETCH(name, function)                                       \
  template <class T, class V>                                                  \
  EVO_ATOMIC T __nv_atomic_##name(T *address, V value, int order,              \
                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {      \
    __nv_atomic_thread_fence(order, scope);                                    \
    const T old = function(address, (T)value);                                 \
    __nv_atomic_thread_fence(order, scope);                                    \
    return old;                                                                \
  }
EVO_ATOMIC_FETCH(fetch_add, atomicAdd)
EVO_ATOMIC_FETCH(fetch_sub, atomicSub)
EVO_ATOMIC_FETCH(fetch_and, atomicAnd)
EVO_ATOMIC_FETCH(fetch_or, atomicOr)
EVO_ATOMIC_FETCH(fetch_xor, atomicXor)
EVO_ATOMIC_FETCH(fetch_min, atomicMin)
EVO_ATOMIC_FETCH(fetch_max, atomicMax)
EVO_ATOMIC_FETCH(exchange_n, atomicExch)
#undef EVO_ATOMIC_FETCH
template <class T>
EVO_ATOMIC bool
__nv_atomic_compare_exchange_n(T *address, T *expected, T desired, bool,
                               int success, int failure,
                               int scope = __NV_THREAD_SCOPE_SYSTEM) {
  const int order = success > failure ? success : failure;
  __nv_atomic_thread_fence(order, scope);
  const T old = atomicCAS(address, *expected, desired);
  __nv_atomic_thread_fence(order, scope);
  const bool isSame = old == *expected;
  *expected = old;
  return isSame;
}
#undef EVO_ATOMIC
