// The table of operations, and the hashes by which it is asked.
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include <map>

using namespace llvm;
using namespace evo;
using namespace evo::device;

namespace {
enum class Modifies : uint8_t {
  Shared,
  Cluster,
  GivesCarry,
  TakesCarry,
  FlushesDenormals,
  OrdersMemory,
};
struct Modifier {
  StringLiteral words;
  Modifies means;
};
struct PromptPhrase {
  uint8_t place;
  StringLiteral text;
};
struct LaunchAttributeName {
  LaunchAttribute attribute;
  StringLiteral name;
};

#define GET_DeviceOpTable_IMPL
#define GET_SpellingTable_IMPL
#define GET_VariantTable_IMPL
#define GET_ModifierTable_IMPL
#define GET_PromptPhraseTable_IMPL
#define GET_LaunchAttributeTable_IMPL
#include "evo/DeviceOps/DeviceOps.inc"

constexpr StringLiteral intrinsicPrefix = "llvm.nvvm.";
constexpr StringLiteral libdevicePrefix = "__nv_";

/// Calls f(part) for the parts of `text` that `separator` is between.
template <class F> void forEachPart(StringRef text, char separator, F f) {
  while (!text.empty()) {
    auto [part, rest] = text.split(separator);
    f(part);
    text = rest;
  }
}

struct Index {
  StringMap<const DeviceOp *> names, words, registers;
  StringMap<SmallVector<const Variant *, 4>> variants;   ///< by their heads
  StringMap<SmallVector<const Spelling *, 2>> spellings; ///< by their words
  StringMap<Modifies> modifiers;
  StringMap<StringRef> prototypes;

  Index() {
    for (const DeviceOp &op : DeviceOpTable) {
      auto enter = [&](StringRef all, StringMap<const DeviceOp *> &map) {
        forEachPart(all, ' ', [&](StringRef one) { map[one] = &op; });
      };
      enter(op.names, names);
      enter(op.words, words);
      enter(op.registers, registers);
      forEachPart(op.prototypes, ';', [&](StringRef prototype) {
        auto [types, functions] = prototype.split(':');
        forEachPart(functions.trim(), ' ',
                    [&, types = types.trim()](StringRef name) {
                      prototypes[name] = types;
                    });
      });
    }
    for (const Spelling &spelling : SpellingTable)
      forEachPart(spelling.words, ' ', [&](StringRef word) {
        spellings[word].push_back(&spelling);
      });
    for (const Variant &variant : VariantTable)
      forEachPart(variant.heads, '|',
                  [&](StringRef head) { variants[head].push_back(&variant); });
    for (const Modifier &modifier : ModifierTable)
      forEachPart(modifier.words, ' ',
                  [&](StringRef word) { modifiers[word] = modifier.means; });
  }
  static const Index &get() {
    static const Index index;
    return index;
  }
};

/// The longest entry that `name` begins with, up to a point.
const DeviceOp *findPrefix(const StringMap<const DeviceOp *> &map,
                           StringRef name) {
  while (!name.empty()) {
    if (const DeviceOp *op = map.lookup(name))
      return op;
    const size_t point = name.rfind('.');
    name = name.take_front(point == StringRef::npos ? 0 : point);
  }
  return nullptr;
}

/// By its name, but that the letters which tell an element type may be left
/// out.
const DeviceOp *findForType(StringRef name) {
  const StringMap<const DeviceOp *> &names = Index::get().names;
  if (const DeviceOp *op = names.lookup(name))
    return op;
  const bool isFloat = name.size() > 2 && name.back() == 'f';
  const bool isTyped = name.ends_with(".f") || name.ends_with(".d");
  if (isTyped && name.size() > 2)
    if (const DeviceOp *op = names.lookup(name.drop_back(2)))
      return op;
  return isFloat ? names.lookup(name.drop_back(1)) : nullptr;
}

/// Whether among `words` is one of each of the choices that `wants` names.
bool hasAll(StringRef wants, ArrayRef<StringRef> words) {
  bool all = true;
  forEachPart(wants, ' ', [&](StringRef choices) {
    bool any = false;
    forEachPart(choices, '|',
                [&](StringRef choice) { any |= is_contained(words, choice); });
    all &= any;
  });
  return all;
}
} // namespace

