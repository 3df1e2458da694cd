// The table of operations. Each spelling stands in one record and finds it,
// what is nearly one finds none, and what a record says agrees with what LLVM
// says of the intrinsic.
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/DeviceOps/Libdevice.h"
#include "evo/Target/CUDA/Toolkit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include <fstream>
#include <gtest/gtest.h>

using namespace evo;
using namespace evo::device;
using namespace llvm;

namespace {

SmallVector<StringRef> listed(StringRef all) {
  SmallVector<StringRef> parts;
  all.split(parts, ' ', -1, /*KeepEmpty=*/false);
  return parts;
}

TEST(DeviceOps, EachSpellingIsOfOneRecord) {
  StringSet<> names, words, registers;
  for (const DeviceOp &op : allOps()) {
    for (StringRef name : listed(op.names)) {
      EXPECT_TRUE(names.insert(name).second) << name.str();
      const bool isInstruction = name.starts_with("nvvm.");
      std::string full = (isInstruction ? "llvm." : "__nv_") + name.str();
      EXPECT_EQ(lookupFunction(full).op, &op) << full;
    }
    for (StringRef word : listed(op.words)) {
      EXPECT_TRUE(words.insert(word).second) << word.str();
      EXPECT_EQ(lookupPTX(word), &op) << word.str();
      EXPECT_EQ(lookupPTX((word + ".further").str()), &op) << word.str();
      EXPECT_EQ(lookupNVVM(("nvvm." + word).str()), &op) << word.str();
    }
    for (StringRef name : listed(op.registers)) {
      EXPECT_TRUE(registers.insert(name).second) << name.str();
      EXPECT_EQ(lookupRegister(name), &op) << name.str();
      EXPECT_NE(op.tells, Tells::Nothing) << name.str();
    }
    EXPECT_FALSE(op.names.empty() && op.words.empty());
  }
}

TEST(DeviceOps, WordsByTheirRoles) {
  auto load = readWords("ld.global.relaxed.gpu.L1::no_allocate.v4.f32");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->family, "ld");
  EXPECT_EQ((*load)["space"], "global");
  EXPECT_EQ((*load)["order"], "relaxed");
  EXPECT_EQ((*load)["scope"], "gpu");
  EXPECT_EQ((*load)["keep"], "L1::no_allocate");
  EXPECT_EQ((*load)["vector"], "v4");
  EXPECT_FALSE(load->has("cache"));
  ASSERT_EQ(load->types.size(), 1u);
  EXPECT_EQ(load->types[0], "f32");
  EXPECT_EQ(readWords("mad.wide.u32")->family, "mad.wide");
  EXPECT_TRUE(readWords("fence.acq_rel.gpu"));
  EXPECT_TRUE(readWords("cp.async.wait_all"));
  for (const char *word :
       {"ld.f32.v3", "ld.global.shared.f32", "ld.v2.v4.f32", "ld.release.f32",
        "ld.global", "ld.u32.u32", "st.acquire.gpu.u32", "red.exch.b32",
        "atom.f32", "fence.acq_rel", "fence.proxy.async", "cp.async.wait_all.x",
        "mma.sync.aligned.m16n8k16.row.f32.f16.f16.f32", "prmt.b32.f5e",
        "madc.u32", "unheard.of", ""})
    EXPECT_FALSE(readWords(word)) << word;
}

/// "s16x2" of signed numbers of 16 bits, two of them.
std::string typesAtTheEnd(StringRef word) {
  std::string text;
  for (const NumberType &type : typesOf(word))
    text += (text.empty() ? "" : " ") +
            std::string(1, "pbusfB"[int(type.kind)]) +
            std::to_string(type.bits) + (type.isPair ? "x2" : "");
  return text;
}

