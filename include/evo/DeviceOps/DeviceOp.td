// What is known of an operation. A record is an operation of the device, in all
// its spellings: functions (libdevice, LLVM intrinsics, the device's runtime),
// families of intrinsics, NVVM ops and PTX statements by the words they begin
// with, and special registers. Everything that is decided by the name of an
// operation is asked of these records (evo/DeviceOps/DeviceOps.h); what it does
// on the simulator is its Kind there, with a parameter.
#ifndef EVO_DEVICEOPS_DEVICEOP
#define EVO_DEVICEOPS_DEVICEOP

include "evo/DeviceOps/Opcodes.td"

/// How the simulator decodes operations that are alike, calls or statements: a
/// case in lib/Simulator/Decode. All of a kind may become the same instruction,
/// or several that cost alike.
class CallKind<Opcode does = NoOpcode,
               string costs = !interleave(does.Costs, " ")> {
  Opcode Does = does;
  string Costs = costs;
}
def CallKind : GenericEnum {
  let FilterClass = "CallKind";
}
/// Neither calls nor statements are decoded by this record.
def None : CallKind;

/// What an operation does to memory: to what is at the addresses that it is
/// given, to any, or to what has no address, such as registers of others.
defvar readsArguments = "{Effect::Read, Reach::Arguments}";
defvar writesArguments = "{Effect::Write, Reach::Arguments}";
defvar changesArguments = "{Effect::ReadWrite, Reach::Arguments}";
defvar changesAll = "{Effect::ReadWrite, Reach::All}";
defvar changesHidden = "{Effect::ReadWrite, Reach::Hidden}";
defvar writesHidden = "{Effect::Write, Reach::Hidden}";

class DeviceOp {
  /// Functions and intrinsics, a space between them. Without "__nv_",
  /// "__nv_fast_", "llvm." or "llvm.nvvm." and without ".ftz" (operands and
  /// results are then flushed); if a name is not found, it is looked up again
  /// without a trailing "f" or ".f" or ".d". What an instruction does otherwise
  /// than the function of its name is listed with "nvvm." before it.
  string Names = "";
  /// Those of the names that are functions of libdevice, by the types of result
  /// and operands: "f32 f32: expf fast_expf; f64 f64: exp". Types are void, ptr,
  /// or a letter and bits (libdevice's user guide; a test compares them with the
  /// library where there is one). A call of other types is none of it.
  string Prototypes = "";
  /// What PTX statements, NVVM ops ("nvvm." aside) and intrinsics ("llvm.nvvm."
  /// aside) that no record has as a name begin with, up to a point; the longest
  /// one that fits counts.
  string Words = "";
  /// Special registers in PTX; up to a point, as words are.
  string Registers = "";

  /// Who has to come to it together, or learns of others by it.
  code Scope = "Scope::Thread";
  /// What it does to memory, in whatever spelling. A test compares it with the
  /// attributes of LLVM's intrinsics.
  code Memory = "{Effect::None, Reach::Arguments}";
  /// What a special register tells.
  code Tells = "Tells::Nothing";
  /// Which operation of two or three numbers it is, for rewrites of sums.
  code Algebra = "Algebra::None";
  /// The op of MLIR that is lowered to the very function of libdevice, or of
  /// the device's runtime.
  string MathOp = "";
  /// So many operands, from the first on, are addresses of what it accesses;
  /// its result is no function of them.
  bits<8> AddressOperands = 0;
  /// The first capability that has it (89: 8.9); 0: all of today.
  bits<8> MinCapability = 0;
  /// A copy that goes on beside the thread, or what waits for one, both in
  /// shared memory.
  bit IsAsync = 0;
  /// Several threads may change one place by it, in any order.
  bit IsAtomic = 0;
  /// In PTX, its first operand is a destination.
  bit HasDestination = 1;
  /// An integer result tells how floats compare or of which class one is.
  bit ComparesFloats = 0;
  /// Its result is memory that nobody else has.
  bit Allocates = 0;
  /// What it is given is for people to read, and no result.
  bit IsForPeople = 0;
  /// The thread ends there.
  bit EndsThread = 0;
  /// It hands control to code that is not seen here.
  bit CallsUnknown = 0;
  /// It hands control to another statement of its text.
  bit IsJump = 0;
  /// The simulator executes it in at least one spelling.
  bit IsSupported = 1;
  /// What the system prompt calls it where it lists instructions of PTX, those
  /// that may be used and those that may not; and in which place.
  string PromptName = "";
  bits<8> PromptPlace = 0;

  /// The further words of its statements, in any order: "role=word|word" for
  /// each role that one of them may have, with "!=" where one has to. What is
  /// left are types.
  string Form = "";
  /// How many types its statements name.
  bits<8> Types = 0;

