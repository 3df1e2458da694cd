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
  limit = fieldOf(b.getInt64Ty(), offsetof(NativeFrame, limit));
}

Value *Translator::addressOf(size_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame, offset);
}

/// Of the frame; none of those that are read changes meanwhile.
Value *Translator::fieldOf(Type *type, size_t offset) {
  LoadInst *load = b.CreateLoad(type, addressOf(offset));
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

/// Of a lone thread nobody reads other lanes.
void Translator::flush(int32_t unit, const Register &value) {
  b.CreateAlignedStore(analysis.isLone() ? integerOf(value) : vectorOf(value),
                       slot(unit), Align(64));
}

void Translator::flushAll(const BitVector &units) {
  for (auto &[unit, value] : registers)
    if (value.dirty && units[unit]) {
      flush(unit, value);
      value.dirty = false;
    }
}

/// The instructions before the current one, and so many more.
Value *Translator::countExecuted(unsigned more) {
  return b.CreateAdd(ownEntry().executed,
                     b.getInt64(position - segment->begin + more));
}

llvm::Constant *Translator::answerOf(NativeExit why, uint32_t where) {
  return b.getInt64(static_cast<uint64_t>(why) << 32 | where);
}

void Translator::leave(NativeExit why, uint32_t where, Value *executed) {
  b.CreateStore(executed, addressOf(offsetof(NativeFrame, executed)));
  b.CreateRet(answerOf(why, where));
}

/// A carried register where the current segment begins.
Register Translator::asItCame(int32_t unit) {
  Register r;
  r.fact = analysis.factOf(unit, segment->facts);
  r.wide = r.fact.wide;
  r.dirty = r.isAsItCame = true;
  (r.fact.isFloat ? r.f : r.i) = ownEntry().carried.at(unit);
  return r;
}

/// The way out that stores these registers as they came.
const Exit &Translator::exitWith(const std::vector<int32_t> &units) {
  Exit &exit = exits[units];
  if (exit.block)
    return exit;
  IRBuilder<>::InsertPointGuard guard(b);
  exit.block = newBlock("exit");
  b.SetInsertPoint(exit.block);
  exit.executed = b.CreatePHI(b.getInt64Ty(), 2);
  exit.answer = b.CreatePHI(b.getInt64Ty(), 2);
  for (int32_t unit : units)
    flush(unit, asItCame(unit));
  b.CreateStore(exit.executed, addressOf(offsetof(NativeFrame, executed)));
  b.CreateRet(exit.answer);
  return exit;
}

/// Hands the current instruction to the interpreter. What the segment carried
/// here is stored where others leave, too: code would grow with each of them.
void Translator::leaveHere() {
  const BitVector live = analysis.liveBefore(*segment, position);
  std::vector<int32_t> shared;
  for (const auto &[unit, value] : registers) {
    if (!value.dirty || !live[unit])
      continue;
    if (value.isAsItCame)
      shared.push_back(unit);
    else
      flush(unit, value);
  }
  Value *executed = countExecuted(0);
  if (shared.empty())
    return leave(NativeExit::Instruction, position, executed);
  const Exit &exit = exitWith(shared);
  exit.executed->addIncoming(executed, b.GetInsertBlock());
  exit.answer->addIncoming(answerOf(NativeExit::Instruction, position),
                           b.GetInsertBlock());
  b.CreateBr(exit.block);
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
  leave(NativeExit::Stop, position, countExecuted(1));
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
  forEachDef(k, inst, [&](int32_t unit) { registers.erase(unit); });
  Analysis::note(k, inst, result, facts);
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

/// Registers where an edge arrives: those that it assigns, and what is alive.
Translator::Registers Translator::arriving(const Edge &edge) {
  const Segment &target = analysis.segments[analysis.segmentAt[edge.target]];
  Registers result;
  auto get = [&](int32_t unit, bool wide) {
    auto known = registers.find(unit);
    return known != registers.end()
               ? known->second
               : load(unit, wide, analysis.factOf(unit, facts));
  };
  for (uint32_t c = 0; c < edge.copies; ++c) {
    const Copy &copy = k.copies[edge.firstCopy + c];
    auto now = result.find(copy.src);
    Register value = copy.src < 0          ? constant(copy.src, copy.wide)
                     : now != result.end() ? now->second
                                           : get(copy.src, copy.wide);
    value.dirty = true;
    result[copy.dst] = value;
  }
  for (unsigned unit : target.live.set_bits())
    if (!result.count(unit) && (registers.count(unit) || target.carried[unit]))
      result[unit] = get(unit, analysis.factOf(unit, facts).wide);
  // Others that it assigns are on the way to somewhere else.
  for (uint32_t c = 0; c < edge.copies; ++c)
    if (const int32_t unit = k.copies[edge.firstCopy + c].dst;
        !target.live[unit])
      result.erase(unit);
  return result;
}

/// A register as a segment takes it.
Value *Translator::passed(const Register &value, Type *type) {
  if (!type->isFPOrFPVectorTy())
    return type->isVectorTy() ? vectorOf(value) : integerOf(value);
  const bool isSpread = type->isVectorTy() && !value.fact.shape;
  Type *own = isSpread ? lanes(type->getScalarType()) : type->getScalarType();
  Value *number = value.f ? value.f : b.CreateBitCast(integerOf(value), own);
  return type->isVectorTy() ? splat(number) : number;
}

/// On to a segment, with what is not carried there in memory.
void Translator::goTo(int32_t target, const Registers &values,
                      Value *executed) {
  const Entry &entry = entries[target];
  for (const auto &[unit, value] : values)
    if (value.dirty && !entry.carried.count(unit))
      flush(unit, value);
  for (auto [unit, phi] : entry.carried)
    phi->addIncoming(passed(values.at(unit), phi->getType()),
                     b.GetInsertBlock());
  entry.executed->addIncoming(executed, b.GetInsertBlock());
}

/// What an edge assigns, and on to its target.
BasicBlock *Translator::takeEdge(uint32_t number) {
  IRBuilder<>::InsertPointGuard guard(b);
  const Edge &edge = k.edges[number];
  BasicBlock *block = newBlock("edge");
  b.SetInsertPoint(block);
  Value *executed = countExecuted(1);
  const int32_t target = analysis.segmentAt[edge.target];
  const Registers values = arriving(edge);
  goTo(target, values, executed);
  if (edge.target > position) {
    b.CreateBr(entries[target].block);
    return block;
  }
  BasicBlock *end = newBlock("limit");
  branchUnlikely(b.CreateICmpUGT(executed, limit), end, entries[target].block);
  b.SetInsertPoint(end);
  for (auto [unit, phi] : entries[target].carried)
    flush(unit, values.at(unit));
  leave(NativeExit::Limit, edge.target, executed);
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
  flushAll(analysis.sharedByEdges(inst));
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

Entry Translator::makeEntry(size_t number) {
  const Segment &own = analysis.segments[number];
  Entry entry;
  entry.block = newBlock("segment");
  b.SetInsertPoint(entry.block);
  entry.executed = b.CreatePHI(b.getInt64Ty(), 2);
  for (unsigned unit : own.carried.set_bits()) {
    const Fact fact = analysis.factOf(unit, own.facts);
    Type *type = fact.isFloat ? floatType(fact.wide) : intType(fact.wide);
    entry.carried[unit] = b.CreatePHI(fact.shape ? type : lanes(type), 2);
  }
  return entry;
}

/// A segment's start for calls that begin there: registers are in memory.
BasicBlock *Translator::enterFromOutside(size_t number) {
  const Entry &entry = entries[number];
  BasicBlock *block = prologue;
  if (!entry.carried.empty()) {
    block = newBlock("enter");
    b.SetInsertPoint(block);
  }
  entry.executed->addIncoming(b.getInt64(0), block);
  if (entry.carried.empty())
    return entry.block;
  for (auto [unit, phi] : entry.carried) {
    const Fact fact = analysis.factOf(unit, analysis.segments[number].facts);
    phi->addIncoming(passed(load(unit, fact.wide, fact), phi->getType()),
                     block);
  }
  b.CreateBr(entry.block);
  return block;
}

void Translator::enterSegment(size_t number) {
  segment = &analysis.segments[number];
  registers.clear();
  exits.clear();
  facts = segment->facts;
  for (const auto &[unit, phi] : ownEntry().carried)
    registers[unit] = asItCame(unit);
  b.SetInsertPoint(entries[number].block);
  position = segment->begin;
}

void Translator::translateSegment(size_t number) {
  enterSegment(number);
  if (!segment->isReached)
    return leave(NativeExit::Instruction, position, countExecuted(0));
  while (translateInst(k.code[position]))
    ++position;
}

Function *Translator::translate() {
  for (size_t n = 0; n < analysis.segments.size(); ++n)
    entries.push_back(makeEntry(n));
  for (size_t n = 0; n < analysis.segments.size(); ++n)
    translateSegment(n);
  BasicBlock *wrong = newBlock("wrong");
  b.SetInsertPoint(wrong);
  leave(NativeExit::Stop, 0, b.getInt64(0));
  b.SetInsertPoint(prologue);
  SwitchInst *start = b.CreateSwitch(function->getArg(1), wrong);
  for (size_t n = 0; n < entries.size(); ++n)
    start->addCase(b.getInt64(n), enterFromOutside(n));
  return function;
}

} // namespace evo::jit
