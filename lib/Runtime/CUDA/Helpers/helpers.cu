// The helper kernels: HelperCode.h, a thread a part. Compiled to PTX with the
// library, without any header of CUDA's.
#include "HelperCode.h"

using namespace evo::cuda;

#define KERNEL extern "C" __attribute__((global)) void

static __attribute__((device)) uint64_t thisThread() {
  return static_cast<uint64_t>(__nvvm_read_ptx_sreg_ctaid_x()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
static __attribute__((device)) uint64_t allThreads() {
  return static_cast<uint64_t>(__nvvm_read_ptx_sreg_nctaid_x()) *
         __nvvm_read_ptx_sreg_ntid_x();
}

KERNEL evo_fill(unsigned char *to, InputValues values, uint64_t key) {
  helper::fill(thisThread(), allThreads(), to, values, key);
}

KERNEL evo_fingerprint(const unsigned char *from, uint64_t bytes,
                       uint64_t *result) {
  uint64_t part =
      helper::fingerprint(thisThread(), allThreads(), from, bytes);
  __atomic_fetch_add(result, part, __ATOMIC_RELAXED);
}

KERNEL evo_squares(const unsigned char *from, uint64_t elements,
                   ElementFormat format, double *sum, uint64_t *count) {
  helper::Squares part =
      helper::sumSquares(thisThread(), allThreads(), from, elements, format);
  __nvvm_atom_add_gen_d(sum, part.sum);
  __atomic_fetch_add(count, part.count, __ATOMIC_RELAXED);
}

KERNEL evo_compare(const unsigned char *expected, const unsigned char *found,
                   uint64_t elements, ElementFormat format, Tolerance bound,
                   double rms, uint64_t *count) {
  uint64_t part = helper::compare(thisThread(), allThreads(), expected, found,
                                  elements, format, bound, rms);
  if (part)
    __atomic_fetch_add(count, part, __ATOMIC_RELAXED);
}
