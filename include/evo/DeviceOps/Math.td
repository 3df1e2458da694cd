// Functions of numbers. Elementary functions, arithmetic with its rounding
// named, tests of classes, conversions, and integers, as libdevice, LLVM, NVVM
// and PTX spell them.

// Kinds of calls; what each does is a case in lib/Simulator/Decode.
def Math1 : CallKind<MATH1>;
def Math2 : CallKind<MATH2>;
def MathInt : CallKind<MATHINT>;
def SinCos : CallKind<MATH1>;
def Fma : CallKind<FMA>;
def Reciprocal : CallKind<FDIV>;
def FloatAbs : CallKind<FABS>;
def CopySign : CallKind<COPYSIGN>;
def FloatMinMax : CallKind<FMINMAX>;
foreach kind = ["FloatToHalf", "HalfToFloat", "FloatCast", "PairCast"] in
def ""#kind : CallKind<FPCVT>;
def FloatToInt : CallKind<FPTOI>;
def IntToFloat : CallKind<ITOFP>;
def RoundTF32 : CallKind<MATH1>;
def WordOfDouble : CallKind<UNPACK32_L>;
def DoubleOfWords : CallKind<PACK32_L>;
def IntAbs : CallKind<ABS>;
def IntPop : CallKind<CTPOP>;
def IntClz : CallKind<CTLZ>;
def IntCtz : CallKind<CTTZ>;
def IntFfs : CallKind<CTTZ>;
def IntBswap : CallKind<BSWAP>;
def IntBrev : CallKind<BITREV>;
def Prmt : CallKind<PRMT>;
// Of several instructions each.
foreach kind = ["IsNan", "IsInf", "IsFinite", "IsClass", "SignBit",
                "SumOfDifference", "Mean", "NthBit", "Mul24"] in
def ""#kind : CallKind<NoOpcode, "Int">;
// A parameter of the record is the instruction,
foreach kind = ["FloatBinary", "IntBinary", "Funnel", "FunnelClamp", "Overflow",
                "Reduce", "ReduceFloat"] in
def ""#kind : CallKind;
// or there is none: other calls, a constant, the same bits.
foreach kind = ["Composed", "NaN", "Bitcast"] in
def ""#kind : CallKind;

/// A function of libdevice for both floats, by its types, in which T is the
/// float: "T T" of exp is "f32 f32: expf; f64 f64: exp".
class Typed<string name, string types, bit hasFast = 0> {
  string Of = !subst("T", "f32", types)#": "#name#"f"#
              !if(hasFast, " fast_"#name#"f", "")#"; "#
              !subst("T", "f64", types)#": "#name;
}

/// `fn` is a MathFn of the simulator.
class Elementary<string names, string fn, bit hasFast = 0,
                 string prototypes = Typed<names, "T T", hasFast>.Of>
    : Function<names, "Math1", "int(MathFn::"#fn#")"> {
  let Prototypes = prototypes;
}
/// Instructions that only bound their error.
class Approximate<string names, string fn>
    : Function<names, "Math1", "int(MathFn::"#fn#") | approximateFlag">;
class Elementary2<string names, string fn, bit hasFast = 0>
    : Function<names, "Math2", "int(MathFn::"#fn#")"> {
  let Prototypes = Typed<names, "T T T", hasFast>.Of;
}

/// A direction of rounding: as libdevice, NVVM and the simulator name it.
class Direction<string library, string nvvm, string value> {
  string Library = library;
  string NVVM = nvvm;
  string Value = value;
}
def RoundZero : Direction<"rz", "rz", "Zero">;
def RoundDown : Direction<"rd", "rm", "Down">;
def RoundUp : Direction<"ru", "rp", "Up">;
def RoundNearest : Direction<"rn", "rn", "Nearest">;
defvar directed = [RoundZero, RoundDown, RoundUp];
defvar allDirections = [RoundNearest, RoundZero, RoundDown, RoundUp];

