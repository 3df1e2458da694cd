// Inline PTX. CUDA's half headers, cache-hinted loads and much hand-written
// code reach LLVM as inline PTX, so the statements that occur there are decoded
// like any other code. Only straight-line text is taken; labels, branches,
// guards and every instruction not listed are refused with the statement's
// text.
#include "AsmDecoder.h"
#include "CallDecoder.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/InlineAsm.h"

using namespace llvm;

namespace evo::exec {

bool parsePtxType(StringRef s, PtxType &t) {
  t = PtxType();
  if (s == "pred")
    return t.bits = 1, t.predicate = true, true;
  if (s.consume_back("x2"))
    t.pair = true;
  if (s == "f16")
    t.floatType = FT_H;
  else if (s == "bf16")
    t.floatType = FT_B;
  else if (s == "f32")
    t.floatType = FT_S;
  else if (s == "f64")
    t.floatType = FT_D;
  if (t.floatType != FT_None) {
    t.bits = t.floatType == FT_S ? 32 : t.floatType == FT_D ? 64 : 16;
    return true;
  }
  if (s.size() < 2 || (s[0] != 'b' && s[0] != 'u' && s[0] != 's'))
    return false;
  t.isSigned = s[0] == 's';
  return !s.drop_front().getAsInteger(10, t.bits) &&
         (t.bits == 8 || t.bits == 16 || t.bits == 32 || t.bits == 64);
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
      out = d.slot(false, FT_None);
      d.emit(Op::SREG, out).sub = entryOf(*op).what;
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

bool AsmDecoder::move(const PtxType &t, ArrayRef<StringRef> args) {
  if (args.size() != 2)
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

/// "a", or "a<3>" for a0, a1 and a2.
bool AsmDecoder::declare(StringRef name, const PtxType &t) {
  if (name.consume_back(">")) {
    constexpr unsigned most = 1024;
    auto [prefix, digits] = name.split('<');
    unsigned count;
    if (digits.getAsInteger(10, count) || count > most)
      return refuse();
    for (unsigned n = 0; n < count; ++n)
      if (!declare((prefix + Twine(n)).str(), t))
        return false;
    return true;
  }
  Declaration declaration{name.str(), std::nullopt, {}};
  if (auto hidden = registers.find(name); hidden != registers.end()) {
    if (any_of(scopes.back(),
               [&](const Declaration &other) { return other.name == name; }))
      return refuse(); // twice in one scope
    declaration.outer = hidden->second;
    declaration.outerType = declared.lookup(name);
  }
  scopes.back().push_back(declaration);
  registers[name] = {noOperand, t};
  declared[name] = t;
  return true;
}

bool AsmDecoder::spelled(const device::Spelling &spelling,
                         ArrayRef<StringRef> args) {
  SmallVector<StringRef, 4> operands, results;
  spelling.operands.split(operands, ' ', -1, /*KeepEmpty=*/false);
  spelling.results.split(results, '|', -1, /*KeepEmpty=*/false);
  PtxType t;
  SmallVector<CallDecoder::Operand, 4> given(operands.size());
  for (auto [operand, name] :
       zip_equal(operands, args.drop_front(!results.empty()))) {
    auto [place, type] = operand.split(':');
    unsigned number;
    int32_t value;
    if (place.getAsInteger(10, number) || number >= given.size() ||
        !parsePtxType(type, t))
      return refuse();
    if (!read(name, t, value))
      return false;
    given[number] = {value, leaf(t)};
  }
  SmallVector<PtxType, 2> types;
  SmallVector<Leaf, 2> leaves;
  for (StringRef result : results) {
    if (!parsePtxType(result, t))
      return refuse();
    types.push_back(t);
    leaves.push_back(leaf(t));
  }
  const device::Callee callee =
      device::lookupFunction(("llvm.nvvm." + spelling.function).str());
  if (!callee.op)
    return refuse();
  std::optional<Slots> out =
      CallDecoder(d, given, leaves, entryOf(*callee.op), callee).runStatement();
  if (!out || out->size() < types.size())
    return d.error.empty() ? refuse() : false;
  SmallVector<StringRef, 2> names;
  if (!results.empty())
    args[0].split(names, '|');
  for (auto [name, type, value] : zip(names, types, *out))
    write(name.trim(), type, value);
  return true;
}

/// ".reg.b32 a, b" or ".reg .b32 a, b"
bool AsmDecoder::declareAll(const device::Statement &directive) {
  StringRef word = directive.word;
  SmallVector<StringRef, 4> names = directive.list;
  if (!word.consume_front(".reg"))
    return refuse();
  if (word.empty() && !names.empty()) {
    std::tie(word, names[0]) = names[0].split(' ');
    names[0] = names[0].trim();
  }
  PtxType t;
  if (!word.consume_front(".") || !parsePtxType(word, t))
    return refuse();
  return all_of(names, [&](StringRef name) { return declare(name, t); });
}

/// The names that a scope has declared are gone, or mean what they did before.
void AsmDecoder::endScope() {
  for (const Declaration &declaration : scopes.back()) {
    registers.erase(declaration.name);
    declared.erase(declaration.name);
    if (declaration.outer) {
      registers.insert_or_assign(declaration.name, *declaration.outer);
      declared[declaration.name] = declaration.outerType;
    }
  }
  scopes.back().clear();
  if (scopes.size() > 1)
    scopes.pop_back();
}

bool AsmDecoder::execute(const device::Statement &parts) {
  using Kind = device::Statement::Kind;
  statement = parts.text.str();
  if (parts.kind == Kind::ScopeBegin)
    return scopes.emplace_back(), true;
  if (parts.kind == Kind::ScopeEnd)
    return endScope(), true;
  if (parts.isDirective())
    return declareAll(parts);
  StringRef word = parts.word;
  if (parts.kind == Kind::Label || !parts.guard.empty() || word.empty())
    return refuse();
  SmallVector<StringRef, 8> op;
  word.split(op, '.');
  ArrayRef<StringRef> args = parts.list;
  if (const device::Spelling *spelling = device::lookupSpelling(word, args))
    return spelled(*spelling, args);
  PtxType t;
  if (op[0] == "mov" && op.size() == 2 && parsePtxType(op[1], t))
    return move(t, args);
  if (op[0] == "cvt")
    return convert(op, args);
  if (op[0] == "setp" || op[0] == "set")
    return compare(op, args);
  if (op[0] == "ld" || op[0] == "st")
    return access(op, args);
  if (op[0] == "atom" || op[0] == "red")
    return atomic(op, args);
  if (op[0] == "mma")
    return matrixProduct(op, args);
  if (op[0] == "ldmatrix" || op[0] == "stmatrix")
    return matrixMemory(op, args);
  if (op[0] == "cp")
    return asyncCopy(op, args);
  if (op[0] == "cvta")
    return convertAddress(op, args);
  if (op[0] == "selp" && op.size() == 2 && parsePtxType(op[1], t) &&
      args.size() == 4) {
    PtxType pred;
    pred.bits = 1;
    int32_t a, b, p;
    if (!read(args[1], t, a) || !read(args[2], t, b) || !read(args[3], pred, p))
      return false;
    write(args[0], t,
          d.emitTo(leaf(t), forWidth(Op::SELECT_I, t.bits > 32), p, a, b));
    return true;
  }
  if ((op[0] == "shl" || op[0] == "shr") && op.size() == 2 &&
      parsePtxType(op[1], t) && args.size() == 3 && t.bits >= 32) {
    PtxType amount;
    amount.bits = 32;
    int32_t a, n;
    if (!read(args[1], t, a) || !read(args[2], amount, n))
      return false;
    const bool w = t.bits > 32;
    if (w)
      n = d.emitTo(leaf(t), Op::ZEXT_IL, n);
    Op o = op[0] == "shl" ? Op::SHL_I : t.isSigned ? Op::ASHR_I : Op::LSHR_I;
    write(args[0], t, d.emitTo(leaf(t), forWidth(o, w), a, n));
    return true;
  }
  if (op[0] == "membar" || op[0] == "fence")
    return fence(word, args);
  if (op[0] == "nanosleep")
    return true; // it has no effect on values
  if (op[0] == "trap") {
    d.trap("trap executed");
    return true;
  }
  // As CUDA's headers have it; the manual has it before the type.
  if (op.size() == 3 && op[2] == "relu")
    std::swap(op[1], op[2]);
  bool known;
  if (bool done = scalars(op, args, known); known)
    return done;
  if (bool done = integers(op, args, known); known)
    return done;
  return op.size() >= 2 ? arithmetic(op, args) : refuse();
}

/// The text by which cooperative groups ask where the shared memory lies that
/// the system reserves for them. Its 32-bit addresses have no counterpart here,
/// so it is known as a whole.
static bool asksForReservedMemory(ArrayRef<device::Statement> statements) {
  static constexpr std::pair<StringLiteral, StringLiteral> expected[] = {
      {".reg", ".u32 start"},
      {".reg", ".u64 extended"},
      {"mov.u32", "start, %reserved_smem_offset_1"},
      {"cvt.u64.u32", "extended, start"},
      {"cvta.shared.u64", "$0, extended"}};
  size_t found = 0;
  for (const device::Statement &statement : statements) {
    if (statement.kind == device::Statement::Kind::ScopeBegin ||
        statement.kind == device::Statement::Kind::ScopeEnd)
      continue;
    if (found == std::size(expected) || !statement.guard.empty() ||
        statement.word != expected[found].first ||
        join(statement.list, ", ") != expected[found].second)
      return false;
    ++found;
  }
  return found == std::size(expected);
}

bool AsmDecoder::run(const CallBase &inst, const InlineAsm &assembly) {
  // A dollar sign that is part of a name is as good as any letter there.
  std::string text = device::plainText(assembly);
  for (size_t at; (at = text.find("$$")) != std::string::npos;)
    text.replace(at, 2, "_");
  statement = text;
  const std::vector<device::Statement> statements = device::readPTX(text);
  if (asksForReservedMemory(statements)) {
    d.values[&inst] = {d.reservedShared()};
    return true;
  }
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
    declared[name] = t;
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
  scopes.resize(1);
  for (const device::Statement &one : statements)
    if (!execute(one) || !d.error.empty())
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

} // namespace evo::exec
