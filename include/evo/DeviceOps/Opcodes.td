// The simulator's instructions. What is decided by an opcode without doing what
// it does: its class of cost, the arithmetic that it counts as, and the facts
// of Simulator/IR/Bytecode.h. The record of a device operation names the
// instruction that does it, and so has its cost.
//
// Narrow integers live zero-extended in 32-bit lanes; the decoder adds the
// masking and sign extension they need, so no opcode knows about odd widths.
#ifndef EVO_DEVICEOPS_OPCODES
#define EVO_DEVICEOPS_OPCODES

include "llvm/TableGen/SearchableTable.td"

/// An instruction, in the forms that there are for types of lanes: I 32-bit and
/// L 64-bit integers, S f32, D f64, H f16, B bf16.
class Opcode<string cost, string facts = "none", int flops = 0> {
  /// What is put behind its name. Lookups by type rely on the order: L follows
  /// I, and D, H and B follow S.
  list<string> Lanes = [""];
  /// The classes of cost of these forms (an OpClass).
  list<string> Costs = !foreach(lane, Lanes, cost);
  int Flops = flops;
  /// Whether results are as wide as the operands.
  bit IsWideAsLanes = 0;
  list<string> Facts = !foreach(
      lane, Lanes,
      facts#!if(!and(IsWideAsLanes, !or(!eq(lane, "_L"), !eq(lane, "_D"))),
                " | isWide", ""));
  list<string> Names = !foreach(lane, Lanes, NAME#lane);
}
/// What several instructions do, or none.
def NoOpcode : Opcode<""> {
  let Lanes = [];
}

class Integers<string facts = "isFunction"> : Opcode<"Int", facts> {
  let Lanes = ["_I", "_L"];
  let IsWideAsLanes = 1;
}
/// With results of 1 bit.
class Comparison : Opcode<"Int", "isFunction"> {
  let Lanes = ["_I", "_L"];
}
class Floats<int flops> : Opcode<"", "isFunction", flops> {
  let Lanes = ["_S", "_D", "_H", "_B"];
  let Costs = ["Fp32", "Fp64", "Fp16", "Fp16"];
  let IsWideAsLanes = 1;
}
/// What a device computes in another unit, or in a routine.
class SpecialFloats : Opcode<"Special", "isFunction", 1> {
  let Lanes = ["_S", "_D", "_H", "_B"];
  let IsWideAsLanes = 1;
}

