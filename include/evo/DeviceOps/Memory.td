// Memory and matrices. Accesses, copies, fragments of matrices, and calls that
// have no effect on values.

// Kinds of calls; what each does is a case in lib/Simulator/Decode.
def MemCopy : CallKind<MEMCPY>;
def MemFill : CallKind<MEMSET>;
def Malloc : CallKind<MALLOC>;
def Free : CallKind<FREE>;
def LoadGlobal : CallKind<LOAD>;
def AtomicCall : CallKind<ATOMIC>;
def AtomicAccess : CallKind<NoOpcode, "Atomic">; // or a compare-and-swap
def IsSpace : CallKind<ISSPACEP>;
def TrapCall : CallKind<TRAP>;
def AsyncCopy : CallKind<CPASYNC>;
def AsyncCommit : CallKind<CPCOMMIT>;
def AsyncWait : CallKind<CPWAIT>;
def MatrixProduct : CallKind<MMA>;
def MatrixTile : CallKind<NoOpcode, "Tensor Move">; // the product, or a part
def MatrixLoad : CallKind<LDMATRIX>;
def MatrixStore : CallKind<STMATRIX>;
def Access : CallKind; // by the record
def AddressCast : CallKind<NoOpcode, "Int">;
// No instruction.
foreach kind = ["Ignore", "Forward", "ConstantResult", "Reflect", "Note",
                "CachePolicy"] in
def ""#kind : CallKind;

// What accesses say of other threads, of where they go and of caches.
defvar scopes = "scope=cta|cluster|gpu|sys";
defvar spaces = "space=shared|shared::cta|global";
defvar hints = "hint=L2::cache_hint vector=v2|v4";
defvar keeps = "keep=L1::no_allocate|L1::evict_last|L1::evict_first|"
               "L1::evict_normal|L1::evict_unchanged";
defvar fetches = "fetch=L2::64B|L2::128B|L2::256B";
defvar arithmetic = "operation!=add|min|max|and|or|xor|inc|dec";

def : PromptPhrase<1, "cache hints (`__ldg`, `__ldcs`, `__ldcg`, `__stcs`, "
                      "`__stcg`, `__stwt` ...) on scalars and vectors">;
def : PromptPhrase<4, "atomics, fences, `__syncwarp`, `__nanosleep`">;
def : PromptPhrase<7, "dynamic shared memory (`extern __shared__`, its bytes "
                      "in the launch line, above 48 KiB too up to the GPU's "
                      "limit)">;