TEST(DeviceOps, TypesOfWords) {
  EXPECT_EQ(typesAtTheEnd("cvt.rn.f16.s32"), "f16 s32");
  EXPECT_EQ(typesAtTheEnd("fma.rn.relu.bf16x2"), "B16x2");
  EXPECT_EQ(typesAtTheEnd("setp.lt.u8"), "u8");
  EXPECT_EQ(typesAtTheEnd("vote.sync.any.pred"), "p1");
  EXPECT_EQ(typesAtTheEnd("add.s16x2"), "s16x2");
  EXPECT_EQ(typesAtTheEnd("f64"), "f64");
  for (const char *word :
       {"cvt.rna.tf32", "cvt.rn.satfinite.e4m3x2", "ld.v4", "add.f8",
        "add.bf32", "add.s1", "add.f", "add.32", "add.f32.sat", "predx2", ""})
    EXPECT_EQ(typesAtTheEnd(word), "") << word;
}

/// No word of a form could be in two roles, or be a type.
TEST(DeviceOps, FormsTellWordsApart) {
  unsigned forms = 0;
  for (const DeviceOp &op : allOps()) {
    StringSet<> seen;
    for (StringRef field : listed(op.form)) {
      ++forms;
      SmallVector<StringRef> choices;
      field.split('=').second.split(choices, '|');
      for (StringRef choice : choices) {
        EXPECT_TRUE(seen.insert(choice).second) << field.str();
        EXPECT_FALSE(choice.size() > 2 &&
                     StringRef("bfsu").contains(choice[0]) &&
                     isDigit(choice[1]) && choice != "b4e" && choice != "f4e")
            << choice.str();
      }
    }
    EXPECT_TRUE((op.form.empty() && !op.types) || !op.words.empty());
  }
  EXPECT_GT(forms, 0u);
}

/// A statement and the call that it is agree in all that others ask of them.
TEST(DeviceOps, StatementsThatAreCalls) {
  for (const Spelling &spelling : allSpellings()) {
    SmallVector<StringRef> operands = listed(spelling.operands);
    const size_t results = spelling.listResults().size();
    const DeviceOp *call = lookupFunction(spelling.intrinsic()).op;
    ASSERT_TRUE(call) << spelling.function.str();
    EXPECT_TRUE(
        is_contained(listed(call->names), spelling.function) ||
        is_contained(listed(call->names), ("nvvm." + spelling.function).str()))
        << spelling.function.str();
    for (unsigned i = 0; i < operands.size(); ++i)
      EXPECT_EQ(count_if(operands,
                         [&](StringRef operand) {
                           return operand.starts_with(std::to_string(i) + ":");
                         }),
                1)
          << spelling.operands.str();
    for (const Spelling::Operand &operand : spelling.listOperands())
      EXPECT_LT(operand.number, operands.size()) << spelling.operands.str();
    for (StringRef word : listed(spelling.words)) {
      const DeviceOp *op = lookupPTX(word);
      ASSERT_TRUE(op) << word.str();
      EXPECT_TRUE(op->isSupported) << word.str();
      EXPECT_EQ(op->scope, call->scope) << word.str();
      EXPECT_EQ(op->minCapability, call->minCapability) << word.str();
      EXPECT_EQ(op->hasDestination, results > 0) << word.str();
      SmallVector<StringRef> given(operands.size() + (results > 0), "a");
      std::string all = "a";
      for (unsigned i = 1; i < results; ++i)
        all += "|a";
      if (results)
        given[0] = all;
      EXPECT_EQ(lookupSpelling(word, given), &spelling) << word.str();
      EXPECT_EQ(lookupSpelling((word + ".x").str(), given), nullptr);
      EXPECT_EQ(modifiersOf(word).flushesDenormals, word.contains(".ftz"));
      given.append(3, "a");
      EXPECT_EQ(lookupSpelling(word, given), nullptr) << word.str();
    }
  }
}