let MathOp = "math.exp" in def : Elementary<"exp", "Exp", 1>;
let MathOp = "math.exp2" in def : Elementary<"exp2", "Exp2">;
def : Elementary<"exp10", "Exp10", 1>;
let MathOp = "math.expm1" in def : Elementary<"expm1", "Expm1">;
let MathOp = "math.log" in def : Elementary<"log", "Log", 1>;
let MathOp = "math.log2" in def : Elementary<"log2", "Log2", 1>;
let MathOp = "math.log10" in def : Elementary<"log10", "Log10", 1>;
let MathOp = "math.log1p" in def : Elementary<"log1p", "Log1p">;
def : Elementary<"logb", "Logb">;
let MathOp = "math.sqrt", Algebra = "Algebra::SquareRoot" in
def : Elementary<"sqrt", "Sqrt">;
def : Elementary<"fsqrt_rn dsqrt_rn sqrt.rn", "Sqrt", 0,
                 "f32 f32: fsqrt_rn; f64 f64: dsqrt_rn">;
let MathOp = "math.rsqrt" in {
def : Elementary<"rsqrt", "Rsqrt", 0, "f64 f64: rsqrt">;
// Libdevice has nothing but the instruction for it.
let Prototypes = "f32 f32: rsqrtf" in
def : Approximate<"rsqrtf", "Rsqrt">;
}
def : Elementary<"frsqrt_rn", "Rsqrt", 0, "f32 f32: frsqrt_rn">;
def : Elementary<"frcp_rn drcp_rn rcp.rn", "Rcp", 0,
                 "f32 f32: frcp_rn; f64 f64: drcp_rn">;
foreach d = directed in {
  let Prototypes = "f32 f32: fsqrt_"#d.Library#"; f64 f64: dsqrt_"#d.Library in
  def : Function<"fsqrt_"#d.Library#" dsqrt_"#d.Library#" sqrt."#d.NVVM,
                 "Math1", "int(MathFn::Sqrt) | int(Rounding::"#d.Value#
                 ") << rootShift">;
  let Prototypes = "f32 f32: frcp_"#d.Library#"; f64 f64: drcp_"#d.Library in
  def : Function<"frcp_"#d.Library#" drcp_"#d.Library#" rcp."#d.NVVM,
                 "Reciprocal", "int(Rounding::"#d.Value#")">;
}
let MathOp = "math.cbrt" in def : Elementary<"cbrt", "Cbrt">;
def : Elementary<"rcbrt", "Rcbrt">;
let MathOp = "math.sin" in def : Elementary<"sin", "Sin", 1>;
let MathOp = "math.cos" in def : Elementary<"cos", "Cos", 1>;
let MathOp = "math.tan" in def : Elementary<"tan", "Tan", 1>;
def : Elementary<"sinpi", "Sinpi">;
def : Elementary<"cospi", "Cospi">;
let MathOp = "math.asin" in def : Elementary<"asin", "Asin">;
let MathOp = "math.acos" in def : Elementary<"acos", "Acos">;
let MathOp = "math.atan" in def : Elementary<"atan", "Atan">;
let MathOp = "math.sinh" in def : Elementary<"sinh", "Sinh">;
let MathOp = "math.cosh" in def : Elementary<"cosh", "Cosh">;
let MathOp = "math.tanh" in def : Elementary<"tanh", "Tanh", 1>;
def : Elementary<"asinh", "Asinh">;
def : Elementary<"acosh", "Acosh">;
def : Elementary<"atanh", "Atanh">;
let MathOp = "math.erf" in def : Elementary<"erf", "Erf">;
let MathOp = "math.erfc" in def : Elementary<"erfc", "Erfc">;
def : Elementary<"normcdf", "Normcdf">;
def : Elementary<"normcdfinv", "Normcdfinv">;
def : Elementary<"erfinv", "Erfinv">;
def : Elementary<"erfcinv", "Erfcinv">;
def : Elementary<"erfcx", "Erfcx">;
def : Elementary<"j0", "J0">;
def : Elementary<"j1", "J1">;
def : Elementary<"y0", "Y0">;
def : Elementary<"y1", "Y1">;
def : Elementary<"cyl_bessel_i0", "BesselI0">;
def : Elementary<"cyl_bessel_i1", "BesselI1">;
def : Elementary<"tgamma", "Tgamma">;
def : Elementary<"lgamma", "Lgamma">;
def : Elementary<"saturate", "Saturate", 0, "f32 f32: saturatef">;
let MathOp = "math.floor" in def : Elementary<"floor", "Floor">;
let MathOp = "math.ceil" in def : Elementary<"ceil", "Ceil">;
def : Elementary<"trunc", "Trunc">;
let MathOp = "math.roundeven" in def : Elementary<"rint", "Rint">;
def : Elementary<"nearbyint roundeven", "Rint", 0,
                 Typed<"nearbyint", "T T">.Of>;
