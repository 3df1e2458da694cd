// Where addresses steer a kernel. Each way in which an address could become a
// result is found, and what honest kernels do with addresses is not.
#include "evo/Analysis/AddressControl.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include <gtest/gtest.h>

using namespace evo::sim;

namespace {

/// What is found in a kernel with that body; "" where nothing is.
std::string find(const std::string &body) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(
      R"(
      target datalayout = "e-p:64:64-p3:32:32-i64:64"
      @tile = internal addrspace(3) global [64 x i64] poison
      @table = internal global [4 x float] zeroinitializer
      declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
      declare void @take(i64)
      define ptx_kernel void @k(ptr %x, ptr %y, i64 %n, i1 %c) {
      entry:
      )" + body +
          "\n ret void\n}\n",
      diagnostic, context);
  if (!module)
    return "does not parse: " + diagnostic.getMessage().str();
  std::vector<CodeNote> found = findAddressControl(*module);
  return found.empty() ? "" : found.front().what;
}

void expectFound(const std::string &body, const std::string &what) {
  std::string found = find(body);
  EXPECT_NE(found.find(what), std::string::npos)
      << "found '" << found << "' in\n"
      << body;
}

constexpr char number[] = "%i = ptrtoint ptr %x to i64\n";

TEST(AddressControl, ComparisonsAreFound) {
  for (const char *body : {
           // with a number
           "%r = icmp ult i64 %i, 17592186044416",
           "%p = inttoptr i64 17592186044416 to ptr\n"
           "%r = icmp ult ptr %x, %p",
           // after arithmetic
           "%h = lshr i64 %i, 40\n %r = icmp eq i64 %h, 1",
           "%h = lshr i64 %i, 40\n %m = and i64 %h, 255\n"
           "%r = icmp eq i64 %m, 1",
           "%m = urem i64 %i, 1021\n %r = icmp eq i64 %m, 1",
           "%h = udiv i64 %i, 1099511627776\n %r = icmp eq i64 %h, 1",
           "%t = trunc i64 %i to i32\n %r = icmp eq i32 %t, 0",
           "%h = lshr i64 %i, 20\n %m = mul i64 %h, 3\n"
           "%r = icmp ult i64 %m, %i",
           "%s = sub i64 5, %i\n %r = icmp ult i64 %s, %i",
           // of two objects, and the distance of two
           "%r = icmp ult ptr %x, %y",
           "%j = ptrtoint ptr %y to i64\n %s = sub i64 %i, %j\n"
           "%r = icmp ult i64 %s, 1099511627776",
           // of a variable of the module
           "%r = icmp ult i64 ptrtoint (ptr @table to i64), 17592186044416",
           // of something else on another way
           "br i1 %c, label %a, label %b\na:\n br label %b\nb:\n"
           "%p = phi i64 [ %i, %a ], [ 17592186044416, %entry ]\n"
           "%r = icmp eq i64 %p, %i",
           "%p = select i1 %c, i64 %i, i64 17592186044416\n"
           "%r = icmp eq i64 %p, %i",
           // through lanes, and through inline PTX
           "%h = lshr i64 %i, 40\n %t = trunc i64 %h to i32\n"
           "%l = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %t, i32 0, "
           "i32 31)\n %r = icmp eq i32 %l, 1",
           "%h = call i64 asm \"shr.u64 $0, $1, 40;\", \"=l,l\"(ptr %x)\n"
           "%r = icmp eq i64 %h, 1",
           "%h = call i64 asm \"ld.u32 $0, [$1]; shr.u64 $0, $1, 40;\", "
           "\"=l,l\"(ptr %x)\n %r = icmp eq i64 %h, 1",
           // through memory
           "store ptr %x, ptr addrspace(3) @tile\n"
           "%l = load i64, ptr addrspace(3) @tile\n"
           "%r = icmp ult i64 %l, 17592186044416",
       })
    expectFound(number + std::string(body), "is compared");
}

TEST(AddressControl, OtherUsesAreFound) {
  expectFound(number + std::string("store i64 %i, ptr addrspace(3) @tile"),
              "is stored");
  for (const char *atomic : {"%o = atomicrmw xchg ptr @table, i64 %i seq_cst",
                             "%o = cmpxchg ptr @table, i64 0, i64 %i seq_cst "
                             "seq_cst"})
    expectFound(number + std::string(atomic),
                "is stored by an atomic operation");
  expectFound(number + std::string("%f = uitofp i64 %i to float"),
              "becomes a value of another type");
  expectFound(number + std::string("%h = lshr i64 %i, 44\n"
                                   "%p = getelementptr float, ptr @table, i64 "
                                   "%h\n %v = load float, ptr %p"),
              "is an index");
  expectFound(number + std::string("%h = lshr i64 %i, 42\n"
                                   "%a = add i64 %h, ptrtoint (ptr @table to "
                                   "i64)\n %p = inttoptr i64 %a to ptr\n"
                                   "%v = load float, ptr %p"),
              "names a place elsewhere");
  expectFound(number + std::string("call void @take(i64 %i)"),
              "is handed to a call");
  expectFound(number +
                  std::string("%h = lshr i64 %i, 44\n switch i64 %h, label %o "
                              "[ i64 1, label %o ]\no:\n"),
              "decides a switch");
  expectFound("call void asm sideeffect \"st.global.u64 [$0], $1;\", "
              "\"l,l\"(ptr %y, ptr %x)",
              "is handed to a call");
}