TEST(DeviceOps, UnknownNamesAreOfNone) {
  for (const char *name :
       {"__nv_nonsense", "__nv_", "llvm.nvvm.nonsense", "llvm.shfl.sync",
        "__nv_shfl", "llvm.nvvm.shflx.sync.up.i32", "", "f", ".f", "user"})
    EXPECT_EQ(lookupFunction(name).op, nullptr) << name;
  for (const char *word : {"", "shflx.sync", "ldmatrixx", "sh", "nonsense.b32"})
    EXPECT_EQ(lookupPTX(word), nullptr) << word;
  for (const char *name : {"shfl.sync", "gpu.shuffle", "nvvm.", "nvvm.sh"})
    EXPECT_EQ(lookupNVVM(name), nullptr) << name;
  for (const char *name : {"", "%", "tid.x", "%tidx", "%r1"})
    EXPECT_EQ(lookupRegister(name), nullptr) << name;
  EXPECT_FALSE(isLaunchAttribute("nvvm.nonsense"));
  EXPECT_TRUE(isLaunchAttribute(getName(LaunchAttribute::RequiredBlock)));
}

TEST(DeviceOps, HowNamesAreUnderstood) {
  const DeviceOp *exp = lookupFunction("__nv_exp").op;
  EXPECT_EQ(lookupFunction("__nv_expf").op, exp);
  EXPECT_EQ(lookupFunction("llvm.exp").op, exp);
  Callee fast = lookupFunction("__nv_fast_expf");
  EXPECT_EQ(fast.op, exp);
  EXPECT_TRUE(fast.isFast);
  EXPECT_FALSE(lookupFunction("__nv_expf").isFast);
  // The letter of a type, and denormals.
  Callee add = lookupFunction("llvm.nvvm.add.rn.ftz.f");
  EXPECT_EQ(add.op, lookupFunction("llvm.nvvm.add.rn.d").op);
  EXPECT_EQ(add.name, "add.rn.f");
  EXPECT_TRUE(add.flushesDenormals);
  EXPECT_FALSE(lookupFunction("llvm.nvvm.add.rn.f").flushesDenormals);
  // Of an atomic that no record names, what its kind is known for.
  EXPECT_TRUE(lookupFunction("llvm.nvvm.atomic.add.gen.i.sys").op->isAtomic);
  EXPECT_TRUE(lookupFunction("llvm.nvvm.atomic.cas.gen.i.sys").op->isAtomic);
  EXPECT_FALSE(lookupPTX("ld.global.f32")->isAtomic);
  // An instruction that is not the function of its name.
  EXPECT_NE(lookupFunction("llvm.nvvm.round.f").op,
            lookupFunction("__nv_roundf").op);
  // The longest family counts.
  EXPECT_TRUE(lookupPTX("cp.async.ca.shared.global")->isSupported);
  EXPECT_FALSE(lookupPTX("cp.async.bulk.commit_group")->isSupported);
  EXPECT_EQ(lookupPTX("bar.warp.sync")->scope, Scope::Warp);
  EXPECT_EQ(lookupPTX("bar.sync")->scope, Scope::Block);
  EXPECT_EQ(lookupPTX("barrier.cluster.arrive")->scope, Scope::Cluster);
  EXPECT_FALSE(lookupPTX("bar.sync")->hasDestination);
  EXPECT_TRUE(lookupPTX("barrier.cta.red.popc.u32")->hasDestination);
  EXPECT_EQ(lookupRegister("%clusterid.x")->tells, Tells::Cluster);
  EXPECT_EQ(lookupRegister("%tid.x")->tells, Tells::ThreadId);
  EXPECT_EQ(lookupRegister("%ctaid.w")->tells, Tells::BlockId);
}

/// By what they are for, and not by name.
TEST(DeviceOps, FunctionsOfTheRuntime) {
  for (const char *name : {"printf", "vprintf", "__assertfail"})
    EXPECT_TRUE(lookupFunction(name).op->isForPeople) << name;
  EXPECT_TRUE(lookupFunction("malloc").op->allocates);
  for (const char *name : {"free", "memcpy"}) {
    EXPECT_FALSE(lookupFunction(name).op->isForPeople) << name;
    EXPECT_FALSE(lookupFunction(name).op->allocates) << name;
  }
  // Without a prefix, a name is none with a letter more.
  for (const char *name : {"printff", "mallocf", "printf.f"})
    EXPECT_EQ(lookupFunction(name).op, nullptr) << name;
}

