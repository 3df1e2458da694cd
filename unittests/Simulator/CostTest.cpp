// What operations cost as. The record of an operation names the classes of its
// instructions; what is counted when a warp executes it is one of them. A
// record that names another class fails here.
#include "Harness.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace evo::sim;
using namespace evo::sim::test;
using evo::device::DeviceOp;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

SmallVector<StringRef> parts(StringRef all, char separator = ' ') {
  SmallVector<StringRef> out;
  all.split(out, separator, -1, /*KeepEmpty=*/false);
  return out;
}

/// The names of the classes that a body counts beyond what storing an
/// argument does, which is not of them.
std::string counted(const std::string &body, const std::string &declared = "") {
  auto run = [&](const std::string &text, Counters &counters) {
    Fixture f;
    EXPECT_TRUE(f.text(declared + kernelIR("ptr %p", text + "ret void\n")))
        << text << f.error;
    if (!f.program)
      return;
    BufferId buffer = f.output("p", 4096);
    Options options;
    options.counters = &counters;
    options.checkUninitialized = false;
    f.run("k", {1, 1, 1}, {32, 1, 1}, {f.ptr(buffer)}, options);
  };
  Counters with, without;
  run(body, with);
  run("", without);
  // By the names in the table.
  static const char *const names[] = {
      "Move",       "Int",         "Fp32",      "Fp16",       "Fp64",
      "Special",    "Convert",     "Control",   "GlobalLoad", "GlobalStore",
      "SharedLoad", "SharedStore", "LocalLoad", "LocalStore", "Atomic",
      "Barrier",    "Shuffle",     "Tensor"};
  static_assert(std::size(names) == Counters::numClasses);
  std::string out;
  for (unsigned i = 0; i < Counters::numClasses; ++i)
    if (with.warpInstructions[i] > without.warpInstructions[i])
      out += std::string(names[i]) + " ";
  return out;
}

bool countsAs(StringRef costs, const std::string &counted) {
  const SmallVector<StringRef> have = parts(counted);
  return llvm::any_of(parts(costs),
                      [&](StringRef cost) { return is_contained(have, cost); });
}

std::string irType(StringRef type) {
  if (type == "f32" || type == "f64")
    return type == "f32" ? "float" : "double";
  if (type == "pred")
    return "i1";
  return type == "ptr" || type == "void" ? type.str()
         : type.ends_with("64")          ? "i64"
         : type.ends_with("16")          ? "i16"
                                         : "i32";
}

std::string argument(StringRef type) {
  const std::string ir = irType(type);
  const bool isFloat = ir == "float" || ir == "double";
  return ir + (ir == "ptr" ? " %p" : isFloat ? " 1.5" : " -1");
}

TEST(Costs, OfStatementsThatAreCalls) {
  unsigned seen = 0;
  for (const evo::device::Spelling &spelling : evo::device::allSpellings()) {
    const DeviceOp *op = evo::device::lookupFunction(spelling.intrinsic()).op;
    ASSERT_TRUE(op && !op->costs.empty()) << spelling.function.str();
    const StringRef word = parts(spelling.words)[0];
    const SmallVector<StringRef> results = parts(spelling.results, '|');
    std::string registers, constraints, arguments, types;
    unsigned number = 0;
    auto add = [&](StringRef type, const char *separator, bool isResult) {
      const std::string ir = irType(type);
      registers += (number ? separator : "") + ("$" + std::to_string(number));
      constraints += std::string(number ? "," : "") + (isResult ? "=" : "") +
                     (ir == "float"    ? "f"
                      : ir == "double" ? "d"
                      : ir == "i64"    ? "l"
                      : ir == "i16"    ? "h"
                      : ir == "i1"     ? "b"
                                       : "r");
      std::string &list = isResult ? types : arguments;
      list += (list.empty() ? "" : ", ") + (isResult ? ir : argument(type));
      ++number;
    };
    for (StringRef result : results)
      add(result, "|", true);
    for (StringRef operand : parts(spelling.operands))
      add(operand.split(':').second, ", ", false);
    const std::string call = "call " +
                             (results.empty()       ? "void"
                              : results.size() == 1 ? types
                                                    : "{" + types + "}") +
                             " asm sideeffect \"" + word.str() + " " +
                             registers + ";\", \"" + constraints + "\"(" +
                             arguments + ")\n";
    std::string body = results.empty() ? call : "%r = " + call;
    std::string value = "%r";
    if (results.size() > 1) {
      body += "%v = extractvalue {" + types + "} %r, 0\n";
      value = "%v";
    }
    if (!results.empty())
      body += "store " + irType(results[0]) + " " + value + ", ptr %p\n";
    const std::string found = counted(body);
    EXPECT_TRUE(countsAs(op->costs, found))
        << word.str() << " costs as " << op->costs.str() << ", counted "
        << found;
    ++seen;
  }
  EXPECT_GT(seen, 0u);
}