TEST(AddressControl, HonestUsesAreNot) {
  for (const char *body : {
           // alignment
           "%m = and i64 %i, 15\n %r = icmp eq i64 %m, 0",
           "%m = urem i64 %i, 16\n %r = icmp eq i64 %m, 0",
           "%h = lshr i64 %i, 2\n %m = and i64 %h, 3\n"
           "%r = icmp eq i64 %m, 0",
           "%h = udiv i64 %i, 4\n %m = urem i64 %h, 4\n"
           "%s = sub i64 4, %m\n %r = icmp ugt i64 %s, %n",
           "%s = sub i64 0, %i\n %m = and i64 %s, 15\n"
           "%p = getelementptr i8, ptr %x, i64 %m\n"
           "%v = load float, ptr %p",
           // null
           "%r = icmp eq ptr %x, null\n %q = icmp ne i64 %i, 0",
           // positions in one array
           "%e = getelementptr float, ptr %x, i64 %n\n"
           "%r = icmp ult ptr %x, %e",
           "%e = getelementptr float, ptr %x, i64 %n\n"
           "%j = ptrtoint ptr %e to i64\n %s = sub i64 %j, %i\n"
           "%r = icmp ult i64 %s, 4096",
           "%e = add i64 %i, %n\n br label %l\nl:\n"
           "%p = phi i64 [ %i, %entry ], [ %q, %l ]\n"
           "%q = add i64 %p, 16\n %r = icmp ult i64 %q, %e\n"
           "br i1 %r, label %l, label %o\no:\n",
           // rounded up, and accessed
           "%u = add i64 %i, 15\n %m = and i64 %u, -16\n"
           "%p = inttoptr i64 %m to ptr\n %v = load float, ptr %p\n"
           "%r = icmp ult ptr %p, %x",
           // what names shared memory to inline PTX, swizzled
           "%a = ptrtoint ptr addrspace(3) @tile to i32\n"
           "%h = lshr i32 %a, 4\n %m = and i32 %h, 112\n"
           "%s = xor i32 %a, %m\n"
           "%v = call i32 asm sideeffect \"ld.shared.u32 $0, [$1];\", "
           "\"=r,r\"(i32 %s)\n %r = icmp eq i32 %v, 0\n"
           "call void asm sideeffect \"cp.async.cg.shared.global [$0], [$1], "
           "16;\", \"r,l\"(i32 %s, ptr %x)",
           // numbers that are no addresses
           "%l = load i64, ptr %x\n %r = icmp ult i64 %l, 17592186044416",
       })
    EXPECT_EQ(find(number + std::string(body)), "") << body;
}

/// As SROA leaves the copy of a union of a pointer with bit fields.
TEST(AddressControl, NumbersThatPassThroughPointersAreNumbers) {
  EXPECT_EQ(find(R"(%u = ptrtoint ptr undef to i64
      %m = and i64 %u, -4294967296
      %b = zext i1 %c to i64
      %o = or i64 %m, %b
      %p = inttoptr i64 %o to ptr
      %q = ptrtoint ptr %p to i64
      %l = lshr i64 %q, 8
      %s = and i64 %l, 16777215
      %r = icmp ugt i64 %s, 4)"),
            "");
  // With the structure around the union, which is taken apart again.
  const std::string copied = R"(
      %a = insertvalue { { ptr, i32 }, i32 } poison, ptr %p, 0, 0
      %d = insertvalue { { ptr, i32 }, i32 } %a, i32 1, 0, 1
      %e = extractvalue { { ptr, i32 }, i32 } %d, 0
      %f = insertvalue { i32, { ptr, i32 } } { i32 7, { ptr, i32 } poison }, { ptr, i32 } %e, 1
      %g = extractvalue { i32, { ptr, i32 } } %f, 1, 0
      %q = ptrtoint ptr %g to i64
      %l = lshr i64 %q, 32
      %r = icmp ugt i64 %l, 4)";
  EXPECT_EQ(find(R"(%b = zext i1 %c to i64
      %o = or i64 %b, 8194
      %p = inttoptr i64 %o to ptr)" +
                 copied),
            "");
  expectFound(R"(%i = ptrtoint ptr %x to i64
      %o = or i64 %i, 1
      %p = inttoptr i64 %o to ptr)" +
                  copied,
              "names a place elsewhere");
  expectFound("%p = getelementptr i8, ptr %x, i64 8" + copied, "is compared");
  // A pointer beside the number is none of it.
  expectFound("%p = inttoptr i64 1 to ptr\n"
              "%s = insertvalue { ptr, ptr } poison, ptr %p, 0\n"
              "%t = insertvalue { ptr, ptr } %s, ptr %x, 1\n"
              "%u = extractvalue { ptr, ptr } %t, 1\n"
              "%q = ptrtoint ptr %u to i64\n %l = lshr i64 %q, 32\n"
              "%r = icmp ugt i64 %l, 4",
              "is compared");
  expectFound(R"(%i = ptrtoint ptr %x to i64
      %b = zext i1 %c to i64
      %o = or i64 %i, %b
      %p = inttoptr i64 %o to ptr
      %q = ptrtoint ptr %p to i64
      %l = lshr i64 %q, 40
      %r = icmp ugt i64 %l, 4)",
              "names a place elsewhere");
}

} // namespace
