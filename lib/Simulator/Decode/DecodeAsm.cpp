// Inline PTX. CUDA's half headers, cache-hinted loads and much hand-written
// code reach LLVM as inline PTX, so the statements that occur there are decoded
// like any other code. Text that could not be split into single statements
// (labels, branches, names that nobody declares) and every instruction not
// listed are refused with their text.
#include "AsmDecoder.h"
#include "CallDecoder.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace evo::sim {

bool parsePtxType(StringRef s, PtxType &t) {
  using Kind = device::NumberType::Kind;
  t = PtxType();
  const std::optional<device::NumberType> type = device::readType(s);
  if (!type)
    return false;
  t.bits = type->bits;
  t.pair = type->isPair;
  t.predicate = type->kind == Kind::Predicate;
  t.isSigned = type->kind == Kind::Signed;
  if (type->isFloat())
    t.floatType = type->kind == Kind::BrainFloat ? FT_B
                  : type->bits == 16             ? FT_H
                  : type->bits == 32             ? FT_S
                                                 : FT_D;
  return true;
}

bool AsmDecoder::read(StringRef name, const PtxType &t, int32_t &out) {
  auto it = registers.find(name);
  if (it == registers.end()) {
    uint64_t v = 0;
    if (name == "WARP_SZ") {
      v = warpSize;
    } else if (name.starts_with("%")) {
      const device::DeviceOp *op = device::lookupRegister(name);
      if (!op || op->registers != name || t.bits != 32)
        return refuse();
      const CallEntry &entry = entryOf(*op);
      if (entry.kind == CallKind::ReservedShared) {
        // PTX knows shared memory by 32 bits.
        out = d.emitTo(leaf(t), Op::WINDOW_LI, d.reservedShared());
        return true;
      }
      if (entry.kind != CallKind::SregRead)
        return refuse();
      out = d.slot(false, FT_None);
      d.emit(*entry.opcode, out).sub = entry.what;
      return true;
    } else if (name.starts_with_insensitive("0f")) {
      if (t.bits != 32 || name.drop_front(2).getAsInteger(16, v))
        return refuse();
    } else {
      StringRef digits = name;
      bool negative = digits.consume_front("-");
      (void)(digits.consume_back("U") || digits.consume_back("u"));
      std::string lower = digits.lower();
      if (StringRef(lower).getAsInteger(0, v))
        return refuse();
      if (t.floatType != FT_None) // which no integer literal is
        return refuse();
      if (negative)
        v = 0 - v;
    }
    if (t.bits < 64)
      v &= (1ull << t.bits) - 1;
    out = d.constant(v, t.bits > 32, t.floatType);
    return true;
  }
  const Register &r = it->second;
  if (r.slot == noOperand || r.type.bits != t.bits)
    return refuse();
  out = r.slot;
  if (r.type.floatType != t.floatType)
    out = d.emitTo(leaf(t), forWidth(Op::MOV_I, t.bits > 32), r.slot);
  return true;
}

/// The halves of a packed operand.
bool AsmDecoder::pairOf(StringRef name, const PtxType &t, int32_t out[2]) {
  PtxType b32;
  b32.bits = 32;
  int32_t v;
  if (!read(name, b32, v))
    return false;
  for (int i : {0, 1}) {
    int32_t h = d.slot(false, FT_None);
    d.emit(Op::UNPACK16_I, h, v).imm = 16 * i;
    out[i] = d.slot(false, t.floatType);
    d.emit(Op::MOV_I, out[i], h);
  }
  return true;
}

SmallVector<StringRef, 4> listed(StringRef s) {
  SmallVector<StringRef, 4> parts;
  s.consume_front("{");
  s.consume_back("}");
  s.split(parts, ',');
  for (StringRef &p : parts)
    p = p.trim();
  return parts;
}