  // For the simulator alone (lib/Simulator/Decode/CallDecoder.h): how it is
  // decoded, and a parameter of that.
  CallKind Kind = None;
  code What = "0";
  /// The instruction that does it, or the one of several that does most.
  Opcode Does = Kind.Does;
  code FirstForm = !if(!empty(Does.Names), "std::nullopt",
                       "Op::"#!head(Does.Names));
  /// What it costs as, by the type of its numbers; nothing where it becomes
  /// other calls, or no instruction.
  string Costs = !if(!empty(Does.Names), Kind.Costs,
                     !interleave(Does.Costs, " "));
}

/// An operation whose calls the simulator decodes by its name.
class Function<string names, string kind, string what = "0"> : DeviceOp {
  let Names = names;
  let Kind = !cast<CallKind>(kind);
  let What = what;
}

/// The same of a kind whose operations become several instructions.
class FunctionBy<Opcode does, string names, string kind, string what = "0">
    : Function<names, kind, what> {
  let Does = does;
}

/// Operations that are alike up to their further words.
class Family<string words> : DeviceOp {
  let Words = words;
}

/// A family whose statements and intrinsics, or the ones of them that there
/// are, the simulator decodes by their further words.
class DecodedFamily<string words, string kind, string form = "", int types = 0>
    : Family<words> {
  let Kind = !cast<CallKind>(kind);
  let Form = form;
  let Types = types;
}

/// A statement of PTX that is a call in other words. It begins with one of
/// `words`; its results and operands have the types named, where an operand has
/// the number before it in the call of `function` (an intrinsic of NVVM).
/// Results after a vertical bar are those that the ISA writes so.
class Spelling<string words, string results, string operands,
               string function> {
  string Words = words;
  string Results = results;
  string Operands = operands;
  string Function = function;
}

/// What a capability brought to operations that are older: PTX statements and
/// intrinsics that begin with one of `heads` and have, for each of `words`, one
/// of its choices between their points, in any order ("a|b" is either).
class Variant<string heads, string words, int capability> {
  string Heads = heads;
  string Words = words;
  bits<8> MinCapability = capability;
}

/// Between the points of a PTX statement, what it says of any operation.
class Modifier<string words, string means> {
  string Words = words;
  code Means = "Modifies::"#means;
}

/// What CUDA code may use, in the words of the system prompt, in this order.
class PromptPhrase<int place, string text> {
  bits<8> Place = place;
  string Text = text;
}

/// An attribute of a kernel that says how it is launched.
class LaunchAttribute<string name> {
  string Name = name;
  code Attribute = "LaunchAttribute::"#NAME;
}

def DeviceOpTable : GenericTable {
  let FilterClass = "DeviceOp";
  let Fields = ["Names", "Prototypes", "Words", "Registers", "Scope", "Memory",
                "Tells", "Algebra", "MathOp", "AddressOperands", "MinCapability",
                "IsAsync", "IsAtomic", "HasDestination", "ComparesFloats",
                "Allocates", "IsForPeople", "EndsThread", "CallsUnknown",
                "IsJump", "IsSupported",
                "PromptName", "PromptPlace", "Form", "Types", "Costs"];
  string TypeOf_Scope = "code";
  string TypeOf_Memory = "code";
  string TypeOf_Tells = "code";
  string TypeOf_Algebra = "code";
}

/// The same rows; names and words are what rows are ordered by.
def CallEntryTable : GenericTable {
  let FilterClass = "DeviceOp";
  let CppTypeName = "CallEntry";
  let Fields = ["Names", "Words", "Kind", "What", "FirstForm"];
  string TypeOf_Kind = "CallKind";
  string TypeOf_What = "code";
  string TypeOf_FirstForm = "code";
}

def SpellingTable : GenericTable {
  let FilterClass = "Spelling";
  let Fields = ["Words", "Results", "Operands", "Function"];
}

def VariantTable : GenericTable {
  let FilterClass = "Variant";
  let Fields = ["Heads", "Words", "MinCapability"];
}

def ModifierTable : GenericTable {
  let FilterClass = "Modifier";
  let Fields = ["Words", "Means"];
  string TypeOf_Means = "code";
}

def PromptPhraseTable : GenericTable {
  let FilterClass = "PromptPhrase";
  let Fields = ["Place", "Text"];
}

def LaunchAttributeTable : GenericTable {
  let FilterClass = "LaunchAttribute";
  let CppTypeName = "LaunchAttributeName";
  let Fields = ["Attribute", "Name"];
  string TypeOf_Attribute = "code";
}

#endif
