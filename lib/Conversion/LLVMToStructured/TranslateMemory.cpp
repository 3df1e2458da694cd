// Accesses: loads, stores, atomics, copies, and what keeps its pointers as
// addresses: what memref has no word for, and what points into no one object.
#include "Translation.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace evo::raise;

/// Reinterprets bits: scalars and vectors of one size.
Value Translation::fromMemory(Value value, Type wanted, Location loc) {
  Type type = value.getType();
  if (type == wanted)
    return value;
  if (!isa<VectorType>(type) && !isa<VectorType>(wanted))
    return arith::BitcastOp::create(b, loc, wanted, value);
  if (!isa<VectorType>(type))
    value = vector::FromElementsOp::create(b, loc, VectorType::get({1}, type),
                                           value);
  auto vectorType = dyn_cast<VectorType>(wanted);
  auto asVector = vectorType ? vectorType : VectorType::get({1}, wanted);
  if (value.getType() != asVector)
    value = vector::BitCastOp::create(b, loc, asVector, value);
  if (vectorType)
    return value;
  return vector::ExtractOp::create(b, loc, value, ArrayRef<int64_t>{0});
}

/// The alignment to state: none where it is that of the type.
static llvm::MaybeAlign alignmentBeyond(std::optional<uint64_t> stated,
                                        Type type) {
  if (!stated || static_cast<int64_t>(*stated) <= bytesOf(type))
    return {};
  return llvm::MaybeAlign(*stated);
}

/// Whether a load or store is one that memref has: of numbers in an object,
/// seen by no other thread before the next barrier.
template <typename Op>
static bool isPlain(Op op, const Objects &objects, Type type) {
  return !op.getVolatile_() &&
         op.getOrdering() == LLVM::AtomicOrdering::not_atomic &&
         bytesOf(type) && objects.contains(op.getAddr());
}

LogicalResult Translation::load(LLVM::LoadOp op) {
  if (!isPlain(op, objects, op.getType()))
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  Type element = objectOf(op.getAddr()).element;
  Value memref = memrefs[objects.lookup(op.getAddr())];
  Value at = values.lookup(op.getAddr());
  int64_t count = bytesOf(op.getType()) / bytesOf(element);
  Value value;
  if (count == 1) {
    value = memref::LoadOp::create(b, loc, memref, at, op.getNontemporal());
  } else {
    auto load = vector::LoadOp::create(
        b, loc, VectorType::get({count}, element), memref, at,
        op.getNontemporal(), alignmentBeyond(op.getAlignment(), element));
    value = load;
  }
  values[op] = fromMemory(value, op.getType(), loc);
  return success();
}

LogicalResult Translation::store(LLVM::StoreOp op) {
  Type type = op.getValue().getType();
  if (!isPlain(op, objects, type))
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  Type element = objectOf(op.getAddr()).element;
  Value memref = memrefs[objects.lookup(op.getAddr())];
  Value at = values.lookup(op.getAddr());
  Value value = values.lookup(op.getValue());
  int64_t count = bytesOf(type) / bytesOf(element);
  if (count == 1) {
    value = fromMemory(value, element, loc);
    memref::StoreOp::create(b, loc, value, memref, at, op.getNontemporal());
    return success();
  }
  value = fromMemory(value, VectorType::get({count}, element), loc);
  vector::StoreOp::create(b, loc, value, memref, at, op.getNontemporal(),
                          alignmentBeyond(op.getAlignment(), element));
  return success();
}

/// A mask has a bit for each element, so that elements are the array's own.
bool Translation::isOfElements(Value pointer, Type type) {
  return objects.contains(pointer) &&
         objectOf(pointer).element == getElementTypeOrSelf(type);
}

LogicalResult Translation::maskedLoad(LLVM::MaskedLoadOp op) {
  if (!isOfElements(op.getData(), op.getType()))
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  values[op] = vector::MaskedLoadOp::create(
      b, loc, cast<VectorType>(op.getType()),
      memrefs[objects.lookup(op.getData())], values.lookup(op.getData()),
      values.lookup(op.getMask()), values.lookup(op.getPassThru()),
      alignmentBeyond(op.getAlignment(), getElementTypeOrSelf(op.getType())));
  return success();
}

LogicalResult Translation::maskedStore(LLVM::MaskedStoreOp op) {
  Type type = op.getValue().getType();
  if (!isOfElements(op.getData(), type))
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  vector::MaskedStoreOp::create(
      b, loc, memrefs[objects.lookup(op.getData())],
      values.lookup(op.getData()), values.lookup(op.getMask()),
      values.lookup(op.getValue()),
      alignmentBeyond(op.getAlignment(), getElementTypeOrSelf(type)));
  return success();
}

