// Functions that several instructions make up: those with a result in memory, a
// loop, or an integer result that a float's exponent decides. What they are
// made of has shadow values and field elements of its own, so that theirs
// follow. Each text is of f32 and f64 alike: $T is the type, $S what ends the
// names of its functions, $C the type in names of conversions, $E and $N the
// casts to f64 and back.
#include "Compositions.h"
#include "CallDecoder.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace evo::sim {
namespace {
struct Composition {
  StringLiteral name; ///< without prefix and the letter of the type
  StringLiteral text;
};
} // namespace

/// What is declared but not used, linking leaves out.
static constexpr StringLiteral declarations = R"(
declare $T @llvm.fabs.$I($T)
declare $T @llvm.copysign.$I($T, $T)
declare $T @llvm.trunc.$I($T)
declare $T @__nv_logb$S($T)
declare $T @__nv_ldexp$S($T, i32)
declare $T @__nv_round$S($T)
declare $T @__nv_rint$S($T)
declare $T @__nv_fmod$S($T, $T)
declare $T @__nv_remainder$S($T, $T)
declare double @__nv_hypot(double, double)
declare double @__nv_rhypot(double, double)
declare i32 @__nv_$C2int_rz($T)
declare i64 @__nv_$C2ll_rz($T)
)";

static constexpr Composition compositions[] = {
    {"ilogb", R"(
define i32 @__nv_ilogb$S($T %x) {
  %exponent = call $T @__nv_logb$S($T %x)
  %whole = call i32 @__nv_$C2int_rz($T %exponent)
  %isNaN = fcmp uno $T %x, 0.0
  %result = select i1 %isNaN, i32 -2147483648, i32 %whole
  ret i32 %result
})"},
    {"frexp", R"(
define $T @__nv_frexp$S($T %x, ptr %out) {
  %exponent = call $T @__nv_logb$S($T %x)
  %size = call $T @llvm.fabs.$I($T %exponent)
  %isPlain = fcmp olt $T %size, 16384.0
  %whole = call i32 @__nv_$C2int_rz($T %exponent)
  %above = add i32 %whole, 1
  %shift = select i1 %isPlain, i32 %above, i32 0
  %back = sub i32 0, %shift
  %fraction = call $T @__nv_ldexp$S($T %x, i32 %back)
  store i32 %shift, ptr %out, align 4
  ret $T %fraction
})"},
    {"modf", R"(
define $T @__nv_modf$S($T %x, ptr %out) {
  %whole = call $T @llvm.trunc.$I($T %x)
  store $T %whole, ptr %out, align $A
  %size = call $T @llvm.fabs.$I($T %x)
  %isInfinite = fcmp oeq $T %size, $M
  %rest = fsub $T %x, %whole
  %fraction = select i1 %isInfinite, $T 0.0, $T %rest
  %result = call $T @llvm.copysign.$I($T %fraction, $T %x)
  ret $T %result
})"},
    // Its low three bits of the quotient are those of |x| mod 8 |y| by |y|.
    {"remquo", R"(
define $T @__nv_remquo$S($T %x, $T %y, ptr %out) {
  %a = call $T @llvm.fabs.$I($T %x)
  %b = call $T @llvm.fabs.$I($T %y)
  %b8 = fmul $T %b, 8.0
  %isLarge = fcmp oeq $T %b8, $M
  %reduced = call $T @__nv_fmod$S($T %a, $T %b8)
  %t = select i1 %isLarge, $T %a, $T %reduced
  %r = call $T @__nv_remainder$S($T %t, $T %b)
  %multiple = fsub $T %t, %r
  %quotient = fdiv $T %multiple, %b
  %whole = call $T @__nv_rint$S($T %quotient)
  %number = call i32 @__nv_$C2int_rz($T %whole)
  %low = and i32 %number, 7
  %negative = sub i32 0, %low
  %xb = bitcast $T %x to $B
  %yb = bitcast $T %y to $B
  %signs = xor $B %xb, %yb
  %differ = icmp slt $B %signs, 0
  %signed = select i1 %differ, i32 %negative, i32 %low
  %result = call $T @__nv_remainder$S($T %x, $T %y)
  %isNaN = fcmp uno $T %result, 0.0
  %told = select i1 %isNaN, i32 0, i32 %signed
  store i32 %told, ptr %out, align 4
  ret $T %result
})"},
    {"llround", R"(
define i64 @__nv_llround$S($T %x) {
  %whole = call $T @__nv_round$S($T %x)
  %result = call i64 @__nv_$C2ll_rz($T %whole)
  ret i64 %result
})"},
    {"nextafter", R"(
define $T @__nv_nextafter$S($T %x, $T %y) {
  %bits = bitcast $T %x to $B
  %isZero = fcmp oeq $T %x, 0.0
  %isAbove = fcmp ogt $T %x, %y
  %isNegative = icmp slt $B %bits, 0
  %shrinks = xor i1 %isAbove, %isNegative
  %step = select i1 %shrinks, $B -1, $B 1
  %moved = add $B %bits, %step
  %neighbour = bitcast $B %moved to $T
  %smallest = bitcast $B 1 to $T
  %tiny = call $T @llvm.copysign.$I($T %smallest, $T %y)
  %next = select i1 %isZero, $T %tiny, $T %neighbour
  %same = fcmp oeq $T %x, %y
  %unequal = select i1 %same, $T %y, $T %next
  %isNaN = fcmp uno $T %x, %y
  %nan = fadd $T %x, %y
  %result = select i1 %isNaN, $T %nan, $T %unequal
  ret $T %result
})"},
    // Lengths are found in f64: what lies between has no need to fit f32.
    {"norm3d", R"(
define $T @__nv_norm3d$S($T %x0, $T %y0, $T %z0) {
  %x = $E %x0 to double
  %y = $E %y0 to double
  %z = $E %z0 to double
  %two = call double @__nv_hypot(double %x, double %y)
  %length = call double @__nv_hypot(double %two, double %z)
  %result = $N %length to $T
  ret $T %result
})"},
    {"rnorm3d", R"(
define $T @__nv_rnorm3d$S($T %x0, $T %y0, $T %z0) {
  %x = $E %x0 to double
  %y = $E %y0 to double
  %z = $E %z0 to double
  %two = call double @__nv_hypot(double %x, double %y)
  %length = call double @__nv_rhypot(double %two, double %z)
  %result = $N %length to $T
  ret $T %result
})"},
    {"norm4d", R"(
define $T @__nv_norm4d$S($T %x0, $T %y0, $T %z0, $T %w0) {
  %x = $E %x0 to double
  %y = $E %y0 to double
  %z = $E %z0 to double
  %w = $E %w0 to double
  %two = call double @__nv_hypot(double %x, double %y)
  %others = call double @__nv_hypot(double %z, double %w)
  %length = call double @__nv_hypot(double %two, double %others)
  %result = $N %length to $T
  ret $T %result
})"},
    {"rnorm4d", R"(
define $T @__nv_rnorm4d$S($T %x0, $T %y0, $T %z0, $T %w0) {
  %x = $E %x0 to double
  %y = $E %y0 to double
  %z = $E %z0 to double
  %w = $E %w0 to double
  %two = call double @__nv_hypot(double %x, double %y)
  %others = call double @__nv_hypot(double %z, double %w)
  %length = call double @__nv_rhypot(double %two, double %others)
  %result = $N %length to $T
  ret $T %result
})"},
    {"norm", R"(
define $T @__nv_norm$S(i32 %count, ptr %in) {
entry:
  %any = icmp sgt i32 %count, 0
  br i1 %any, label %loop, label %exit
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %longer, %loop ]
  %place = getelementptr $T, ptr %in, i32 %n
  %x0 = load $T, ptr %place, align $A
  %x = $E %x0 to double
  %longer = call double @__nv_hypot(double %sum, double %x)
  %next = add i32 %n, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %exit
exit:
  %length = phi double [ 0.0, %entry ], [ %longer, %loop ]
  %result = $N %length to $T
  ret $T %result
})"},
    {"rnorm", R"(
define $T @__nv_rnorm$S(i32 %count, ptr %in) {
entry:
  %any = icmp sgt i32 %count, 0
  br i1 %any, label %loop, label %exit
loop:
  %n = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi double [ 0.0, %entry ], [ %longer, %loop ]
  %place = getelementptr $T, ptr %in, i32 %n
  %x0 = load $T, ptr %place, align $A
  %x = $E %x0 to double
  %longer = call double @__nv_hypot(double %sum, double %x)
  %next = add i32 %n, 1
  %more = icmp slt i32 %next, %count
  br i1 %more, label %loop, label %exit
exit:
  %length = phi double [ 0.0, %entry ], [ %longer, %loop ]
  %inverse = call double @__nv_rhypot(double %length, double 0.0)
  %result = $N %inverse to $T
  ret $T %result
})"},
};