/// Whatever CUDA's own library has, kernels may call.
TEST(DeviceOps, AllOfLibdeviceIsKnown) {
  std::ifstream file(EVO_DEVICEOPS_TEST_INPUTS "/libdevice.txt");
  ASSERT_TRUE(file.good());
  unsigned count = 0;
  for (std::string line; std::getline(file, line);) {
    if (StringRef(line).starts_with("#"))
      continue;
    for (StringRef name : listed(line)) {
      const Callee callee = lookupFunction(("__nv_" + name).str());
      EXPECT_TRUE(callee.op && callee.op->isSupported) << name.str();
      EXPECT_FALSE(prototypeOf(("__nv_" + name).str()).empty()) << name.str();
      ++count;
    }
  }
  EXPECT_EQ(count, 349u);
}

TEST(DeviceOps, Prototypes) {
  EXPECT_EQ(prototypeOf("__nv_expf"), "f32 f32");
  EXPECT_EQ(prototypeOf("__nv_exp"), "f64 f64");
  EXPECT_EQ(prototypeOf("__nv_sincosf"), "void f32 ptr ptr");
  EXPECT_EQ(prototypeOf("__nv_float2half_rn"), "i16 f32");
  EXPECT_EQ(prototypeOf("__nv_nonsense"), "");
  EXPECT_EQ(prototypeOf("expf"), "");
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(R"(
declare float @__nv_expf(float)
declare void @__nv_sincosf(float, ptr, ptr)
declare float @mine(i32)
declare float @__nv_exp(float)
declare float @__nv_powf(float)
declare i64 @__nv_clz(i32)
declare float @__nv_sqrtf(float, ...))",
                                    error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  for (const char *name : {"__nv_expf", "__nv_sincosf", "mine"})
    EXPECT_TRUE(hasLibdeviceTypes(*module->getFunction(name))) << name;
  for (const char *name : {"__nv_exp", "__nv_powf", "__nv_clz", "__nv_sqrtf"})
    EXPECT_FALSE(hasLibdeviceTypes(*module->getFunction(name))) << name;
}

TEST(DeviceOps, DeclarationsOfLibdevice) {
  LLVMContext context;
  SMDiagnostic error;
  auto module = parseAssemblyString(R"(
declare float @__nv_expf(float)
declare void @__nv_sincosf(float, ptr, ptr)
declare float @__nv_normf(i32, ptr)
declare float @__nv_nonsense(float) convergent
declare float @mine(float)
define float @__nv_logf(float %x) { ret float %x })",
                                    error, context);
  ASSERT_TRUE(module) << error.getMessage().str();
  annotateLibdevice(*module);
  auto effectsOf = [&](StringRef name) {
    return module->getFunction(name)->getMemoryEffects();
  };
  EXPECT_EQ(effectsOf("__nv_expf"), MemoryEffects::none());
  EXPECT_EQ(effectsOf("__nv_sincosf"),
            MemoryEffects::argMemOnly(ModRefInfo::Mod));
  EXPECT_EQ(effectsOf("__nv_normf"),
            MemoryEffects::argMemOnly(ModRefInfo::Ref));
  // Of what the table lacks nothing is said, and of what has a body.
  for (const char *name : {"__nv_nonsense", "mine", "__nv_logf"})
    EXPECT_EQ(effectsOf(name), MemoryEffects::unknown()) << name;
}

TEST(DeviceOps, PrototypesStandWithTheirFunction) {
  unsigned count = 0;
  for (const DeviceOp &op : allOps()) {
    SmallVector<StringRef> prototypes;
    op.prototypes.split(prototypes, ';', -1, /*KeepEmpty=*/false);
    for (StringRef prototype : prototypes)
      for (StringRef name : listed(prototype.split(':').second)) {
        EXPECT_EQ(lookupFunction(("__nv_" + name).str()).op, &op) << name.str();
        ++count;
      }
  }
  EXPECT_EQ(count, 349u); // each function once
}