ArrayRef<DeviceOp> device::allOps() { return DeviceOpTable; }
ArrayRef<Variant> device::allVariants() { return VariantTable; }
ArrayRef<Spelling> device::allSpellings() { return SpellingTable; }

MemoryEffects MemoryUse::inLLVM() const {
  const auto which = effect == Effect::None    ? ModRefInfo::NoModRef
                     : effect == Effect::Read  ? ModRefInfo::Ref
                     : effect == Effect::Write ? ModRefInfo::Mod
                                               : ModRefInfo::ModRef;
  switch (reach) {
  case Reach::Arguments:
    return MemoryEffects::argMemOnly(which);
  case Reach::All:
    return MemoryEffects(which);
  case Reach::Hidden:
    return MemoryEffects::inaccessibleMemOnly(which);
  }
  llvm_unreachable("all reaches are named");
}

size_t device::indexOf(const DeviceOp &op) { return &op - DeviceOpTable; }

bool device::isLibdevice(StringRef name) {
  return name.starts_with(libdevicePrefix);
}

bool device::isLibdeviceDeclaration(const Function &function) {
  return function.isDeclaration() && isLibdevice(function.getName());
}

Callee device::lookupFunction(StringRef name) {
  Callee callee;
  const bool isInstruction = name.consume_front(intrinsicPrefix);
  const bool isLibrary = !isInstruction && name.consume_front(libdevicePrefix);
  const bool hasPrefix =
      isInstruction || isLibrary || name.consume_front("llvm.");
  if (isLibrary)
    callee.isFast = name.consume_front("fast_");
  callee.name = name.str();
  constexpr StringLiteral flush = ".ftz";
  if (size_t at = callee.name.find(flush.str()); at != std::string::npos) {
    callee.name.erase(at, flush.size());
    callee.flushesDenormals = true;
  }
  // An instruction of the device may share its name with a function.
  if (isInstruction)
    callee.op = findForType("nvvm." + callee.name);
  if (!callee.op)
    callee.op = hasPrefix ? findForType(callee.name)
                          : Index::get().names.lookup(callee.name);
  if (!callee.op && isInstruction)
    callee.op = findPrefix(Index::get().words, callee.name);
  return callee;
}

Callee device::lookupCallee(const CallBase &call) {
  const Function *callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration())
    return {};
  const Intrinsic::ID id = callee->getIntrinsicID();
  return lookupFunction(id != Intrinsic::not_intrinsic
                            ? Intrinsic::getBaseName(id)
                            : callee->getName());
}

StringRef device::prototypeOf(StringRef name) {
  return name.consume_front(libdevicePrefix)
             ? Index::get().prototypes.lookup(name)
             : StringRef();
}

std::string device::libdeviceNameOf(StringRef libraryName) {
  std::string name = (libdevicePrefix + libraryName).str();
  return prototypeOf(name).empty() ? "" : name;
}

static std::string spell(const Type &type) {
  if (type.isPointerTy())
    return "ptr";
  if (type.isIntegerTy())
    return "i" + std::to_string(type.getIntegerBitWidth());
  return type.isFloatTy()    ? "f32"
         : type.isDoubleTy() ? "f64"
         : type.isVoidTy()   ? "void"
                             : "other";
}

bool device::hasLibdeviceTypes(const Function &function) {
  const StringRef expected = prototypeOf(function.getName());
  std::string types = spell(*function.getReturnType());
  for (const Type *operand : function.getFunctionType()->params())
    types += " " + spell(*operand);
  return expected.empty() || (expected == types && !function.isVarArg());
}

const DeviceOp *device::lookupPTX(StringRef word) {
  return findPrefix(Index::get().words, word);
}

