// Segments, registers and jumps.
#include "Simulator/IR/Operands.h"
#include "Translator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace evo::sim;

namespace evo::jit {

Translator::Translator(Module &module, const Analysis &analysis)
    : analysis(analysis), k(analysis.kernel), context(module.getContext()),
      b(context) {
  Type *pointer = b.getPtrTy();
  function = Function::Create(
      FunctionType::get(b.getInt64Ty(), {pointer, b.getInt64Ty()}, false),
      Function::ExternalLinkage, "run", module);
  function->addFnAttr(Attribute::NoUnwind);
  prologue = BasicBlock::Create(context, "prologue", function);
  b.SetInsertPoint(prologue);
  frame = function->getArg(0);
  registerFile = fieldOf(pointer, offsetof(NativeFrame, registers));
  constantArea = fieldOf(pointer, offsetof(NativeFrame, constants));
  regions = fieldOf(pointer, offsetof(NativeFrame, roots));
  threads = fieldOf(pointer, offsetof(NativeFrame, threads));
  place = fieldOf(pointer, offsetof(NativeFrame, place));
}

Value *Translator::fieldOf(Type *type, size_t offset, bool isFixed) {
  LoadInst *load = b.CreateLoad(
      type, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, offset));
  if (isFixed)
    load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context, {}));
  return load;
}

llvm::Constant *Translator::distances(const Shape &shape, bool wide,
                                      unsigned divisor) {
  SmallVector<llvm::Constant *, warpSize> values;
  for (int64_t distance : shape)
    values.push_back(ConstantInt::getSigned(
        intType(wide), distance / static_cast<int64_t>(divisor),
        /*ImplicitTrunc=*/true));
  return ConstantVector::get(values);
}

Value *Translator::slot(int32_t unit) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), registerFile,
                                      static_cast<int64_t>(unit) * unitBytes);
}

Register Translator::load(int32_t unit, bool wide, const Fact &fact) {
  Register r;
  r.fact = fact;
  r.wide = wide;
  Type *type = fact.shape ? intType(wide) : lanes(intType(wide));
  r.i = b.CreateAlignedLoad(type, slot(unit), Align(64));
  return r;
}

const Register &Translator::constant(int32_t unit, bool wide) {
  Register &r = constants[unit];
  if (r.i)
    return r;
  r.fact = analysis.factOf(unit, {});
  r.wide = wide;
  if (std::optional<uint64_t> bits = analysis.constantOf(unit)) {
    r.i = ConstantInt::get(intType(wide), *bits, /*IsSigned=*/false,
                           /*ImplicitTrunc=*/true);
    return r;
  }
  IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(prologue);
  LoadInst *load = b.CreateLoad(
      intType(wide),
      b.CreateConstGEP1_64(b.getInt8Ty(), constantArea,
                           static_cast<int64_t>(unit) * unitBytes));
  load->setMetadata(LLVMContext::MD_invariant_load, MDNode::get(context, {}));
  r.i = load;
  return r;
}

Register &Translator::read(int32_t unit, bool wide) {
  auto known = registers.find(unit);
  if (known != registers.end()) {
    if (known->second.wide == wide)
      return known->second;
    if (known->second.dirty)
      flush(unit, known->second);
  }
  return registers[unit] = load(unit, wide, analysis.factOf(unit, facts));
}

void Translator::define(int32_t unit, Register value) {
  value.dirty = true;
  facts[unit] = value.fact;
  registers[unit] = value;
}

Value *Translator::integerOf(const Register &r) {
  if (r.i)
    return r.i;
  auto typed = [&](Type *type) { return r.fact.shape ? type : lanes(type); };
  if (r.b)
    return b.CreateZExt(r.b, typed(intType(r.wide)));
  return b.CreateBitCast(canonical(r.f), typed(intType(r.wide)));
}