TEST(DeviceOps, PrototypesAreThoseOfTheLibrary) {
  Expected<cuda::Toolkit> toolkit = cuda::Toolkit::discover();
  if (!toolkit) {
    consumeError(toolkit.takeError());
    GTEST_SKIP() << "no toolkit";
  }
  const std::string &path = toolkit->getPath(cuda::ToolkitPart::Libdevice);
  if (path.empty())
    GTEST_SKIP() << "no libdevice";
  LLVMContext context;
  SMDiagnostic error;
  auto library = parseIRFile(path, error, context);
  ASSERT_TRUE(library) << error.getMessage().str();
  unsigned count = 0;
  for (const Function &function : *library)
    if (!function.isDeclaration() && function.getName().starts_with("__nv_")) {
      EXPECT_FALSE(prototypeOf(function.getName()).empty())
          << function.getName().str();
      EXPECT_TRUE(hasLibdeviceTypes(function)) << function.getName().str();
      ++count;
    }
  EXPECT_GE(count, 349u);
}

/// Whether a record says of memory what LLVM says of the intrinsic. Of a family
/// whose members differ, and of a function that has results in memory where the
/// intrinsic of its name has none, it has to say what any does. Of what
/// accesses addresses it does not say that nobody may reorder it besides.
bool agreesOnMemory(const DeviceOp &op, StringRef name, MemoryEffects says) {
  const MemoryEffects has = op.memory.inLLVM();
  if (op.addressOperands)
    says = says.getWithoutLoc(IRMemLocation::InaccessibleMem) |
           has.getWithoutLoc(IRMemLocation::ArgMem);
  return is_contained(listed(op.names), name) && !op.prototypes.contains("ptr")
             ? has == says
             : (has | says) == has;
}

/// The effects of the intrinsic of that name.
MemoryEffects effectsInLLVM(LLVMContext &context, StringRef name) {
  return Intrinsic::getFnAttributes(context, Intrinsic::lookupIntrinsicID(name))
      .getMemoryEffects();
}

TEST(DeviceOps, AgreesWithLLVM) {
  LLVMContext context;
  unsigned intrinsics = 0;
  for (const DeviceOp &op : allOps())
    for (StringRef name : listed(op.names)) {
      Intrinsic::ID id =
          Intrinsic::lookupIntrinsicID(("llvm.nvvm." + name).str());
      if (id == Intrinsic::not_intrinsic)
        id = Intrinsic::lookupIntrinsicID(("llvm." + name).str());
      if (id == Intrinsic::not_intrinsic)
        continue;
      ++intrinsics;
      AttributeSet says = Intrinsic::getFnAttributes(context, id);
      // These two stay where they are for reasons of their own.
      const bool isTogether = op.scope == Scope::Warp ||
                              op.scope == Scope::Block || name == "nanosleep" ||
                              name == "is.constant";
      EXPECT_EQ(isTogether, says.hasAttribute(Attribute::Convergent))
          << name.str();
      EXPECT_TRUE(agreesOnMemory(op, name, says.getMemoryEffects()))
          << name.str();
      if (op.addressOperands) {
        EXPECT_FALSE(says.getMemoryEffects().doesNotAccessMemory())
            << name.str();
      }
      if (op.algebra != Algebra::None || op.tells != Tells::Nothing) {
        EXPECT_TRUE(says.getMemoryEffects().doesNotAccessMemory())
            << name.str();
      }
    }
  EXPECT_GT(intrinsics, 150u);
}

