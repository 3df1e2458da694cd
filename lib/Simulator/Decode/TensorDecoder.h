// Matrices, from intrinsics and PTX. Intrinsics and inline PTX name the same
// operations, the ones with typed registers, the others with bits. Both become
// operations on elements here.
#ifndef EVO_LIB_SIMULATOR_DECODE_TENSORDECODER_H
#define EVO_LIB_SIMULATOR_DECODE_TENSORDECODER_H

#include "Decoder.h"

namespace evo::sim {

/// "f16", "tf32", "s8", ...
bool parseMatrixType(llvm::StringRef text, MatrixType &type);

class TensorDecoder {
public:
  explicit TensorDecoder(Decoder &d) : d(d) {}

  /// Sets m, n, k of "m16n8k16".
  static bool parseShape(llvm::StringRef text, Mma &product);
  /// Whether hardware of today's kinds has this mma.sync, and we do.
  static bool isKnownProduct(const Mma &product);
  /// Registers as slots of elements (8-bit integers stay packed).
  Slots elements(llvm::ArrayRef<int32_t> registers, MatrixType type);
  /// The reverse: registers of 32 bits, but floats and halves as they are where
  /// `typed`.
  Slots registers(llvm::ArrayRef<int32_t> elements, MatrixType type,
                  bool typed);
  /// Elements of D from those of A, B and C; empty where their numbers do not
  /// fit the shape.
  Slots product(Mma product, llvm::ArrayRef<int32_t> a,
                llvm::ArrayRef<int32_t> b, llvm::ArrayRef<int32_t> c);
  Slots loadMatrix(int32_t address, unsigned count, bool transposed);
  void storeMatrix(int32_t address, llvm::ArrayRef<int32_t> registers,
                   bool transposed);
  /// An asynchronous copy; `taken` and `ignored` may be noOperand.
  void copy(int32_t to, int32_t from, unsigned bytes, int32_t taken,
            int32_t ignored);
  void commit() { d.emit(Op::CPCOMMIT); }
  void wait(int left) { d.emit(Op::CPWAIT).imm = left; }

  // Intrinsics, by the words of their names. False where they are none of
  // these; a failure is told to the decoder.
  bool mma(const llvm::CallBase &inst, llvm::ArrayRef<llvm::StringRef> parts,
           bool opaque);
  bool tile(const llvm::CallBase &inst, llvm::ArrayRef<llvm::StringRef> parts);
  bool asyncCopy(const llvm::CallBase &inst, llvm::StringRef name);
  bool asyncWait(const llvm::CallBase &inst);
  bool matrixMemory(const llvm::CallBase &inst, llvm::StringRef name,
                    bool loads);

private:
  Decoder &d;
  const Leaf i32{nullptr, 0, 32, FT_None};

  int32_t retyped(int32_t slot, FloatType type);
  Inst &withList(Op op, llvm::ArrayRef<int32_t> list);
  Slots operands(const llvm::CallBase &inst, unsigned first, unsigned count);
};

} // namespace evo::sim

#endif
