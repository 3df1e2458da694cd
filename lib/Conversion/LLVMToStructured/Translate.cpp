// One function of the LLVM dialect becomes one on memrefs. Pointers dissolve:
// each is an object, which is known statically, and an index into it, which
// takes the pointer's place in block arguments and selects.
#include "Raise.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace evo::raise;

namespace {
class Translation {
public:
  Translation(OpBuilder &b, LLVM::LLVMFuncOp kernel, const Objects &objects)
      : b(b), kernel(kernel), objects(objects) {}
  FailureOr<func::FuncOp> run();

private:
  OpBuilder &b;
  LLVM::LLVMFuncOp kernel;
  const Objects &objects;
  func::FuncOp result;
  DenseMap<Value, Value> values; // of pointers: the index
  DenseMap<Block *, Block *> blocks;
  SmallVector<Value> memrefs; // one an object; null where nothing accesses it

  Type typeOf(Value value) {
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return b.getIndexType();
    return value.getType();
  }
  Value index(int64_t value, Location loc) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  const Object &objectOf(Value pointer) {
    return objects.getObjects()[objects.lookup(pointer)];
  }
  LogicalResult checkPointer(Operation *op, Value pointer);
  LogicalResult createBlocks();
  Value allocate(const Object &object);
  Value viewDynamicShared(const Object &object);
  LogicalResult translate(Operation *op);
  LogicalResult branch(Operation *op);
  FailureOr<Value> offset(LLVM::GEPOp gep);
  LogicalResult load(LLVM::LoadOp load);
  LogicalResult store(LLVM::StoreOp store);
  LogicalResult maskedLoad(LLVM::MaskedLoadOp load);
  LogicalResult maskedStore(LLVM::MaskedStoreOp store);
  LogicalResult checkMasked(Operation *op, Value pointer, Type type);
  LogicalResult atomic(LLVM::AtomicRMWOp op);
  LogicalResult keep(Operation *op);
  Value rawPointer(Value pointer, Location loc);
  LogicalResult copy(LLVM::MemcpyOp op);
  LogicalResult fill(LLVM::MemsetOp op);
  FailureOr<int64_t> elementsOf(Operation *op, Value pointer, Value bytes);
  void declare(LLVM::CallOp call);
  bool fails(Operation *op);
  LogicalResult compareWithNull(LLVM::ICmpOp op, Value pointer);
  LogicalResult comparePointers(LLVM::ICmpOp compare);
  Value fromMemory(Value value, Type wanted, Location loc);
  SmallVector<Value> lookup(ValueRange range) {
    return llvm::map_to_vector(range,
                               [&](Value v) { return values.lookup(v); });
  }
};
} // namespace

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

LogicalResult Translation::checkPointer(Operation *op, Value pointer) {
  if (objects.contains(pointer))
    return success();
  InFlightDiagnostic diag = refuse(op);
  Operation *origin = pointer.getDefiningOp();
  while (isa_and_nonnull<LLVM::GEPOp, LLVM::AddrSpaceCastOp>(origin))
    origin = origin->getOperand(0).getDefiningOp();
  if (isa_and_nonnull<LLVM::AddressOfOp>(origin))
    return diag << "'" << cast<LLVM::AddressOfOp>(origin).getGlobalName()
                << "' is a variable outside of shared memory";
  if (origin)
    return diag << "a pointer made by '" << origin->getName()
                << "' points to no one argument or array";
  return diag << "a pointer may point to more than one argument or array";
}

Value Translation::allocate(const Object &object) {
  int64_t count = 1;
  for (int64_t extent : object.shape)
    count *= extent;
  bool shared = object.kind == Object::Shared;
  Attribute space;
  if (shared)
    space = gpu::AddressSpaceAttr::get(b.getContext(),
                                       gpu::AddressSpace::Workgroup);
  auto type = MemRefType::get({count}, object.element,
                              MemRefLayoutAttrInterface(), space);
  auto alloca = memref::AllocaOp::create(b, kernel.getLoc(), type);
  // Of shared memory always, for LLVM would assume what it prefers; of locals
  // where it is more than natural.
  int64_t natural = bytesOf(object.element);
  if (shared || object.alignment > natural)
    alloca.setAlignment(std::max(object.alignment, natural));
  alloca->setAttr("evo.shape", b.getDenseI64ArrayAttr(object.shape));
  return alloca;
}