Value *Translator::vectorOf(const Register &r) {
  if (r.all)
    return r.all;
  Value *value = integerOf(r);
  if (!r.fact.shape)
    return value;
  value = splat(value);
  return analysis.isUniform(r.fact)
             ? value
             : b.CreateAdd(value, distances(*r.fact.shape, r.wide));
}

/// In the main line of a segment, where all that follows may use it.
Value *Translator::operand(int32_t unit, bool wide, bool scalar) {
  if (unit < 0) {
    const Register &r = constant(unit, wide);
    return scalar ? r.i : splat(r.i);
  }
  Register &r = read(unit, wide);
  r.i = integerOf(r);
  if (scalar)
    return r.fact.shape ? r.i : b.CreateExtractElement(r.i, uint64_t(0));
  if (!r.fact.shape)
    return r.i;
  return r.all = vectorOf(r);
}

Value *Translator::floatOperand(int32_t unit, bool wide, bool scalar) {
  Type *type = floatType(wide);
  if (unit < 0) {
    Value *value = b.CreateBitCast(constant(unit, wide).i, type);
    return scalar ? value : splat(value);
  }
  Register &r = read(unit, wide);
  if (r.fact.shape && !analysis.isUniform(r.fact))
    return b.CreateBitCast(vectorOf(r), lanes(type));
  if (!r.f)
    r.f = b.CreateBitCast(integerOf(r), r.fact.shape ? type : lanes(type));
  return scalar ? r.f : splat(r.f);
}

/// Of a number, whether it is not 0.
Value *Translator::condition(int32_t unit, bool scalar) {
  if (unit >= 0) {
    Register &r = read(unit, false);
    if (r.b && (scalar || !r.fact.shape || analysis.isUniform(r.fact)))
      return scalar ? r.b : splat(r.b);
  }
  Value *value = operand(unit, false, scalar);
  return b.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

void Translator::flush(int32_t unit, const Register &value) {
  b.CreateAlignedStore(vectorOf(value), slot(unit), Align(64));
}

void Translator::flushLive(const BitVector &live, bool markClean) {
  for (auto &[unit, value] : registers)
    if (value.dirty && live[unit]) {
      flush(unit, value);
      value.dirty &= !markClean;
    }
}

/// Books the instructions before the current one.
void Translator::countInstructions(unsigned more) {
  const uint64_t count = position - segment->begin + more;
  if (count == 0)
    return;
  Value *at = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame,
                                           offsetof(NativeFrame, executed));
  b.CreateStore(
      b.CreateAdd(b.CreateLoad(b.getInt64Ty(), at), b.getInt64(count)), at);
}

void Translator::leave(NativeExit why, uint32_t where) {
  b.CreateRet(b.getInt64(static_cast<uint64_t>(why) << 32 | where));
}

/// Hands the current instruction to the interpreter.
void Translator::leaveHere() {
  flushLive(analysis.liveBefore(*segment, position), false);
  countInstructions(0);
  leave(NativeExit::Instruction, position);
}

/// Whether any lane's bit is set.
Value *Translator::anyLane(Value *bits) {
  if (!bits->getType()->isVectorTy())
    return bits;
  return b.CreateIsNotNull(b.CreateBitCast(bits, b.getIntNTy(warpSize)));
}

BasicBlock *Translator::newBlock(const Twine &name) {
  return BasicBlock::Create(context, name, function);
}

void Translator::branchUnlikely(Value *unlikely, BasicBlock *then,
                                BasicBlock *otherwise) {
  b.CreateCondBr(unlikely, then, otherwise,
                 MDBuilder(context).createUnlikelyBranchWeights());
}