let MathOp = "math.round" in def : Elementary<"round", "Round">;
def : Elementary<"nvvm.round", "Rint", 0, "">; // cvt.rni: ties go to even

// __nv_fast_* are made of these.
def : Approximate<"ex2.approx", "Exp2">;
def : Approximate<"lg2.approx", "Log2">;
def : Approximate<"sqrt.approx", "Sqrt">;
def : Approximate<"rsqrt.approx", "Rsqrt">;
def : Approximate<"rcp.approx", "Rcp">;
let Prototypes = "f64 f64: rcp64h" in def : Approximate<"rcp64h", "Rcp">;
def : Approximate<"sin.approx", "Sin">;
def : Approximate<"cos.approx", "Cos">;
def : Approximate<"tanh.approx", "Tanh">;
def : Function<"div.approx", "Math2", "int(MathFn::Fdivide) | approximateFlag">;
def : Function<"div.full", "Math2", "int(MathFn::Fdivide) | fullRangeFlag">;
// To the 11 bits of tf32, in an integer.
def : Function<"f2tf32.rna", "RoundTF32", "int(MathFn::RoundTF32)">;
def : Function<"f2tf32.rn", "RoundTF32", "int(MathFn::RoundTF32Even)">;

let MathOp = "math.powf" in def : Elementary2<"pow", "Pow", 1>;
let MathOp = "math.atan2" in def : Elementary2<"atan2", "Atan2">;
def : Elementary2<"hypot", "Hypot">;
def : Elementary2<"rhypot", "Rhypot">;
def : Elementary2<"fdim", "Fdim">;
let MathOp = "arith.remf" in def : Elementary2<"fmod", "Fmod">;
def : Elementary2<"remainder", "Remainder">;
let Prototypes = "f32 f32 f32: fast_fdividef" in
def : Elementary2<"fdivide", "Fdivide">;
let Prototypes = Typed<"powi", "T T i32">.Of in
def : Function<"powi", "MathInt", "int(MathIntFn::Powi)">;
let Prototypes = Typed<"ldexp", "T T i32">.Of#"; "#
                 Typed<"scalbn", "T T i32">.Of in
def : Function<"ldexp scalbn", "MathInt", "int(MathIntFn::Ldexp)">;
let Prototypes = Typed<"jn", "T i32 T">.Of in
def : Function<"jn", "MathInt", "int(MathIntFn::Jn)">;
let Prototypes = Typed<"yn", "T i32 T">.Of in
def : Function<"yn", "MathInt", "int(MathIntFn::Yn)">;
class Composed<string name, string types> : Function<name, "Composed"> {
  let Prototypes = Typed<name, types>.Of;
}
def : Composed<"ilogb", "i32 T">;
let Memory = writesArguments in {
  def : Composed<"frexp", "T T ptr">;
  def : Composed<"modf", "T T ptr">;
  def : Composed<"remquo", "T T T ptr">;
}
def : Composed<"llround", "i64 T">;
def : Composed<"nextafter", "T T T">;
foreach r = ["", "r"] in {
  def : Composed<r#"norm3d", "T T T T">;
  def : Composed<r#"norm4d", "T T T T T">;
  let Memory = readsArguments in def : Composed<r#"norm", "T i32 ptr">;
}
let Prototypes = Typed<"nan", "T ptr">.Of, Memory = readsArguments in
def : Function<"nan", "NaN">;
let Memory = writesArguments in {
  let Prototypes = Typed<"sincos", "void T ptr ptr", 1>.Of in
  def : Function<"sincos", "SinCos", "false">;
  let Prototypes = Typed<"sincospi", "void T ptr ptr">.Of in
  def : Function<"sincospi", "SinCos", "true">;
}