/// All that LLVM has and that a name or the beginning of one leads to.
TEST(DeviceOps, MemoryOfAllIntrinsics) {
  LLVMContext context;
  unsigned known = 0;
  for (Intrinsic::ID id = 1; id < Intrinsic::num_intrinsics; ++id) {
    StringRef name = Intrinsic::getBaseName(id);
    const Callee callee = lookupFunction(name);
    if (!name.consume_front("llvm.nvvm.") || !callee.op)
      continue;
    ++known;
    EXPECT_TRUE(agreesOnMemory(
        *callee.op, name,
        Intrinsic::getFnAttributes(context, id).getMemoryEffects()))
        << name.str();
  }
  EXPECT_GT(known, 1000u);
}

/// Records that forget an effect, or have one too many, are told apart.
TEST(DeviceOps, OtherMemoryDoesNotAgree) {
  LLVMContext context;
  for (auto [intrinsic, name, wrong] :
       {std::tuple("llvm.memset", "memset",
                   MemoryUse{Effect::None, Reach::Arguments}),
        std::tuple("llvm.memcpy", "memcpy",
                   MemoryUse{Effect::Write, Reach::Arguments}),
        std::tuple("llvm.fma", "fma", MemoryUse{Effect::Read, Reach::All}),
        std::tuple("llvm.nvvm.shfl.sync.up.i32", "shfl.sync.up.i32",
                   MemoryUse{Effect::ReadWrite, Reach::All}),
        std::tuple("llvm.nvvm.stmatrix.sync.aligned.m8n8.x1.b16",
                   "stmatrix.sync.aligned.m8n8.x1.b16",
                   MemoryUse{Effect::Read, Reach::Arguments})}) {
    DeviceOp op = *lookupFunction(intrinsic).op;
    const MemoryEffects says = effectsInLLVM(context, intrinsic);
    EXPECT_TRUE(agreesOnMemory(op, name, says)) << name;
    op.memory = wrong;
    EXPECT_FALSE(agreesOnMemory(op, name, says)) << name;
  }
}

/// What has no intrinsic.
TEST(DeviceOps, MemoryOfFunctionsAndStatements) {
  auto effectsOf = [](StringRef name) {
    return lookupFunction(name).op->memory.inLLVM();
  };
  EXPECT_EQ(effectsOf("__nv_expf"), MemoryEffects::none());
  EXPECT_EQ(effectsOf("__nv_sincosf"),
            MemoryEffects::argMemOnly(ModRefInfo::Mod));
  EXPECT_EQ(effectsOf("__nv_normf"),
            MemoryEffects::argMemOnly(ModRefInfo::Ref));
  EXPECT_TRUE(lookupPTX("ld.global.f32")->memory.reads());
  EXPECT_TRUE(lookupPTX("atom.add.f32")->memory.reads());
  EXPECT_FALSE(lookupPTX("st.global.f32")->memory.reads());
  EXPECT_FALSE(lookupPTX("vote.sync.any.pred")->memory.reads());
  // A function of libdevice has effects where it takes an address, only.
  for (const DeviceOp &op : allOps()) {
    SmallVector<StringRef> prototypes;
    op.prototypes.split(prototypes, ';', -1, /*KeepEmpty=*/false);
    for (StringRef prototype : prototypes)
      EXPECT_EQ(prototype.split(':').first.contains("ptr"),
                op.memory.effect != Effect::None)
          << prototype.str();
  }
}

TEST(DeviceOps, Calls) {
  const char *text = R"(
declare float @__nv_expf(float)
declare float @llvm.fma.f32(float, float, float)
declare float @mine(float)
define float @__nv_logf(float %x) { ret float %x }
define float @f(float %x, ptr %p) {
  %a = call float @__nv_expf(float %x)
  %b = call float @llvm.fma.f32(float %x, float %x, float %x)
  %c = call float @mine(float %x)
  %d = call float @__nv_logf(float %x)
  %e = call float %p(float %x)
  %g = call float asm "ex2.approx.f32 $0, $1;", "=f,f"(float %x)
  ret float %a
})";
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssemblyString(text, diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  StringSet<> known;
  for (const Instruction &inst : instructions(*module->getFunction("f")))
    if (auto *call = dyn_cast<CallBase>(&inst); call && lookup(*call))
      known.insert(call->getName());
  EXPECT_EQ(known.size(), 2u);
  EXPECT_TRUE(known.contains("a") && known.contains("b"));
  EXPECT_TRUE(isLibdeviceDeclaration(*module->getFunction("__nv_expf")));
  EXPECT_FALSE(isLibdeviceDeclaration(*module->getFunction("__nv_logf")));
  EXPECT_FALSE(isLibdeviceDeclaration(*module->getFunction("mine")));
}