bool AsmDecoder::move(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  if (!parsePtxType(op.types[0], t) || args.size() != 2)
    return refuse();
  PtxType half;
  half.bits = t.bits / 2;
  const bool wide = t.bits == 64;
  if (args[1].starts_with("{")) { // join
    auto names = listed(args[1]);
    int32_t lo, hi;
    if (names.size() != 2 || t.bits < 16 || !read(names[0], half, lo) ||
        !read(names[1], half, hi))
      return refuse();
    if (t.bits == 16) { // of two bytes
      const Leaf l = leaf(PtxType::ofBits(16));
      hi = d.emitTo(l, Op::SHL_I, hi, d.constant(8, false));
      write(args[0], PtxType::ofBits(16), d.emitTo(l, Op::OR_I, lo, hi));
      return true;
    }
    PtxType bits;
    bits.bits = t.bits;
    write(args[0], bits,
          d.emitTo(leaf(bits), wide ? Op::PACK32_L : Op::PACK16_I, lo, hi));
    return true;
  }
  int32_t v;
  if (!read(args[1], t, v))
    return false;
  if (!args[0].starts_with("{")) {
    write(args[0], t, v);
    return true;
  }
  auto names = listed(args[0]);
  if (names.size() != 2 || t.bits < 32)
    return refuse();
  for (int i : {0, 1}) {
    int32_t h = d.slot(false, FT_None);
    d.emit(wide ? Op::UNPACK32_L : Op::UNPACK16_I, h, v).imm =
        i * int(half.bits);
    write(names[i], half, h);
  }
  return true;
}

/// selp.T d, a, b, p
bool AsmDecoder::select(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  int32_t a, b, p;
  if (!parsePtxType(op.types[0], t) || args.size() != 4)
    return refuse();
  if (!read(args[1], t, a) || !read(args[2], t, b) ||
      !read(args[3], PtxType::ofBits(1), p))
    return false;
  write(args[0], t,
        d.emitTo(leaf(t), forWidth(Op::SELECT_I, t.bits > 32), p, a, b));
  return true;
}

/// {shl,shr}.T d, a, n
bool AsmDecoder::shift(const device::Words &op, ArrayRef<StringRef> args) {
  PtxType t;
  int32_t a, n;
  if (!parsePtxType(op.types[0], t) || args.size() != 3 || t.bits < 32)
    return refuse();
  if (!read(args[1], t, a) || !read(args[2], PtxType::ofBits(32), n))
    return false;
  const bool wide = t.bits > 32;
  if (wide)
    n = d.emitTo(leaf(t), Op::ZEXT_IL, n);
  const Op o = op.family == "shl" ? Op::SHL_I
               : t.isSigned       ? Op::ASHR_I
                                  : Op::LSHR_I;
  write(args[0], t, d.emitTo(leaf(t), forWidth(o, wide), a, n));
  return true;
}

bool AsmDecoder::readSlots(StringRef name, const PtxType &t, Slots &out) {
  if (t.pair) {
    out.resize(2);
    return pairOf(name, t, out.data());
  }
  out.resize(1);
  return read(name, t, out[0]);
}

void AsmDecoder::writeSlots(StringRef name, const PtxType &t,
                            ArrayRef<int32_t> slots) {
  if (!t.pair)
    return write(name, t, slots[0]);
  const Leaf bits = leaf(PtxType::ofBits(32));
  int32_t half[2];
  for (int i : {0, 1}) {
    half[i] = d.slot(false, FT_None);
    d.emit(Op::MOV_I, half[i], slots[i]);
  }
  write(name, PtxType::ofBits(32),
        d.emitTo(bits, Op::PACK16_I, half[0], half[1]));
}

bool AsmDecoder::spelled(const device::Spelling &spelling, StringRef word,
                         ArrayRef<StringRef> args) {
  const auto operands = spelling.listOperands();
  const auto results = spelling.listResults();
  PtxType t;
  SmallVector<CallDecoder::Operand, 4> given(operands.size());
  for (auto [operand, name] :
       zip_equal(operands, args.drop_front(!results.empty()))) {
    if (!parsePtxType(operand.type, t))
      return refuse();
    if (!readSlots(name, t, given[operand.number].slots))
      return false;
    given[operand.number].leaf = leaf(t);
  }
  SmallVector<PtxType, 2> types;
  SmallVector<Leaf, 2> leaves;
  for (StringRef result : results) {
    if (!parsePtxType(result, t))
      return refuse();
    types.push_back(t);
    leaves.append(t.pair ? 2 : 1, leaf(t));
  }
  device::Callee callee = device::lookupFunction(spelling.intrinsic());
  if (!callee.op)
    return refuse();
  callee.flushesDenormals = device::modifiersOf(word).flushesDenormals;
  std::optional<Slots> out =
      CallDecoder(d, word, given, leaves, entryOf(*callee.op), callee)
          .runStatement();
  if (!out || out->size() < leaves.size())
    return d.error.empty() ? refuse() : false;
  SmallVector<StringRef, 2> names;
  if (!results.empty())
    args[0].split(names, '|');
  ArrayRef<int32_t> rest = *out;
  for (auto [name, type] : zip(names, types)) {
    writeSlots(name.trim(), type, rest);
    rest = rest.drop_front(type.pair ? 2 : 1);
  }
  return true;
}