/// Has the interpreter execute the current instruction on registers in memory,
/// where its operands are; what follows is not reached if the launch ends.
void Translator::callStep() {
  Type *i32 = b.getInt32Ty();
  Value *callee = fieldOf(b.getPtrTy(), offsetof(NativeFrame, step));
  Value *stops =
      b.CreateCall(FunctionType::get(b.getInt8Ty(), {b.getPtrTy(), i32}, false),
                   callee, {frame, b.getInt32(position)});
  BasicBlock *end = newBlock("stop"), *next = newBlock("stepped");
  branchUnlikely(b.CreateTrunc(stops, b.getInt1Ty()), end, next);
  b.SetInsertPoint(end);
  countInstructions(1);
  leave(NativeExit::Stop, position);
  b.SetInsertPoint(next);
}

void Translator::stepOnSide(const Inst &inst) {
  forEachUse(k, inst, [&](int32_t unit) {
    auto known = registers.find(unit);
    if (known != registers.end() && known->second.dirty)
      flush(unit, known->second);
  });
  callStep();
}

void Translator::step(const Inst &inst) {
  const Fact result = analysis.evaluate(inst, getFact());
  forEachUse(k, inst, [&](int32_t unit) {
    auto known = registers.find(unit);
    if (known != registers.end() && known->second.dirty) {
      flush(unit, known->second);
      known->second.dirty = false;
    }
  });
  callStep();
  forEachDef(k, inst, [&](int32_t unit) {
    registers.erase(unit);
    facts[unit] = result;
  });
}

/// Whether a warp-wide operation is for all lanes whatever happens.
bool Translator::takesAllLanes(const Inst &inst) const {
  std::optional<uint64_t> member =
      inst.c == noOperand ? std::nullopt : analysis.constantOf(inst.c);
  return member && static_cast<LaneMask>(*member) == allLanes &&
         !analysis.isLone();
}

/// False where the segment ends.
bool Translator::translateInst(const Inst &inst) {
  switch (inst.op) {
  case Op::BR:
  case Op::CONDBR:
  case Op::SWITCH:
    jump(inst);
    return false;
  case Op::BAR:
  case Op::RET:
  case Op::TRAP:
    leaveHere();
    return false;
  case Op::FENCE: // nobody runs at the same time
    return true;
  case Op::LOAD:
    if (inst.flags & flagStrong) { // it may wait for others
      leaveHere();
      return false;
    }
    translateAccess(inst, false);
    return true;
  case Op::STORE:
    translateAccess(inst, true);
    return true;
  case Op::WARPSYNC:
  case Op::SHFL:
  case Op::VOTE:
  case Op::MATCH:
  case Op::REDUX:
  case Op::MMA:
  case Op::LDMATRIX:
  case Op::STMATRIX:
  case Op::WMMALOAD:
  case Op::WMMASTORE:
    if (!takesAllLanes(inst)) {
      leaveHere();
      return false;
    }
    if (inst.op != Op::WARPSYNC)
      step(inst);
    return true;
  default:
    if (!translateInteger(inst) && !translateFloat(inst))
      step(inst);
    return true;
  }
}

/// What an edge assigns, and on to its target.
BasicBlock *Translator::takeEdge(uint32_t number) {
  IRBuilder<>::InsertPointGuard guard(b);
  const Edge &edge = k.edges[number];
  BasicBlock *block = newBlock("edge");
  b.SetInsertPoint(block);
  countInstructions(1);
  Registers assigned;
  for (uint32_t c = 0; c < edge.copies; ++c) {
    const Copy &copy = k.copies[edge.firstCopy + c];
    auto now = assigned.find(copy.src);
    auto known = registers.find(copy.src);
    Register value =
        copy.src < 0            ? constant(copy.src, copy.wide)
        : now != assigned.end() ? now->second
        : known != registers.end()
            ? known->second
            : load(copy.src, copy.wide, analysis.factOf(copy.src, facts));
    assigned[copy.dst] = value;
  }
  const int32_t target = analysis.segmentAt[edge.target];
  for (auto &[unit, value] : assigned)
    if (analysis.segments[target].live[unit])
      flush(unit, value);
  if (edge.target <= position) {
    Value *executed = fieldOf(b.getInt64Ty(), offsetof(NativeFrame, executed),
                              /*isFixed=*/false);
    Value *limit = fieldOf(b.getInt64Ty(), offsetof(NativeFrame, limit),
                           /*isFixed=*/false);
    BasicBlock *end = newBlock("limit");
    branchUnlikely(b.CreateICmpUGT(executed, limit), end, entries[target]);
    b.SetInsertPoint(end);
    leave(NativeExit::Limit, edge.target);
  } else {
    b.CreateBr(entries[target]);
  }
  return block;
}