StringRef Words::operator[](StringRef role) const {
  auto found = find_if(said, [&](auto &part) { return part.first == role; });
  return found == said.end() ? StringRef() : found->second;
}

/// The role of `part` by a form, where it has one that nothing else has yet.
static StringRef roleOf(StringRef part, StringRef form, const Words &words) {
  StringRef result;
  forEachPart(form, ' ', [&](StringRef field) {
    StringRef role = field.split('=').first;
    role.consume_back("!");
    if (!words.has(role))
      forEachPart(field.split('=').second, '|', [&](StringRef choice) {
        if (choice == part)
          result = role;
      });
  });
  return result;
}

std::optional<Words> device::readWords(StringRef word) {
  const DeviceOp *family = lookupPTX(word);
  Words words;
  if (!family)
    return std::nullopt;
  forEachPart(family->words, ' ', [&](StringRef head) {
    StringRef rest = word;
    if (rest.consume_front(head) && (rest.empty() || rest[0] == '.'))
      words.family = head;
  });
  StringRef rest = word.drop_front(words.family.size());
  rest.consume_front(".");
  forEachPart(rest, '.', [&](StringRef part) {
    if (StringRef role = roleOf(part, family->form, words); !role.empty())
      words.said.emplace_back(role, part);
    else
      words.types.push_back(part);
  });
  bool isWhole = words.types.size() == family->types;
  forEachPart(family->form, ' ', [&](StringRef field) {
    StringRef role = field.split('=').first;
    isWhole &= !role.consume_back("!") || words.has(role);
  });
  return isWhole ? std::optional(std::move(words)) : std::nullopt;
}

std::optional<NumberType> device::readType(StringRef name) {
  using Kind = NumberType::Kind;
  if (name == "pred")
    return NumberType{Kind::Predicate, 1, /*isPair=*/false};
  const bool isPair = name.consume_back("x2");
  std::optional<Kind> kind;
  if (name.consume_front("bf"))
    kind = Kind::BrainFloat;
  else if (name.consume_front("f"))
    kind = Kind::Float;
  else if (name.consume_front("b"))
    kind = Kind::Bits;
  else if (name.consume_front("u"))
    kind = Kind::Unsigned;
  else if (name.consume_front("s"))
    kind = Kind::Signed;
  unsigned bits = 0;
  if (!kind || name.getAsInteger(10, bits))
    return std::nullopt;
  const NumberType type{*kind, bits, isPair};
  const bool exists =
      bits == 16 ||
      (*kind != Kind::BrainFloat &&
       (bits == 32 || bits == 64 || (bits == 8 && !type.isFloat())));
  return exists ? std::optional(type) : std::nullopt;
}

SmallVector<NumberType, 4> device::typesOf(StringRef word) {
  SmallVector<NumberType, 4> types;
  while (!word.empty()) {
    const size_t point = word.rfind('.');
    const std::optional<NumberType> type =
        readType(word.drop_front(point == StringRef::npos ? 0 : point + 1));
    if (!type)
      break;
    types.insert(types.begin(), *type);
    word = word.take_front(point == StringRef::npos ? 0 : point);
  }
  return types;
}

SmallVector<Spelling::Operand, 4> Spelling::listOperands() const {
  SmallVector<StringRef, 4> texts;
  operands.split(texts, ' ', -1, /*KeepEmpty=*/false);
  SmallVector<Operand, 4> listed;
  for (StringRef text : texts) {
    auto [place, type] = text.split(':');
    unsigned number = 0;
    [[maybe_unused]] const bool isNone = place.getAsInteger(10, number);
    assert(!isNone && number < texts.size() && "a test reads the whole table");
    listed.push_back({number, type});
  }
  return listed;
}

SmallVector<StringRef, 2> Spelling::listResults() const {
  SmallVector<StringRef, 2> types;
  results.split(types, '|', -1, /*KeepEmpty=*/false);
  return types;
}