bool AsmDecoder::execute(const device::Statement &parts) {
  statement = parts.text.str();
  StringRef word = parts.word;
  if (!parts.guard.empty())
    return refuse();
  ArrayRef<StringRef> args = parts.list;
  if (const device::Spelling *spelling = device::lookupSpelling(word, args))
    return spelled(*spelling, word, args);
  const device::DeviceOp *row = device::lookupPTX(word);
  if (!row)
    return refuse();
  const CallKind kind = entryOf(*row).kind;
  if (kind == CallKind::Ignore)
    return true;
  if (kind == CallKind::CachePolicy)
    return cachePolicy(args);
  if (kind == CallKind::TrapCall)
    return d.trap("trap executed"), true;
  const std::optional<device::Words> words = device::readWords(word);
  if (!words)
    return refuse();
  const device::Words &op = *words;
  switch (kind) {
  case CallKind::Move:
    return move(op, args);
  case CallKind::Convert:
    return convert(op, args);
  case CallKind::Select:
    return select(op, args);
  case CallKind::Shift:
    return shift(op, args);
  case CallKind::Compare:
    return compare(op, args);
  case CallKind::Permutation:
    return permutation(op, args);
  case CallKind::Logic3:
    return logic3(op, args);
  case CallKind::BitField:
    return bitField(op, args);
  case CallKind::FindBit:
    return findBit(op, args);
  case CallKind::Extent:
    return extent(op, args);
  case CallKind::CountNot:
    return isZero(op, args);
  case CallKind::WideProduct:
    return wideProduct(op, args);
  case CallKind::WithCarry:
    return withCarry(op, args);
  case CallKind::Product24:
    return product24(op, args);
  case CallKind::Choice:
    return choice(op, args);
  case CallKind::ClassOf:
    return classOf(op, args);
  case CallKind::DotProduct:
    return dotProduct(op, args);
  case CallKind::Lanes:
    return onLanes(op, args);
  case CallKind::Access:
    return access(op, args);
  case CallKind::AtomicAccess:
    return atomic(op, args);
  case CallKind::FenceStatement:
    return fence(op, args);
  case CallKind::AddressCast:
    return convertAddress(op, args);
  case CallKind::MatrixProduct:
    return matrixProduct(op, args);
  case CallKind::MatrixLoad:
  case CallKind::MatrixStore:
    return matrixMemory(op, args);
  case CallKind::AsyncCopy:
    return asyncCopy(op, args);
  case CallKind::AsyncCommit:
  case CallKind::AsyncWait:
    return asyncWait(op, args);
  default:
    return refuse();
  }
}

/// ".reg .b8 a, b". Texts of several statements are split where they come from
/// (SplitStatements.h), but for those with registers that LLVM has none for.
bool AsmDecoder::declare(const device::Statement &directive) {
  const std::optional<device::Registers> declared =
      device::readRegisters(directive);
  PtxType type;
  if (!declared || !parsePtxType(declared->type, type))
    return refuse();
  type.isSigned = false;
  for (StringRef name : declared->names)
    if (name.empty() || name.contains('<') ||
        !registers.try_emplace(name, Register{noOperand, type}).second)
      return refuse();
  return true;
}

/// Whether `operands` name one of the text's own from `first` on.
static bool namesFrom(unsigned first, StringRef operands) {
  while (!operands.empty()) {
    operands = operands.split('$').second;
    unsigned number;
    if (!operands.consumeInteger(10, number) && number >= first)
      return true;
  }
  return false;
}

