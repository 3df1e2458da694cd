// What a pointer points to. A memref needs one object behind each pointer and
// one type for its elements; both are found by walking the function, so that
// casts, loops that step a pointer and selects between two places of one array
// are followed. Pointers without such an object stay addresses.
#include "Raise.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include <numeric>

using namespace mlir;
using namespace evo::raise;

static bool isPointer(Value value) {
  return isa<LLVM::LLVMPointerType>(value.getType());
}

int64_t evo::raise::bytesOf(Type type) {
  int64_t count = 1;
  if (auto vector = dyn_cast<VectorType>(type)) {
    count = vector.getNumElements();
    type = vector.getElementType();
  }
  if (!type.isIntOrFloat())
    return 0;
  return count * llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
}

/// Appends the extents of nested arrays to `shape`; returns the innermost type.
static Type flattenArrays(Type type, SmallVectorImpl<int64_t> &shape) {
  while (auto array = dyn_cast<LLVM::LLVMArrayType>(type)) {
    shape.push_back(array.getNumElements());
    type = array.getElementType();
  }
  return type;
}

unsigned Objects::add(Object object) {
  objects.push_back(std::move(object));
  return objects.size() - 1;
}

void Objects::addRoots(LLVM::LLVMFuncOp function) {
  for (BlockArgument argument : function.getArguments())
    // A structure passed by value is read by its members, at addresses.
    if (isPointer(argument) &&
        !function.getArgAttr(argument.getArgNumber(), "llvm.byval"))
      of[argument] = add({Object::Argument, argument, {}, {}, {}});
  DenseMap<Operation *, unsigned> globals;
  function.walk([&](Operation *op) {
    APInt size;
    if (auto alloca = dyn_cast<LLVM::AllocaOp>(op);
        alloca && matchPattern(alloca.getArraySize(), m_ConstantInt(&size)))
      of[alloca] =
          add({Object::Local,
               alloca,
               {},
               {},
               {},
               static_cast<int64_t>(alloca.getAlignment().value_or(0))});
    auto address = dyn_cast<LLVM::AddressOfOp>(op);
    if (!address)
      return;
    auto global = SymbolTable::lookupNearestSymbolFrom<LLVM::GlobalOp>(
        address, address.getGlobalNameAttr());
    if (!global || !isShared(global))
      return;
    auto [entry, isNew] = globals.try_emplace(global, objects.size());
    if (isNew) {
      bool dynamic = global.getLinkage() == LLVM::Linkage::External &&
                     !global.getValueOrNull();
      SmallVector<int64_t> shape;
      flattenArrays(global.getType(), shape);
      dynamic &= llvm::is_contained(shape, 0);
      add({dynamic ? Object::DynamicShared : Object::Shared,
           {},
           global,
           {},
           {},
           static_cast<int64_t>(global.getAlignment().value_or(0))});
    }
    of[address] = entry->second;
  });
}

/// The object of a pointer, from what it is made of; none if not known (yet).
/// Sources without a known object are passed over unless `strict`.
std::optional<unsigned> Objects::originOf(Value pointer, bool strict) const {
  SmallVector<Value> sources;
  if (auto argument = dyn_cast<BlockArgument>(pointer)) {
    Block *block = argument.getOwner();
    for (Block *before : block->getPredecessors()) {
      auto branch = dyn_cast<BranchOpInterface>(before->getTerminator());
      if (!branch)
        return std::nullopt;
      for (unsigned i = 0; i < before->getNumSuccessors(); ++i)
        if (before->getSuccessor(i) == block)
          sources.push_back(
              branch.getSuccessorOperands(i)[argument.getArgNumber()]);
    }
  } else if (Operation *op = pointer.getDefiningOp()) {
    if (auto gep = dyn_cast<LLVM::GEPOp>(op))
      sources = {gep.getBase()};
    else if (isa<LLVM::AddrSpaceCastOp, LLVM::BitcastOp, LLVM::FreezeOp>(op))
      sources = {op->getOperand(0)};
    else if (auto select = dyn_cast<LLVM::SelectOp>(op))
      sources = {select.getTrueValue(), select.getFalseValue()};
  }
  std::optional<unsigned> origin;
  for (Value source : sources) {
    if (!source)
      return std::nullopt;
    auto known = of.find(source);
    if (known == of.end()) {
      if (strict)
        return std::nullopt;
      continue; // a loop that has not been entered yet
    }
    if (origin && *origin != known->second)
      return std::nullopt;
    origin = known->second;
  }
  return origin;
}

