// Inline PTX that becomes instructions where code is imported: they compute
// what the statement does, bit for bit, of all that is likely to differ.
#include "Harness.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/SpelledCalls.h"
#include <set>

using namespace evo;
using namespace evo::sim;
using namespace evo::sim::test;
using namespace llvm;

namespace {

/// A register of LLVM's assembly: its type, and its constraint.
struct Register {
  std::string type;
  char constraint;
};

/// That of a type in PTX; nothing for predicates and for what stands in parts
/// of an integer.
std::optional<Register> registerOf(StringRef type) {
  if (type == "f32")
    return Register{"float", 'f'};
  if (type == "f64")
    return Register{"double", 'd'};
  unsigned bits;
  if (!StringRef("bsu").contains(type.front()) ||
      type.drop_front().getAsInteger(10, bits))
    return std::nullopt;
  return Register{"i" + std::to_string(bits), bits == 16   ? 'h'
                                              : bits == 32 ? 'r'
                                                           : 'l'};
}

unsigned bitsOf(const Register &one) {
  unsigned bits = one.type == "float" ? 32 : 64;
  StringRef(one.type).drop_front().getAsInteger(10, bits);
  return bits;
}

/// A kernel in which each thread stores what `word` computes of words that it
/// reads; empty where it has other registers.
std::string kernelOf(const device::Spelling &spelling, StringRef word) {
  std::string body, list, constraints, arguments;
  unsigned number = 0;
  for (StringRef type : spelling.listResults()) {
    const auto result = registerOf(type);
    if (!result || number)
      return "";
    list = "$" + std::to_string(number++);
    constraints = std::string("=") + result->constraint;
  }
  if (!number)
    return "";
  for (const auto &operand : spelling.listOperands()) {
    const auto source = registerOf(operand.type);
    if (!source)
      return "";
    const std::string n = std::to_string(number++);
    const std::string bits = "i" + std::to_string(bitsOf(*source));
    body += "%i" + n + " = mul i32 %t, " + std::to_string(2 * number + 1) +
            "\n%m" + n + " = urem i32 %i" + n + ", 32\n%p" + n +
            " = getelementptr i64, ptr %x, i32 %m" + n + "\n%w" + n +
            " = load " + bits + ", ptr %p" + n + "\n%v" + n + " = bitcast " +
            bits + " %w" + n + " to " + source->type + "\n";
    list += ", $" + n;
    constraints += std::string(",") + source->constraint;
    arguments += (arguments.empty() ? "" : ", ") + source->type + " %v" + n;
  }
  const Register result = *registerOf(spelling.listResults().front());
  return kernelIR("ptr %x, ptr %y",
                  body + "%r = call " + result.type + " asm \"" + word.str() +
                      " " + list + ";\", \"" + constraints + "\"(" + arguments +
                      ")\n%o = getelementptr i64, ptr %y, i32 %t\nstore " +
                      result.type + " %r, ptr %o\nret void\n");
}

/// What the threads of a warp store; words of numbers that are special, and
/// others.
std::vector<uint64_t> resultsOf(const std::string &text) {
  // Each is read as 16, 32 and 64 bits, of an integer and of a float.
  std::vector<uint64_t> words = {0,
                                 1,
                                 2,
                                 31,
                                 32,
                                 0x7fff,
                                 0x8000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 ~uint64_t(0),
                                 uint64_t(1) << 63,
                                 ~(uint64_t(1) << 63),
                                 0x3f800000,
                                 0xbf800000,
                                 0x7f800000,
                                 0xff800000,
                                 0x7fc00000,
                                 0x00000001'00000001,
                                 0x807fffff,
                                 0x3ff0000000000000,
                                 0xbff0000000000000,
                                 0x7ff0000000000000,
                                 0xfff0000000000000,
                                 0x7ff8000000000000,
                                 0x000fffffffffffff,
                                 0x4049'0fdb'4049'0fdb};
  for (uint64_t state = 1; words.size() < 32; state += 2)
    words.push_back(state * 0x9e3779b97f4a7c15);
  Fixture f;
  if (!f.text(text)) {
    ADD_FAILURE() << f.error << text;
    return {};
  }
  BufferId x = f.buffer("x", words), y = f.output("y", 32 * 8);
  f.memory.write(y, 0, std::vector<uint64_t>(32).data(), 32 * 8);
  EXPECT_CLEAN(f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(x), f.ptr(y)}));
  return f.read<uint64_t>(y);
}

TEST(ImportedStatements, ComputeTheSame) {
  std::set<std::string> imported, kept;
  for (const device::Spelling &spelling : device::allSpellings()) {
    SmallVector<StringRef> words;
    spelling.words.split(words, ' ');
    for (StringRef word : words) {
      const std::string text = kernelOf(spelling, word);
      if (text.empty() ||
          device::lookupPTX(word)->scope != device::Scope::Thread)
        continue;
      LLVMContext context;
      SMDiagnostic error;
      auto module = parseAssemblyString(text, error, context);
      ASSERT_TRUE(module) << error.getMessage().str() << text;
      device::callSpelled(*module);
      std::string instead;
      raw_string_ostream(instead) << *module;
      const bool isKept = StringRef(instead).contains(" asm ");
      (isKept ? kept : imported).insert(word.str());
      if (!isKept)
        EXPECT_EQ(resultsOf(text), resultsOf(instead)) << word.str() << instead;
    }
  }
  for (const char *word :
       {"add.s32",     "sub.u64",    "mul.lo.s16",      "mad.lo.u32",
        "and.b64",     "not.b32",    "neg.s64",         "abs.s32",
        "min.u16",     "max.s64",    "popc.b64",        "clz.b64",
        "brev.b32",    "add.rn.f32", "mul.rn.f64",      "fma.rn.ftz.f32",
        "fma.rz.f64",  "div.rn.f32", "sqrt.rn.ftz.f32", "rcp.rn.f64",
        "min.NaN.f32", "max.f64",    "prmt.b32",        "lg2.approx.ftz.f32"})
    EXPECT_TRUE(imported.count(word)) << word;
  // What may be fused with a product, saturates, or has no instruction.
  for (const char *word : {"add.f32", "sub.f64", "mul.f32", "mul.ftz.f32",
                           "add.sat.f32", "add.sat.s32", "neg.f32"})
    EXPECT_TRUE(kept.count(word)) << word;
}

} // namespace
