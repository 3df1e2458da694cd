// Arithmetic of PTX. Statements that are calls in other words, with the words
// that each may have, in the order in which the PTX ISA has them. What no
// intrinsic is for is named with "ptx.". A word that is not listed changes what
// a statement computes, and is refused.

// Kinds of calls; what each does is a case in lib/Simulator/Decode.
def FloatNeg : CallKind<FNEG>;
def IntNot : CallKind<XOR>;
def IntNeg : CallKind<SUB>;
def MulAdd : CallKind;

/// So many operands of the type of the result.
class Same<string words, string type, int operands, string function>
    : Spelling<words, type, !interleave(!foreach(i, !range(operands),
                                                 i#":"#type), " "), function>;
/// With and without ".ftz" between `head` and `tail`.
class Flushing<string head, string tail, string type, int operands,
               string function>
    : Same<head#tail#"."#type#" "#head#".ftz"#tail#"."#type, type, operands,
           function>;

defvar halves = ["f16", "f16x2"];
defvar brainHalves = ["bf16", "bf16x2"];

// What is not said to be rounded may be fused with a product.
foreach op = ["Add", "Sub"] in
foreach end = ["", ".sat"] in
def : FunctionBy<!cast<Opcode>("F"#!toupper(op)),
                 "nvvm.ptx.f"#!tolower(op)#end, "FloatBinary",
                 "contractFlag"#!if(!empty(end), "", " | saturateFlag")>;

foreach op = ["add", "sub", "mul"] in {
  defvar plain = !if(!eq(op, "mul"), "mul.rn", "ptx.f"#op);
  foreach type = !listconcat(["f32"], halves) in
  foreach end = ["", ".sat"] in {
    def : Flushing<op, end, type, 2, plain#end>;
    def : Flushing<op#".rn", end, type, 2, op#".rn"#end>;
  }
  foreach type = !listconcat(["f64"], brainHalves) in {
    def : Same<op#"."#type, type, 2, plain>;
    def : Same<op#".rn."#type, type, 2, op#".rn">;
  }
  foreach d = directed in {
    foreach end = ["", ".sat"] in
    def : Flushing<op#"."#d.NVVM, end, "f32", 2, op#"."#d.NVVM#end>;
    def : Same<op#"."#d.NVVM#".f64", "f64", 2, op#"."#d.NVVM>;
  }
}
foreach d = allDirections in {
  defvar n = "."#d.NVVM;
  foreach op = ["fma", "mad"] in {
    foreach end = ["", ".sat"] in
    def : Flushing<op#n, end, "f32", 3, "fma"#n#end>;
    def : Same<op#n#".f64", "f64", 3, "fma"#n>;
  }
  def : Flushing<"div"#n, "", "f32", 2, "div"#n>;
  def : Same<"div"#n#".f64", "f64", 2, "div"#n>;
  foreach op = ["rcp", "sqrt"] in {
    def : Flushing<op#n, "", "f32", 1, op#n>;
    def : Same<op#n#".f64", "f64", 1, op#n>;
  }
}
foreach type = halves in {
  def : Flushing<"fma.rn", "", type, 3, "fma.rn.f16">;
  def : Flushing<"fma.rn", ".sat", type, 3, "fma.rn.sat.f16">;
  def : Flushing<"fma.rn", ".relu", type, 3, "fma.rn.relu.f16">;
}
foreach type = brainHalves in {
  def : Same<"fma.rn."#type, type, 3, "fma.rn.bf16">;
  def : Same<"fma.rn.relu."#type, type, 3, "fma.rn.relu.bf16">;
}

// Instructions that only bound their error.
foreach how = ["approx", "full"] in
def : Flushing<"div."#how, "", "f32", 2, "div."#how>;
foreach op = ["rcp", "sqrt", "rsqrt", "ex2", "lg2", "sin", "cos"] in
def : Flushing<op#".approx", "", "f32", 1, op#".approx">;
def : Same<"rcp.approx.ftz.f64", "f64", 1, "rcp.approx">;
def : Flushing<"rsqrt.approx", "", "f64", 1, "rsqrt.approx">;
foreach type = halves in
def : Same<"ex2.approx."#type, type, 1, "ex2.approx">;
foreach type = brainHalves in
def : Same<"ex2.approx.ftz."#type, type, 1, "ex2.approx">;
foreach type = !listconcat(["f32"], halves, brainHalves) in
def : Same<"tanh.approx."#type, type, 1, "tanh.approx">;

// The smaller and the larger, and signs.
foreach op = ["min", "max"] in {
  def : Same<op#".f64", "f64", 2, "f"#op>;
  foreach nan = ["", ".NaN"] in
  foreach end = ["", ".xorsign.abs"] in {
    defvar function =
        !if(!empty(nan#end), "f"#op, "f"#op#!tolower(nan)#end);
    foreach type = !listconcat(["f32"], halves) in
    def : Flushing<op, nan#end, type, 2, function>;
    foreach type = brainHalves in
    def : Same<op#nan#end#"."#type, type, 2, function>;
  }
}
def : Function<"nvvm.ptx.fneg", "FloatNeg">;
foreach type = !listconcat(["f32"], halves) in {
  def : Flushing<"neg", "", type, 1, "ptx.fneg">;
  def : Flushing<"abs", "", type, 1, "fabs">;
}
foreach type = !listconcat(["f64"], brainHalves) in {
  def : Same<"neg."#type, type, 1, "ptx.fneg">;
  def : Same<"abs."#type, type, 1, "fabs">;
}
foreach type = ["f32", "f64"] in // the sign of the first
def : Spelling<"copysign."#type, type, "1:"#type#" 0:"#type, "copysign">;

// Integers.
/// An operation by its name in PTX, and what it is.
class Plain<string op, string algebra> {
  string Op = op;
  string Algebra = "Algebra::"#algebra;
}
foreach plain = [Plain<"add", "Sum">, Plain<"sub", "Difference">,
                 Plain<"and", "And">, Plain<"or", "Or">, Plain<"xor", "Xor">] in
let Algebra = plain.Algebra in
def : IntBinary<"nvvm.ptx."#plain.Op, !cast<Opcode>(!toupper(plain.Op))>;
let Algebra = "Algebra::Product" in def : IntBinary<"nvvm.ptx.mul.lo", MUL>;
foreach op = ["min", "max"] in
def : IntBinary<"nvvm.ptx."#op#".relu", !cast<Opcode>("S"#!toupper(op)),
                "integerReluFlag">;
let Algebra = "Algebra::Not" in def : Function<"nvvm.ptx.not", "IntNot">;
let Algebra = "Algebra::Negative" in def : Function<"nvvm.ptx.neg", "IntNeg">;
let Algebra = "Algebra::ProductAndSum" in
def : FunctionBy<MUL, "nvvm.ptx.mad.lo", "MulAdd">;
def : FunctionBy<MULHIS, "nvvm.ptx.mad.hi.s", "MulAdd">;
def : FunctionBy<MULHIU, "nvvm.ptx.mad.hi.u", "MulAdd">;
foreach width = ["16", "32", "64"] in {
  foreach sign = ["s", "u"] in {
    defvar type = sign#width;
    foreach op = ["add", "sub", "mul.lo"] in
    def : Same<op#"."#type, type, 2, "ptx."#op>;
    def : Same<"mad.lo."#type, type, 3, "ptx.mad.lo">;
    foreach op = ["min", "max"] in
    def : Same<op#"."#type, type, 2, !if(!eq(sign, "s"), "s", "u")#op>;
    def : Same<"sad."#type, type, 3, !if(!eq(sign, "s"), "sad", "usad")>;
  }
  def : Same<"neg.s"#width, "s"#width, 1, "ptx.neg">;
  def : Same<"abs.s"#width, "s"#width, 1, "abs">;
  foreach op = ["and", "or", "xor"] in
  def : Same<op#".b"#width, "b"#width, 2, "ptx."#op>;
  def : Same<"not.b"#width, "b"#width, 1, "ptx.not">;
}
foreach width = ["32", "64"] in {
  foreach sign = ["s", "u"] in {
    def : Same<"mul.hi."#sign#width, sign#width, 2,
               !if(!eq(sign, "s"), "mulhi", "umulhi")>;
    def : Same<"mad.hi."#sign#width, sign#width, 3, "ptx.mad.hi."#sign>;
  }
  def : Spelling<"popc.b"#width, "b32", "0:b"#width, "popc">;
  def : Spelling<"clz.b"#width, "b32", "0:b"#width, "clz">;
  def : Same<"brev.b"#width, "b"#width, 1, "brev">;
}
foreach type = ["s16x2", "u16x2"] in {
  def : Same<"add."#type, type, 2, "ptx.add">;
  foreach op = ["min", "max"] in
  def : Same<op#"."#type, type, 2, !if(!eq(type, "s16x2"), "s", "u")#op>;
}
foreach op = ["min", "max"] in
foreach type = ["s32", "s16x2"] in
// The second as CUDA's headers have it.
def : Same<op#".relu."#type#" "#op#"."#type#".relu", type, 2,
           "ptx."#op#".relu">;
foreach op = ["add", "sub"] in
def : Same<op#".sat.s32", "s32", 2, "s"#op#".sat">;
def : Same<"prmt.b32", "b32", 3, "prmt">;