/// Optimistic, to a fixed point; what turns out to have two origins is left
/// unknown together with all that follows from it.
void Objects::propagate(LLVM::LLVMFuncOp function) {
  SmallVector<Value> pointers;
  for (Block &block : function.getBody()) {
    if (!block.isEntryBlock())
      llvm::copy_if(block.getArguments(), std::back_inserter(pointers),
                    isPointer);
    for (Operation &op : block)
      llvm::copy_if(op.getResults(), std::back_inserter(pointers), isPointer);
  }
  llvm::DenseSet<Value> roots;
  for (auto &[pointer, object] : of)
    roots.insert(pointer);
  for (bool changed = true; changed;) {
    changed = false;
    for (Value pointer : pointers) {
      if (roots.contains(pointer) || of.contains(pointer))
        continue;
      if (std::optional<unsigned> origin = originOf(pointer, false)) {
        of[pointer] = *origin;
        changed = true;
      }
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (Value pointer : pointers) {
      if (roots.contains(pointer) || !of.contains(pointer))
        continue;
      std::optional<unsigned> origin = originOf(pointer, true);
      if (origin && *origin == of.lookup(pointer))
        continue;
      of.erase(pointer);
      changed = true;
    }
  }
}

/// The pointer and the type of the value in memory, of ops that access it.
static std::pair<Value, Type> accessOf(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return {load.getAddr(), load.getType()};
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return {store.getAddr(), store.getValue().getType()};
  if (auto load = dyn_cast<LLVM::MaskedLoadOp>(op))
    return {load.getData(), load.getType()};
  if (auto store = dyn_cast<LLVM::MaskedStoreOp>(op))
    return {store.getData(), store.getValue().getType()};
  if (auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op))
    return {atomic.getPtr(), atomic.getVal().getType()};
  if (auto exchange = dyn_cast<LLVM::AtomicCmpXchgOp>(op))
    return {exchange.getPtr(), exchange.getVal().getType()};
  return {};
}

static Type scalarOf(Type type) { return getElementTypeOrSelf(type); }

/// What divides every step, in bytes, that an address computation takes, and
/// the scalar that it steps by; a place in a struct is a step as well.
static std::pair<int64_t, Type> stepOf(LLVM::GEPOp gep) {
  DataLayout layout = DataLayout::closest(gep);
  Type type = gep.getElemType();
  int64_t divisor = 0, constant = 0;
  bool first = true;
  for (auto position : gep.getIndices()) {
    auto known = dyn_cast<IntegerAttr>(position);
    if (auto record = dyn_cast<LLVM::LLVMStructType>(type);
        record && !first && known) {
      for (auto [i, member] : llvm::enumerate(record.getBody())) {
        if (!record.isPacked())
          constant =
              llvm::alignTo(constant, layout.getTypeABIAlignment(member));
        type = member;
        if (static_cast<int64_t>(i) == known.getInt())
          break;
        constant += layout.getTypeSize(member);
      }
      continue;
    }
    if (auto array = dyn_cast<LLVM::LLVMArrayType>(type); array && !first)
      type = array.getElementType();
    else if (auto vector = dyn_cast<VectorType>(type); vector && !first)
      type = vector.getElementType();
    first = false;
    const int64_t bytes = layout.getTypeSize(type);
    APInt fixed;
    if (known)
      constant += known.getInt() * bytes;
    else if (matchPattern(cast<Value>(position), m_ConstantInt(&fixed)))
      constant += fixed.getSExtValue() * bytes;
    else
      divisor = std::gcd(divisor, bytes);
  }
  SmallVector<int64_t> shape;
  return {std::gcd(divisor, constant), scalarOf(flattenArrays(type, shape))};
}

/// What an array was declared as; null for arguments.
static Type getDeclaredType(Object &object) {
  if (object.global)
    return object.global.getType();
  auto alloca = object.pointer.getDefiningOp<LLVM::AllocaOp>();
  return alloca ? alloca.getElemType() : Type();
}