// In the order of their numbers.
defset list<Opcode> allOpcodes = {

// dst = a
def MOV_I : Opcode<"Move", "isFunction | carriesA">;
def MOV_L : Opcode<"Move", "isFunction | isWide | carriesA">;

// dst = a op b
foreach op = ["ADD", "SUB", "MUL"] in def ""#op : Integers;
foreach op = ["UDIV", "SDIV", "UREM", "SREM"] in
def ""#op : Integers<"isFunction | mayFault">;
def AND : Integers;
def OR : Integers<"isFunction | carriesA | carriesB">;
def XOR : Integers;
def SHL : Integers<"isFunction | carriesA">;
def LSHR : Integers<"isFunction | carriesA">;
foreach op = ["ASHR", "UMIN", "UMAX", "SMIN", "SMAX", "MULHIU", "MULHIS",
              "ADDSATU", "ADDSATS", "SUBSATU", "SUBSATS"] in
def ""#op : Integers;

// dst = op a
foreach op = ["CTPOP", "CTLZ", "CTTZ", "BSWAP", "BITREV", "ABS"] in
def ""#op : Integers;

// Funnel shifts: dst = high (FSHL) or low (FSHR) word of (a:b) shifted by c.
def FSHL : Integers;
def FSHR : Integers;

// Width changes. MASK keeps `imm` low bits, SEXTIN extends from bit `imm`.
def MASK_I : Opcode<"Int", "isFunction | carriesA">;
def MASK_L : Opcode<"Int", "isFunction | isWide">;
def SEXTIN : Integers;
def TRUNC_LI : Opcode<"Int", "isFunction | carriesA">;
def ZEXT_IL : Opcode<"Int", "isFunction | isWide | carriesA">;
def SEXT_IL : Opcode<"Int", "isFunction | isWide">;
// dst = (a >> imm) & 0xffff; dst = a | b << 16; and the same in halves of 64.
def UNPACK16_I : Opcode<"Int", "isFunction | carriesA">;
def PACK16_I : Opcode<"Int", "isFunction | carriesA | carriesB">;
def UNPACK32_L : Opcode<"Int", "isFunction | carriesA">;
def PACK32_L : Opcode<"Int", "isFunction | isWide | carriesA | carriesB">;

// dst (1 bit in 32) = a op b
foreach op = ["EQ", "NE", "UGT", "UGE", "ULT", "ULE", "SGT", "SGE", "SLT",
              "SLE"] in
def ICMP_#op : Comparison;

// dst = a ? b : c
def SELECT : Integers<"isFunction | carriesB | carriesC">;

// Addresses: dst = a + sext(b) * imm
def GEP_I : Opcode<"Int", "isFunction | isWide">;
def GEP_L : Opcode<"Int", "isFunction | isWide">;
def PRMT : Opcode<"Int", "isFunction">;
// Between an address in shared memory and the 32 bits that PTX has for it.
def WINDOW_LI : Opcode<"Int", "isFunction">;
def UNWINDOW_IL : Opcode<"Int", "isFunction | isWide">;

// sub: a Rounding
foreach op = ["FADD", "FSUB", "FMUL"] in def ""#op : Floats<1>;
def FDIV : SpecialFloats;
def FREM : SpecialFloats;
def FMA : Floats<2>;
foreach op = ["FNEG", "FABS", "COPYSIGN"] in def ""#op : Floats<0>;
// sub: a MinMax
def FMINMAX : Floats<1>;
// sub: the predicate in LLVM's encoding (bit 0 equal, 1 greater, 2 less, 3
// unordered)
def FCMP : Floats<0> {
  let IsWideAsLanes = 0;
}
// sub: a MathFn; dst = f(a), f(a, b)
def MATH1 : SpecialFloats;
def MATH2 : SpecialFloats;
// dst = f(a, int b): ldexp, powi
def MATHINT : SpecialFloats;

// sub: from type | to type << 4 (FloatType), imm: rounding
def FPCVT : Opcode<"Convert", "isFunction">;
// sub: float type | signed << 4 | 64-bit << 5; imm: rounding, result bits
def FPTOI : Opcode<"Convert", "isFunction">;
// sub: as FPTOI's; imm: rounding
def ITOFP : Opcode<"Convert", "isFunction">;

// Memory. a: address, imm: displacement, sub: log2 element bytes | log2
// alignment << 4, flags: shadow value kind; aux: list of element slots if flag
// List.
def LOAD : Opcode<"Move", "mayList | listsResults | isCountedByMemory | "
                          "namesPlace | carriesMemory">;
def STORE : Opcode<"Move", "mayList | isCountedByMemory | namesPlace | "
                           "storesValues">;
// sub as above; aux: the AtomicOp; b: value, c: compare value's new value
def ATOMIC : Opcode<"Atomic", "namesPlace | carriesB | carriesMemory | "
                              "exchangesMemory">;
def CMPXCHG : Opcode<"Atomic", "namesPlace | carriesC | carriesMemory | "
                               "exchangesMemory">;
// dst is unused; a: destination, b: source or byte, c: length
def MEMCPY : Opcode<"Move", "namesPlace">;
def MEMSET : Opcode<"Move", "namesPlace">;
// dst = allocation of a bytes; free a. The device serialises both by atomics.
def MALLOC : Opcode<"Atomic", "isWide">;
def FREE : Opcode<"Atomic">;
// sub: the scope is only the block
def FENCE : Opcode<"Barrier">;

// sub: a Sreg
def SREG : Opcode<"Move", "isRemovable">;
// sub: the address space asked for
def ISSPACEP : Opcode<"Int", "isFunction">;

// Waiting. sub says which; see the enums in Bytecode.h.
// BAR: b: the number, 0 if absent; c: threads, all if absent; a: the predicate
// of a reduction.
def BAR : Opcode<"Barrier", "exchangesLanes">;
def WARPSYNC : Opcode<"Barrier", "exchangesLanes">;
def SHFL : Opcode<"Shuffle", "carriesA | exchangesLanes">;
foreach op = ["VOTE", "MATCH", "REDUX", "ACTIVEMASK"] in
def ""#op : Opcode<"Shuffle", "exchangesLanes">;

// What a warp does as one with matrices; c: the lanes that must take part, all.
// aux: list of slots; imm: which of the kernel's products or tiles.
def MMA : Opcode<"Tensor", "hasList | exchangesLanes | needsWholeWarp">;
// a: address of a row of 8 halves, list: results or sources, sub: transposed
def LDMATRIX : Opcode<"Move", "hasList | listsResults | isCountedByMemory | "
                              "carriesMemory | exchangesLanes | "
                              "needsWholeWarp">;
def STMATRIX : Opcode<"Move", "hasList | isCountedByMemory | exchangesLanes | "
                              "needsWholeWarp | storesValues">;
// a: address, b: stride in elements, list: elements
def WMMALOAD : Opcode<"Move", "hasList | listsResults | isCountedByMemory | "
                              "exchangesLanes | needsWholeWarp">;
def WMMASTORE : Opcode<"Move", "hasList | isCountedByMemory | exchangesLanes | "
                               "needsWholeWarp">;

// Asynchronous copies. a: shared address, b: global address, c: bytes to take
// from there (absent: all), e: predicate to take none; imm: bytes to write.
def CPASYNC : Opcode<"Move", "isCountedByMemory">;
def CPCOMMIT : Opcode<"Move">;
// imm: groups that may stay in flight; -1: wait for all, committed or not
def CPWAIT : Opcode<"Move">;

// Control: the last instruction of every block. aux: first edge or switch.
foreach op = ["BR", "CONDBR", "SWITCH", "RET", "TRAP"] in
def ""#op : Opcode<"Control", "endsBlock">;

} // allOpcodes

