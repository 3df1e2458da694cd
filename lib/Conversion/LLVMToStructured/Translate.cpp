// One function of the LLVM dialect becomes one on memrefs. Pointers dissolve:
// each is an object, which is known statically, and an index into it, which
// takes the pointer's place in block arguments and selects. One without such an
// object stays an address.
#include "Translation.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace mlir;
using namespace evo::raise;

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

void Translation::createBlocks() {
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
    if (!objects.contains(argument)) {
      types.push_back(argument.getType()); // a structure passed by value
      continue;
    }
    types.push_back(MemRefType::get({ShapedType::kDynamic}, object.element));
  }
  result = func::FuncOp::create(b, plainLocation(kernel.getLoc()),
                                kernel.getName(), b.getFunctionType(types, {}));
  for (BlockArgument argument : kernel.getArguments())
    for (StringRef name : {"llvm.byval", "llvm.align"})
      if (Attribute said = kernel.getArgAttr(argument.getArgNumber(), name);
          said && !objects.contains(argument))
        result.setArgAttr(argument.getArgNumber(), name, said);
  Block *entry = result.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value zero;
  for (auto [argument, replacement] :
       llvm::zip_equal(kernel.getArguments(), entry->getArguments())) {
    values[argument] = replacement;
    if (objects.contains(argument)) {
      if (!zero)
        zero = index(0, kernel.getLoc());
      values[argument] = zero;
    }
  }
  for (const Object &object : objects.getObjects()) {
    if (object.kind == Object::Argument)
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
}

