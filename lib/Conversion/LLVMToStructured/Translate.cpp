// One function of the LLVM dialect becomes one on memrefs. Pointers dissolve:
// each is an object, which is known statically, and an index into it, which
// takes the pointer's place in block arguments and selects.
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