void Objects::chooseElements(LLVM::LLVMFuncOp function,
                             llvm::function_ref<Type(unsigned)> elementOf) {
  SmallVector<SmallVector<Type>> accessed(objects.size());
  function.walk([&](Operation *op) {
    auto [pointer, type] = accessOf(op);
    if (pointer && of.contains(pointer) && bytesOf(type))
      accessed[of.lookup(pointer)].push_back(type);
  });
  for (auto [object, types] : llvm::zip_equal(objects, accessed)) {
    if (types.empty())
      continue;
    // The narrowest scalar; among those of its width the first float, or what
    // the contract says.
    Type narrowest = scalarOf(types.front());
    for (Type type : types) {
      Type scalar = scalarOf(type);
      if (bytesOf(scalar) < bytesOf(narrowest) ||
          (bytesOf(scalar) == bytesOf(narrowest) && isa<FloatType>(scalar) &&
           !isa<FloatType>(narrowest)))
        narrowest = scalar;
    }
    if (object.kind == Object::Argument)
      if (Type said =
              elementOf(cast<BlockArgument>(object.pointer).getArgNumber());
          said && bytesOf(said) <= bytesOf(narrowest))
        narrowest = said;
    object.element = narrowest;
  }
  // Places between two elements need narrower ones: what is stepped by, or
  // bits.
  function.walk([&](LLVM::GEPOp gep) {
    if (!of.contains(gep))
      return;
    Object &object = objects[of.lookup(gep)];
    auto [step, scalar] = stepOf(gep);
    if (!object.element || step % bytesOf(object.element) == 0)
      return;
    const int64_t bytes = step & -step;
    object.element = bytesOf(scalar) == bytes
                         ? scalar
                         : IntegerType::get(gep.getContext(), 8 * bytes);
  });
  // What is only copied has the type of what it is copied to or from.
  for (bool changed = true; changed;) {
    changed = false;
    function.walk([&](LLVM::MemcpyOp copy) {
      if (!of.contains(copy.getDst()) || !of.contains(copy.getSrc()))
        return;
      Type &to = objects[of.lookup(copy.getDst())].element;
      Type &from = objects[of.lookup(copy.getSrc())].element;
      if (!to == !from)
        return;
      changed = true;
      (to ? from : to) = to ? to : from;
    });
  }
  for (Object &object : objects)
    if (!object.element && object.kind == Object::Argument)
      object.element =
          elementOf(cast<BlockArgument>(object.pointer).getArgNumber());
  // What is only accessed at addresses has the type it was declared with; of an
  // argument nobody says: bytes.
  for (Object &object : objects) {
    if (object.element)
      continue;
    object.element = IntegerType::get(function.getContext(), 8);
    Type type = getDeclaredType(object);
    SmallVector<int64_t> shape;
    if (type)
      type = scalarOf(flattenArrays(type, shape));
    if (type && type.isIntOrFloat())
      object.element = type;
  }
  for (Object &object : objects) {
    if (object.kind != Object::Shared && object.kind != Object::Local)
      continue;
    APInt size(64, 1);
    if (!object.global)
      matchPattern(
          object.pointer.getDefiningOp<LLVM::AllocaOp>().getArraySize(),
          m_ConstantInt(&size));
    const int64_t count = size.getSExtValue();
    Type leaf = flattenArrays(getDeclaredType(object), object.shape);
    int64_t leafBytes = DataLayout::closest(function).getTypeSize(leaf);
    int64_t elementBytes = bytesOf(object.element);
    // Accesses may be wider than what was declared.
    if (leafBytes % elementBytes != 0) {
      elementBytes = std::gcd(leafBytes, elementBytes);
      object.element =
          IntegerType::get(function.getContext(), 8 * elementBytes);
    }
    if (count != 1)
      object.shape.insert(object.shape.begin(), count);
    if (leafBytes != elementBytes || object.shape.empty())
      object.shape.push_back(leafBytes / elementBytes);
  }
}

bool Objects::isShared(LLVM::GlobalOp global) const {
  return global.getAddrSpace() ==
         target.getAddressSpace(target::Memory::Shared);
}

unsigned Objects::getAddressSpace(const Object &object) const {
  const bool isShared =
      object.kind == Object::Shared || object.kind == Object::DynamicShared;
  return target.getAddressSpace(isShared ? target::Memory::Shared
                                         : target::Memory::Generic);
}

Objects Objects::find(LLVM::LLVMFuncOp function, TargetAttrInterface target,
                      llvm::function_ref<Type(unsigned)> elementOf) {
  Objects result;
  result.target = target;
  result.addRoots(function);
  result.propagate(function);
  result.chooseElements(function, elementOf);
  return result;
}