void Translator::jump(const Inst &inst) {
  const bool isUniform =
      inst.op == Op::BR || analysis.isUniform(getFact()(inst.a));
  if (inst.op == Op::SWITCH && !isUniform)
    return leaveHere();
  Value *taken = nullptr;
  if (inst.op == Op::CONDBR) {
    Register *known = inst.a < 0 ? nullptr : &read(inst.a, false);
    if (known && known->b && (known->fact.shape == nullptr || isUniform))
      taken = known->b;
    else {
      taken = operand(inst.a, false, isUniform);
      taken = b.CreateTrunc(taken,
                            isUniform ? b.getInt1Ty() : lanes(b.getInt1Ty()));
    }
  } else if (inst.op == Op::SWITCH) {
    taken = operand(inst.a, k.switches[inst.aux].wide, true);
  }
  flushLive(analysis.liveAcross(inst), true);
  if (inst.op == Op::BR) {
    b.CreateBr(takeEdge(inst.aux));
  } else if (inst.op == Op::SWITCH) {
    const SwitchTable &table = k.switches[inst.aux];
    SwitchInst *choice = b.CreateSwitch(taken, takeEdge(table.defaultEdge));
    std::set<uint64_t> seen;
    for (const auto &[value, edge] : table.cases) {
      auto *literal = ConstantInt::get(intType(table.wide), value,
                                       /*IsSigned=*/false,
                                       /*ImplicitTrunc=*/true);
      if (seen.insert(literal->getZExtValue()).second)
        choice->addCase(literal, takeEdge(edge));
    }
  } else if (isUniform) {
    BasicBlock *yes = takeEdge(inst.aux), *no = takeEdge(inst.aux + 1);
    b.CreateCondBr(taken, yes, no);
  } else {
    BasicBlock *yes = takeEdge(inst.aux), *no = takeEdge(inst.aux + 1);
    BasicBlock *some = newBlock("some"), *apart = newBlock("apart");
    IntegerType *bits = b.getIntNTy(warpSize);
    Value *mask = b.CreateBitCast(taken, bits);
    b.CreateCondBr(b.CreateIsNull(mask), no, some);
    b.SetInsertPoint(some);
    b.CreateCondBr(b.CreateICmpEQ(mask, llvm::Constant::getAllOnesValue(bits)),
                   yes, apart);
    b.SetInsertPoint(apart);
    leaveHere();
  }
}

void Translator::translateSegment(size_t number) {
  segment = &analysis.segments[number];
  registers.clear();
  facts = segment->facts;
  b.SetInsertPoint(entries[number]);
  position = segment->begin;
  if (!segment->isReached)
    return leave(NativeExit::Instruction, position);
  while (translateInst(k.code[position]))
    ++position;
}

Function *Translator::translate() {
  for (size_t n = 0; n < analysis.segments.size(); ++n)
    entries.push_back(newBlock("segment"));
  for (size_t n = 0; n < analysis.segments.size(); ++n)
    translateSegment(n);
  BasicBlock *wrong = newBlock("wrong");
  b.SetInsertPoint(wrong);
  leave(NativeExit::Stop, 0);
  b.SetInsertPoint(prologue);
  SwitchInst *start = b.CreateSwitch(function->getArg(1), wrong);
  for (auto [number, entry] : enumerate(entries))
    start->addCase(b.getInt64(number), entry);
  return function;
}

} // namespace evo::jit