static std::optional<arith::AtomicRMWKind> atomicKind(LLVM::AtomicBinOp op) {
  switch (op) {
  case LLVM::AtomicBinOp::xchg:
    return arith::AtomicRMWKind::assign;
  case LLVM::AtomicBinOp::add:
    return arith::AtomicRMWKind::addi;
  case LLVM::AtomicBinOp::_and:
    return arith::AtomicRMWKind::andi;
  case LLVM::AtomicBinOp::_or:
    return arith::AtomicRMWKind::ori;
  case LLVM::AtomicBinOp::max:
    return arith::AtomicRMWKind::maxs;
  case LLVM::AtomicBinOp::min:
    return arith::AtomicRMWKind::mins;
  case LLVM::AtomicBinOp::umax:
    return arith::AtomicRMWKind::maxu;
  case LLVM::AtomicBinOp::umin:
    return arith::AtomicRMWKind::minu;
  case LLVM::AtomicBinOp::fadd:
    return arith::AtomicRMWKind::addf;
  default:
    return std::nullopt;
  }
}

/// memref.atomic_rmw is ordered and device-wide at least as much as what CUDA's
/// functions ask for.
LogicalResult Translation::atomic(LLVM::AtomicRMWOp op) {
  std::optional<arith::AtomicRMWKind> kind = atomicKind(op.getBinOp());
  if (!kind || op.getVal().getType() != getElementTypeOrSelf(op.getVal()) ||
      !isOfElements(op.getPtr(), op.getVal().getType()))
    return keep(op);
  values[op] = memref::AtomicRMWOp::create(
      b, plainLocation(op.getLoc()), *kind, values.lookup(op.getVal()),
      memrefs[objects.lookup(op.getPtr())], values.lookup(op.getPtr()));
  return success();
}

/// The address that a pointer has, for what memref has no word for.
Value Translation::addressOf(Value pointer, Location loc) {
  if (!objects.contains(pointer))
    return values.lookup(pointer);
  const Object &object = objectOf(pointer);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, memrefs[objects.lookup(pointer)]);
  Value at = values.lookup(pointer);
  if (int64_t unit = bytesOf(object.element); unit != 1)
    at = arith::MulIOp::create(b, loc, at, index(unit, loc));
  address = arith::AddIOp::create(b, loc, address, at);
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  auto own = LLVM::LLVMPointerType::get(b.getContext(),
                                        objects.getAddressSpace(object));
  Value raw = LLVM::IntToPtrOp::create(b, loc, own, address);
  if (own != pointer.getType())
    raw = LLVM::AddrSpaceCastOp::create(b, loc, pointer.getType(), raw);
  return raw;
}

/// The function or variable of this name, where the new module lacks it, and
/// what it refers to.
LogicalResult Translation::bring(Operation *user, FlatSymbolRefAttr name) {
  auto module = result->getParentOfType<ModuleOp>();
  Operation *symbol =
      SymbolTable::lookupNearestSymbolFrom(kernel, name.getAttr());
  if (isKernel(symbol))
    return refuse(user) << "a kernel that names the kernel '" << name.getValue()
                        << "'";
  if (auto variable = dyn_cast_or_null<LLVM::GlobalOp>(symbol);
      variable && objects.isShared(variable))
    // The kernel's own accesses go to a memref of the block's.
    return refuse(user) << "a function that names the shared variable '"
                        << name.getValue() << "'";
  Operation *known = module.lookupSymbol(name.getAttr());
  if (isa_and_nonnull<func::FuncOp>(known))
    return refuse(user) << "'" << name.getValue()
                        << "', which the kernel calls as well, in a function";
  if (known || !symbol)
    return success();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  Operation *copy = b.clone(*symbol);
  copy->removeAttr("comdat"); // of linkers, and in another place
  // It may name itself, so that it is there before what it names is.
  return bringNamed(copy);
}

LogicalResult Translation::bringNamed(Operation *op) {
  WalkResult result = op->walk([&](Operation *inner) {
    return inner->getAttrDictionary().walk(
        [&](FlatSymbolRefAttr name) { return WalkResult(bring(inner, name)); });
  });
  return failure(result.wasInterrupted());
}