let AddressOperands = 2, Memory = changesArguments in {
  def : Function<"memcpy memcpy.inline", "MemCopy", "0">;
  def : Function<"memmove", "MemCopy", "1">;
}
let AddressOperands = 1, Memory = changesArguments in {
  let Memory = writesArguments in
  def : Function<"memset memset.inline", "MemFill">;
  let Memory = readsArguments in
  def : Function<"ldg.global.i ldg.global.f ldg.global.p ldu.global.i "
                 "ldu.global.f ldu.global.p", "LoadGlobal">;
  class Atomic<string op, string value>
      : Function<"atomic."#op#".cta atomic."#op#".sys", "AtomicCall",
                 "int(AtomicOp::"#value#")"> {
    let IsAtomic = 1;
  }
  def : Atomic<"add.gen.i", "Add">;
  def : Atomic<"add.gen.f", "FAdd">;
  def : Atomic<"and.gen.i", "And">;
  def : Atomic<"or.gen.i", "Or">;
  def : Atomic<"xor.gen.i", "Xor">;
  def : Atomic<"exch.gen.i", "Xchg">;
  def : Atomic<"max.gen.i", "Max">;
  def : Atomic<"min.gen.i", "Min">;
  def : Atomic<"inc.gen.i", "UIncWrap">;
  def : Atomic<"dec.gen.i", "UDecWrap">;
  let Does = LOAD, Memory = readsArguments in
  def : DecodedFamily<"ld", "Access",
                      "order=weak|volatile|relaxed|acquire path=nc "
                      "cache=ca|cg|cs|lu|cv "#
                      !interleave([scopes, spaces, keeps, fetches, hints], " "),
                      1>;
  let HasDestination = 0, Does = STORE, Memory = writesArguments in
  def : DecodedFamily<"st", "Access",
                      "order=weak|volatile|relaxed|release "
                      "cache=wb|cg|cs|wt "#
                      !interleave([scopes, spaces, keeps, hints], " "), 1>;
  let IsAtomic = 1 in {
    def : Function<"atomic.load.inc.32", "AtomicCall",
                   "int(AtomicOp::UIncWrap)">;
    def : Function<"atomic.load.dec.32", "AtomicCall",
                   "int(AtomicOp::UDecWrap)">;
    def : DecodedFamily<"atom", "AtomicAccess",
                        "order=relaxed|acquire|release|acq_rel flush=noftz "#
                        !interleave([scopes, spaces, hints,
                                     arithmetic#"|exch|cas"], " "), 1>;
    let IsSupported = 0 in def : Family<"atomic">;
    let HasDestination = 0 in
    def : DecodedFamily<"red", "AtomicAccess",
                        "order=relaxed|release flush=noftz "#
                        !interleave([scopes, spaces, hints, arithmetic], " "),
                        1>;
  }
  let IsSupported = 0, Memory = readsArguments in def : Family<"ldu ldg">;
  let HasDestination = 0 in {
    def : Function<"prefetch prefetch.global.L1 prefetch.global.L2", "Ignore">;
    def : DecodedFamily<"prefetch prefetchu", "Ignore">;
    let IsSupported = 0, Memory = changesAll in
    def : Family<"discard applypriority">;
  }
}
let MinCapability = 80 in
def : DecodedFamily<"createpolicy", "CachePolicy">;
let Memory = changesHidden, Allocates = 1 in
def : Function<"malloc", "Malloc">;
let Memory = changesAll in def : Function<"free", "Free">;
class IsSpace<string name, string space>
    : Function<"isspacep."#name, "IsSpace", space>;
def : IsSpace<"global", "SpaceGlobal">;
def : IsSpace<"shared", "SpaceShared">;
def : IsSpace<"local", "SpaceLocal">;
def : IsSpace<"const", "SpaceParam">;
def : DecodedFamily<"cvta", "AddressCast", "to=to space!=shared|global", 1>;
let IsSupported = 0 in def : Family<"isspacep">;

// Asynchronous copies, and what they signal.
def : PromptPhrase<8, "asynchronous copies (`__pipeline_memcpy_async`, or "
                      "cp.async in inline PTX)">;
let IsAsync = 1, HasDestination = 0, Memory = changesAll in {
  let AddressOperands = 2 in {
    let IsSupported = 0 in def : Family<"cp">;
    let MinCapability = 80, Memory = changesArguments in
    def : DecodedFamily<"cp.async", "AsyncCopy",
                        !strconcat("cache!=ca|cg to!=shared|shared::cta "
                                   "from!=global hint=L2::cache_hint ",
                                   fetches)>;
  }
  let MinCapability = 80 in {
    // With a point, as intrinsics have them.
    def : DecodedFamily<"cp.async.commit_group cp.async.commit.group",
                        "AsyncCommit">;
    def : DecodedFamily<"cp.async.wait_group cp.async.wait_all "
                        "cp.async.wait.group cp.async.wait.all", "AsyncWait">;
    let IsSupported = 0, AddressOperands = 1 in
    def : Family<"cp.async.mbarrier">;
  }
  let IsSupported = 0, MinCapability = 90, AddressOperands = 3,
      PromptName = "TMA", PromptPlace = 2 in
  def : Family<"cp.async.bulk cp.reduce.async.bulk tensormap">;
}
let IsAsync = 1, IsSupported = 0, AddressOperands = 1, Memory = changesAll,
    PromptName = "mbarriers", PromptPlace = 3 in
def : Family<"mbarrier">;

// Matrices that a warp holds in parts.
let Scope = "Scope::Warp" in {
  let PromptName = "mma.sync", PromptPlace = 1 in
  def : DecodedFamily<"mma", "MatrixProduct",
                      "sync!=sync aligned!=aligned a!=row b!=col "
                      "shape!=m16n8k4|m16n8k8|m16n8k16|m16n8k32|m8n8k16 "
                      "saturate=satfinite", 4>;
  let AddressOperands = 1 in {
    let Memory = changesArguments in def : DecodedFamily<"wmma", "MatrixTile">;
    defvar fragments = "sync!=sync aligned!=aligned shape!=m8n8 "
                       "count!=x1|x2|x4 order=trans space=shared|shared::cta";
    let MinCapability = 75, PromptName = "ldmatrix", PromptPlace = 2,
        Memory = readsArguments in
    def : DecodedFamily<"ldmatrix", "MatrixLoad", fragments, 1>;
    let MinCapability = 90, HasDestination = 0, PromptName = "stmatrix",
        PromptPlace = 3, Memory = writesArguments in
    def : DecodedFamily<"stmatrix", "MatrixStore", fragments, 1>;
  }
  let IsSupported = 0, Memory = changesAll in {
    let PromptName = "wgmma", PromptPlace = 1 in def : Family<"wgmma">;
    def : Family<"tcgen05 setmaxnreg multimem movmatrix">;
  }
}

// Without effect on values.
def : Function<"dbg.value dbg.declare dbg.assign dbg.label donothing",
               "Ignore">;
let Memory = changesArguments in
def : Function<"lifetime.start lifetime.end", "Ignore">;
let Memory = writesHidden in def : Function<"assume", "Ignore">;
let Memory = changesHidden in
def : Function<"experimental.noalias.scope.decl sideeffect pseudoprobe "
               "var.annotation", "Ignore">;
let Memory = changesAll in def : Function<"nanosleep", "Ignore">;
def : Function<"expect expect.with.probability strip.invariant.group ssa.copy "
               "arithmetic.fence", "Forward">;
let Memory = changesHidden in
def : Function<"launder.invariant.group ptr.annotation", "Forward">;
def : Function<"is.constant", "ConstantResult">;
def : Function<"__nvvm_reflect reflect", "Reflect">;
let Memory = changesAll in {
  let IsForPeople = 1 in {
    def : Function<"printf vprintf", "Note">;
    let MathOp = "cf.assert" in
    def : Function<"__assertfail __assert_fail", "TrapCall", "1">;
  }
  def : Function<"debugtrap", "TrapCall", "0">;
}
let Memory = writesHidden in
def : Function<"trap ubsantrap", "TrapCall", "0">;
let HasDestination = 0 in {
  let Memory = changesAll in def : DecodedFamily<"nanosleep", "Ignore">;
  let Memory = writesHidden in def : DecodedFamily<"trap", "TrapCall">;
}