/// The text of one type.
static std::string spelled(StringRef text, bool isDouble) {
  const std::pair<char, StringRef> words[] = {
      {'T', isDouble ? "double" : "float"},
      {'S', isDouble ? "" : "f"},
      {'I', isDouble ? "f64" : "f32"},
      {'C', isDouble ? "double" : "float"},
      {'B', isDouble ? "i64" : "i32"},
      {'A', isDouble ? "8" : "4"},
      {'E', isDouble ? "bitcast double" : "fpext float"},
      {'N', isDouble ? "bitcast double" : "fptrunc double"},
      {'M', "0x7FF0000000000000"}, // infinity, in either type
  };
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      result += text[i];
      continue;
    }
    ++i;
    for (auto [letter, word] : words)
      if (text[i] == letter)
        result += word;
  }
  return result;
}

static bool isComposed(const Function &function) {
  if (!function.isDeclaration() || function.use_empty() ||
      !device::isLibdevice(function.getName()))
    return false;
  const device::Callee callee = device::lookupFunction(function.getName());
  return callee.op && entryOf(*callee.op).kind == CallKind::Composed;
}

Error defineCompositions(Module &module) {
  std::string text[2];
  for (const Function &function : module) {
    if (!isComposed(function))
      continue;
    const std::string name = device::lookupFunction(function.getName()).name;
    for (const Composition &composition : compositions)
      for (bool isDouble : {false, true})
        if (name == composition.name.str() + (isDouble ? "" : "f"))
          text[isDouble] += spelled(composition.text, isDouble);
  }
  for (bool isDouble : {false, true}) {
    if (text[isDouble].empty())
      continue;
    SMDiagnostic diagnostic;
    std::unique_ptr<Module> library =
        parseAssemblyString(spelled(declarations, isDouble) + text[isDouble],
                            diagnostic, module.getContext());
    if (!library)
      return createStringError(diagnostic.getMessage()); // unreachable
    library->setTargetTriple(module.getTargetTriple());
    library->setDataLayout(module.getDataLayout());
    if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded))
      // unreachable: functions of other types are linked beside each other
      return createStringError("functions of libdevice cannot be linked");
  }
  return Error::success();
}

} // namespace evo::sim