/// The form of an instruction for one type of lanes.
class OpcodeRow<int number, string name, string cost, int flops,
                string facts> {
  bits<16> Number = number;
  string Name = name;
  code Cost = "OpClass::"#cost;
  bits<8> Flops = flops;
  code Facts = facts;
}
defvar opcodeNames = !foldl([]<string>, allOpcodes, all, op,
                            !listconcat(all, op.Names));
defvar opcodeCosts = !foldl([]<string>, allOpcodes, all, op,
                            !listconcat(all, op.Costs));
defvar opcodeFlops = !foldl([]<int>, allOpcodes, all, op,
                            !listconcat(all, !foreach(lane, op.Lanes,
                                                      op.Flops)));
defvar opcodeFacts = !foldl([]<string>, allOpcodes, all, op,
                            !listconcat(all, op.Facts));
foreach i = !range(!size(opcodeNames)) in
def : OpcodeRow<i, opcodeNames[i], opcodeCosts[i], opcodeFlops[i],
                opcodeFacts[i]>;

def Op : GenericEnum {
  let FilterClass = "OpcodeRow";
  let NameField = "Name";
  let ValueField = "Number";
}
def OpcodeTable : GenericTable {
  let FilterClass = "OpcodeRow";
  let Fields = ["Number", "Name", "Cost", "Flops", "Facts"];
  string TypeOf_Cost = "code";
  string TypeOf_Facts = "code";
}

#endif