std::string Spelling::intrinsic() const {
  return ("llvm.nvvm." + function).str();
}

const Spelling *device::lookupSpelling(StringRef word,
                                       ArrayRef<StringRef> operands) {
  const auto &spellings = Index::get().spellings;
  auto found = spellings.find(word);
  if (found == spellings.end())
    return nullptr;
  for (const Spelling *spelling : found->second) {
    const bool hasResults = !spelling->results.empty();
    const size_t named =
        spelling->operands.empty() ? 0 : 1 + spelling->operands.count(' ');
    if (operands.size() == named + hasResults &&
        (!hasResults || operands[0].count('|') == spelling->results.count('|')))
      return spelling;
  }
  return nullptr;
}

const DeviceOp *device::lookupNVVM(StringRef opName) {
  return opName.consume_front("nvvm.") ? findPrefix(Index::get().words, opName)
                                       : nullptr;
}

const DeviceOp *device::lookupRegister(StringRef name) {
  return findPrefix(Index::get().registers, name);
}

unsigned device::minCapabilityOf(StringRef instruction) {
  const DeviceOp *op = nullptr;
  if (instruction.starts_with(intrinsicPrefix)) {
    op = lookupFunction(instruction).op;
    instruction = instruction.drop_front(intrinsicPrefix.size());
  } else if (!instruction.starts_with("llvm.")) {
    op = lookupPTX(instruction);
  } else {
    return 0;
  }
  unsigned min = op ? op->minCapability : 0;
  SmallVector<StringRef, 12> words;
  instruction.split(words, '.');
  const auto &variants = Index::get().variants;
  if (auto found = variants.find(words[0]); found != variants.end())
    for (const Variant *variant : found->second)
      if (variant->minCapability > min &&
          hasAll(variant->words, ArrayRef(words).drop_front()))
        min = variant->minCapability;
  return min;
}

Modifiers device::modifiersOf(StringRef instruction) {
  Modifiers result;
  forEachPart(instruction, '.', [&](StringRef word) {
    const auto &modifiers = Index::get().modifiers;
    auto found = modifiers.find(word);
    if (found == modifiers.end())
      return;
    switch (found->second) {
    case Modifies::Shared:
      result.shared = true;
      break;
    case Modifies::Cluster:
      result.cluster = true;
      break;
    case Modifies::GivesCarry:
      result.givesCarry = true;
      break;
    case Modifies::TakesCarry:
      result.takesCarry = true;
      break;
    case Modifies::FlushesDenormals:
      result.flushesDenormals = true;
      break;
    case Modifies::OrdersMemory:
      result.ordersMemory = true;
      break;
    }
  });
  return result;
}

StringRef device::getName(LaunchAttribute attribute) {
  return find_if(LaunchAttributeTable,
                 [&](const LaunchAttributeName &row) {
                   return row.attribute == attribute;
                 })
      ->name;
}

bool device::isLaunchAttribute(StringRef name) {
  return any_of(LaunchAttributeTable, [&](const LaunchAttributeName &row) {
    return row.name == name;
  });
}

std::vector<StringRef> device::promptPhrases() {
  std::map<uint8_t, StringRef> inOrder;
  for (const PromptPhrase &phrase : PromptPhraseTable)
    inOrder[phrase.place] = phrase.text;
  std::vector<StringRef> phrases;
  for (const auto &[place, text] : inOrder)
    phrases.push_back(text);
  return phrases;
}

std::string device::promptInstructions(bool areSupported) {
  std::map<uint8_t, StringRef> inOrder;
  for (const DeviceOp &op : DeviceOpTable)
    if (!op.promptName.empty() && op.isSupported == areSupported)
      inOrder[op.promptPlace] = op.promptName;
  std::string text;
  size_t left = inOrder.size();
  for (const auto &[place, name] : inOrder) {
    text += name.str() + (left > 2 ? ", " : left == 2 ? " and " : "");
    --left;
  }
  return text;
}