TEST(DeviceOps, Modifiers) {
  EXPECT_TRUE(modifiersOf("ld.shared.f32").shared);
  EXPECT_TRUE(modifiersOf("st.shared::cta.f32").shared);
  EXPECT_FALSE(modifiersOf("ld.shared.f32").cluster);
  EXPECT_TRUE(modifiersOf("ld.shared::cluster.f32").cluster);
  EXPECT_TRUE(modifiersOf("fence.acq_rel.cluster").cluster);
  EXPECT_TRUE(modifiersOf("mad.lo.cc.u32").givesCarry);
  EXPECT_TRUE(modifiersOf("subc.u32").takesCarry);
  EXPECT_FALSE(modifiersOf("sub.u32").takesCarry);
  EXPECT_FALSE(modifiersOf("ld.global.f32").shared);
  EXPECT_FALSE(modifiersOf("clusterlaunchcontrol").cluster);
}

TEST(DeviceOps, Prompt) {
  EXPECT_EQ(promptInstructions(true), "mma.sync, ldmatrix and stmatrix");
  EXPECT_EQ(promptInstructions(false), "wgmma, TMA and mbarriers");
  std::vector<StringRef> phrases = promptPhrases();
  ASSERT_EQ(phrases.size(), 9u);
  EXPECT_TRUE(phrases.front().starts_with("cache hints"));
  EXPECT_EQ(phrases.back(), "tiles of cooperative groups");
}

/// What is created by what it does is found again, and its record agrees.
TEST(DeviceOps, IntrinsicsByWhatTheyDo) {
  auto recordOf = [](Intrinsic::ID id) {
    return lookupFunction(Intrinsic::getBaseName(id)).op;
  };
  for (Tells tells :
       {Tells::ThreadId, Tells::BlockDim, Tells::BlockId, Tells::GridDim})
    for (unsigned axis = 0; axis < 3; ++axis) {
      const Intrinsic::ID id = getIntrinsic({tells, axis});
      auto found = findRegister(id);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->tells, tells);
      EXPECT_EQ(found->axis, axis);
      ASSERT_TRUE(recordOf(id));
      EXPECT_EQ(recordOf(id)->tells, tells);
      EXPECT_TRUE(recordOf(id)->registers.ends_with(
          std::string(1, static_cast<char>('x' + axis))));
    }
  for (ShuffleFrom from : {ShuffleFrom::Up, ShuffleFrom::Down, ShuffleFrom::Xor,
                           ShuffleFrom::Index})
    for (bool isFloat : {false, true}) {
      const Intrinsic::ID id = getShuffle(from, isFloat);
      EXPECT_EQ(findShuffle(id), from);
      ASSERT_TRUE(recordOf(id));
      EXPECT_EQ(recordOf(id)->scope, Scope::Warp);
    }
  EXPECT_EQ(recordOf(getBlockBarrier())->scope, Scope::Block);
  EXPECT_EQ(recordOf(getWarpBarrier())->scope, Scope::Warp);
  EXPECT_EQ(recordOf(getBallot())->scope, Scope::Warp);
  EXPECT_FALSE(findRegister(getBallot()));
  EXPECT_FALSE(findShuffle(getWarpBarrier()));
  EXPECT_FALSE(findRegister(Intrinsic::not_intrinsic));
}

} // namespace