bool AsmDecoder::executeAll(StringRef text, unsigned outputs) {
  using Kind = device::Statement::Kind;
  bool gaveResult = false;
  return all_of(device::readPTX(text), [&](const device::Statement &next) {
    statement = next.text.str();
    // A result may have been given the register of an operand.
    if (gaveResult && namesFrom(outputs, next.operands))
      return refuse();
    gaveResult |= !next.list.empty() && next.list[0].contains('$') &&
                  !namesFrom(outputs, next.list[0]);
    switch (next.kind) {
    case Kind::ScopeBegin:
    case Kind::ScopeEnd:
      return true;
    case Kind::Directive:
      return declare(next);
    case Kind::Instruction:
      return execute(next);
    case Kind::Label:
      break;
    }
    return refuse();
  });
}

bool AsmDecoder::run(const CallBase &inst, const InlineAsm &assembly) {
  const std::string text = device::plainText(assembly);
  statement = text;
  // Operands: outputs, then inputs, numbered in order of the constraints.
  SmallVector<PtxType, 4> outputs;
  unsigned number = 0, argument = 0;
  for (const InlineAsm::ConstraintInfo &c : assembly.ParseConstraints()) {
    if (c.Type == InlineAsm::isClobber)
      continue;
    if (c.isIndirect || c.Codes.size() != 1)
      return refuse();
    StringRef code = c.Codes[0];
    PtxType t;
    std::string name = "$" + std::to_string(number++);
    unsigned tied;
    bool isTied = !code.getAsInteger(10, tied);
    if (isTied) {
      if (c.Type != InlineAsm::isInput || tied >= outputs.size())
        return refuse();
      t = outputs[tied];
    } else {
      t.bits = code == "h"                  ? 16
               : code == "r" || code == "f" ? 32
               : code == "l" || code == "d" ? 64
               : code == "b"                ? 1
                                            : 0;
      t.floatType = code == "f" ? FT_S : code == "d" ? FT_D : FT_None;
      if (!t.bits && c.Type == InlineAsm::isInput &&
          (code == "n" || code == "i")) {
        Leaf l = d.leafOf(inst.getArgOperand(argument)->getType());
        t.bits = l.bits;
      }
      if (!t.bits)
        return refuse();
    }
    if (c.Type == InlineAsm::isOutput) {
      outputs.push_back(t);
      registers[name] = {noOperand, t};
      continue;
    }
    const Value *v = inst.getArgOperand(argument++);
    Leaf l = d.leafOf(v->getType());
    int32_t s = d.scalar(v);
    if (!d.error.empty())
      return false;
    if (v->getType()->isPointerTy() &&
        v->getType()->getPointerAddressSpace() == target::Shared) {
      // PTX knows shared memory by 32 bits.
      s = d.emitTo(Leaf{nullptr, 0, 32, FT_None}, Op::WINDOW_LI, s);
      if (t.bits == 64)
        s = d.emitTo(leaf(t), Op::ZEXT_IL, s);
    } else if (l.bits != t.bits) {
      return refuse();
    }
    PtxType have = t;
    have.floatType = l.floatType;
    registers[name] = {s, have};
    if (isTied)
      registers["$" + std::to_string(tied)] = {s, have};
  }
  if (!executeAll(text, outputs.size()) || !d.error.empty())
    return d.error.empty() ? refuse() : false;
  Slots out;
  for (unsigned i = 0; i < outputs.size(); ++i) {
    // As the IR types the result.
    Type *type = inst.getType()->isStructTy()
                     ? inst.getType()->getStructElementType(i)
                     : inst.getType();
    Leaf l = d.leafOf(type);
    PtxType want;
    want.bits = l.bits;
    want.floatType = l.floatType;
    int32_t s;
    statement = "result of " + text;
    if (!read("$" + std::to_string(i), want, s))
      return false;
    out.push_back(s);
  }
  if (!inst.getType()->isVoidTy())
    d.values[&inst] = out;
  return true;
}

void Decoder::inlineAsm(const CallBase &inst, const InlineAsm &assembly) {
  AsmDecoder(*this).run(inst, assembly);
}

} // namespace evo::sim