// Float operations with their own opcode.
let Algebra = "Algebra::Fused" in {
let MathOp = "math.fma", Prototypes = Typed<"fma", "T T T T">.Of in
def : Function<"fma", "Fma">;
def : Function<"fmuladd", "Fma">;
}
defvar narrowTypes = ["f16", "bf16", "f16x2", "bf16x2"];
def : Function<!interleave(!foreach(type, narrowTypes, "fma.rn."#type), " "),
               "Fma">;
def : Function<!interleave(!foreach(type, narrowTypes, "fma.rn.sat."#type),
                           " "), "Fma", "saturateFlag">;
def : Function<!interleave(!foreach(type, narrowTypes, "fma.rn.relu."#type),
                           " "), "Fma", "reluFlag">;
foreach d = allDirections in {
  defvar rounding = "int(Rounding::"#d.Value#") << roundingShift";
  let Prototypes = "f32 f32 f32 f32: fmaf_"#d.Library#" fmaf_ieee_"#
                   d.Library#"; f64 f64 f64 f64: fma_"#d.Library in
  def : Function<"fmaf_"#d.Library#" fma_"#d.Library#" fmaf_ieee_"#d.Library#
                 " fma."#d.NVVM, "Fma", rounding>;
  def : Function<"fma."#d.NVVM#".sat", "Fma", "saturateFlag | "#rounding>;
  foreach bin = ["Add", "Sub", "Mul", "Div"] in {
    defvar op = !tolower(bin);
    defvar does = !cast<Opcode>("F"#!toupper(bin));
    let Prototypes = "f32 f32 f32: f"#op#"_"#d.Library#
                     "; f64 f64 f64: d"#op#"_"#d.Library in
    def : FunctionBy<does,
                     "f"#op#"_"#d.Library#" d"#op#"_"#d.Library#" "#op#"."#
                     d.NVVM, "FloatBinary", rounding>;
    def : FunctionBy<does, op#"."#d.NVVM#".sat", "FloatBinary",
                     "saturateFlag | "#rounding>;
  }
}
let MathOp = "math.absf", Prototypes = Typed<"fabs", "T T">.Of in
def : Function<"fabs", "FloatAbs">;
let MathOp = "math.copysign", Prototypes = Typed<"copysign", "T T T">.Of in
def : Function<"copysign", "CopySign">;
class FloatMinMax<string names, string which>
    : Function<names, "FloatMinMax", "int(MinMax::"#which#")"> {
  let Algebra = "Algebra::FloatChoice";
}
def : FloatMinMax<"minnum minimumnum", "MinNum">;
def : FloatMinMax<"maxnum maximumnum", "MaxNum">;
def : FloatMinMax<"minimum", "Minimum">;
def : FloatMinMax<"maximum", "Maximum">;
let MathOp = "arith.minnumf", Prototypes = Typed<"fmin", "T T T">.Of in
def : FloatMinMax<"fmin", "MinNum">;
let MathOp = "arith.maxnumf", Prototypes = Typed<"fmax", "T T T">.Of in
def : FloatMinMax<"fmax", "MaxNum">;
foreach which = ["Min", "Max"] in {
  defvar op = "f"#!tolower(which);
  def : FloatMinMax<!interleave(!foreach(type, narrowTypes, op#"."#type), " "),
                    which#"Num">;
  def : FloatMinMax<!interleave(!foreach(type, narrowTypes,
                                         op#".nan."#type), " ")#" "#op#".nan",
                    which#"imum">;
  let Algebra = "Algebra::None" in {
    def : Function<!interleave(!foreach(type, narrowTypes,
                                        op#".xorsign.abs."#type), " ")#
                   " "#op#".xorsign.abs", "FloatMinMax",
                   "int(MinMax::"#which#"Num) | xorSignFlag">;
    def : Function<!interleave(!foreach(type, narrowTypes,
                                        op#".nan.xorsign.abs."#type), " ")#
                   " "#op#".nan.xorsign.abs", "FloatMinMax",
                   "int(MinMax::"#which#"imum) | xorSignFlag">;
  }
}
let ComparesFloats = 1 in {
let Prototypes = "i32 f32: isnanf; i32 f64: isnand" in
def : Function<"isnan isnand", "IsNan">;
let Prototypes = "i32 f32: isinff; i32 f64: isinfd" in
def : Function<"isinf isinfd", "IsInf">;
let Prototypes = "i32 f32: finitef; i32 f64: isfinited" in
def : Function<"finite isfinite isfinited", "IsFinite">;
let Prototypes = "i32 f32: signbitf; i32 f64: signbitd" in
def : Function<"signbit signbitd", "SignBit">;
def : Function<"is.fpclass", "IsClass">;
}

// Bit patterns and conversions.
let Algebra = "Algebra::SameBits",
    Prototypes = "i32 f32: float_as_int float_as_uint; "
                 "f32 i32: int_as_float uint_as_float; "
                 "i64 f64: double_as_longlong; f64 i64: longlong_as_double" in
def : Function<"float_as_int float_as_uint int_as_float uint_as_float "
               "double_as_longlong longlong_as_double", "Bitcast">;
let Prototypes = "i16 f32: float2half_rn" in
def : Function<"float2half_rn convert.to.fp16 f2h.rn", "FloatToHalf">;
let Prototypes = "f32 i16: half2float" in
def : Function<"half2float convert.from.fp16", "HalfToFloat">;
// The two words of a double.
let Prototypes = "i32 f64: double2hiint" in
def : Function<"double2hiint d2i.hi", "WordOfDouble", "32">;
let Prototypes = "i32 f64: double2loint" in
def : Function<"double2loint d2i.lo", "WordOfDouble", "0">;
let Prototypes = "f64 i32 i32: hiloint2double" in
def : Function<"hiloint2double", "DoubleOfWords", "1">;
def : Function<"lohi.i2d", "DoubleOfWords", "0">;
class ToSigned<string names, string rounding>
    : Function<names, "FloatToInt", "signedFlag | int(Rounding::"#rounding#")">;
class ToUnsigned<string names, string rounding>
    : Function<names, "FloatToInt", "int(Rounding::"#rounding#")">;
foreach d = allDirections in {
  defvar rounding = "int(Rounding::"#d.Value#")";
  defvar cast = rounding#" << roundingShift";
  let Prototypes = "f32 f64: double2float_"#d.Library in
  def : Function<"double2float_"#d.Library#" d2f."#d.NVVM, "FloatCast", cast>;
  foreach to = ["bf16", "f16"] in {
    def : Function<"f2"#to#"."#d.NVVM, "FloatCast", cast>;
    def : Function<"f2"#to#"."#d.NVVM#".relu", "FloatCast",
                   "reluFlag | "#cast>;
    def : Function<"ff2"#to#"x2."#d.NVVM, "PairCast", cast>;
    def : Function<"ff2"#to#"x2."#d.NVVM#".relu", "PairCast",
                   "reluFlag | "#cast>;
  }
  defvar l = "_"#d.Library;
  defvar n = "."#d.NVVM;
  let Prototypes = "i32 f32: float2int"#l#"; i64 f32: float2ll"#l#
                   "; i32 f64: double2int"#l#"; i64 f64: double2ll"#l in
  def : ToSigned<!interleave(["float2int"#l, "float2ll"#l, "double2int"#l,
                              "double2ll"#l, "f2i"#n, "f2ll"#n, "d2i"#n,
                              "d2ll"#n], " "), d.Value>;
  let Prototypes = "i32 f32: float2uint"#l#"; i64 f32: float2ull"#l#
                   "; i32 f64: double2uint"#l#"; i64 f64: double2ull"#l in
  def : ToUnsigned<!interleave(["float2uint"#l, "float2ull"#l, "double2uint"#l,
                                "double2ull"#l, "f2ui"#n, "f2ull"#n, "d2ui"#n,
                                "d2ull"#n], " "), d.Value>;
  // All of 32 bits are doubles: libdevice names one direction.
  defvar isNearest = !eq(d.Library, "rn");
  let Prototypes = "f32 i32: int2float"#l#"; f32 i64: ll2float"#l#
                   "; f64 i64: ll2double"#l#
                   !if(isNearest, "; f64 i32: int2double_rn", "") in
  def : Function<!interleave(["int2float"#l, "ll2float"#l, "int2double"#l,
                              "ll2double"#l, "i2f"#n, "ll2f"#n, "i2d"#n,
                              "ll2d"#n], " "), "IntToFloat",
                 "signedFlag | "#rounding>;
  let Prototypes = "f32 i32: uint2float"#l#"; f32 i64: ull2float"#l#
                   "; f64 i64: ull2double"#l#
                   !if(isNearest, "; f64 i32: uint2double_rn", "") in
  def : Function<!interleave(["uint2float"#l, "ull2float"#l, "uint2double"#l,
                              "ull2double"#l, "ui2f"#n, "ull2f"#n, "ui2d"#n,
                              "ull2d"#n], " "), "IntToFloat", rounding>;
}
let Prototypes = Typed<"llrint", "i64 T">.Of in
def : ToSigned<"lrint llrint", "Nearest">;
def : Function<"fptosi.sat", "FloatToInt",
               "saturatesFlag | signedFlag | int(Rounding::Zero)">;
def : Function<"fptoui.sat", "FloatToInt", "saturatesFlag | int(Rounding::Zero)">;

// Integers.
class IntBinary<string names, Opcode does, string what = "0">
    : FunctionBy<does, names, "IntBinary", what>;
let Algebra = "Algebra::UnsignedMin",
    Prototypes = "i32 i32 i32: umin; i64 i64 i64: ullmin" in
def : IntBinary<"umin ullmin", UMIN>;
let Algebra = "Algebra::UnsignedMax",
    Prototypes = "i32 i32 i32: umax; i64 i64 i64: ullmax" in
def : IntBinary<"umax ullmax", UMAX>;
let Algebra = "Algebra::SignedMin",
    Prototypes = "i32 i32 i32: min; i64 i64 i64: llmin" in
def : IntBinary<"smin min llmin", SMIN>;
let Algebra = "Algebra::SignedMax",
    Prototypes = "i32 i32 i32: max; i64 i64 i64: llmax" in
def : IntBinary<"smax max llmax", SMAX>;
// |a - b| + c, and the mean of two rounded up or down.
let Prototypes = "i32 i32 i32 i32: sad" in
def : Function<"sad sad.i sad.ll sad.s", "SumOfDifference", "signedFlag">;
let Prototypes = "i32 i32 i32 i32: usad" in
def : Function<"usad sad.ui sad.ull sad.us", "SumOfDifference", "0">;
class Mean<string name, string what> : Function<name, "Mean", what> {
  let Prototypes = "i32 i32 i32: "#name;
}
def : Mean<"hadd", "signedFlag">;
def : Mean<"uhadd", "0">;
def : Mean<"rhadd", "signedFlag | upFlag">;
def : Mean<"urhadd", "upFlag">;
let Prototypes = "i32 i32 i32: mulhi; i64 i64 i64: mul64hi" in
def : IntBinary<"mulhi mul64hi mulhi.i mulhi.ll", MULHIS>;
let Prototypes = "i32 i32 i32: umulhi; i64 i64 i64: umul64hi" in
def : IntBinary<"umulhi umul64hi mulhi.ui mulhi.ull", MULHIU>;
def : IntBinary<"uadd.sat", ADDSATU>;
def : IntBinary<"sadd.sat", ADDSATS>;
def : IntBinary<"usub.sat", SUBSATU>;
def : IntBinary<"ssub.sat", SUBSATS>;
let Prototypes = "i32 i32 i32: mul24" in
def : Function<"mul24 mul24.i", "Mul24", "signedFlag">;
let Prototypes = "i32 i32 i32: umul24" in
def : Function<"umul24 mul24.ui", "Mul24", "0">;
let Algebra = "Algebra::Absolute",
    Prototypes = "i32 i32: abs; i64 i64: llabs" in
def : Function<"abs llabs", "IntAbs">;
let Algebra = "Algebra::CountOnes",
    Prototypes = "i32 i32: popc; i32 i64: popcll" in
def : Function<"ctpop popc popcll", "IntPop">;
let Algebra = "Algebra::LeadingZeros",
    Prototypes = "i32 i32: clz; i32 i64: clzll" in
def : Function<"ctlz clz clzll", "IntClz">;
def : Function<"cttz", "IntCtz">;
let Prototypes = "i32 i32: ffs; i32 i64: ffsll" in
def : Function<"ffs ffsll", "IntFfs">;
// By the names that CUDA's headers have for it, too (lib/Lowering).
let Algebra = "Algebra::ByteSwap" in
def : Function<"bswap bswap16_impl bswap32_impl bswap64_impl", "IntBswap">;
def : Function<"fns", "NthBit">;
let Algebra = "Algebra::ReversedBits",
    Prototypes = "i32 i32: brev; i64 i64: brevll" in
def : Function<"bitreverse brev brevll", "IntBrev">;
foreach op = ["fshl", "fshr"] in {
  def : FunctionBy<!cast<Opcode>(!toupper(op)), op, "Funnel">;
  def : FunctionBy<!cast<Opcode>(!toupper(op)), op#".clamp", "FunnelClamp">;
}
// The bits of the selector that count.
def : Function<"prmt", "Prmt", "0xffff">;
let Prototypes = "i32 i32 i32 i32: byte_perm" in
def : Function<"byte_perm", "Prmt", "0x7777">;
def : FunctionBy<ADD, "uadd.with.overflow", "Overflow">;
def : FunctionBy<SUB, "usub.with.overflow", "Overflow">;
foreach op = ["add", "mul", "and", "or", "xor", "umin", "umax", "smin", "smax"]
in def : FunctionBy<!cast<Opcode>(!toupper(op)), "vector.reduce."#op, "Reduce">;
foreach op = ["fadd", "fmul"] in
def : FunctionBy<!cast<Opcode>(!toupper(op)), "vector.reduce."#op,
                 "ReduceFloat">;

def : PromptPhrase<2, "fast mathematics (`__expf`, `__logf`, `__fdividef`, "
                      "`rsqrtf` ...), which is held to the error bound like "
                      "all else">;
def : PromptPhrase<5, "bit intrinsics">;
def : PromptPhrase<6, "packed halves (`__half2`, `__nv_bfloat162`)">;

// PTX. Intrinsics of these families that no record names are not supported.
// Statements that Arithmetic.td and the like spell as calls are; others are
// decoded by their further words, as the kind of their family has them.
def : Family<"shf fns rem add sub mul mad fma div rcp sqrt rsqrt ex2 lg2 sin "
             "cos tanh min max neg abs copysign and or xor not popc clz brev "
             "sad">;
def : Family<"vadd vsub vabsdiff vmin vmax vshl vshr vmad vset">;
def Move : CallKind;
def Convert : CallKind<NoOpcode, "Convert">;
def Select : CallKind<SELECT>;
def Permutation : CallKind<PRMT>;
def Compare : CallKind<NoOpcode, "Int Fp32 Fp64 Fp16">;
foreach kind = ["Shift", "Logic3", "BitField", "FindBit", "Extent", "CountNot",
                "WideProduct", "WithCarry", "Product24", "Choice", "DotProduct",
                "Lanes", "ClassOf"] in
def ""#kind : CallKind<NoOpcode, "Int">;
def : DecodedFamily<"mov", "Move", "", 1>;
def : DecodedFamily<"cvt", "Convert",
                    "rounding=rn|rni|rz|rzi|rm|rmi|rp|rpi|rna flush=ftz "
                    "saturate=sat relu=relu finite=satfinite", 2>;
def : DecodedFamily<"selp", "Select", "", 1>;
def : DecodedFamily<"shl shr", "Shift", "", 1>;
def : DecodedFamily<"prmt", "Permutation", "mode!=f4e|b4e|rc8|ecl|ecr|rc16", 1>;
def : DecodedFamily<"lop3", "Logic3", "", 1>;
def : DecodedFamily<"bfe bfi", "BitField", "", 1>;
def : DecodedFamily<"bfind", "FindBit", "shift=shiftamt", 1>;
def : DecodedFamily<"szext bmsk", "Extent", "mode!=clamp|wrap", 1>;
def : DecodedFamily<"cnot", "CountNot", "", 1>;
def : DecodedFamily<"mul.wide mad.wide", "WideProduct", "", 1>;
def : DecodedFamily<"addc subc", "WithCarry", "carry=cc", 1>;
def : DecodedFamily<"madc", "WithCarry", "half!=lo|hi carry=cc", 1>;
def : DecodedFamily<"add.cc sub.cc mad.lo.cc mad.hi.cc", "WithCarry", "", 1>;
def : DecodedFamily<"mul24 mad24", "Product24", "half!=lo|hi", 1>;
def : DecodedFamily<"slct", "Choice", "", 2>;
def : DecodedFamily<"dp4a", "DotProduct", "", 2>;
def : DecodedFamily<"dp2a", "DotProduct", "half!=lo|hi", 2>;
foreach lanes = ["2", "4"] in {
  def : DecodedFamily<!interleave(!foreach(op, ["add", "sub", "avrg", "absdiff",
                                                "min", "max"],
                                           "v"#op#lanes), " "), "Lanes",
                      "further=sat|add", 3>;
  def : DecodedFamily<"vset"#lanes, "Lanes",
                      "comparison!=eq|ne|lt|le|gt|ge further=add", 2>;
}
let ComparesFloats = 1 in {
  defvar comparisons = "comparison!=eq|ne|lt|le|gt|ge|lo|ls|hi|hs|equ|neu|ltu|"
                       "leu|gtu|geu|num|nan flush=ftz";
  def : DecodedFamily<"set", "Compare", comparisons, 2>;
  def : DecodedFamily<"setp", "Compare", comparisons#" joins=and|or|xor", 1>;
  def : DecodedFamily<"testp", "ClassOf",
                      "class!=finite|infinite|number|notanumber|normal|"
                      "subnormal", 1>;
}
foreach mode = ["", ".clamp"] in
foreach d = ["l", "r"] in
def : Spelling<"shf."#d#!if(!empty(mode), ".wrap", mode)#".b32", "b32",
               "1:b32 0:b32 2:b32", "fsh"#d#mode>;
let HasDestination = 0, Memory = changesAll in def : Family<"brkpt pmevent">;
let EndsThread = 1, HasDestination = 0, Memory = changesHidden in
def : Family<"exit">;
let CallsUnknown = 1, IsSupported = 0, Memory = changesAll in
def : Family<"call">;
// Of the text itself.
let IsJump = 1, HasDestination = 0 in def : Family<"bra ret">;