TEST(Costs, OfLibdevice) {
  unsigned seen = 0;
  for (const DeviceOp &op : evo::device::allOps())
    for (StringRef name : parts(op.names))
      for (const char *end : {"", "f"}) {
        const std::string full = "__nv_" + name.str() + end;
        const SmallVector<StringRef> types =
            parts(evo::device::prototypeOf(full));
        if (types.empty() || op.costs.empty())
          continue;
        std::string declared, arguments;
        for (StringRef type : llvm::drop_begin(types)) {
          declared += (declared.empty() ? "" : ", ") + irType(type);
          arguments += (arguments.empty() ? "" : ", ") + argument(type);
        }
        const std::string result = irType(types[0]);
        std::string body =
            "call " + result + " @" + full + "(" + arguments + ")\n";
        if (result != "void")
          body = "%r = " + body + "store " + result + " %r, ptr %p\n";
        const bool isDeclared =
            kernelIR("", "").find("@" + full + "(") != std::string::npos;
        const std::string found =
            counted(body, isDeclared ? ""
                                     : "declare " + result + " @" + full + "(" +
                                           declared + ")\n");
        EXPECT_TRUE(countsAs(op.costs, found))
            << full << " costs as " << op.costs.str() << ", counted " << found;
        ++seen;
      }
  EXPECT_GT(seen, 100u);
}

/// Statements that their further words decode.
TEST(Costs, OfOtherStatements) {
  const std::string copies = "%g = ptrtoint ptr %p to i64\n";
  const struct {
    const char *word, *call;
  } cases[] = {
      {"cvt", "%r = call i32 asm sideeffect \"cvt.rni.s32.f32 $0, $1;\", "
              "\"=r,f\"(float 1.5)\n"},
      {"selp", "%r = call i32 asm sideeffect \"selp.b32 $0, $1, $2, $3;\", "
               "\"=r,r,r,b\"(i32 1, i32 2, i1 true)\n"},
      {"shl", "%r = call i32 asm sideeffect \"shl.b32 $0, $1, $2;\", "
              "\"=r,r,r\"(i32 1, i32 2)\n"},
      {"prmt", "%r = call i32 asm sideeffect \"prmt.b32.f4e $0, $1, $2, $3;\", "
               "\"=r,r,r,r\"(i32 1, i32 2, i32 3)\n"},
      {"lop3", "%r = call i32 asm sideeffect \"lop3.b32 $0, $1, $2, $3, 128;\","
               " \"=r,r,r,r\"(i32 1, i32 2, i32 3)\n"},
      {"bfind", "%r = call i32 asm sideeffect \"bfind.u32 $0, $1;\", "
                "\"=r,r\"(i32 3)\n"},
      {"dp4a", "%r = call i32 asm sideeffect \"dp4a.u32.u32 $0, $1, $2, $3;\", "
               "\"=r,r,r,r\"(i32 1, i32 2, i32 3)\n"},
      {"set", "%r = call i32 asm sideeffect \"set.lt.u32.f32 $0, $1, $2;\", "
              "\"=r,f,f\"(float 1.0, float 2.0)\n"},
      {"atom", "%r = call i32 asm sideeffect \"atom.global.add.u32 $0, [$1], "
               "$2;\", \"=r,l,r\"(i64 %g, i32 1)\n"},
      {"atom", "%r = call i32 asm sideeffect \"atom.global.cas.b32 $0, [$1], "
               "$2, $3;\", \"=r,l,r,r\"(i64 %g, i32 1, i32 2)\n"},
      {"fence", "call void asm sideeffect \"fence.acq_rel.gpu;\", \"\"()\n"},
      {"membar", "call void asm sideeffect \"membar.gl;\", \"\"()\n"},
      {"cp.async.commit_group",
       "call void asm sideeffect \"cp.async.commit_group;\", \"\"()\n"},
  };
  for (const auto &[word, call] : cases) {
    const DeviceOp *op = evo::device::lookupPTX(word);
    ASSERT_TRUE(op && !op->costs.empty()) << word;
    const std::string body =
        copies + call +
        (StringRef(call).starts_with("%r") ? "store i32 %r, ptr %p\n" : "");
    const std::string found = counted(body);
    EXPECT_TRUE(countsAs(op->costs, found))
        << word << " costs as " << op->costs.str() << ", counted " << found;
  }
}

TEST(Costs, AnotherClassIsNotCounted) {
  const std::string found =
      counted("%r = call i32 asm sideeffect \"popc.b32 $0, $1;\", \"=r,r\""
              "(i32 3)\nstore i32 %r, ptr %p\n");
  EXPECT_TRUE(countsAs("Int", found)) << found;
  EXPECT_FALSE(countsAs("Special Fp32 Tensor", found)) << found;
}

} // namespace