/// The index that a pointer arithmetic leads to.
FailureOr<Value> Translation::offset(LLVM::GEPOp gep) {
  const Object &object = objectOf(gep);
  Location loc = plainLocation(gep.getLoc());
  Value result = values.lookup(gep.getBase());
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

/// Null in generic or global memory, where it is 0.
static bool isNull(Value pointer) {
  while (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
    pointer = cast.getArg();
  auto space = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace();
  return pointer.getDefiningOp<LLVM::ZeroOp>() &&
         (space == evo::target::Generic || space == evo::target::Global);
}

/// By their places in one array, or else by their addresses. With null that is
/// with no object at all: an argument may be left out.
LogicalResult Translation::comparePointers(LLVM::ICmpOp op) {
  Location loc = plainLocation(op.getLoc());
  if (isNull(op.getLhs()) || isNull(op.getRhs())) {
    auto side = [&](Value pointer) -> Value {
      if (isNull(pointer))
        return LLVM::ZeroOp::create(b, loc, pointer.getType());
      return addressOf(pointer, loc);
    };
    Value lhs = side(op.getLhs()), rhs = side(op.getRhs());
    values[op] = LLVM::ICmpOp::create(b, loc, op.getPredicate(), lhs, rhs);
    return success();
  }
  if (!objects.contains(op.getLhs()) || !objects.contains(op.getRhs()) ||
      objects.lookup(op.getLhs()) != objects.lookup(op.getRhs()))
    return keep(op);
  values[op] = arith::CmpIOp::create(
      b, loc, static_cast<arith::CmpIPredicate>(op.getPredicate()),
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

/// What stands for `range` where a branch passes it on to a block, of which an
/// argument may be an address where its value is a place.
SmallVector<Value> Translation::passed(ValueRange range, Block *to,
                                       Location loc) {
  SmallVector<Value> result;
  for (auto [value, argument] : llvm::zip_equal(range, to->getArguments()))
    result.push_back(objects.contains(value) && !objects.contains(argument)
                         ? addressOf(value, loc)
                         : values.lookup(value));
  return result;
}

LogicalResult Translation::branch(Operation *op) {
  for (Value operand : op->getOperands())
    if (!values.lookup(operand))
      // unreachable: what has no form was refused where it was made
      return refuse(op) << "a value of type " << operand.getType();
  Location loc = plainLocation(op->getLoc());
  // Who gets to what cannot be reached goes no further.
  if (isa<LLVM::UnreachableOp>(op) &&
      !isa_and_nonnull<LLVM::Trap>(op->getPrevNode()))
    LLVM::Trap::create(b, loc);
  if (isa<LLVM::ReturnOp, LLVM::UnreachableOp>(op)) {
    func::ReturnOp::create(b, loc);
    return success();
  }
  if (auto br = dyn_cast<LLVM::BrOp>(op)) {
    cf::BranchOp::create(b, loc, blocks.lookup(br.getDest()),
                         passed(br.getDestOperands(), br.getDest(), loc));
    return success();
  }
  if (auto br = dyn_cast<LLVM::CondBrOp>(op)) {
    SmallVector<Value> ifTrue =
        passed(br.getTrueDestOperands(), br.getTrueDest(), loc);
    SmallVector<Value> ifFalse =
        passed(br.getFalseDestOperands(), br.getFalseDest(), loc);
    cf::CondBranchOp::create(b, loc, values.lookup(br.getCondition()),
                             blocks.lookup(br.getTrueDest()), ifTrue,
                             blocks.lookup(br.getFalseDest()), ifFalse);
    return success();
  }
  if (auto choice = dyn_cast<LLVM::SwitchOp>(op)) {
    Value flag = values.lookup(choice.getValue());
    if (flag.getType().getIntOrFloatBitWidth() > 64)
      // structured control flow counts its cases in 64 bits
      return refuse(op) << "a switch on " << flag.getType();
    SmallVector<SmallVector<Value>> operands;
    SmallVector<Block *> targets;
    SmallVector<APInt> cases;
    for (auto [target, range] : llvm::zip_equal(choice.getCaseDestinations(),
                                                choice.getCaseOperands())) {
      targets.push_back(blocks.lookup(target));
      operands.push_back(passed(range, target, loc));
    }
    if (auto list = choice.getCaseValues())
      llvm::append_range(cases, list->getValues<APInt>());
    SmallVector<ValueRange> ranges(operands.begin(), operands.end());
    SmallVector<Value> otherwise = passed(choice.getDefaultOperands(),
                                          choice.getDefaultDestination(), loc);
    cf::SwitchOp::create(b, loc, flag,
                         blocks.lookup(choice.getDefaultDestination()),
                         otherwise, cases, targets, ranges);
    return success();
  }
  return refuse(op) << "'" << op->getName() << "'";
}

LogicalResult Translation::translate(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return branch(op);
  if (fails(op))
    return success();
  if (auto gep = dyn_cast<LLVM::GEPOp>(op); gep && objects.contains(gep)) {
    FailureOr<Value> at = offset(gep);
    if (failed(at))
      return failure();
    values[gep] = *at;
    return success();
  }
  if (isa<LLVM::AllocaOp, LLVM::AddressOfOp>(op) &&
      objects.contains(op->getResult(0))) {
    values[op->getResult(0)] = index(0, op->getLoc());
    return success();
  }
  if (isa<LLVM::AddrSpaceCastOp, LLVM::FreezeOp>(op) &&
      typeOf(op->getResult(0)) == typeOf(op->getOperand(0))) {
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
  if (auto call = dyn_cast<LLVM::CallOp>(op);
      call &&
      !(call.getCallee() && evo::device::isLibdevice(*call.getCallee())))
    return keep(op);
  auto isPointer = llvm::IsaPred<LLVM::LLVMPointerType>;
  const bool isPlace =
      isa<LLVM::SelectOp>(op) && objects.contains(op->getResult(0));
  if (!isPlace && (llvm::any_of(op->getOperandTypes(), isPointer) ||
                   llvm::any_of(op->getResultTypes(), isPointer)))
    return keep(op);
  SmallVector<Value> operands = lookup(op->getOperands());
  if (llvm::is_contained(operands, Value()))
    return refuse(op) << "'"
                      << op->getName()
                      // unreachable: it was refused where it was made
                      << "' uses a value that has no form";
  if (isPlace) {
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
  createBlocks();
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
