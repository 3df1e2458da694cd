// LLVM's back end for NVPTX knows no load that is nontemporal: it is written as
// PTX. A vector goes by words of 32 bits, or by its own floats.
#include "StreamLoads.h"
#include "evo/DeviceOps/InlinePTX.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace {
/// How PTX names the words of an access.
struct Words {
  Type type;        // of a word
  const char *name; // such as f32
  char constraint;  // of the assembly
  int64_t count;
};
} // namespace

static std::optional<Words> wordsOf(Type type) {
  Type element = type;
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1 || vector.isScalable())
      return std::nullopt;
    element = vector.getElementType();
    count = vector.getNumElements();
  }
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  int64_t bytes = count * element.getIntOrFloatBitWidth() / 8;
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return std::nullopt;
  if (element.isF32())
    return Words{element, "f32", 'f', count};
  if (element.isF64())
    return Words{element, "f64", 'd', count};
  return Words{IntegerType::get(type.getContext(), 32), "b32", 'r', bytes / 4};
}

static void replace(LLVM::LoadOp load, const Words &words) {
  OpBuilder b(load);
  Location loc = load.getLoc();
  std::string constraints;
  for (int64_t i = 0; i < words.count; ++i)
    constraints += std::string("=") + words.constraint + ",";
  SmallVector<Type> types(words.count, words.type);
  Type result = words.count > 1
                    ? LLVM::LLVMStructType::getLiteral(b.getContext(), types)
                    : words.type;
  // In its place among other accesses.
  Value loaded = LLVM::InlineAsmOp::create(
                     b, loc, result, load.getAddr(),
                     evo::device::spellStreamedLoad(words.name, words.count),
                     constraints + "l", /*has_side_effects=*/true,
                     /*is_align_stack=*/false, LLVM::TailCallKind::None,
                     LLVM::AsmDialectAttr(), ArrayAttr())
                     .getResult(0);
  if (words.count > 1) {
    auto vector = VectorType::get({words.count}, words.type);
    Value whole = LLVM::PoisonOp::create(b, loc, vector);
    for (int64_t i = 0; i < words.count; ++i)
      whole = LLVM::InsertElementOp::create(
          b, loc, whole, LLVM::ExtractValueOp::create(b, loc, loaded, i),
          LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(i)));
    loaded = whole;
  }
  if (loaded.getType() != load.getType())
    loaded = LLVM::BitcastOp::create(b, loc, load.getType(), loaded);
  load.replaceAllUsesWith(loaded);
  load.erase();
}

void evo::streamLoads(Operation *root) {
  auto isGlobal = [](Value address) {
    unsigned space =
        cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace();
    return space == evo::target::Generic || space == evo::target::Global;
  };
  root->walk([&](LLVM::LoadOp load) {
    auto words = wordsOf(load.getType());
    if (load.getNontemporal() && words && isGlobal(load.getAddr()))
      replace(load, *words);
  });
}
