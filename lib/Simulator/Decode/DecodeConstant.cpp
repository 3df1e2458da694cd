// Types, constants, parameters, variables. What exists before the first
// instruction runs: how types dissolve into leaves, constants and addresses,
// parameters and shared variables.
#include "Decoder.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace evo::sim {

Leaf Decoder::leafOf(Type *type) {
  Leaf l{type, 0, 0, floatTypeOf(type)};
  if (type->isPointerTy())
    l.bits = 64;
  else if (type->isIntegerTy())
    l.bits = type->getIntegerBitWidth();
  else if (l.floatType != FT_None)
    l.bits = type->getScalarSizeInBits();
  return l;
}

bool Decoder::leaves(Type *type, SmallVectorImpl<Leaf> &out, uint64_t offset) {
  if (type->isVoidTy())
    return true;
  if (auto *s = dyn_cast<StructType>(type)) {
    const StructLayout *layout = ctx.layout.getStructLayout(s);
    for (unsigned i = 0; i < s->getNumElements(); ++i)
      if (!leaves(s->getElementType(i), out,
                  offset + layout->getElementOffset(i)))
        return false;
    return true;
  }
  if (auto *a = dyn_cast<ArrayType>(type)) {
    uint64_t size = ctx.layout.getTypeAllocSize(a->getElementType());
    if (a->getNumElements() > 4096)
      return fail("array value of " + Twine(a->getNumElements()) + " elements"),
             false;
    for (uint64_t i = 0; i < a->getNumElements(); ++i)
      if (!leaves(a->getElementType(), out, offset + i * size))
        return false;
    return true;
  }
  if (auto *v = dyn_cast<FixedVectorType>(type)) {
    uint64_t bits = ctx.layout.getTypeSizeInBits(v->getElementType());
    for (unsigned i = 0; i < v->getNumElements(); ++i) {
      Leaf l = leafOf(v->getElementType());
      // Vectors of sub-byte elements have no byte offsets; memory accesses
      // refuse them (offset ~0).
      l.offset = bits % 8 ? ~0ull : offset + i * bits / 8;
      out.push_back(l);
    }
    return leafOf(v->getElementType()).bits != 0 ||
           (fail("vector element type"), false);
  }
  Leaf l = leafOf(type);
  l.offset = offset;
  if (l.bits == 0 || l.bits > 64) {
    std::string text;
    raw_string_ostream(text) << *type;
    fail("type " + text);
    return false;
  }
  out.push_back(l);
  return true;
}

std::pair<unsigned, unsigned> Decoder::leavesAt(Type *type,
                                                ArrayRef<unsigned> indices) {
  // Before an element are those of its preceding siblings.
  unsigned start = 0;
  SmallVector<Leaf, 8> ls;
  for (unsigned index : indices) {
    auto *s = dyn_cast<StructType>(type);
    auto element = [&](unsigned i) {
      return s ? s->getElementType(i) : type->getArrayElementType();
    };
    for (unsigned i = 0; i < index; ++i) {
      ls.clear();
      leaves(element(i), ls);
      start += ls.size();
    }
    type = element(index);
  }
  ls.clear();
  leaves(type, ls);
  return {start, ls.size()};
}

bool Decoder::constantPointer(const llvm::Constant *c, int32_t &out) {
  APInt offset(64, 0);
  const Value *base = c;
  for (;;) {
    base = base->stripAndAccumulateConstantOffsets(ctx.layout, offset, true);
    auto *op = dyn_cast<ConstantExpr>(base);
    if (op && op->getOpcode() == Instruction::AddrSpaceCast)
      base = op->getOperand(0);
    else
      break;
  }
  uint64_t disp = offset.getZExtValue();
  if (isa<ConstantPointerNull>(base) || isa<UndefValue>(base)) {
    out = constant(disp, true);
    return true;
  }
  if (auto *e = dyn_cast<ConstantExpr>(base))
    if (e->getOpcode() == Instruction::IntToPtr)
      if (auto *i = dyn_cast<ConstantInt>(e->getOperand(0))) {
        out = constant(i->getZExtValue() + disp, true);
        return true;
      }
  if (auto *g = dyn_cast<GlobalVariable>(base)) {
    if (g->getAddressSpace() == target::Shared) {
      auto it = sharedIndex.find(g);
      if (it == sharedIndex.end())
        return false;
      out = constant(
          variableAddress(SpaceShared, it->second, k.shared[it->second].align) +
              disp,
          true);
      return true;
    }
    auto it = ctx.globals.find(g);
    if (it == ctx.globals.end())
      return false;
    out = address(Constant::GlobalAddress, it->second, disp);
    return true;
  }
  return false;
}