/// All of the memory that the launch gives, as an array of one type.
Value Translation::viewDynamicShared(const Object &object) {
  Location loc = plainLocation(kernel.getLoc());
  Attribute space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  auto typeOf = [&](Type element) {
    return MemRefType::get({ShapedType::kDynamic}, element,
                           MemRefLayoutAttrInterface(), space);
  };
  Value bytes =
      gpu::DynamicSharedMemoryOp::create(b, loc, typeOf(b.getI8Type()));
  Value zero = index(0, loc);
  Value size = memref::DimOp::create(b, loc, bytes, zero);
  if (int64_t unit = bytesOf(object.element); unit != 1)
    size = arith::DivUIOp::create(b, loc, size, index(unit, loc));
  return memref::ViewOp::create(b, loc, typeOf(object.element), bytes, zero,
                                size);
}

LogicalResult Translation::createBlocks() {
  SmallVector<Type> types;
  SmallVector<Object> byArgument(kernel.getNumArguments());
  for (const Object &object : objects.getObjects())
    if (object.kind == Object::Argument)
      byArgument[cast<BlockArgument>(object.pointer).getArgNumber()] = object;
  for (auto [argument, object] :
       llvm::zip_equal(kernel.getArguments(), byArgument)) {
    if (!isa<LLVM::LLVMPointerType>(argument.getType())) {
      types.push_back(argument.getType());
      continue;
    }
    if (kernel.getArgAttr(argument.getArgNumber(), "llvm.byval"))
      return refuse(kernel) << "argument " << argument.getArgNumber()
                            << " is a structure passed by value";
    Type element = object.element ? object.element : b.getI8Type();
    types.push_back(MemRefType::get({ShapedType::kDynamic}, element));
  }
  for (Type type : types)
    if (!isa<MemRefType>(type) && !type.isIntOrFloat())
      return refuse(kernel) << "an argument of type " << type;
  result = func::FuncOp::create(b, plainLocation(kernel.getLoc()),
                                kernel.getName(), b.getFunctionType(types, {}));
  Block *entry = result.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value zero;
  for (auto [argument, replacement] :
       llvm::zip_equal(kernel.getArguments(), entry->getArguments())) {
    values[argument] = replacement;
    if (isa<LLVM::LLVMPointerType>(argument.getType())) {
      if (!zero)
        zero = index(0, kernel.getLoc());
      values[argument] = zero;
    }
  }
  for (const Object &object : objects.getObjects()) {
    if (!object.element)
      memrefs.push_back(Value());
    else if (object.kind == Object::Argument)
      memrefs.push_back(entry->getArgument(
          cast<BlockArgument>(object.pointer).getArgNumber()));
    else if (object.kind == Object::DynamicShared)
      memrefs.push_back(viewDynamicShared(object));
    else
      memrefs.push_back(allocate(object));
  }
  blocks[&kernel.getBody().front()] = entry;
  for (Block &block : llvm::drop_begin(kernel.getBody())) {
    Block *copy = b.createBlock(&result.getBody(), result.getBody().end());
    blocks[&block] = copy;
    for (BlockArgument argument : block.getArguments())
      values[argument] =
          copy->addArgument(typeOf(argument), plainLocation(argument.getLoc()));
  }
  return success();
}

/// The index that a pointer arithmetic leads to.
FailureOr<Value> Translation::offset(LLVM::GEPOp gep) {
  const Object &object = objectOf(gep);
  Location loc = plainLocation(gep.getLoc());
  Value result = values.lookup(gep.getBase());
  if (!object.element)
    return result; // never accessed
  int64_t unit = bytesOf(object.element), constant = 0;
  DataLayout layout = DataLayout::closest(gep);
  Type type = gep.getElemType();
  auto add = [&](Value index, int64_t bytes) -> LogicalResult {
    if (bytes % unit != 0)
      // unreachable: elements are as narrow as steps are
      return refuse(gep) << "a step of " << bytes << " bytes in an array of "
                         << object.element;
    Value scaled = index;
    if (bytes != unit)
      scaled =
          arith::MulIOp::create(b, loc, index, this->index(bytes / unit, loc));
    result = arith::AddIOp::create(b, loc, result, scaled);
    return success();
  };
  bool first = true;
  for (auto position : gep.getIndices()) {
    if (!first) {
      if (auto array = dyn_cast<LLVM::LLVMArrayType>(type))
        type = array.getElementType();
      else if (auto vector = dyn_cast<VectorType>(type))
        type = vector.getElementType();
      else if (auto record = dyn_cast<LLVM::LLVMStructType>(type)) {
        auto field = dyn_cast<IntegerAttr>(position);
        if (!field)
          // unreachable: the verifier of the op asks for constants
          return refuse(gep) << "a field that is not constant", failure();
        for (auto [i, member] : llvm::enumerate(record.getBody())) {
          if (!record.isPacked())
            constant =
                llvm::alignTo(constant, layout.getTypeABIAlignment(member));
          if (static_cast<int64_t>(i) == field.getInt()) {
            type = member;
            break;
          }
          constant += layout.getTypeSize(member);
        }
        continue;
      }
    }
    first = false;
    int64_t bytes = layout.getTypeSize(type);
    if (auto known = dyn_cast<IntegerAttr>(position)) {
      constant += known.getInt() * bytes;
      continue;
    }
    APInt fixed;
    if (matchPattern(cast<Value>(position), m_ConstantInt(&fixed))) {
      constant += fixed.getSExtValue() * bytes;
      continue;
    }
    Value index = values.lookup(cast<Value>(position));
    index = arith::IndexCastOp::create(b, loc, b.getIndexType(), index);
    if (failed(add(index, bytes)))
      return failure();
  }
  if (constant % unit != 0)
    // unreachable: elements are as narrow as steps are
    return refuse(gep) << "a step of " << constant << " bytes in an array of "
                       << object.element,
           failure();
  if (constant != 0)
    result = arith::AddIOp::create(b, loc, result,
                                   this->index(constant / unit, loc));
  return result;
}