/// An op of the LLVM dialect stays as it is, and is given addresses.
LogicalResult Translation::keep(Operation *op) {
  Location loc = plainLocation(op->getLoc());
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    Value value = isa<LLVM::LLVMPointerType>(operand.getType())
                      ? addressOf(operand, loc)
                      : values.lookup(operand);
    if (!value)
      return refuse(op) << "'"
                        << op->getName()
                        // unreachable: it was refused where it was made
                        << "' uses a value that has no form";
    mapping.map(operand, value);
  }
  if (failed(bringNamed(op)))
    return failure();
  Operation *copy = b.clone(*op, mapping);
  copy->setLoc(loc);
  // They are of types that memrefs do not have, of scopes that inlining
  // declared, which are not kept, and of loops that become others.
  for (StringRef name :
       {"tbaa", "alias_scopes", "noalias_scopes", "access_groups"})
    copy->removeAttr(name);
  for (auto [before, after] : llvm::zip(op->getResults(), copy->getResults()))
    values[before] = after;
  return success();
}

/// How many elements `bytes` are at `pointer`; none where that is not known, or
/// no whole number.
std::optional<int64_t> Translation::elementsOf(Value pointer, Value bytes) {
  APInt size;
  if (!objects.contains(pointer) || !matchPattern(bytes, m_ConstantInt(&size)))
    return std::nullopt;
  Type element = objectOf(pointer).element;
  if (size.getZExtValue() % bytesOf(element) != 0)
    return std::nullopt;
  return static_cast<int64_t>(size.getZExtValue()) / bytesOf(element);
}

/// A loop over the elements, or one vector where a copy fits a register.
LogicalResult Translation::copy(LLVM::MemcpyOp op) {
  std::optional<int64_t> to = elementsOf(op.getDst(), op.getLen());
  std::optional<int64_t> from = elementsOf(op.getSrc(), op.getLen());
  if (!to || !from || op.getIsVolatile())
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  Type toType = objectOf(op.getDst()).element;
  Type fromType = objectOf(op.getSrc()).element;
  Value target = memrefs[objects.lookup(op.getDst())];
  Value source = memrefs[objects.lookup(op.getSrc())];
  Value toIndex = values.lookup(op.getDst());
  Value fromIndex = values.lookup(op.getSrc());
  int64_t bytes = *to * bytesOf(toType);
  if (bytes <= 16 && llvm::isPowerOf2_64(bytes)) {
    auto alignment = [&](unsigned i, Type type) -> llvm::MaybeAlign {
      auto all = op->getAttrOfType<ArrayAttr>("arg_attrs");
      auto own = all ? dyn_cast<DictionaryAttr>(all[i]) : DictionaryAttr();
      auto stated = own ? own.getAs<IntegerAttr>("llvm.align") : IntegerAttr();
      return alignmentBeyond(stated ? std::optional<uint64_t>(stated.getInt())
                                    : std::nullopt,
                             type);
    };
    Value value = vector::LoadOp::create(
        b, loc, VectorType::get({*from}, fromType), source, fromIndex,
        /*nontemporal=*/false, alignment(1, fromType));
    value = fromMemory(value, VectorType::get({*to}, toType), loc);
    vector::StoreOp::create(b, loc, value, target, toIndex,
                            /*nontemporal=*/false, alignment(0, toType));
    return success();
  }
  if (bytesOf(toType) != bytesOf(fromType))
    return keep(op);
  auto loop =
      scf::ForOp::create(b, loc, index(0, loc), index(*to, loc), index(1, loc));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto at = [&](Value start) -> Value {
    return arith::AddIOp::create(b, loc, start, loop.getInductionVar());
  };
  Value value = memref::LoadOp::create(b, loc, source, at(fromIndex));
  memref::StoreOp::create(b, loc, fromMemory(value, toType, loc), target,
                          at(toIndex));
  return success();
}

LogicalResult Translation::fill(LLVM::MemsetOp op) {
  std::optional<int64_t> count = elementsOf(op.getDst(), op.getLen());
  APInt value;
  if (!count || op.getIsVolatile() ||
      !matchPattern(op.getVal(), m_ConstantInt(&value)) || !value.isZero())
    return keep(op);
  Location loc = plainLocation(op.getLoc());
  Type element = objectOf(op.getDst()).element;
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
  auto loop = scf::ForOp::create(b, loc, index(0, loc), index(*count, loc),
                                 index(1, loc));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value at = arith::AddIOp::create(b, loc, values.lookup(op.getDst()),
                                   loop.getInductionVar());
  memref::StoreOp::create(b, loc, zero, memrefs[objects.lookup(op.getDst())],
                          at);
  return success();
}