/// Integers made of the 32-bit addresses of shared variables.
bool Decoder::sharedNumber(const llvm::Constant *c, uint64_t &out) {
  if (auto *i = dyn_cast<ConstantInt>(c))
    return out = i->getZExtValue(), true;
  auto *e = dyn_cast<ConstantExpr>(c);
  int32_t pointer;
  if (!e || leafOf(e->getType()).bits > 64)
    return false;
  uint64_t a = 0, b = 0;
  switch (e->getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::PtrToAddr:
    if (e->getOperand(0)->getType()->getPointerAddressSpace() !=
            target::Shared ||
        !constantPointer(e->getOperand(0), pointer) ||
        k.constants[-pointer - 1].kind != Constant::Bits)
      return false;
    out = sharedWindow(k.constants[-pointer - 1].bits);
    return true;
  case Instruction::Trunc:
    if (!sharedNumber(e->getOperand(0), a))
      return false;
    out = a & maskTrailingOnes<uint64_t>(leafOf(e->getType()).bits);
    return true;
  case Instruction::Add:
  case Instruction::Sub:
    if (!sharedNumber(e->getOperand(0), a) ||
        !sharedNumber(e->getOperand(1), b))
      return false;
    out = (e->getOpcode() == Instruction::Add ? a + b : a - b) &
          maskTrailingOnes<uint64_t>(leafOf(e->getType()).bits);
    return true;
  default:
    return false;
  }
}

bool Decoder::constantSlots(const llvm::Constant *c, Slots &out) {
  Type *t = c->getType();
  if (auto *i = dyn_cast<ConstantInt>(c); i && !t->isVectorTy()) {
    if (i->getBitWidth() > 64)
      return fail("integer constant wider than 64 bits"), false;
    out.push_back(constant(i->getZExtValue(), i->getBitWidth() > 32));
    return true;
  }
  if (auto *f = dyn_cast<ConstantFP>(c); f && !t->isVectorTy()) {
    FloatType ft = floatTypeOf(t);
    if (ft == FT_None)
      return fail("floating-point constant type"), false;
    out.push_back(constant(f->getValueAPF().bitcastToAPInt().getZExtValue(),
                           ft == FT_D, ft));
    return true;
  }
  if (t->isPointerTy()) {
    int32_t s;
    if (!constantPointer(c, s))
      return fail("constant pointer"), false;
    out.push_back(s);
    return true;
  }
  const bool isUndefined = isa<UndefValue>(c);
  if (isUndefined || isa<ConstantAggregateZero>(c) || c->isNullValue()) {
    SmallVector<Leaf, 8> ls;
    if (!leaves(t, ls))
      return false;
    for (const Leaf &l : ls)
      out.push_back(isUndefined ? undefined(l)
                                : constant(0, l.wide(), l.floatType));
    return true;
  }
  if (t->isAggregateType() || t->isVectorTy()) {
    uint64_t n = t->isStructTy()  ? t->getStructNumElements()
                 : t->isArrayTy() ? t->getArrayNumElements()
                                  : cast<FixedVectorType>(t)->getNumElements();
    for (uint64_t i = 0; i < n; ++i) {
      const llvm::Constant *e = c->getAggregateElement(i);
      if (!e)
        return fail("aggregate constant"), false;
      if (!constantSlots(e, out))
        return false;
    }
    return true;
  }
  uint64_t number;
  if (isa<ConstantExpr>(c) && t->isIntegerTy() && sharedNumber(c, number)) {
    out.push_back(constant(number, leafOf(t).wide()));
    return true;
  }
  if (auto *e = dyn_cast<ConstantExpr>(c))
    if (e->getOpcode() == Instruction::PtrToInt && leafOf(t).bits == 64 &&
        e->getOperand(0)->getType()->getPointerAddressSpace() !=
            target::Shared) {
      int32_t s;
      if (constantPointer(e->getOperand(0), s)) {
        out.push_back(s);
        return true;
      }
    }
  std::string text;
  raw_string_ostream(text) << *c;
  fail("constant " + text);
  return false;
}

const Slots &Decoder::get(const Value *value) {
  auto it = values.find(value);
  if (it != values.end())
    return it->second;
  Slots out;
  if (auto *c = dyn_cast<llvm::Constant>(value)) {
    if (!constantSlots(c, out))
      out.assign(4096, constant(0, true));
  } else {
    // unreachable: what can be reached uses neither
    fail("use of a value of unreachable code or of a label");
    out.assign(4096, constant(0, true));
  }
  return values[value] = std::move(out);
}

