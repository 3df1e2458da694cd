//===- LeastTargets.cpp - Instructions that came with a target ------------===//
//
// Only what the interpreter knows is listed: all else is no pass anyhow.
// Instructions of LLVM IR are not, as the back end has code for them
// everywhere.
//
//===----------------------------------------------------------------------===//

#include "evo/Analysis/LeastTargets.h"
#include "evo/Target/Arch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace evo::exec {

// no diagnostics: words of instructions
static constexpr LeastTarget table[] = {
    // Conversions, then as LLVM's intrinsics name them.
    {"cvt e4m3x2|e5m2x2", 89},
    {"cvt bf16|bf16x2|f16x2|tf32", 80},
    {"cvt rn tf32", 90},
    {"cvt bf16 f16|f64|u8|s8|u16|s16|u32|s32|u64|s64", 90},
    {"f2bf16|ff2bf16x2|ff2f16x2|f2tf32", 80},
    {"f2tf32 rn", 90},
    // Arithmetic of halves.
    {"add|sub|mul bf16|bf16x2", 90},
    {"fma bf16|bf16x2|relu", 80},
    {"min|max|fmin|fmax f16|f16x2|bf16|bf16x2|NaN|nan", 80},
    {"neg|abs bf16|bf16x2", 80},
    {"set|setp bf16|bf16x2", 90},
    {"ex2 f16|f16x2|v2f16", 75},
    {"tanh approx", 75},
    {"ex2|tanh bf16|bf16x2|v2bf16", 90},
    // Within a warp.
    {"redux", 80},
    {"ldmatrix", 75},
    {"stmatrix", 90},
    {"mma m16n8k8|m8n8k16", 75},
    {"mma m16n8k4|m16n8k16|m16n8k32|bf16|tf32", 80},
    {"wmma bf16|tf32", 80},
    {"wmma s8|u8", 72},
    // Memory.
    {"cp async", 80},
    {"cp bulk", 90},
    {"atom|red bf16|bf16x2", 90},
    {"ld|st|atom|red|fence cluster", 90},
    {"ld|st v4 b64|u64|s64|f64", 100},
    {"ld L2::64B|L2::128B", 75},
    {"ld L2::256B", 80},
    {"prefetch L2::evict_last|L2::evict_normal", 80},
};

ArrayRef<LeastTarget> minTargets() { return table; }

static bool matches(StringRef row, ArrayRef<StringRef> has) {
  auto isAmong = [](StringRef choices, ArrayRef<StringRef> words) {
    SmallVector<StringRef, 12> each;
    choices.split(each, '|');
    return any_of(words, [&](StringRef w) { return is_contained(each, w); });
  };
  SmallVector<StringRef, 4> wants;
  row.split(wants, ' ');
  return isAmong(wants[0], has.take_front()) &&
         all_of(drop_begin(wants), [&](StringRef choices) {
           return isAmong(choices, has.drop_front());
         });
}

unsigned minTargetOf(StringRef instruction) {
  if (instruction.starts_with("llvm.") &&
      !instruction.consume_front("llvm.nvvm."))
    return 0;
  SmallVector<StringRef, 8> words;
  instruction.split(words, '.');
  unsigned least = 0;
  for (const LeastTarget &row : table)
    if (row.capability > least && matches(row.words, words))
      least = row.capability;
  return least;
}

/// Calls f(word) for the first word of each statement: of inline PTX, guards,
/// scopes and comments aside.
template <class F> static void forEachStatement(StringRef text, F f) {
  while (!text.empty()) {
    text = text.ltrim(" \t\r\n;{}");
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
      continue;
    }
    auto isInWord = [](char c) { return !isSpace(c) && c != ';'; };
    if (text.starts_with("@")) {
      text = text.drop_while(isInWord);
      continue;
    }
    if (StringRef word = text.take_while(isInWord); !word.empty())
      f(word);
    text = text.drop_until([](char c) { return c == ';'; });
  }
}

/// Of what a header holds, where it was called.
static const DILocation *placeOf(const Instruction &inst) {
  const DILocation *l = inst.getDebugLoc().get();
  while (l && l->getInlinedAt() && l->getFilename().contains("/include/"))
    l = l->getInlinedAt();
  return l;
}

std::vector<CodeNote> findInstructionsLacking(const Module &module,
                                              StringRef target) {
  constexpr size_t most = 4;
  std::vector<CodeNote> notes;
  const std::optional<target::Arch> arch = target::Arch::parse(target);
  if (!arch)
    return notes;
  auto note = [&](const Instruction &inst, StringRef name) {
    const unsigned least = minTargetOf(name);
    if (least <= arch->capability)
      return;
    std::string what =
        ("'" + name + "' needs " + target::Arch{least}.str() +
         ", and the target is " + target::Arch{arch->capability}.str())
            .str();
    addNote(notes, placeOf(inst), std::move(what), most);
  };
  for (const Function &function : module)
    for (const Instruction &inst : instructions(function)) {
      auto *call = dyn_cast<CallBase>(&inst);
      if (!call)
        continue;
      if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
        forEachStatement(assembly->getAsmString(),
                         [&](StringRef word) { note(inst, word); });
      else if (const Function *callee = call->getCalledFunction())
        if (callee->getName().starts_with("llvm.nvvm."))
          note(inst, callee->getName());
    }
  return notes;
}

} // namespace evo::exec