/// The alignment to state: none where it is that of the type.
static llvm::MaybeAlign alignmentBeyond(std::optional<uint64_t> stated,
                                        Type type) {
  if (!stated || static_cast<int64_t>(*stated) <= bytesOf(type))
    return {};
  return llvm::MaybeAlign(*stated);
}

LogicalResult Translation::load(LLVM::LoadOp op) {
  if (op.getVolatile_() || op.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return refuse(op) << "a volatile or atomic load";
  if (!bytesOf(op.getType()))
    return refuse(op) << "a load of " << op.getType();
  if (failed(checkPointer(op, op.getAddr())))
    return failure();
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
  if (op.getVolatile_() || op.getOrdering() != LLVM::AtomicOrdering::not_atomic)
    return refuse(op) << "a volatile or atomic store";
  Type type = op.getValue().getType();
  if (!bytesOf(type))
    return refuse(op) << "a store of " << type;
  if (failed(checkPointer(op, op.getAddr())))
    return failure();
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
LogicalResult Translation::checkMasked(Operation *op, Value pointer,
                                       Type type) {
  if (failed(checkPointer(op, pointer)))
    return failure();
  Type element = objectOf(pointer).element;
  if (element != getElementTypeOrSelf(type))
    return refuse(op) << "'" << op->getName() << "' of " << type
                      << " in an array of " << element;
  return success();
}

LogicalResult Translation::maskedLoad(LLVM::MaskedLoadOp op) {
  if (failed(checkMasked(op, op.getData(), op.getType())))
    return failure();
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
  if (failed(checkMasked(op, op.getData(), type)))
    return failure();
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
  if (!kind)
    return keep(op);
  if (failed(checkPointer(op, op.getPtr())))
    return failure();
  if (objectOf(op.getPtr()).element != op.getVal().getType())
    return keep(op);
  values[op] = memref::AtomicRMWOp::create(
      b, plainLocation(op.getLoc()), *kind, values.lookup(op.getVal()),
      memrefs[objects.lookup(op.getPtr())], values.lookup(op.getPtr()));
  return success();
}

/// The address that a pointer has, for what memref has no word for.
Value Translation::rawPointer(Value pointer, Location loc) {
  const Object &object = objectOf(pointer);
  Value address = memref::ExtractAlignedPointerAsIndexOp::create(
      b, loc, memrefs[objects.lookup(pointer)]);
  Value at = values.lookup(pointer);
  if (int64_t unit = bytesOf(object.element); unit != 1)
    at = arith::MulIOp::create(b, loc, at, index(unit, loc));
  address = arith::AddIOp::create(b, loc, address, at);
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  bool shared =
      object.kind == Object::Shared || object.kind == Object::DynamicShared;
  auto own = LLVM::LLVMPointerType::get(
      b.getContext(), shared ? evo::target::Shared : evo::target::Generic);
  Value raw = LLVM::IntToPtrOp::create(b, loc, own, address);
  if (own != pointer.getType())
    raw = LLVM::AddrSpaceCastOp::create(b, loc, pointer.getType(), raw);
  return raw;
}

/// The function that a call names, where the new module lacks it.
void Translation::declare(LLVM::CallOp call) {
  auto module = result->getParentOfType<ModuleOp>();
  if (module.lookupSymbol(*call.getCallee()))
    return;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  SmallVector<Type> operands(call.getArgOperands().getTypes());
  Type type = call.getNumResults() == 1
                  ? call.getResult().getType()
                  : LLVM::LLVMVoidType::get(b.getContext());
  LLVM::LLVMFuncOp::create(b, plainLocation(call.getLoc()), *call.getCallee(),
                           LLVM::LLVMFunctionType::get(type, operands));
}

/// An op of the LLVM dialect stays as it is, and is given addresses.
LogicalResult Translation::keep(Operation *op) {
  Location loc = plainLocation(op->getLoc());
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (!isa<LLVM::LLVMPointerType>(operand.getType())) {
      mapping.map(operand, values.lookup(operand));
      continue;
    }
    if (failed(checkPointer(op, operand)))
      return failure();
    if (!objectOf(operand).element)
      return refuse(op) << "'" << op->getName()
                        << "' on an array of unknown elements";
    mapping.map(operand, rawPointer(operand, loc));
  }
  Operation *copy = b.clone(*op, mapping);
  copy->setLoc(loc);
  for (auto [before, after] : llvm::zip(op->getResults(), copy->getResults()))
    values[before] = after;
  return success();
}

/// How many elements `bytes` are at `pointer`.
FailureOr<int64_t> Translation::elementsOf(Operation *op, Value pointer,
                                           Value bytes) {
  if (failed(checkPointer(op, pointer)))
    return failure();
  APInt size;
  if (!matchPattern(bytes, m_ConstantInt(&size)))
    return refuse(op) << "a copy whose size is not constant", failure();
  Type element = objectOf(pointer).element;
  if (!element || size.getZExtValue() % bytesOf(element) != 0)
    return refuse(op) << "a copy of part of an element", failure();
  return static_cast<int64_t>(size.getZExtValue()) / bytesOf(element);
}

/// A loop over the elements, or one vector where a copy fits a register.
LogicalResult Translation::copy(LLVM::MemcpyOp op) {
  FailureOr<int64_t> to = elementsOf(op, op.getDst(), op.getLen());
  FailureOr<int64_t> from = elementsOf(op, op.getSrc(), op.getLen());
  if (failed(to) || failed(from))
    return failure();
  if (op.getIsVolatile())
    return refuse(op) << "a volatile copy";
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
    return refuse(op) << "a copy from an array of " << fromType << " to one of "
                      << toType;
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
  FailureOr<int64_t> count = elementsOf(op, op.getDst(), op.getLen());
  if (failed(count))
    return failure();
  APInt value;
  if (!matchPattern(op.getVal(), m_ConstantInt(&value)) || !value.isZero())
    return refuse(op) << "a fill with other bytes than zero";
  if (op.getIsVolatile())
    return refuse(op) << "a volatile fill";
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

/// Null in generic or global memory, where it is 0.
static bool isNull(Value pointer) {
  while (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
    pointer = cast.getArg();
  auto space = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  return pointer.getDefiningOp<LLVM::ZeroOp>() &&
         (space == evo::target::Generic || space == evo::target::Global);
}

/// With no object at all: an argument may be left out. The place within an
/// object plays no part in it, as it has one.
LogicalResult Translation::compareWithNull(LLVM::ICmpOp op, Value pointer) {
  if (failed(checkPointer(op, pointer)))
    return failure();
  if (op.getPredicate() != LLVM::ICmpPredicate::eq &&
      op.getPredicate() != LLVM::ICmpPredicate::ne)
    return refuse(op) << "an ordering of a pointer and null";
  if (!memrefs[objects.lookup(pointer)])
    return refuse(op) << "a comparison of null and an array that nothing "
                         "accesses";
  Location loc = plainLocation(op.getLoc());
  Value raw = rawPointer(pointer, loc);
  values[op] =
      LLVM::ICmpOp::create(b, loc, op.getPredicate(), raw,
                           LLVM::ZeroOp::create(b, loc, pointer.getType()));
  return success();
}

LogicalResult Translation::comparePointers(LLVM::ICmpOp op) {
  if (isNull(op.getLhs()) || isNull(op.getRhs()))
    return compareWithNull(op, isNull(op.getLhs()) ? op.getRhs() : op.getLhs());
  for (Value pointer : op->getOperands())
    if (failed(checkPointer(op, pointer)))
      return failure();
  if (objects.lookup(op.getLhs()) != objects.lookup(op.getRhs()))
    return refuse(op) << "a comparison of pointers into different arrays";
  values[op] = arith::CmpIOp::create(
      b, plainLocation(op.getLoc()),
      static_cast<arith::CmpIPredicate>(op.getPredicate()),
      values.lookup(op.getLhs()), values.lookup(op.getRhs()));
  return success();
}

/// The text of an assertion, its first operand.
static std::string textOf(LLVM::CallOp call) {
  Value text = call->getNumOperands() > 0 ? call->getOperand(0) : Value();
  while (text && text.getDefiningOp<LLVM::AddrSpaceCastOp>())
    text = text.getDefiningOp()->getOperand(0);
  auto address =
      text ? text.getDefiningOp<LLVM::AddressOfOp>() : LLVM::AddressOfOp();
  auto global = address ? SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
                              address, address.getGlobalNameAttr())
                        : LLVM::GlobalOp();
  auto said = global ? dyn_cast_or_null<StringAttr>(global.getValueOrNull())
                     : StringAttr();
  return said ? said.getValue().rtrim('\0').str() : "assertion failed";
}

/// A call that fails an assertion, on the way that its condition has chosen.
bool Translation::fails(Operation *op) {
  auto call = dyn_cast<LLVM::CallOp>(op);
  if (!call || !call.getCallee())
    return false;
  const evo::device::DeviceOp *known =
      evo::device::lookupFunction(*call.getCallee()).op;
  if (!known || known->mathOp != cf::AssertOp::getOperationName())
    return false;
  Location loc = plainLocation(op->getLoc());
  cf::AssertOp::create(b, loc, arith::ConstantIntOp::create(b, loc, 0, 1),
                       textOf(call));
  return true;
}

LogicalResult Translation::branch(Operation *op) {
  for (Value operand : op->getOperands())
    if (!values.lookup(operand)) {
      if (isa<LLVM::LLVMPointerType>(operand.getType()))
        return checkPointer(op, operand);
      // unreachable: what has no form was refused where it was made
      return refuse(op) << "a value of type " << operand.getType();
    }
  Location loc = plainLocation(op->getLoc());
  if (isa<LLVM::ReturnOp>(op)) {
    func::ReturnOp::create(b, loc);
    return success();
  }
  if (auto br = dyn_cast<LLVM::BrOp>(op)) {
    cf::BranchOp::create(b, loc, blocks.lookup(br.getDest()),
                         lookup(br.getDestOperands()));
    return success();
  }
  if (auto br = dyn_cast<LLVM::CondBrOp>(op)) {
    cf::CondBranchOp::create(
        b, loc, values.lookup(br.getCondition()),
        blocks.lookup(br.getTrueDest()), lookup(br.getTrueDestOperands()),
        blocks.lookup(br.getFalseDest()), lookup(br.getFalseDestOperands()));
    return success();
  }
  if (auto choice = dyn_cast<LLVM::SwitchOp>(op)) {
    Value flag = values.lookup(choice.getValue());
    if (!flag.getType().isInteger(32))
      return refuse(op) << "a switch on " << flag.getType();
    SmallVector<SmallVector<Value>> operands;
    SmallVector<Block *> targets;
    SmallVector<int32_t> cases;
    for (auto [target, range] : llvm::zip_equal(choice.getCaseDestinations(),
                                                choice.getCaseOperands())) {
      targets.push_back(blocks.lookup(target));
      operands.push_back(lookup(range));
    }
    if (auto list = choice.getCaseValues())
      for (const APInt &value : list->getValues<APInt>())
        cases.push_back(value.getSExtValue());
    SmallVector<ValueRange> ranges(operands.begin(), operands.end());
    cf::SwitchOp::create(
        b, loc, flag, blocks.lookup(choice.getDefaultDestination()),
        lookup(choice.getDefaultOperands()), cases, targets, ranges);
    return success();
  }
  if (isa<LLVM::UnreachableOp>(op))
    return refuse(op) << "code that ends the program (a trap or an assertion)";
  return refuse(op) << "'" << op->getName() << "'";
}

LogicalResult Translation::translate(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return branch(op);
  if (fails(op))
    return success();
  if (auto gep = dyn_cast<LLVM::GEPOp>(op)) {
    if (!objects.contains(gep))
      return success(); // refused where it is used
    FailureOr<Value> at = offset(gep);
    if (failed(at))
      return failure();
    values[gep] = *at;
    return success();
  }
  if (isa<LLVM::ZeroOp>(op) &&
      isa<LLVM::LLVMPointerType>(op->getResult(0).getType()))
    return success(); // refused where it is used, but in comparisons
  if (isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op)) {
    values[op->getResult(0)] = index(0, op->getLoc());
    return success();
  }
  if (isa<LLVM::AddrSpaceCastOp, LLVM::FreezeOp>(op)) {
    values[op->getResult(0)] = values.lookup(op->getOperand(0));
    return success();
  }
  if (isa<LLVM::LifetimeStartOp, LLVM::LifetimeEndOp, LLVM::AssumeOp,
          LLVM::NoAliasScopeDeclOp>(op))
    return success(); // say nothing about results
  if (auto op1 = dyn_cast<LLVM::LoadOp>(op))
    return load(op1);
  if (auto op1 = dyn_cast<LLVM::StoreOp>(op))
    return store(op1);
  if (auto op1 = dyn_cast<LLVM::MaskedLoadOp>(op))
    return maskedLoad(op1);
  if (auto op1 = dyn_cast<LLVM::MaskedStoreOp>(op))
    return maskedStore(op1);
  if (auto op1 = dyn_cast<LLVM::AtomicRMWOp>(op))
    return atomic(op1);
  if (isa<LLVM::AtomicCmpXchgOp>(op))
    return keep(op);
  if (auto op1 = dyn_cast<LLVM::MemcpyOp>(op))
    return copy(op1);
  if (auto op1 = dyn_cast<LLVM::MemsetOp>(op))
    return fill(op1);
  if (auto compare = dyn_cast<LLVM::ICmpOp>(op);
      compare && isa<LLVM::LLVMPointerType>(compare.getLhs().getType()))
    return comparePointers(compare);
  if (auto select = dyn_cast<LLVM::SelectOp>(op);
      select && isa<LLVM::LLVMPointerType>(select.getType()) &&
      !objects.contains(select))
    return success(); // refused where it is used
  for (Type type : llvm::concat<Type>(llvm::to_vector(op->getOperandTypes()),
                                      llvm::to_vector(op->getResultTypes())))
    if (isa<LLVM::LLVMPointerType>(type) && !isa<LLVM::SelectOp>(op)) {
      bool makesPointer = llvm::any_of(op->getResultTypes(),
                                       llvm::IsaPred<LLVM::LLVMPointerType>);
      auto call = dyn_cast<LLVM::CallOp>(op);
      const bool ofLibrary = call && call.getCallee() &&
                             evo::device::isLibdevice(*call.getCallee());
      if (ofLibrary)
        declare(call);
      if ((ofLibrary || isa<LLVM::CallIntrinsicOp, LLVM::InlineAsmOp>(op)) &&
          !makesPointer)
        return keep(op);
      return refuse(op) << "'" << op->getName() << "' on a pointer";
    }
  SmallVector<Value> operands = lookup(op->getOperands());
  if (llvm::is_contained(operands, Value()))
    return refuse(op) << "'"
                      << op->getName()
                      // unreachable: it was refused where it was made
                      << "' uses a value that has no form";
  bool isPointer = op->getNumResults() == 1 &&
                   isa<LLVM::LLVMPointerType>(op->getResult(0).getType());
  if (isPointer) {
    values[op->getResult(0)] = arith::SelectOp::create(
        b, plainLocation(op->getLoc()), operands[0], operands[1], operands[2]);
    return success();
  }
  Value value;
  if (failed(translateScalar(b, op, operands, value)))
    return failure();
  if (value)
    values[op->getResult(0)] = value;
  return success();
}

FailureOr<func::FuncOp> Translation::run() {
  OpBuilder::InsertionGuard guard(b);
  if (failed(createBlocks())) {
    if (result)
      result.erase();
    return failure();
  }
  llvm::ReversePostOrderTraversal<Region *> order(&kernel.getBody());
  for (Block *block : order) {
    b.setInsertionPointToEnd(blocks.lookup(block));
    for (Operation &op : *block)
      if (failed(translate(&op))) {
        result.erase();
        return failure();
      }
  }
  // Blocks that nothing reaches have not been filled.
  for (Block &block : llvm::make_early_inc_range(result.getBody()))
    if (block.empty()) {
      block.dropAllUses();
      block.erase();
    }
  return result;
}

FailureOr<func::FuncOp> evo::raise::translateKernel(OpBuilder &builder,
                                                    LLVM::LLVMFuncOp kernel,
                                                    const Objects &objects) {
  return Translation(builder, kernel, objects).run();
}