std::pair<int32_t, int64_t> Decoder::pointer(const Value *value) {
  auto it = parts.find(value);
  if (it != parts.end() && it->second.second >= INT32_MIN &&
      it->second.second <= INT32_MAX)
    return it->second;
  return {scalar(value), 0};
}

/// Whether all uses of a pointer are loads and the arithmetic of their
/// addresses.
static bool isOnlyLoadedFrom(const llvm::Argument &pointer) {
  llvm::SmallPtrSet<const Value *, 16> seen = {&pointer};
  SmallVector<const Value *, 16> left = {&pointer};
  while (!left.empty())
    for (const User *user : left.pop_back_val()->users()) {
      if (const auto *load = dyn_cast<LoadInst>(user)) {
        if (load->isVolatile() || load->isAtomic())
          return false;
        continue;
      }
      if (isa<ICmpInst>(user))
        continue;
      if (!isa<GetElementPtrInst, AddrSpaceCastInst, PHINode, SelectInst>(user))
        return false;
      if (seen.insert(user).second)
        left.push_back(user);
    }
  return true;
}

void Decoder::parameters() {
  unsigned index = 0;
  for (const llvm::Argument &a : fn.args()) {
    KernelParameter p;
    p.name = a.getName().str();
    if (a.hasByValAttr()) {
      p.byVal = true;
      p.isPointer = true;
      p.bytes = ctx.layout.getTypeAllocSize(a.getParamByValType());
      p.align = ctx.layout
                    .getValueOrABITypeAlignment(a.getParamAlign(),
                                                a.getParamByValType())
                    .value();
      values[&a] = {address(Constant::ParamAddress, index, 0)};
    } else {
      SmallVector<Leaf, 4> ls;
      if (!leaves(a.getType(), ls))
        return;
      if (ls.size() != 1) {
        fail("aggregate parameter passed in registers");
        return;
      }
      p.isPointer = a.getType()->isPointerTy();
      p.isReadOnly = p.isPointer && isOnlyLoadedFrom(a);
      p.isFloat = ls[0].floatType != FT_None;
      p.bytes = (ls[0].bits + 7) / 8;
      Constant c;
      c.kind = Constant::Arg;
      c.wide = ls[0].wide();
      c.floatType = ls[0].floatType;
      c.index = index;
      k.constants.push_back(c);
      values[&a] = {-static_cast<int32_t>(k.constants.size())};
    }
    k.params.push_back(p);
    ++index;
  }
}

/// Static shared variables first; every variable of unknown size aliases the
/// one dynamic region of the launch.
void Decoder::sharedVariables() {
  SmallVector<const GlobalVariable *, 4> dynamic;
  for (const GlobalVariable &g : ctx.module.globals()) {
    if (g.getAddressSpace() != target::Shared)
      continue;
    // Only variables that this kernel mentions occupy its shared memory.
    SmallVector<const User *, 8> work(g.users());
    bool used = false;
    while (!work.empty() && !used) {
      const User *u = work.pop_back_val();
      if (auto *i = dyn_cast<Instruction>(u))
        used = i->getFunction() == &fn;
      else
        work.append(u->user_begin(), u->user_end());
    }
    if (!used)
      continue;
    uint64_t bytes = ctx.layout.getTypeAllocSize(g.getValueType());
    if (bytes == 0 || g.isDeclaration()) {
      dynamic.push_back(&g);
      continue;
    }
    Variable v;
    v.name = readableName(g.getName());
    v.bytes = bytes;
    // What the back end gives a variable that asks for nothing.
    v.align =
        ctx.layout.getValueOrABITypeAlignment(g.getAlign(), g.getValueType())
            .value();
    sharedIndex[&g] = k.shared.size();
    k.shared.push_back(v);
  }
  if (dynamic.empty())
    return;
  Variable v;
  v.dynamic = true;
  v.align = 16; // what a launch guarantees, whatever the array declares
  v.name = readableName(dynamic.front()->getName());
  for (const GlobalVariable *g : dynamic)
    sharedIndex[g] = k.shared.size();
  k.shared.push_back(v);
}

int32_t Decoder::reservedShared() {
  size_t index = 0;
  while (index < k.shared.size() && !k.shared[index].reserved)
    ++index;
  if (index == k.shared.size()) {
    Variable v;
    v.name = "reserved shared memory"; // no diagnostic: a name
    v.bytes = 288;                     // what cooperative groups may count on
    v.align = 16;
    v.reserved = true;
    k.shared.push_back(v);
  }
  return constant(variableAddress(SpaceShared, index, 16), true);
}

} // namespace evo::sim
