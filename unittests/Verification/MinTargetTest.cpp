// The min target of instructions, by a list of them: what the table says of
// each, that a module with one is told apart, and that the assembler says the
// same.
#include "evo/Analysis/MinTarget.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/CUDA/Assembler.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace evo;
using namespace llvm;

namespace {
struct Line {
  unsigned min;
  std::string statement; // or an intrinsic
  std::string word() const {
    return StringRef(statement).split(' ').first.rtrim(';').str();
  }
  bool isIntrinsic() const { return StringRef(statement).starts_with("llvm."); }
};

/// A statement as the table spells it, with a register for each operand, which
/// `assemble` declares.
std::string makeStatement(StringRef word, const device::Spelling &spelling) {
  unsigned number = 0;
  auto makeRegister = [&](StringRef type) {
    const StringRef file = type == "pred"         ? "p"
                           : type.ends_with("16") ? "h"
                           : type.ends_with("64") ? "g"
                           : type == "f32"        ? "f"
                                                  : "r";
    return file == "g" ? "g" : (file + Twine(number++ % 2)).str();
  };
  const auto results = spelling.listResults();
  std::vector<std::string> names;
  if (!results.empty())
    names.push_back(join(map_range(results, makeRegister), "|"));
  for (const device::Spelling::Operand &operand : spelling.listOperands())
    names.push_back(makeRegister(operand.type));
  return (word + " " + join(names, ", ") + ";").str();
}

/// Those of the file, and each spelling of the table that not all targets have.
std::vector<Line> readLines() {
  auto file = MemoryBuffer::getFile(EVO_MIN_TARGETS);
  std::vector<Line> lines;
  SmallVector<StringRef> texts;
  if (file)
    (*file)->getBuffer().split(texts, '\n', -1, false);
  for (StringRef text : texts) {
    unsigned min;
    if (!text.starts_with("#") && !text.consumeInteger(10, min))
      lines.push_back({min, text.trim().str()});
  }
  for (const device::Spelling &spelling : device::allSpellings()) {
    SmallVector<StringRef> words;
    spelling.words.split(words, ' ');
    for (StringRef word : words)
      if (unsigned min = device::minCapabilityOf(word))
        lines.push_back({min, makeStatement(word, spelling)});
  }
  return lines;
}

TEST(MinTarget, Table) {
  std::vector<Line> lines = readLines();
  ASSERT_FALSE(lines.empty());
  for (const Line &line : lines)
    EXPECT_EQ(device::minCapabilityOf(line.word()), line.min) << line.statement;
  // Each row decides one of them.
  auto decides = [&](unsigned capability, ArrayRef<StringRef> heads) {
    return any_of(lines, [&](const Line &line) {
      StringRef word = line.isIntrinsic()
                           ? StringRef(line.statement).drop_front(10)
                           : StringRef(line.statement);
      return line.min == capability && any_of(heads, [&](StringRef head) {
               StringRef rest = word;
               return rest.consume_front(head) &&
                      (rest.empty() || StringRef(". ;").contains(rest[0]));
             });
    });
  };
  SmallVector<StringRef, 4> heads;
  for (const device::Variant &row : device::allVariants()) {
    heads.clear();
    row.heads.split(heads, '|');
    EXPECT_TRUE(decides(row.minCapability, heads)) << row.words.str();
  }
  for (const device::DeviceOp &op : device::allOps()) {
    heads.clear();
    op.words.split(heads, ' ', -1, /*KeepEmpty=*/false);
    if (op.minCapability && !heads.empty()) {
      EXPECT_TRUE(decides(op.minCapability, heads)) << op.words.str();
    }
  }
}

TEST(MinTarget, Modules) {
  for (const Line &line : readLines()) {
    if (line.isIntrinsic())
      continue;
    LLVMContext context;
    SMDiagnostic diagnostic;
    std::string text = "define ptx_kernel void @k() {\n  call void asm "
                       "sideeffect \"{ // text\\0A .reg .pred q; @!q " +
                       line.statement + " }\", \"\"()\n  ret void\n}\n";
    std::unique_ptr<Module> module =
        parseAssemblyString(text, diagnostic, context);
    ASSERT_TRUE(module) << diagnostic.getMessage().str();
    auto lacking = [&](unsigned capability) {
      return sim::findInstructionsLacking(*module,
                                          "sm_" + std::to_string(capability));
    };
    EXPECT_TRUE(lacking(std::max(line.min, 50u)).empty()) << line.statement;
    EXPECT_TRUE(sim::findInstructionsLacking(*module, "gfx90a").empty());
    if (!line.min)
      continue;
    std::vector<sim::CodeNote> notes = lacking(line.min - 1);
    ASSERT_EQ(notes.size(), 1u) << line.statement;
    EXPECT_EQ(notes[0].str(),
              "'" + line.word() + "' needs sm_" + std::to_string(line.min) +
                  ", and the target is sm_" + std::to_string(line.min - 1));
  }
}

/// What the assembler says of statements, one a line from line 13 on.
std::string assemble(const cuda::Toolkit &toolkit, unsigned target,
                     ArrayRef<Line> lines) {
  std::string arch = "sm_" + std::to_string(target);
  std::string text = ".version 8.6\n.target " + arch +
                     "\n.address_size 64\n.global .align 16 .b8 far[256];\n"
                     ".visible .entry k() {\n.reg .pred p<2>;\n.reg .b16 "
                     "h<4>;\n.reg .b32 r<8>;\n.reg .f32 f<4>;\n.reg .b64 g;\n"
                     ".shared .align 128 .b8 s[2048];\nmov.u64 g, far;\n";
  for (const Line &line : lines)
    text += line.statement + "\n";
  cuda::AssemblerOptions options;
  options.arch = arch;
  options.backend = cuda::AssemblerBackend::Ptxas;
  options.optLevel = 0;
  Expected<cuda::Assembly> assembly =
      cuda::assemble(text + "ret;\n}\n", toolkit, options);
  return assembly ? "" : toString(assembly.takeError());
}

TEST(MinTarget, Assembler) {
  Expected<cuda::Toolkit> toolkit = cuda::Toolkit::discover();
  if (!toolkit || !toolkit->has(cuda::ToolkitPart::Ptxas)) {
    consumeError(toolkit.takeError());
    GTEST_SKIP() << "no ptxas";
  }
  const unsigned known[] = {75, 80, 86, 89, 90};
  for (unsigned at : known) {
    std::vector<Line> has, lacks;
    for (const Line &line : readLines()) {
      if (line.isIntrinsic())
        continue;
      if (line.min <= at)
        has.push_back(line);
      // Nearest below what it needs.
      const unsigned *next = llvm::upper_bound(known, at);
      if (next != std::end(known) && line.min == *next)
        lacks.push_back(line);
    }
    EXPECT_EQ(assemble(*toolkit, at, has), "") << at;
    std::string said = assemble(*toolkit, at, lacks);
    for (size_t i = 0; i < lacks.size(); ++i)
      EXPECT_NE(said.find("line " + std::to_string(13 + i) + ";"),
                std::string::npos)
          << at << " has " << lacks[i].statement << "\n"
          << said;
  }
}
} // namespace
